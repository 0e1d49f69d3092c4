"""Cuts separate rows and do not depend on row order; bins agree with a plain loop."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turs.data import bin_levels, bin_numeric, candidate_cuts

finite = st.floats(allow_nan=False, allow_infinity=False)
few = st.integers(-5, 5).map(float)
columns = st.lists(finite | few, min_size=1, max_size=60)


def naive_cuts(values, n_cuts):
    ordered = sorted(values)
    boundaries = [i for i in range(1, len(ordered)) if ordered[i - 1] < ordered[i]]
    if len(boundaries) > n_cuts:
        k = n_cuts + 1
        nearest = [min(boundaries, key=lambda b, i=i: (abs(b * k - i * len(ordered)), b)) for i in range(1, k)]
        boundaries = sorted(set(nearest))
    cuts = []
    for boundary in boundaries:
        low, high = ordered[boundary - 1], ordered[boundary]
        middle = (low + high) / 2
        middle = middle if low < middle <= high else high
        short = float(f"{middle:.12g}")
        cuts.append(short if low < short <= high else middle)
    return tuple(cuts)


@given(columns, st.integers(1, 25))
def test_cuts_agree_with_naive_twin(values, n_cuts):
    assert candidate_cuts(np.array(values), n_cuts) == naive_cuts(values, n_cuts)


@given(columns, st.integers(1, 25))
def test_every_cut_separates_rows(values, n_cuts):
    cuts = candidate_cuts(np.array(values), n_cuts)
    assert len(cuts) <= n_cuts
    assert list(cuts) == sorted(set(cuts))
    sides = [sum(value >= cut for value in values) for cut in cuts]
    assert all(0 < side < len(values) for side in sides)
    assert len(set(sides)) == len(sides)


@given(columns, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    assert repr(candidate_cuts(np.array(values), 7)) == repr(candidate_cuts(np.array(shuffled), 7))


@given(st.lists(finite | few | st.just(math.nan), max_size=40), st.lists(finite, max_size=8, unique=True))
def test_bins_agree_with_naive_twin(values, cuts):
    cuts = sorted(cuts)
    bins = bin_numeric(np.array(values, dtype=np.float64), cuts, 99)
    assert bins.dtype == np.uint8
    assert bins.tolist() == [99 if math.isnan(v) else sum(cut <= v for cut in cuts) for v in values]


def test_neighbouring_floats_and_overflow():
    upper = math.nextafter(1.0, 2.0)
    assert candidate_cuts(np.array([1.0, upper]), 5) == (upper,)
    huge = math.nextafter(1.7e308, 1e308)
    assert candidate_cuts(np.array([huge, 1.7e308]), 5) == (1.7e308,)
    assert repr(candidate_cuts(np.array([-5e-324, 0.0]), 5)) == "(0.0,)"


def test_zero_one_column_has_one_cut():
    assert candidate_cuts(np.array([0.0, 1.0, 1.0, 0.0]), 20) == (0.5,)


def test_constant_and_empty_columns_have_none():
    assert candidate_cuts(np.array([2.0, 2.0]), 20) == ()
    assert candidate_cuts(np.array([]), 20) == ()


@pytest.mark.parametrize("n_cuts", [1, 3, 20, 253])
def test_quantiles_of_distinct_values_are_even(n_cuts):
    values = np.arange(1000.0)
    counts = np.bincount(bin_numeric(values, candidate_cuts(values, n_cuts), 255))
    assert counts.size == n_cuts + 1
    assert counts.max() - counts.min() <= 1


def test_long_columns_are_binned_as_a_whole():
    values = np.resize(np.array([0.5, np.nan, 3.0, 1.0, 2.5]), 200_001)
    assert np.array_equal(bin_numeric(values, (1.0, 2.0), 9), np.resize([0, 9, 2, 1, 2], 200_001))


def test_level_bins():
    bins = bin_levels(np.array([1, -1, 0, 2]), np.array([5, 6, 7]), 9)
    assert bins.dtype == np.uint8
    assert bins.tolist() == [6, 9, 5, 7]
