"""Overlaps, Stability, Explain and History in a real browser, with the numbers that the engine computes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, expect

from tests.ui.driving import ROOT
from tests.ui.test_browser import expect_line
from turs.data import read_table
from turs.data.dataset import unlabelled_bins
from turs.editing import DeleteRule, Session
from turs.evaluate.random_pick import sample_picks
from turs.learn.learner import learn
from turs.predict import predict
from turs.rules.document import loads
from turs.ui import numbers
from turs.ui.screenshots import learn_sample, rest, visit
from turs.ui.study import Plan, study_of


def twin() -> Session:
    """The same rules without a browser."""
    study = study_of("Breast cancer", read_table(ROOT / "sample_data" / "breast_cancer.csv"), Plan("diagnosis"))
    return Session(learn(study.training.data).rule_set, study.training, study.validation)


def test_the_journey_from_overlaps_to_export(page: Page, tmp_path: Path) -> None:
    session = twin()
    learn_sample(page, "breast_cancer")
    _overlaps(page, session)
    _stability(page, session)
    _explain(page, session)
    _delete_a_rule(page, session)
    _history(page, session, tmp_path)
    page.reload()
    expect(page.locator(".st-key-test-part")).to_contain_text("opened 1 time", timeout=60_000)
    expect_line(page, session.state.evaluation.headline)
    assert not page.locator(".stException").count()


def _overlaps(page: Page, session: Session) -> None:
    """Select a column of the figure and a cell of the matrix by keyboard and click, then go to a rule."""
    visit(page, "Overlaps")
    ledger = session.state.evaluation.overlaps
    rows = ledger.training.observed.sum(axis=1)
    columns = page.locator(".st-key-overlap-figure-box button.column")
    expect(columns).to_have_count(int((rows > 0).sum()))
    assert columns.first.locator(".count").inner_text() == f"{rows.max():,}"
    columns.first.focus()
    page.keyboard.press("Enter")
    expect(columns.first).to_have_attribute("aria-pressed", "true")
    line = ledger.tested(int(rows.argmax()))
    panel = page.locator(".st-key-overlap")
    expect(panel).to_contain_text(" ∧ ".join(line.rules))
    expect(panel).to_contain_text("p(malignant) with its 95 % interval")
    expect(panel).to_contain_text(f"{line.training.union.probabilities[1]:.2f} (")
    expect(panel).to_contain_text(f"{line.training.largest_distance:.2f} apart")
    rest(page)
    page.locator(".st-key-overlap-matrix-box button.cell").first.click()
    first, second = session.version.ids[:2]
    expect(panel).to_contain_text(f"{first} and {second}")
    rest(page)
    panel.locator(f".st-key-edit-{second} button").click()
    expect(page.locator(".rules .card.selected")).to_have_attribute("data-rule", second)
    rest(page)


def _stability(page: Page, session: Session) -> None:
    """Read the spread of picks, and go from an overlap of the list to its page."""
    visit(page, "Stability")
    picks = session.state.evaluation.random_pick_evaluation
    forecast = session.state.evaluation.evaluation
    assert picks is not None
    assert forecast is not None
    box = page.locator(".st-key-stability-changes")
    expect(_line(box, "Expected AUC of random picks").locator("td").nth(1)).to_have_text(
        numbers.auc(picks.expected.value)
    )
    sampled = sample_picks(forecast, 1000, 0)
    expect(page.locator(".st-key-stability-classes")).to_contain_text(
        f"{numbers.auc(sampled.low)} to {numbers.auc(sampled.high)}"
    )
    rest(page)
    page.locator(".st-key-stability-overlaps button.id").first.click()
    expect(page.locator(".st-key-overlap")).to_contain_text(" ∧ ".join(picks.overlaps[0].rules))
    rest(page)


def _line(box: Locator, name: str) -> Locator:
    return box.locator("tr", has=box.page.get_by_role("rowheader", name=name, exact=True))


def _explain(page: Page, session: Session) -> None:
    """Look at a row and compare its answer."""
    visit(page, "Explain")
    label = page.locator(".st-key-answer .t-line").first.inner_text()
    number = int(re.findall(r"row ([0-9,]+)", label)[0].replace(",", ""))
    frame = read_table(ROOT / "sample_data" / "breast_cancer.csv").frame.iloc[[number - 1]]
    model = session.model()
    expected = predict(model, unlabelled_bins(frame, model.rule_set.schema)).by_row()[0]
    top = int(np.argmax(expected))
    expect(page.locator(".t-answer")).to_have_text(f"{model.rule_set.schema.classes[top]}: {expected[top]:.2f}")


def _delete_a_rule(page: Page, session: Session) -> None:
    """Delete the rule that is selected, with a note."""
    visit(page, "Rules")
    chosen = page.locator(".rules .card.selected").get_attribute("data-rule")
    assert chosen is not None
    page.locator(".st-key-delete button").click()
    expect(page.locator(".t-draft")).to_be_visible()
    rest(page)
    page.locator(".st-key-keep button").click()
    session.apply(DeleteRule(chosen))
    expect_line(page, session.state.evaluation.headline)


def _compare(page: Page, session: Session) -> None:
    """Compare the rules as they were learned with those on screen: numbers, and the rows that differ."""
    box = page.locator(".st-key-compare")
    impact = session.compare(0, 1)
    cells = _line(box, "Total bits").locator("td")
    expect(cells.nth(0)).to_have_text(numbers.bits(session.learned.score.total_bits))
    expect(cells.nth(1)).to_have_text(numbers.bits(session.state.score.total_bits))
    changed = f"{impact.training.n_probability_changed:,} training"
    expect(_line(box, "Rows with other probabilities").locator("td").last).to_contain_text(changed)
    box.get_by_text("Show the rows with other probabilities").click()
    expect(box.get_by_text("Rows as CSV")).to_be_visible()
    rest(page)


def _history(page: Page, session: Session, folder: Path) -> None:
    """Go back and forth, name, break the seal, and take the model away."""
    visit(page, "History")
    log = page.locator(".log")
    expect(log.locator("li").first).to_contain_text("you are here")
    log.get_by_role("button", name=re.compile("^Go here, to start")).click()
    session.jump(0)
    expect_line(page, session.state.evaluation.headline)
    log.get_by_role("button", name=re.compile("^Go here, to edit 1")).click()
    session.jump(1)
    expect_line(page, session.state.evaluation.headline)
    rest(page)
    _compare(page, session)
    page.get_by_label("Name this version, to find it again").fill("<img src=x onerror=alert(1)>")
    page.keyboard.press("Enter")
    expect(log.locator("li").first).to_contain_text("<img src=x")
    assert not log.locator("img").count()
    rest(page)
    page.locator(".st-key-test-part label").first.click()
    page.locator(".st-key-open-test button").click()
    expect(page.locator(".st-key-test-part")).to_contain_text("opened 1 time")
    expect(log).to_contain_text("Sealed test part opened")
    rest(page)
    page.locator(".st-key-export").get_by_text("JSON", exact=True).click()
    with page.expect_download() as caught:
        page.locator(".st-key-export-json button").click()
    path = folder / "model.json"
    caught.value.save_as(path)
    assert loads(path.read_text()).rule_set.rules == session.version.rules
    assert json.loads(path.read_text())["format"] == "turs-model"
