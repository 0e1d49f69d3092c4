"""Compiled sums against `math.fsum`, digit for digit."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import seeds
from turs.mdl.sums import line_sums

finite = st.floats(-1e300, 1e300) | st.floats(-1.0, 1.0) | st.integers(-(2**60), 2**60).map(float)


@given(st.lists(st.lists(finite, min_size=3, max_size=3), max_size=6))
def test_sums_are_those_of_the_standard_library(lines: list[list[float]]) -> None:
    found = line_sums(np.array(lines).reshape(len(lines), 3))
    assert found.tolist() == [math.fsum(line) for line in lines]


@given(seeds)
def test_order_does_not_change_a_digit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    terms = rng.normal(size=60) * 10.0 ** rng.integers(-12, 12, 60)
    found = line_sums(np.array([terms, terms[::-1], rng.permutation(terms)]))
    assert found.tolist() == [math.fsum(terms)] * 3


def test_halfway_between_two_doubles_the_rest_decides() -> None:
    above, below = [1.0, 2.0**-53, 2.0**-120], [1.0 + 2.0**-52, 2.0**-53, -(2.0**-120)]
    assert line_sums(np.array([above, below])).tolist() == [1.0 + 2.0**-52, 1.0 + 2.0**-52]
    assert line_sums(np.zeros((2, 0))).tolist() == [0.0, 0.0]
