"""Candidate cuts of a numeric column, and the uint8 bins of numbers and levels.

Both work on one column at a time, so that a table never has to exist twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_CHUNK = 1 << 16
"""Values that are put into bins at once."""


def candidate_cuts(values: NDArray[np.float64], n_cuts: int) -> tuple[float, ...]:
    """Return the candidate cuts of a numeric column: at most `n_cuts`, each with rows on both sides.

    With few distinct values these are the midpoints of all neighbours. Otherwise the quantiles i / (n_cuts + 1) are
    moved to the nearest boundary between two distinct values, counted in rows (ties: the lower boundary).

    Parameters
    ----------
    values : ndarray of float64
        The known values, in any order; finite.
    n_cuts : int
        Most cuts to return.

    Returns
    -------
    tuple of float
        Ascending cuts; `x >= cut` separates the two distinct values around it.
    """
    ordered = np.sort(values)
    boundaries = _first_boundaries(ordered, n_cuts + 1)
    if boundaries.size > n_cuts:
        boundaries = _nearest_to_quantiles(ordered, n_cuts)
    lower, upper = ordered[boundaries - 1], ordered[boundaries]
    with np.errstate(over="ignore"):
        middle = (lower + upper) / 2
    middle = np.where((lower < middle) & (middle <= upper), middle, upper)
    # People read cuts: 0.21, not 0.21000000000000002.
    short = np.array([float(f"{value:.12g}") for value in middle])
    middle = np.where((lower < short) & (short <= upper), short, middle)
    # Adding 0.0 turns -0.0 into 0.0: which of the two zeros sorts first depends on the row order.
    return tuple((middle + 0.0).tolist())


def bin_numeric(values: NDArray[np.float64], cuts: Sequence[float], missing_bin: int) -> NDArray[np.uint8]:
    """Return the bin of every value: the number of cuts <= x, and `missing_bin` where x is NaN."""
    ascending = np.asarray(cuts, dtype=np.float64)
    bins = np.empty(values.size, dtype=np.uint8)
    for start in range(0, values.size, _CHUNK):  # positions are 8 bytes each: never those of a whole column
        chunk = slice(start, start + _CHUNK)
        bins[chunk] = np.searchsorted(ascending, values[chunk], side="right")
    bins[np.isnan(values)] = missing_bin
    return bins


def bin_levels(codes: NDArray[np.integer], bin_of_code: NDArray[np.integer], missing_bin: int) -> NDArray[np.uint8]:
    """Return the bin of every level code: `bin_of_code[code]`, and `missing_bin` where the code is -1."""
    table = np.append(bin_of_code, missing_bin).astype(np.uint8)
    bins: NDArray[np.uint8] = table[codes]
    return bins


def _first_boundaries(ordered: NDArray[np.float64], enough: int) -> NDArray[np.int64]:
    """Return the first positions at which an ascending column has another value than before; `enough`, or all."""
    found: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    for start in range(1, ordered.size, _CHUNK):  # most columns have enough of them in the first chunk
        stop = min(start + _CHUNK, ordered.size)
        found.append(np.flatnonzero(ordered[start:stop] > ordered[start - 1 : stop - 1]) + start)
        if sum(part.size for part in found) >= enough:
            break
    return np.concatenate(found)


def _nearest_to_quantiles(ordered: NDArray[np.float64], n_cuts: int) -> NDArray[np.int64]:
    """Return the distinct boundaries nearest to the quantiles i / (n_cuts + 1), in exact integers.

    The boundaries around a quantile are the ends of the run of equal values that it falls into.
    """
    wanted = np.arange(1, n_cuts + 1) * ordered.size
    value = ordered[-(-wanted // (n_cuts + 1)) - 1]
    below, above = np.searchsorted(ordered, value), np.searchsorted(ordered, value, side="right")
    before, after = wanted - below * (n_cuts + 1), above * (n_cuts + 1) - wanted
    is_below = (above == ordered.size) | ((below > 0) & (before <= after))
    nearest = np.where(is_below, below, above)  # ascending: the same one comes in a row
    is_new = np.append(True, np.diff(nearest) > 0)
    distinct: NDArray[np.int64] = nearest[is_new]
    return distinct
