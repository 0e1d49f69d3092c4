"""The Rules page: the workbench."""

from __future__ import annotations

import streamlit as st

from turs.rules.text import format_condition
from turs.ui.opened import OpenModel
from turs.ui.theme import plain


def draw_rules(model: OpenModel) -> None:
    """Draw the page."""
    version = model.session.version
    for rule in version.rules:
        st.write(plain(f"{rule.id} {format_condition(rule.literals, version.grid)}"))
