"""The table of a session, what was decided about it, and the learning that it leads to."""

from __future__ import annotations

import threading
from typing import Any, BinaryIO

from turs.data import Table, read_table
from turs.errors import TursError
from turs.learn.settings import Constraints, Settings
from turs.storage import Store, Workspace
from turs.ui.library import first_workspace, save_learned
from turs.ui.reading import Reading
from turs.ui.state.memory import at_the_seat, change, studio
from turs.ui.state.place import author, store, workspace
from turs.ui.studio import Message, Seat, Selection, Studio
from turs.ui.study import Plan, Study, study_of
from turs.ui.worker import Job

_AT_ONCE_SECONDS = 1.0


def use_table(name: str, table: Table) -> None:
    """Take over a table that was read; its last column is the target unless somebody says otherwise."""
    change(**_taken(name, table))


def _taken(name: str, table: Table) -> dict[str, Any]:
    """Return the parts of the state that follow from a table."""
    target = str(table.frame.columns[-1])
    name = name.split(".")[0] or name
    return {"name": name, "table": table, **_planned(name, table, Plan(target))}


def read_file(name: str, file: BinaryIO) -> None:
    """Read a file; where that takes longer than a moment it goes on in the background."""
    change(reading=Reading(name, lambda: _taken(name, read_table(file, name=name))))
    finish_reading(wait=_AT_ONCE_SECONDS)


def finish_reading(wait: float = 0.0) -> None:
    """Take over the file that was read, if it is done; what is wrong with it is raised."""
    reading = studio().reading
    if reading is None or not reading.wait(wait):
        return
    change(reading=None, **reading.parts)
    if reading.error is not None:
        raise reading.error


def drop_reading() -> None:
    """Do without the file that is being read; the table from before stays."""
    change(reading=None)


def use_plan(plan: Plan) -> None:
    """Take over what was decided about the table; where it cannot be done, the plan from before stays."""
    now = studio()
    if now.table is None or plan == now.plan:
        return
    parts = _planned(now.name, now.table, plan, now.study)
    if parts["study"] is None and now.study is not None and plan.target == now.study.plan.target:
        raise TursError(parts["fault"])
    change(**parts)


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


def start_learning(settings: Settings | None = None, constraints: Constraints | None = None) -> None:
    """Learn in the background; learning that is under way ends."""
    rows, before = study(), studio().job
    if before is not None:
        before.stop()
    change(job=Job(rows, settings, constraints))


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
    parts: dict[str, Any] = {"job": None}
    if show or now.model is None:
        note = "The search was stopped before it was done; what it had found is kept." if job.learned.stopped else ""
        parts |= {"model": found, "selection": Selection(), "draft": None}
    else:
        note = f"New rules were learned: choose '{found.name}' in the side bar to open them."
    change(**parts, message=Message("note", note) if note else now.message)
