"""The exported Python module, run by itself, against the engine."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from mypy import api

from tests.export.cases import NASTY_TEXTS, Case, cases, expected_of
from turs.export.python import python_of
from turs.rules import Feature, Interval, Kind, LevelSet, Model, Pattern, Rule, RuleSet, Schema

Predict = Callable[[Mapping[str, object]], tuple[dict[str, float], list[str]]]


def loaded(model: Model) -> Predict:
    """Return the function of an exported module."""
    names: dict[str, object] = {"__name__": "exported"}
    exec(compile(python_of(model), "exported.py", "exec"), names)
    return names["predict"]


@settings(deadline=None, max_examples=200)
@given(cases())
def test_it_predicts_what_turs_predicts(case: Case) -> None:
    predict = loaded(case.model)
    for row, (probabilities, fired) in zip(case.rows, expected_of(case), strict=True):
        values = {feature.name: value for feature, value in zip(case.features, row, strict=True)}
        found, rules = predict(values)
        assert found == dict(zip(case.model.rule_set.schema.classes, probabilities, strict=True))
        assert list(found) == list(case.model.rule_set.schema.classes)
        assert " ".join(rules) == fired


def nasty_model(text: str) -> Model:
    feature = Feature(text, Kind.CATEGORICAL, levels=(text, "other"))
    schema = Schema(text, (text, "b"), (feature,))
    return Model(RuleSet(schema, (Rule("r1", (LevelSet(text, (text,)),)),)), (Pattern(("r1",), (1, 3)),))


@pytest.mark.parametrize("text", [*NASTY_TEXTS, "a\rb", "\x00", "\ud800", "\u202e", "\u2028", "\x0c"])
def test_no_text_does_harm_or_becomes_a_name(text: str) -> None:
    predict = loaded(nasty_model(text))
    assert predict({text: text if text.strip() == text else f" {text}"})[1] in (["r1"], [])
    assert predict({text: None}) == ({text: 0.25, "b": 0.75}, [])
    harmless = python_of(nasty_model("x"))
    names = {node.id for node in ast.walk(ast.parse(python_of(nasty_model(text)))) if isinstance(node, ast.Name)}
    assert names == {node.id for node in ast.walk(ast.parse(harmless)) if isinstance(node, ast.Name)}


def test_a_level_of_any_text_is_found() -> None:
    for text in NASTY_TEXTS:
        assert loaded(nasty_model(text))({text: text}) == ({text: 0.25, "b": 0.75}, ["r1"])


def interval_model() -> Model:
    features = (Feature("a b", Kind.NUMERIC, cuts=(0.5,)), Feature("unused", Kind.NUMERIC, cuts=(1.0,)))
    rules = (Rule("r1", (Interval("a b", low=0.5),)),)
    return Model(RuleSet(Schema("y", ("no", "yes"), features), rules), (Pattern((), (3, 1)), Pattern(("r1",), (1, 7))))


def test_it_runs_without_any_package(tmp_path: Path) -> None:
    (tmp_path / "exported.py").write_bytes(python_of(interval_model()).encode())
    code = (
        f"import sys, json; sys.path.insert(0, {str(tmp_path)!r}); from exported import *;"
        " print(json.dumps([predict({'a b': v}) for v in (0.5, '0.25', None)]))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    high, low = {"no": 0.125, "yes": 0.875}, {"no": 0.75, "yes": 0.25}
    assert json.loads(done.stdout) == [[high, ["r1"]], [low, []], [low, []]]


def test_it_is_typed(tmp_path: Path) -> None:
    path = tmp_path / "exported.py"
    path.write_bytes(python_of(interval_model()).encode())
    said, errors, code = api.run(["--strict", "--no-incremental", "--config-file=", str(path)])
    assert (code, errors) == (0, ""), said


def test_only_the_columns_that_a_rule_asks_for_are_needed() -> None:
    predict = loaded(interval_model())
    assert predict({"a b": 1})[1] == ["r1"]
    with pytest.raises(KeyError, match="a b"):
        predict({"unused": 1})
    with pytest.raises(ValueError, match="column 'a b': 'many' is not a finite number"):
        predict({"a b": "many"})


def test_missing_values_of_pandas() -> None:
    predict = loaded(interval_model())
    assert [predict({"a b": value})[1] for value in (pd.NA, pd.NaT, float("nan"), " ")] == [[], [], [], []]


def test_without_rules_and_without_rows() -> None:
    schema = Schema("y", ("no", "yes"), ())
    assert loaded(Model(RuleSet(schema), (Pattern((), (1, 3)),)))({}) == ({"no": 0.25, "yes": 0.75}, [])
    assert loaded(Model(RuleSet(schema), ()))({}) == ({"no": 0.0, "yes": 0.0}, [])
