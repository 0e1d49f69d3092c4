"""Rules one by one: contributions, generalisation, intervals; and how much there is to read."""

from __future__ import annotations

import math
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive_evaluate as twin
from tests.evaluate.cases import Case, case_strategy, same
from turs.evaluate.auc import union_auc
from turs.evaluate.complexity import complexity
from turs.evaluate.contribution import contributions
from turs.evaluate.exclusive import exclusive_counts
from turs.evaluate.forecast import Forecast
from turs.evaluate.generalisation import generalisation
from turs.evaluate.shares import Z_95, ClassShares, wilson
from turs.mdl.score import condition_bits, score, score_patterns
from turs.predict import union_probabilities

slow = settings(deadline=None, max_examples=50)


@slow
@given(case_strategy())
def test_union_counts_of_patterns_seen_and_unseen(case: Case) -> None:
    expected = union_probabilities(case.training.training, case.evaluation.rows.members)
    assert case.evaluation.probabilities.tolist() == expected.tolist()


@slow
@given(case_strategy())
def test_exclusive_counts_equal_those_of_rows(case: Case) -> None:
    members = case.evaluation.rows.members
    found = exclusive_counts(members, case.training.training)
    assert list(zip(found.lines, found.rules, strict=True)) == list(zip(*np.nonzero(members), strict=True))
    for line, k, counts in zip(found.lines, found.rules, found.counts.tolist(), strict=True):
        rules = np.flatnonzero(members[line]).tolist()
        assert counts == twin.exclusive_counts(case.training_rows, rules, k)


@slow
@given(case_strategy())
def test_contributions_equal_the_rule_set_without_a_rule(case: Case) -> None:
    bits = condition_bits(case.rule_set, case.data)
    whole = score_patterns(case.rule_set, case.training.training, bits)
    found = contributions(case.training, case.evaluation, whole)
    assert [line.id for line in found] == list(case.training.ids)
    for k, line in enumerate(found):
        fewer = case.rule_set.without_rule(line.id)
        assert line.bits_saved == pytest.approx(score(fewer, case.data).total_bits - whole.total_bits, abs=1e-9)
        for side, (_, rows) in zip((line.training, line.evaluation), case.sides, strict=True):
            only = [i for i in range(len(rows.labels)) if rows.fired(i) == (k,)]
            assert side.rows == len(only)
            assert side.share == len(only) / len(rows.labels)
            left = twin.auc(case.training_rows.without(k), rows.without(k))
            assert same(side.auc_change, left - twin.auc(case.training_rows, rows))


@slow
@given(case_strategy())
def test_auc_without_a_rule_is_that_of_the_patterns_without_it(case: Case) -> None:
    for k, line in enumerate(contributions(case.training, case.evaluation)):
        training, rows = case.training.training.without(k), case.evaluation.rows.without(k)
        left = union_auc(union_probabilities(training, rows.members), rows.counts).value
        assert same(line.evaluation.auc_change, left - case.evaluation.auc.value)
        assert line.bits_saved is None


@slow
@given(case_strategy())
def test_generalisation_against_rows(case: Case) -> None:
    found = generalisation(case.evaluation)
    assert same(found.g, twin.g_score(case.training_rows, case.rows))
    assert same(found.g_with_else, twin.g_score_with_else(case.training_rows, case.rows))
    left_out = []
    covers = zip(case.training_rows.covers, case.rows.covers, strict=True)
    for line, (here, there) in zip(found.rules, covers, strict=True):
        assert list(line.training.counts) == case.training_rows.counts(here)
        assert list(line.evaluation.counts) == case.rows.counts(there)
        if not (here and there):
            left_out.append(line.id)
            assert math.isnan(line.difference)
    assert found.left_out == tuple(left_out)
    uncovered = [i for i in range(len(case.rows.labels)) if not case.rows.fired(i)]
    assert list(found.otherwise.evaluation.counts) == case.rows.counts(uncovered)


def test_g_is_weighted_by_coverage_on_the_training_rows() -> None:
    case = Case(0, 100, n_rules=3)
    same_rows = generalisation(case.training)
    assert same_rows.g == same_rows.g_with_else == 0
    found = generalisation(case.evaluation)
    known = [rule for rule in found.rules if rule.id not in found.left_out]
    assert min(rule.difference for rule in known) <= found.g <= max(rule.difference for rule in known) <= 1


def test_without_rules_the_else_rule_alone_is_g_with_else() -> None:
    found = generalisation(Case(1, n_rules=0).evaluation)
    assert math.isnan(found.g)
    assert found.g_with_else == pytest.approx(found.otherwise.difference)


@slow
@given(case_strategy())
def test_literals_read_against_rows(case: Case) -> None:
    found = complexity(case.evaluation)
    lengths = [len(rule.literals) for rule in case.rule_set.rules]
    read = twin.literals_read(case.rows, lengths)
    covered = [n for i, n in enumerate(read) if case.rows.fired(i)]
    assert found.n_rules == len(lengths)
    assert found.n_literals == found.literals_read_else == sum(lengths)
    assert found.longest_rule == max(lengths, default=0)
    assert found.literals_read == pytest.approx(fmean(read))
    assert same(found.literals_read_covered, fmean(covered) if covered else math.nan)
    assert found.else_share == (len(read) - len(covered)) / len(read)


def test_nothing_to_read_without_rules() -> None:
    found = complexity(Case(1, n_rules=0).evaluation)
    assert (found.n_rules, found.n_literals, found.longest_rule, found.literals_read) == (0, 0, 0, 0)
    assert math.isnan(found.literals_read_covered)
    assert found.else_share == 1


def test_no_evaluation_rows() -> None:
    case = Case(1)
    empty = type(case.evaluation.rows)(case.evaluation.rows.members, np.zeros_like(case.evaluation.rows.counts))
    forecast = Forecast(case.rule_set, case.training.training, empty)
    assert math.isnan(complexity(forecast).literals_read)
    found = generalisation(forecast)
    assert math.isnan(found.g)
    assert math.isnan(found.g_with_else)
    assert found.left_out == case.training.ids
    assert all(line.evaluation.share == 0 for line in contributions(case.training, forecast))


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_interval_solves_its_equation(hits: int, misses: int) -> None:
    n = hits + misses
    low, high = wilson(hits, n)
    assert 0 <= low <= high <= 1
    if n == 0:
        assert (low, high) == (0, 1)
        return
    share = hits / n
    assert low <= share <= high
    for end in (low, high):
        assert (share - end) ** 2 == pytest.approx(Z_95**2 * end * (1 - end) / n, abs=1e-9)


def test_shares_without_rows_do_not_exist() -> None:
    nothing = ClassShares((0, 0))
    assert nothing.to_json_object() == {
        "rows": 0,
        "counts": [0, 0],
        "probabilities": [None, None],
        "intervals": [[0.0, 1.0], [0.0, 1.0]],
    }
