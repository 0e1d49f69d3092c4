"""Base-2 logarithms that give the same digits on every machine.

The C library's `log2` and NumPy's vectorised one may differ in the last digit from machine to machine. This one uses
only additions, multiplications and divisions, which IEEE 754 fixes, so bits reproduce to the last digit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from turs.kernel import kernel

_TERMS = 12
"""Terms of the series: the first one left out is below 2**-60 of the sum."""
_FEW = 8
"""Up to so many logarithms are computed one by one."""
_HALF_SQRT2 = 0.7071067811865476
_TWO_LOG2_E = 2.8853900817779268


def log2(values: ArrayLike) -> NDArray[np.float64]:
    """Return the base-2 logarithm of positive numbers; powers of two are exact."""
    mantissa, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    small = mantissa < _HALF_SQRT2
    mantissa = np.where(small, mantissa * 2.0, mantissa)
    whole = exponent - small
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    series = np.zeros_like(square)
    for term in range(_TERMS - 1, -1, -1):
        series = series * square + 1.0 / (2 * term + 1)
    result: NDArray[np.float64] = whole + _TWO_LOG2_E * (ratio * series)
    return result


@kernel
def log2_of(value):  # type: ignore[no-untyped-def]
    """Return what `log2` returns for one number, to the last digit."""
    mantissa, exponent = math.frexp(float(value))
    if mantissa < _HALF_SQRT2:
        mantissa, exponent = mantissa * 2.0, exponent - 1
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    series = 0.0
    for term in range(_TERMS - 1, -1, -1):
        series = series * square + 1.0 / (2 * term + 1)
    return exponent + _TWO_LOG2_E * (ratio * series)


def log2_table(n: int) -> NDArray[np.float64]:
    """Return log2 of 0, 1, ..., n; the entry of 0 is 0, because it is only ever multiplied by 0 rows."""
    table = np.zeros(n + 1)
    write_logs(table)
    return table


@kernel
def write_logs(table):  # type: ignore[no-untyped-def]
    """Write log2 of 1, 2, ... to a table from its second place on."""
    for n in range(1, table.size):
        table[n] = log2_of(n)


def log2_binomial(n: int, k: int) -> float:
    """Return log2 of the number of k-subsets of n things; 0 where there is none or one."""
    if k <= 0 or k >= n:
        return 0.0
    k = min(k, n - k)
    if k > _FEW:
        terms = log2(np.arange(n - k + 1, n + 1)) - log2(np.arange(1, k + 1))
        return float(np.cumsum(terms)[-1])
    bits = 0.0
    for i in range(1, k + 1):
        bits += log2_of(n - k + i) - log2_of(i)
    return bits
