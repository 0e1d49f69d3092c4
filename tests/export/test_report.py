"""The report: what it tells, that it is harmless, and that it loads nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.editing.cases import random_case
from turs.cli import app
from turs.editing import AttachNote, DeleteRule, DuplicateRule, LockRule
from turs.export.report import About, Look, report_of
from turs.learn.settings import Constraints, Settings
from turs.page import element, share_bar, table

SAMPLES = Path(__file__).parents[2] / "sample_data"
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


def test_the_command_writes_it(tmp_path: Path) -> None:
    model, out = tmp_path / "m.json", tmp_path / "report.html"
    sample = SAMPLES / "machines.csv"
    target = sample.read_text(encoding="utf-8").splitlines()[0].split(",")[-1].strip('"')
    runner = CliRunner()
    learned = runner.invoke(app, ["learn", str(sample), "--target", target, "--out", str(model)])
    assert learned.exit_code == 0, learned.stderr
    result = runner.invoke(app, ["report", str(model), str(sample), "--test-size", "0.3", "--out", str(out)])
    assert result.exit_code == 0, result.stderr
    assert "Rules for" in out.read_text(encoding="utf-8")
    refused = runner.invoke(app, ["report", str(model), str(sample), "--out", str(tmp_path / "no" / "r.html")])
    assert refused.exit_code == 1


def test_parts_of_a_page() -> None:
    assert element("p", "a < b", class_="x").markup == '<p class="x">a &lt; b</p>'
    assert '<td class="number">1,234</td>' in table(["n"], [[1234]]).markup
    assert 'aria-label="a &quot; 0.250, b 0.750"' in share_bar([0.25, 0.75], ['a "', "b"]).markup
