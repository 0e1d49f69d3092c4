"""What every page has around its content: navigation, the state of the model in one line, undo and redo, errors."""

from __future__ import annotations

import gc
import logging
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from html import escape
from typing import ParamSpec

import streamlit as st

from turs.ui import state
from turs.ui.headline import headline_markup
from turs.ui.numbers import rows
from turs.ui.opened import OpenModel
from turs.ui.sign_in import draw_sign_out, require_sign_in
from turs.ui.study import PARTS
from turs.ui.theme import apply_style, plain
from turs.ui.warming import start_warming

_log = logging.getLogger(__name__)
P = ParamSpec("P")


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
_NEWS_SECONDS = 4
_PART_WORDS = {"training": "training", "validation": "validation", "test": "sealed test"}
_WAYS = {
    "mine": "Take theirs over, then make mine",
    "theirs": "Take theirs over, forget mine",
    "branch": "Go on with mine in a branch",
}
PATHS = {"Start": "app.py"} | {place.name: place.path for place in PLACES}


def draw_page(name: str, body: Callable[[], None]) -> None:
    """Draw the frame and a page that needs no model."""
    _begin(name)
    _draw_state()
    with st.container(key=f"page-{name}"):
        run_guarded(body)


def draw_model_page(name: str, body: Callable[[OpenModel], None]) -> None:
    """Draw the frame and a page about the rules; where there are none yet, the way to them."""
    _begin(name)
    _draw_state()
    model = state.model()
    if model is not None:
        with st.container(key=f"page-{name}"):
            run_guarded(lambda: body(model))
    elif state.studio().job is not None:
        draw_empty("The rules are being learned", "They can be read and edited here in a moment.", "Learn", "Watch")
    elif state.studio().study is not None:
        draw_empty("There are no rules yet", "The table is ready: learn rules from it.", "Learn", "Learn rules")
    else:
        draw_empty("There is no table yet", "Begin with a sample, or with a table of your own.", "Data", "Choose data")


def draw_empty(title: str, text: str, place: str, label: str) -> None:
    """Draw what a page says where it has nothing to show, with the way on."""
    with st.container(border=True, key="empty"):
        st.html(f'<div class="t-title">{title}</div><div class="t-line">{text}</div>')
        if st.button(label, type="primary", icon=":material/arrow_forward:", key="way-on"):
            go(place)


def go(place: str) -> None:
    """Go to a page."""
    st.switch_page(PATHS[place])


def fragment(body: Callable[P, None]) -> Callable[P, None]:
    """Return a part of a page that is drawn again on its own; its errors are told in its place."""

    @wraps(body)
    def part(*args: P.args, **kwargs: P.kwargs) -> None:
        run_guarded(lambda: body(*args, **kwargs), body.__name__)

    drawn: Callable[P, None] = st.fragment(part)
    return drawn


def draw_message() -> None:
    """Draw what the last click left to be told."""
    message = state.take_message()
    if message is not None:
        (st.error if message.kind == "fault" else st.info)(plain(message.text))


def run_guarded(body: Callable[[], None], place: str = "page") -> None:
    """Run a part of a page; an unexpected error is told in its place, with a way on.

    Parameters
    ----------
    body : callable
        Draws the part.
    place : str
        Tells the parts of a page apart.
    """
    try:
        body()
    except Exception as error:  # whatever it is, the user gets a way on and the log the details
        _log.exception("A part of the page failed")
        _draw_fault(error, place)


def _draw_fault(error: Exception, place: str) -> None:
    """Say what happened, that nothing is lost, and how to go on."""
    with st.container(border=True, key=f"fault-{place}"):
        st.error(f"This part of the page could not be drawn: {plain(str(error) or type(error).__name__)}")
        st.html('<div class="t-line">Nothing is lost: your rules and all edits are as they were.</div>')
        with st.container(horizontal=True):
            st.button("Try again", icon=":material/refresh:", key=f"again-{place}")
            st.page_link(PATHS["Rules"], label="Go to the rules", icon=":material/rule:")
            st.page_link(PATHS["Data"], label="Go to the data", icon=":material/table:")


def _begin(name: str) -> None:
    """Set the page up and draw the side bar."""
    st.set_page_config(page_title=f"{name} · TURS Studio", layout="wide")
    _settle()
    apply_style()
    require_sign_in()
    run_guarded(state.come_back, "address")
    with st.sidebar:
        _draw_navigation()
        if state.studio().job is not None and name != "Learn":
            _draw_learning()
        run_guarded(_draw_pickers, "pickers")
        if state.model() is not None:
            _draw_news()
        draw_sign_out()
    if state.store_trouble():
        st.warning(plain(state.store_trouble()))
    draw_message()
    _draw_conflict()


