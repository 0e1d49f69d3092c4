"""What holds for all tests, and fixtures that several test modules share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.postgres import postgres_server

# The first call of a kernel compiles it, so no example has a deadline.
settings.register_profile("turs", deadline=None)
settings.load_profile("turs")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Run a PostgreSQL server for the tests that ask for it, and give its connection URL."""
    with postgres_server() as url:
        yield url
