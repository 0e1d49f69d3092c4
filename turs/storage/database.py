"""A database as the store sees it: transactions that either happen or end in a `StorageError` that says what to do.

SQLite runs in WAL mode with every commit on the disk; a transaction that writes takes the lock at its beginning and
waits for others, so that no lock error reaches a caller. PostgreSQL connections are tested before they are used.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from turs.errors import StorageError
from turs.storage.location import place_of, secrets_of

_Result = TypeVar("_Result")

PATIENCE = 60.0
"""Seconds to wait for other programs that write."""

_BUSY_SECONDS = 5.0
_CONNECT_SECONDS = 10
_WRITES = "turs_writes"
_LOCK = 0x74757273
"""Number of the advisory lock in PostgreSQL."""
_TRY_AGAIN = frozenset({"40001", "40P01"})
"""Codes of PostgreSQL: transactions that got in each other's way."""


class Database:
    """A database with transactions as functions.

    Parameters
    ----------
    url : URL
        From `turs.storage.location.located`.

    Raises
    ------
    StorageError
        Where the driver is not installed, or an SQLite file cannot be made.
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self.place = place_of(url)
        self.is_sqlite = url.drivername.startswith("sqlite")
        if self.is_sqlite:
            _make_private(self.place)
        self.engine = self._engine()

    def read(self, work: Callable[[Connection], _Result]) -> _Result:
        """Return what `work` reads in one transaction, which sees one state of the store."""
        return self._run(work, writes=False)

    def write(self, work: Callable[[Connection], _Result]) -> _Result:
        """Do `work` as a whole or not at all and return its result; it may run again where others got in its way."""
        return self._run(work, writes=True)

    def write_alone(self, work: Callable[[Connection], _Result]) -> _Result:
        """Write while nobody else adds or deletes anything but steps."""

        def alone(connection: Connection) -> _Result:
            self.alone(connection)
            return work(connection)

        return self.write(alone)

    def alone(self, connection: Connection) -> None:
        """Let no other transaction that calls this go on before this one ends."""
        if not self.is_sqlite:  # a transaction of SQLite that writes is alone anyway
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})

    def settle(self) -> None:
        """Put an SQLite file into WAL mode, which it keeps."""
        if self.is_sqlite:
            self._retrying(self._set_wal)

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def _run(self, work: Callable[[Connection], _Result], *, writes: bool) -> _Result:
        """Run a transaction, again and again while other programs are in its way."""

        def once() -> _Result:
            options: dict[str, Any] = {_WRITES: writes}
            if not (writes or self.is_sqlite):
                options["isolation_level"] = "REPEATABLE READ"
            with self.engine.connect() as connection, connection.execution_options(**options).begin():
                return work(connection)

        return self._retrying(once)

    def _retrying(self, attempt: Callable[[], _Result]) -> _Result:
        """Return the result of an attempt; wait and try again while the database is busy."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return attempt()
            except (SQLAlchemyError, self.engine.dialect.loaded_dbapi.Error) as error:
                if not _is_busy(error) or time.monotonic() > end:
                    raise self._told(error) from None  # what led here may hold the URL with its password
            time.sleep(random.uniform(0.001, 0.02))

    def _told(self, error: Exception) -> StorageError:
        """Return the error as people are told it."""
        origin = getattr(error, "orig", None) or error
        reason = " ".join(str(origin).split())
        for secret in secrets_of(self.url):
            reason = reason.replace(secret, "***")
        if isinstance(error, IntegrityError):
            return StorageError(f"Somebody deleted or changed what this belongs to ({reason}): look at the list again.")
        return StorageError(
            _sqlite_text(self.place, origin, reason) if self.is_sqlite else _told_by_server(self, reason)
        )

    def _engine(self) -> Engine:
        """Return the engine of SQLAlchemy."""
        if self.is_sqlite:
            options = {"timeout": _BUSY_SECONDS, "isolation_level": None, "check_same_thread": False}
            engine = create_engine(self.url, connect_args=options, hide_parameters=True)
            event.listen(engine, "connect", _set_pragmas)
            event.listen(engine, "begin", _begin)
            return engine
        try:
            url = self.url
            if "connect_timeout" not in url.query:
                url = url.update_query_dict({"connect_timeout": str(_CONNECT_SECONDS)})
            engine = create_engine(url, pool_pre_ping=True, hide_parameters=True)
        except ModuleNotFoundError:
            raise StorageError("PostgreSQL needs one more package: pip install '.[postgres]' in the clone.") from None
        event.listen(engine, "connect", _set_durable)
        return engine

    def _set_wal(self) -> None:
        """Set the mode outside of any transaction."""
        connection = self.engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()


def _make_private(path: str) -> None:
    """Make the file of a new store, for its owner only; an existing one stays as it is."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return
    except OSError as error:
        reason = error.strerror or error
        raise StorageError(
            f"The store {path} cannot be made ({reason}): name a file in a folder you can write."
        ) from None


def _set_pragmas(connection: Any, record: object) -> None:
    """Set up a connection to SQLite: every commit is on the disk before it returns."""
    cursor = connection.cursor()
    for pragma in ("synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _set_durable(connection: Any, record: object) -> None:
    """Set up a connection to PostgreSQL: a commit waits for the disk also where the server would not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
    connection.commit()


def _begin(connection: Connection) -> None:
    """Begin a transaction of SQLite; one that writes takes the lock at once, so that it cannot fail for it later."""
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _is_busy(error: Exception) -> bool:
    """Whether another transaction was in the way."""
    origin = getattr(error, "orig", None) or error
    name = str(getattr(origin, "sqlite_errorname", ""))
    return name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or getattr(origin, "sqlstate", None) in _TRY_AGAIN


_SQLITE_TEXTS = {
    "SQLITE_NOTADB": "{place} is no SQLite database: name another file, or move this one away.",
    "SQLITE_CORRUPT": "The store {place} is damaged ({reason}): put a back-up in its place.",
    "SQLITE_READONLY": "The store {place} is read-only: make the file and its folder writable, or set TURS_DATA.",
    "SQLITE_PERM": "The store {place} may not be opened: make the file and its folder yours, or set TURS_DATA.",
    "SQLITE_CANTOPEN": "The store {place} cannot be opened: is its folder there, and may you write in it?",
    "SQLITE_FULL": "The disk is full, so {place} cannot be written: make room and try again.",
    "SQLITE_IOERR": "The store {place} cannot be read or written ({reason}): is the disk full or a quota reached?",
    "SQLITE_BUSY": "Another program holds the store {place}: end it and try again.",
    "SQLITE_LOCKED": "Another program holds the store {place}: end it and try again.",
}
"""What to tell, by the beginning of SQLite's name of the error."""


def _sqlite_text(place: str, origin: object, reason: str) -> str:
    """Return what to tell about an error of SQLite."""
    name = str(getattr(origin, "sqlite_errorname", ""))
    known = (template for start, template in _SQLITE_TEXTS.items() if name.startswith(start))
    template = next(known, "The store {place} cannot be used: {reason}.")
    return template.format(place=place, reason=reason)


def _told_by_server(database: Database, reason: str) -> str:
    """Return what to tell about an error of PostgreSQL."""
    return (
        f"The database {database.place} did not answer as it should ({reason}): check that the server runs, and the"
        " address, user and password in TURS_DATABASE."
    )
