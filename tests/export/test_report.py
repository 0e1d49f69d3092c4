"""The report: what it tells, that it is harmless, and that it loads nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright
from typer.testing import CliRunner, Result

from tests.editing.cases import random_case
from turs import __version__
from turs.cli import app
from turs.editing import AttachNote, DeleteRule, DuplicateRule, LockRule
from turs.export.report import About, Earlier, Look, report_of
from turs.learn.settings import Constraints, Settings
from turs.page import element, share_bar, table
from turs.rules import load
from turs.ui.serving import launched

SAMPLES = Path(__file__).parents[2] / "sample_data"
PATIENTS = SAMPLES / "readmission.csv"
NASTY = "<script>alert('x')</script>"


class Reader(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def page() -> Reader:
    session = random_case(5, n_rows=160, n_rules=4).session
    session.apply(DeleteRule("r2"), author=NASTY, note="covers too few")
    session.apply(DuplicateRule("r1"), author="A. Nonym")
    session.undo()
    session.apply(LockRule("r1"))
    session.apply(AttachNote("r1", NASTY))
    about = About(
        f"Report {NASTY}", "patients.csv", ("2 rows were left out.",), 77, Settings(), Constraints(("ward",)),
        (Look(NASTY, "2026-02-03", {"auc": 0.8123}),),
    )  # fmt: skip
    return Reader(report_of(session, about))


def test_it_tells_everything(page: Reader) -> None:
    for expected in (
        "Data", "What the edits did", "Rules", "Edits", "Overlaps", "Stability", "Generalisation", "Calibration",
        "To repeat this", "r1 (locked)", "Delete r2", "covers too few", "1 more edits were tried", "sealed test part",
        "ward is not used", "auc 0.8123", "2 rows were left out.", "beam_width", "ELSE", "95 % of the changes lie",
    ):  # fmt: skip
        assert expected in page.text, expected


def test_numbers_are_those_of_the_engine() -> None:
    case = random_case(5, n_rows=160, n_rules=4)
    case.session.apply(DeleteRule("r2"))
    text = Reader(report_of(case.session)).text
    fresh = case.from_scratch(case.session.version)
    assert fresh.headline.total_bits is not None
    assert f"{fresh.headline.total_bits:,.1f}" in text
    assert fresh.generalisation is not None
    assert f"{fresh.generalisation.g:.4f}" in text


def test_data_are_never_markup(page: Reader) -> None:
    assert "script" not in page.tags
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert NASTY in page.text


def test_it_loads_nothing(page: Reader) -> None:
    assert not {"link", "img", "iframe", "script", "object"} & set(page.tags)
    assert not [value for name, value in page.attributes if name in ("src", "href")]
    assert not re.search(r"url\(|@import|https?://", page.text)


@pytest.mark.parametrize("with_validation", [True, False])
def test_rule_sets_without_rules_and_without_validation_rows(with_validation: bool) -> None:
    text = Reader(report_of(random_case(2, n_rules=0, with_validation=with_validation).session)).text
    assert "No row is covered by two rules" in text
    assert "The rules are as they were learned" in text


def turs(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def reported(folder: Path, *arguments: object) -> str:
    """Return the text of the report that the command writes."""
    out = folder / "report.html"
    result = turs("report", *arguments, "--out", out)
    assert result.exit_code == 0, result.stderr
    return Reader(out.read_text(encoding="utf-8")).text


def refused(folder: Path, *arguments: object) -> str:
    """Return the one line in which the command refuses to write."""
    result = turs("report", *arguments, "--out", folder / "never.html")
    assert result.exit_code == 1
    assert not (folder / "never.html").exists()
    (line,) = result.stderr.strip().splitlines()
    return line


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model of all rows, and one of 70 % of them under constraints."""
    folder = tmp_path_factory.mktemp("models")
    learn = ("learn", PATIENTS, "--target", "readmitted")
    assert turs(*learn, "--out", folder / "all.json").exit_code == 0
    more = ("--not-use", "lives alone", "--direction", "age >=", "--cuts", 15)
    parted = turs(*learn, "--test-size", 0.3, "--seed", 7, *more, "--out", folder / "parted.json")
    assert parted.exit_code == 0, parted.stderr
    return folder


def test_the_rows_are_those_of_learning(models: Path) -> None:
    text = reported(models, models / "parted.json", PATIENTS)  # the split comes from the model
    assert "rows that they were not learned from" in text
    assert "training1,050655395" in text
    assert "seed of the split7" in text
    assert "There are no validation rows." in reported(models, models / "all.json", PATIENTS)
    assert turs("report", models / "all.json", PATIENTS, "--out", models / "no" / "r.html").exit_code == 1


