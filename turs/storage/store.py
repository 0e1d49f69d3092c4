"""The store of workspaces: tables in preparation, data sets, learned models, sessions, openings of sealed test rows.

A store is an SQLite file in the user's data folder, or a PostgreSQL database of a team. What is added is never changed:
data sets and models stay as they are, the journal of a session only grows; preparations alone change. Every call is one
transaction: when it returns, what it wrote is durable; where it raises, nothing was written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeVar

import pandas as pd
from sqlalchemy import Column, Connection, select

from turs.data.dataset import labelled_data
from turs.data.names import position_of
from turs.editing.history import Step
from turs.editing.rows import Rows, rows_of
from turs.errors import DataError, StorageError
from turs.learn.progress import Learned
from turs.learn.settings import Constraints, Settings
from turs.rules.document import from_document, to_document
from turs.rules.model import Model
from turs.storage import content, items, journal, tables
from turs.storage.bundle import add_bundle, read_bundle, write_bundle
from turs.storage.checking import problems
from turs.storage.database import Database
from turs.storage.journal import now
from turs.storage.learning import learning_document, read_learning
from turs.storage.location import located
from turs.storage.migration import prepare
from turs.storage.opening import add_opening, openings_of
from turs.storage.parquet import from_parquet, to_parquet
from turs.storage.preparations import Preparations
from turs.storage.records import (
    Contents,
    DataSetRecord,
    Item,
    Learning,
    Line,
    ModelRecord,
    Opening,
    Problem,
    SessionRecord,
    Workspace,
)
from turs.storage.session import StoredSession
from turs.storage.split import Split, split_of

_Result = TypeVar("_Result")
_Item = TypeVar("_Item", bound=Item)


class Store:
    """Workspaces in a database. Safe to share between threads; not across a fork."""

    def __init__(self, database: Database) -> None:
        self._database = database
        try:
            self.backup = prepare(database)
        except StorageError:
            database.close()
            raise
        """Where the back-up is if opening brought the tables up to date."""
        self.preparations = Preparations(database)
        """Tables that rules are to be learned from."""

    @classmethod
    def open(cls, where: str | os.PathLike[str] | None = None) -> Self:
        """Open a store; a new one is made where there is none, an older one is brought up to date after a back-up.

        Parameters
        ----------
        where : str or path-like, optional
            An SQLite file, or the URL of a database (`postgresql://user:password@host/name`). Otherwise the URL in the
            environment variable TURS_DATABASE, or `workspaces.sqlite` in the folder TURS_DATA or the user's data
            folder.

        Raises
        ------
        StorageError
            Where it cannot be opened, is no store, or was made by a newer version of TURS.
        """
        return cls(Database(located(where)))

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Self:
        """Return the store."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Let go of the database."""
        self.close()

    @property
    def place(self) -> str:
        """Where the store is, without any password."""
        return self._database.place

    def workspaces(self, *, archived: bool = False) -> tuple[Workspace, ...]:
        """Return the workspaces by name, the archived ones only if asked for."""
        found = self._database.read(lambda connection: items.listed(connection, Workspace, None, archived))
        return tuple(sorted(found, key=lambda item: (item.name.casefold(), item.name)))

    def workspace(self, name: str) -> Workspace:
        """Return the workspace of that name."""
        return self._database.read(lambda connection: items.workspace_named(connection, name))

    def add_workspace(self, name: str) -> Workspace:
        """Make a workspace; its name has to be new."""
        return self._database.write_alone(lambda connection: items.add(connection, Workspace, name, {}))

    def add_data_set(
        self,
        workspace: Workspace,
        name: str,
        frame: pd.DataFrame,
        target: str,
        split: Split,
        *,
        kinds: Mapping[str, str] | None = None,
        ignored: Sequence[str] = (),
        notes: Sequence[str] = (),
        author: str = "",
        address: str = "",
    ) -> DataSetRecord:
        """Add a table; its rows are stored once however often they are added.

        Parameters
        ----------
        workspace : Workspace
            Where to.
        name : str
            What people call it.
        frame : DataFrame
            All rows and columns as they were read, ignored ones included.
        target : str
            The class column.
        split : Split
            Training, validation and sealed test rows (`split_rows` makes one from shares and a seed).
        kinds, ignored, notes
            Kinds that a person gave, columns that a person left out, notes of the reader.
        author : str
            Who adds it.
        address : str
            Where the store has these very rows already (`content` of a record): they are not converted again then.

        Raises
        ------
        DataError
            Where the split does not fit the table, or a column holds what Parquet cannot.
        """
        parts = to_parquet(split.to_frame(len(frame)))
        position_of(target, list(frame.columns), "target column")
        values = {
            "workspace": workspace.id,
            "target": target,
            "kinds": dict(kinds or {}),
            "ignored": list(ignored),
            "notes": list(notes),
            "n_rows": frame.shape[0],
            "n_columns": frame.shape[1],
        }

        def work(connection: Connection, rows: str) -> DataSetRecord:
            addresses = {"content": rows, "split_content": content.put(connection, parts)}
            return items.add(connection, DataSetRecord, name, values | addresses, author)

        return content.with_table(self._database, frame, address, work)

    def data_sets(self, workspace: Workspace, *, archived: bool = False) -> tuple[DataSetRecord, ...]:
        """Return the data sets of a workspace in the order in which they were added."""
        return self._database.read(lambda connection: items.listed(connection, DataSetRecord, workspace.id, archived))

    def data_set(self, id: str) -> DataSetRecord:
        """Return a data set by its id."""
        return self._database.read(lambda connection: items.find(connection, DataSetRecord, id))

    def frame(self, data_set: DataSetRecord) -> pd.DataFrame:
        """Return the table exactly as it was added: types, categories, dates, missing values."""
        return from_parquet(self._database.read(lambda connection: content.get(connection, data_set.content)))

    def split(self, data_set: DataSetRecord) -> Split:
        """Return the rows of each part."""
        return split_of(
            from_parquet(self._database.read(lambda connection: content.get(connection, data_set.split_content)))
        )

    def add_model(
        self,
        data_set: DataSetRecord,
        name: str,
        model: Model,
        *,
        learned: Learned | None = None,
        settings: Settings | None = None,
        constraints: Constraints | None = None,
        author: str = "",
    ) -> ModelRecord:
        """Add a learned model.

        Parameters
        ----------
        data_set : DataSetRecord
            What it was learned from.
        name : str
            What people call it.
        model : Model
            Rules with the counts of their patterns (`turs.predict.model_of`).
        learned : Learned, optional
            What learning told: bits, time, steps.
        settings, constraints
            What it was learned with.
        author : str
            Who adds it.
        """
        told = learning_document(learned, settings or Settings(), constraints or Constraints())
        values = {
            "data_set": data_set.id,
            "document": to_document(model),
            "learning": told,
            "n_rules": len(model.rule_set.rules),
            "total_bits": told.get("total_bits"),
        }
        return self._database.write_alone(lambda connection: items.add(connection, ModelRecord, name, values, author))

    def models(self, data_set: DataSetRecord, *, archived: bool = False) -> tuple[ModelRecord, ...]:
        """Return the models of a data set in the order in which they were added."""
        return self._database.read(lambda connection: items.listed(connection, ModelRecord, data_set.id, archived))

    def model_record(self, id: str) -> ModelRecord:
        """Return the record of a model by its id."""
        return self._database.read(lambda connection: items.find(connection, ModelRecord, id))

    def model(self, record: ModelRecord) -> Model:
        """Return a model as it was added."""
        return from_document(self._document(record, tables.model.c.document), f"model '{record.name}'")

    def learning(self, record: ModelRecord) -> Learning:
        """Return how a model came about."""
        return read_learning(self._document(record, tables.model.c.learning))

    def add_session(self, model: ModelRecord, name: str, *, author: str = "") -> SessionRecord:
        """Begin a session of edits on a model."""
        values = {"model": model.id, "origin": None, "origin_version": 0}
        return self._database.write_alone(lambda connection: items.add(connection, SessionRecord, name, values, author))

    def sessions(self, model: ModelRecord, *, archived: bool = False) -> tuple[SessionRecord, ...]:
        """Return the sessions of a model in the order in which they were begun."""
        return self._database.read(lambda connection: items.listed(connection, SessionRecord, model.id, archived))

    def session_record(self, id: str) -> SessionRecord:
        """Return the record of a session by its id."""
        return self._database.read(lambda connection: items.find(connection, SessionRecord, id))

    def open_session(
        self,
        record: SessionRecord,
        *,
        author: str = "",
        training: Rows | None = None,
        validation: Rows | None = None,
    ) -> StoredSession:
        """Return a session as its journal left it; its steps are durable when their calls return.

        Parameters
        ----------
        record : SessionRecord
            Which one.
        author : str
            Who edits.
        training, validation : Rows, optional
            The rows where the caller has them (`Store.rows`); otherwise they are read.
        """
        model = self.model_record(record.model)
        rule_set = self.model(model).rule_set
        if training is None:
            training, validation = self.rows(model)
        return StoredSession(self._database, record, self.lines(record), rule_set, training, validation, author=author)

    def rows(self, model: ModelRecord) -> tuple[Rows, Rows | None]:
        """Return the training and the validation rows of a model, in its bins; the same for all its sessions."""
        training, validation = self._parts(model, ("training", "validation"))
        assert training is not None  # a split has training rows
        return training, validation

    def lines(self, session: SessionRecord, after: int = 0) -> tuple[Line, ...]:
        """Return the lines of a journal after a version."""

        def work(connection: Connection) -> tuple[Line, ...]:
            items.find(connection, SessionRecord, session.id)
            return tuple(journal.read(connection, session.id, after))

        return self._database.read(work)

    def append(self, session: SessionRecord, base: int, steps: Sequence[Step], *, author: str = "") -> int:
        """Write steps that were made on version `base` and return the version they led to.

        Raises
        ------
        ConflictError
            Where the journal has other steps after `base`.
        """
        drafts = [journal.draft(step, author) for step in steps]
        return self._database.write(lambda connection: journal.append(connection, session.id, base, drafts))

    def open_test(
        self, session: StoredSession, measure: Callable[[Rows], Mapping[str, Any]], *, author: str = ""
    ) -> Opening:
        """Measure the sealed test rows; nobody sees the result before it is written down who looked at it and when.

        Parameters
        ----------
        session : StoredSession
            Its present version is tested.
        measure : callable
            Gets the test rows and returns the result as plain JSON values.
        author : str
            Who looks.

        Raises
        ------
        DataError
            Where the split has no test rows.
        """
        session.save()
        (rows,) = self._parts(self.model_record(session.record.model), ("test",))
        if rows is None:
            raise DataError("The data set has no test rows: they are put aside when it is added.")
        version = session.history.n_steps
        opening = Opening(session.record.id, version, author or session.author, now(), dict(measure(rows)))
        self._database.write(lambda connection: add_opening(connection, opening))
        return opening

    def openings(self, model: ModelRecord) -> tuple[Opening, ...]:
        """Return the openings in all sessions of a model, the oldest first."""
        return self._database.read(lambda connection: openings_of(connection, model.id))

    def rename(self, item: _Item, name: str) -> _Item:
        """Give a workspace, data set, preparation, model or session another name and return its record."""
        return self._database.write_alone(lambda connection: items.rename(connection, item, name))

    def archive(self, item: _Item, is_archived: bool = True) -> _Item:
        """Take something out of the lists, or put it back, and return its record."""
        return self._database.write_alone(lambda connection: items.archive(connection, item, is_archived))

    def contents(self, item: Item) -> Contents:
        """Return what something holds: what would go if it were deleted."""
        return self._database.read(lambda connection: items.contents(connection, item))

    def delete(self, item: Item) -> Contents:
        """Delete something with all that belongs to it, and return what went."""
        return self._database.write_alone(lambda connection: items.delete(connection, item))

    def check(self) -> tuple[Problem, ...]:
        """Read everything, compare checksums, fold every journal, and return what is wrong."""
        return self._database.read(lambda connection: problems(connection, is_sqlite=self._database.is_sqlite))

    def export(self, workspace: Workspace, path: str | os.PathLike[str]) -> None:
        """Write a workspace to one file: a zip of Parquet and JSON."""
        self._database.read(lambda connection: write_bundle(connection, workspace, path))

    def import_workspace(self, path: str | os.PathLike[str], *, name: str | None = None) -> Workspace:
        """Add the workspace in a file that `export` wrote, as a whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file.
        name : str, optional
            Its name here; otherwise the name in the file, with a number where that is taken.
        """
        bundle = read_bundle(path)
        return self._database.write_alone(lambda connection: add_bundle(connection, bundle, name))

    def _parts(self, record: ModelRecord, names: Sequence[str]) -> list[Rows | None]:
        """Return parts of the rows of a model, in its bins; None where a part is empty."""
        schema = self.model(record).rule_set.schema
        data_set = self.data_set(record.data_set)
        frame, split = self.frame(data_set), self.split(data_set)
        parts = [frame.iloc[getattr(split, name)] for name in names]
        return [rows_of(labelled_data(part, schema), part) if len(part) else None for part in parts]

    def _document(self, record: ModelRecord, column: Column[Any]) -> Any:
        """Return a document of a model."""

        def work(connection: Connection) -> Any:
            items.find(connection, ModelRecord, record.id)
            return connection.execute(select(column).where(tables.model.c.id == record.id)).scalar_one()

        return self._database.read(work)
