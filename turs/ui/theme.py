"""The style sheet, the key of class colours, and text from data made harmless.

The style sheet names a colour for the light and one for the dark theme; classes have theirs from `turs.page`.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from turs.page import class_colour

_SHEET = Path(__file__).parent / "browser" / "page.css"
_MARKDOWN = frozenset("\\`*_{}[]()#+-.!|<>~$:&")


def apply_style() -> None:
    """Put the style sheet on the page."""
    st.html(_SHEET)


def class_colours(n_classes: int) -> list[str]:
    """Return the colours of all classes."""
    return [class_colour(index, n_classes) for index in range(n_classes)]


def legend(classes: tuple[str, ...]) -> str:
    """Return the class colours as markup."""
    n = len(classes)
    items = (
        f'<span><i style="background:{class_colour(index, n)}"></i>{escape(label)}</span>'
        for index, label in enumerate(classes)
    )
    return f'<div class="t-legend">{"".join(items)}</div>'


def plain(text: str) -> str:
    """Return text for Streamlit's markdown such that no link, picture or formula comes of it."""
    return "".join(f"\\{char}" if char in _MARKDOWN else char for char in " ".join(text.split()))