def test_other_rows_are_refused(models: Path) -> None:
    parted, whole = models / "parted.json", models / "all.json"
    told = (
        "turs: The model was learned from 1,500 rows; these are not its training rows: use the table, --test-size and"
        " --seed of `turs learn` (which put no rows aside)."
    )
    assert refused(models, whole, PATIENTS, "--test-size", 0.3) == told
    for wrong in (("--seed", 3), ("--test-size", 0.2), ("--test-size", 0)):
        assert refused(models, parted, PATIENTS, *wrong).endswith("`turs learn` (--test-size 0.3 --seed 7).")
    rows = PATIENTS.read_text(encoding="utf-8").splitlines(keepends=True)
    other = models / "other.csv"
    flipped = rows[1].replace(",no\n", ",YES\n").replace(",yes\n", ",no\n").replace(",YES\n", ",yes\n")
    assert flipped != rows[1]
    other.write_text("".join([rows[0], flipped, *rows[2:]]), encoding="utf-8")  # as many rows, one of another class
    assert "these are not its training rows" in refused(models, whole, other)


def test_without_rules_the_split_is_compared_too(models: Path) -> None:
    model = models / "empty.json"
    learn = ("learn", PATIENTS, "--target", "readmitted", "--most-rules", 0, "--test-size", 0.3)
    assert turs(*learn, "--out", model).exit_code == 0
    assert "rows that they were not learned from" in reported(models, model, PATIENTS)
    assert "--seed 0" in refused(models, model, PATIENTS, "--seed", 3)


def test_edits_of_the_document_are_told(models: Path) -> None:
    edited = models / "edited.json"
    steps = ("--set", "r2: age >= 65", "--note", "r2: the clinical cut")
    assert turs("edit", models / "parted.json", PATIENTS, *steps, "--out", edited).exit_code == 0
    assert turs("edit", edited, PATIENTS, "--delete", "r3", "--out", edited).exit_code == 0
    text = reported(models, edited, PATIENTS)
    assert "3 edits since learning" in text
    assert "as they were learned" not in text
    assert len(re.findall(r"In r2, replace age ≥ \S+ by age ≥ 65", text)) == 2  # in the list and on the card
    assert "Note: the clinical cut" in text
    assert "Delete r3: IF" in text
    assert "rows that they were not learned from" in text
    assert "The model was edited on 1,050 rows" in refused(models, edited, PATIENTS, "--seed", 3)


def test_edits_of_older_documents_are_told_as_they_stand(models: Path) -> None:
    model = models / "older.json"
    document = json.loads((models / "all.json").read_text(encoding="utf-8"))
    document["info"]["editing"] = {"edits": [{"kind": "delete_rule", "rule": "r9"}, "odd"], "locked": []}
    model.write_text(json.dumps(document), encoding="utf-8")
    text = reported(models, model, PATIENTS)
    assert "1 edit since learning" in text
    assert "Delete rule: rule r9" in text


def test_rows_that_rules_may_know_are_not_called_new(models: Path) -> None:
    edited = models / "anew.json"
    lock = turs("edit", models / "all.json", PATIENTS, "--test-size", 0.3, "--lock", "r1", "--out", edited)
    assert lock.exit_code == 0
    text = reported(models, edited, PATIENTS)
    assert "validation450" in text
    assert "not those that the rules were learned from" in text
    assert "rows that they were not learned from" not in text


def test_settings_of_learning_are_told(models: Path) -> None:
    text = reported(models, models / "parted.json", PATIENTS)
    assert "lives alone is not used; age only with >=." in text
    assert "has 5 features that rules may use" in text
    assert "lives alone (categorical, not used)" in text
    for line in ("searchportfolio", "n_cuts15", f"turs that wrote the model{__version__}"):
        assert line in text
    assert "Constraints of learningNone." in reported(models, models / "all.json", PATIENTS)
    assert "Constraints of learningNot known." in Reader(report_of(random_case(2).session)).text


def test_rules_without_edits_have_numbers_but_no_changes(models: Path) -> None:
    text = reported(models, models / "parted.json", PATIENTS)
    assert "What the edits did" not in text
    assert "+0.0000; drawing" not in text
    training = load(models / "parted.json").info["training"]
    assert f"bits{training['total_bits']:,.1f}" in text
    assert f"training AUC{training['auc']:.3f}" in text


@pytest.fixture
def paper() -> Iterator[Page]:
    """A browser's page of 800 points, as it is printed."""
    with sync_playwright() as driver:
        browser = launched(driver)
        opened = browser.new_page(viewport={"width": 800, "height": 600})
        opened.emulate_media(media="print")
        yield opened
        browser.close()


def test_paper_and_long_names(paper: Page) -> None:
    """Colours are printed, headings stay with what follows, and a long name does not widen the page."""
    name = "creatinine" * 25
    about = About(f"Rules for {name}", name, (name,), edits=(Earlier(f"In r1, remove {name}"),))
    paper.set_content(report_of(random_case(2).session, about))
    assert paper.evaluate("document.documentElement.scrollWidth") <= 800
    style = "name => getComputedStyle(document.querySelector(name))"
    assert paper.evaluate(f"({style})('.key i').printColorAdjust") == "exact"
    for heading in ("h1", "h2", "h3"):
        assert paper.evaluate(f"({style})('{heading}').breakAfter") == "avoid"


def test_parts_of_a_page() -> None:
    assert element("p", "a < b", class_="x").markup == '<p class="x">a &lt; b</p>'
    assert '<td class="number">1,234</td>' in table(["n"], [[1234]]).markup
    assert 'aria-label="a &quot; 0.250, b 0.750"' in share_bar([0.25, 0.75], ['a "', "b"]).markup
