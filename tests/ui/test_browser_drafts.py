"""A change that is not kept yet, in a real browser: in sight at once, and never in the way of another window."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from turs.storage.location import FILE_NAME
from turs.ui.made_model import store_made_model
from turs.ui.screenshots import move_cut, rest
from turs.ui.serving import Server

PATIENCE = 180_000  # milliseconds; the first run on a machine compiles


def open_rules(page: Page, server: Server, model_id: str) -> None:
    page.goto(f"{server.address}/Rules?model={model_id}")
    expect(page.locator(".st-key-bench input[type=range]")).to_be_visible(timeout=PATIENCE)
    rest(page)


def test_a_change_is_in_sight_at_once_and_nothing_moves_away(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    open_rules(page, server, store_made_model(server.folder / FILE_NAME, 2_000, 6))
    slider = page.locator(".st-key-bench input[type=range]")
    slider.focus()
    rest(page)
    before = slider.bounding_box()
    move_cut(page, 3)
    expect(page.locator(".st-key-keep button")).to_be_in_viewport(ratio=1)
    expect(page.locator(".t-draft")).to_be_in_viewport(ratio=1)
    assert slider.bounding_box() == before
    page.mouse.move(800, 600)
    page.mouse.wheel(0, 500)
    rest(page)
    expect(page.locator(".st-key-keep button")).to_be_in_viewport(ratio=1)
    page.locator(".st-key-drop button").click()
    expect(page.locator(".t-draft")).to_have_count(0)
    rest(page)
    page.mouse.wheel(0, -2_000)
    page.locator(".st-key-delete button").click()
    expect(page.locator(".t-draft")).to_be_in_viewport(ratio=1)
    expect(page.locator(".cut .numbers")).to_be_hidden()
    page.locator(".rules .card").nth(1).locator("button.id").click()
    expect(page.locator(".st-key-go-to-draft")).to_be_visible()
    expect(page.locator(".t-draft")).to_contain_text("Delete ")


def test_the_ways_out_of_a_conflict_are_there_at_once(page: Page, browser: Browser, server: Server) -> None:
    model_id = store_made_model(server.folder / FILE_NAME, 2_000, 6)
    open_rules(page, server, model_id)
    move_cut(page, 3)
    with browser.new_context() as context:
        other = context.new_page()
        open_rules(other, server, model_id)
        move_cut(other, 5)
        other.locator(".st-key-keep button").click()
        expect(other.locator(".t-draft")).to_have_count(0, timeout=PATIENCE)
    page.locator(".st-key-keep button").click()
    ways = page.locator(".st-key-conflict button")
    expect(ways).to_have_count(3, timeout=PATIENCE)
    for number in range(3):
        expect(ways.nth(number)).to_be_in_viewport()
    told = page.locator(".st-key-conflict .stAlert")
    expect(told).to_be_in_viewport()
    expect(told).to_contain_text("by somebody else or in another window of yours")
    expect(told).to_contain_text("edit 1: ")
    ways.first.click()
    expect(page.locator(".st-key-conflict")).to_have_count(0)
    expect(page.locator(".t-state .change").first).to_be_visible()


def test_a_reload_gives_back_what_was_about_to_change(page: Page, server: Server) -> None:
    open_rules(page, server, store_made_model(server.folder / FILE_NAME, 2_000, 6))
    page.locator(".rules .card").nth(2).locator("button.id").click()
    expect(page.locator(".st-key-bench .t-title").first).to_contain_text(
        page.locator(".rules .card").nth(2).locator("button.id").inner_text()
    )
    rest(page)
    move_cut(page, 3)
    told = page.locator(".t-draft").inner_text()
    rest(page)
    page.reload()
    expect(page.locator(".t-draft")).to_have_text(told, timeout=PATIENCE, use_inner_text=True)
    page.locator(".st-key-drop button").click()
    expect(page.locator(".t-draft")).to_have_count(0)
    rest(page)
    page.reload()
    expect(page.locator(".st-key-bench input[type=range]")).to_be_visible(timeout=PATIENCE)
    rest(page)
    expect(page.locator(".t-draft")).to_have_count(0)
