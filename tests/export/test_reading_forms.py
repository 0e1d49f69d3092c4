"""The forms that people read: text, Markdown, workbook and CSV."""

from __future__ import annotations

import csv
import io

import openpyxl
import pytest
from hypothesis import given, settings

from tests.export.cases import NASTY_TEXTS, Case, cases
from tests.strategies import models
from turs.export.content import content_of
from turs.export.form import Form
from turs.export.lines import one_line, rule_lines
from turs.export.markdown import markdown_of
from turs.export.sheet import csv_of, workbook_of
from turs.export.text import text_of
from turs.rules import Feature, Interval, Kind, LevelSet, Missingness, Model, Pattern, Rule, RuleSet, Schema, loads
from turs.rules.text import format_condition

ATTACK = "=cmd|' /C calc'!A0"


def nasty_model(text: str) -> Model:
    features = (
        Feature(text, Kind.CATEGORICAL, levels=(text, "other"), has_missing=True),
        Feature("day", Kind.DATE, cuts=(86_400.0, 172_800.5)),
        Feature("x", Kind.NUMERIC, cuts=(-0.5,)),
    )
    rules = (
        Rule("r1", (LevelSet(text, (text,)), Interval("day", 86_400.0, 172_800.5))),
        Rule("r2", (Missingness(text, True), Interval("x", high=-0.5))),
    )
    patterns = (Pattern((), (5, 0)), Pattern(("r1",), (1, 3)), Pattern(("r1", "r2"), (0, 2)))
    return Model(RuleSet(Schema(text, (text, "b"), features), rules), patterns)


def test_text() -> None:
    assert text_of(nasty_model("ward")) == (
        "ward: 2 rules from 11 rows\n"
        "\n"
        "r1  IF ward in {ward} AND 1970-01-02 <= day < 1970-01-03T00:00:00.5\n"
        "    ward 0.167, b 0.833  (6 rows)\n"
        "r2  IF ward is missing AND x < -0.5\n"
        "    ward 0.000, b 1.000  (2 rows)\n"
        "    ELSE\n"
        "    ward 1.000, b 0.000  (5 rows)\n"
    )


def test_markdown() -> None:
    assert markdown_of(nasty_model("ward")).splitlines()[4:] == [
        "| rule | IF | rows | `ward` | `b` |",
        "| --- | --- | ---: | ---: | ---: |",
        "| r1 | `ward in {ward} AND 1970-01-02 <= day < 1970-01-03T00:00:00.5` | 6 | 0.167 | 0.833 |",
        "| r2 | `ward is missing AND x < -0.5` | 2 | 0.000 | 1.000 |",
        "|  | ELSE | 5 | 1.000 | 0.000 |",
    ]


@pytest.mark.parametrize("text", [*NASTY_TEXTS, "a|b", "``", "`", "</td><script>", "a\r\n| b |"])
def test_markdown_has_one_line_a_rule_whatever_the_names(text: str) -> None:
    lines = markdown_of(nasty_model(text)).splitlines()
    assert len(lines) == 9
    for line in lines[4:]:
        assert line.replace(r"\|", "").count("|") == 6
    span = lines[6].split(" | ", 1)[1]
    fence = span[: len(span) - len(span.lstrip("`"))]
    assert set(fence) == {"`"}
    assert fence + "`" not in span
    assert span.count(fence) - span.count("`" * (len(fence) + 1)) == 2


@settings(deadline=None, max_examples=100)
@given(models())
def test_any_model_becomes_text(model: Model) -> None:
    small = Model(model.rule_set, tuple(Pattern(p.rules, tuple(n % 99 for n in p.counts)) for p in model.patterns))
    n_rules = len(small.rule_set.rules)
    assert len(content_of(small, Form.TEXT).decode().splitlines()) == 2 + 2 * (n_rules + 1)
    assert len(content_of(small, Form.MARKDOWN).decode().splitlines()) == 6 + n_rules + 1
    assert len(list(csv.reader(io.StringIO(content_of(small, Form.CSV).decode())))) == n_rules + 2
    assert loads(content_of(small, Form.JSON).decode()) == small
    compile(content_of(small, Form.PYTHON).decode(), "exported.py", "exec")
    assert content_of(small, Form.XLSX)[:2] == b"PK"


@settings(deadline=None, max_examples=60)
@given(cases())
def test_every_text_cell_of_a_workbook_is_text(case: Case) -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook_of(case.model)))
    assert book.sheetnames == ["Rules", "Literals", "Patterns"]
    cells = [cell for sheet in book for row in sheet for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert all(cell.quotePrefix for cell in cells if cell.data_type == "s")
    conditions = [row[1].value for row in book["Rules"].iter_rows(min_row=2)][:-1]
    schema = case.model.rule_set.schema
    assert conditions == [one_line(format_condition(rule.literals, schema)) for rule in case.model.rule_set.rules]


def test_workbook() -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook_of(nasty_model(ATTACK))))
    rows = {sheet.title: [[cell.value for cell in row] for row in sheet] for sheet in book}
    head = ["rule", "condition", "rows", f"p({ATTACK})", "p(b)", f"rows of {ATTACK}", "rows of b"]
    assert rows["Rules"][0] == head
    assert rows["Rules"][1][2:] == [6, pytest.approx(1 / 6), pytest.approx(5 / 6), 1, 5]
    assert rows["Rules"][3] == ["ELSE", None, 5, 1, 0, 5, 0]
    assert rows["Literals"][1] == ["r1", ATTACK, None, None, f'"{ATTACK}" in {{"{ATTACK}"}}']
    assert rows["Literals"][2][:4] == ["r1", "day", "1970-01-02", "1970-01-03T00:00:00.5"]
    assert rows["Literals"][4][:4] == ["r2", "x", None, -0.5]
    assert rows["Patterns"][1:] == [["ELSE", 5, 5, 0], ["r1", 4, 1, 3], ["r1 r2", 2, 0, 2]]
    assert book["Literals"]["B2"].data_type == "s"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", " =1", "\uff1d1", "\t=1", "\r=1", ATTACK])
def test_no_cell_of_the_csv_file_is_a_formula(text: str) -> None:
    feature = Feature(text, Kind.NUMERIC, cuts=(1.0,))
    model = Model(RuleSet(Schema("y", (text, "b"), (feature,)), (Rule("r1", (Interval(text, low=1.0),)),)), ())
    for row in csv.reader(io.StringIO(csv_of(model))):
        assert not any(cell.lstrip()[:1] in ("=", "+", "-", "@", "\uff1d") for cell in row)
        assert not any(cell[:1] in ("\t", "\r") for cell in row)


def test_a_condition_that_begins_like_a_formula_is_marked() -> None:
    feature = Feature("x", Kind.NUMERIC, cuts=(-2.0, -1.0))
    model = Model(RuleSet(Schema("y", ("a", "b"), (feature,)), (Rule("r1", (Interval("x", -2.0, -1.0),)),)), ())
    assert rule_lines(model)[0].condition == "-2 <= x < -1"
    assert csv_of(model).splitlines()[1].startswith("r1,'-2 <= x < -1,")


def test_one_line() -> None:
    assert one_line("a\nb\r\x00\u202e\u2028\ud800") == r"a\nb\r\x00\u202e\u2028\ud800"
    assert one_line("größe 年齢 👩\u200d👧") == "größe 年齢 👩\u200d👧"
