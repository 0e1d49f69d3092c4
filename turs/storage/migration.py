"""Versions of the tables: a new store is made, an older one is brought up to date after a back-up, a newer one refused.

Version 0 had journals without checksums and tokens, version 1 no preparations.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sqlalchemy import Column, Connection, Text, inspect, select, text

from turs.errors import StorageError
from turs.storage import tables
from turs.storage.database import Database
from turs.storage.journal import checksum

VERSION = 2
"""The version of the tables that this program makes."""


def prepare(database: Database) -> Path | str | None:
    """Make or update the tables where need be; return where the back-up is if one was made.

    Raises
    ------
    StorageError
        Where the store is newer than this program, or the file belongs to another program.
    """
    version = database.read(lambda connection: _stored_version(database, connection))
    backup: Path | str | None = None
    if version is None:
        database.settle()
        database.write(lambda connection: _create(database, connection))
    elif version < VERSION:
        name = f"version_{version}_{uuid.uuid4().hex[:8]}"
        backup = _back_up_file(Path(database.place), name) if database.is_sqlite else name
        database.write(lambda connection: _migrate(database, connection, name))
    elif version > VERSION:
        raise StorageError(
            f"The store {database.place} was made by a newer version of TURS (tables of version {version}; this program"
            f" knows up to {VERSION}): update TURS."
        )
    return backup


def _stored_version(database: Database, connection: Connection) -> int | None:
    """Return the version of the tables, None where there are none."""
    inspector = inspect(connection)
    if inspector.has_table(tables.store.name):
        return int(connection.execute(select(tables.store.c.version)).scalar_one())
    if database.is_sqlite and inspector.get_table_names():
        raise StorageError(f"{database.place} is a database of another program: name another file.")
    return None


def _create(database: Database, connection: Connection) -> None:
    """Make the tables unless another program did in the meantime."""
    database.alone(connection)
    if _stored_version(database, connection) is None:
        tables.metadata.create_all(connection)
        connection.execute(tables.store.insert(), {"version": VERSION})


def _migrate(database: Database, connection: Connection, backup: str) -> None:
    """Bring the tables up to date, one version after the other, unless another program did in the meantime."""
    database.alone(connection)
    version = _stored_version(database, connection)
    assert version is not None  # it was there before
    if version < VERSION and not database.is_sqlite:
        _back_up_tables(connection, backup)
    for step in MIGRATIONS[version:]:
        step(connection)
    connection.execute(tables.store.update().values(version=max(version, VERSION)))


def _back_up_file(path: Path, name: str) -> Path:
    """Copy an SQLite store, whatever others do with it meanwhile, and return the copy."""
    backup = path.with_name(f"{path.name}.{name}")
    part = backup.with_name(f"{backup.name}.part")
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as target:
            source.backup(target)
        part.replace(backup)
    except (OSError, sqlite3.Error) as error:
        part.unlink(missing_ok=True)
        raise StorageError(
            f"The store {path} is of an older version and cannot be backed up to {backup} ({error}): make room beside"
            " it. Nothing was changed."
        ) from None
    return backup


def _back_up_tables(connection: Connection, backup: str) -> None:
    """Copy the tables of a store in PostgreSQL beside themselves."""
    quoted = connection.dialect.identifier_preparer.quote
    for name in inspect(connection).get_table_names():
        if name in tables.metadata.tables:
            copy = quoted(f"{name}_{backup}")
            connection.execute(text(f"CREATE TABLE {copy} AS TABLE {quoted(name)}"))


def _add_checksums(connection: Connection) -> None:
    """From version 0 to 1: every line of a journal gets a token and a checksum."""
    journal = tables.journal
    for column in (journal.c.token, journal.c.checksum):
        _add_column(connection, column)
    rows = connection.execute(select(journal.c.session, journal.c.number, journal.c.line)).all()
    for session, number, line in rows:
        connection.execute(
            journal.update()
            .where(journal.c.session == session, journal.c.number == number)
            .values(token=uuid.uuid4().hex, checksum=checksum(number, line))
        )


def _add_preparations(connection: Connection) -> None:
    """From version 1 to 2: tables can be kept before rules are learned from them."""
    tables.preparation.create(connection)


def _add_column(connection: Connection, column: Column[str]) -> None:
    """Add a column of text that is not empty in any row."""
    quoted = connection.dialect.identifier_preparer.quote
    kind = Text().compile(connection.dialect)
    table, name = quoted(column.table.name), quoted(column.name)
    connection.execute(text(f"ALTER TABLE {table} ADD COLUMN {name} {kind} NOT NULL DEFAULT ''"))


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_add_checksums, _add_preparations)
"""Number n brings tables of version n to version n + 1."""
