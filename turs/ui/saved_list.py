"""What was worked on before, the last first: the way back where nothing is open."""

from __future__ import annotations

import streamlit as st

from turs.ui import numbers, state
from turs.ui.library import Saved
from turs.ui.places import go
from turs.ui.prepared import Prepared
from turs.ui.theme import plain

_MOST = 6
_MOST_TABLES = 3
_WITHOUT_RULES = ("Data", "Learn")
"""Pages that show something where there are no rules yet."""


def draw_saved(place: str) -> bool:
    """Draw the models and the prepared tables of the workspace, each a click away; return whether there are any.

    Parameters
    ----------
    place : str
        The page that a model opens on.
    """
    models, tables, away = state.models(), state.preparations(), state.models(archived=True)
    if not models and not tables and not away:
        return False
    with st.container(border=True, key="saved-models"):
        told = _told(len(models)) if models else "no rules yet" if tables else "all models are put away"
        st.html(f'<div class="t-title">Go on where you left off<small>{told}</small></div>')
        if models:
            _draw_models(models[:_MOST], place)
        if tables:
            _draw_tables(tables[:_MOST_TABLES], place if place in _WITHOUT_RULES else "Data", is_first=not models)
        if away:
            _draw_away(away, place)
    return True


def _draw_models(saved: list[Saved], place: str) -> None:
    """Draw a button a model."""
    with st.container(horizontal=True, key="saved"):
        for number, part in enumerate(saved):
            if st.button(
                plain(part.label),
                key=f"open-{part.record.id}",
                icon=":material/history:",
                type="secondary" if number else "primary",
            ):
                state.open_model(part.record.id)
                go(place)


def _draw_tables(prepared: list[Prepared], place: str, *, is_first: bool) -> None:
    """Draw a button a table that has no rules yet."""
    with st.container(horizontal=True, key="prepared"):
        for number, part in enumerate(prepared):
            if st.button(
                plain(part.label),
                key=f"prepare-{part.record.id}",
                icon=":material/edit_note:",
                type="primary" if is_first and not number else "secondary",
                help=f"{numbers.rows(part.record.n_rows)}, {part.record.n_columns:,} columns: as you left it",
            ):
                state.open_preparation(part.record.id)
                go(place)


def _draw_away(saved: list[Saved], place: str) -> None:
    """Draw the way back for models that were put away."""
    with st.expander(f"Put away ({len(saved):,})"), st.container(horizontal=True, vertical_alignment="bottom"):
        labels = {part.record.id: part.label for part in saved}
        chosen = st.selectbox("Model that was put away", list(labels), format_func=labels.__getitem__, key="away")
        if st.button("Bring it back", key="bring-back", icon=":material/unarchive:"):
            state.bring_back(chosen)
            go(place)


def _told(n_models: int) -> str:
    """Return in words which of the models are shown."""
    if n_models <= _MOST:
        return "the last one first"
    return f"the last {_MOST} of {n_models:,} models; the list at the side has all"
