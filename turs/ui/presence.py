"""The end of a session: what it held goes when its browser is gone, whether or not somebody else comes.

Streamlit keeps a session whose connection ended for a while, because networks fail, and forgets it when the next
session begins or ends. On a server that people leave in the evening that would be the next morning.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
from dataclasses import dataclass

import pyarrow  # type: ignore[import-untyped]  # it brings no types
import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from turs.storage import Store
from turs.ui import state
from turs.ui.studio import Seat

_SHARE = 0.9
"""Of the time that Streamlit keeps a session: later it could not be closed any more, only be forgotten."""
_TIDY_SECONDS = 1.0
_ends: dict[str, asyncio.TimerHandle] = {}
_tidying: list[asyncio.TimerHandle] = []


@dataclass(frozen=True, eq=False)
class Visit:
    """A session that is there: its id and seat, the store, and who it is."""

    session_id: str
    seat: Seat
    store: Store
    author: str


def note_presence() -> None:
    """Note that the session of this script is there; its end is noticed from now on."""
    context = get_script_run_ctx()
    if context is not None:
        _present(context.session_id)


def settle_memory() -> None:
    """Take what is loaded out of the collections that Streamlit runs after every script.

    Tables live in the heap of everything else: Arrow's own keeps what sessions freed, 4 MB a session.
    """
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    gc.collect()
    gc.freeze()


def _left(visit: Visit) -> None:
    """End a session some time after its connection ended, unless it is there again by then.

    Streamlit calls this in the thread of its event loop, the only one in which sessions may be closed.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # not a server: nothing is left behind
        return
    before = _ends.pop(visit.session_id, None)
    if before is not None:
        before.cancel()
    keep = float(st.get_option("server.disconnectedSessionTTL"))
    _ends[visit.session_id] = loop.call_later(_SHARE * keep, _end, visit)


@st.cache_resource(scope="session", on_release=_left, show_spinner=False)
def _present(session_id: str) -> Visit:
    """Return the visit of a session; Streamlit releases it when the connection ends."""
    return Visit(session_id, state.seat(), state.store(), state.author())


def _end(visit: Visit) -> None:
    """End a session that did not come back, and give its memory back in a moment: others may end with it."""
    del _ends[visit.session_id]
    if runtime.get_instance().is_active_session(visit.session_id):
        return
    state.leave(visit.seat, visit.store, visit.author)
    runtime.get_instance().close_session(visit.session_id)
    if not _tidying:
        _tidying.append(asyncio.get_running_loop().call_later(_TIDY_SECONDS, _begin_tidying))


def _begin_tidying() -> None:
    """Tidy up beside the event loop."""
    _tidying.clear()
    asyncio.get_running_loop().run_in_executor(None, _tidy)


def _tidy() -> None:
    """Free what sessions held in circles, also what was settled while they were there, and return the pages.

    glibc keeps free pages unless it is told.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
