"""The style sheet, the key of class colours, and text from data made harmless.

The style sheet names a colour for the light and one for the dark theme; classes have theirs from `turs.page`.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from turs.page import class_colour

_SHEET = Path(__file__).parent / "browser" / "page.css"
MOST_NAMED = 6
"""Classes up to which the key of colours spells all names out."""
_MARKDOWN = frozenset("\\`*_{}[]()#+-.!|<>~$:&")


def apply_style() -> None:
    """Put the style sheet on the page."""
    st.html(_SHEET)


def class_colours(n_classes: int) -> list[str]:
    """Return the colours of all classes."""
    return [class_colour(index, n_classes) for index in range(n_classes)]


def legend(classes: tuple[str, ...]) -> str:
    """Return the class colours as markup; where there are many classes, their names open with a click."""
    n = len(classes)
    marks = [
        f'<i style="background:{class_colour(index, n)}" title="{escape(label)}"></i>'
        for index, label in enumerate(classes)
    ]
    items = "".join(f"<span>{mark}{escape(label)}</span>" for mark, label in zip(marks, classes, strict=True))
    if n <= MOST_NAMED:
        return f'<div class="t-legend">{items}</div>'
    return (
        f'<details class="t-key"><summary>{"".join(marks)} names of the {n} classes</summary>'
        f'<div class="t-legend">{items}</div></details>'
    )


def plain(text: str) -> str:
    """Return text for Streamlit's markdown such that no link, picture or formula comes of it."""
    return "".join(f"\\{char}" if char in _MARKDOWN else char for char in " ".join(text.split()))
