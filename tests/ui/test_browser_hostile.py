"""Names that are markup, script or formulas, on every page in a real browser: shown as text, and nothing runs."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from turs.data import Table
from turs.editing import AttachNote, MoveCut
from turs.mdl.score import patterns_on
from turs.predict import model_of
from turs.rules.literal import Interval, LevelSet
from turs.rules.rule import Rule, RuleSet
from turs.storage import Store
from turs.storage.location import FILE_NAME
from turs.ui.places import PLACES
from turs.ui.screenshots import move_cut, rest, visit
from turs.ui.serving import Server
from turs.ui.study import Plan, study_of

PATIENCE = 180_000  # milliseconds; the first run on a machine compiles
IMAGE = "<img src=x onerror=window.ran=1>"
SCRIPT = "<script>window.ran=2</script>"
LINK = "[here](javascript:window.ran=3) **bold** $x^2$ :red[red]"
BOLD = '<b>bold</b><a href="http://evil.example">go</a>'
FORMULA = '=HYPERLINK("http://evil.example","go")'
LEVELS = (SCRIPT, FORMULA, "plain & simple")
CLASSES = (BOLD, "<svg onload=window.ran=4>", LINK)
MARKS = (
    "img[src=x], svg[onload], a[href*='evil'], a[href*='javascript:'], script:text('window.ran'), b:text-is('bold'),"
    " strong:text-is('bold'), .katex"
)


def hostile_model(place: Path) -> str:
    """Put rules into a store whose every name is hostile, and return the id of the session."""
    draw = np.random.default_rng(3)
    n = 400
    number, level = draw.integers(0, 60, n), draw.integers(0, 3, n)
    label = (number // 20 + (draw.random(n) < 0.2)) % 3
    frame = pd.DataFrame(
        {IMAGE: number, LINK: np.array(LEVELS)[level], FORMULA: draw.random(n), BOLD: np.array(CLASSES)[label]}
    )
    study = study_of(IMAGE, Table(frame, (f"A note {IMAGE}",)), Plan(BOLD))
    literals = (
        (Interval(IMAGE, low=20.5),),
        (Interval(IMAGE, high=40.5), LevelSet(LINK, (SCRIPT, FORMULA))),
        (Interval(FORMULA, low=0.5),),
    )
    rules = RuleSet(study.schema)
    for at, part in enumerate(literals, start=1):
        rules = rules.with_rule(Rule(f"r{at}", part))
    with Store.open(place) as store:
        data_set = store.add_data_set(store.add_workspace(SCRIPT), IMAGE, frame, BOLD, study.split, author=IMAGE)
        record = store.add_model(data_set, IMAGE, model_of(rules, patterns_on(rules, study.training.data)))
        session = store.open_session(store.add_session(record, SCRIPT, author=IMAGE), author=IMAGE)
        session.apply(MoveCut("r1", IMAGE, low=21.5), note=SCRIPT)
        session.apply(AttachNote("r1", IMAGE))
        session.checkpoint(BOLD)
        return session.record.id


def open_up(page: Page) -> None:
    """Open whatever a page keeps folded, and what it shows on request."""
    for label in page.locator(".stApp .stMain [data-testid=stCheckbox] label").all():
        label.click()
        rest(page)
    for part in page.locator(".stApp .stMain [data-testid=stExpander] details:not([open]) summary").all():
        part.click()
    for box in page.locator(".stApp .stMain .stPlotlyChart").all():
        box.hover()
    for popover in page.locator(".stApp .stMain [data-testid=stPopover] button").all():
        popover.click()
        page.keyboard.press("Escape")


def assert_harmless(page: Page) -> None:
    assert page.evaluate("window.ran") is None
    assert not page.locator(MARKS).count()
    assert not page.locator(".stException, [class*=st-key-fault]").count()


def assert_seen(page: Page, *texts: str) -> None:
    for text in texts:
        assert page.get_by_text(text).count(), text


def test_every_page_shows_hostile_names_as_text(page: Page, server: Server, tmp_path: Path) -> None:
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    model = hostile_model(server.folder / FILE_NAME)
    page.goto(f"{server.address}/Rules?model={model}")
    expect(page.locator(".st-key-bench input[type=range]")).to_be_visible(timeout=PATIENCE)
    move_cut(page, 2)
    seen = {
        "Data": (IMAGE, LINK, FORMULA, CLASSES[1]),
        "Learn": (IMAGE, BOLD),
        "Rules": (IMAGE, FORMULA, CLASSES[1]),
        "Overlaps": (IMAGE, CLASSES[1]),
        "Stability": (CLASSES[1],),
        "Explain": (IMAGE, LINK, FORMULA, CLASSES[1]),
        "History": (IMAGE, SCRIPT, BOLD),
    }
    for place in (part.name for part in PLACES if part.name != "Rules"):
        assert_harmless(page)
        visit(page, place)
        open_up(page)
        assert_seen(page, *seen[place])
    assert_harmless(page)
    _report_and_workbook(page, tmp_path)
    visit(page, "Rules")
    open_up(page)
    page.get_by_text("Aligned").click()
    rest(page)
    assert_seen(page, *seen["Rules"])
    assert_harmless(page)
    page.locator("a", has_text="TURS Studio").first.click()
    expect(page.locator(".st-key-saved")).to_contain_text(IMAGE)
    assert_harmless(page)


def _report_and_workbook(page: Page, folder: Path) -> None:
    """Take the report and the workbook away; the first is opened, the second has no formula."""
    with page.expect_download() as caught:
        page.get_by_role("button", name="Download the report").click()
    caught.value.save_as(folder / "report.html")
    page.locator(".st-key-export").get_by_text("Excel", exact=True).click()
    with page.expect_download() as caught:
        page.locator(".st-key-export-xlsx button").click()
    caught.value.save_as(folder / "rules.xlsx")
    with zipfile.ZipFile(folder / "rules.xlsx") as book:
        sheets = [book.read(name).decode() for name in book.namelist() if name.startswith("xl/worksheets/")]
    assert sheets
    assert not any(re.search(r"<f[ >]", sheet) for sheet in sheets)
    report = page.context.new_page()
    report.goto((folder / "report.html").as_uri())
    assert_harmless(report)
    assert_seen(report, IMAGE, BOLD)
    report.close()
