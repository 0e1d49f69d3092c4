"""Preparations: tables that rules are to be learned from, with what was decided about them so far.

All else that a store holds stays as it was added; a preparation changes with every choice. Who changes one names the
version they saw: where it has another by now nothing is written, so that two windows do not overwrite each other. A
preparation goes when rules were learned from it, and when nobody has changed it for `KEPT_DAYS`: a workspace does not
fill up with tables that were given up. Its rows go with it unless something else uses them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
from sqlalchemy import ColumnElement, Connection

from turs.errors import OutdatedError
from turs.storage import content, items, tables
from turs.storage.database import Database
from turs.storage.journal import now
from turs.storage.parquet import from_parquet, to_parquet
from turs.storage.records import Preparation, Workspace
from turs.storage.split import Split, split_of

KEPT_DAYS = 90
"""Days after which a preparation that nobody changes goes, as soon as another one is begun."""

_P = tables.preparation


class Preparations:
    """The preparations of a store; every call is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        workspace: Workspace,
        name: str,
        frame: pd.DataFrame,
        choices: Mapping[str, Any],
        split: Split | None = None,
        *,
        notes: Sequence[str] = (),
        author: str = "",
        address: str = "",
    ) -> Preparation:
        """Keep a table before rules are learned from it; preparations that were given up go.

        Parameters
        ----------
        workspace : Workspace
            Where to.
        name : str
            What people call it.
        frame : DataFrame
            All rows and columns as they were read.
        choices : mapping
            What was decided about it, as plain JSON values.
        split : Split, optional
            Its parts, where the choices lead to some.
        notes, author
            Notes of the reader, and who begins.
        address : str
            Where the store has these very rows already (`content` of a record): they are not converted again then.

        Raises
        ------
        DataError
            Where a column holds what Parquet cannot.
        """
        parts = _content(split, len(frame))
        values = {
            "workspace": workspace.id,
            "choices": dict(choices),
            "notes": list(notes),
            "n_rows": frame.shape[0],
            "n_columns": frame.shape[1],
            "version": 0,
            "changed": now(),
        }

        def work(connection: Connection, rows: str) -> Preparation:
            _drop_old(connection)
            addresses = {"content": rows, "split_content": _put(connection, parts)}
            added = items.add(connection, Preparation, name, values | addresses, author)
            content.drop_unused(connection)
            return added

        return content.with_table(self._database, frame, address, work)

    def of(self, workspace: Workspace, *, archived: bool = False) -> tuple[Preparation, ...]:
        """Return the preparations of a workspace in the order in which they were begun."""
        return self._database.read(lambda connection: items.listed(connection, Preparation, workspace.id, archived))

    def find(self, id: str) -> Preparation:
        """Return a preparation by its id."""
        return self._database.read(lambda connection: items.find(connection, Preparation, id))

    def frame(self, preparation: Preparation) -> pd.DataFrame:
        """Return the table exactly as it was added."""
        return from_parquet(self._database.read(lambda connection: content.get(connection, preparation.content)))

    def split(self, preparation: Preparation) -> Split | None:
        """Return the rows of each part; None where the choices do not lead to a split."""
        address = preparation.split_content
        if address is None:
            return None
        return split_of(from_parquet(self._database.read(lambda connection: content.get(connection, address))))

    def change(self, preparation: Preparation, choices: Mapping[str, Any], split: Split | None = None) -> Preparation:
        """Write down what was decided about a table, as a whole, and return the record to change next.

        Raises
        ------
        OutdatedError
            Where somebody else changed the preparation after this record was read, or it is gone.
        """
        parts = _content(split, preparation.n_rows)
        values = {"choices": dict(choices), "version": preparation.version + 1, "changed": now()}

        def work(connection: Connection) -> Preparation:
            changed = _P.update().where(_as_seen(preparation))
            written = connection.execute(changed.values(**values, split_content=_put(connection, parts)))
            if written.rowcount == 0:
                raise OutdatedError(
                    f"'{preparation.name}' was changed in another window, or rules were learned from it."
                )
            content.drop_unused(connection)
            return items.find(connection, Preparation, preparation.id)

        return self._database.write_alone(work)

    def end(self, preparation: Preparation) -> bool:
        """Delete a preparation unless somebody changed it after this record was read; return whether it is gone."""

        def work(connection: Connection) -> bool:
            connection.execute(_P.delete().where(_as_seen(preparation)))
            content.drop_unused(connection)
            return connection.execute(_P.select().where(_P.c.id == preparation.id)).first() is None

        return self._database.write_alone(work)


def _as_seen(preparation: Preparation) -> ColumnElement[bool]:
    """Return what is true of the row of a preparation as long as nobody changes it."""
    return (_P.c.id == preparation.id) & (_P.c.version == preparation.version)


def _drop_old(connection: Connection) -> None:
    """Delete the preparations that were given up."""
    last = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
    connection.execute(_P.delete().where(_P.c.changed < last.isoformat(timespec="seconds")))


def _content(split: Split | None, n_rows: int) -> bytes | None:
    """Return a split as it is stored."""
    return None if split is None else to_parquet(split.to_frame(n_rows))


def _put(connection: Connection, parts: bytes | None) -> str | None:
    """Store a split, where there is one."""
    return None if parts is None else content.put(connection, parts)
