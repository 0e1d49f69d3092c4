"""The Rules page, the workbench: the rules on the left, the selected one under the hands of a person on the right."""

from __future__ import annotations

import streamlit as st

from turs.ui import state
from turs.ui.bench import draw_selected
from turs.ui.guard import fragment
from turs.ui.opened import OpenModel
from turs.ui.rule_list import draw_list


def draw_rules(model: OpenModel) -> None:
    """Draw the page."""
    if state.take_refresh():
        st.rerun()
    _draw_both(model)


@fragment
def _draw_both(model: OpenModel) -> None:
    """Draw the list and the workbench."""
    view = state.remembered("view", "Cards")
    left, right = st.columns((5, 7), gap="medium") if view == "Cards" else (st.container(), st.container())
    with left, st.container(key="list"):
        draw_list(model, view)
    with right:
        draw_selected(model)
