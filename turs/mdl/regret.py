"""The parametric complexity R(n, C) of a categorical distribution with C classes on n rows, in bits.

R(n, 2) is the sum over h of binom(n, h) (h/n)^h ((n-h)/n)^(n-h). It equals the sum over k >= 0 of the falling
factorial n(n-1)...(n-k+1) over n^k, that is 1 + Q(n) with Ramanujan's Q; the terms fall off like exp(-k^2 / 2n), so
about 9 sqrt(n) of them give the sum to full precision. From `_SERIES_FROM` rows on, Q's asymptotic series is exact to
the last digits of a double and costs nothing. More classes follow from the linear recurrence
R(n, C+2) = R(n, C+1) + (n / C) R(n, C), carried as ratios so that nothing overflows.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from turs.kernel import kernel
from turs.mdl.logs import log2_of

_SERIES_FROM = 1000
_HALF_PI = 1.5707963267948966
_LEAST_TERM = 1e-18
_EVERY = 1 << 17
_STRIDE = 16
"""Up to `_EVERY` rows a table has the regret of every number of them, beyond that of every `_STRIDE`-th number."""


@kernel
def two_class_sum(n):  # type: ignore[no-untyped-def]
    """Return R(n, 2) by the sum of its terms."""
    term = total = 1.0
    k = 0
    while term > _LEAST_TERM:
        term = term * ((n - k) / n)
        total = total + term
        k += 1
    return total


@kernel
def two_class_series(n):  # type: ignore[no-untyped-def]
    """Return R(n, 2) by the asymptotic series of Ramanujan's Q."""
    root = np.sqrt(_HALF_PI / n)
    even = n + 1 / 12 + (1 / 288 - (139 / 51840 + 571 / (2488320 * n)) / n) / n
    odd = -1 / 3 + (-4 / 135 + (8 / 2835 + 16 / (8505 * n)) / n) / n
    return 1.0 + root * even + odd


@kernel
def regret_of(n, n_classes):  # type: ignore[no-untyped-def]
    """Return log2 R(n, C) of a number of rows, 0 for none."""
    bits = 0.0
    if n > 0:
        rows = float(n)
        ratio = two_class_sum(rows) if n <= _SERIES_FROM else two_class_series(rows)
        for c in range(1, n_classes):
            bits += log2_of(ratio)
            ratio = 1.0 + (rows / c) / ratio
    return bits


@kernel
def write_regrets(table, n_classes):  # type: ignore[no-untyped-def]
    """Write the table of `regret_at`."""
    for at in range(table.size):
        table[at] = regret_of(at + max(at - _EVERY, 0) * (_STRIDE - 1), n_classes)


@kernel
def regret_at(table, n):  # type: ignore[no-untyped-def]
    """Return log2 R(n, C) as the search looks it up: between two entries off by 2e-9 bits (254 classes: 4e-7)."""
    if n <= _EVERY:
        return table[np.uint64(n)]
    beyond = np.uint64(n - _EVERY)
    at, part = np.uint64(_EVERY) + beyond // np.uint64(_STRIDE), float(beyond % np.uint64(_STRIDE)) / _STRIDE
    return table[at] + part * (table[at + np.uint64(1)] - table[at])


@lru_cache(maxsize=8)
def regret_table(n: int, n_classes: int) -> NDArray[np.float64]:
    """Return the table of `regret_at` up to n rows: for a million, a sixth of what all numbers would take."""
    beyond = (n - _EVERY) // _STRIDE + 1 if n > _EVERY else 0
    table = np.zeros(min(n, _EVERY) + 1 + beyond)
    write_regrets(table, n_classes)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=1 << 16)
def regret_bits(n: int, n_classes: int) -> float:
    """Return log2 R(n, C) (paper, section 4.2)."""
    bits: float = regret_of(n, n_classes)
    return bits
