"""Categories whose missing values a file marks, with ? or NA: both exports say what `turs predict` says of the file."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.export.databases import KEY, Answer, Stored, on_duckdb, on_postgres, on_sqlite
from tests.export.test_python import loaded
from tests.export.test_sql import Run, fired, one_rule
from turs import TursClassifier
from turs.cli import app
from turs.data.delimited import MISSING_MARKERS
from turs.export.conversion import MARKERS
from turs.export.python import python_of
from turs.export.sql import sql_of
from turs.rules import Feature, Kind, LevelSet, Missingness, Model, load

CELLS = [*MISSING_MARKERS, *(f" {marker}  " for marker in MISSING_MARKERS), "A", " B", "D", "none", "Na", "??", "- ?"]
"""What stands in the column of new rows: every marker, known levels, and texts that are neither."""


def turs(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


@dataclass(frozen=True)
class Marked:
    """A model of a table with markers, new rows in a file, and what `turs predict` says of them."""

    model: Model
    path: Path
    wanted: list[dict[str, str]]

    @property
    def cells(self) -> list[dict[str, str]]:
        with self.path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @property
    def stored(self) -> Stored:
        return Stored("data", [("ward", "TEXT"), ("age", "INTEGER")], [[r["ward"], int(r["age"])] for r in self.cells])

    def assert_answered(self, answer: Answer) -> None:
        for row, wanted in zip(answer.rows, self.wanted, strict=True):
            said = dict(zip(answer.names, row, strict=True))
            assert said["ward"] == wanted["ward"] or (said["ward"] is None and not wanted["ward"])
            assert (said["predicted"], said["rules"]) == (wanted["predicted"], wanted["rules"]), wanted
            for name in ("p(no)", "p(yes)"):
                assert said[name] == pytest.approx(float(wanted[name]), rel=0, abs=1e-12)


@pytest.fixture(scope="module", params=["?", "NA", "NULL", "None"])
def marked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Marked:
    folder = tmp_path_factory.mktemp("marked")
    generator = np.random.default_rng(1)
    ward = generator.choice(["A", "B", "C", request.param], 300)
    is_ill = generator.random(300) < np.where(ward == request.param, 0.95, 0.05)
    table = pd.DataFrame({"ward": ward, "age": generator.integers(20, 90, 300), "ill": np.where(is_ill, "yes", "no")})
    table.to_csv(folder / "table.csv", index=False)
    assert "IF ward is missing" in turs("learn", folder / "table.csv", "--target", "ill", "--out", folder / "m.json")
    new = folder / "new.csv"
    pd.DataFrame({"ward": CELLS, "age": 77}).to_csv(new, index=False)
    wanted = list(csv.DictReader(io.StringIO(turs("predict", folder / "m.json", new))))
    assert [row["rules"] for row in wanted] == ["r1"] * (2 * len(MISSING_MARKERS)) + [""] * 7
    return Marked(load(folder / "m.json"), new, wanted)


def test_python_on_the_rows_of_a_csv_reader(marked: Marked) -> None:
    predict = loaded(marked.model)
    for row, wanted in zip(marked.cells, marked.wanted, strict=True):
        probabilities, rules = predict(row)
        assert " ".join(rules) == wanted["rules"], row
        for label in ("no", "yes"):
            assert probabilities[label] == pytest.approx(float(wanted[f"p({label})"]), rel=0, abs=1e-12)


def test_sqlite(marked: Marked) -> None:
    marked.assert_answered(on_sqlite(marked.stored, sql_of(marked.model)))


def test_postgres(marked: Marked, postgres_url: str) -> None:
    marked.assert_answered(on_postgres(postgres_url)(marked.stored, sql_of(marked.model)))


def test_duckdb(marked: Marked) -> None:
    marked.assert_answered(on_duckdb(marked.stored, sql_of(marked.model)))


def test_duckdb_reads_the_file(marked: Marked) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            f'CREATE TABLE data AS SELECT row_number() OVER () AS "{KEY}", * FROM read_csv($1)', [str(marked.path)]
        )
        found = connection.execute(sql_of(marked.model))
        names = [column[0] for column in found.description]
        rows = sorted(found.fetchall(), key=lambda row: row[names.index(KEY)])
        marked.assert_answered(Answer(names, rows))


def test_a_marker_in_a_data_frame_or_a_parquet_file_is_a_level(marked: Marked, tmp_path: Path) -> None:
    """The heads of the exports say so."""
    frame = pd.DataFrame({"ward": ["?", "NA", "A", None], "age": 77})
    frame.to_parquet(tmp_path / "new.parquet")
    marked_path = marked.path.parent / "m.json"
    said = list(csv.DictReader(io.StringIO(turs("predict", marked_path, tmp_path / "new.parquet"))))
    assert [row["rules"] for row in said] == ["", "", "", "r1"]
    assert TursClassifier.load(marked_path).fired_rules(frame) == [(), (), (), ("r1",)]


LEVEL = one_rule(
    Feature("x", Kind.CATEGORICAL, levels=("?", "A", "nan"), has_missing=True),
    LevelSet("x", ("?",)),
    Missingness("x", True),
    Missingness("x", False),
)
"""A model that was learned from a data frame in which ? and nan are levels."""


@pytest.mark.parametrize("engine", ["sqlite", "postgres", "duckdb", "python"])
def test_a_marker_that_is_a_level_stays_one(engine: str, request: pytest.FixtureRequest) -> None:
    values = ["?", " ? ", "nan", "A", "NaN", "NA", "", None]
    wanted = ["r1 r3", "r1 r3", "r3", "r3", "r2", "r2", "r2", "r2"]
    if engine == "python":
        assert [" ".join(loaded(LEVEL)({"x": value})[1]) for value in values] == wanted
        return
    runs: dict[str, Run] = {"sqlite": on_sqlite, "duckdb": on_duckdb}
    run = runs[engine] if engine in runs else on_postgres(request.getfixturevalue("postgres_url"))
    assert fired(run, LEVEL, "TEXT", list(values)) == wanted


def test_the_markers_are_those_of_the_reader_and_the_heads_name_them() -> None:
    assert MARKERS == MISSING_MARKERS
    statement, module = sql_of(LEVEL), python_of(LEVEL)
    for head in (statement[: statement.index("WITH\n")], module[: module.index('"""', 3)]):
        words = head.replace(",", " ").split()
        assert [marker for marker in MISSING_MARKERS if marker and marker not in words] == []
        assert "`turs predict` reads" in " ".join(head.replace("--", " ").split())
