"""The application in a real browser: the journey of a first visit, with the numbers that the engine computes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from turs.data import read_table
from turs.editing import AddRule, DeleteRule, MoveCut, Session
from turs.evaluate.evaluation import Headline
from turs.learn.learner import learn
from turs.rules.document import dumps
from turs.rules.literal import Interval
from turs.rules.text import parse_condition
from turs.ui import numbers
from turs.ui.headline import NUMBERS
from turs.ui.screenshots import rest, visit
from turs.ui.study import Plan, study_of

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_data" / "breast_cancer.csv"
PATIENCE = 120_000  # milliseconds; the first learning on a machine compiles


def state_line(page: Page) -> dict[str, str]:
    cells = page.locator(".t-state > div")
    return {cell.locator(".name").inner_text(): cell.locator(".value").inner_text() for cell in cells.all()}


def expected_line(headline: Headline) -> dict[str, str]:
    return {number.name: number.shown(number.of(headline)) for number in NUMBERS}


def expect_line(page: Page, headline: Headline) -> None:
    """Wait until the bits are those of the engine, then compare all numbers."""
    bits = expected_line(headline)["Total bits"]
    expect(page.locator(".t-state .value").first).to_have_text(bits)
    assert state_line(page) == expected_line(headline)


def effect(page: Page, name: str) -> Locator:
    return page.locator(".st-key-bench .t-table tr", has=page.get_by_role("rowheader", name=name, exact=True))


def test_the_journey_from_a_file_to_edited_rules(page: Page, address: str) -> None:
    study = study_of("breast_cancer", read_table(SAMPLE), Plan("diagnosis"))
    session = Session(learn(study.training.data).rule_set, study.training, study.validation)

    visit(page, "Data")
    page.locator("input[type=file]").set_input_files(SAMPLE)
    page.locator(".st-key-to-learn button").click()
    page.locator(".st-key-learn button").click()
    page.locator(".st-key-open-rules button").click(timeout=PATIENCE)
    expect(page.locator(".st-key-bench")).to_be_visible()
    expect_line(page, session.state.evaluation.headline)
    cards = page.locator(".rules .card")
    expect(cards).to_have_count(len(session.version.rules) + 1)

    _move_a_cut(page, session)
    _add_a_rule(page, session)
    _delete_it(page, session)

    for undone in range(3):
        page.locator(".st-key-undo").get_by_role("button").click()
        session.undo()
        expect_line(page, session.state.evaluation.headline)
        assert page.locator(".st-key-redo").get_by_role("button").is_enabled(), undone
    expect(page.locator(".st-key-undo").get_by_role("button")).to_be_disabled()
    page.locator(".st-key-redo").get_by_role("button").click()
    session.redo()
    expect_line(page, session.state.evaluation.headline)

    rest(page)  # while the list is drawn again, the button of before is still there
    with page.expect_download() as download:
        page.get_by_role("button", name="Download model.json").click()
    assert download.value.path().read_text() == dumps(session.model())

    page.reload()
    expect(page.locator(".st-key-bench")).to_be_visible()
    expect_line(page, session.state.evaluation.headline)
    page.goto(f"{address}/Rules")  # a new tab that knows nothing finds it in a click
    page.locator(".st-key-saved").get_by_role("button").first.click()
    expect(page.locator(".st-key-bench")).to_be_visible()
    expect_line(page, session.state.evaluation.headline)
    assert not page.locator(".stException").count()


def _move_a_cut(page: Page, session: Session) -> None:
    """Drag the slider of the first literal, compare the numbers on it and in the table of effects, and keep it."""
    chosen = page.locator(".rules .card.selected").get_attribute("data-rule")
    assert chosen is not None
    literal = session.version.rule(chosen).literals[0]
    assert isinstance(literal, Interval)
    side = "low" if literal.low is not None else "high"
    slider = page.locator(".st-key-bench input[type=range]")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.62 * box["width"], box["y"] + box["height"] / 2, steps=6)
    shown = page.locator('[data-number="bits"]').inner_text()
    cut = float(page.locator('[data-number="cut"]').inner_text().split()[-1])
    page.mouse.up()
    assert cut != getattr(literal, side)
    edit = MoveCut(chosen, literal.feature, **{side: cut})
    impact = session.preview(edit)
    assert shown == numbers.bits(impact.score_after.total_bits)
    cells = effect(page, "Total bits").locator("td")
    expect(cells.nth(1)).to_have_text(numbers.bits(impact.score_after.total_bits))
    assert impact.validation is not None
    expect(effect(page, "AUC validation").locator("td").nth(1)).to_have_text(numbers.auc(impact.validation.after.auc))
    rest(page)
    page.locator(".st-key-keep button").click()
    session.apply(edit)
    expect_line(page, session.state.evaluation.headline)


def _add_a_rule(page: Page, session: Session) -> None:
    """Type a rule and keep it."""
    text = "mean radius < 12 AND worst area < 600"
    page.locator(".st-key-new-rule button").click()
    field = page.get_by_role("textbox", name="Condition as text")
    field.fill(text)
    field.press("Control+Enter")
    edit = AddRule(parse_condition(text, session.version.grid))
    impact = session.preview(edit)
    after = effect(page, "Total bits").locator("td").nth(1)
    expect(after).to_have_text(numbers.bits(impact.score_after.total_bits))
    rest(page)
    page.locator(".st-key-keep button").click()
    session.apply(edit)
    expect_line(page, session.state.evaluation.headline)


def _delete_it(page: Page, session: Session) -> None:
    """Delete the rule that was added, which is selected."""
    new = session.version.ids[-1]
    expect(page.locator(".rules .card.selected")).to_have_attribute("data-rule", new)
    rest(page)
    page.locator(".st-key-delete button").click()
    expect(page.locator(".t-draft")).to_contain_text(f"Delete {new}")
    page.locator(".st-key-keep button").click()
    session.apply(DeleteRule(new))
    expect_line(page, session.state.evaluation.headline)


def test_a_first_visit_reaches_rules_in_two_clicks(page: Page) -> None:
    page.locator(".st-key-sample-iris button").click()
    page.locator(".st-key-open-rules button").click(timeout=PATIENCE)
    expect(page.locator(".rules .card").first).to_be_visible()


def test_the_workbench_by_keyboard(page: Page) -> None:
    page.locator(".st-key-sample-iris button").click()
    page.locator(".st-key-open-rules button").click(timeout=PATIENCE)
    second = page.locator(".rules .card").nth(1).locator("button.id")
    second.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".rules .card").nth(1)).to_have_class(re.compile("selected"))
    rest(page)
    slider = page.get_by_role("slider")
    before = slider.get_attribute("aria-valuetext")
    slider.focus()
    page.keyboard.press("ArrowRight")
    after = slider.get_attribute("aria-valuetext")
    assert before != after
    assert after is not None
    expect(page.locator(".t-draft")).to_contain_text(f"to {after}")


def test_hostile_names_are_text_in_the_parts_that_run_in_the_browser(page: Page, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>"
    lines = [f"{value},{'<b>p</b>' if value % 3 else 'q'},{'y' if value > 40 else 'n'}" for value in range(90)]
    table = tmp_path / "hostile.csv"
    table.write_text("\n".join([f"{name},<script>alert(2)</script>,class", *lines]))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    visit(page, "Data")
    page.locator("input[type=file]").set_input_files(table)
    expect(page.locator(".columns .name", has_text=name)).to_be_visible()
    page.locator(".st-key-to-learn button").click()
    page.locator(".st-key-learn button").click()
    page.locator(".st-key-open-rules button").click(timeout=PATIENCE)
    expect(page.locator(".rules .chip").first).to_contain_text(name)
    assert not page.locator(".rules img, .cut img, .rules script").count()


def test_kind_use_and_proposals_of_columns(page: Page) -> None:
    visit(page, "Data")
    page.get_by_role("button", name="Iris", exact=True).click()
    page.get_by_label("Use sepal width").uncheck()
    expect(page.locator(".columns tr.unused")).to_have_count(1)
    page.get_by_label("Kind of petal width").select_option("categorical")
    rest(page)
    expect(page.get_by_label("Kind of petal width")).to_have_value("categorical")
    expect(page.locator(".columns tr.unused")).to_have_count(1)
