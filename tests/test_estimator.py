"""TursClassifier keeps scikit-learn's contract, respects what a data frame says, and survives saving."""

from __future__ import annotations

import dataclasses
import inspect
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from turs import TursClassifier
from turs.errors import DataError, ModelError, SettingsError
from turs.learn.settings import Settings
from turs.rules import LevelSet, Rule


@parametrize_with_checks([TursClassifier(), TursClassifier(search="paper", threads=1)])
# scikit-learn's own cast of a NaN label while it looks at what kind of target it is.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_scikit_learn_checks(estimator: TursClassifier, check: object) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def patients() -> tuple[pd.DataFrame, pd.Series]:
    generator = np.random.default_rng(3)
    n = 400
    age = generator.normal(55, 12, n)
    ward = generator.choice(["north", "south", "east wing"], n)
    known = generator.random(n) > 0.2
    frame = pd.DataFrame(
        {
            "age": age,
            "ward": pd.Categorical(ward),
            "smoker": generator.random(n) > 0.5,
            "admitted": pd.Timestamp("2024-01-01") + pd.to_timedelta(generator.integers(0, 300, n), unit="D"),
            "note": generator.choice(["x", "y"], n),
            "bp": np.where(known, generator.normal(80, 8, n), np.nan),
        }
    )
    risk = (age > 60) & (ward != "north") | ~known
    return frame, pd.Series(np.where(risk, "yes", "no"), name="readmitted")


def test_parameters_mirror_the_settings_of_the_learner() -> None:
    parameters = inspect.signature(TursClassifier).parameters
    for field in dataclasses.fields(Settings):
        assert field.name in parameters
        if field.name != "threads":
            assert parameters[field.name].default == field.default


def test_kinds_and_missing_values_of_a_data_frame_are_respected(patients: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = patients
    model = TursClassifier().fit(X, y)
    kinds = {feature.name: str(feature.kind) for feature in model.rule_set_.schema.features}
    assert kinds == {
        "age": "numeric",
        "ward": "categorical",
        "smoker": "categorical",
        "admitted": "date",
        "note": "categorical",
        "bp": "numeric",
    }
    assert model.rule_set_.schema.target == "readmitted"
    assert "bp is missing" in repr(model.rules_)
    assert any(isinstance(literal, LevelSet) for rule in model.rules_ for literal in rule.literals)
    assert model.score(X, y) > 0.95
    assert list(model.feature_names_in_) == list(X.columns)
    assert model.code_length_ == pytest.approx(model.learned_.total_bits)


def test_rules_are_a_sequence_that_prints(patients: tuple[pd.DataFrame, pd.Series]) -> None:
    model = TursClassifier().fit(*patients)
    assert isinstance(model.rules_[0], Rule)
    assert model.rules_[:2] == model.rule_set_.rules[:2]
    assert len(repr(model.rules_).splitlines()) == len(model.rules_) == len(model.rules_.texts())
    assert repr(model.rules_).startswith("r1: IF ")


def test_fired_rules_explain_the_probabilities(patients: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = patients
    model = TursClassifier().fit(X, y)
    fired = model.fired_rules(X)
    assert {rule for rules in fired for rule in rules} == {rule.id for rule in model.rules_}
    probabilities = model.predict_proba(X)
    for rules in set(fired):
        rows = [row for row, other in enumerate(fired) if other == rules]
        assert len(np.unique(probabilities[rows], axis=0)) == 1
    alone = [row for row, rules in enumerate(fired) if len(rules) < 2]
    picked = model.predict_random_pick(X, seed=1)
    assert np.array_equal(picked[alone], probabilities[alone])
    assert np.array_equal(picked, model.predict_random_pick(X, seed=1))


def test_unknown_levels_and_other_columns_at_prediction(patients: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = patients
    model = TursClassifier().fit(X, y)
    assert model.predict(X.assign(ward="unheard of")).shape == y.shape
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"age": "years"}))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 1]),
        np.array([True, False]),
        np.array([1.0, 2.0]),
        np.array(["b", "a "]),
        np.array(["b", "a"], dtype=object),
        np.array([1, 2], dtype=np.uint8),
    ],
    ids=["int", "bool", "float", "text", "objects", "uint8"],
)
def test_labels_keep_their_type_also_through_a_file(labels: np.ndarray, tmp_path: Path) -> None:
    X = np.arange(40.0).reshape(-1, 1)
    y = labels[(X[:, 0] > 20).astype(int)]
    model = TursClassifier().fit(X, y)
    assert model.classes_.dtype == labels.dtype
    assert model.score(X, y) == 1.0
    model.save(tmp_path / "model.json")
    loaded = TursClassifier.load(tmp_path / "model.json")
    assert loaded.classes_.dtype == model.classes_.dtype
    assert np.array_equal(loaded.classes_, model.classes_)
    assert np.array_equal(loaded.predict(X), y)


