"""The style sheet, the key of class colours, and text from data made harmless.

The style sheet names a colour for the light and one for the dark theme; classes have theirs from `turs.page`.
"""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from pathlib import Path

import streamlit as st

from turs.page import MANY_CLASSES, class_paint

_SHEET = Path(__file__).parent / "browser" / "page.css"
MOST_NAMED = 6
"""Classes up to which the key of colours spells all names out."""
_MARKDOWN = frozenset("\\`*_{}[]()#+-.!|<>~$:&")


def apply_style() -> None:
    """Put the style sheet on the page."""
    st.html(_SHEET)


def class_colours(n_classes: int) -> list[str]:
    """Return the colours of all classes, as backgrounds."""
    return [class_paint(index, n_classes).background for index in range(n_classes)]


def class_fills(n_classes: int) -> list[dict[str, str | int]]:
    """Return the colours of all classes for a figure in SVG, with the stripes of those beyond the plain ones."""
    return [asdict(class_paint(index, n_classes)) for index in range(n_classes)]


def legend(classes: tuple[str, ...]) -> str:
    """Return the class colours as markup; where there are many classes, their names open with a click."""
    n = len(classes)
    marks = [
        f'<i style="background:{colour}" title="{escape(label)}"></i>'
        for colour, label in zip(class_colours(n), classes, strict=True)
    ]
    items = "".join(f"<span>{mark}{escape(label)}</span>" for mark, label in zip(marks, classes, strict=True))
    if n <= MOST_NAMED:
        return f'<div class="t-legend">{items}</div>'
    repeated = "; after twelve, colours come again in stripes" if n > len(MANY_CLASSES) else ""
    return (
        f'<details class="t-key"><summary>{"".join(marks)} names of the {n} classes{repeated}</summary>'
        f'<div class="t-legend">{items}</div></details>'
    )


def plain(text: str) -> str:
    """Return text for Streamlit's markdown such that no link, picture or formula comes of it."""
    return "".join(f"\\{char}" if char in _MARKDOWN else char for char in " ".join(text.split()))
