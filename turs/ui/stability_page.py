"""The Stability page: whether it matters which of its rules a row follows."""

from __future__ import annotations

from html import escape

import streamlit as st

from turs.evaluate.random_pick import RandomPick
from turs.ui import numbers, state
from turs.ui.component import overlap_view
from turs.ui.guard import fragment
from turs.ui.opened import OpenModel
from turs.ui.overlap_view import Chosen, gravest
from turs.ui.pick_panel import draw_classes
from turs.ui.places import go
from turs.ui.row_table import draw_rows
from turs.ui.stability_view import (
    MOST_OVERLAPS,
    change_lines,
    change_table,
    flipping_rows,
    overlap_data,
    overlap_table,
    picks_on,
    verdict,
)
from turs.ui.table import download, table_markup

_ABOUT = (
    "A row that several rules cover gets the class shares of their union. If the rules are truly unordered, it should "
    "hardly matter if only one of them, picked at random, had answered instead."
)


def draw_stability(model: OpenModel) -> None:
    """Draw the page."""
    if state.chosen("leap"):
        state.choose("leap", None)
        go("Overlaps")
    st.html(f'<div class="t-line">{_ABOUT}</div>')
    part = "training"
    if model.study.validation is not None:
        chosen = st.segmented_control(
            "Rows", ["validation", "training"], default="validation", key="stability-part", required=True
        )
        part = str(chosen)
    now = picks_on(model.session.state.evaluation, part)
    learned = picks_on(model.session.learned.evaluation, part)
    assert now is not None  # the part has rows
    assert learned is not None
    side = model.headline.training if part == "training" else model.headline.evaluation
    assert side is not None
    first, second = verdict(now, side.n_rows, part, gravest(model, part))
    st.html(f'<div class="t-verdict">{escape(first)} <b>{escape(second)}</b></div>')
    left, right = st.columns((6, 6), gap="medium")
    with left:
        _draw_changes(learned, now, part)
    with right:
        _draw_overlaps(now)
    draw_classes(model, learned, now, part)
    _draw_flips(model, now, part)


def _draw_changes(learned: RandomPick, now: RandomPick, part: str) -> None:
    """Draw the numbers before and after the edits."""
    with st.container(border=True, key="stability-changes"):
        lines, tones = change_lines(learned, now)
        st.html(
            '<div class="t-title">Before and after the edits</div><div class="t-numbers">'
            + table_markup((f"on {part} rows", "after learning", "now", "change"), lines, tones=tones)
            + "</div>"
        )
        download(change_table(learned, now), "before_and_after.csv", "changes-csv", "Changes as CSV")


def _draw_overlaps(now: RandomPick) -> None:
    """Draw the overlaps that make the difference."""
    with st.container(border=True, key="stability-overlaps"):
        n = len(now.overlaps)
        shown = f"the first {MOST_OVERLAPS} of {n:,}" if n > MOST_OVERLAPS else numbers.every(n)
        words = f"{shown} · choose one to see its rules" if n else "No row is in an overlap, so there is no difference."
        st.html(f'<div class="t-title">The overlaps that make the difference</div><div class="t-line">{words}</div>')
        if not n:
            return
        overlap_view(overlap_data(now), "stability-ledger", _leap)
        download(overlap_table(now), "difference_by_overlap.csv", "difference-csv", "Overlaps as CSV")


def _leap(rules: list[str]) -> None:
    """Go to an overlap on its own page."""
    state.choose("overlap", Chosen(tuple(rules), True))
    state.choose("leap", True)


@fragment
def _draw_flips(model: OpenModel, now: RandomPick, part: str) -> None:
    """Draw the rows that could get another class."""
    with st.container(border=True, key="stability-flips"):
        counted = numbers.rows(now.n_rows_can_change, part)
        st.html(
            f'<div class="t-title">Rows that could flip</div><div class="t-line">{counted} have a rule that predicts '
            "another class than the union</div>"
        )
        if now.n_rows_can_change and st.toggle("Show the rows", key="show-flips"):
            frame = flipping_rows(model, part)
            draw_rows(
                frame, f"could_flip_{part}.csv", f"flips-{part}", "Rows whose predicted class depends on the pick"
            )
