"""Two versions side by side: rules that differ, numbers, rows that are answered otherwise."""

from __future__ import annotations

import streamlit as st

from turs.editing import LEARNED, Impact
from turs.ui.history_view import rules_markup, version_names
from turs.ui.impact_view import changed_rows, impact_markup, impact_table
from turs.ui.opened import OpenModel
from turs.ui.row_table import draw_rows
from turs.ui.table import download


def draw_compare(model: OpenModel) -> None:
    """Draw the choice of two versions, and what lies between them."""
    st.html('<div class="t-title">Compare two versions</div>')
    names = version_names(model)
    if len(names) < 2:
        st.html('<div class="t-line">There is only one version: the rules as they were learned.</div>')
        return
    versions = list(names)
    place = f"{model.number}-{len(versions)}-{len(model.session.history.checkpoints)}"
    left, right = st.columns(2)
    before = left.selectbox(
        "Before", versions, index=versions.index(LEARNED), format_func=names.__getitem__, key=f"compare-from-{place}"
    )
    after = right.selectbox(
        "After", versions, index=versions.index(model.number), format_func=names.__getitem__, key=f"compare-to-{place}"
    )
    if before == after:
        st.html('<div class="t-line">Both are the same version: choose another one.</div>')
        return
    impact = compared(model, before, after)
    header = ("Between the two", "before", "after", "change")
    st.html(rules_markup(impact) + model.kept(("effect", before, after), lambda: impact_markup(impact, header)))
    table = model.kept(("effect-table", before, after), lambda: impact_table(impact))
    download(table, f"comparison-{before}-{after}.csv", "compare-csv", "Comparison as CSV")
    _draw_rows(model, impact, f"{before}-{after}")


def compared(model: OpenModel, before: int, after: int) -> Impact:
    """Return what lies between two versions."""
    return model.kept(("compared", before, after), lambda: model.session.compare(before, after))


def _draw_rows(model: OpenModel, impact: Impact, key: str) -> None:
    """Draw the rows that differ, where somebody wants to see them."""
    if not st.toggle("Show the rows with other probabilities", key="compare-rows"):
        return
    parts = ["training", "validation"] if model.study.validation is not None else ["training"]
    part = st.segmented_control("Rows", parts, default="training", key="compare-part", required=True)
    found = changed_rows(impact, model.study, validation=part == "validation")
    if found.frame.empty:
        st.html('<div class="t-line">No row of this part differs.</div>')
        return
    alt = "Rows that the two versions answer otherwise"
    name, place = f"rows-{key}.csv", f"compared-{key}-{part}"
    draw_rows(found.frame, name, place, alt, shares=found.shares, order=found.order)
