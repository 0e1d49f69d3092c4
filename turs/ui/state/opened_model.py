"""The model on screen, and its history: open, edit, undo, branch, look at the test rows, settle a conflict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from turs.editing import Edit, Rows
from turs.errors import StorageError, TursError, UnsavedError
from turs.storage import Line, ModelRecord, Opening, StoredSession
from turs.ui.library import content_of, open_saved
from turs.ui.numbers import with_signs
from turs.ui.opened import OpenModel
from turs.ui.state.memory import change, guarded, studio, tell
from turs.ui.state.place import author, store
from turs.ui.studio import Message, Selection


def open_model(session_id: str) -> None:
    """Put a model of the store on the screen, with its table."""
    if studio().model is not None and model_id() == session_id:
        return
    found = open_saved(store(), session_id, author())
    if studio().draft is not None:
        tell("note", "The change that was not kept is dropped: it belonged to the model that was open before.")
    place = next((part for part in store().workspaces(archived=True) if part.id == found.workspace), None)
    change(
        model=found,
        waiting="",
        selection=Selection(),
        draft=None,
        workspace=place,
        name=found.study.name,
        table=found.study.table,
        plan=found.study.plan,
        study=found.study,
        fault="",
        settings=found.learning.settings,
        constraints=found.learning.constraints,
        preparation=None,
        content=content_of(found.study),
        n_tables=studio().n_tables + 1,
    )


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
    """Make an edit and look at the rule that it made, if any; a draft that is another edit stays.

    An edit that the store could not take yet is made all the same.
    """
    before, draft = session().version.ids, studio().draft
    try:
        session().apply(edit, author=author(), note=note)
    except UnsavedError as error:
        tell("fault", str(error))
    made = [rule for rule in session().version.ids if rule not in before]
    selection = Selection(made[-1]) if made else studio().selection
    change(draft=None if draft == edit else draft, selection=selection)


@guarded
def undo() -> None:
    """Go back to the state before the last edit, and tell which one that was."""
    number = session().history.cursor
    _move(lambda: session().undo())
    _show_moved("Undone", number)


@guarded
def redo() -> None:
    """Go to the state that was left by the last undo, and tell which edit is made again."""
    _move(lambda: session().redo())
    _show_moved("Redone", session().history.cursor)


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
        change(model=replace(found, session=session().branch(name)))


def put_away() -> None:
    """Take the model on screen off the screen and out of the lists; nothing of it is lost."""
    now = session()
    now.save()
    store().archive(now.record)
    change(model=None, selection=Selection(), draft=None)


def bring_back(session_id: str) -> None:
    """Put a model that was put away back into the lists, and on the screen."""
    store().archive(store().session_record(session_id), False)
    open_model(session_id)


def open_test(measure: Callable[[Rows], Mapping[str, Any]]) -> Opening:
    """Measure the sealed test rows; who looked and when is written down first."""
    return store().open_test(session(), measure, author=author())


def openings() -> tuple[Opening, ...]:
    """Return who looked at the sealed test rows of the model on screen, and what they saw."""
    return store().openings(model_record())


def model_record() -> ModelRecord:
    """Return the record of the rules on screen as they were learned: by whom, and when."""
    return store().model_record(session().record.model)


def _move(step: Callable[[], object]) -> None:
    """Move in the history; a draft stays where it can still be made."""
    try:
        step()
    except UnsavedError as error:
        tell("fault", str(error))
    lost = _lost_draft()
    if lost:
        change(draft=None, message=Message("note", lost))


def _show_moved(done: str, number: int) -> None:
    """Tell in passing which edit was undone or redone, and look at the rule that it names.

    What there is to tell already is more important, and whoever has a draft is at work on its rule.
    """
    now, entry = studio(), session().history.entry(number)
    selection = now.selection if now.draft is not None else _named_by(entry.edit)
    if now.message is None or now.message.kind == "passing":
        tell("passing", f"{done}: {with_signs(entry.description)}")
    change(selection=selection)


def _named_by(edit: Edit) -> Selection:
    """Return the rule that an edit made or names, where it is there, with the literal; what is selected otherwise."""
    version, now = session().version, studio().selection
    names = (str(getattr(edit, name, "")) for name in ("new_id", "rule"))
    rule = next((version.rule(name) for name in names if name in version.ids), None)
    if rule is None:
        return now
    literal = getattr(edit, "literal", None)
    feature = str(getattr(edit, "feature", "")) or getattr(literal, "feature", "")
    if feature in {part.feature for part in rule.literals}:
        return Selection(rule.id, feature)
    return now if now.rule == rule.id else Selection(rule.id)


def _lost_draft() -> str:
    """Return why the draft cannot be made on the rules as they are; empty where it can be, or where there is none."""
    draft = studio().draft
    if draft is not None:
        try:
            session().preview(draft)
        except TursError as error:
            return f"What you were about to do cannot be done any more: {error}"
    return ""


@guarded
def settle_conflict(way: str) -> None:
    """Resolve a conflict with edits that came first: `mine` on top, `theirs`, or a `branch` with mine."""
    now = session()
    if now.refused is None:
        return  # the click before settled it
    if way == "theirs":
        lines = now.take_theirs()
        tell("note", f"Taken over: {_told(lines)}. Your last change was not made.")
    elif way == "mine":
        skipped = now.reapply()
        lost = "".join(f" Not made again: {part.entry.description} ({part.reason})." for part in skipped)
        tell("note", f"Your change was made on top of the others.{lost}")
    else:
        now = now.branch(f"branch {datetime.now():%d %b %H:%M:%S}")
    found = studio().model
    change(model=found and found.afresh(now), draft=None)


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
    lines = session().refresh()
    if not lines:
        return  # the click before took them over
    lost = _lost_draft()
    told = f"Taken over: {_told(lines)}. {lost}".strip()
    change(draft=None if lost else studio().draft, message=Message("note", told))


def _told(lines: Sequence[Line]) -> str:
    """Return steps in plain words."""
    return "; ".join(line.text for line in lines)
