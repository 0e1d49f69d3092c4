"""The store of workspaces: data sets, learned models, editing sessions and openings of sealed test rows.

A store is an SQLite file in the user's data folder, or a PostgreSQL database of a team. What is added is never changed:
data sets and models stay as they are, the journal of a session only grows. Every call is one transaction: when it
returns, what it wrote is durable; where it raises, nothing was written.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import pandas as pd

from turs.editing.history import Step
from turs.editing.rows import Rows
from turs.learn.progress import Learned
from turs.learn.settings import Constraints, Settings
from turs.rules.model import Model
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
from turs.storage.split import Split

_Item = TypeVar("_Item", bound=Item)


class Store:
    """Workspaces in a database. Safe to share between threads; not across a fork."""

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
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the database."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Return the store."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Let go of the database."""
        self.close()

    @property
    def place(self) -> str:
        """Where the store is, without any password."""
        raise NotImplementedError

    # Workspaces

    def workspaces(self, *, archived: bool = False) -> tuple[Workspace, ...]:
        """Return the workspaces by name, the archived ones only if asked for."""
        raise NotImplementedError

    def workspace(self, name: str) -> Workspace:
        """Return the workspace of that name."""
        raise NotImplementedError

    def add_workspace(self, name: str) -> Workspace:
        """Make a workspace; its name has to be new."""
        raise NotImplementedError

    # Data sets

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

        Raises
        ------
        DataError
            Where the split does not fit the table, or a column holds what Parquet cannot.
        """
        raise NotImplementedError

    def data_sets(self, workspace: Workspace, *, archived: bool = False) -> tuple[DataSetRecord, ...]:
        """Return the data sets of a workspace in the order in which they were added."""
        raise NotImplementedError

    def data_set(self, id: str) -> DataSetRecord:
        """Return a data set by its id."""
        raise NotImplementedError

    def frame(self, data_set: DataSetRecord) -> pd.DataFrame:
        """Return the table exactly as it was added: types, categories, dates, missing values."""
        raise NotImplementedError

    def split(self, data_set: DataSetRecord) -> Split:
        """Return the rows of each part."""
        raise NotImplementedError

    # Models

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
        raise NotImplementedError

    def models(self, data_set: DataSetRecord, *, archived: bool = False) -> tuple[ModelRecord, ...]:
        """Return the models of a data set in the order in which they were added."""
        raise NotImplementedError

    def model_record(self, id: str) -> ModelRecord:
        """Return the record of a model by its id."""
        raise NotImplementedError

    def model(self, record: ModelRecord) -> Model:
        """Return a model as it was added."""
        raise NotImplementedError

    def learning(self, record: ModelRecord) -> Learning:
        """Return how a model came about."""
        raise NotImplementedError

    # Sessions

    def add_session(self, model: ModelRecord, name: str, *, author: str = "") -> SessionRecord:
        """Begin a session of edits on a model."""
        raise NotImplementedError

    def sessions(self, model: ModelRecord, *, archived: bool = False) -> tuple[SessionRecord, ...]:
        """Return the sessions of a model in the order in which they were begun."""
        raise NotImplementedError

    def session_record(self, id: str) -> SessionRecord:
        """Return the record of a session by its id."""
        raise NotImplementedError

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
        raise NotImplementedError

    def rows(self, model: ModelRecord) -> tuple[Rows, Rows | None]:
        """Return the training and the validation rows of a model, in its bins; the same for all its sessions."""
        raise NotImplementedError

    def test_rows(self, session: StoredSession) -> Rows | None:
        """Return the sealed test rows; whoever looks at a result on them calls `add_opening`."""
        raise NotImplementedError

    def lines(self, session: SessionRecord, after: int = 0) -> tuple[Line, ...]:
        """Return the lines of a journal after a version."""
        raise NotImplementedError

    def append(self, session: SessionRecord, base: int, steps: Sequence[Step], *, author: str = "") -> int:
        """Write steps that were made on version `base` and return the version they led to.

        Raises
        ------
        ConflictError
            Where the journal has other steps after `base`.
        """
        raise NotImplementedError

    # Openings of the sealed test rows

    def add_opening(self, session: StoredSession, result: Mapping[str, Any], *, author: str = "") -> Opening:
        """Write down that somebody looked at the sealed test rows, and what they saw (plain JSON values)."""
        raise NotImplementedError

    def openings(self, model: ModelRecord) -> tuple[Opening, ...]:
        """Return the openings in all sessions of a model, the oldest first."""
        raise NotImplementedError

    # Housekeeping

    def rename(self, item: _Item, name: str) -> _Item:
        """Give a workspace, data set, model or session another name and return its record."""
        raise NotImplementedError

    def archive(self, item: _Item, is_archived: bool = True) -> _Item:
        """Take something out of the lists, or put it back, and return its record."""
        raise NotImplementedError

    def contents(self, item: Item) -> Contents:
        """Return what something holds: what would go if it were deleted."""
        raise NotImplementedError

    def delete(self, item: Item) -> Contents:
        """Delete something with all that belongs to it, and return what went."""
        raise NotImplementedError

    def check(self) -> tuple[Problem, ...]:
        """Read everything, compare checksums, fold every journal, and return what is wrong."""
        raise NotImplementedError

    def export(self, workspace: Workspace, path: str | os.PathLike[str]) -> None:
        """Write a workspace to one file: a zip of Parquet and JSON."""
        raise NotImplementedError

    def import_workspace(self, path: str | os.PathLike[str], *, name: str | None = None) -> Workspace:
        """Add the workspace in a file that `export` wrote, as a whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file.
        name : str, optional
            Its name here; otherwise the name in the file, with a number where that is taken.
        """
        raise NotImplementedError


def data_folder() -> Path:
    """Return the folder that holds the user's store: TURS_DATA, or the platform's place for data of programs."""
    raise NotImplementedError
