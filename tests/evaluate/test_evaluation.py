"""All parts together: from tables, from patterns, from a stored model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.evaluate.cases import Case, case_strategy
from turs.cover.patterns import Patterns
from turs.evaluate.evaluation import evaluate
from turs.evaluate.summary import summarise
from turs.mdl.score import condition_bits, score
from turs.predict import model_of
from turs.rules import RuleSet


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the plain values of a JSON document with their places."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, f"{name}/{key}")
    else:
        yield name, value


@settings(deadline=None, max_examples=40)
@given(case_strategy())
def test_every_case_has_an_evaluation_that_survives_json(case: Case) -> None:
    found = evaluate(case.rule_set, case.data, case.new)
    document = json.loads(json.dumps(found.to_json_object(), allow_nan=False))
    assert document["headline"]["total_bits"] == score(case.rule_set, case.data).total_bits
    assert len(document["contributions"]) == len(case.rule_set.rules)
    assert len(document["calibration"]) == case.n_classes


@settings(deadline=None, max_examples=40)
@given(case_strategy())
def test_headline_agrees_with_the_summary(case: Case) -> None:
    headline = evaluate(case.rule_set, case.data, case.new).headline
    model = model_of(case.rule_set, case.training.training)
    for side, summary in (
        (headline.training, summarise(case.rule_set, case.data)),
        (headline.evaluation, summarise(model, case.new)),
    ):
        expected = (summary.n_rows, summary.auc, summary.random_pick_auc, summary.overlap_share, summary.coverage)
        found = (side.n_rows, side.auc, side.random_pick_auc, side.overlap_share, side.coverage)
        np.testing.assert_array_equal(found, expected)
    assert headline.n_literals == case.rule_set.n_literals


def test_tables_patterns_and_a_stored_model_say_the_same() -> None:
    case = Case(2, n_classes=3, n_rules=5)
    training, rows = case.training.training, case.evaluation.rows
    bits = condition_bits(case.rule_set, case.data)
    expected = evaluate(case.rule_set, case.data, case.new).to_json_object()
    assert evaluate(case.rule_set, training, rows, model_bits=bits).to_json_object() == expected
    stored = evaluate(model_of(case.rule_set, training), evaluation=case.new, model_bits=bits)
    assert stored.to_json_object() == expected


def test_without_the_bits_of_conditions_there_is_no_score() -> None:
    case = Case(2, n_rules=3)
    found = evaluate(case.rule_set, case.training.training)
    assert found.score is None
    assert found.headline.total_bits is None
    assert found.headline.evaluation is None
    assert found.metrics_evaluation is found.random_pick_evaluation is found.generalisation is None
    assert [line.bits_saved for line in found.contributions] == [None] * 3
    assert found.complexity.n_rules == 3
    assert len(found.sampled_picks(10).values) == 10


def test_a_rule_set_alone_has_no_training_rows() -> None:
    with pytest.raises(ValueError, match="give training rows"):
        evaluate(Case(0).rule_set)


def test_patterns_without_rows_change_nothing() -> None:
    case = Case(6, n_classes=3, n_rules=4)
    wider = []
    for patterns in (case.training.training, case.evaluation.rows):
        all_lines = np.array([[bool(p >> k & 1) for k in range(4)] for p in range(16)])
        all_lines = all_lines[np.lexsort(all_lines.T[::-1])]
        counts = np.zeros((16, 3), dtype=np.int64)
        for line, held in zip(patterns.members, patterns.counts, strict=True):
            counts[(all_lines == line).all(axis=1)] = held
        wider.append(Patterns(all_lines, counts))
    found = list(leaves(evaluate(case.rule_set, *wider).to_json_object()))
    expected = list(leaves(evaluate(case.rule_set, case.training.training, case.evaluation.rows).to_json_object()))
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (name, value), (_, other) in zip(found, expected, strict=True):
        assert value == (pytest.approx(other, abs=1e-12) if isinstance(other, float) else other), name


def test_no_rules_and_one_class() -> None:
    case = Case(3, n_rules=0, one_class=True)
    found = evaluate(RuleSet(case.rule_set.schema), case.data, case.new)
    assert found.headline.evaluation.coverage == 0
    assert len(found.overlaps) == 0
    assert found.contributions == ()
    assert found.metrics_evaluation.left_out
