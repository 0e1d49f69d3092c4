"""Logarithms against many digits of mpmath."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turs.mdl import logs
from turs.mdl.logs import log2, log2_binomial, log2_of, log2_table

untimed = settings(deadline=None)

mpmath.mp.dps = 40
positive = st.floats(min_value=1e-300, max_value=1e300)


def ulps_off(found: float, value: float) -> float:
    """Return the error of a logarithm in units of the last digit of the true one."""
    true = mpmath.log(mpmath.mpf(value), 2)
    return float(abs(mpmath.mpf(found) - true) / math.ulp(float(true)))


@untimed
@given(positive)
def test_log2_is_right_to_the_last_digits(value):
    assert ulps_off(float(log2(value)), value) <= 4


@untimed
@given(st.floats(0.7, 1.5).filter(lambda value: value != 1.0))
def test_log2_around_one_keeps_its_digits(value):
    assert ulps_off(float(log2(value)), value) <= 4


@untimed
@given(st.integers(1, 10**7))
def test_log2_of_counts(n):
    assert float(log2(n)) == pytest.approx(math.log2(n), rel=4e-16, abs=0)


@untimed
@given(st.integers(-1000, 1000))
def test_powers_of_two_are_exact(exponent):
    assert float(log2(2.0**exponent)) == exponent


@untimed
@given(st.lists(positive, min_size=1, max_size=20))
def test_alone_or_in_an_array_the_digits_are_the_same(values):
    assert log2(values).tolist() == [float(log2(value)) for value in values] == [log2_of(value) for value in values]


def test_table():
    table = log2_table(3000)
    assert table[0] == 0.0
    assert table.size == 3001
    np.testing.assert_array_equal(table[1:], log2(np.arange(1, 3001)))
    assert log2_table(0).tolist() == [0.0]


@untimed
@given(st.integers(0, 300), st.integers(-2, 302))
def test_binomial(n, k):
    ways = math.comb(n, k) if 0 <= k <= n else 0
    assert log2_binomial(n, k) == pytest.approx(math.log2(max(ways, 1)), abs=1e-10)


@untimed
@given(st.integers(1, 300), st.integers(1, 150), st.integers(0, 200))
def test_few_terms_of_a_binomial_have_the_digits_of_many(n, k, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logs, "_FEW", few)
        found = log2_binomial(n, k)
    assert found == log2_binomial(n, k)
