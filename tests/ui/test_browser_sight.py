"""What a page says is in sight: actions without scrolling, tables without hidden columns, names after a reload."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from turs.editing import DeleteRule
from turs.storage import Store
from turs.storage.location import FILE_NAME
from turs.ui.made_model import store_made_model
from turs.ui.screenshots import rest
from turs.ui.serving import Server

SIZES = [(1440, 900), (1024, 768)]
_WIDER = "(frame) => frame.scrollWidth > frame.clientWidth + 1"
_LINES = """
(part) => {
  const all = document.createRange();
  all.selectNodeContents(part);
  return new Set([...all.getClientRects()].map((line) => line.top)).size;
}
"""
_BROKEN = """
(cells) => cells.filter((cell) => {
  const all = document.createRange();
  all.selectNodeContents(cell);
  return !(/ /.test(cell.textContent) && /[a-z]/i.test(cell.textContent)) && all.getClientRects().length > 1;
}).map((cell) => cell.textContent)
"""


@pytest.fixture(scope="module")
def model_id(server: Server) -> str:
    """Many rules, one of them deleted."""
    found = store_made_model(server.folder / FILE_NAME, 4_000, 60)
    with Store.open(server.folder / FILE_NAME) as store:
        store.open_session(store.session_record(found)).apply(DeleteRule("r1"), author="Bo")
    return found


def visited(page: Page, server: Server, name: str, model: str) -> None:
    page.goto(f"{server.address}/{name}?model={model}")
    page.locator(f".st-key-page-{name}").wait_for(timeout=120_000)
    rest(page)


@pytest.mark.parametrize("size", SIZES)
def test_overlaps_hide_nothing(browser: Browser, server: Server, model_id: str, size: tuple[int, int]) -> None:
    with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        page = context.new_page()
        visited(page, server, "Overlaps", model_id)
        for part in (".st-key-overlap-ways button >> nth=-1", ".st-key-overlap-rows"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
        for view in ("figure", "ledger", "matrix"):
            box = page.locator(f".st-key-overlap-{view}-box")
            wider = box.locator(".scroll").evaluate(_WIDER)
            assert not (view == "ledger" and wider)
            expect(box.locator(".hint")).to_be_visible(visible=wider)
        column = page.locator(".column[aria-pressed=true]")
        expect(column).to_have_count(1)
        rules = (column.get_attribute("data-rules") or "").split()
        expect(column.locator(".dot.on")).to_have_count(len(rules))
        frame, own = page.locator(".st-key-overlap-figure-box .scroll").bounding_box(), column.bounding_box()
        assert frame is not None
        assert own is not None
        assert frame["x"] <= own["x"]
        assert own["x"] + own["width"] <= frame["x"] + frame["width"] + 1


@pytest.mark.parametrize("size", [*SIZES, (860, 768)])
def test_no_number_of_a_comparison_is_broken(
    browser: Browser, server: Server, model_id: str, size: tuple[int, int]
) -> None:
    with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        page = context.new_page()
        visited(page, server, "History", model_id)
        broken = page.locator(".st-key-compare .t-table td").evaluate_all(_BROKEN)
        assert broken == []
        wide = page.locator(".st-key-compare").evaluate("(box) => box.scrollWidth > box.clientWidth + 1")
        assert not wide


def test_the_browser_remembers_who_somebody_is(page: Page, server: Server, model_id: str) -> None:
    visited(page, server, "History", model_id)
    field = page.get_by_role("textbox", name="Your name")
    field.fill("Ada <i>L.</i>")
    field.press("Enter")
    rest(page)
    page.reload()
    expect(field).to_have_value("Ada <i>L.</i>")
    rest(page)
    page.get_by_role("textbox", name="Name this version").fill("seen")
    page.get_by_role("button", name="Name it").click()
    rest(page)
    with Store.open(server.folder / FILE_NAME) as store:
        assert store.open_session(store.session_record(model_id)).history.checkpoints == {"seen": 1}
    field.fill("")
    field.press("Enter")
    rest(page)
    page.reload()
    rest(page)
    expect(field).to_have_value("")


def test_long_names_in_a_list_wrap_and_end_with_an_ellipsis_in_the_box(
    browser: Browser, server: Server, model_id: str
) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        visited(page, server, "History", model_id)
        box = page.locator(".st-key-compare").get_by_role("combobox", name="After")
        assert box.evaluate("(field) => getComputedStyle(field).textOverflow") == "ellipsis"
        box.click()
        option = page.get_by_role("option", name="edit 1")
        expect(option).to_be_visible()
        assert option.evaluate(_LINES) > 1
        assert not option.evaluate(
            "(line) => [...line.children].some((part) => part.scrollWidth > part.clientWidth + 1)"
        )
