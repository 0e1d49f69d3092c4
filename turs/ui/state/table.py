"""The table of a session, what was decided about it, and the learning that it leads to.

A table is in the store from the moment that it is chosen, and so is every choice: a reload loses nothing. A table that
is exchanged for another one before anything was decided about it is taken out again.
"""

from __future__ import annotations

import threading
from typing import Any, BinaryIO

from turs.data import Table, read_table
from turs.errors import OutdatedError, StorageError, TursError
from turs.learn.settings import Constraints, Settings
from turs.storage import Split, Store, Workspace
from turs.ui.choices import fitting
from turs.ui.library import first_workspace, save_learned
from turs.ui.prepared import begun, changed, planned, taken, taken_back
from turs.ui.reading import Reading
from turs.ui.state.memory import at_the_seat, change, studio, tell
from turs.ui.state.place import author, store, workspace
from turs.ui.studio import Message, Seat, Selection, Studio
from turs.ui.study import Plan, Study
from turs.ui.worker import Job

_AT_ONCE_SECONDS = 1.0


def use_table(name: str, table: Table) -> None:
    """Take over a table that was read; its target is a guess until somebody says otherwise."""
    _exchange(_stored(store(), workspace(), author(), taken(name, table)))


def read_file(name: str, file: BinaryIO) -> None:
    """Read a file and store its table; where that takes longer than a moment it goes on in the background."""
    place, space, who = store(), workspace(), author()
    drop_reading()
    change(
        reading=Reading(
            name,
            lambda: taken(name, read_table(file, name=name)),
            lambda parts: _stored(place, space, who, parts),
        )
    )
    finish_reading(wait=_AT_ONCE_SECONDS)


def open_preparation(preparation_id: str) -> None:
    """Take over a table from the store with all that was decided about it, in the background if need be."""
    place = store()
    record = place.preparations.find(preparation_id)
    space = next((part for part in place.workspaces(archived=True) if part.id == record.workspace), None)
    drop_reading()
    change(reading=Reading(record.name, lambda: taken_back(place, record) | {"workspace": space}))
    finish_reading(wait=_AT_ONCE_SECONDS)


def finish_reading(wait: float = 0.0) -> None:
    """Take over the table that was read, if it is done; what is wrong with it is raised."""
    reading = studio().reading
    if reading is None or not reading.wait(wait):
        return
    if reading.error is not None:
        change(reading=None)
        raise reading.error
    _exchange({**reading.parts, "reading": None})


def drop_reading() -> None:
    """Do without the table that is being read; the one from before stays."""
    reading = studio().reading
    if reading is not None:
        reading.drop()
        change(reading=None)


def use_workspace(name: str) -> None:
    """Go to another workspace, which is made where there is none of that name; a table in preparation goes along."""
    known = {found.name: found for found in store().workspaces()}
    now = studio()
    place = known.get(name) or store().add_workspace(name)
    change(workspace=place, model=None, selection=Selection(), draft=None, preparation=None)
    if now.preparation is not None and now.preparation.workspace != place.id:
        _keep_choices()
        _drop_untouched(now)


def use_plan(plan: Plan) -> None:
    """Take over what was decided about the table; where it cannot be done, the plan from before stays."""
    now = studio()
    if now.table is None or plan == now.plan:
        return
    parts = planned(now.name, now.table, plan, _known_split(now, plan))
    if parts["study"] is None and now.study is not None and plan.target == now.study.plan.target:
        raise TursError(parts["fault"])
    change(**parts)
    _keep_choices()


def _known_split(now: Studio, plan: Plan) -> Split | None:
    """Return the parts of the rows where the same division was asked for before: sealed rows must stay sealed."""
    studies = [now.study, None if now.model is None or now.is_of_another_table else now.model.study]
    return next((part.split for part in studies if part is not None and part.plan.division == plan.division), None)


def use_settings(settings: Settings) -> None:
    """Take over options of the learner."""
    change(settings=settings)
    _keep_choices()


