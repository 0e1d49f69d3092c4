"""AUC from counts against scikit-learn on expanded rows and against the sum over all pairs of rows and picks."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from tests import naive
from tests.strategies import seeds
from turs.evaluate.auc import add_to_rules, macro_auc, random_pick_auc, roc_auc, union_auc

slow = settings(deadline=None, max_examples=60)


class Case:
    """Patterns of rules with few different probabilities, so that there are ties, and class counts of rows."""

    def __init__(self, seed: int, n_classes: int, n_rules: int, most_rows: int = 4) -> None:
        rng = np.random.default_rng(seed)
        members = np.unique(rng.random((6, n_rules)) < 0.5, axis=0)
        self.members = np.unique(np.concatenate((np.zeros((1, n_rules), dtype=np.bool_), members)), axis=0)
        self.probabilities = self._vectors(rng, len(self.members), n_classes)
        self.rule_probabilities = self._vectors(rng, n_rules, n_classes)
        self.counts = rng.integers(0, most_rows, (len(self.members), n_classes))
        self.counts[:, rng.random(n_classes) < 0.15] = 0
        self.labels = [c for line in self.counts for c, n in enumerate(line) for _ in range(n)]
        self.rows = [p for p, line in enumerate(self.counts) for _ in range(line.sum())]
        self.n_classes = n_classes

    @staticmethod
    def _vectors(rng: np.random.Generator, n: int, n_classes: int) -> np.ndarray:
        """Return probability vectors of which many are equal in some class."""
        parts = rng.integers(1, 4, (n, n_classes))
        return parts / parts.sum(axis=1, keepdims=True)

    @property
    def picks(self) -> list[list[list[float]]]:
        """The probability vectors that each row may take."""
        return [
            self.rule_probabilities[line].tolist() if line.any() else [self.probabilities[p].tolist()]
            for p, line in ((p, self.members[p]) for p in self.rows)
        ]


cases = st.builds(Case, seeds, st.integers(2, 4), st.integers(0, 4))


def same(found: float, expected: float) -> bool:
    """Return whether two AUCs are equal, or both undefined."""
    return (math.isnan(found) and math.isnan(expected)) or found == pytest.approx(expected, abs=1e-12)


@slow
@given(cases)
def test_union_auc_equals_all_pairs_and_scikit_learn(case):
    found = union_auc(case.probabilities, case.counts)
    rows = [[case.probabilities[p].tolist()] for p in case.rows]
    assert same(found.value, naive.macro_auc(rows, case.labels, case.n_classes))
    for c in range(case.n_classes):
        positive = np.array(case.labels) == c
        if positive.any() and not positive.all():
            expected = roc_auc_score(positive, case.probabilities[case.rows, c])
            assert found.by_class[c] == pytest.approx(expected, abs=1e-12)
        else:
            assert math.isnan(found.by_class[c])


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_macro_auc_is_that_of_scikit_learn(n_classes):
    case = next(
        case for case in (Case(seed, n_classes, 4) for seed in range(99)) if set(case.labels) == set(range(n_classes))
    )
    by_row = case.probabilities[case.rows]
    expected = roc_auc_score(case.labels, by_row[:, 1] if n_classes == 2 else by_row, multi_class="ovr")
    assert union_auc(case.probabilities, case.counts).value == pytest.approx(expected, abs=1e-12)


@slow
@given(cases)
def test_expected_auc_of_random_picks_equals_all_pairs_and_picks(case):
    found = random_pick_auc(case.members, case.probabilities, case.rule_probabilities, case.counts)
    assert same(found.value, naive.macro_auc(case.picks, case.labels, case.n_classes))


@given(cases)
def test_rows_of_rules_by_size_equal_their_twin(case):
    size = case.members.sum(axis=1)
    by_size = np.zeros((size.max(initial=0) + 1, case.n_classes, case.members.shape[1]), dtype=np.int64)
    add_to_rules(case.members, size, case.counts, by_size)
    for n, c, k in np.ndindex(by_size.shape):
        assert by_size[n, c, k] == sum(case.counts[p, c] for p in np.flatnonzero(case.members[:, k]) if size[p] == n)


@given(cases, seeds)
def test_expected_auc_does_not_depend_on_the_order_of_rules_and_patterns(case, seed):
    rng = np.random.default_rng(seed)
    rules, lines = rng.permutation(case.members.shape[1]), rng.permutation(len(case.members))
    found = random_pick_auc(case.members, case.probabilities, case.rule_probabilities, case.counts)
    again = random_pick_auc(
        case.members[lines][:, rules], case.probabilities[lines], case.rule_probabilities[rules], case.counts[lines]
    )
    assert repr(again) == repr(found)  # to the last digit, NaN included


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sampled_picks_scatter_around_the_expected_auc(n_classes):
    case = next(
        case for case in (Case(seed, n_classes, 4, 9) for seed in range(99)) if len(set(case.labels)) == n_classes
    )
    rng = np.random.default_rng(0)
    samples = []
    for _ in range(400):
        rows = [[row[rng.integers(len(row))]] for row in case.picks]
        by_row = np.array(rows)[:, 0]
        samples.append(macro_auc(by_row, np.eye(n_classes)[case.labels]).value)
    expected = random_pick_auc(case.members, case.probabilities, case.rule_probabilities, case.counts).value
    error = np.std(samples) / np.sqrt(len(samples))
    assert error > 0
    assert np.mean(samples) == pytest.approx(expected, abs=4 * error)


@slow
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_roc_auc_of_groups(groups):
    scores, positive, negative = np.array(groups, dtype=np.float64).reshape(-1, 3).T
    picks = [[float(s)] for s, p, n in groups for _ in range(p + n)]
    labels = [k < p for s, p, n in groups for k in range(p + n)]
    assert same(roc_auc(scores, positive, negative), naive.pair_auc(picks, labels))


@given(cases)
@settings(deadline=None)
def test_one_rule_at_a_time_is_no_pick(case):
    alone = case.members.sum(axis=1) <= 1
    members, counts = case.members[alone], case.counts[alone]
    probabilities = case.probabilities[alone].copy()
    for p, line in enumerate(members):
        if line.any():
            probabilities[p] = case.rule_probabilities[np.flatnonzero(line)[0]]
    picked = random_pick_auc(members, probabilities, case.rule_probabilities, counts)
    assert same(picked.value, union_auc(probabilities, counts).value)


def test_one_class_or_no_rows_have_no_auc():
    probabilities = np.array([[0.2, 0.8], [0.5, 0.5]])
    assert math.isnan(union_auc(probabilities, np.array([[3, 0], [2, 0]])).value)
    assert math.isnan(union_auc(probabilities, np.zeros((2, 2), dtype=np.int64)).value)
    three = np.full((1, 3), 1 / 3)
    assert math.isnan(union_auc(three, np.array([[3, 0, 0]])).value)


def test_perfect_inverted_and_constant_scores():
    counts = np.array([[5, 0], [0, 7]])
    assert union_auc(np.array([[0.9, 0.1], [0.1, 0.9]]), counts).value == 1.0
    assert union_auc(np.array([[0.1, 0.9], [0.9, 0.1]]), counts).value == 0.0
    assert union_auc(np.full((2, 2), 0.5), counts).value == 0.5
