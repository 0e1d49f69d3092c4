"""Codes of integers, literals, rules and rule sets against the formulas."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.strategies import random_feature, random_literal, seeds
from turs.mdl.codes import cut_bits, integer_bits, level_bits, literal_bits, set_bits, variables_bits
from turs.rules.literal import Interval, LevelSet, Missingness
from turs.rules.schema import Feature, Kind

untimed = settings(deadline=None)

NUMBER = Feature("x", Kind.NUMERIC, cuts=(1.0, 2.0, 3.0, 4.0, 5.0))
GAPPY = Feature("x", Kind.NUMERIC, cuts=(1.0, 2.0, 3.0), has_missing=True)
SIDE = Feature("x", Kind.NUMERIC, cuts=(0.5,))
COLOUR = Feature("x", Kind.CATEGORICAL, levels=("red", "green", "blue", "black"))
SEX = Feature("x", Kind.CATEGORICAL, levels=("f", "m"), has_missing=True)


@untimed
@given(st.integers(0, 10**9))
def test_integer_code(k):
    assert integer_bits(k) == pytest.approx(naive.integer_bits(k), abs=1e-12)


def test_integer_code_by_hand():
    constant = math.log2(2.865064)
    assert integer_bits(0) == 0.0
    assert integer_bits(1) == pytest.approx(constant, abs=1e-12)
    assert integer_bits(2) == pytest.approx(constant + 1, abs=1e-12)
    assert integer_bits(16) == pytest.approx(constant + 4 + 2 + 1, abs=1e-12)


@pytest.mark.parametrize(
    ("literal", "feature", "n_values", "bits"),
    [
        (Interval("x", low=2.0), NUMBER, 5, 2 + math.log2(5)),
        (Interval("x", high=2.0), NUMBER, 1, 2),
        (Interval("x", high=2.0), NUMBER, 0, 2),
        (Interval("x", 1.0, 3.0), NUMBER, 5, 1 + math.log2(10)),
        (Interval("x", 1.0, 3.0), NUMBER, 2, 1),
        (Interval("x", 1.0, 3.0), NUMBER, 1, 1),
        (Interval("x", low=2.0), GAPPY, 3, 3 + math.log2(3)),
        (Interval("x", low=0.5), SIDE, 1, 1),
        (LevelSet("x", ("red",)), COLOUR, 0, 2 + 2),
        (LevelSet("x", ("red", "blue")), COLOUR, 0, 2 + math.log2(6)),
        (LevelSet("x", ("red", "green", "blue", "black")), COLOUR, 0, 2),
        (LevelSet("x", ("f",)), SEX, 0, 2),
        (Missingness("x", True), GAPPY, 3, 2),
        (Missingness("x", False), SEX, 0, 2),
        (Missingness("x", False), SIDE, 1, 1),
    ],
)
def test_literals_by_hand(literal, feature, n_values, bits):
    assert literal_bits(literal, feature, n_values) == pytest.approx(bits, abs=1e-12)
    assert naive.literal_bits(literal, feature, n_values) == pytest.approx(bits, abs=1e-12)


@untimed
@given(seeds, st.integers(0, 30))
def test_literals_equal_their_twin(seed, n_values):
    rng = np.random.default_rng(seed)
    feature = random_feature(rng, "x")
    literal = random_literal(rng, feature)
    twin = naive.literal_bits(literal, feature, n_values)
    assert literal_bits(literal, feature, n_values) == pytest.approx(twin, abs=1e-11)


@untimed
@given(st.integers(2, 60), st.integers(0, 60))
def test_two_cuts_are_a_pair_of_cuts(n_cuts, n_values):
    one, two = cut_bits(n_cuts, n_values)
    assert one == pytest.approx(2 + math.log2(max(n_values, 1)), abs=1e-11)
    assert two == pytest.approx(1 + math.log2(max(math.comb(n_values, 2), 1)), abs=1e-11)


@untimed
@given(st.integers(3, 254), st.data())
def test_level_sets(n_levels, data):
    n_chosen = data.draw(st.integers(1, n_levels))
    bits = math.log2(n_levels) + math.log2(math.comb(n_levels, n_chosen))
    assert level_bits(n_levels, n_chosen) == pytest.approx(bits, abs=1e-10)
    assert level_bits(2, min(n_chosen, 2)) == 1.0


@untimed
@given(st.integers(1, 200), st.data())
def test_variables(n_columns, data):
    n_literals = data.draw(st.integers(0, n_columns))
    bits = math.log2(n_columns) + math.log2(math.comb(n_columns, n_literals))
    assert variables_bits(n_columns, n_literals) == pytest.approx(bits, abs=1e-10)


@untimed
@given(st.integers(0, 150))
def test_rule_order_is_paid_back(n_rules):
    bits = naive.integer_bits(n_rules) - math.log2(math.factorial(n_rules))
    assert set_bits(n_rules) == pytest.approx(bits, abs=1e-9)
