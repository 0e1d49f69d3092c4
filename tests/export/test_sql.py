"""The exported statement, run on SQLite, PostgreSQL and DuckDB, against the engine."""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pandas as pd
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.export.cases import NASTY_TEXTS, Case, cases, expected, expected_of, predicted_class, texts
from tests.export.databases import KEY, Answer, Stored, on_duckdb, on_postgres, on_sqlite
from turs.errors import ModelError
from turs.export.sql import sql_of
from turs.export.sql_values import WHITE_SPACE
from turs.rules import Feature, Interval, Kind, LevelSet, Missingness, Model, Pattern, Rule, RuleSet, Schema

Run = Callable[[Stored, str], Answer]
TYPES = {Kind.NUMERIC: "DOUBLE PRECISION", Kind.DATE: "TIMESTAMP", Kind.CATEGORICAL: "TEXT"}
several = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=["sqlite", "postgres", "duckdb"])
def run(request: pytest.FixtureRequest) -> Run:
    if request.param == "postgres":
        return on_postgres(request.getfixturevalue("postgres_url"))
    return on_sqlite if request.param == "sqlite" else on_duckdb


def stored_case(case: Case, name: str, run: Run) -> Stored:
    """Return the rows of a case as a table; SQLite has no dates but their text."""
    columns = [(feature.name, TYPES[feature.kind]) for feature in case.features]
    rows = case.rows
    if run is on_sqlite:
        rows = [[v.isoformat(" ") if isinstance(v, datetime.datetime) else v for v in row] for row in rows]
    return Stored(name, columns, rows)


def assert_predicts(answer: Answer, model: Model, wanted: list[tuple[list[float], str]]) -> None:
    classes = model.rule_set.schema.classes
    assert len(answer.rows) == len(wanted)
    for row, (probabilities, fired) in zip(answer.rows, wanted, strict=True):
        assert row[0] == predicted_class(probabilities, classes)
        assert list(row[1 : len(classes) + 1]) == probabilities
        assert row[len(classes) + 1] == fired


@several
@given(cases(), st.one_of(st.just("data"), texts, st.sampled_from(["turs_fired", "TURS_Blank", "t", "f"])))
def test_every_engine_predicts_what_turs_predicts(run: Run, case: Case, table: str) -> None:
    answer = run(stored_case(case, table, run), sql_of(case.model, table))
    assert_predicts(answer, case.model, expected_of(case))
    names = [feature.name for feature in case.features]
    for name, found in zip(names, answer.names[-len(names) :], strict=True):
        assert found == name or (run is on_sqlite and name.casefold() in ("true", "false"))  # SQLite renames these two
    assert len({name.casefold() for name in answer.names}) == len(answer.names)


@pytest.mark.parametrize("text", NASTY_TEXTS)
def test_no_text_does_harm(run: Run, text: str) -> None:
    feature = Feature(text, Kind.CATEGORICAL, levels=(text, "other"))
    schema = Schema(text, (text, "b"), (feature,))
    model = Model(RuleSet(schema, (Rule("r1", (LevelSet(text, (text,)),)),)), (Pattern(("r1",), (1, 2)),))
    answer = run(Stored(text, [(text, "TEXT"), ("x", "TEXT")], [[text, "kept"], [None, "kept"]]), sql_of(model, text))
    assert [row[0] for row in answer.rows] == ["b", "b"]
    assert [row[3] for row in answer.rows] == ["r1", ""]
    assert [row[-1] for row in answer.rows] == ["kept", "kept"]


def one_rule(feature: Feature, *literals: object) -> Model:
    """Return a model with a rule for each literal, all on one feature."""
    rules = tuple(Rule(f"r{k}", (literal,)) for k, literal in enumerate(literals, start=1))
    patterns = tuple(Pattern((rule.id,), (k, 1)) for k, rule in enumerate(rules, start=2))
    return Model(RuleSet(Schema("y", ("a", "b"), (feature,)), rules), patterns)


def fired(run: Run, model: Model, kind: str, values: list[object]) -> list[str]:
    """Return the rules that fire for each value of a column of one type."""
    name = model.rule_set.schema.features[0].name
    inner = sql_of(model).rstrip().removesuffix(";")
    statement = f'SELECT s."{KEY}", s.rules FROM ({inner}\n) AS s'
    answer = run(Stored("data", [(name, kind)], [[value] for value in values]), statement)
    return [row[1] for row in answer.rows]


