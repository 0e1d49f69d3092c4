"""Names, texts and numbers in SQL."""

from __future__ import annotations

import sqlite3

import duckdb
import psycopg
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.strategies import finite_floats
from turs.errors import ModelError
from turs.export.quoting import double, identifier, literal


def test_quotes_are_doubled() -> None:
    assert identifier('a"b') == '"a""b"'
    assert literal("a'b") == "'a''b'"
    with pytest.raises(ModelError, match="without a name"):
        identifier("")
    with pytest.raises(ModelError, match=r"'a\\x00' has a character"):
        literal("a\x00")


def test_short_numbers_are_written_as_people_read_them() -> None:
    assert [double(value) for value in (60.0, -0.0, 0.8, -1.75, 1e22, 1e-7)] == [
        *("60", "0", "0.8E0", "-1.75E0", "1e+22", "1e-07"),
    ]


numbers = st.one_of(finite_floats, st.decimals(-(10**6), 10**6, places=3).map(float))


@settings(deadline=None, max_examples=400)
@given(st.lists(numbers, min_size=1, max_size=20))
@example([8.70475, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, -1 / 3, 2.0**53, 2.0**63, 1e23])
def test_every_engine_reads_exactly_the_number(values: list[float]) -> None:
    statement = f"SELECT {', '.join(f'CAST({double(value)} AS DOUBLE PRECISION)' for value in values)}"
    assert list(sqlite3.connect(":memory:").execute(statement).fetchone()) == values
    assert list(duckdb.execute(statement).fetchone()) == values


def test_postgres_reads_exactly_the_number(postgres_url: str) -> None:
    values = [5e-324, 1.7976931348623157e308, 0.1 + 0.2, -1 / 3, 2.0**53, 1e22, 1e-7, 0.8, 123456.789]
    statement = f"SELECT {', '.join(f'CAST({double(value)} AS DOUBLE PRECISION)' for value in values)}"
    with psycopg.connect(postgres_url) as connection:
        assert list(connection.execute(statement).fetchone()) == values


def test_decimals_that_sqlite_would_misread_are_not_written_as_decimals() -> None:
    with sqlite3.connect(":memory:") as connection:
        values = [round(k * 0.00037 + 1e-5, 7) for k in range(20_000)]
        misread = [value for value in values if connection.execute(f"SELECT {value!r}").fetchone()[0] != value]
    assert all("CAST" in double(value) for value in misread)
    assert sum("CAST" in double(value) for value in values) < len(values) / 1000
