"""What a page says is in sight: actions without scrolling, tables without hidden columns, names after a reload."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from turs.editing import AddRule, DeleteRule, LockRule
from turs.rules.literal import Interval
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


@pytest.fixture(scope="module")
def few_rules(server: Server) -> str:
    """Three rules, of which `r2` is locked, and `r4`: whose fewest bits are where it covers next to nothing."""
    found = store_made_model(server.folder / FILE_NAME, 400, 3)
    with Store.open(server.folder / FILE_NAME) as store:
        session = store.open_session(store.session_record(found))
        session.apply(LockRule("r2"), author="Bo")
        session.apply(AddRule((Interval("x4", low=0.3),)), author="Bo")
    return found


def visited(page: Page, server: Server, name: str, model: str) -> None:
    page.goto(f"{server.address}/{name}?model={model}")
    page.locator(f".st-key-page-{name}").wait_for(timeout=120_000)
    rest(page)


def box_of(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found is not None
    return found


def select(page: Page, rule: str) -> None:
    page.get_by_role("button", name=f"Select {rule}", exact=True).click()
    rest(page)


@pytest.mark.parametrize("size", [(1024, 768), (860, 768)])
def test_aligned_rules_keep_what_they_are_about_while_features_scroll(
    browser: Browser, server: Server, model_id: str, size: tuple[int, int]
) -> None:
    with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        page = context.new_page()
        visited(page, server, "Rules", model_id)
        page.get_by_text("Aligned", exact=True).click()
        rest(page)
        frame = page.locator(".scroll.table")
        cells = page.locator("tr[data-rule]").first.locator("xpath=*")
        resting = [box_of(cells.nth(column)) for column in range(4)]
        page.set_viewport_size({"width": size[0] - 160, "height": size[1]})
        page.set_viewport_size({"width": size[0], "height": size[1]})
        frame.evaluate("(frame) => { frame.scrollLeft = 1e6; }")
        assert frame.evaluate("(frame) => frame.scrollLeft") > 0
        assert [box_of(cells.nth(column)) for column in range(4)] == resting
        last = box_of(cells.nth(3))
        edge = last["x"] + last["width"]
        covered = frame.locator("tr[data-rule]:not(.selected)").first.locator(".chip").first
        assert box_of(covered)["x"] < edge
        covered.evaluate("(chip) => chip.click()")
        rest(page)
        assert box_of(page.locator("td .chip[aria-pressed=true]"))["x"] >= edge


@pytest.mark.parametrize("size", SIZES)
def test_a_list_shows_that_more_cards_follow(
    browser: Browser, server: Server, model_id: str, size: tuple[int, int]
) -> None:
    with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        page = context.new_page()
        visited(page, server, "Rules", model_id)
        frame = page.locator(".scroll.cards")
        expect(frame).to_have_class(re.compile("more"))
        assert not frame.evaluate("(frame) => getComputedStyle(frame).scrollbarColor").startswith("rgba(0, 0, 0, 0)")
        frame.evaluate("(frame) => { frame.scrollTop = 1e6; }")
        expect(frame).not_to_have_class(re.compile("more"))


@pytest.mark.parametrize("size", SIZES)
def test_the_actions_on_a_rule_stay_where_they_are(
    browser: Browser, server: Server, few_rules: str, size: tuple[int, int]
) -> None:
    with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        page = context.new_page()
        visited(page, server, "Rules", few_rules)
        places = []
        for rule, locked in (("r1", False), ("r2", True), ("r4", False)):
            select(page, rule)
            title = page.locator(".st-key-rule-head .t-title")
            expect(title).to_contain_text(rule)
            assert ("locked" in title.inner_text()) == locked
            assert not title.evaluate(_WIDER)
            parts = ("st-key-delete", "st-key-more", "st-key-literal-choice", "st-key-keep")
            places.append(
                [(box_of(page.locator(f".{part}"))["x"], box_of(page.locator(f".{part}"))["y"]) for part in parts]
            )
        assert places[0] == places[1] == places[2]
        pill = page.locator(".st-key-literal-choice [data-testid=stButtonGroup] button").first
        chip = page.locator(".card.selected .chip").first
        radius = "(part) => getComputedStyle(part).borderRadius"
        assert pill.evaluate(radius) == chip.evaluate(radius)


def test_a_cut_shows_what_it_covers_and_round_ticks(page: Page, server: Server, few_rules: str) -> None:
    visited(page, server, "Rules", few_rules)
    select(page, "r4")
    assert filled(page) == (pytest.approx(cut_place(page), abs=0.5), 100)
    for kind in ("rows", "bits", "auc"):
        ticks = [float(text.replace(",", "")) for text in page.locator(f".tick.{kind}").all_text_contents()]
        steps = {f"{second - first:.0e}"[0] for first, second in pairwise(ticks)}
        assert len(steps) <= 1
        assert steps <= {"1", "2", "5"}
        assert ticks
        assert kind != "auc" or max(ticks) <= 1
    jump = page.locator(".below button")
    expect(jump).to_have_text(re.compile(r"^Fewest bits: ≥ .*, but only [1-9] rows?$"))
    expect(page.locator("svg rect title").first).to_have_text(re.compile(r"^(low|middle|high): \d+ rows?$"))
    page.locator(".st-key-form").get_by_text("<", exact=True).click()
    rest(page)
    assert filled(page) == (0, pytest.approx(cut_place(page), abs=0.5))


def filled(page: Page) -> tuple[float, float]:
    """Return from where to where the slider is filled, in percent of its length."""
    slider = page.locator(".cut input[type=range]")
    start, end = slider.evaluate(
        "(part) => [part.style.getPropertyValue('--from'), part.style.getPropertyValue('--to')]"
    )
    return float(start.rstrip("%")), float(end.rstrip("%"))


def cut_place(page: Page) -> float:
    """Return where the line of the cut stands, in percent of the length of the slider."""
    slider, line = box_of(page.locator(".cut input[type=range]")), box_of(page.locator("svg .now"))
    return 100 * (line["x"] + line["width"] / 2 - slider["x"]) / slider["width"]


@pytest.mark.parametrize("size", SIZES)
def test_columns_of_a_table_say_how_many_values_they_have(
    browser: Browser, server: Server, few_rules: str, size: tuple[int, int]
) -> None:
    with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        page = context.new_page()
        visited(page, server, "Data", few_rules)
        expect(page.locator("th.distinct")).to_be_in_viewport(ratio=1)
        assert not page.locator(".columns").evaluate(_WIDER)


@pytest.mark.parametrize("size", SIZES)
def test_the_chosen_overlap_never_slides_under_the_state(
    browser: Browser, server: Server, model_id: str, size: tuple[int, int]
) -> None:
    with browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        page = context.new_page()
        visited(page, server, "Overlaps", model_id)
        page.locator(".st-key-overlap-rows label").first.click()
        rest(page)
        page.get_by_test_id("stMain").evaluate("(main) => { main.scrollTop = 1e6; }")
        rest(page)
        state = box_of(page.locator(".st-key-state"))
        assert box_of(page.locator(".st-key-overlap"))["y"] >= state["y"] + state["height"]


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
