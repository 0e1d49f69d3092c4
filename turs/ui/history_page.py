"""The History page: what was done to the rules, by whom and why; the way to any version, and out into files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from turs.ui import state
from turs.ui.compare_panel import draw_compare
from turs.ui.component import edit_log
from turs.ui.export_panel import draw_export
from turs.ui.guard import fragment
from turs.ui.history_view import log_data, log_of, log_table
from turs.ui.opened import OpenModel
from turs.ui.sealed import draw_test
from turs.ui.table import download

_ABOUT = "Nothing is ever lost: go back to any entry, and an edit made there begins a branch beside what came after it."


def draw_history(model: OpenModel) -> None:
    """Draw the page."""
    openings = state.openings()
    left, right = st.columns((7, 5), gap="medium")
    with left, st.container(border=True, key="log"):
        st.html(f'<div class="t-title">Log<small>the latest first</small></div><div class="t-line">{_ABOUT}</div>')
        lines = log_of(model, openings, state.model_record())
        edit_log(log_data(lines), "edit-log", state.jump)
        download(log_table(lines), "history.csv", "history-csv", "Log as CSV")
    with right, st.container(border=True, key="mark"):
        _draw_marks(model)
    with right, st.container(border=True, key="export"):
        _draw_export(model)
    with right, st.container(border=True, key="test-part"):
        draw_test(model, openings)
    with left, st.container(border=True, key="compare"):
        _draw_compare(model)  # last: its interval of the AUC is the only thing here that may take a second


_draw_compare = fragment(draw_compare)
_draw_export = fragment(draw_export)


def _draw_marks(model: OpenModel) -> None:
    """Draw what names the present version, and what copies it."""
    st.html('<div class="t-title">This version</div>')
    name, branch = partial(_name, model.session.history.n_steps), partial(_branch, model.id)
    _draw_name("Name this version, to find it again", "checkpoint", "Name it", ":material/bookmark:", name)
    _draw_name("Or go on in a branch of its own, called", "branch", "Branch", ":material/alt_route:", branch)
    st.html(
        '<div class="t-line">A branch is a copy with the whole history: edits there leave this one as it is. Both are '
        "in the list of models at the side.</div>"
    )
    st.button(
        "Put this model away",
        key="put-away",
        icon=":material/inventory_2:",
        help="It leaves the lists; nothing of it is deleted, and the first page brings it back.",
        on_click=partial(_put_away, model.id),
    )


def _draw_name(label: str, key: str, button: str, icon: str, on_click: Callable[[], None]) -> None:
    """Draw a field for a name with its button; Enter presses it."""
    line = st.form(f"{key}-form", border=False, clear_on_submit=True)
    with line, st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(label, key=f"{key}-name", max_chars=120)
        st.form_submit_button(button, icon=icon, on_click=on_click)


@state.guarded
def _name(steps: int) -> None:
    """Name the present version, unless a step was made since the form was drawn: the click before named it."""
    if state.session().history.n_steps != steps:
        return
    name = str(state.value_of("checkpoint-name") or "").strip()
    if not name:
        state.tell("note", "Write a name into the field first: nothing was named.")
        return
    state.checkpoint(name)
    state.tell("note", f"This version is called '{name}' now.")


@state.guarded
def _put_away(origin: str) -> None:
    """Put the model away, unless the click before did."""
    found = state.model()
    if found is None or found.id != origin:
        return
    state.put_away()
    state.tell("note", f"'{found.label}' is put away. The first page has it under 'Put away'.")


@state.guarded
def _branch(origin: str) -> None:
    """Go on in a branch, unless the click before did."""
    if state.model_id() != origin:
        return
    name = str(state.value_of("branch-name") or "").strip()
    if not name:
        state.tell("note", "Write a name into the field first: no branch was made.")
        return
    state.branch(name)
    state.tell("note", f"You are in the branch '{name}' now. The one it began from is in the list of models.")