def use_constraints(constraints: Constraints) -> None:
    """Take over what is demanded of the rules."""
    change(constraints=constraints)
    _keep_choices()


def _exchange(parts: dict[str, Any]) -> None:
    """Take over another table; the one from before goes where nothing was decided about it."""
    before = studio()
    change(**parts, n_tables=before.n_tables + 1)
    _drop_untouched(before)


def _drop_untouched(before: Studio) -> None:
    """Take a table that is not on the screen any more out of the store where nothing was decided about it."""
    record, now = before.preparation, studio().preparation
    if record is not None and record.version == 0 and (now is None or now.id != record.id):
        try:
            store().preparations.end(record)
        except StorageError:
            return  # it is offered once more: no harm


def _stored(place: Store, space: Workspace, who: str, parts: dict[str, Any]) -> dict[str, Any]:
    """Put a table into the store and return the parts of the state with it; it can be used where that fails, too."""
    try:
        record = begun(place, space, Studio(**parts), who)
    except TursError as error:
        told = f"{error} The table can be used all the same, but a reload of this page would lose it."
        return parts | {"message": Message("fault", told)}
    return parts | {"preparation": record, "content": record.content}


def _keep_choices() -> None:
    """Write down what was decided; where another window was faster, it goes on beside what that one decided."""
    now = studio()
    if now.table is None:
        return
    try:
        if now.preparation is None:
            record = begun(store(), workspace(), now, author())
        else:
            try:
                record = changed(store(), now.preparation, now)
            except OutdatedError as error:
                record = begun(store(), workspace(), now, author())
                tell("note", f"{error} What you decide here goes on as a copy of its own: nothing is overwritten.")
    except TursError as error:
        tell("fault", f"{error} What you decided holds on this page, and is written down with the next choice.")
        return
    change(preparation=record, content=record.content)


def study() -> Study:
    """Return the table in three parts."""
    now = studio()
    if now.study is None:
        raise TursError(now.fault or "There is no table to learn from: choose one on the Data page.")
    return now.study


def start_learning() -> None:
    """Learn in the background with what was decided; learning that is under way ends."""
    rows, now = study(), studio()
    if now.job is not None:
        now.job.stop()
    change(job=Job(rows, now.settings, fitting(now.constraints, rows.schema), now.preparation))


def leave(seat: Seat, place: Store, who: str) -> None:
    """Take everything off the seat of a session that ended; rules that are being learned go into the store then."""
    left, seat.studio = seat.studio, Studio()
    if left.job is not None:
        parts = (place, left.workspace or first_workspace(place), left.job, who)
        threading.Thread(target=_save_later, args=parts, name="saving", daemon=True).start()


def _save_later(place: Store, space: Workspace, job: Job, who: str) -> None:
    """Wait for the end of learning, and save what it gave."""
    job.wait(None)
    if job.learned is not None:
        save_learned(place, space, job, job.learned, who)


def finish_learning(*, show: bool) -> None:
    """Take over what learning gave, if it is done; once, also where another page is opened at that moment.

    Parameters
    ----------
    show : bool
        Whether the new rules come on the screen; otherwise only where there are none yet.
    """
    with at_the_seat():
        _finish_learning(show)


def _finish_learning(show: bool) -> None:
    """Save what learning gave, and show it where it is to be shown."""
    job, now = studio().job, studio()
    if job is None or not job.done:
        return
    if job.error is not None or job.learned is None:
        fault = f"Learning failed: {job.error}. The rules from before are untouched."
        change(job=None, message=Message("fault", fault))
        return
    found = save_learned(store(), workspace(), job, job.learned, author())
    parts: dict[str, Any] = {"job": None, "waiting": ""}
    if now.preparation == job.preparation:  # otherwise something was decided in the meantime
        parts["preparation"] = None
    if show or now.model is None:
        note = "The search was stopped before it was done; what it had found is kept." if job.learned.stopped else ""
        parts |= {"model": found, "selection": Selection(), "draft": None}
    else:
        note = ""
        parts["waiting"] = found.id
    change(**parts, message=Message("note", note) if note else now.message)