def test_saving_and_loading_is_the_identity(patients: tuple[pd.DataFrame, pd.Series], tmp_path: Path) -> None:
    X, y = patients
    model = TursClassifier(most_rules=2, kinds={"note": "categorical"}, unused=("smoker",)).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = TursClassifier.load(tmp_path / "model.json")
    assert loaded.model_ == model.model_
    assert repr(loaded.rules_) == repr(model.rules_)
    assert loaded.code_length_ == model.code_length_
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.fired_rules(X) == model.fired_rules(X)
    assert loaded.get_params() | {"unused": ("smoker",)} == model.get_params()
    assert loaded.n_features_in_ == 6
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("labels", {"dtype": "<i8", "values": [1, 2, 3]}),
        ("labels", "text"),
        ("labels", {"dtype": "nonsense", "values": [0, 1]}),
        ("columns", ["x9"]),
        ("parameters", {"no such": 1}),
        ("parameters", 3),
    ],
)
def test_a_document_that_was_tampered_with_is_refused(key: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    TursClassifier().fit([[1], [2], [3], [4]] * 9, [0, 0, 1, 1] * 9).save(path)
    document = json.loads(path.read_text())
    document["info"]["estimator"][key] = value
    path.write_text(json.dumps(document))
    with pytest.raises(ModelError, match=r"info\.estimator"):
        TursClassifier.load(path)


def test_every_column_that_is_given_is_kept() -> None:
    n = 60
    X = np.column_stack([np.arange(n), np.arange(n) % 3])
    model = TursClassifier().fit(X, np.arange(n) >= 30)
    assert [feature.name for feature in model.rule_set_.schema.features] == ["x0", "x1"]
    assert [literal.feature for rule in model.rules_ for literal in rule.literals] == ["x0"]


def test_without_information_only_the_else_rule_is_learned() -> None:
    model = TursClassifier().fit(np.ones((20, 2)), [0, 1, 1, 1] * 5)
    assert len(model.rules_) == 0
    assert "else rule" in repr(model.rules_)
    assert np.allclose(model.predict_proba([[1, 1], [2, 2]]), [[0.25, 0.75]] * 2)


def test_missing_values_in_arrays_are_fine_and_infinite_ones_are_not() -> None:
    X = np.array([[1.0], [2.0], [np.nan], [4.0]] * 10)
    y = [0, 0, 1, 0] * 10
    assert repr(TursClassifier().fit(X, y).rules_) in (
        "r1: IF x0 is missing THEN 1: 1.00",
        "r1: IF x0 is known THEN 1: 0.00",
    )
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        TursClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "y", "error", "message"),
    [
        ({}, [1] * 8, DataError, "one class"),
        ({}, ["a", "a "] * 4, DataError, "differ only"),
        ({}, ["a", None] * 4, ValueError, "NaN"),
        ({"beam_width": 0}, [0, 1] * 4, SettingsError, "beam_width"),
        ({"n_cuts": 0}, [0, 1] * 4, SettingsError, "n_cuts"),
        ({"search": "best"}, [0, 1] * 4, SettingsError, "search"),
        ({"directions": {"x0": "up"}}, [0, 1] * 4, SettingsError, "direction"),
        ({"unused": ("x7",)}, [0, 1] * 4, ValueError, "x7"),
        ({"kinds": {"x0": "number"}}, [0, 1] * 4, SettingsError, "kind"),
    ],
)
def test_what_cannot_be_learned_says_why(parameters: dict, y: list, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TursClassifier(**parameters).fit(
            np.arange(8.0).reshape(-1, 1), y if None not in y else np.array(y, dtype=object)
        )


def test_constraints_hold(patients: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = patients
    model = TursClassifier(unused=("ward", "bp"), directions={"age": "<"}).fit(X, y)
    text = repr(model.rules_)
    assert "ward" not in text
    assert "bp" not in text
    assert "age >=" not in text


def test_rules_do_not_depend_on_threads(patients: tuple[pd.DataFrame, pd.Series]) -> None:
    assert TursClassifier(threads=1).fit(*patients).model_ == TursClassifier(threads=3).fit(*patients).model_


def test_pipeline_cross_validation_and_clone() -> None:
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), TursClassifier(threads=1))
    assert cross_val_score(pipeline, X, y, cv=3, scoring="roc_auc_ovr").mean() > 0.95
    estimator = TursClassifier(kinds={"x0": "categorical"}, most_rules=3)
    assert clone(estimator).get_params() == estimator.get_params()


