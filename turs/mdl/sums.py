"""Correctly rounded sums in compiled code: digit for digit those of `math.fsum`, whatever the order of the numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from turs.kernel import kernel


@kernel
def add_exactly(value, parts, n_parts):  # type: ignore[no-untyped-def]
    """Add a number to a sum that is kept as numbers without common digits; return how many these are then.

    Parameters
    ----------
    value : float
        What is added.
    parts : float64 [64], changed
        The sum (Shewchuk, 1997), in its first `n_parts` places; a double needs at most 40.
    n_parts : int
    """
    n = 0
    for at in range(n_parts):
        part = parts[at]
        if abs(value) < abs(part):
            value, part = part, value
        high = value + part
        low = part - (high - value)
        if low != 0.0:
            parts[n] = low
            n += 1
        value = high
    parts[n] = value
    return n + 1


@kernel
def rounded(parts, n_parts):  # type: ignore[no-untyped-def]
    """Return the double next to a sum that `add_exactly` made; 0 for no parts."""
    if n_parts == 0:
        return 0.0
    n = n_parts - 1
    high, low = parts[n], 0.0
    while n > 0 and low == 0.0:
        n -= 1
        before = high
        high = before + parts[n]
        low = parts[n] - (high - before)
    # Halfway between two doubles the smaller parts decide, as in CPython's math.fsum.
    if n > 0 and ((low < 0.0 and parts[n - 1] < 0.0) or (low > 0.0 and parts[n - 1] > 0.0)):
        beyond = high + 2.0 * low
        if 2.0 * low == beyond - high:
            high = beyond
    return high


@kernel
def add_lines(terms, sums):  # type: ignore[no-untyped-def]
    """Write the correctly rounded sum of each line of terms [N, C] to `sums` [N]."""
    parts = np.empty(64)
    for n in range(terms.shape[0]):
        n_parts = 0
        for c in range(terms.shape[1]):
            n_parts = add_exactly(terms[n, c], parts, n_parts)
        sums[n] = rounded(parts, n_parts)


def line_sums(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correctly rounded sum of each line of finite terms [N, C]."""
    sums = np.empty(len(terms))
    add_lines(terms, sums)
    return sums
