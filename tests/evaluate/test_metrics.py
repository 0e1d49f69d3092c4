"""Metrics from counts against scikit-learn's and plain loops on expanded rows."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn import metrics as reference
from sklearn.calibration import calibration_curve

from tests import naive_evaluate as twin
from tests.evaluate.cases import Case, case_strategy, same
from turs.cover.patterns import Patterns
from turs.evaluate.calibration import calibration, weighted_quantiles
from turs.evaluate.forecast import Forecast
from turs.evaluate.metrics import Metrics, metrics
from turs.rules import RuleSet, Schema

slow = settings(deadline=None, max_examples=60)


@slow
@given(case_strategy())
def test_equal_to_loops_over_rows(case: Case) -> None:
    for forecast, rows in case.sides:
        found = metrics(forecast)
        vectors = twin.predictions(case.training_rows, rows)
        assert same(found.log_loss, twin.log_loss(vectors, rows.labels))
        assert same(found.brier, twin.brier(vectors, rows.labels))
        assert found.accuracy == twin.accuracy(vectors, rows.labels)
        assert same(found.auc.value, twin.auc(case.training_rows, rows))
        for c in range(case.n_classes):
            expected = twin.average_precision([v[c] for v in vectors], [y == c for y in rows.labels])
            assert same(found.pr_auc.by_class[c], expected)
        assert found.left_out == tuple(f"class {c}" for c in range(case.n_classes) if c not in rows.labels)


@slow
@given(case_strategy())
def test_equal_to_scikit_learn(case: Case) -> None:
    found = metrics(case.evaluation)
    y, proba = np.array(case.rows.labels), np.array(twin.predictions(case.training_rows, case.rows))
    labels = list(range(case.n_classes))
    assert same(found.log_loss, reference.log_loss(y, proba, labels=labels))
    assert same(found.accuracy, reference.accuracy_score(y, proba.argmax(axis=1)))
    if case.n_classes == 2:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # scikit-learn's, where a class has no row
            assert same(found.brier, reference.brier_score_loss(y, proba[:, 1], pos_label=1))
    else:
        assert same(found.brier, reference.brier_score_loss(y, proba, labels=labels))
    present = sorted(set(y.tolist()))
    for c in present:
        assert same(found.pr_auc.by_class[c], reference.average_precision_score(y == c, proba[:, c]))
    if len(present) == case.n_classes:
        scores = proba[:, 1] if case.n_classes == 2 else proba
        assert same(found.pr_auc.value, reference.average_precision_score(y, scores))
        assert same(found.auc.value, reference.roc_auc_score(y, scores, multi_class="ovr"))


@slow
@given(case_strategy())
def test_calibration_is_that_of_scikit_learn(case: Case) -> None:
    y, proba = np.array(case.rows.labels), np.array(twin.predictions(case.training_rows, case.rows))
    for strategy in ("uniform", "quantile"):
        for n_bins in (1, 3, 10):
            found = calibration(case.evaluation, n_bins, strategy)
            assert [line.label for line in found] == list(case.evaluation.classes)
            for c, line in enumerate(found):
                observed, predicted = calibration_curve(y == c, proba[:, c], n_bins=n_bins, strategy=strategy)
                np.testing.assert_allclose([b.observed for b in line.bins], observed, atol=1e-12)
                np.testing.assert_allclose([b.mean_predicted for b in line.bins], predicted, atol=1e-12)


@slow
@given(case_strategy())
def test_calibration_bins_hold_all_rows_within_their_ends(case: Case) -> None:
    vectors = twin.predictions(case.training_rows, case.rows)
    quantiles = [np.percentile([v[0] for v in vectors], 100 * q) for q in np.linspace(0, 1, 6)]
    for strategy, edges in (("uniform", list(np.linspace(0, 1, 6))), ("quantile", quantiles)):
        bins = calibration(case.evaluation, 5, strategy)[0].bins
        expected = twin.calibration([v[0] for v in vectors], [y == 0 for y in case.rows.labels], edges)
        assert [b.rows for b in bins] == [n for n, _, _ in expected]
        for line in bins:
            assert line.low - 1e-12 <= line.mean_predicted <= line.high + 1e-12
            assert line.interval[0] <= line.observed <= line.interval[1]


@pytest.mark.parametrize("seed", range(20))
def test_weighted_quantiles_are_numpys_to_the_last_digit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, times = rng.choice(rng.random(4), 9), rng.integers(0, 6, 9)
    times[0] += 1
    fractions = np.linspace(0, 1, int(rng.integers(2, 15)))
    expected = np.percentile(np.repeat(values, times), fractions * 100)
    assert weighted_quantiles(values, times, fractions).tolist() == expected.tolist()


def constant(counts: list[list[int]]) -> Metrics:
    """Return the metrics of a rule set without rules on rows counted by class."""
    schema = Schema("y", tuple("abc"[: len(counts[0])]), ())
    patterns = [Patterns(np.zeros((1, 0), dtype=np.bool_), np.array([line])) for line in counts]
    return metrics(Forecast(RuleSet(schema), patterns[0], patterns[1]))


def test_one_class_among_the_rows() -> None:
    found = constant([[3, 1], [0, 4]])
    assert math.isnan(found.auc.value)
    assert found.left_out == ("a",)
    assert found.log_loss == pytest.approx(math.log(4))
    assert found.brier == pytest.approx(0.75**2)
    assert found.accuracy == 0
    assert found.pr_auc.value == 1
    assert found.to_json_object()["auc"] == {"value": None, "by_class": [None, None]}


def test_an_impossible_class_costs_the_logarithm_of_epsilon() -> None:
    assert constant([[3, 0], [0, 1]]).log_loss == pytest.approx(52 * math.log(2))


def test_ties_go_to_the_first_class() -> None:
    assert constant([[2, 2, 0], [1, 3, 0]]).accuracy == 0.25


def test_no_rows_have_no_metrics() -> None:
    found = constant([[3, 1], [0, 0]])
    assert found.n_rows == 0
    assert all(math.isnan(value) for value in (found.log_loss, found.brier, found.accuracy, found.pr_auc.value))


def test_patterns_of_another_rule_set_are_refused() -> None:
    case = Case(1)
    with pytest.raises(ValueError, match="compute them with this rule set"):
        Forecast(RuleSet(case.rule_set.schema), case.training.training, case.training.rows)
