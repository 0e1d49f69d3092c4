"""The rows that an editing session works on, in the bins of whatever candidate cuts a version has.

Bins of the grid are made once. A cut that a person typed lies inside a bin of the grid and divides it; only the column
of that feature is binned again, from its bins of the grid and the numbers behind them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.cover.covers import N_CODES, literal_bins
from turs.data.dataset import DataSet, feature_values
from turs.kernel import kernel
from turs.rules.literal import Literal
from turs.rules.rule import Rule
from turs.rules.schema import Feature, Schema

_KEPT_COLUMNS = 8
"""Columns with typed cuts that are kept, a byte a row each."""
_KEPT_COUNTS = 512
"""Rules whose counts of excluded rows are kept, a few numbers each."""
_KEPT_NUMBERS = 2
"""Columns of numbers that are kept, eight bytes a row each: people type several cuts on one feature."""


@kernel
def narrow(column, holds, n_known, covered):  # type: ignore[no-untyped-def]
    """Leave in `covered` the rows whose bin satisfies a literal; return the range of their known bins before that.

    Parameters
    ----------
    column : uint8 [n]
    holds : bool [256]
        Bins that satisfy the literal.
    n_known : int
        Bins below this hold known values.
    covered : bool [n], changed

    Returns
    -------
    tuple of int
        Lowest and highest known bin of the rows that were covered before; 255 and 0 where there are none.
    """
    seen = np.zeros(256, dtype=np.bool_)
    for i in range(column.size):
        if covered[i]:
            code = column[i]
            seen[code] = True
            covered[i] = holds[code]
    low, high = 255, 0
    for code in range(n_known):
        if seen[code]:
            low = min(low, code)
            high = code
    return low, high


@kernel
def begin(column, holds, covered):  # type: ignore[no-untyped-def]
    """Write to `covered` [n] the rows whose bin satisfies a literal."""
    for i in range(column.size):
        covered[i] = holds[column[i]]


@kernel
def divide_bins(column, numbers, first, start, cuts, divided):  # type: ignore[no-untyped-def]
    """Write the bins of a column after some of its bins were divided.

    Parameters
    ----------
    column : uint8 [n]
        Bins before.
    numbers : float64 [n]
        The values behind them.
    first : uint8 [256]
        New bin of the lowest part of each old one.
    start : int64 [257]
        Cuts inside old bin b are cuts[start[b] : start[b + 1]], ascending.
    cuts : float64
    divided : uint8 [n], written
    """
    for i in range(column.size):
        code = column[i]
        new = first[code]
        for c in range(start[code], start[code + 1]):
            new += numbers[i] >= cuts[c]
        divided[i] = new


@kernel
def fail(column, holds, n_failed, failed, number):  # type: ignore[no-untyped-def]
    """Note the rows that do not satisfy a literal: how many literals a row fails, and the last of them."""
    for i in range(column.size):
        if not holds[column[i]]:
            n_failed[i] += 1
            failed[i] = number


@kernel
def count_single(n_failed, failed, counts):  # type: ignore[no-untyped-def]
    """Count the rows that fail exactly one literal, by that literal."""
    for i in range(n_failed.size):
        if n_failed[i] == 1:
            counts[failed[i]] += 1


@dataclass(frozen=True, eq=False)
class Reach:
    """Which rows a rule covers, and K_value of each of its literals (see `turs.cover.covers.value_counts`)."""

    covered: NDArray[np.bool_]
    n_values: tuple[int, ...]


class Rows:
    """Labelled rows that can be put into the bins of any version.

    Parameters
    ----------
    data : DataSet
        The rows in bins of the grid.
    numbers : callable
        Returns the numbers [n] behind the bins of a numeric or date feature of the grid, NaN where missing.
    """

    def __init__(self, data: DataSet, numbers: Callable[[Feature], NDArray[np.float64]]) -> None:
        self.data = data
        self.numbers = lru_cache(maxsize=_KEPT_NUMBERS)(numbers)
        self._divided = lru_cache(maxsize=_KEPT_COLUMNS)(self._divide)
        self._excluded = lru_cache(maxsize=_KEPT_COUNTS)(self._count_excluded)
        self._span = lru_cache(maxsize=_KEPT_COUNTS)(self._find_span)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.data.n_rows

    def column(self, index: int, feature: Feature) -> NDArray[np.uint8]:
        """Return the bins of feature number `index` with the candidate cuts of `feature`."""
        if feature.cuts == self.data.schema.features[index].cuts:
            return np.asarray(self.data.bins[index])
        return self._divided(index, feature.cuts)

    def under(self, schema: Schema) -> DataSet:
        """Return the rows in the bins of a schema over the same grid."""
        if schema == self.data.schema:
            return self.data
        bins = np.array([self.column(index, feature) for index, feature in enumerate(schema.features)])
        return replace(self.data, schema=schema, bins=bins)

    def reach(self, rule: Rule, schema: Schema) -> Reach:
        """Return the cover of a rule and K_value of its literals, under a schema with its cuts."""
        covered: NDArray[np.bool_] | None = None
        n_values = []
        for literal in rule.literals:
            index = schema.index(literal.feature)
            feature = schema.features[index]
            column, holds = self.column(index, feature), literal_bins(literal, feature)
            if covered is None:
                low, high = self._span(index, feature)
                covered = np.empty(self.n_rows, dtype=np.bool_)
                begin(column, holds, covered)
            else:
                low, high = narrow(column, holds, feature.n_bins, covered)
            n_values.append(0 if feature.is_categorical else max(high - low, 0))
        return Reach(np.ones(self.n_rows, dtype=np.bool_) if covered is None else covered, tuple(n_values))

    def excluded(self, rule: Rule, schema: Schema) -> tuple[int, ...]:
        """Return for each literal of a rule how many rows it alone keeps out, under a schema with its cuts."""
        return self._excluded(rule.literals, tuple(schema.feature(literal.feature) for literal in rule.literals))

    def _count_excluded(self, literals: tuple[Literal, ...], features: tuple[Feature, ...]) -> tuple[int, ...]:
        """Return for each literal how many rows it alone keeps out."""
        n_failed, failed = np.zeros(self.n_rows, dtype=np.uint16), np.zeros(self.n_rows, dtype=np.uint16)
        for number, (literal, feature) in enumerate(zip(literals, features, strict=True)):
            column = self.column(self.data.schema.index(feature.name), feature)
            fail(column, literal_bins(literal, feature), n_failed, failed, number)
        counts = np.zeros(len(literals), dtype=np.int64)
        count_single(n_failed, failed, counts)
        return tuple(counts.tolist())

    def _find_span(self, index: int, feature: Feature) -> tuple[int, int]:
        """Return the lowest and highest known bin of a feature over all rows."""
        every = np.ones(N_CODES, dtype=np.bool_)
        low, high = narrow(self.column(index, feature), every, feature.n_bins, np.ones(self.n_rows, dtype=np.bool_))
        return int(low), int(high)

    def _divide(self, index: int, cuts: tuple[float, ...]) -> NDArray[np.uint8]:
        """Return the bins of a feature with more cuts than the grid has."""
        grid = self.data.schema.features[index]
        typed = np.array([cut for cut in cuts if cut not in grid.cuts])
        inside = np.searchsorted(np.array(grid.cuts), typed, side="right")
        codes = np.arange(N_CODES)
        n_before = np.searchsorted(inside, codes, side="left")
        divided = np.empty(self.n_rows, dtype=np.uint8)
        first = np.minimum(codes + n_before, N_CODES - 1).astype(np.uint8)
        start = np.append(n_before, len(typed))
        divide_bins(self.data.bins[index], self.numbers(grid), first, start, typed, divided)
        return divided


def rows_of(data: DataSet, frame: pd.DataFrame) -> Rows:
    """Return the rows of a data set for editing; `frame` is the table that it was made of."""
    return Rows(data, lambda feature: feature_values(frame, feature, data.kept))
