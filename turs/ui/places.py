"""The pages of the application in the order of the work, and the way to each."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True)
class Place:
    """A page of the application."""

    name: str
    path: str
    icon: str


PLACES = (
    Place("Data", "pages/1_Data.py", ":material/table:"),
    Place("Learn", "pages/2_Learn.py", ":material/model_training:"),
    Place("Rules", "pages/3_Rules.py", ":material/rule:"),
    Place("Overlaps", "pages/4_Overlaps.py", ":material/join_inner:"),
    Place("Stability", "pages/5_Stability.py", ":material/casino:"),
    Place("Explain", "pages/6_Explain.py", ":material/person_search:"),
    Place("History", "pages/7_History.py", ":material/history:"),
)
PATHS = {"Start": "app.py"} | {place.name: place.path for place in PLACES}


def go(place: str) -> None:
    """Go to a page."""
    st.switch_page(PATHS[place])
