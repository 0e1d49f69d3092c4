"""The effect of an edit before it is kept: shown in full, then kept with a note or dropped."""

from __future__ import annotations

from functools import partial
from html import escape

import streamlit as st

from turs.editing import Edit, Impact
from turs.errors import TursError
from turs.ui import state
from turs.ui.busy import busy
from turs.ui.impact_view import changed_rows, impact_markup, new_rules_words
from turs.ui.opened import OpenModel
from turs.ui.table import download
from turs.ui.theme import plain

_MOST_ROWS = 200


def draw_impact(model: OpenModel) -> None:
    """Draw what the draft does, with the buttons that keep or drop it."""
    draft = state.studio().draft
    if draft is None:
        st.html('<div class="t-line">Change something: its effect shows here before you keep it or drop it.</div>')
        return
    try:
        with busy(model, "Working out what this change does …"):
            impact = model.impact(draft)
            effects = impact_markup(impact)
    except TursError as error:
        st.error(plain(str(error)))
        st.button("Drop this change", key="drop", on_click=partial(state.show_draft, None))
        return
    words = "".join(f'<div class="t-line">{escape(line)}</div>' for line in new_rules_words(impact))
    st.html(f'<div class="t-draft"><b>Not kept yet</b> · {escape(impact.description)}</div>{words}')
    why = f"why-{model.number}"
    with st.container(horizontal=True, vertical_alignment="bottom", key="decide"):
        # Callbacks, because they run before the page is drawn, which a new click may end: no click on Keep is lost.
        st.button("Keep", type="primary", icon=":material/check:", key="keep", on_click=partial(_keep, draft, why))
        st.button("Drop", icon=":material/close:", key="drop", on_click=_drop)
        st.text_input("Why?", key=why, placeholder="Why? (kept in the history)", label_visibility="collapsed")
    st.html(effects)
    _draw_rows(model, impact)


@state.guarded
def _drop() -> None:
    """Drop the draft; a feature without a literal is not looked at any more."""
    state.drop_draft()


@state.guarded
def _keep(draft: Edit, why: str) -> None:
    """Keep the draft, with the reason that was given, and ask for the whole page to be drawn again.

    The second click of two finds that it is not open any more: it was kept.
    """
    reason = state.value_of(why) or ""
    if state.studio().draft == draft:
        state.keep(draft, reason)
        state.refresh()


def _draw_rows(model: OpenModel, impact: Impact) -> None:
    """Draw the rows that change, where somebody wants to see them."""
    if not st.toggle("Show the rows that change", key=f"rows-{model.number}"):
        return
    part = st.segmented_control(
        "Rows", ["training", "validation"], default="training", key=f"rows-of-{model.number}", required=True
    )
    frame = changed_rows(impact, model.study, validation=part == "validation")
    if frame.empty:
        st.html('<div class="t-line">No row of this part changes.</div>')
        return
    st.dataframe(frame.head(_MOST_ROWS), hide_index=True, height=240, alt="Rows whose probabilities change")
    if len(frame) > _MOST_ROWS:
        st.html(f'<div class="t-line">The first {_MOST_ROWS} of {len(frame):,} rows; the file holds all.</div>')
    download(frame, "changed_rows.csv", f"changed-{part}")
