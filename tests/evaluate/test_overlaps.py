"""The ledger of overlaps against rows, and the test whether rules differ."""

from __future__ import annotations

import json
from itertools import combinations
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings

from tests import naive
from tests import naive_evaluate as twin
from tests.evaluate.cases import Case, case_strategy, same
from turs.cover.patterns import Patterns
from turs.evaluate.difference import difference_p_value
from turs.evaluate.forecast import Forecast
from turs.evaluate.overlaps import overlap_ledger, rule_matrix
from turs.evaluate.plain import plain
from turs.evaluate.random_pick import random_pick
from turs.rules import Rule, RuleSet, Schema

slow = settings(deadline=None, max_examples=50)


def check_side(side, rows: twin.Rows, pattern: frozenset[int]) -> None:
    """Compare the numbers of an overlap on one side with its rows."""
    held = rows.overlaps().get(pattern, [])
    rules = sorted(pattern)
    assert list(side.observed.counts) == rows.counts(held)
    assert [list(rule.counts) for rule in side.rules] == [rows.counts(rows.covers[k]) for k in rules]
    assert list(side.union.counts) == rows.counts(naive.union_rows(rows.covers, pattern, len(rows.labels)))
    if not held:
        assert side.lost_bits == side.misfit_bits == side.auc_change == 0
        return
    vectors = [rule.probabilities for rule in side.rules]
    apart = [twin.distance(a, b) for a, b in combinations(vectors, 2)]
    assert side.largest_distance == pytest.approx(max(apart), abs=1e-12)
    assert side.mean_distance == pytest.approx(fmean(apart), abs=1e-12)
    assert same(side.lost_bits, twin.lost_bits(vectors, len(held)), 1e-9)
    assert side.misfit_bits == pytest.approx(twin.misfit_bits(rows, pattern), abs=1e-9)


@slow
@given(case_strategy())
def test_ledger_against_rows(case: Case) -> None:
    ledger = overlap_ledger(case.training, case.evaluation)
    seen = [case.numbers(overlap.rules) for overlap in ledger]
    assert len(seen) == len(ledger) == len(set(seen))
    assert set(seen) == set(case.training_rows.overlaps()) | set(case.rows.overlaps())
    for pattern, overlap in zip(seen, ledger, strict=True):
        check_side(overlap.training, case.training_rows, pattern)
        assert (overlap.evaluation is not None) == (pattern in case.rows.overlaps())
        if overlap.evaluation is not None:
            check_side(overlap.evaluation, case.rows, pattern)


@slow
@given(case_strategy())
def test_order_of_the_ledger(case: Case) -> None:
    ledger = overlap_ledger(case.training, case.evaluation)
    keys = [(-line.training.lost_bits, -line.training.observed.rows) for line in ledger]
    assert keys == sorted(keys)


@slow
@given(case_strategy())
def test_auc_change_is_that_of_random_pick(case: Case) -> None:
    changes = {line.rules: line.auc_change for line in random_pick(case.evaluation).overlaps}
    for overlap in overlap_ledger(case.training, case.evaluation):
        if overlap.evaluation is not None:
            assert same(overlap.evaluation.auc_change, changes[overlap.rules])


@slow
@given(case_strategy())
def test_rule_matrix(case: Case) -> None:
    found = rule_matrix(case.training)
    covers = case.training_rows.covers
    for a in range(len(covers)):
        for b in range(len(covers)):
            assert found.shared_rows[a][b] == len(covers[a] & covers[b])
            expected = twin.distance(twin.shares(case.training_rows, [a]), twin.shares(case.training_rows, [b]))
            assert found.distances[a][b] == pytest.approx(expected, abs=1e-12)


def forecast_of(members: list[list[int]], counts: list[list[int]]) -> Forecast:
    """Return the forecast of patterns on their own rows; the else rule without rows is added."""
    n_rules, n_classes = len(members[0]), len(counts[0])
    rule_set = RuleSet(Schema("y", tuple("abcdef"[:n_classes]), ()), tuple(Rule(f"r{k}", ()) for k in range(n_rules)))
    lines = sorted(zip([[0] * n_rules, *members], [[0] * n_classes, *counts], strict=True))
    patterns = Patterns(np.array([m for m, _ in lines], dtype=np.bool_), np.array([c for _, c in lines]))
    return Forecast(rule_set, patterns, patterns)


def test_rules_that_agree_lose_no_bits_though_the_overlap_may_differ() -> None:
    (overlap,) = overlap_ledger(forecast_of([[1, 0], [0, 1], [1, 1]], [[0, 9], [0, 9], [10, 1]]))
    side = overlap.training
    assert side.largest_distance == side.mean_distance == side.lost_bits == 0
    assert side.misfit_bits > 5


