"""The Overlaps page: which rules cover the same rows, and whether they agree there."""

from __future__ import annotations

import streamlit as st

from turs.ui import numbers, state
from turs.ui.busy import busy
from turs.ui.component import overlap_view
from turs.ui.guard import draw_message, fragment
from turs.ui.opened import OpenModel
from turs.ui.overlap_panel import choose_overlap, choose_pair, draw_chosen
from turs.ui.overlap_view import (
    ORDERS,
    Chosen,
    exists,
    figure_data,
    figure_table,
    figure_words,
    first_chosen,
    ledger_data,
    ledger_of,
    ledger_table,
    ledger_words,
    matrix_data,
    matrix_rules,
    matrix_table,
)
from turs.ui.table import download


def draw_overlaps(model: OpenModel) -> None:
    """Draw the page."""
    with busy(model, "Comparing the rules where they overlap …"):
        n_overlaps = len(ledger_of(model))
    if not n_overlaps:
        _draw_none(model)
        return
    _draw_parts(model)


@fragment
def _draw_parts(model: OpenModel) -> None:
    """Draw figure, matrix and ledger beside what is selected."""
    chosen = state.chosen("overlap")
    if not isinstance(chosen, Chosen) or not exists(model, chosen):
        chosen = first_chosen(model)
    assert chosen is not None  # there are overlaps
    draw_message()
    left, right = st.columns((7, 5), gap="medium")
    with left:
        _draw_views(model, chosen)
    with right, st.container(border=True, key="overlap"):
        draw_chosen(model, chosen)


def _draw_views(model: OpenModel, chosen: Chosen) -> None:
    """Draw the three ways to look at the overlaps."""
    st.html(
        '<div class="t-line">Choose a column, a line or a cell: its rules appear on the right, side by side with the '
        "union that answers for these rows.</div>"
    )
    with st.container(border=True, key="overlap-figure-box"):
        _head("Which rules cover the same rows", figure_words(model))
        overlap_view(figure_data(model, chosen), "overlap-figure", choose_overlap)
        download(lambda: figure_table(model, chosen), "overlaps.csv", "figure-csv", "Figure as CSV")
    with st.container(border=True, key="overlap-ledger-box"):
        _draw_ledger(model, chosen)
    with st.container(border=True, key="overlap-matrix-box"):
        left = len(model.session.version.rules) - len(matrix_rules(model))
        words = f" · {_left_words(left)}" if left else ""
        _head("Rule by rule", f"training rows that two rules share (number) and distance (colour){words}")
        overlap_view(matrix_data(model, chosen), "overlap-matrix", choose_pair)
        download(lambda: matrix_table(model), "pairs.csv", "pairs-csv", "All pairs as CSV")


def _draw_ledger(model: OpenModel, chosen: Chosen) -> None:
    """Draw the ledger."""
    _head("Ledger", ledger_words(model))
    order = st.selectbox(
        "Sorted by",
        list(ORDERS),
        key="ledger-order",
        width=190,
        format_func=lambda name: f"by {name}",
        label_visibility="collapsed",
    )
    overlap_view(ledger_data(model, chosen, order), "overlap-ledger", choose_overlap)
    download(lambda: ledger_table(model), "ledger.csv", "ledger-csv", "Whole ledger as CSV")


def _left_words(n: int) -> str:
    """Return that some rules are not in the matrix."""
    return f"{numbers.things(n, 'rule')} sharing fewer rows, or none, {'is' if n == 1 else 'are'} not shown"


def _head(title: str, words: str) -> None:
    """Draw the title of a view."""
    kept = words.replace(" %", "\N{NO-BREAK SPACE}%")
    st.html(f'<div class="t-title">{title}</div><div class="t-line">{kept}</div>')


def _draw_none(model: OpenModel) -> None:
    """Draw that no row is covered by two rules."""
    with st.container(border=True, key="no-overlap"):
        n_rules = len(model.session.version.rules)
        words = "There are fewer than two rules." if n_rules < 2 else "No row is covered by more than one rule."
        st.html(
            f'<div class="t-title">No overlaps</div><div class="t-line">{words} Every row has one answer, so there is '
            "nothing to compare. Overlaps appear here when an edit makes some.</div>"
        )
        st.page_link("pages/3_Rules.py", label="Go to the rules", icon=":material/rule:")
