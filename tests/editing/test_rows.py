"""Rows in the bins of any version: covers, K_value, and bins that typed cuts divide."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from tests import naive, naive_editing
from tests.editing.cases import random_case, random_cut, random_literals
from tests.strategies import seeds
from turs.cover.covers import rule_cover, value_counts
from turs.data.dataset import labelled_data
from turs.editing.rows import divide_bins, narrow
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


def test_a_typed_cut_gives_the_bins_of_a_fresh_start() -> None:
    case = random_case(3)
    feature = case.data.schema.feature("dose (mg)").with_cut(2.345)
    schema = case.data.schema.with_feature(feature)
    fresh = labelled_data(case.training, RuleSet(schema).schema)
    index = schema.index("dose (mg)")
    np.testing.assert_array_equal(case.session.learned.training.rows.column(index, feature), fresh.bins[index])
