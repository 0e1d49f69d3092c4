"""The tables of a store, and the columns that hold any text or JSON value whatever its characters."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)


class Json(TypeDecorator[Any]):
    """A JSON value as ASCII text, so that text with any characters comes back: PostgreSQL itself refuses some."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Return what is stored."""
        return json.dumps(value, allow_nan=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Return what was given."""
        return None if value is None else json.loads(value)


metadata = MetaData()

_Id = String(32)
_Hash = String(64)
_Time = String(40)


def _reference(name: str, to: str) -> Column[str]:
    """Return a column that names a row of another table and goes with it."""
    return Column(name, _Id, ForeignKey(f"{to}.id", ondelete="CASCADE"), nullable=False, index=True)


def _described() -> list[Column[Any]]:
    """Return the columns that everything with a name has; `position` keeps the order in which things were added."""
    return [
        Column("name", Json, nullable=False),
        Column("author", Json, nullable=False),
        Column("created", _Time, nullable=False),
        Column("position", BigInteger, nullable=False),
        Column("is_archived", Boolean, nullable=False),
    ]


store = Table("turs_store", metadata, Column("version", Integer, nullable=False))
"""One row: the version of these tables."""

workspace = Table("turs_workspace", metadata, Column("id", _Id, primary_key=True), *_described())

Index("turs_workspace_name", workspace.c.name, unique=True)

content = Table(
    "turs_content", metadata, Column("hash", _Hash, primary_key=True), Column("n_bytes", BigInteger, nullable=False)
)
"""Parquet files by the SHA-256 of their bytes."""

content_part = Table(
    "turs_content_part",
    metadata,
    Column("hash", _Hash, ForeignKey("turs_content.hash", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

data_set = Table(
    "turs_data_set",
    metadata,
    Column("id", _Id, primary_key=True),
    _reference("workspace", "turs_workspace"),
    *_described(),
    Column("target", Json, nullable=False),
    Column("kinds", Json, nullable=False),
    Column("ignored", Json, nullable=False),
    Column("notes", Json, nullable=False),
    Column("n_rows", BigInteger, nullable=False),
    Column("n_columns", BigInteger, nullable=False),
    Column("content", _Hash, ForeignKey("turs_content.hash"), nullable=False, index=True),
    Column("split_content", _Hash, ForeignKey("turs_content.hash"), nullable=False, index=True),
)

preparation = Table(
    "turs_preparation",
    metadata,
    Column("id", _Id, primary_key=True),
    _reference("workspace", "turs_workspace"),
    *_described(),
    Column("choices", Json, nullable=False),
    Column("notes", Json, nullable=False),
    Column("n_rows", BigInteger, nullable=False),
    Column("n_columns", BigInteger, nullable=False),
    Column("content", _Hash, ForeignKey("turs_content.hash"), nullable=False, index=True),
    Column("split_content", _Hash, ForeignKey("turs_content.hash"), nullable=True, index=True),
    Column("version", Integer, nullable=False),
    Column("changed", _Time, nullable=False),
)
"""Tables that rules are to be learned from; the only rows of a store that change."""

model = Table(
    "turs_model",
    metadata,
    Column("id", _Id, primary_key=True),
    _reference("data_set", "turs_data_set"),
    *_described(),
    Column("document", Json, nullable=False),
    Column("learning", Json, nullable=False),
    Column("n_rules", Integer, nullable=False),
    Column("total_bits", Json, nullable=False),
)

session = Table(
    "turs_session",
    metadata,
    Column("id", _Id, primary_key=True),
    _reference("model", "turs_model"),
    *_described(),
    Column("origin", _Id),
    Column("origin_version", Integer, nullable=False),
)

journal = Table(
    "turs_journal",
    metadata,
    Column("session", _Id, ForeignKey("turs_session.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("token", _Id, nullable=False),
    Column("author", Json, nullable=False),
    Column("time", _Time, nullable=False),
    Column("line", Text, nullable=False),
    Column("checksum", _Hash, nullable=False),
)
"""Steps of sessions, one a row; the text of a line is ASCII."""

opening = Table(
    "turs_opening",
    metadata,
    Column("id", _Id, primary_key=True),
    _reference("session", "turs_session"),
    Column("version", Integer, nullable=False),
    Column("author", Json, nullable=False),
    Column("time", _Time, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("result", Json, nullable=False),
)
