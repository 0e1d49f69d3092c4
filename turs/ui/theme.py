"""Colours and style sheet: constants only, nothing from data ever gets in here.

Class colours follow Okabe and Ito and differ in lightness too, so that they stay apart for colour-blind readers and in
print. The style sheet names a colour for the light and one for the dark theme.
"""

from __future__ import annotations

from html import escape

import streamlit as st

TWO_CLASSES = ("#9DB8D2", "#C8502F")
MANY_CLASSES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8A900", "#5B4B8A")
OTHER_CLASS = "#8A8F98"

_STYLE = """
<style>
.stMainBlockContainer { padding: 2.4rem clamp(1.5rem, 4vw, 4rem) 4rem; max-width: 84rem; }
[data-testid="stLayoutWrapper"]:has(> .st-key-state) { position: sticky; top: 0; z-index: 20; }
.st-key-state { background: light-dark(#ffffff, #11161d);
  padding: .5rem 0 .3rem; border-bottom: 1px solid light-dark(#e3e8ef, #30363f); }
.t-state { display: grid; grid-template-columns: repeat(auto-fit, minmax(6.4rem, 1fr)); gap: .35rem .6rem; }
.t-state .name { font-size: .78rem; color: light-dark(#5a6675, #a3adba); white-space: nowrap; }
.t-state .value { font-size: 1.35rem; line-height: 1.75rem; font-variant-numeric: tabular-nums; }
.t-state .change { font-size: .74rem; font-variant-numeric: tabular-nums; color: light-dark(#6b7684, #98a2af); }
.t-good { color: light-dark(#0b7a4b, #4cc38a) !important; }
.t-bad { color: light-dark(#b3261e, #ff8f85) !important; }
.t-head { font-size: .86rem; color: light-dark(#5a6675, #a3adba); margin-bottom: .45rem; }
.t-head .id { font-size: 1rem; font-weight: 650; color: light-dark(#16202c, #f2f4f7); margin-right: .35rem; }
.t-head b { font-weight: 650; }
.t-chips { display: flex; flex-wrap: wrap; gap: .35rem; margin-bottom: .6rem; }
.t-chip { font-size: .88rem; line-height: 1.3rem; padding: .14rem .55rem; border-radius: .4rem;
  border: 1px solid light-dark(#d3deeb, #34465c); background: light-dark(#eef3f9, #1b2735);
  color: light-dark(#16202c, #e8edf3); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.t-chip b { font-weight: 650; }
.t-bar { display: flex; height: .72rem; border-radius: .25rem; overflow: hidden; gap: 1px; margin-bottom: .4rem; }
.t-line { font-size: .84rem; color: light-dark(#4c5866, #b3bcc8); font-variant-numeric: tabular-nums; }
.t-line b { color: light-dark(#16202c, #f2f4f7); font-weight: 650; }
.t-legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .84rem; }
.t-legend i { display: inline-block; width: .72rem; height: .72rem; border-radius: .18rem; margin-right: .35rem; }
.t-notes { font-size: .82rem; color: light-dark(#4c5866, #b3bcc8); margin: 0; padding-left: 1rem; }
.t-facts { font-size: .82rem; line-height: 1.45; color: light-dark(#4c5866, #b3bcc8); }
.t-brand { font-size: 1.15rem; font-weight: 680; letter-spacing: .01em; }
.t-title { font-size: 1.15rem; font-weight: 650; }
.t-title small { font-weight: 400; font-size: .86rem; color: light-dark(#5a6675, #a3adba); margin-left: .5rem; }
</style>
"""
_MARKDOWN = frozenset("\\`*_{}[]()#+-.!|<>~$:&")


def apply_style() -> None:
    """Put the style sheet on the page."""
    st.html(_STYLE)


def class_colour(index: int, n_classes: int) -> str:
    """Return the colour of a class, the same everywhere; beyond eight classes the rest is grey."""
    palette = TWO_CLASSES if n_classes == 2 else MANY_CLASSES
    return palette[index] if index < len(palette) else OTHER_CLASS


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
