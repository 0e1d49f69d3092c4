"""Regret against direct enumeration, many digits of mpmath, and its own table."""

import math

import mpmath
import numpy as np
import pytest

from tests import naive
from turs.mdl import regret
from turs.mdl.regret import regret_at, regret_bits, regret_table, two_class_series, two_class_sum

mpmath.mp.dps = 40
ENUMERATED = [(n, c) for c, most in ((1, 30), (2, 60), (3, 20), (4, 12), (5, 8)) for n in range(1, most + 1)]


def two_class_regret(n: int) -> mpmath.mpf:
    """Return R(n, 2) with 40 digits, from its definition."""
    n = mpmath.mpf(n)
    return mpmath.fsum(
        mpmath.binomial(n, h) * (h / n) ** h * ((n - h) / n) ** (n - h) for h in map(mpmath.mpf, range(int(n) + 1))
    )


@pytest.mark.parametrize("n_classes", range(1, 6))
def test_equals_enumeration_of_all_label_counts(n_classes):
    for n in (n for n, c in ENUMERATED if c == n_classes):
        exact = naive.regret_by_enumeration(n, n_classes)
        assert 2 ** regret_bits(n, n_classes) == pytest.approx(float(exact), rel=1e-13)
        assert naive.regret(n, n_classes) == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize(("n", "n_classes"), [(100, 3), (250, 5), (400, 2), (300, 12)])
def test_equals_the_sum_for_more_rows(n, n_classes):
    assert regret_bits(n, n_classes) == pytest.approx(math.log2(naive.regret(n, n_classes)), abs=1e-11)


@pytest.mark.parametrize("n", [1, 2, 999, 1000, 1001, 1500])
def test_two_classes_to_many_digits(n):
    assert regret_bits(n, 2) == pytest.approx(float(mpmath.log(two_class_regret(n), 2)), abs=1e-12)


def test_series_equals_sum_on_both_sides_of_the_switch():
    for n in range(regret._SERIES_FROM - 100, regret._SERIES_FROM + 2000):
        assert two_class_series(float(n)) == pytest.approx(two_class_sum(float(n)), rel=4e-14)


def test_series_far_out():
    for n in (1e5, 1e6):
        assert two_class_series(n) == pytest.approx(two_class_sum(n), rel=1e-13)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7, 26])
def test_table_holds_the_single_values_to_the_last_digit(n_classes):
    table = regret_table(3000, n_classes)
    assert table.tolist() == [regret_bits(n, n_classes) for n in range(3001)]
    assert not table.flags.writeable


@pytest.mark.parametrize("n_classes", [1, 2, 5])
def test_no_rows_cost_nothing_and_one_row_names_a_class(n_classes):
    assert regret_bits(0, n_classes) == 0.0
    assert regret_table(0, n_classes).tolist() == [0.0]
    assert regret_bits(1, n_classes) == pytest.approx(math.log2(n_classes), abs=1e-12)


def test_many_rows_and_classes_do_not_overflow():
    bits = np.array([regret_bits(n, 100) for n in range(0, 200_001, 10)])
    assert np.isfinite(bits).all()
    assert (np.diff(bits) > 0).all()


@pytest.mark.parametrize("n_classes", [1, 2, 26, 254])
@pytest.mark.parametrize("n", [regret._EVERY - 1, regret._EVERY, regret._EVERY + 1, 140_000, 140_001])
def test_what_the_search_looks_up(n, n_classes):
    table = regret_table(n, n_classes)
    assert table.size < regret._EVERY + 1000
    near = [n, n - 1, n - 2, n - 15, n - 16, n - 17, regret._EVERY + 5, 3, 0]
    for m in (m for m in near if m <= n):
        assert regret_at(table, m) == pytest.approx(regret_bits(m, n_classes), abs=1e-6 if m > regret._EVERY else 0)
