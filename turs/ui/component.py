"""The parts that run in the browser (`browser/`): Streamlit mounts them, and they answer with one value when used.

They are trusted code and get data as JSON only; what is text in the data stays text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from turs.ui import state

_FOLDER = Path(__file__).parent / "browser"


def rule_list(data: dict[str, Any], key: str, on_chosen: Callable[[dict[str, str]], None]) -> None:
    """Draw the rules as cards or as a table; `on_chosen` is told the rule and the feature that were clicked."""
    _mounted("rules", '<div class="rules"></div>', data, key, "chosen", on_chosen)


def cut_slider(data: dict[str, Any], key: str, on_moved: Callable[[float], None]) -> None:
    """Draw a cut with its distribution and scan; `on_moved` is told where it went."""
    _mounted("cut", _text("cut.html"), data, key, "moved", on_moved)


def level_boxes(data: dict[str, Any], key: str, on_chosen: Callable[[list[str]], None]) -> None:
    """Draw levels to tick; `on_chosen` is told all that are ticked."""
    _mounted("levels", _text("levels.html"), data, key, "chosen", on_chosen)


def column_table(data: dict[str, Any], key: str, on_changed: Callable[[dict[str, Any]], None]) -> None:
    """Draw the columns of a table; `on_changed` is told the column and its new kind or use."""
    _mounted("columns", _text("columns.html"), data, key, "changed", on_changed)


def overlap_view(data: dict[str, Any], key: str, on_chosen: Callable[[list[str]], None]) -> None:
    """Draw the figure, the matrix or the ledger of overlaps; `on_chosen` is told the rules that were clicked."""
    _mounted("overlaps", '<div class="overlaps"></div>', data, key, "chosen", on_chosen)


def edit_log(data: dict[str, Any], key: str, on_chosen: Callable[[int], None]) -> None:
    """Draw the history; `on_chosen` is told the number of the entry to go to."""
    _mounted("history", '<div class="log"></div>', data, key, "chosen", on_chosen)


def remembered_name(data: dict[str, Any], key: str, on_known: Callable[[str], None]) -> None:
    """Keep the name of a person in the browser; `on_known` is told it where the page does not know one."""
    _mounted("name", '<div class="name"></div>', data, key, "known", on_known)


def kept_desk(data: dict[str, Any], key: str, on_back: Callable[[dict[str, Any]], None]) -> None:
    """Keep in the tab what is being changed and looked at; `on_back` is told it after a reload of the page."""
    _mounted("desk", '<div class="desk"></div>', data, key, "back", on_back)


def _mounted(name: str, html: str, data: dict[str, Any], key: str, value: str, told: Callable[[Any], None]) -> None:
    """Mount a part; its value is handed to `told`, whose errors end in a message."""

    @state.guarded
    def changed() -> None:
        result = state.value_of(key)
        given = None if result is None else result.get(value)
        if given is not None:
            told(given)

    _renderer(name, html)(data=data, key=key, **{f"on_{value}_change": changed})


@lru_cache(maxsize=8)
def _text(name: str) -> str:
    """Return the text of a file of the browser parts."""
    return (_FOLDER / name).read_text(encoding="utf-8")


@st.cache_resource
def _renderer(name: str, html: str) -> Callable[..., Any]:
    """Register a part, once a server."""
    return st.components.v2.component(f"turs_{name}", html=html, css=_text(f"{name}.css"), js=_text(f"{name}.js"))