NUMBER = one_rule(Feature("x", Kind.NUMERIC, cuts=(0.1, 2.5)), Interval("x", low=0.1, high=2.5), Missingness("x", True))
WORD = one_rule(
    Feature("x", Kind.CATEGORICAL, levels=("1", "2.5", "x", "10")), LevelSet("x", ("1", "2.5")), Missingness("x", True)
)
TRUTH = one_rule(Feature("x", Kind.CATEGORICAL, levels=("false", "true")), LevelSet("x", ("true",)))
DAY = datetime.datetime(2024, 2, 29, 13, 30, tzinfo=datetime.UTC).timestamp()
DATE = one_rule(Feature("x", Kind.DATE, cuts=(DAY,)), Interval("x", low=DAY), Missingness("x", True))


@pytest.mark.parametrize(
    ("kind", "values", "wanted"),
    [
        ("INTEGER", [0, 1, 3, None], ["", "r1", "", "r2"]),
        ("BIGINT", [0, 1, 2**60, None], ["", "r1", "", "r2"]),
        ("NUMERIC(6, 2)", [Decimal("0.09"), Decimal("0.10"), Decimal("2.50"), None], ["", "r1", "", "r2"]),
        ("VARCHAR(20)", ["0.05", " 0.1 ", "2.49", "", " \t", "NaN", "NA", None], ["", "r1", "r1", *["r2"] * 5]),
    ],
)
def test_numbers_of_any_type(run: Run, kind: str, values: list[object], wanted: list[str]) -> None:
    stored = [float(v) if isinstance(v, Decimal) and run is on_sqlite else v for v in values]
    assert fired(run, NUMBER, kind, stored) == wanted


def test_nan_is_missing(run: Run) -> None:
    assert fired(run, NUMBER, "DOUBLE PRECISION", [float("nan"), 0.1]) == ["r2", "r1"]


@pytest.mark.parametrize(
    ("kind", "values", "wanted"),
    [
        ("INTEGER", [1, 2, 10, None], ["r1", "", "", "r2"]),
        ("DOUBLE PRECISION", [1.0, 2.5, 10.0, 2.0, None], ["r1", "r1", "", "", "r2"]),
        ("NUMERIC(5, 3)", [Decimal("1.000"), Decimal("2.500"), Decimal("2.501")], ["r1", "r1", ""]),
        ("TEXT", ["1", "1.", "1.00", " 2.50 ", "2.5.0", "x.0", "01", "1.0e0x", ""], ["r1"] * 4 + [""] * 4 + ["r2"]),
        ("CHAR(4)", ["1", "2.5", "x"], ["r1", "r1", ""]),
    ],
)
def test_levels_of_any_type(run: Run, kind: str, values: list[object], wanted: list[str]) -> None:
    stored = [float(v) if isinstance(v, Decimal) and run is on_sqlite else v for v in values]
    assert fired(run, WORD, kind, stored) == wanted


@pytest.mark.parametrize(
    ("kind", "values", "wanted"),
    [
        ("BOOLEAN", [True, False, None], ["r1", "", ""]),
        ("TEXT", ["TRUE", "true", "False", "t", " true"], ["r1", "r1", "", "", "r1"]),
        ("INTEGER", [1, 0, 2], ["r1", "", ""]),
    ],
)
def test_booleans(run: Run, kind: str, values: list[object], wanted: list[str]) -> None:
    assert fired(run, TRUTH, kind, values) == wanted


@pytest.mark.parametrize("levels", [("no", "yes"), ("N", "Y"), ("f", "t"), ("Off", "On"), ("True",)])
def test_booleans_that_were_words(run: Run, levels: tuple[str, ...]) -> None:
    model = one_rule(Feature("x", Kind.CATEGORICAL, levels=levels), LevelSet("x", levels[-1:]))
    assert fired(run, model, "BOOLEAN", [True, False, None]) == ["r1", "", ""]
    assert fired(run, model, "TEXT", [levels[-1], "", "maybe"]) == ["r1", "", ""]


@pytest.mark.parametrize("levels", [("no", "yes", "maybe"), ("yes", "true"), ("1", "true")])
def test_a_one_is_not_true_where_there_are_other_levels(run: Run, levels: tuple[str, ...]) -> None:
    model = one_rule(Feature("x", Kind.CATEGORICAL, levels=levels), LevelSet("x", levels[1:2]))
    assert fired(run, model, "TEXT", [levels[1], "1"]) == ["r1", ""]


