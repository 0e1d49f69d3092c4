"""The application without a browser, on a store of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.driving import PATIENCE, ROOT, learned


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("TURS_DATABASE", raising=False)
    monkeypatch.setenv("TURS_DATA", str(tmp_path))
    monkeypatch.setattr("turs.ui.frame.start_warming", lambda: None)


@pytest.fixture
def start() -> Callable[..., AppTest]:
    """Open a page in a new session, with the parameters of its address."""

    def begin(page: str = "", **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
        for name, value in query.items():
            app.query_params[name] = value
        if page:
            app.switch_page(f"pages/{page}")
        return app.run()

    return begin


@pytest.fixture
def app(start: Callable[..., AppTest]) -> AppTest:
    return start()


@pytest.fixture
def iris(app: AppTest) -> AppTest:
    """Iris, learned, on the Rules page."""
    return learned(app, "iris")
