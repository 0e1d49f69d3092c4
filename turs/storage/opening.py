"""Openings of the sealed test rows: who looked, when, at which version, and what they saw."""

from __future__ import annotations

import time
import uuid

from sqlalchemy import Connection, select

from turs.storage import items, tables
from turs.storage.records import Opening, SessionRecord

_O = tables.opening


def add_opening(connection: Connection, opening: Opening) -> None:
    """Write an opening down."""
    items.find(connection, SessionRecord, opening.session)
    row = {
        "id": uuid.uuid4().hex,
        "session": opening.session,
        "version": opening.version,
        "author": opening.author,
        "time": opening.time,
        "position": time.time_ns(),
        "result": opening.result,
    }
    connection.execute(_O.insert(), row)


def openings_of(connection: Connection, model: str) -> tuple[Opening, ...]:
    """Return the openings in all sessions of a model, the oldest first."""
    sessions = select(tables.session.c.id).where(tables.session.c.model == model)
    query = select(_O).where(_O.c.session.in_(sessions)).order_by(_O.c.position, _O.c.id)
    rows = connection.execute(query)
    return tuple(Opening(row.session, row.version, row.author, row.time, row.result) for row in rows)
