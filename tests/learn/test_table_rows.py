"""Counts of base rules per bin and per pattern against looking at every row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.learn.stage import Stage, candidate, random_stage
from tests.strategies import random_rule, random_table, seeds
from turs.cover.covers import N_CODES
from turs.learn import table_rows
from turs.learn.candidate import batch_of, candidate_of
from turs.learn.counting import PatternCounts, slot_starts
from turs.learn.table_rows import TableRows

slow = settings(deadline=None, max_examples=40)
stages = st.builds(
    random_stage,
    seeds,
    n_rows=st.integers(1, 60),
    n_classes=st.integers(2, 5),
    n_features=st.integers(1, 5),
    n_rules=st.integers(0, 4),
    n_bases=st.integers(0, 4),
)


def test_slots():
    data, _ = random_table(3, n_features=5)
    starts = slot_starts(data.schema)
    assert starts[0] == 0
    assert np.diff(starts).tolist() == [feature.n_bins + 2 for feature in data.schema.features]


@slow
@given(stages)
def test_rows_of_base_rules(stage):
    rows, row_start = stage.counts.cover
    for b, base in enumerate(stage.naive):
        assert rows[row_start[b] : row_start[b + 1]].tolist() == sorted(base.rows)
    stage.rows.count_patterns(stage.counts, np.ones((len(stage.bases), stage.features.kind.size), dtype=np.bool_))
    for b, base in enumerate(stage.naive):
        here = rows[row_start[b] : row_start[b + 1]].tolist()
        assert here == sorted(base.rows, key=lambda row: (row not in base.taken, here.index(row)))


@slow
@given(stages)
def test_class_counts_per_bin(stage):
    slot_start = stage.features.slot_start
    for b, base in enumerate(stage.naive):
        expected = np.zeros_like(stage.counts.by_bin[b])
        for (f, code, covered, label), count in naive.counts_by_bin(base).items():
            expected[slot_start[f] + code, covered, label] = count
        np.testing.assert_array_equal(stage.counts.by_bin[b], expected)
        np.testing.assert_array_equal(stage.counts.in_all[b], expected[: slot_start[1]].sum(axis=0))


@slow
@given(stages, seeds)
def test_only_the_features_asked_for_are_counted(stage, seed):
    wanted = np.random.default_rng(seed).random(len(stage.data.schema.features)) < 0.5
    found = stage.rows.count(stage.arrays, wanted)
    slots = np.repeat(wanted, np.diff(stage.features.slot_start))
    np.testing.assert_array_equal(found.by_bin, stage.counts.by_bin * slots[:, None, None])
    np.testing.assert_array_equal(found.in_all, stage.counts.in_all)


@slow
@given(stages)
def test_ranges_of_the_rows_before_each_literal(stage):
    schema, bins = stage.data.schema, stage.data.bins
    for b, base in enumerate(stage.naive):
        ranges = stage.base(b).ranges
        for j, literal in enumerate(base.literals):
            feature, column = schema.feature(literal.feature), bins[schema.index(literal.feature)]
            if len(feature.cuts) < 2:  # its bits do not depend on a range
                continue
            before = sorted(naive.literals_cover(base.literals[:j], schema, bins))
            low, high = naive.bin_range(feature, column[before].tolist())
            assert max(ranges.highest[j] - ranges.lowest[j], 0) == max(high - low, 0)
            if j > 0:
                assert (ranges.lowest[j], ranges.highest[j]) == (low, high)
            for earlier in range(j):
                other = bins[schema.index(base.literals[earlier].feature)]
                for code in range(N_CODES):
                    here = [int(column[i]) for i in before if other[i] == code]
                    found = ranges.low_by_bin[j, earlier, code], ranges.high_by_bin[j, earlier, code]
                    assert found == naive.bin_range(feature, here)


def check_pattern_counts(stage: Stage, found: PatternCounts, wanted: np.ndarray) -> None:
    """Compare the patterns present in each base rule and its entries with the twin's counts by row."""
    members = [frozenset(np.flatnonzero(line).tolist()) for line in stage.rows.patterns.members]
    n_classes = len(stage.data.schema.classes)
    slot_start = stage.features.slot_start
    for b, base in enumerate(stage.naive):
        here = slice(found.start[b], found.start[b + 1])
        patterns = found.pattern[here].tolist()
        rows = naive.pattern_rows(base.rule_covers, len(base.labels))
        expected = [p for p, pattern in enumerate(members) if pattern and base.rows.intersection(rows[pattern])]
        assert patterns == expected
        for p, counts in zip(patterns, found.counts[here].tolist(), strict=True):
            assert counts == naive.class_counts(base.rows.intersection(rows[members[p]]), base.labels, n_classes)
        by_row = naive.counts_by_pattern(base)
        for f in range(len(stage.data.schema.features)):
            cells: dict[tuple[int, int, frozenset[int], int], int] = {}
            for code in range(slot_start[f + 1] - slot_start[f]):
                slot = slot_start[f] + code
                for e in range(found.entry_start[b, slot], found.entry_start[b, slot + 1]):
                    q, label = divmod(int(found.entry[e]), n_classes)
                    key = (f, code, members[patterns[q]], label)
                    cells[key] = cells.get(key, 0) + int(found.weight[e])
            assert cells == ({key: n for key, n in by_row.items() if key[0] == f} if wanted[b, f] else {})


