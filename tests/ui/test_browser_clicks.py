"""Two clicks where one was meant, in a real browser: each thing is done once, and nobody is told off."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from turs.storage import Store
from turs.storage.location import FILE_NAME
from turs.ui.library import saved_models
from turs.ui.made_model import store_made_model
from turs.ui.screenshots import rest
from turs.ui.serving import Server

PATIENCE = 180_000  # milliseconds; the first run on a machine compiles
N_RULES = 6


def open_page(page: Page, server: Server, name: str) -> str:
    model_id = store_made_model(server.folder / FILE_NAME, 2_000, N_RULES)
    page.goto(f"{server.address}/{name}?model={model_id}")
    expect(page.locator(f".st-key-page-{name}")).to_be_visible(timeout=PATIENCE)
    rest(page)
    return model_id


def click_twice(page: Page, button: Locator, delay: int) -> None:
    """Click at a place twice, whatever is there by then."""
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box is not None
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.click(*place)
    page.wait_for_timeout(delay)
    page.mouse.click(*place)
    page.wait_for_timeout(1_000)
    rest(page)


def expect_no_fault(page: Page) -> None:
    assert page.locator(".stAlert").all_inner_texts() == []
    expect(page.locator(".stException")).to_have_count(0)


def lines(server: Server, model_id: str) -> int:
    with Store.open(server.folder / FILE_NAME) as store:
        return len(store.lines(store.session_record(model_id)))


@pytest.mark.parametrize("action", ["delete", "duplicate"])
def test_a_double_click_on_keep_makes_one_edit(page: Page, server: Server, action: str) -> None:
    model_id = open_page(page, server, "Rules")
    if action == "duplicate":
        page.locator(".st-key-more button").first.click()
    page.locator(f".st-key-{action} button").click()
    expect(page.locator(".t-draft")).to_be_visible()
    page.keyboard.press("Escape")
    rest(page)
    page.locator(".st-key-keep button").dblclick()
    expect(page.locator(".t-draft")).to_have_count(0, timeout=PATIENCE)
    rest(page)
    expect_no_fault(page)
    assert lines(server, model_id) == 1
    n_rules = N_RULES + (1 if action == "duplicate" else -1)
    expect(page.locator(".rules .card")).to_have_count(n_rules + 1)


@pytest.mark.parametrize("delay", [20, 100, 150])
def test_two_clicks_on_keep_a_moment_apart_make_one_edit(page: Page, server: Server, delay: int) -> None:
    model_id = open_page(page, server, "Rules")
    page.locator(".st-key-delete button").click()
    expect(page.locator(".t-draft")).to_be_visible()
    rest(page)
    click_twice(page, page.locator(".st-key-keep button"), delay)
    expect(page.locator(".t-draft")).to_have_count(0, timeout=PATIENCE)
    expect_no_fault(page)
    assert lines(server, model_id) == 1


def test_a_reason_then_keep_then_another_page_at_once(page: Page, server: Server) -> None:
    model_id = open_page(page, server, "Rules")
    page.locator(".st-key-delete button").click()
    expect(page.locator(".t-draft")).to_be_visible()
    rest(page)
    page.get_by_placeholder("Why? (kept in the history)").fill("not ours")
    page.locator(".st-key-keep button").click()
    page.locator(".st-key-navigation").get_by_role("link", name="History").click()
    expect(page.locator(".log .line").first).to_contain_text("not ours", timeout=PATIENCE)
    page.locator(".st-key-navigation").get_by_role("link", name="Rules").click()
    expect(page.locator(".rules .card")).to_have_count(N_RULES, timeout=PATIENCE)
    rest(page)
    expect_no_fault(page)
    assert lines(server, model_id) == 1


def test_a_double_click_on_branch_makes_one_branch(page: Page, server: Server) -> None:
    open_page(page, server, "History")
    with Store.open(server.folder / FILE_NAME) as store:
        place = store.workspaces()[0]
        before = len(saved_models(store, place))
        page.get_by_label("Or go on in a branch of its own, called").fill("aside")
        page.get_by_role("button", name="Branch", exact=True).dblclick()
        expect(page.get_by_text("You are in the branch 'aside' now")).to_be_visible()
        rest(page)
        assert len(saved_models(store, place)) == before + 1
