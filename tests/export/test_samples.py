"""Every sample table: what exported Python and SQL predict, on the ways that tables really take into a database."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from tests.export.cases import expected
from tests.export.databases import KEY, Answer, Stored, on_postgres, on_sqlite
from tests.export.test_python import loaded
from tests.export.test_sql import assert_predicts
from turs.cli.applying import read_rows
from turs.data import learning_data, read_table
from turs.export.sql import sql_of
from turs.learn.learner import learn
from turs.mdl.score import patterns_on
from turs.predict import model_of
from turs.rules import Kind, Model

SAMPLES = sorted((Path(__file__).parents[2] / "sample_data").glob("*.csv"))


@dataclass(frozen=True)
class Sample:
    """A table, the model that is learned from it, and what the engine predicts."""

    path: Path
    model: Model
    wanted: list[tuple[list[float], str]]

    @property
    def cells(self) -> tuple[list[str], list[list[str]]]:
        """The names and the texts in the file."""
        with self.path.open(newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        return names, rows


@pytest.fixture(scope="module", params=SAMPLES, ids=lambda path: path.stem)
def sample(request: pytest.FixtureRequest) -> Sample:
    frame = read_table(request.param).frame
    data = learning_data(frame, frame.columns[-1])
    rule_set = learn(data).rule_set
    model = model_of(rule_set, patterns_on(rule_set, data))
    assert rule_set.rules
    return Sample(request.param, model, expected(model, read_rows(model, request.param).frame))


def assert_python_predicts(sample: Sample, rows: list[dict[str, object]]) -> None:
    predict = loaded(sample.model)
    for row, (probabilities, fired) in zip(rows, sample.wanted, strict=True):
        found, rules = predict(row)
        assert (list(found.values()), " ".join(rules)) == (probabilities, fired)


def test_python_on_the_texts_of_the_file(sample: Sample) -> None:
    names, rows = sample.cells
    assert_python_predicts(sample, [dict(zip(names, row, strict=True)) for row in rows])


def test_python_on_values(sample: Sample) -> None:
    frame = read_table(sample.path).frame
    for feature in sample.model.rule_set.schema.features:
        if feature.kind is Kind.DATE:
            frame[feature.name] = pd.to_datetime(frame[feature.name])
    assert_python_predicts(sample, frame.to_dict("records"))


def test_sqlite_with_a_table_of_text(sample: Sample) -> None:
    names, rows = sample.cells
    stored = Stored(sample.path.stem, [(name, "TEXT") for name in names], rows)
    assert_predicts(on_sqlite(stored, sql_of(sample.model, sample.path.stem)), sample.model, sample.wanted)


def test_duckdb_with_the_types_that_it_finds(sample: Sample) -> None:
    with duckdb.connect() as connection:
        columns = f'row_number() OVER () AS "{KEY}", *'
        connection.execute("CREATE TABLE data AS SELECT " + columns + " FROM read_csv($1)", [str(sample.path)])
        found = connection.execute(
            f'SELECT * FROM ({sql_of(sample.model).rstrip().removesuffix(";")}) ORDER BY "{KEY}"'
        )
        assert_predicts(Answer([], found.fetchall()), sample.model, sample.wanted)
        direct = connection.execute(sql_of(sample.model, str(sample.path))).fetchall()
        assert len(direct) == len(sample.wanted)


def test_postgres_with_types(sample: Sample, postgres_url: str) -> None:
    names, rows = sample.cells
    types = {Kind.NUMERIC: "DOUBLE PRECISION", Kind.DATE: "DATE", Kind.CATEGORICAL: "TEXT"}
    schema = sample.model.rule_set.schema
    kinds = {feature.name: types[feature.kind] for feature in schema.features}
    kinds |= {feature.name: "BOOLEAN" for feature in schema.features if feature.levels == ("false", "true")}
    columns = [(name, kinds.get(name, "TEXT")) for name in names]
    stored = Stored("data", columns, [[cell or None for cell in row] for row in rows])
    assert_predicts(on_postgres(postgres_url)(stored, sql_of(sample.model)), sample.model, sample.wanted)


def test_some_sample_has_every_kind_of_column() -> None:
    frame = read_table(next(path for path in SAMPLES if path.stem == "machines")).frame
    data = learning_data(frame, frame.columns[-1])
    kinds = {feature.kind for feature in data.schema.features}
    assert kinds == set(Kind)
    assert any(feature.levels == ("false", "true") for feature in data.schema.features)
    assert sum(feature.has_missing for feature in data.schema.features) >= 4
