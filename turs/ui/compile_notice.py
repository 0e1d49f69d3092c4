"""What a page shows while the kernels are compiled, once on a machine: how far it is, and a way not to wait."""

from __future__ import annotations

from functools import partial

import streamlit as st

from turs.ui import state
from turs.ui.warming import compiled, is_compiling

_TITLE = "Getting ready: the first start on this computer"
_ABOUT = (
    "The code that learns and scores rules is translated for this computer. That takes about a minute, once; this page "
    "goes on by itself."
)


def await_kernels() -> None:
    """Draw how far compiling is, and nothing else of the page, until it is done or somebody does not want to wait."""
    if not is_compiling() or state.chosen("no-waiting"):
        return
    _draw_notice()
    st.stop()


@st.fragment(run_every=0.5)
def _draw_notice() -> None:
    """Draw how far it is, and the page when it is done."""
    if not is_compiling() or state.chosen("no-waiting"):
        st.rerun()
    done, n_kernels = compiled()
    with st.container(border=True, key="compiling"):
        st.html(f'<div class="t-title">{_TITLE}</div><div class="t-line">{_ABOUT}</div>')
        st.progress(done / max(n_kernels, 1), text=f"{done} of about {n_kernels} parts")
        st.button(
            "Do not wait",
            key="no-waiting",
            help="Pages that need a part which is not ready yet are slow until it is",
            on_click=partial(state.choose, "no-waiting", True),
        )
