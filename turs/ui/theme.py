"""Colours, the style sheet, and text from data made harmless.

Class colours follow Okabe and Ito and differ in lightness too, so that they stay apart for colour-blind readers and in
print. The style sheet names a colour for the light and one for the dark theme.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

TWO_CLASSES = ("#9DB8D2", "#C8502F")
MANY_CLASSES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8A900", "#5B4B8A")
OTHER_CLASS = "#8A8F98"

_SHEET = Path(__file__).parent / "browser" / "page.css"
_MARKDOWN = frozenset("\\`*_{}[]()#+-.!|<>~$:&")


def apply_style() -> None:
    """Put the style sheet on the page."""
    st.html(_SHEET)


def class_colour(index: int, n_classes: int) -> str:
    """Return the colour of a class, the same everywhere; beyond eight classes the rest is grey."""
    palette = TWO_CLASSES if n_classes == 2 else MANY_CLASSES
    return palette[index] if index < len(palette) else OTHER_CLASS


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
