"""Rows in the bins of any version: covers, K_value, and bins that typed cuts divide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests import naive, naive_editing
from tests.editing.cases import assert_same, random_case, random_cut, random_literals
from tests.strategies import seeds
from turs.cover.covers import rule_cover, value_counts
from turs.data.dataset import labelled_data
from turs.editing import AcceptRules, partition
from turs.editing.movement import count_pairs
from turs.editing.partition import mark, mark_differing, switch
from turs.editing.rows import (
    bin_range,
    divide_bins,
    keep_between,
    keep_bins,
    keep_numbers,
    narrow,
    number_range,
)
from turs.rules.rule import Rule, RuleSet


@given(seeds)
def test_narrow_equals_its_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_known = int(rng.integers(0, 40)), int(rng.integers(1, 6))
    column = rng.integers(0, n_known + 2, n).astype(np.uint8)
    holds = rng.random(256) < 0.5
    covered = rng.random(n) < 0.7
    after, low, high = naive_editing.narrowed(column.tolist(), holds.tolist(), n_known, covered.tolist())
    assert narrow(column, holds, n_known, covered) == (low, high)
    assert covered.tolist() == after


@given(seeds)
def test_covers_of_one_literal_equal_their_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, first, last = int(rng.integers(0, 80)), int(rng.integers(0, 256)), int(rng.integers(0, 256))
    column = rng.integers(0, 256, n).astype(np.uint8)
    holds, covered = rng.random(256) < 0.5, rng.random(n) < 0.7
    between = [first <= code <= last for code in range(256)]
    for mask, found in ((between, covered.copy()), (holds.tolist(), covered.copy())):
        if mask is between:
            keep_between(column, np.uint8(first), np.uint8(last), found)
        else:
            keep_bins(column, holds, found)
        assert found.tolist() == naive_editing.narrowed(column.tolist(), mask, 256, covered.tolist())[0]


@given(seeds)
def test_covers_from_numbers_equal_their_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 40))
    numbers = rng.choice([-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf, np.nan], n)
    covered = rng.random(n) < 0.7
    for low, high in ((None, 0.5), (0.5, None), (-1.0, 2.0)):
        found = covered.copy()
        keep_numbers(numbers, -np.inf if low is None else low, np.nan if high is None else high, found)
        assert found.tolist() == naive_editing.inside(numbers.tolist(), low, high, covered.tolist())
    known = [x for x, is_in in zip(numbers.tolist(), covered.tolist(), strict=True) if is_in and not np.isnan(x)]
    assert number_range(numbers, covered) == (min(known, default=np.inf), max(known, default=-np.inf))


@given(seeds)
def test_range_of_bins_equals_its_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_known = int(rng.integers(0, 40)), int(rng.integers(1, 6))
    column = rng.integers(0, n_known + 2, n).astype(np.uint8)
    every, covered = np.ones(n, dtype=np.bool_), rng.random(n) < 0.3
    expected = [
        naive_editing.narrowed(column.tolist(), [True] * 256, n_known, part.tolist())[1:] for part in (every, covered)
    ]
    assert bin_range(column, n_known, (0, n_known - 1), covered) == expected[1]
    assert bin_range(column, n_known, expected[0], covered) == expected[1]


@given(seeds)
def test_divided_bins_are_those_of_the_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = random_case(seed % 1000, n_rows=30)
    rows = case.session.learned.training.rows
    for name in ("age", "dose (mg)", "admitted"):
        index = case.data.schema.index(name)
        feature = case.data.schema.features[index]
        for _ in range(int(rng.integers(1, 5))):
            feature = feature.with_cut(random_cut(rng, feature))
        numbers = rows.numbers(case.data.schema.features[index])
        expected = naive_editing.binned(numbers.tolist(), list(feature.cuts), feature.missing_bin)
        assert rows.column(index, feature).tolist() == expected


def test_divide_bins_by_hand() -> None:
    column = np.array([0, 1, 1, 1, 2, 3], dtype=np.uint8)
    numbers = np.array([0.0, 10.0, 12.0, 19.0, 30.0, np.nan])
    first = np.array([0, 1, 4, 5] + [255] * 252, dtype=np.uint8)
    start = np.array([0, 0, 2, 2] + [2] * 253)
    divided = np.empty(6, dtype=np.uint8)
    divide_bins(column, numbers, first, start, np.array([12.0, 15.0]), divided)
    assert divided.tolist() == [0, 1, 2, 3, 4, 5]


@given(seeds)
def test_reach_is_the_cover_and_the_value_counts(seed: int) -> None:
    case = random_case(seed)
    rng = np.random.default_rng(seed)
    rule = Rule("r1", random_literals(rng, case.data))
    reach = case.session.learned.training.rows.reach(rule, case.data.schema)
    np.testing.assert_array_equal(reach.covered, rule_cover(rule, case.data.schema, case.data.bins))
    assert reach.n_values == value_counts(rule, case.data.schema, case.data.bins)
    cover = naive.rule_covers((rule,), case.data.schema, case.data.bins)[0]
    assert set(np.flatnonzero(reach.covered).tolist()) == cover


@given(seeds)
def test_reach_with_typed_cuts_is_that_of_a_fresh_start(seed: int) -> None:
    case = random_case(seed % 1000, n_rows=30)
    rng = np.random.default_rng(seed)
    schema = case.data.schema
    for name in ("age", "dose (mg)", "admitted"):
        for _ in range(int(rng.integers(1, 4))):  # in the lowest and highest bins too, and outside of the data
            schema = schema.with_feature(schema.feature(name).with_cut(random_cut(rng, case.data.schema.feature(name))))
    fresh = labelled_data(case.training, schema)
    rule = Rule("r1", random_literals(rng, fresh))
    reach = case.session.learned.training.rows.reach(rule, schema)
    np.testing.assert_array_equal(reach.covered, rule_cover(rule, schema, fresh.bins))
    assert reach.n_values == value_counts(rule, schema, fresh.bins)


@given(seeds)
def test_rows_that_enter_or_leave_equal_their_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_patterns = int(rng.integers(0, 60)), int(rng.integers(1, 8))
    row_pattern = rng.integers(n_patterns, size=n).astype(np.uint32)
    inside, covered = rng.random(n_patterns) < 0.5, rng.random(n) < 0.5
    flips = rng.integers(0, 4, n).astype(np.uint8)
    ways = (
        (mark, (covered,), covered.tolist()),
        (
            mark_differing,
            (row_pattern, inside, covered),
            naive_editing.entering_or_leaving(row_pattern.tolist(), inside.tolist(), covered.tolist()),
        ),
    )
    for kernel, given_to_it, expected in ways:
        found = flips.copy()
        kernel(*given_to_it, np.uint8(8), found)
        assert found.tolist() == [flip + 8 * differs for flip, differs in zip(flips.tolist(), expected, strict=True)]


@given(seeds)
def test_switch_equals_its_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_patterns, n_rules = int(rng.integers(0, 60)), int(rng.integers(1, 8)), int(rng.integers(1, 9))
    before = rng.integers(n_patterns, size=n).astype(np.uint32)
    labels = rng.integers(3, size=n).astype(np.int16)
    flips = (rng.integers(1 << n_rules, size=n) * (rng.random(n) < 0.5)).astype(np.uint8)
    counts = np.zeros((n_patterns + n, 3), dtype=np.int64)
    np.add.at(counts, (before, labels), 1)
    after, other = before.copy(), np.full((n_patterns, 1 << n_rules), -1, dtype=np.int32)
    n_after = switch(after, flips, labels, other, counts)
    expected = naive_editing.switched(before.tolist(), flips.tolist(), n_patterns)
    assert after.tolist() == expected
    assert n_after == max([n_patterns - 1, *expected]) + 1
    recounted = np.zeros_like(counts)
    np.add.at(recounted, (after, labels), 1)
    assert counts.tolist() == recounted.tolist()


@pytest.mark.parametrize("room", [1, 64, 1 << 16])
def test_many_rules_at_once_are_a_fresh_start(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of them the rows are switched by in one pass."""
    monkeypatch.setattr(partition, "_ROOM", room)
    case = random_case(4, n_rows=300, n_classes=3)
    rng = np.random.default_rng(4)
    kept = case.session.version.rule("r2")
    new = tuple(Rule(f"r{k}", random_literals(rng, case.data)) for k in (1, *range(4, 32)))
    impact = case.session.apply(AcceptRules((*new[:20], kept, *new[20:])))
    assert_same(case.session.state, case.from_scratch(case.session.version))
    moved = impact.training.movement
    pairs = count_pairs(moved.row_before, moved.row_after, case.data.labels, 3)
    found, expected = (
        sorted(zip(*(part.tolist() for part in parts), strict=True))
        for parts in ((moved.before, moved.after, moved.counts), pairs)
    )
    assert found == expected


def test_a_typed_cut_gives_the_bins_of_a_fresh_start() -> None:
    case = random_case(3)
    feature = case.data.schema.feature("dose (mg)").with_cut(2.345)
    schema = case.data.schema.with_feature(feature)
    fresh = labelled_data(case.training, RuleSet(schema).schema)
    index = schema.index("dose (mg)")
    np.testing.assert_array_equal(case.session.learned.training.rows.column(index, feature), fresh.bins[index])
