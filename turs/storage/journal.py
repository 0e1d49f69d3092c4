"""Journals: the steps of a session, one a line, each with a checksum. They only grow.

A step names the version it was made on, the number of lines before it. Where the journal has other lines after that,
it is refused. A line that is not as its checksum says was cut off: as the last one it is dropped, anywhere else the
journal cannot be read past it.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, literal, select

from turs.editing.document import read_step, step_document
from turs.editing.history import Entry, Step
from turs.errors import ConflictError, StorageError
from turs.storage import tables
from turs.storage.records import Line, step_text

_J = tables.journal


@dataclass(frozen=True)
class Draft:
    """A step that is to be written, with what marks it as this one and no other."""

    step: Step
    token: str
    author: str
    time: str


def draft(step: Step, author: str) -> Draft:
    """Return a step that somebody makes now; an edit has its own author and time."""
    if isinstance(step, Entry):
        return Draft(step, uuid.uuid4().hex, step.author or author, step.time or now())
    return Draft(step, uuid.uuid4().hex, author, now())


def now() -> str:
    """Return the time as it is stored: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def checksum(number: int, line: str) -> str:
    """Return what tells whether a line is as it was written, and in its place."""
    return hashlib.sha256(f"{number} {len(line)} {line}".encode()).hexdigest()


def append(connection: Connection, session: str, base: int, drafts: Sequence[Draft]) -> int:
    """Write steps that were made on version `base` and return the version that they lead to.

    Steps that a lost connection kept from being acknowledged are known by their tokens and not written twice.

    Raises
    ------
    ConflictError
        Where the journal has steps of others after `base`.
    StorageError
        Where the session is gone, or has fewer steps than `base`.
    """
    owner = select(tables.session.c.id).where(tables.session.c.id == session).with_for_update()
    if connection.execute(owner).first() is None:
        raise StorageError("The session was deleted: begin a new one.")
    version = _intact_version(connection, session)
    if version < base:
        raise StorageError(
            f"The journal has {version} steps, but the session had read {base}: was an older copy of the store put"
            " back? Open the session again."
        )
    known = [] if version == base else read(connection, session, base)
    n_written = sum(line.token == own.token for line, own in zip(known, drafts, strict=False))
    if n_written < len(known):
        mine, theirs = drafts[n_written:], known[n_written:]
        raise ConflictError(
            base, version, tuple(step_text(own.step) for own in mine), tuple(line.text for line in theirs)
        )
    rows = [_row(session, version + 1 + index, own) for index, own in enumerate(drafts[n_written:])]
    if rows:
        connection.execute(_J.insert(), rows)
    return version + len(rows)


def read(connection: Connection, session: str, after: int = 0) -> list[Line]:
    """Return the lines after a version; a last line that was cut off is left out.

    Raises
    ------
    StorageError
        Where another line is damaged or missing.
    """
    query = select(_J).where(_J.c.session == session, _J.c.number > after).order_by(_J.c.number)
    rows = connection.execute(query).all()
    lines = []
    for number, row in enumerate(rows, start=after + 1):
        try:
            if row.number != number:
                raise StorageError("is missing")
            lines.append(line_of(row))
        except StorageError as error:
            if row is rows[-1] and row.number == number:
                break
            raise StorageError(
                f"Step {number} in the journal of session {session} {error}: put a back-up of the store in place, or go"
                f" on in a new session that branches off version {number - 1}."
            ) from None
    return lines


def version_of(connection: Connection, session: str) -> int:
    """Return the number of the last line."""
    last = select(func.coalesce(func.max(_J.c.number), 0)).where(_J.c.session == session)
    return int(connection.execute(last).scalar_one())


def authors(connection: Connection, session: str, after: int) -> tuple[str, ...]:
    """Return who made the steps after a version, one a step."""
    query = select(_J.c.author).where(_J.c.session == session, _J.c.number > after).order_by(_J.c.number)
    return tuple(connection.execute(query).scalars())


def is_edit() -> ColumnElement[bool]:
    """Return the condition on a line that its step is an edit; lines begin with what their step is."""
    return _J.c.line.startswith('{"step": "edit"', autoescape=True)


def copy(connection: Connection, session: str, to: str, version: int) -> None:
    """Write the first lines of a journal into another one."""
    columns = [column for column in _J.c if column is not _J.c.session]
    query = select(literal(to), *columns).where(_J.c.session == session, _J.c.number <= version)
    connection.execute(_J.insert().from_select([_J.c.session, *columns], query))


def line_of(row: Row[Any]) -> Line:
    """Return a row of a journal as a line.

    Raises
    ------
    StorageError
        Where it is damaged; the text says how and follows the name of the step.
    """
    if row.checksum != checksum(row.number, row.line):
        raise StorageError("is damaged (its checksum does not fit)")
    try:
        step = read_step(json.loads(row.line))
    except (ValueError, RecursionError) as error:
        raise StorageError(f"cannot be read ({error})") from None
    return Line(row.number, row.token, row.author, row.time, step)


def _intact_version(connection: Connection, session: str) -> int:
    """Return the number of the last line, after dropping it where it was cut off."""
    query = select(_J).where(_J.c.session == session).order_by(_J.c.number.desc()).limit(1)
    last = connection.execute(query).first()
    if last is None:
        return 0
    try:
        return line_of(last).number
    except StorageError:
        connection.execute(_J.delete().where(_J.c.session == session, _J.c.number == last.number))
        return int(last.number) - 1


def _row(session: str, number: int, own: Draft) -> dict[str, Any]:
    """Return the row of a step."""
    line = json.dumps(step_document(own.step), allow_nan=False)
    return {
        "session": session,
        "number": number,
        "token": own.token,
        "author": own.author,
        "time": own.time,
        "line": line,
        "checksum": checksum(number, line),
    }
