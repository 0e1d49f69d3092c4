"""The models that were worked on before, the last one first: the way back where nothing is open."""

from __future__ import annotations

import streamlit as st

from turs.ui import state
from turs.ui.places import go
from turs.ui.theme import plain

_MOST = 6


def draw_saved(place: str) -> bool:
    """Draw the models of the workspace, each a click away, and return whether there are any.

    Parameters
    ----------
    place : str
        The page that a model opens on.
    """
    saved = state.models()
    if not saved:
        return False
    with st.container(border=True, key="saved-models"):
        st.html(f'<div class="t-title">Go on where you left off<small>{_told(len(saved))}</small></div>')
        with st.container(horizontal=True, key="saved"):
            for number, part in enumerate(saved[:_MOST]):
                if st.button(
                    plain(part.label),
                    key=f"open-{part.record.id}",
                    icon=":material/history:",
                    type="secondary" if number else "primary",
                ):
                    state.open_model(part.record.id)
                    go(place)
    return True


def _told(n_models: int) -> str:
    """Return in words which of the models are shown."""
    if n_models <= _MOST:
        return "the last one first"
    return f"the last {_MOST} of {n_models:,} models; the list at the side has all"
