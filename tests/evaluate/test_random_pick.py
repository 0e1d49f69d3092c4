"""Random picks: parts add up and equal the mean over all orders, the closed form is the mean of sampled picks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from tests import naive_evaluate as twin
from tests.evaluate.cases import Case, case_strategy, same
from turs.evaluate.random_pick import random_pick, sample_picks

slow = settings(deadline=None, max_examples=50)


@slow
@given(case_strategy())
def test_expected_auc_and_the_rows_that_can_change(case: Case) -> None:
    for forecast, rows in case.sides:
        found = random_pick(forecast)
        assert same(found.union.value, twin.auc(case.training_rows, rows))
        assert same(found.expected.value, twin.auc(case.training_rows, rows, None))
        can_change = twin.rows_that_can_change(case.training_rows, rows)
        assert found.n_rows_can_change == len(can_change)
        assert found.n_overlap_rows == sum(map(len, rows.overlaps().values()))
        assert 0 <= found.n_rows_expected_to_change <= found.n_rows_can_change
        by_pattern = {case.numbers(line.rules): line for line in found.overlaps}
        assert {pattern: line.rows for pattern, line in by_pattern.items()} == {
            pattern: len(held) for pattern, held in rows.overlaps().items()
        }
        for pattern, held in rows.overlaps().items():
            assert by_pattern[pattern].can_change == (held[0] in can_change)


@slow
@given(case_strategy())
def test_parts_add_up_to_the_difference(case: Case) -> None:
    found = random_pick(case.evaluation)
    if not math.isnan(found.difference):
        assert math.fsum(line.auc_part for line in found.overlaps) == pytest.approx(found.difference, abs=1e-12)
        if abs(found.difference) > 1e-9:
            assert math.fsum(line.auc_share for line in found.overlaps) == pytest.approx(1)
    sizes = [abs(line.auc_part) for line in found.overlaps]
    assert math.isnan(found.difference) or sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_parts_are_the_mean_over_all_orders_of_replacing_unions(seed: int, n_classes: int) -> None:
    case = Case(seed, 40, n_classes, n_rules=3, n_new=25)
    expected = twin.auc_parts(case.training_rows, case.rows)
    union = twin.auc(case.training_rows, case.rows)
    for line in random_pick(case.evaluation).overlaps:
        pattern = case.numbers(line.rules)
        assert line.auc_part == pytest.approx(expected[pattern], abs=1e-12)
        alone = twin.auc(case.training_rows, case.rows, [pattern])
        assert line.auc_change == pytest.approx(alone - union, abs=1e-12)


def overlapping_case(n_classes: int) -> Case:
    """Return a case in which picks matter."""
    cases = (Case(seed, 150, n_classes, n_rules=5, n_new=150) for seed in range(200))
    return next(case for case in cases if abs(random_pick(case.evaluation).difference) > 0.01)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_closed_form_lies_within_the_error_of_ten_thousand_picks(n_classes: int) -> None:
    case = overlapping_case(n_classes)
    sampled = sample_picks(case.evaluation, 10_000, seed=1)
    assert len(sampled.values) == 10_000
    assert 0 < sampled.standard_error < 0.001
    assert sampled.mean == pytest.approx(random_pick(case.evaluation).expected.value, abs=4 * sampled.standard_error)
    assert sampled.low < sampled.mean < sampled.high
    expected = random_pick(case.evaluation).expected.by_class
    for spread, value in zip(sampled.by_class, expected, strict=True):
        assert spread.low <= spread.mean <= spread.high
        assert spread.mean == pytest.approx(value, abs=0.002)
    if n_classes == 2:
        assert (sampled.by_class[1].low, sampled.by_class[1].high) == (sampled.low, sampled.high)


def test_sampled_picks_spread_like_picks_of_rows() -> None:
    case = overlapping_case(3)
    case = Case(case.seed, 150, 3, n_rules=5, n_new=50)
    rng = np.random.default_rng(0)
    by_row = [twin.sampled_auc(case.training_rows, case.rows, rng) for _ in range(60)]
    sampled = sample_picks(case.evaluation, 2000)
    assert np.std(by_row) > 0
    assert sampled.standard_deviation == pytest.approx(np.std(by_row), rel=0.4)
    assert sampled.mean == pytest.approx(np.mean(by_row), abs=4 * np.std(by_row) / 60**0.5)


def test_the_same_seed_gives_the_same_picks() -> None:
    case = overlapping_case(2)
    assert sample_picks(case.evaluation, 50, seed=3) == sample_picks(case.evaluation, 50, seed=3)
    assert sample_picks(case.evaluation, 50, seed=3) != sample_picks(case.evaluation, 50, seed=4)


@pytest.mark.parametrize("n_rules", [0, 1])
def test_without_overlaps_a_pick_is_no_choice(n_rules: int) -> None:
    case = Case(5, n_rules=n_rules)
    found = random_pick(case.evaluation)
    assert found.difference == pytest.approx(0, abs=1e-15)
    assert found.overlaps == ()
    assert found.n_rows_can_change == found.n_rows_expected_to_change == 0
    sampled = sample_picks(case.evaluation, 20)
    assert sampled.values == pytest.approx([found.union.value] * 20, abs=1e-15)


def test_one_class_has_no_difference() -> None:
    case = Case(3, n_rules=5, one_class=True)
    found = random_pick(case.evaluation)
    assert found.overlaps
    assert math.isnan(found.difference)
    assert all(math.isnan(line.auc_part) for line in found.overlaps)
    sampled = sample_picks(case.evaluation, 5)
    assert all(math.isnan(value) for value in sampled.values)
    assert all(math.isnan(spread.mean) for spread in sampled.by_class)
    assert found.to_json_object()["overlaps"][0]["auc_part"] is None
