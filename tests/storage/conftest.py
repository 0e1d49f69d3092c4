"""Every store of the contract tests: one in an SQLite file, one on a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.storage.cases import new_url, sqlite_path
from turs.storage import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the file or the URL of a store that is not there yet."""
    return sqlite_path(tmp_path) if request.param == "sqlite" else new_url(request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """Open a new store."""
    with Store.open(place) as store:
        yield store
