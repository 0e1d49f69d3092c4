"""The effect of an edit before it is kept, in full: bits, AUC, overlaps, and the rows that change."""

from __future__ import annotations

from html import escape

import streamlit as st

from turs.editing import Impact
from turs.errors import TursError
from turs.ui import state
from turs.ui.busy import busy
from turs.ui.impact_view import changed_rows, impact_markup, new_rules_words
from turs.ui.opened import OpenModel
from turs.ui.row_table import draw_rows


def draw_impact(model: OpenModel) -> None:
    """Draw what the draft does; where it cannot be made, its bar says why."""
    draft = state.studio().draft
    if draft is None:
        return
    try:
        with busy(model, "Working out what this change does …"):
            impact = model.impact(draft)
            effects = impact_markup(impact)
    except TursError:
        return
    words = "".join(f'<div class="t-line">{escape(line)}</div>' for line in new_rules_words(impact))
    st.html(words + effects)
    _draw_rows(model, impact)


def _draw_rows(model: OpenModel, impact: Impact) -> None:
    """Draw the rows that change, where somebody wants to see them."""
    if not st.toggle("Show the rows that change", key=f"rows-{model.number}"):
        return
    part = st.segmented_control(
        "Rows", ["training", "validation"], default="training", key=f"rows-of-{model.number}", required=True
    )
    found = changed_rows(impact, model.study, validation=part == "validation")
    if found.frame.empty:
        st.html('<div class="t-line">No row of this part changes.</div>')
        return
    alt = "Rows whose probabilities change"
    draw_rows(found.frame, "changed_rows.csv", f"changed-{part}", alt, shares=found.shares, order=found.order)
