"""The values that a browser session holds, and the only module that touches Streamlit's session state.

A change is one assignment of finished values, because a new click may end a script at any line that asks Streamlit for
something, in a callback as well. `at_the_seat` asks for the seat once, before anything is done: what is begun there is
ended, and a second click waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec

import streamlit as st

from turs.errors import TursError
from turs.ui.studio import Message, Seat, Studio

_KEY = "seat"
_held: ContextVar[Seat | None] = ContextVar("held", default=None)
P = ParamSpec("P")


def seat() -> Seat:
    """Return the place of this session."""
    held = _held.get()
    if held is not None:
        return held
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Seat()
    found: Seat = st.session_state[_KEY]
    return found


@contextmanager
def at_the_seat() -> Iterator[None]:
    """Do several things as one: no new click ends it half way, and those of the same session wait for its end."""
    place = seat()
    with place.lock:
        token = _held.set(place)
        try:
            yield
        finally:
            _held.reset(token)


def studio() -> Studio:
    """Return the state of this session."""
    return seat().studio


def change(**parts: Any) -> None:
    """Replace parts of the state, all at once."""
    seat().studio = replace(studio(), **parts)


def value_of(key: str) -> Any:
    """Return the value of a widget, for its callback."""
    return st.session_state.get(key)


def guarded(callback: Callable[P, None]) -> Callable[P, None]:
    """Return a callback that tells what went wrong instead of breaking the page; nothing is changed then.

    It runs as one: see `at_the_seat`.
    """

    @wraps(callback)
    def safe(*args: P.args, **kwargs: P.kwargs) -> None:
        with at_the_seat():
            try:
                callback(*args, **kwargs)
            except TursError as error:
                tell("fault", str(error))
            except Exception as error:  # a callback has no other place to show it
                tell("fault", f"That did not work ({type(error).__name__}: {error}). Nothing was changed.")

    return safe


def tell(kind: str, text: str) -> None:
    """Leave a message for the next page that is drawn."""
    change(message=Message(kind, text))


def take_message() -> Message | None:
    """Return the message and forget it."""
    message = studio().message
    if message is not None:
        change(message=None)
    return message


def refresh() -> None:
    """Ask for the whole page to be drawn again."""
    change(is_stale=True)


def take_refresh() -> bool:
    """Return whether the whole page has to be drawn again, and forget it."""
    stale = studio().is_stale
    if stale:
        change(is_stale=False)
    return stale


def close(key: str) -> None:
    """Close a menu, in a callback."""
    st.session_state[key] = False


def remember(name: str) -> None:
    """Keep the value of a widget beyond its page."""
    st.session_state[f"remembered-{name}"] = st.session_state.get(name)


def remembered(name: str, default: str) -> str:
    """Return a value that was kept."""
    return str(st.session_state.get(f"remembered-{name}") or default)


def choose(name: str, value: object) -> None:
    """Keep what a page looks at, beyond the page."""
    st.session_state[f"chosen-{name}"] = value


def chosen(name: str) -> Any:
    """Return what a page looks at; None where nothing was chosen."""
    return st.session_state.get(f"chosen-{name}")
