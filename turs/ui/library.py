"""Between the screen and the store: what was learned goes in with its table, what was saved comes back as it was left.

No Streamlit here.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from weakref import WeakKeyDictionary

from turs.data import Table
from turs.errors import StorageError
from turs.learn.progress import Learned
from turs.mdl.score import patterns_on
from turs.predict import model_of
from turs.storage import DataSetRecord, SessionRecord, Store, Workspace
from turs.ui import numbers
from turs.ui.opened import OpenModel, full_name
from turs.ui.study import Plan, Study
from turs.ui.worker import Job

FIRST_WORKSPACE = "My workspace"


@dataclass(frozen=True)
class Saved:
    """A line of the list of models: a session of edits on a model."""

    record: SessionRecord
    label: str

    @property
    def moment(self) -> str:
        """When it was changed last."""
        return self.record.changed or self.record.created


_records: WeakKeyDictionary[Study, dict[str, DataSetRecord]] = WeakKeyDictionary()


def open_store() -> tuple[Store, str]:
    """Return the store, and what the user should know where it had to be a passing one."""
    try:
        return Store.open(), ""
    except StorageError as error:
        passing = Store.open(Path(tempfile.mkdtemp(prefix="turs-")) / "workspaces.sqlite")
        return passing, f"{error} Until that is put right, what you do is kept only while this server runs."


def first_workspace(store: Store) -> Workspace:
    """Return the workspace to begin with: the one that was worked in last."""
    known = store.workspaces()
    if not known:
        return store.add_workspace(FIRST_WORKSPACE)
    return max(known, key=lambda place: _last_moment(store, place))


def _last_moment(store: Store, workspace: Workspace) -> str:
    """Return when something in a workspace was changed last; empty where there is nothing."""
    models = [part.moment for part in saved_models(store, workspace)]
    return max((*models, *(part.changed for part in store.preparations.of(workspace))), default="")


def saved_models(store: Store, workspace: Workspace, *, archived: bool = False) -> list[Saved]:
    """Return the sessions of a workspace, those that were changed last first; no two have the same label.

    Those that were put away are listed for themselves, if asked for.
    """
    found = []
    for data_set in store.data_sets(workspace):
        for model in store.models(data_set):
            for session in store.sessions(model, archived=archived):
                if session.is_archived != archived:
                    continue
                name = full_name(session.name, model.name)
                edits = f" · {numbers.things(session.n_edits, 'edit')}" if session.n_edits else ""
                found.append((session.changed or session.created, session.created, session, f"{name}{edits}"))
    seen: Counter[str] = Counter()
    saved = []
    for *_, record, label in sorted(found, key=lambda line: line[:2]):
        seen[label] += 1  # a box to choose from tells its lines apart by their labels
        saved.append(Saved(record, label if seen[label] == 1 else f"{label} ({seen[label]})"))
    return saved[::-1]


def save_learned(store: Store, workspace: Workspace, job: Job, learned: Learned, author: str) -> OpenModel:
    """Put what a job learned into the store, and open it; the preparation ends unless it was changed since."""
    study, prepared = job.study, job.preparation
    name = f"{study.name} · {datetime.now():%d %b %H:%M}"
    data_set = _stored(store, workspace, study, author, "" if prepared is None else prepared.content)
    training, validation = study.training, study.validation
    model = model_of(learned.rule_set, patterns_on(learned.rule_set, training.data))
    record = store.add_model(
        data_set, name, model, learned=learned, settings=job.settings, constraints=job.constraints, author=author
    )
    session = store.add_session(record, name, author=author)
    opened = store.open_session(session, author=author, training=training, validation=validation)
    if prepared is not None:
        store.preparations.end(prepared)
    return OpenModel(name, study, opened, store.learning(record), workspace.id)


def open_saved(store: Store, session_id: str, author: str) -> OpenModel:
    """Return a session as it was left, with its table.

    Raises
    ------
    StorageError
        Where there is no such session, or the store does not answer.
    """
    record = store.session_record(session_id)
    model = store.model_record(record.model)
    data_set = store.data_set(model.data_set)
    frame, split = store.frame(data_set), store.split(data_set)
    training, validation = store.rows(model)
    n_rows = max(len(frame), 1)
    plan = Plan(
        data_set.target,
        dict(data_set.kinds),
        data_set.ignored,
        validation=round(split.validation.size / n_rows, 2),
        test=round(split.test.size / n_rows, 2),
        seed=None,
    )
    study = Study(data_set.name, Table(frame, data_set.notes), plan, split, training, validation)
    _records[study] = {data_set.workspace: data_set}
    session = store.open_session(record, author=author, training=training, validation=validation)
    return OpenModel(model.name, study, session, store.learning(model), data_set.workspace)


def content_of(study: Study) -> str:
    """Return the address of the table of a study in the store; empty where it is not known."""
    return next((record.content for record in _records.get(study, {}).values()), "")


def _stored(store: Store, workspace: Workspace, study: Study, author: str, address: str) -> DataSetRecord:
    """Return the data set of a study in a workspace; it is added once."""
    known = _records.setdefault(study, {})
    if workspace.id not in known:
        plan = study.plan
        known[workspace.id] = store.add_data_set(
            workspace,
            study.name,
            study.table.frame,
            plan.target,
            study.split,
            kinds=plan.kinds,
            ignored=plan.ignored,
            notes=study.table.notes,
            author=author,
            address=address,
        )
    return known[workspace.id]
