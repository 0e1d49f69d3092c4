"""Predictions from stored patterns against looking at the training rows, for combinations seen and unseen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.strategies import random_column, random_table, seeds
from turs.cover.covers import rule_covers
from turs.cover.patterns import assign_patterns, tabulate
from turs.predict import (
    model_of,
    patterns_of,
    predict,
    predict_random_pick,
    rule_probabilities,
    shares,
    union_probabilities,
)
from turs.rules.model import Model, Pattern

slow = settings(deadline=None, max_examples=60)


class Case:
    """A model from random training rows, and new rows that follow another distribution."""

    def __init__(self, seed: int, n_rows: int = 40, n_classes: int = 3, n_rules: int = 4, n_new: int = 60) -> None:
        self.data, self.rule_set = random_table(seed, n_rows, n_classes, n_features=4, n_rules=n_rules)
        schema = self.data.schema
        rng = np.random.default_rng(seed + 1)
        self.new_bins = np.array([random_column(rng, feature, n_new) for feature in schema.features])
        row_pattern, members = assign_patterns(rule_covers(self.rule_set.rules, schema, self.data.bins), n_rows)
        self.patterns = tabulate(row_pattern, members, self.data.labels, n_classes)
        self.model = model_of(self.rule_set, self.patterns)
        self.covers = naive.rule_covers(self.rule_set.rules, schema, self.data.bins)
        self.new_covers = naive.rule_covers(self.rule_set.rules, schema, self.new_bins)
        self.labels, self.n_classes, self.n_new = self.data.labels.tolist(), n_classes, n_new

    def shares(self, fired) -> list[float]:
        """Return the probabilities of a row covered by exactly these rules, from the training rows."""
        return naive.union_shares(self.covers, fired, self.labels, self.n_classes)

    def fired(self, i: int) -> list[int]:
        """Return the rules that cover a new row."""
        return [k for k, cover in enumerate(self.new_covers) if i in cover]


cases = st.builds(Case, seeds, st.integers(1, 40), st.integers(2, 4), st.integers(0, 5), st.integers(0, 40))


@slow
@given(cases)
def test_probabilities_and_fired_rules_of_new_rows(case):
    prediction = predict(case.model, case.new_bins)
    fired = [case.fired(i) for i in range(case.n_new)]
    by_row = prediction.by_row()
    assert by_row.shape == (case.n_new, case.n_classes)
    np.testing.assert_allclose(
        by_row, np.array([case.shares(rules) for rules in fired]).reshape(by_row.shape), rtol=0, atol=1e-15
    )
    ids = tuple(rule.id for rule in case.rule_set.rules)
    assert prediction.fired(ids) == [" ".join(ids[k] for k in rules) for rules in fired]
    np.testing.assert_allclose(prediction.probabilities.sum(axis=1), 1.0)


def test_new_rows_have_combinations_that_training_rows_have_not():
    seen = unseen = 0
    for seed in range(40):
        case = Case(seed, n_rows=30)
        known = set(naive.pattern_rows(case.covers, 30))
        new = [pattern for pattern in naive.pattern_rows(case.new_covers, case.n_new) if len(pattern) > 1]
        seen += sum(pattern in known for pattern in new)
        unseen += sum(pattern not in known for pattern in new)
    assert seen > 20
    assert unseen > 20


@slow
@given(cases, seeds)
def test_unions_of_any_combination(case, seed):
    members = np.random.default_rng(seed).random((8, len(case.covers))) < 0.5
    found = union_probabilities(case.patterns, members)
    expected = [case.shares(np.flatnonzero(line).tolist()) for line in members]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


@slow
@given(cases)
def test_probabilities_of_rules(case):
    found = rule_probabilities(case.patterns)
    expected = np.array([case.shares([k]) for k in range(len(case.covers))]).reshape(found.shape)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


@slow
@given(cases)
def test_model_and_patterns_are_each_others_inverse(case):
    again = patterns_of(case.model)
    np.testing.assert_array_equal(again.members, case.patterns.members[[0, *observed(case)]])
    np.testing.assert_array_equal(again.counts, case.patterns.counts[[0, *observed(case)]])
    assert model_of(case.rule_set, again) == case.model
    assert all(sum(pattern.counts) > 0 for pattern in case.model.patterns)


def observed(case: Case) -> list[int]:
    """Return the patterns with rows, the else rule apart."""
    return [p for p in range(1, len(case.patterns.counts)) if case.patterns.counts[p].any()]


def test_order_of_stored_patterns_does_not_matter():
    case = Case(3)
    turned = Model(case.rule_set, case.model.patterns[::-1])
    np.testing.assert_array_equal(patterns_of(turned).members, patterns_of(case.model).members)
    np.testing.assert_array_equal(predict(turned, case.new_bins).by_row(), predict(case.model, case.new_bins).by_row())


def test_without_rules_all_rows_get_the_class_shares():
    case = Case(3, n_rules=0)
    counts = naive.class_counts(range(40), case.labels, 3)
    assert case.model.patterns == (Pattern((), tuple(counts)),)
    assert predict(case.model, case.new_bins).by_row().tolist() == [[count / 40 for count in counts]] * case.n_new


def test_shares_of_no_rows_are_those_that_stand_in():
    found = shares(np.array([[0, 0], [1, 3]]), np.array([1, 1]))
    assert found.tolist() == [[0.5, 0.5], [0.25, 0.75]]
    assert shares(np.zeros((1, 2), dtype=np.int64), np.zeros(2, dtype=np.int64)).tolist() == [[0.0, 0.0]]


@slow
@given(cases, st.integers(0, 2**31))
def test_random_picks(case, seed):
    found = predict_random_pick(case.model, case.new_bins, seed)
    picks = np.random.default_rng(seed).random(case.n_new)
    expected = naive.random_picks(case.covers, case.labels, case.n_classes, case.new_covers, picks)
    np.testing.assert_allclose(found, np.array(expected).reshape(found.shape), rtol=0, atol=1e-15)
    for i, line in enumerate(found.tolist()):
        choices = [case.shares([k]) for k in case.fired(i)] or [case.shares([])]
        assert any(line == pytest.approx(choice, abs=1e-15) for choice in choices)
    np.testing.assert_array_equal(predict_random_pick(case.model, case.new_bins, seed), found)


def test_picks_are_even_and_depend_on_the_seed():
    case = next(case for case in map(Case, range(50)) if has_a_triple(case))
    i = next(i for i in range(case.n_new) if is_triple(case, i))
    row = np.repeat(case.new_bins[:, i : i + 1], 30_000, axis=1)
    first = predict_random_pick(case.model, row, 1)
    assert (predict_random_pick(case.model, row, 2) != first).any()
    for k in case.fired(i):
        share = np.isclose(first, case.shares([k])).all(axis=1).mean()
        assert share == pytest.approx(1 / 3, abs=4 * np.sqrt(2 / 9 / 30_000))


def is_triple(case: Case, i: int) -> bool:
    """Return whether three rules with different probabilities cover a new row."""
    fired = case.fired(i)
    return len(fired) == 3 == len({tuple(case.shares([k])) for k in fired})


def has_a_triple(case: Case) -> bool:
    """Return whether a new row is covered by three rules that differ."""
    return any(is_triple(case, i) for i in range(case.n_new))
