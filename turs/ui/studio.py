"""The one page: data in the side bar, learning, the state line, the rules."""

from __future__ import annotations

import gc

import streamlit as st

from turs.ui import state
from turs.ui.data_page import draw_data
from turs.ui.frame import draw_state
from turs.ui.rules_page import draw_rules
from turs.ui.theme import apply_style, plain

_WELCOME = """
### Rules that you can read one at a time, and correct

TURS learns probabilistic rules from a table; each stands on its own, and every change shows at once what it costs
in bits and AUC.

1. **Choose data** on the left: a sample, or a file of your own (the last column is taken as target unless you say
   otherwise).
2. **Learn rules**, then edit, delete or add rules as text. Undo brings everything back.

The rows stay on this machine.
"""


def draw() -> None:
    """Draw the application."""
    st.set_page_config(page_title="TURS Studio", layout="wide")
    _settle()
    apply_style()
    draw_data()
    if state.studio().job is not None:
        _draw_progress()
    if state.studio().note:
        st.info(plain(state.studio().note))
    if state.studio().fault:
        st.error(plain(state.studio().fault))
    version = state.present()
    if version is not None:
        draw_state(version)
        draw_rules(version)
    elif state.studio().job is None:
        st.markdown(_WELCOME)


@st.fragment(run_every=0.5)
def _draw_progress() -> None:
    """Draw how far learning is, and take over the result at its end."""
    job = state.studio().job
    if job is None:
        return
    if job.done:
        state.finish_learning()
        st.rerun()
    progress = job.progress
    if progress is None:
        st.progress(0.0, "Learning begins (the first time on a machine takes a little longer) …")
    else:
        where = f"second look at {progress.looking_at}" if progress.looking_at else f"level {progress.level}"
        st.progress(
            progress.covered / max(progress.n_rows, 1),
            plain(
                f"Search {progress.search} of {progress.n_searches}, {where}: {len(progress.rules)} rules cover "
                f"{progress.covered:,} of {progress.n_rows:,} rows, {progress.total_bits:,.1f} bits"
            ),
        )
    label = "Stopping …" if job.stopping else "Stop and keep what was found"
    st.button(label, icon=":material/stop:", key="stop", disabled=job.stopping, on_click=job.stop)


@st.cache_resource
def _settle() -> None:
    """Take what was loaded at the start out of the collections that Streamlit runs after every script."""
    gc.collect()
    gc.freeze()
