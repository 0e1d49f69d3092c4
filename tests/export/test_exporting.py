"""`turs export`: what it prints, what it writes, and how it refuses."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner, Result

from turs.cli import app
from turs.export.form import Form
from turs.rules import Feature, Interval, Kind, Model, Pattern, Rule, RuleSet, Schema, load, save


def export(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["export", *(str(argument) for argument in arguments)])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    schema = Schema("ill", ("no", "yes"), (Feature("age", Kind.NUMERIC, cuts=(60.0,)),))
    rules = RuleSet(schema, (Rule("r1", (Interval("age", low=60.0),)),))
    save(Model(rules, (Pattern((), (3, 1)), Pattern(("r1",), (1, 3))), {"note": "größe"}), tmp_path / "model.json")
    return tmp_path / "model.json"


@pytest.mark.parametrize("form", [form for form in Form if form is not Form.XLSX])
def test_text_forms_are_printed_or_written(form: Form, model: Path, tmp_path: Path) -> None:
    printed = export(model, "--format", form)
    assert printed.exit_code == 0, printed.stderr
    assert "age" in printed.stdout
    written = export(model, "--format", form, "--out", tmp_path / "out")
    assert (written.exit_code, written.stdout, written.stderr) == (0, "", "")
    assert (tmp_path / "out").read_bytes().decode() == printed.stdout


def test_json_is_the_model_document(model: Path, tmp_path: Path) -> None:
    assert export(model, "--format", "json", "--out", tmp_path / "again.json").exit_code == 0
    assert (tmp_path / "again.json").read_bytes() == model.read_bytes()
    assert load(tmp_path / "again.json").info == {"note": "größe"}


def test_a_workbook_needs_a_file(model: Path, tmp_path: Path) -> None:
    refused = export(model, "--format", "xlsx")
    assert refused.exit_code == 1
    assert refused.stderr == "turs: A workbook is not printed: say with --out which file to write.\n"
    assert export(model, "--format", "xlsx", "--out", tmp_path / "rules.xlsx").exit_code == 0
    book = openpyxl.load_workbook(io.BytesIO((tmp_path / "rules.xlsx").read_bytes()))
    assert book["Rules"]["B2"].value == "age >= 60"


def test_the_table_is_named(model: Path) -> None:
    statement = export(model, "--format", "sql", "--table", 'my "patients"; --').stdout
    with sqlite3.connect(":memory:") as connection:
        connection.execute('CREATE TABLE "my ""patients""; --" (age INTEGER)')
        connection.executemany('INSERT INTO "my ""patients""; --" VALUES (?)', [(70,), (None,)])
        found = connection.execute(statement).fetchall()
    assert sorted(found, key=str) == [("no", 0.75, 0.25, "", None), ("yes", 0.25, 0.75, "r1", 70)]
    assert 'FROM "data" AS t' in export(model, "--format", "sql").stdout
    assert export(model, "--format", "sql", "--table", "").exit_code == 1


def test_faults_are_one_line(model: Path, tmp_path: Path) -> None:
    for fault in (
        export(tmp_path / "none.json", "--format", "text"),
        export(model, "--format", "text", "--out", tmp_path / "none" / "rules.txt"),
        export(model, "--format", "text", "--out", tmp_path),
    ):
        assert fault.exit_code == 1
        assert fault.stderr.startswith("turs: ")
        assert fault.stderr.count("\n") == 1
    assert export(model, "--format", "html").exit_code == 2
    assert export(model).exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]
