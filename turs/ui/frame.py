"""What every page has around its content: the side bar, messages, conflicts, the state of the model in one line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

import streamlit as st

from turs.ui import state
from turs.ui.compile_notice import await_kernels
from turs.ui.draft_bar import draw_pending
from turs.ui.guard import draw_message, run_guarded
from turs.ui.headline import headline_markup
from turs.ui.opened import OpenModel
from turs.ui.places import go
from turs.ui.presence import note_presence, settle_memory
from turs.ui.saved_list import draw_saved
from turs.ui.side_bar import draw_side_bar
from turs.ui.sign_in import require_sign_in
from turs.ui.table_choice import draw_reading
from turs.ui.theme import apply_style, plain
from turs.ui.warming import start_warming

_WAYS = {
    "mine": "Make mine on top of the others",
    "theirs": "Take the others, forget mine",
    "branch": "Go on with mine in a branch",
}


def draw_page(name: str, body: Callable[[], None]) -> None:
    """Draw the frame and a page that needs no model."""
    _begin(name)
    run_guarded(_draw_state, "state")
    if name != "Rules":
        run_guarded(draw_pending, "pending")
    with st.container(key=f"page-{name}"):
        run_guarded(body)


def draw_model_page(name: str, body: Callable[[OpenModel], None]) -> None:
    """Draw the frame and a page about the rules; where there are none yet, the way to them."""
    _begin(name)
    run_guarded(_draw_state, "state")
    if name != "Rules":
        run_guarded(draw_pending, "pending")
    model = state.model()
    if model is not None:
        with st.container(key=f"page-{name}"):
            run_guarded(lambda: body(model))
    elif state.studio().job is not None:
        draw_empty("The rules are being learned", "They can be read and edited here in a moment.", "Learn", "Watch")
    elif state.studio().reading is not None:
        draw_reading()
    elif state.studio().study is not None:
        draw_no_rules(name)
    else:
        draw_no_table(name)


def draw_no_rules(page: str) -> None:
    """Draw what a page says where a table has no rules on the screen: the way to some; after others left, to those."""
    text = "The table is ready: learn rules from it."
    if state.studio().preparation is None and draw_saved(page):
        draw_empty("Or learn new rules", text, "Learn", "Learn rules", is_first=False)
    else:
        draw_empty("There are no rules yet", text, "Learn", "Learn rules")


def draw_no_table(page: str) -> None:
    """Draw what a page says where there is no table: the models from before, and the way to new ones."""
    text = "Begin with a sample, or with a table of your own."
    if draw_saved(page):
        draw_empty("Or begin anew", text, "Data", "Choose data", is_first=False)
    else:
        draw_empty("There is no table yet", text, "Data", "Choose data")


def draw_empty(title: str, text: str, place: str, label: str, *, is_first: bool = True) -> None:
    """Draw what a page says where it has nothing to show, with the way on; another way may come first."""
    with st.container(border=True, key="empty"):
        st.html(f'<div class="t-title">{title}</div><div class="t-line">{text}</div>')
        if st.button(label, type="primary" if is_first else "secondary", icon=":material/arrow_forward:", key="way-on"):
            go(place)


def _begin(name: str) -> None:
    """Set the page up and draw the side bar."""
    st.set_page_config(page_title=f"{name} · TURS Studio", layout="wide")
    _settle()
    note_presence()
    apply_style()
    require_sign_in()
    await_kernels()
    run_guarded(state.come_back, "address")
    draw_side_bar(name)
    with st.container():  # there also when empty: a page that moves up draws its fields anew, and loses an upload
        run_guarded(_draw_trouble, "store")
        run_guarded(_draw_conflict, "conflict")
        draw_message()


def _draw_trouble() -> None:
    """Draw what the user should know about the store."""
    trouble = state.store_trouble()
    if trouble:
        st.warning(plain(trouble))


def _draw_conflict() -> None:
    """Draw the ways on where other changes came first."""
    model = state.model()
    if model is None or model.session.refused is None:
        return
    with st.container(border=True, key="conflict"):
        draw_message()
        st.html('<div class="t-line">Your last change is not made yet, because others came first. Go on how?</div>')
        with st.container(horizontal=True):
            for way, label in _WAYS.items():
                st.button(label, key=f"conflict-{way}", on_click=partial(state.settle_conflict, way))


def _draw_state() -> None:
    """Draw the state of the model in one line."""
    model = state.model()
    if model is None:
        return
    if state.studio().is_of_another_table:
        st.html(
            f'<div class="t-line">These numbers are those of <b>{escape(model.label)}</b>, not of the new table.</div>'
        )
    with st.container(key="state"):
        st.html(headline_markup(model.headline, model.headline_before, model.headline_learned, model.last_edit))


@st.cache_resource
def _settle() -> None:
    """Do once what a server does at its start."""
    start_warming()
    settle_memory()
