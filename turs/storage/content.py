"""Content by its address: bytes are stored once under their SHA-256, and go with the last table that uses them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TypeVar

import pandas as pd
from sqlalchemy import Connection, func, select, union

from turs.errors import StorageError
from turs.storage import tables
from turs.storage.database import Database
from turs.storage.parquet import to_parquet

_Result = TypeVar("_Result")

_PART_BYTES = 4 * 2**20
"""Bytes of a part: databases bound the size of a value."""


def address(data: bytes) -> str:
    """Return the address of bytes."""
    return hashlib.sha256(data).hexdigest()


def with_table(
    database: Database, frame: pd.DataFrame, known: str, work: Callable[[Connection, str], _Result]
) -> _Result:
    """Write what needs a table as a whole or not at all; `work` is given the address of the table.

    The table becomes bytes before the transaction, which would hold others up, and not at all where its rows are still
    at the address `known`.
    """
    if known:
        done = database.write_alone(
            lambda connection: (work(connection, known),) if is_there(connection, known) else ()
        )
        if done:
            return done[0]
    data = to_parquet(frame)
    return database.write_alone(lambda connection: work(connection, put(connection, data)))


def put(connection: Connection, data: bytes) -> str:
    """Store bytes unless they are there already, and return their address."""
    hash_ = address(data)
    if not is_there(connection, hash_):
        connection.execute(tables.content.insert(), {"hash": hash_, "n_bytes": len(data)})
        for number, start in enumerate(range(0, len(data), _PART_BYTES)):
            part = {"hash": hash_, "number": number, "data": data[start : start + _PART_BYTES]}
            connection.execute(tables.content_part.insert(), part)
    return hash_


def is_there(connection: Connection, hash_: str) -> bool:
    """Return whether there are bytes at an address."""
    return connection.execute(select(tables.content.c.hash).where(tables.content.c.hash == hash_)).first() is not None


def get(connection: Connection, hash_: str) -> bytes:
    """Return the bytes at an address.

    Raises
    ------
    StorageError
        Where they are gone or not what they were.
    """
    parts = tables.content_part
    query = select(parts.c.data).where(parts.c.hash == hash_).order_by(parts.c.number)
    data = b"".join(connection.execute(query).scalars())
    if address(data) != hash_:
        raise StorageError(f"The rows at address {hash_[:12]} are damaged: put a back-up of the store in place.")
    return data


def drop_unused(connection: Connection) -> None:
    """Delete the bytes that no data set and no preparation uses any more."""
    owners = (tables.data_set, tables.preparation)
    columns = [table.c[name] for table in owners for name in ("content", "split_content")]
    used = union(*(select(column).where(column.is_not(None)) for column in columns))
    connection.execute(tables.content.delete().where(tables.content.c.hash.not_in(used)))


def size_of(connection: Connection, hashes: set[str]) -> int:
    """Return the bytes at some addresses."""
    total = select(func.coalesce(func.sum(tables.content.c.n_bytes), 0)).where(tables.content.c.hash.in_(hashes))
    return int(connection.execute(total).scalar_one())