@slow
@given(stages, seeds)
def test_class_counts_per_pattern(stage, seed):
    wanted = np.random.default_rng(seed).random((len(stage.bases), len(stage.data.schema.features))) < 0.7
    check_pattern_counts(stage, stage.rows.count_patterns(stage.counts, wanted), wanted)


@pytest.mark.parametrize(("n_rows", "added_up"), [(25, False), (4000, True)])
def test_entries_of_few_rows_and_of_many(n_rows, added_up):
    stage = random_stage(4, n_rows=n_rows, n_features=3, n_rules=2, n_classes=3)
    wanted = np.ones((len(stage.bases), 3), dtype=np.bool_)
    found = stage.rows.count_patterns(stage.counts, wanted)
    check_pattern_counts(stage, found, wanted)
    used = found.weight[: found.entry_start[-1, -1]]
    assert (used.max() > 1) == added_up


@slow
@given(seeds, st.integers(0, 3))
def test_adding_a_rule_equals_starting_with_it(seed, n_rules):
    data, rule_set = random_table(seed, n_rules=n_rules)
    rule = random_rule(np.random.default_rng(seed), data.schema, "new")
    grown, again = (Stage(data, rules, ((),)).rows for rules in (rule_set.rules, (*rule_set.rules, rule)))
    assert isinstance(grown, TableRows)
    grown.add_rule(batch_of([candidate(data, rule.literals)]))
    np.testing.assert_array_equal(grown.patterns.members, again.patterns.members)
    np.testing.assert_array_equal(grown.patterns.counts, again.patterns.counts)
    assert grown.n_rows == data.n_rows


@slow
@given(seeds, st.sampled_from([2, 4, 8]))
def test_rows_are_numbered_more_widely_before_there_are_too_many_patterns(seed, most):
    data, rule_set = random_table(seed, n_rows=60, n_rules=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_rows, "_MOST_NARROW", most)
        rows, is_wide = TableRows(data, ()), False
        for number, rule in enumerate(rule_set.rules):
            is_wide |= 2 * len(rows.patterns.members) > most
            rows.add_rule(batch_of([candidate_of(rule, data.schema)]))
            assert rows._row_pattern.dtype == (np.uint32 if is_wide else np.uint16)
            assert_same_rows(rows, TableRows(data, rule_set.rules[: number + 1]))


@slow
@given(seeds, st.integers(1, 60), st.integers(1, 5))
def test_a_rule_is_taken_and_put_elsewhere(seed, n_rows, n_rules):
    data, rule_set = random_table(seed, n_rows=n_rows, n_rules=n_rules)
    rules, rng = list(rule_set.rules), np.random.default_rng(seed)
    rows = TableRows(data, rules)
    rule = rules.pop(taken := int(rng.integers(len(rules))))
    rows.take_rule(taken)
    assert_same_rows(rows, TableRows(data, rules))
    rules.insert(place := int(rng.integers(len(rules) + 1)), rule)
    rows.put_rule(batch_of([candidate_of(rule, data.schema)]), place)
    assert_same_rows(rows, TableRows(data, rules))


def assert_same_rows(rows, expected):
    np.testing.assert_array_equal(rows.patterns.members, expected.patterns.members)
    np.testing.assert_array_equal(rows.patterns.counts, expected.patterns.counts)
    np.testing.assert_array_equal(rows._row_pattern, expected._row_pattern)
