"""What can go wrong between browser and server, in a real browser: nothing that was kept is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from turs.storage import Store
from turs.storage.location import FILE_NAME
from turs.ui.made_model import store_made_model
from turs.ui.screenshots import move_cut, rest
from turs.ui.serving import Server

PATIENCE = 180_000  # milliseconds; the first run on a machine compiles


@pytest.fixture
def model_id(server: Server) -> str:
    return store_made_model(server.folder / FILE_NAME, 2_000, 6)


@pytest.fixture
def own_page(browser: Browser) -> Iterator[Page]:
    """A page whose network may fail."""
    with browser.new_context(viewport={"width": 1440, "height": 1000}) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        yield page


def open_rules(page: Page, server: Server, model_id: str) -> None:
    page.goto(f"{server.address}/Rules?model={model_id}")
    expect(page.locator(".st-key-bench input[type=range]")).to_be_visible(timeout=PATIENCE)


def keep(page: Page) -> None:
    """Keep the draft on screen."""
    page.locator(".st-key-keep button").click()
    expect(page.locator(".t-draft")).to_have_count(0, timeout=PATIENCE)
    rest(page)


def bits(page: Page) -> str:
    return page.locator(".t-state .value").first.inner_text()


def n_kept(server: Server, model_id: str) -> int:
    """Return how many steps the store has."""
    with Store.open(server.folder / FILE_NAME) as store:
        return len(store.lines(store.session_record(model_id)))


def test_a_colleagues_edit_is_announced_while_a_preview_stays(
    own_page: Page, browser: Browser, server: Server, model_id: str
) -> None:
    open_rules(own_page, server, model_id)
    move_cut(own_page, 3)
    draft = own_page.locator(".t-draft").inner_text()
    with browser.new_context() as context:
        other = context.new_page()
        open_rules(other, server, model_id)
        move_cut(other, 5)
        keep(other)
        changed = bits(other)
        news = own_page.locator(".st-key-news")
        expect(news).to_contain_text("1 new edit in another window", timeout=PATIENCE)
        assert own_page.locator(".t-draft").inner_text() == draft
        news.get_by_role("button", name="Show").click()
        expect(own_page.locator(".t-state .value").first).to_have_text(changed, timeout=PATIENCE)
        expect(news).to_have_count(0)
        expect(own_page.locator(".t-draft")).to_be_visible()


class Line:
    """The connection of a page to the server, which can be cut; the browser's own offline mode leaves it open."""

    def __init__(self, page: Page) -> None:
        self.is_cut = False
        self._page = page
        self._now: WebSocketRoute | None = None
        page.route_web_socket("**/_stcore/stream", self._connect)

    def cut(self) -> None:
        assert self._now is not None
        self.is_cut = True
        self._page.context.set_offline(True)
        self._now.close()

    def mend(self) -> None:
        self.is_cut = False
        self._page.context.set_offline(False)

    def _connect(self, connection: WebSocketRoute) -> None:
        if self.is_cut:
            connection.close()
        else:
            connection.connect_to_server()
            self._now = connection


def test_a_browser_that_goes_offline_while_editing(own_page: Page, server: Server, model_id: str) -> None:
    line = Line(own_page)
    open_rules(own_page, server, model_id)
    move_cut(own_page, 3)
    keep(own_page)
    kept = bits(own_page)
    move_cut(own_page, 4)
    draft = own_page.locator(".t-draft").inner_text()
    line.cut()
    expect(own_page.locator(".st-key-keep button")).to_be_disabled(timeout=PATIENCE)  # nothing can be done in vain
    assert n_kept(server, model_id) == 1
    line.mend()
    expect(own_page.locator(".st-key-keep button")).to_be_enabled(timeout=PATIENCE)  # connected again, by itself
    rest(own_page)
    assert own_page.locator(".t-draft").inner_text() == draft
    expect(own_page.locator(".t-state .value").first).to_have_text(kept)
    keep(own_page)
    assert n_kept(server, model_id) == 2
    changed = bits(own_page)
    own_page.reload()
    expect(own_page.locator(".t-state .value").first).to_have_text(changed, timeout=PATIENCE)
    assert not own_page.locator(".stException").count()


def test_a_server_that_dies_while_somebody_edits(own_page: Page, server: Server, model_id: str) -> None:
    open_rules(own_page, server, model_id)
    move_cut(own_page, 3)
    keep(own_page)
    kept = bits(own_page)
    move_cut(own_page, 4)
    server.stop(kill=True)
    server.start()
    server.wait()
    expect(own_page.locator(".t-draft")).to_have_count(
        0, timeout=PATIENCE
    )  # the browser comes back by itself, to what was kept
    expect(own_page.locator(".t-state .value").first).to_have_text(kept, timeout=PATIENCE)
    assert n_kept(server, model_id) == 1
    rest(own_page)  # the bar is there before the new slider is
    move_cut(own_page, 4)
    keep(own_page)
    assert n_kept(server, model_id) == 2
    assert not own_page.locator(".stException").count()