ISO = {
    "2024-02-29": "",
    "2024-03-01": "r1",
    "2024-02-29 13:29": "",
    "2024-02-29T13:30": "r1",
    "2024-02-29T13:30Z": "r1",
    "2024-02-29 13:29:59.999999999": "",
    "2024-02-29 14:30:00+01": "r1",
    "2024-02-29 14:29:59.5+01:00": "",
    "2024-02-29 09:00:00.25-0430": "r1",
    "2024-02-28 23:59:59-14:00": "r1",
    "2024-02-29 12:00:00-01:29": "",
    "1900-03-01": "",
    "9999-12-31T23:59:59": "r1",
    " ": "r2",
    "NA": "r2",
}


def test_dates_as_text(run: Run) -> None:
    assert dict(zip(ISO, fired(run, DATE, "TEXT", list(ISO)), strict=True)) == ISO
    known = [text for text in ISO if text != "NA"]
    wanted = expected(DATE, pd.DataFrame({"x": pd.Series(known, dtype=object)}))
    assert [rules for _, rules in wanted] == [ISO[text] for text in known]


def test_dates_of_a_type(postgres_url: str) -> None:
    days = [datetime.date(2024, 2, 29), datetime.date(2024, 3, 1), None]
    moments = [datetime.datetime(2024, 2, 29, 13, 29, 59), datetime.datetime(2024, 2, 29, 13, 30), None]
    zone = datetime.timezone(datetime.timedelta(hours=-5))
    aware = [datetime.datetime(2024, 2, 29, 8, 29, 59, tzinfo=zone), datetime.datetime(2024, 2, 29, 8, 30, tzinfo=zone)]
    for run in (on_duckdb, *(on_postgres(postgres_url, f"SET TIME ZONE '{name}'") for name in ("UTC", "Asia/Kolkata"))):
        assert fired(run, DATE, "DATE", days) == ["", "r1", "r2"]
        assert fired(run, DATE, "TIMESTAMP", moments) == ["", "r1", "r2"]
        assert fired(run, DATE, "TIMESTAMP WITH TIME ZONE", aware) == ["", "r1"]


def test_a_column_that_is_not_there_is_an_error(run: Run) -> None:
    with pytest.raises(Exception, match="x"):
        run(Stored("data", [("y", "TEXT")], [["1"]]), sql_of(NUMBER))


@pytest.mark.parametrize("text", ["a\x00b", "\ud800"])
def test_a_text_that_sql_cannot_hold_is_refused(text: str) -> None:
    feature = Feature("x", Kind.CATEGORICAL, levels=("a", text))
    assert "CASE" in sql_of(one_rule(feature, LevelSet("x", ("a",))))  # no rule asks for the other level
    with pytest.raises(ModelError, match="cannot hold: rename"):
        sql_of(one_rule(feature, LevelSet("x", (text,))))
    with pytest.raises(ModelError, match="without a name"):
        sql_of(NUMBER, "")


def test_long_names_of_classes_stay_apart(run: Run) -> None:
    labels = tuple("ä" * 40 + end for end in "xyX")
    schema = Schema("y", labels, NUMBER.rule_set.schema.features)
    model = Model(RuleSet(schema, NUMBER.rule_set.rules), (Pattern(("r1",), (3, 1, 4)),))
    answer = run(Stored("data", [("x", "REAL")], [[1.0]]), sql_of(model))
    assert list(answer.rows[0][:4]) == [labels[2], 0.375, 0.125, 0.5]
    assert len({name.casefold() for name in answer.names}) == len(answer.names)
    assert all(len(name.encode()) <= 63 for name in answer.names)


def large_model(n_rules: int, n_patterns: int) -> tuple[Model, np.ndarray]:
    """Return a model whose rules are intervals of one of twenty features, and rows."""
    rng = np.random.default_rng(3)
    cuts = tuple(np.round(np.linspace(0.05, 0.95, 19), 2).tolist())
    features = tuple(Feature(f"x{f}", Kind.NUMERIC, cuts=cuts) for f in range(20))
    rules = []
    for k in range(n_rules):
        pair = rng.choice(20, 2, replace=False)
        rules.append(Rule(f"r{k}", tuple(Interval(f"x{f}", low=cuts[rng.integers(10, 18)]) for f in pair)))
    ids = [rule.id for rule in rules]
    sets = {tuple(sorted(rng.choice(n_rules, rng.integers(2, 9), replace=False).tolist())) for _ in range(n_patterns)}
    patterns = tuple(
        Pattern(tuple(ids[k] for k in members), tuple(rng.integers(0, 50, 5).tolist())) for members in sorted(sets)
    )
    return Model(RuleSet(Schema("y", tuple("abcde"), features), tuple(rules)), patterns), rng.random((300, 20))


