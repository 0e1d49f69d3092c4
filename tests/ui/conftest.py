"""The application with and without a browser, on a store of its own."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from streamlit.testing.v1 import AppTest

from tests.ui.driving import PATIENCE, ROOT, learned
from turs.learn.learner import learn
from turs.ui.serving import Server, launched, running_app


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


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_app() as found:
        yield found


@pytest.fixture(scope="module")
def address(server: Server) -> str:
    return server.address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        opened = launched(driver)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that fails where the console shows an error or a request leaves this machine."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, locale="en-US")
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("request", lambda request: faults.append(request.url) if not _is_local(request.url) else None)
    opened.on(
        "console",
        lambda message: (
            faults.append(message.text) if message.type == "error" and not _is_probe(message.location["url"]) else None
        ),
    )
    opened.goto(address)
    yield opened
    context.close()
    assert not faults


def _is_local(url: str) -> bool:
    return re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|(data|blob):", url) is not None


def _is_probe(url: str) -> bool:
    """Say whether Streamlit looked for itself below the page that was asked for, as it does after a reload."""
    return re.search(r"/[A-Z]\w+/_stcore/(health|host-config)$", url) is not None


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Learning that waits until the event is set."""
    go_on = threading.Event()

    def waiting(*args: Any, **kwargs: Any) -> object:
        go_on.wait(PATIENCE)
        return learn(*args, **kwargs)

    monkeypatch.setattr("turs.ui.worker.learn", waiting)
    yield go_on
    go_on.set()
