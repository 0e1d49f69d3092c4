"""The first start on a machine: the page says at once that code is compiled, how far it is, and goes on by itself."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from streamlit.testing.v1 import AppTest

from tests.ui.driving import PATIENCE, assert_whole, button_keys, markup
from turs.ui import warming
from turs.ui.serving import CACHE_VARIABLE, running_app


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Compiling that goes on until the event is set."""
    go_on = threading.Event()
    thread = threading.Thread(target=go_on.wait, args=(PATIENCE,), daemon=True)
    thread.start()
    monkeypatch.setattr(warming, "_compiling", [thread])
    yield go_on
    go_on.set()


def test_it_waits_and_goes_on(start: Callable[..., AppTest], held: threading.Event) -> None:
    app = start("3_Rules.py")
    assert_whole(app)
    assert "first start on this computer" in markup(app)
    assert button_keys(app) == ["no-waiting"]
    held.set()
    for thread in warming._compiling:
        thread.join(PATIENCE)
    app.run()
    assert_whole(app)
    assert "There is no table" in markup(app)


def test_nobody_has_to_wait(start: Callable[..., AppTest], held: threading.Event) -> None:
    app = start("1_Data.py")
    app.button(key="no-waiting").click().run()
    assert_whole(app)
    assert "use-iris.csv" in button_keys(app)


def test_what_fails_while_compiling_holds_nobody_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(warming, "_compiling", [])
    monkeypatch.setattr(warming, "_mark", lambda: tmp_path / "mark")
    monkeypatch.setattr(warming, "warm", lambda: 1 // 0)
    warming.start_warming()
    (thread,) = warming._compiling
    thread.join(PATIENCE)
    assert not warming.is_compiling()
    assert not (tmp_path / "mark").exists()


def test_in_a_browser_on_a_machine_that_never_compiled(browser: Browser, tmp_path: Path) -> None:
    with running_app({CACHE_VARIABLE: str(tmp_path)}) as server, browser.new_context() as context:
        page = context.new_page()
        page.goto(server.address)
        expect(page.locator(".st-key-compiling")).to_contain_text("of about", timeout=1000 * PATIENCE)
        expect(page.locator(".st-key-compiling")).to_contain_text(re.compile("[1-9] of about"), timeout=1000 * PATIENCE)
        page.locator(".st-key-no-waiting").get_by_role("button", name="Do not wait").first.click()
        page.locator(".st-key-sample-iris").wait_for()
