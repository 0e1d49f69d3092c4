"""Between the screen and the store before rules are learned: a table goes in with every choice, and comes back.

No Streamlit here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from turs.data import Table
from turs.errors import TursError
from turs.storage import Preparation, Split, Store, Workspace
from turs.ui.choices import Choices, choices_document, read_choices
from turs.ui.studio import Studio
from turs.ui.study import Plan, likely_target, study_of


@dataclass(frozen=True)
class Prepared:
    """A line of the list of tables that rules are to be learned from."""

    record: Preparation

    @property
    def label(self) -> str:
        """What the way back to it is called."""
        moment = datetime.fromisoformat(self.record.changed).astimezone()
        return f"Go on preparing {self.record.name} · {moment:%d %b %H:%M}"


def saved_preparations(store: Store, workspace: Workspace) -> list[Prepared]:
    """Return the preparations of a workspace, those that were changed last first."""
    found = store.preparations.of(workspace)
    return [Prepared(record) for record in sorted(found, key=lambda record: record.changed)[::-1]]


def taken(name: str, table: Table) -> dict[str, Any]:
    """Return the parts of the state that follow from a table; its target is a guess to begin with."""
    name = name.split(".")[0] or name
    choices = Choices(Plan(likely_target(table.frame)))
    return _parts(name, table, choices) | {"preparation": None, "content": ""}


def taken_back(store: Store, record: Preparation) -> dict[str, Any]:
    """Return the parts of the state that follow from a preparation: the table with all that was decided about it.

    Raises
    ------
    StorageError
        Where it cannot be read.
    """
    table = Table(store.preparations.frame(record), record.notes)
    parts = _parts(record.name, table, read_choices(record.choices), store.preparations.split(record))
    return parts | {"preparation": record, "content": record.content}


def planned(name: str, table: Table, plan: Plan, split: Split | None = None) -> dict[str, Any]:
    """Return the parts of the state that follow from a plan; `split` as in `study_of`."""
    try:
        return {"plan": plan, "study": study_of(name, table, plan, split), "fault": ""}
    except TursError as error:
        return {"plan": plan, "study": None, "fault": str(error)}


def begun(store: Store, workspace: Workspace, now: Studio, author: str) -> Preparation:
    """Put the table of a session into the store, with what was decided about it.

    Raises
    ------
    TursError
        Where the store does not take it.
    """
    assert now.table is not None  # there is nothing to prepare otherwise
    return store.preparations.add(
        workspace,
        now.name,
        now.table.frame,
        _document(now),
        _split(now),
        notes=now.table.notes,
        author=author,
        address=now.content,
    )


def changed(store: Store, record: Preparation, now: Studio) -> Preparation:
    """Write down what a session decided about its table.

    Raises
    ------
    OutdatedError
        Where somebody else did since `record` was read.
    StorageError
        Where the store does not answer.
    """
    return store.preparations.change(record, _document(now), _split(now))


def _parts(name: str, table: Table, choices: Choices, split: Split | None = None) -> dict[str, Any]:
    """Return the parts of the state that follow from a table and what was decided about it."""
    learner = {"settings": choices.settings, "constraints": choices.constraints}
    return {"name": name, "table": table, **learner, **planned(name, table, choices.plan, split)}


def _document(now: Studio) -> dict[str, Any]:
    """Return what a session decided, as it is stored."""
    assert now.plan is not None  # a table has a plan
    return choices_document(Choices(now.plan, now.settings, now.constraints))


def _split(now: Studio) -> Split | None:
    """Return the parts of the rows, where there are some."""
    return None if now.study is None else now.study.split