def test_columns_with_any_name() -> None:
    names = ["self", "class", "a b", 'say "hi"', "class_"]
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 5)), columns=names)
    model = TursClassifier().fit(X, X["self"] > 0)
    assert model.score(X, X["self"] > 0) > 0.95
    repeated = X.set_axis(["a", "a", "b", "c", "d"], axis="columns")
    assert TursClassifier().fit(repeated, X["self"] > 0).rule_set_.schema.features[1].name == "a (2)"


def test_an_array_is_not_copied_while_it_is_learned_from() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(100_000, 40))
    y = (X[:, 0] > 0.5).astype(int)
    before = X.copy()
    TursClassifier(threads=1).fit(X[:1000], y[:1000])  # loads the kernels
    tracemalloc.start()
    TursClassifier(threads=1).fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.7 * X.nbytes
    assert np.array_equal(X, before)


def labels_of(kind: str, positive: pd.Series) -> pd.Series:
    if kind == "moment":
        return pd.Series(np.where(positive, pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")))
    if kind == "duration":
        return pd.Series(pd.to_timedelta(np.where(positive, 1, 2), unit="h"))
    return positive.astype(kind)


@pytest.mark.parametrize(
    ("kind", "classes"),
    [
        ("boolean", [False, True]),
        ("bool[pyarrow]", [False, True]),
        ("Int64", [0, 1]),
        ("moment", [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")]),
        ("duration", [np.timedelta64(1, "h"), np.timedelta64(2, "h")]),
    ],
)
def test_labels_keep_their_type_and_come_back_from_a_file(kind: str, classes: list[object], tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=200)
    X = pd.DataFrame({"x": x})
    model = TursClassifier().fit(X, labels_of(kind, pd.Series(x > 0)))
    assert list(model.classes_) == classes
    model.save(tmp_path / "model.json")
    loaded = TursClassifier.load(tmp_path / "model.json")
    assert loaded.classes_.dtype == model.classes_.dtype
    assert (loaded.predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("days", [pd.date_range("2020-01-01", periods=2).date, pd.period_range("2020", periods=2)])
def test_days_and_periods_are_classes(days: np.ndarray) -> None:
    x = np.random.default_rng(0).normal(size=200)
    labels = pd.Series(days[0], index=range(200), dtype=object).where(x > 0, days[1])
    model = TursClassifier().fit(pd.DataFrame({"x": x}), labels)
    assert list(model.classes_) == list(days)
    assert (model.predict(pd.DataFrame({"x": x})) == labels).mean() > 0.95


def test_labels_of_several_types_are_told() -> None:
    with pytest.raises(DataError, match=r"several types \('int', 'str'\): give all of them as text"):
        TursClassifier().fit(np.arange(8.0)[:, None], np.array([1, "a"] * 4, dtype=object))


def test_parameters_from_a_grid_of_numpy_are_saved(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    given = {
        "n_cuts": np.int64(5),
        "auxiliary": np.bool_(False),
        "unused": X.columns[:1],
        "time_budget": np.float32(60),
    }
    TursClassifier(**given).fit(X, y).save(tmp_path / "model.json")
    loaded = TursClassifier.load(tmp_path / "model.json")
    assert (loaded.n_cuts, loaded.auxiliary, loaded.unused) == (5, False, [X.columns[0]])


def test_dates_are_no_numbers_at_prediction_either(patients: tuple[pd.DataFrame, pd.Series]) -> None:
    frame, labels = patients
    model = TursClassifier().fit(frame[["age"]], labels)
    assert model.rule_set_.rules
    dates = pd.DataFrame({"age": pd.date_range("2020-01-01", periods=3)})
    with pytest.raises(DataError, match="Column 'age' holds dates, not numbers"):
        model.predict(dates)
