"""Patterns of rules against sets of rule numbers, row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.strategies import seeds
from turs.cover.patterns import (
    Patterns,
    assign_patterns,
    count_divided,
    count_patterns,
    extend,
    line_totals,
    meeting_words,
    packed,
    rearrange,
    refine,
    sum_counts,
    tabulate,
)

slow = settings(deadline=None, max_examples=80)


def random_covers(rng: np.random.Generator, n_rules: int, n_rows: int) -> np.ndarray:
    """Return covers of which some are empty, some full and some equal."""
    covers = rng.random((n_rules, n_rows)) < rng.choice([0.0, 0.1, 0.5, 0.9, 1.0], size=(n_rules, 1))
    if n_rules > 2:
        covers[-1] = covers[0]
    return covers


class Case:
    """Random covers with labels, and their patterns from the package."""

    def __init__(self, seed: int, n_rules: int, n_rows: int, n_classes: int = 3) -> None:
        rng = np.random.default_rng(seed)
        self.covers = random_covers(rng, n_rules, n_rows)
        self.sets = [set(np.flatnonzero(cover).tolist()) for cover in self.covers]
        self.labels = rng.integers(0, n_classes, n_rows).astype(np.int16)
        self.n_rows, self.n_classes = n_rows, n_classes
        self.row_pattern, self.members = assign_patterns(self.covers, n_rows)
        self.patterns = tabulate(self.row_pattern, self.members, self.labels, n_classes)

    def counts(self, rows) -> list[int]:
        """Return the class counts of rows."""
        return naive.class_counts(rows, self.labels.tolist(), self.n_classes)


cases = st.builds(Case, seeds, st.integers(0, 6), st.integers(0, 40))


def as_sets(members: np.ndarray) -> list[frozenset[int]]:
    """Return patterns as sets of rule numbers."""
    return [frozenset(np.flatnonzero(line).tolist()) for line in members]


@slow
@given(cases)
def test_every_row_gets_the_set_of_its_rules(case):
    found = as_sets(case.members)
    expected = naive.pattern_rows(case.sets, case.n_rows)
    rows: dict[frozenset[int], list[int]] = {}
    for i, p in enumerate(case.row_pattern.tolist()):
        rows.setdefault(found[p], []).append(i)
    assert rows == expected
    assert set(found) == {*expected, frozenset()}


@slow
@given(cases)
def test_patterns_are_in_ascending_order_with_the_else_rule_first(case):
    lines = case.members.tolist()
    assert lines == sorted(lines)
    assert len(set(map(tuple, lines))) == len(lines)
    assert not any(lines[0])


@slow
@given(cases)
def test_counts_of_patterns_rules_and_unions(case):
    found = as_sets(case.members)
    rows = naive.pattern_rows(case.sets, case.n_rows)
    assert case.patterns.counts.tolist() == [case.counts(rows.get(pattern, [])) for pattern in found]
    assert case.patterns.rule_counts.tolist() == [case.counts(cover) for cover in case.sets]
    unions = [case.counts(naive.union_rows(case.sets, pattern, case.n_rows)) for pattern in found]
    assert case.patterns.union_counts.tolist() == unions


@slow
@given(cases, seeds)
def test_patterns_meet_where_they_share_a_rule(case, seed):
    found = as_sets(case.members)
    assert meeting_words(case.patterns.words, case.patterns.words).tolist() == [
        [bool(p & q) for q in found] for p in found
    ]
    others = np.random.default_rng(seed).random((5, case.members.shape[1])) < 0.4
    expected = [[bool(p & q) for q in found] for p in as_sets(others)]
    assert meeting_words(packed(others), case.patterns.words).tolist() == expected


@pytest.mark.parametrize("n_rules", [63, 64, 65, 130])
def test_more_rules_than_bits_in_a_word(n_rules):
    case = Case(n_rules, n_rules, 200)
    found = as_sets(case.members)
    assert meeting_words(case.patterns.words, case.patterns.words).tolist() == [
        [bool(p & q) for q in found] for p in found
    ]
    assert case.patterns.rule_counts.tolist() == [case.counts(cover) for cover in case.sets]


@slow
@given(cases, seeds)
def test_adding_a_rule_equals_starting_again(case, seed):
    cover = np.random.default_rng(seed).random(case.n_rows) < 0.5
    row_pattern = case.row_pattern.copy()
    members = extend(row_pattern, case.members, cover)
    again_pattern, again_members = assign_patterns(np.concatenate((case.covers, cover[None])), case.n_rows)
    np.testing.assert_array_equal(members, again_members)
    np.testing.assert_array_equal(row_pattern, again_pattern)


@slow
@given(cases, seeds)
def test_counts_with_one_more_rule_equal_starting_again(case, seed):
    cover = np.random.default_rng(seed).random(case.n_rows) < 0.5
    divided = np.zeros((len(case.members), 2, case.n_classes), dtype=np.int64)
    count_divided(case.row_pattern, cover, case.labels, divided)
    found = case.patterns.with_rule(divided)
    again_pattern, again_members = assign_patterns(np.concatenate((case.covers, cover[None])), case.n_rows)
    again = tabulate(again_pattern, again_members, case.labels, case.n_classes)
    np.testing.assert_array_equal(found.members, again.members)
    np.testing.assert_array_equal(found.counts, again.counts)


@slow
@given(cases.filter(lambda case: len(case.sets) > 0), st.data())
def test_taking_a_rule_away_equals_starting_again(case, data):
    k = data.draw(st.integers(0, len(case.sets) - 1))
    fewer = case.patterns.without(k)
    again_pattern, again_members = assign_patterns(np.delete(case.covers, k, axis=0), case.n_rows)
    again = tabulate(again_pattern, again_members, case.labels, case.n_classes)
    np.testing.assert_array_equal(fewer.members, again.members)
    np.testing.assert_array_equal(fewer.counts, again.counts)


@slow
@given(cases, seeds)
def test_refine_moves_covered_rows_only(case, seed):
    cover = np.random.default_rng(seed).random(case.n_rows) < 0.5
    row_pattern = case.row_pattern.copy()
    child = np.full(2 * len(case.members), -1, dtype=np.int32)
    n_patterns = refine(row_pattern, cover, child)
    np.testing.assert_array_equal(row_pattern[~cover], case.row_pattern[~cover])
    np.testing.assert_array_equal(row_pattern[cover], child[case.row_pattern[cover]])
    new = child[child >= 0]
    assert sorted(new.tolist()) == list(range(len(case.members), n_patterns))
    assert {int(p) for p in np.flatnonzero(child >= 0)} == set(case.row_pattern[cover].tolist())


def test_rows_without_a_label_do_not_count():
    counts = np.zeros((2, 2), dtype=np.int64)
    count_patterns(np.array([0, 1, 1], dtype=np.uint32), np.array([0, -1, 1], dtype=np.int16), counts)
    assert counts.tolist() == [[1, 0], [0, 1]]


@slow
@given(seeds, st.integers(0, 6), st.integers(0, 6))
def test_sum_counts(seed, n_lines, n_patterns):
    rng = np.random.default_rng(seed)
    flags = rng.random((n_lines, n_patterns)) < 0.5
    counts = rng.integers(0, 2**40, (n_patterns, 3))
    assert sum_counts(flags, counts).tolist() == (flags.astype(np.int64) @ counts).tolist()


def test_else_rule_without_rows_is_kept():
    row_pattern, members = assign_patterns(np.ones((1, 3), dtype=np.bool_), 3)
    patterns = tabulate(row_pattern, members, np.zeros(3, dtype=np.int16), 2)
    assert patterns.members.tolist() == [[False], [True]]
    assert patterns.counts.tolist() == [[0, 0], [3, 0]]


@given(seeds)
def test_sums_of_lines(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 1000, (int(rng.integers(0, 20)), int(rng.integers(1, 6))))
    assert line_totals(counts).tolist() == [sum(line) for line in counts.tolist()]


@given(seeds)
def test_patterns_know_their_words_and_sizes(seed):
    rng = np.random.default_rng(seed)
    members = np.unique(rng.random((12, int(rng.integers(0, 140)))) < 0.3, axis=0)
    patterns = Patterns(members, rng.integers(0, 9, (len(members), 3)))
    assert patterns.sizes.tolist() == [sum(line) for line in members.tolist()]
    assert patterns.n_rows.tolist() == [sum(line) for line in patterns.counts.tolist()]
    assert patterns.words.tolist() == packed(members).tolist()


@slow
@given(seeds, st.integers(0, 6), st.integers(1, 60))
def test_rules_that_are_kept_in_another_order_have_the_patterns_of_a_fresh_start(seed, n_rules, n_rows):
    case = Case(seed, n_rules, n_rows)
    rng = np.random.default_rng(seed)
    kept = rng.permutation(n_rules)[: rng.integers(0, n_rules + 1)].tolist()
    members = rearrange(case.row_pattern, case.members, kept)
    row_pattern, expected = assign_patterns(case.covers[kept], n_rows)
    np.testing.assert_array_equal(members, expected)
    np.testing.assert_array_equal(case.row_pattern, row_pattern)
