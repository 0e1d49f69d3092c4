"""The state of a session, and the only module that touches Streamlit's session state.

A change is one assignment of finished values, because a new click may end a script at any line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec

import streamlit as st

from turs.data import Table
from turs.editing import Edit, Impact, Session
from turs.errors import TursError
from turs.learn.settings import Constraints, Settings
from turs.ui.opened import OpenModel
from turs.ui.study import Plan, Study, study_of
from turs.ui.worker import Job

NEW_RULE = "new"
"""What is selected while a rule is being made."""

_KEY = "studio"
P = ParamSpec("P")


@dataclass(frozen=True)
class Selection:
    """What the workbench looks at: a rule, one of its literals, and which of its cuts."""

    rule: str = ""
    feature: str = ""
    side: str = ""


@dataclass(frozen=True)
class Message:
    """What the user should know about the last click: `note` or `fault`."""

    kind: str
    text: str


@dataclass(frozen=True, eq=False)
class Studio:
    """What a session holds.

    Parameters
    ----------
    name : str
        What the table is called.
    table : Table or None
        The table that was read: widgets forget files, this does not.
    plan : Plan or None
        What was decided about it.
    study : Study or None
        The table in three parts; None where the plan cannot be followed.
    fault : str
        Why it cannot.
    job : Job or None
        Learning under way.
    models : tuple of OpenModel
        All models of the session.
    model : OpenModel or None
        The one on screen.
    selection : Selection
        What the workbench looks at.
    draft : Edit or None
        An edit that is shown with its effect and not kept yet.
    message : Message or None
        What to tell on the next page that is drawn.
    is_stale : bool
        Whether the whole page has to be drawn again, because a part of it changed the model.
    """

    name: str = ""
    table: Table | None = None
    plan: Plan | None = None
    study: Study | None = None
    fault: str = ""
    job: Job | None = None
    models: tuple[OpenModel, ...] = ()
    model: OpenModel | None = None
    selection: Selection = Selection()
    draft: Edit | None = None
    message: Message | None = None
    is_stale: bool = False


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
    parts = _planned(now.name, now.table, plan)
    if parts["study"] is None and now.study is not None and plan.target == now.study.plan.target:
        raise TursError(parts["fault"])
    _change(**parts)


def study() -> Study:
    """Return the table in three parts."""
    found = studio().study
    if found is None:
        raise TursError("There is no table to learn from: choose one on the Data page.")
    return found


def _planned(name: str, table: Table, plan: Plan) -> dict[str, Any]:
    """Return the parts of the state that follow from a plan."""
    try:
        return {"plan": plan, "study": study_of(name, table, plan), "fault": ""}
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
    session = Session(job.learned.rule_set, job.study.training, job.study.validation)
    found = OpenModel(f"{job.study.name} · {datetime.now():%d %b %H:%M:%S}", job.study, session, job.learned)
    parts: dict[str, Any] = {"job": None, "models": (*now.models, found)}
    if show or now.model is None:
        note = "The search was stopped before it was done; what it had found is kept." if job.learned.stopped else ""
        parts |= {"model": found, "selection": Selection(), "draft": None}
    else:
        note = f"New rules were learned: choose '{found.name}' in the side bar to open them."
    _change(**parts, message=Message("note", note) if note else now.message)


# ---- the model


def open_model(model: OpenModel) -> None:
    """Put another model on the screen."""
    if model is not studio().model:
        _change(model=model, selection=Selection(), draft=None)


def model() -> OpenModel | None:
    """Return the model on screen."""
    return studio().model


def session() -> Session:
    """Return the editing session of the model on screen."""
    model = studio().model
    if model is None:
        raise TursError("There are no rules yet: learn some first.")
    return model.session


def keep(edit: Edit, note: str = "") -> Impact:
    """Make an edit, and forget the draft."""
    impact = session().apply(edit, author=author(), note=note)
    _change(draft=None)
    return impact


@guarded
def undo() -> None:
    """Go back to the state before the last edit."""
    session().undo()
    _change(draft=None)


@guarded
def redo() -> None:
    """Go to the state that was left by the last undo."""
    session().redo()
    _change(draft=None)


def jump(number: int) -> None:
    """Go to the state after any entry of the history."""
    session().jump(number)
    _change(draft=None)


# ---- the workbench


def select(rule: str, feature: str = "", side: str = "") -> None:
    """Look at a rule and one of its literals; a draft is dropped."""
    chosen = Selection(rule, feature, side)
    if chosen != studio().selection:
        _change(selection=chosen, draft=None)


def show_draft(edit: Edit | None) -> None:
    """Show an edit with its effect before it is kept; None drops it."""
    _change(draft=edit)


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
