"""The state of a session, and the only module that touches Streamlit's session state.

A change is one assignment of finished values, because a new click may end a script at any line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec

import streamlit as st

from turs.data import Table
from turs.editing import Edit, Rows
from turs.errors import StorageError, TursError, UnsavedError
from turs.learn.settings import Constraints, Settings
from turs.storage import Opening, Store, StoredSession, Workspace
from turs.storage.location import DATABASE_VARIABLE, FOLDER_VARIABLE
from turs.ui.library import Saved, first_workspace, open_saved, open_store, save_learned, saved_models
from turs.ui.opened import OpenModel
from turs.ui.studio import Message, Selection, Studio
from turs.ui.study import Plan, Study, study_of
from turs.ui.worker import Job

NEW_RULE = "new"
"""What is selected while a rule is being made."""

_KEY = "studio"
_ADDRESS = "model"
P = ParamSpec("P")


def studio() -> Studio:
    """Return the state of this session."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Studio()
    state: Studio = st.session_state[_KEY]
    return state


def _change(**parts: Any) -> None:
    """Replace parts of the state, all at once."""
    st.session_state[_KEY] = replace(studio(), **parts)


def value_of(key: str) -> Any:
    """Return the value of a widget, for its callback."""
    return st.session_state.get(key)


def guarded(callback: Callable[P, None]) -> Callable[P, None]:
    """Return a callback that tells what went wrong instead of breaking the page; nothing is changed then."""

    @wraps(callback)
    def safe(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            callback(*args, **kwargs)
        except TursError as error:
            tell("fault", str(error))
        except Exception as error:  # a callback has no other place to show it
            tell("fault", f"That did not work ({type(error).__name__}: {error}). Nothing was changed.")

    return safe


def tell(kind: str, text: str) -> None:
    """Leave a message for the next page that is drawn."""
    _change(message=Message(kind, text))


def take_message() -> Message | None:
    """Return the message and forget it."""
    message = studio().message
    if message is not None:
        _change(message=None)
    return message


def author() -> str:
    """Return who is signed in; empty where nobody has to."""
    user = st.user
    return str(user.get("name") or user.get("email") or "") if user.get("is_logged_in") else ""


# ---- the table


def use_table(name: str, table: Table) -> None:
    """Take over a table that was read; its last column is the target unless somebody says otherwise."""
    target = str(table.frame.columns[-1])
    name = name.split(".")[0] or name
    _change(name=name, table=table, **_planned(name, table, Plan(target)))


def use_plan(plan: Plan) -> None:
    """Take over what was decided about the table; where it cannot be done, the plan from before stays."""
    now = studio()
    if now.table is None or plan == now.plan:
        return
    parts = _planned(now.name, now.table, plan, now.study)
    if parts["study"] is None and now.study is not None and plan.target == now.study.plan.target:
        raise TursError(parts["fault"])
    _change(**parts)


def study() -> Study:
    """Return the table in three parts."""
    found = studio().study
    if found is None:
        raise TursError("There is no table to learn from: choose one on the Data page.")
    return found


def _planned(name: str, table: Table, plan: Plan, before: Study | None = None) -> dict[str, Any]:
    """Return the parts of the state that follow from a plan; `before` is the study that it changes."""
    try:
        return {"plan": plan, "study": study_of(name, table, plan, before), "fault": ""}
    except TursError as error:
        return {"plan": plan, "study": None, "fault": str(error)}


# ---- learning


def start_learning(settings: Settings | None = None, constraints: Constraints | None = None) -> None:
    """Learn in the background; learning that is under way ends."""
    rows, before = study(), studio().job
    if before is not None:
        before.stop()
    _change(job=Job(rows, settings, constraints))


def finish_learning(*, show: bool) -> None:
    """Take over what learning gave, if it is done.

    Parameters
    ----------
    show : bool
        Whether the new rules come on the screen; otherwise only where there are none yet.
    """
    job, now = studio().job, studio()
    if job is None or not job.done:
        return
    if job.error is not None or job.learned is None:
        fault = f"Learning failed: {job.error}. The rules from before are untouched."
        _change(job=None, message=Message("fault", fault))
        return
    found = save_learned(store(), workspace(), job, job.learned, author())
    parts: dict[str, Any] = {"job": None}
    if show or now.model is None:
        note = "The search was stopped before it was done; what it had found is kept." if job.learned.stopped else ""
        parts |= {"model": found, "selection": Selection(), "draft": None}
    else:
        note = f"New rules were learned: choose '{found.name}' in the side bar to open them."
    _change(**parts, message=Message("note", note) if note else now.message)


# ---- the store


def store() -> Store:
    """Return the store of workspaces, one for all sessions of the server."""
    return _opened_store(os.environ.get(DATABASE_VARIABLE, ""), os.environ.get(FOLDER_VARIABLE, ""))[0]


def store_trouble() -> str:
    """Return what the user should know about the store; empty where all is well."""
    return _opened_store(os.environ.get(DATABASE_VARIABLE, ""), os.environ.get(FOLDER_VARIABLE, ""))[1]


@st.cache_resource(max_entries=4)
def _opened_store(database: str, folder: str) -> tuple[Store, str]:
    """Open the store that the environment names."""
    return open_store()


def workspace() -> Workspace:
    """Return the workspace that new models go to."""
    found = studio().workspace
    if found is None:
        found = first_workspace(store())
        _change(workspace=found)
    return found


def use_workspace(name: str) -> None:
    """Go to another workspace, which is made where there is none of that name."""
    known = {found.name: found for found in store().workspaces()}
    _change(workspace=known.get(name) or store().add_workspace(name), model=None, selection=Selection(), draft=None)


def models() -> list[Saved]:
    """Return the models of the workspace."""
    return saved_models(store(), workspace())


# ---- the model


def open_model(session_id: str) -> None:
    """Put a model of the store on the screen, with its table."""
    if studio().model is not None and model_id() == session_id:
        return
    found = open_saved(store(), session_id, author())
    place = next((part for part in store().workspaces(archived=True) if part.id == found.workspace), None)
    _change(
        model=found,
        selection=Selection(),
        draft=None,
        workspace=place,
        name=found.study.name,
        table=found.study.table,
        plan=found.study.plan,
        study=found.study,
        fault="",
    )


def come_back() -> None:
    """Open the model that the address of the page names, after a reload; keep the address up to date otherwise."""
    now = studio().model
    wanted = st.query_params.get(_ADDRESS)
    if now is not None:
        if wanted != now.id:
            st.query_params[_ADDRESS] = now.id
    elif wanted:
        try:
            open_model(wanted)
        except TursError as error:
            del st.query_params[_ADDRESS]
            tell("fault", f"The model in the address cannot be opened: {error}")


def model() -> OpenModel | None:
    """Return the model on screen."""
    return studio().model


def model_id() -> str:
    """Return the id of the model on screen; empty where there is none."""
    found = studio().model
    return "" if found is None else found.id


def session() -> StoredSession:
    """Return the editing session of the model on screen."""
    found = studio().model
    if found is None:
        raise TursError("There are no rules yet: learn some first.")
    return found.session


def keep(edit: Edit, note: str = "") -> None:
    """Make an edit, forget the draft and look at the rule that it made, if any.

    An edit that the store could not take yet is made all the same.
    """
    before = session().version.ids
    try:
        session().apply(edit, author=author(), note=note)
    except UnsavedError as error:
        tell("fault", str(error))
    made = [rule for rule in session().version.ids if rule not in before]
    _change(draft=None, selection=Selection(made[-1]) if made else studio().selection)


@guarded
def undo() -> None:
    """Go back to the state before the last edit."""
    _move(lambda: session().undo())


@guarded
def redo() -> None:
    """Go to the state that was left by the last undo."""
    _move(lambda: session().redo())


def jump(number: int) -> None:
    """Go to the state after any entry of the history."""
    _move(lambda: session().jump(number))


def checkpoint(name: str) -> None:
    """Give the present entry of the history a name."""
    _move(lambda: session().checkpoint(name))


def branch(name: str) -> None:
    """Go on in a copy of this session, with all of its history; the session itself stays as it is."""
    found = studio().model
    if found is not None:
        _change(model=replace(found, session=session().branch(name)), draft=None)


def open_test(measure: Callable[[Rows], Mapping[str, Any]]) -> Opening:
    """Measure the sealed test rows; who looked and when is written down first."""
    return store().open_test(session(), measure, author=author())


def openings() -> tuple[Opening, ...]:
    """Return who looked at the sealed test rows of the model on screen, and what they saw."""
    return store().openings(store().model_record(session().record.model))


def _move(step: Callable[[], object]) -> None:
    """Move in the history, and forget the draft."""
    try:
        step()
    except UnsavedError as error:
        tell("fault", str(error))
    _change(draft=None)


@guarded
def settle_conflict(way: str) -> None:
    """Resolve a conflict with a colleague: `mine` on top, `theirs`, or a `branch` with mine."""
    now = session()
    if way == "theirs":
        lines = now.take_theirs()
        tell("note", f"{len(lines)} steps of your colleagues were taken over; your last change was not made.")
    elif way == "mine":
        skipped = now.reapply()
        lost = "".join(f" Not made again: {part.entry.description} ({part.reason})." for part in skipped)
        tell("note", f"Your change was made on top of your colleagues'.{lost}")
    else:
        now = now.branch(f"branch {datetime.now():%d %b %H:%M:%S}")
    found = studio().model
    _change(model=found and found.afresh(now), draft=None)


def news() -> tuple[str, ...]:
    """Return who made the steps on the model on screen that it does not show yet; what is not written yet is written.

    A store that does not answer has no news.
    """
    now = studio().model
    if now is None or now.session.refused is not None:
        return ()
    try:
        found = now.session.news()
        if not found:
            now.session.save()
    except StorageError:
        return ()
    return found


@guarded
def take_news() -> None:
    """Show the steps of colleagues; a draft stays where it can still be made."""
    now, draft = session(), studio().draft
    lines = now.refresh()
    told = f"Taken over: {'; '.join(line.text for line in lines)}."
    if draft is not None:
        try:
            now.preview(draft)
        except TursError as error:
            draft, told = None, f"{told} What you were about to do cannot be done any more: {error}"
    _change(draft=draft, message=Message("note", told))


# ---- the workbench


def select(rule: str, feature: str = "", side: str = "") -> None:
    """Look at a rule and one of its literals; a draft is dropped."""
    chosen = Selection(rule, feature, side)
    if chosen != studio().selection:
        _change(selection=chosen, draft=None)


def show_draft(edit: Edit | None) -> None:
    """Show an edit with its effect before it is kept; None drops it."""
    _change(draft=edit)


def drop_draft() -> None:
    """Drop the draft; a feature on which the rule has no literal is not looked at any more."""
    now = studio()
    rule = next((part for part in session().version.rules if part.id == now.selection.rule), None)
    own = [] if rule is None else [literal.feature for literal in rule.literals]
    feature = now.selection.feature if now.selection.feature in own else ""
    _change(draft=None, n_dropped=now.n_dropped + 1, selection=replace(now.selection, feature=feature))


def look_at_side(rule: str, feature: str, side: str) -> None:
    """Put the lower or the upper cut of an interval on the slider; a draft stays."""
    _change(selection=Selection(rule, feature, side))


def refresh() -> None:
    """Ask for the whole page to be drawn again."""
    _change(is_stale=True)


def take_refresh() -> bool:
    """Return whether the whole page has to be drawn again, and forget it."""
    stale = studio().is_stale
    if stale:
        _change(is_stale=False)
    return stale


def remember(name: str) -> None:
    """Keep the value of a widget beyond its page."""
    st.session_state[f"remembered-{name}"] = st.session_state.get(name)


def remembered(name: str, default: str) -> str:
    """Return a value that was kept."""
    return str(st.session_state.get(f"remembered-{name}") or default)


def choose(name: str, value: object) -> None:
    """Keep what a page looks at, beyond the page."""
    st.session_state[f"chosen-{name}"] = value


def chosen(name: str) -> Any:
    """Return what a page looks at; None where nothing was chosen."""
    return st.session_state.get(f"chosen-{name}")
