"""The state of the model in one line, each number with its change since learning, and undo."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from turs.evaluate.evaluation import Headline
from turs.ui import state
from turs.ui.versions import Version


@dataclass(frozen=True)
class Number:
    """One number of the state line.

    Parameters
    ----------
    name : str
        What it is.
    now, before : float
        At present, and just after learning.
    form : str
        How it is printed.
    better : int
        1 where more is better, -1 where less is, 0 where neither.
    about : str
        What the pointer shows.
    """

    name: str
    now: float
    before: float
    form: str
    better: int
    about: str


def draw_state(version: Version) -> None:
    """Draw the line and the undo button."""
    with st.container(key="state", horizontal=True, wrap=False, vertical_alignment="center"):
        st.html(state_markup(version.evaluation.headline, version.baseline))
        many = len(state.studio().versions) > 1
        st.button("Undo", icon=":material/undo:", key="undo", disabled=not many, on_click=state.undo)


def state_markup(now: Headline, before: Headline) -> str:
    """Return the line as markup."""
    return f'<div class="t-state">{"".join(map(_cell, _numbers(now, before)))}</div>'


def _numbers(now: Headline, before: Headline) -> list[Number]:
    """Return what the line shows."""
    assert now.evaluation is not None  # a version always has validation rows
    assert before.evaluation is not None
    here, there = now.evaluation, before.evaluation
    return [
        Number(
            "Total bits",
            now.total_bits or 0.0,
            before.total_bits or 0.0,
            ",.1f",
            -1,
            "MDL score on the training rows: likelihood, regret and model; fewer is better",
        ),
        Number(
            "AUC training",
            now.training.auc,
            before.training.auc,
            ".3f",
            1,
            "how well the probabilities rank the rows learned from",
        ),
        Number("AUC validation", here.auc, there.auc, ".3f", 1, "the same on rows that learning did not see"),
        Number(
            "Random-pick AUC",
            here.random_pick_auc,
            there.random_pick_auc,
            ".3f",
            1,
            "expected on validation rows where each row takes one of its rules at random",
        ),
        Number(
            "Overlap",
            now.training.overlap_share,
            before.training.overlap_share,
            ".1%",
            0,
            "share of the training rows that two or more rules cover",
        ),
        Number("Rules", now.n_rules, before.n_rules, "d", 0, "number of rules, without the else rule"),
        Number("Literals", now.n_literals, before.n_literals, "d", 0, "number of literals of all rules"),
    ]


def _cell(number: Number) -> str:
    """Return one number as markup."""
    change = number.now - number.before
    shown = format(change, "+" + number.form)
    if math.isnan(change) or float(shown.rstrip("%").replace(",", "")) == 0:
        tone, words = "", "as learned"
    else:
        tone = "" if not number.better else "t-good" if change * number.better > 0 else "t-bad"
        words = f"{shown} since learning"
    value = "not defined" if math.isnan(number.now) else format(number.now, number.form)
    return (
        f'<div title="{number.about}"><div class="name">{number.name}</div><div class="value">{value}</div>'
        f'<div class="change {tone}">{words}</div></div>'
    )
