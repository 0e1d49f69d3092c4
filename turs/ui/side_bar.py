"""The side bar: the pages, learning under way, workspace and model, undo and redo, what the table holds."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import partial
from html import escape

import streamlit as st

from turs.editing import LEARNED, History
from turs.ui import state
from turs.ui.guard import run_guarded
from turs.ui.numbers import rows, share, with_signs
from turs.ui.places import PLACES
from turs.ui.sign_in import draw_sign_out
from turs.ui.study import PARTS
from turs.ui.theme import plain

_NEWS_SECONDS = 4


def draw_side_bar(page: str) -> None:
    """Draw the side bar of a page."""
    with st.sidebar:
        _draw_navigation()
        if state.studio().job is not None and page != "Learn":
            _draw_learning()
        run_guarded(_draw_waiting, "waiting")
        run_guarded(_draw_pickers, "pickers")
        if state.model() is not None:
            _draw_news()
        draw_sign_out()


def _draw_navigation() -> None:
    """Draw the pages in the order of the work."""
    st.page_link("app.py", label="**TURS Studio**")
    with st.container(key="navigation", gap=None):
        for place in PLACES:
            st.page_link(place.path, label=place.name, icon=place.icon, width="stretch")


@st.fragment(run_every=1)
def _draw_learning() -> None:
    """Draw how far learning is, every second."""
    run_guarded(_draw_job, "learning")


def _draw_job() -> None:
    """Draw that rules are being learned, and take them over when they are there."""
    job = state.studio().job
    if job is None:
        return
    if job.done:
        state.finish_learning(show=False)
        st.rerun()
    st.html(f'<div class="t-facts">Learning … {len(job.rules)} rules so far</div>')


def _draw_waiting() -> None:
    """Draw the way to rules that were learned while others were on screen, until they are opened."""
    found = next((part for part in state.models() if part.record.id == state.studio().waiting), None)
    if found is None:
        return
    with st.container(border=True, key="waiting"):
        st.html(f'<div class="t-line" role="status">New rules were learned: {escape(found.label)}</div>')
        take = partial(state.guarded(state.open_model), found.record.id)
        st.button("Open them", key="open-waiting", icon=":material/arrow_forward:", on_click=take)


@st.fragment(run_every=_NEWS_SECONDS)
def _draw_news() -> None:
    """Look every few seconds whether there is news."""
    run_guarded(_draw_new_edits, "news")


def _draw_new_edits() -> None:
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
    _draw_undo(now.model.session.history)
    study = now.model.study
    n_rows = len(study.table.frame)
    schema = study.schema
    test = "test, opened" if state.openings() else "sealed test"
    facts = [
        f"{rows(n_rows)}, {len(schema.features):,} features",
        f"{len(schema.classes):,} classes",
        *(f"{test if part == 'test' else part} {share(study.n_rows(part) / max(n_rows, 1))}" for part in PARTS),
    ]
    st.html(f'<div class="t-facts">{"<br>".join(facts)}</div>')


def _draw_undo(history: History) -> None:
    """Draw undo and redo; the pointer shows which edit they are about."""
    with st.container(horizontal=True, key="undo-redo", gap="small"):
        for label, number, step in (
            ("Undo", history.cursor if history.can_undo else LEARNED, state.undo),
            ("Redo", history.redone if history.can_redo else LEARNED, state.redo),
        ):
            key, there = label.lower(), number != LEARNED
            about = plain(f"{label}: {with_signs(history.entry(number).description)}") if there else None
            icon = f":material/{key}:"
            st.button(label, icon=icon, key=key, disabled=not there, on_click=step, help=about)


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
        help=plain(saved[now]) if now in saved else None,
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
