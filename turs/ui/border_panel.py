"""The rules that nearly fire for a row, and how far their borders are."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from turs.rules.model import Model
from turs.rules.rule import RuleSet
from turs.ui import numbers
from turs.ui.chips import chips_markup
from turs.ui.explained import Border, Explanation, value_text
from turs.ui.opened import OpenModel
from turs.ui.table import download

_MOST_NEAR = 4
_MOST_NAMED = 3


def draw_near(model: OpenModel, engine: Model, found: Explanation) -> None:
    """Draw the other rules, the nearest first."""
    rule_set = engine.rule_set
    st.html(
        '<div class="t-title">Rules that nearly fire</div><div class="t-line">the fewest conditions to change first, '
        "then the nearest, counted in training rows that lie between</div>"
    )
    if not found.near:
        st.html('<div class="t-line">There is no other rule.</div>')
        return
    shown = {name: value_text(value, rule_set.schema.feature(name)) for name, value in found.values.items()}
    for border in found.near[:_MOST_NEAR]:
        broken = [step.feature for step in border.steps]
        chips = chips_markup(rule_set.rule(border.rule), rule_set.schema, broken=broken, values=shown)
        n = len(broken)
        words = (
            f"{n} condition{'' if n == 1 else 's'} not met ({_far(border)}). If met, {then_words(border, rule_set)}."
        )
        st.html(
            f'<div class="t-head"><span class="id">{escape(border.rule)}</span></div>{chips}'
            f'<div class="t-line">{escape(words)}</div>'
        )
    left = len(found.near) - _MOST_NEAR
    if left > 0:
        st.html(f'<div class="t-line">{left:,} more are farther away; the file holds all.</div>')
    download(near_table(found, rule_set), "borders.csv", "near-csv")


def near_table(found: Explanation, rule_set: RuleSet) -> pd.DataFrame:
    """Return all borders as a table."""
    schema = rule_set.schema
    lines = [
        {
            "rule": border.rule,
            "way": "in" if border in found.near else "out",
            "conditions": len(border.steps),
            "share of rows between": border.share,
            "change": "; ".join(
                f"{step.feature} to {value_text(step.target, schema.feature(step.feature))}" for step in border.steps
            ),
            "rules then": " ".join(border.fired),
            **{f"p({label}) then": share for label, share in zip(schema.classes, border.probabilities, strict=True)},
        }
        for border in (*found.near, *found.leaving)
    ]
    return pd.DataFrame(lines)


def _far(border: Border) -> str:
    """Return in words how far a border is."""
    parts = [f"{step.feature}: {numbers.share(step.share)}" for step in border.steps if step.share < 1]
    others = len(border.steps) - len(parts)
    words = "; ".join(parts) + (" of the rows lie between" if parts else "")
    return words + (f"{'; ' if words else ''}{others} by another level or a missing value" if others else "")


def then_words(border: Border, rule_set: RuleSet) -> str:
    """Return what would be predicted."""
    top = int(np.argmax(border.probabilities))
    n = len(border.fired)
    who = numbers.both(border.fired) if border.fired else "the else rule"
    if n > _MOST_NAMED:
        who = f"{border.rule} with {n - 1} others" if border.rule in border.fired else f"{n} rules"
    verb = "answer" if len(border.fired) > 1 else "answers"
    return f"{who} {verb} {numbers.label(rule_set.schema.classes[top])} with {border.probabilities[top]:.2f}"
