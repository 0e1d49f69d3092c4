"""Run an exported statement on real tables: SQLite, PostgreSQL and DuckDB, each with types of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

import duckdb
import psycopg

from turs.export.quoting import identifier

KEY = "turs test key"
"""First column of every test table: the position of the row, because a database returns rows in any order."""


@dataclass(frozen=True)
class Stored:
    """A table to be stored: names, SQL types and rows."""

    name: str
    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[object]]

    @property
    def creation(self) -> str:
        """The statement that creates the table."""
        columns = [(KEY, "INTEGER"), *self.columns]
        return f"CREATE TABLE {identifier(self.name)} ({', '.join(f'{identifier(n)} {kind}' for n, kind in columns)})"

    def insertion(self, placeholder: str) -> str:
        """Return the statement that inserts a row."""
        values = ", ".join([placeholder] * (len(self.columns) + 1))
        name = identifier(self.name)
        return f"INSERT INTO {name.replace('%', '%%') if placeholder == '%s' else name} VALUES ({values})"

    @property
    def keyed_rows(self) -> list[tuple[object, ...]]:
        """The rows, each with its position in front."""
        return [(position, *row) for position, row in enumerate(self.rows)]


@dataclass(frozen=True)
class Answer:
    """What a statement returned: names of the columns, and rows in the order of their keys."""

    names: list[str]
    rows: list[tuple[object, ...]]


def on_sqlite(stored: Stored, statement: str) -> Answer:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(stored.creation)
        connection.executemany(stored.insertion("?"), stored.keyed_rows)
        return _answer(connection.execute(statement))


def on_duckdb(stored: Stored, statement: str) -> Answer:
    with duckdb.connect() as connection:
        connection.execute(stored.creation)
        if stored.rows:
            connection.executemany(stored.insertion("?"), stored.keyed_rows)
        return _answer(connection.execute(statement))


def on_postgres(url: str, setting: str = "SET TIME ZONE 'UTC'") -> Callable[[Stored, str], Answer]:
    def run(stored: Stored, statement: str) -> Answer:
        with psycopg.connect(url) as connection:
            connection.execute(setting)
            connection.execute(stored.creation)
            with connection.cursor() as cursor:
                cursor.executemany(stored.insertion("%s"), stored.keyed_rows)
                answer = _answer(cursor.execute(statement))
            connection.rollback()
            return answer

    return run


def _answer(cursor: object) -> Answer:
    names = [column[0] for column in cursor.description]
    key = names.index(KEY)
    return Answer(names, sorted(map(tuple, cursor.fetchall()), key=lambda row: row[key]))