def _draw_navigation() -> None:
    """Draw the pages in the order of the work."""
    st.page_link("app.py", label="**TURS Studio**")
    with st.container(key="navigation", gap=None):
        for place in PLACES:
            st.page_link(place.path, label=place.name, icon=place.icon, width="stretch")


@st.fragment(run_every=1)
def _draw_learning() -> None:
    """Draw that rules are being learned, and take them over when they are there."""
    job = state.studio().job
    if job is None:
        return
    if job.done:
        state.finish_learning(show=False)
        st.rerun()
    st.html(f'<div class="t-facts">Learning … {len(job.rules)} rules so far</div>')


@st.fragment(run_every=_NEWS_SECONDS)
def _draw_news() -> None:
    """Draw that colleagues changed the rules on screen; they show when asked for, so nothing moves under a hand."""
    authors = state.news()
    if authors:
        with st.container(border=True, key="news"):
            st.html(f'<div class="t-line" role="status">{escape(news_words(authors))}</div>')
            if st.button("Show", key="show-news", icon=":material/sync:"):
                state.take_news()
                st.rerun()


def news_words(authors: Sequence[str]) -> str:
    """Return how many new edits there are, and by whom; those without a name come from another window."""
    names = list(dict.fromkeys(filter(None, authors)))
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
    return (
        f"{len(authors)} new edit{'' if len(authors) == 1 else 's'} {f'by {listed}' if names else 'in another window'}"
    )


def _draw_pickers() -> None:
    """Draw the model that is open, undo and redo, and what the table holds."""
    st.divider()
    _draw_workspace()
    _draw_models()
    now = state.studio()
    if now.model is None:
        return
    history = now.model.session.history
    with st.container(horizontal=True, key="undo-redo", gap="small"):
        st.button("Undo", icon=":material/undo:", key="undo", disabled=not history.can_undo, on_click=state.undo)
        st.button("Redo", icon=":material/redo:", key="redo", disabled=not history.can_redo, on_click=state.redo)
    study = now.model.study
    n_rows = len(study.table.frame)
    schema = study.schema
    facts = [
        f"{rows(n_rows)}, {len(schema.features):,} features",
        f"{len(schema.classes):,} classes",
        *(f"{_PART_WORDS[part]} {study.n_rows(part) / max(n_rows, 1):.0%}" for part in PARTS),
    ]
    st.html(f'<div class="t-facts">{"<br>".join(facts)}</div>')


def _draw_workspace() -> None:
    """Draw the workspace that is open, and the way to another one."""
    now, names = state.workspace().name, [part.name for part in state.store().workspaces()]
    names = names if now in names else [now, *names]
    key = f"workspace-{now}-{len(names)}"
    st.selectbox(
        "Workspace",
        names,
        index=names.index(now),
        key=key,
        accept_new_options=True,
        help="Choose another one, or type a new name",
        on_change=partial(_change_workspace, key),
    )


def _draw_models() -> None:
    """Draw the models of the workspace."""
    saved = {part.record.id: part.label for part in state.models()}
    if not saved:
        return
    now = state.model_id()
    labels = "\n".join(saved.values()).encode("utf-8", "surrogatepass")
    key = f"models-{now}-{zlib.crc32(labels):08x}"  # made of the labels: a box keeps the label, not what it stands for
    st.selectbox(
        "Model",
        list(saved),
        index=list(saved).index(now) if now in saved else None,
        format_func=saved.__getitem__,
        placeholder="Open one",
        key=key,
        on_change=partial(_change_model, key),
    )


@state.guarded
def _change_workspace(key: str) -> None:
    """Go to another workspace."""
    name = state.value_of(key)
    if name:
        state.use_workspace(name)


@state.guarded
def _change_model(key: str) -> None:
    """Open another model."""
    chosen = state.value_of(key)
    if chosen:
        state.open_model(chosen)


def _draw_conflict() -> None:
    """Draw the ways on where a colleague was faster."""
    model = state.model()
    if model is None or model.session.refused is None:
        return
    with st.container(border=True, key="conflict"):
        st.warning("A colleague changed these rules at the same time: your last change was not made yet.")
        with st.container(horizontal=True):
            for way, label in _WAYS.items():
                st.button(label, key=f"conflict-{way}", on_click=partial(state.settle_conflict, way))


def _draw_state() -> None:
    """Draw the state of the model in one line."""
    model = state.model()
    if model is None:
        return
    with st.container(key="state"):
        st.html(headline_markup(model.headline, model.headline_before, model.headline_learned, model.last_edit))


@st.cache_resource
def _settle() -> None:
    """Load the kernels, and take what was loaded out of the collections that Streamlit runs after every script."""
    start_warming()
    gc.collect()
    gc.freeze()
