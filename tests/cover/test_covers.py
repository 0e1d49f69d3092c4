"""Covers of literals and rules, and K_value, against looking at every row."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests import naive
from tests.strategies import random_feature, random_literal, random_table, seeds, tables
from turs.cover import covers
from turs.cover.covers import N_CODES, literal_bins, rule_cover, rule_covers, value_counts
from turs.rules.rule import Rule

untimed = settings(deadline=None)

slow = settings(deadline=None, max_examples=60)


def rows_of(cover: np.ndarray) -> set[int]:
    """Return the rows of a cover as a set."""
    return set(np.flatnonzero(cover).tolist())


@untimed
@given(seeds)
def test_literal_bins(seed):
    rng = np.random.default_rng(seed)
    feature = random_feature(rng, "x")
    literal = random_literal(rng, feature)
    holds = literal_bins(literal, feature)
    codes = range(feature.n_bins + 2)
    assert holds.shape == (N_CODES,)
    assert holds.tolist()[: len(codes)] == [naive.satisfies(literal, naive.value_of(feature, code)) for code in codes]
    assert not holds[len(codes) :].any()


@slow
@given(tables())
def test_rule_covers(table):
    data, rule_set = table
    found = rule_covers(rule_set.rules, data.schema, data.bins)
    assert found.shape == (len(rule_set.rules), data.n_rows)
    assert [rows_of(cover) for cover in found] == naive.rule_covers(rule_set.rules, data.schema, data.bins)
    for rule, cover in zip(rule_set.rules, found, strict=True):
        np.testing.assert_array_equal(rule_cover(rule, data.schema, data.bins), cover)


@slow
@given(tables(max_rows=25))
def test_value_counts(table):
    data, rule_set = table
    for rule in rule_set.rules:
        assert value_counts(rule, data.schema, data.bins) == naive.value_counts(rule, data.schema, data.bins)


def test_value_counts_of_long_rules():
    for seed in range(30):
        data, _ = random_table(seed, n_rows=200, n_features=5)
        rng = np.random.default_rng(seed)
        rule = Rule("r1", tuple(random_literal(rng, feature) for feature in data.schema.features))
        assert value_counts(rule, data.schema, data.bins) == naive.value_counts(rule, data.schema, data.bins)


@slow
@given(tables(max_rows=25))
def test_value_counts_of_rows_in_parts(table):
    data, rule_set = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covers, "_CHUNK", 3)
        for rule in rule_set.rules:
            assert value_counts(rule, data.schema, data.bins) == naive.value_counts(rule, data.schema, data.bins)