def test_three_rules_with_the_same_shares_lose_exactly_nothing() -> None:
    alone = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    (overlap,) = overlap_ledger(forecast_of(alone, [[1, 2], [2, 4], [3, 6], [1, 2]]))
    assert overlap.training.lost_bits == 0.0


def test_rules_that_contradict_each_other_lose_up_to_a_bit_a_row() -> None:
    (overlap,) = overlap_ledger(forecast_of([[1, 0], [0, 1], [1, 1]], [[1000, 0], [0, 1000], [5, 5]]))
    side = overlap.training
    assert 9 < side.lost_bits < 10
    assert side.farthest == ("r0", "r1")
    assert side.largest_distance == pytest.approx(1, abs=0.02)


def test_farthest_pair_of_three_rules() -> None:
    alone = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    (overlap,) = overlap_ledger(forecast_of(alone, [[50, 50], [60, 40], [5, 95], [1, 1]]))
    assert overlap.training.farthest == ("r1", "r2")


def test_no_overlap() -> None:
    ledger = overlap_ledger(Case(0, n_rules=1).training)
    assert len(ledger) == 0
    assert ledger[:5] == ()
    with pytest.raises(IndexError):
        ledger[0]


def test_lines_slices_and_json() -> None:
    case = Case(4, n_classes=3, n_rules=5)
    ledger = overlap_ledger(case.training, case.evaluation)
    assert ledger[0] == ledger[:1][0] == next(iter(ledger))
    assert ledger[-1] == ledger[len(ledger) - 1]
    tested = ledger.tested(0, 99)
    assert 0 < tested.training.p_value <= 1
    document = json.loads(json.dumps(plain(ledger), allow_nan=False))
    assert len(document) == len(ledger)
    assert document[0]["training"]["observed"]["rows"] == ledger[0].training.observed.rows
    assert document[0]["training"]["p_value"] is None


def test_p_value_of_a_blatant_difference_and_of_none() -> None:
    lines = [[0, 0], [0, 1], [1, 0], [1, 1]]
    both = np.array([True, True])

    def p_value(counts: list[list[int]]) -> float:
        return difference_p_value(Patterns(np.array(lines, dtype=np.bool_), np.array(counts)), both)

    assert p_value([[3, 3], [5, 90], [90, 5], [10, 10]]) == 1 / 1000
    assert p_value([[3, 3], [50, 50], [50, 50], [10, 10]]) == 1
    assert p_value([[3, 3], [0, 50], [0, 70], [0, 10]]) == 1
    assert p_value([[3, 3], [0, 0], [0, 0], [0, 0]]) == 1
    assert p_value([[3, 3], [0, 0], [4, 4], [0, 0]]) == 1


def test_p_value_is_that_of_shuffled_rows() -> None:
    rng = np.random.default_rng(0)
    compared = 0
    for seed in range(40):
        case = Case(seed, 50, 2 + seed % 2, n_rules=3)
        pattern = max(case.training_rows.overlaps(), key=len, default=None)
        if pattern is None or compared == 5:
            continue
        rules = np.isin(np.arange(3), list(pattern))
        expected = twin.difference_p_value(case.training_rows, sorted(pattern), 400, rng)
        found = difference_p_value(case.training.rows, rules, 4000, seed=7)
        assert found == pytest.approx(expected, abs=4 * 0.5 / 400**0.5)
        compared += 1
    assert compared == 5


@pytest.mark.parametrize(("n_classes", "n_rules"), [(2, 2), (3, 3)])
def test_p_values_are_uniform_where_rules_do_not_differ(n_classes: int, n_rules: int) -> None:
    rng = np.random.default_rng(1)
    members = np.array([[bool(p >> k & 1) for k in range(n_rules)] for p in range(2**n_rules)])
    members = members[np.lexsort(members.T[::-1])]
    share = rng.dirichlet(np.ones(n_classes) * 5)
    values = []
    for _ in range(300):
        counts = np.array([rng.multinomial(rng.integers(20, 120), share) for _ in members])
        values.append(difference_p_value(Patterns(members, counts), np.ones(n_rules, dtype=np.bool_), 199))
    assert np.mean(values) == pytest.approx(0.5, abs=0.06)
    for level in (0.05, 0.2, 0.5, 0.8):
        assert np.mean(np.array(values) <= level) == pytest.approx(level, abs=4 * (level * (1 - level) / 300) ** 0.5)


def test_p_value_does_not_depend_on_other_rules() -> None:
    case = Case(8, 80, n_rules=4)
    rules = np.array([True, True, False, False])
    alone = case.training.rows.without(3)
    assert difference_p_value(case.training.rows, rules) == difference_p_value(alone, rules[:3])
