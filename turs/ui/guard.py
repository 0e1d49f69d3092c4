"""Parts of a page that may fail: what went wrong is told in its place, with a way on, and nothing is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from turs.ui import state
from turs.ui.places import PATHS
from turs.ui.theme import plain

_log = logging.getLogger(__name__)
P = ParamSpec("P")


def fragment(body: Callable[P, None]) -> Callable[P, None]:
    """Return a part of a page that is drawn again on its own; its errors are told in its place."""

    @wraps(body)
    def part(*args: P.args, **kwargs: P.kwargs) -> None:
        run_guarded(lambda: body(*args, **kwargs), body.__name__)

    drawn: Callable[P, None] = st.fragment(part)
    return drawn


def draw_message() -> None:
    """Draw what the last click left to be told."""
    message = state.take_message()
    if message is None:
        return
    if message.kind == "passing":
        st.toast(plain(message.text))
    else:
        (st.error if message.kind == "fault" else st.info)(plain(message.text))


def run_guarded(body: Callable[[], None], place: str = "page") -> None:
    """Run a part of a page; an unexpected error is told in its place, with a way on.

    Parameters
    ----------
    body : callable
        Draws the part.
    place : str
        Tells the parts of a page apart.
    """
    try:
        body()
    except Exception as error:  # whatever it is, the user gets a way on and the log the details
        _log.exception("A part of the page failed")
        _draw_fault(error, place)


def _draw_fault(error: Exception, place: str) -> None:
    """Say what happened, that nothing is lost, and how to go on."""
    with st.container(border=True, key=f"fault-{place}"):
        st.error(f"This part of the page could not be drawn: {plain(str(error) or type(error).__name__)}")
        st.html('<div class="t-line">Nothing is lost: your rules and all edits are as they were.</div>')
        with st.container(horizontal=True):
            st.button("Try again", icon=":material/refresh:", key=f"again-{place}")
            st.page_link(PATHS["Rules"], label="Go to the rules", icon=":material/rule:")
            st.page_link(PATHS["Data"], label="Go to the data", icon=":material/table:")