def test_two_hundred_rules_and_two_thousand_patterns(run: Run) -> None:
    model, rows = large_model(200, 2010)
    assert len(model.patterns) >= 2000
    names = [feature.name for feature in model.rule_set.schema.features]
    answer = run(Stored("data", [(name, "DOUBLE PRECISION") for name in names], rows.tolist()), sql_of(model))
    assert_predicts(answer, model, expected(model, pd.DataFrame(rows, columns=names)))
    assert len({row[6] for row in answer.rows}) > 200  # combinations that no pattern has


def test_more_rules_than_an_expression_may_be_deep() -> None:
    model, rows = large_model(1500, 50)
    names = [feature.name for feature in model.rule_set.schema.features]
    answer = on_sqlite(Stored("data", [(name, "REAL") for name in names], rows[:5].tolist()), sql_of(model))
    assert_predicts(answer, model, expected(model, pd.DataFrame(rows[:5], columns=names)))


def test_an_own_column_called_rules_does_not_lead_sqlite_astray() -> None:
    answer = on_sqlite(Stored("data", [("x", "REAL"), ("rules", "TEXT")], [[1.0, "r2"]]), sql_of(NUMBER))
    assert answer.rows[0][3] == "r1"
    assert answer.rows[0][-1] == "r2"


@pytest.mark.parametrize("name", ["predicted", "p(a)", "rules"])
def test_an_own_column_of_an_added_name_is_as_the_head_says(run: Run, name: str) -> None:
    stored = Stored("data", [("x", "REAL"), (name, "TEXT")], [[1.0, "own"]])
    if name == "rules" and run not in (on_sqlite, on_duckdb):
        with pytest.raises(psycopg.errors.AmbiguousColumn, match='"rules" is ambiguous'):
            run(stored, sql_of(NUMBER))
        return
    answer = run(stored, sql_of(NUMBER))
    assert answer.rows == [("a", 2 / 3, 1 / 3, "r1", 0, 1.0, "own")]
    assert answer.names[:4] == ["predicted", "p(a)", "p(b)", "rules"]
    assert answer.names[-1].startswith(name)


def test_the_head_names_the_columns_that_are_added() -> None:
    head = sql_of(NUMBER).partition("WITH\n")[0]
    assert 'The names that it adds are "predicted", "rules", "p(a)", "p(b)".\n' in head
    assert 'PostgreSQL refuses a second "rules".' in head
    feature = Feature("Rules", Kind.NUMERIC, cuts=(1.0,))
    schema = Schema("y", ("a\nDROP", 'b"'), (feature,))
    model = Model(RuleSet(schema, (Rule("r1", (Interval("Rules", low=1.0),)),)), ())
    head = sql_of(model).partition("WITH\n")[0]
    assert r"""The names that it adds are "predicted", "rules (2)", "p(a\nDROP)", "p(b"")".""" in head
    assert all(line.startswith("-- ") for line in head.splitlines())


def test_it_can_be_a_view(run: Run) -> None:
    statement = sql_of(NUMBER)
    if run is on_sqlite:
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE TABLE data (x REAL)")
            connection.execute("INSERT INTO data VALUES (1)")
            connection.execute(f"CREATE VIEW scored AS {statement}")
            assert connection.execute('SELECT rules, "p(a)" FROM scored').fetchall() == [("r1", 2 / 3)]
    else:
        inner = statement.rstrip().removesuffix(";")
        answer = run(Stored("data", [("x", "REAL")], [[1.0]]), f"SELECT * FROM ({inner}\n) AS scored")
        assert answer.rows == [("a", 2 / 3, 1 / 3, "r1", 0, 1.0)]
        assert answer.names == ["predicted", "p(a)", "p(b)", "rules", KEY, "x"]


def test_white_space_is_that_of_python() -> None:
    assert set(WHITE_SPACE) == {chr(code) for code in range(0x110000) if chr(code).isspace()}
