"""The Learn page: settings, constraints, and learning as it happens."""

from __future__ import annotations

import streamlit as st

from turs.ui import state
from turs.ui.frame import draw_empty, go
from turs.ui.theme import plain


def draw_learn() -> None:
    """Draw the page."""
    now = state.studio()
    if now.job is not None:
        _draw_progress()
    elif now.study is None:
        draw_empty("There is no table yet", "Begin with a sample, or with a table of your own.", "Data", "Choose data")
    elif st.button("Learn rules", type="primary", key="learn"):
        state.start_learning()
        st.rerun()
    if now.model is not None and st.button("Open the rules", type="primary", key="open-rules"):
        go("Rules")


@st.fragment(run_every=0.5)
def _draw_progress() -> None:
    """Draw how far learning is, and take over the result at its end."""
    job = state.studio().job
    if job is None:
        return
    if job.done:
        state.finish_learning()
        st.rerun()
    if job.progress is not None:
        st.write(plain(f"{len(job.rules)} rules"))
    st.button("Stop and keep what was found", key="stop", disabled=job.stopping, on_click=job.stop)
