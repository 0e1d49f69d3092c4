"""The rows that an editing session works on, in the bins of whatever candidate cuts a version has.

Bins of the grid are made once. A cut that a person typed lies inside a bin of the grid and divides it; only the column
of that feature is binned again, from its bins of the grid and the numbers behind them.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.cover.covers import N_CODES, literal_bins
from turs.data.dataset import DataSet, feature_values
from turs.kernel import kernel
from turs.rules.literal import Interval, LevelSet, Literal
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
def keep_between(column, first, last, covered):  # type: ignore[no-untyped-def]
    """Leave in `covered` [n] the rows whose bin is in first, ..., last: compared byte by byte, it vectorises."""
    for i in range(column.size):
        covered[i] = covered[i] & (column[i] >= first) & (column[i] <= last)


@kernel
def keep_bins(column, holds, covered):  # type: ignore[no-untyped-def]
    """Leave in `covered` [n] the rows whose bin is one of `holds` [256]."""
    for i in range(column.size):
        covered[i] = covered[i] & holds[column[i]]


@kernel
def keep_numbers(numbers, low, high, covered):  # type: ignore[no-untyped-def]
    """Leave in `covered` [n] the rows with low <= number < high; NaN as `high` stands for no upper cut."""
    for i in range(numbers.size):
        covered[i] = covered[i] & (numbers[i] >= low) & (not numbers[i] >= high)


@kernel
def bin_range(column, n_known, span, covered):  # type: ignore[no-untyped-def]
    """Return the lowest and highest known bin of the covered rows; 255 and 0 where there are none.

    Parameters
    ----------
    column : uint8 [n]
    n_known : int
        Bins below this hold known values.
    span : tuple of int
        Lowest and highest known bin of all rows: once both are met, the other rows need not be looked at.
    covered : bool [n]
    """
    low, high = 255, 0
    for i in range(column.size):
        if covered[i]:
            code = column[i]
            if code < n_known and (code < low or code > high):
                low, high = min(low, code), max(high, code)
                if low == span[0] and high == span[1]:
                    break
    return low, high


@kernel
def number_range(numbers, covered):  # type: ignore[no-untyped-def]
    """Return the lowest and highest number [n] of the covered rows; inf and -inf where there are none."""
    low, high = np.inf, -np.inf
    for i in range(numbers.size):
        if covered[i]:
            if numbers[i] < low:
                low = numbers[i]
            if numbers[i] > high:
                high = numbers[i]
    return low, high


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


BinRange = tuple[int, int]
"""Lowest and highest known bin of the grid; 255 and 0 where no row has a known value."""


@dataclass(frozen=True, eq=False)
class Reach:
    """Which rows a rule covers, and how far those that reach each of its literals lie apart.

    Parameters
    ----------
    covered : bool [n]
        The rows that satisfy all literals.
    ranges : tuple of BinRange
        Of each literal: the bins of its feature over the rows that the literals before it cover.
    n_values : tuple of int
        K_value of each literal (`turs.cover.covers.value_counts`).
    """

    covered: NDArray[np.bool_]
    ranges: tuple[BinRange, ...]
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

    def cover(self, literals: tuple[Literal, ...]) -> NDArray[np.bool_]:
        """Return which rows satisfy these literals."""
        covered = np.ones(self.n_rows, dtype=np.bool_)
        for literal in literals:
            self._narrow(literal, self.data.schema.index(literal.feature), covered)
        return covered

    def reach(self, rule: Rule, schema: Schema) -> Reach:
        """Return which rows a rule covers, and what reaches its literals, under a schema with its cuts."""
        covered = np.ones(self.n_rows, dtype=np.bool_)
        ranges: list[BinRange] = []
        for literal in rule.literals:
            index = self.data.schema.index(literal.feature)
            span = self._span(index)
            if ranges:
                span = bin_range(self.data.bins[index], self.data.schema.features[index].n_bins, span, covered)
            ranges.append(span)
            self._narrow(literal, index, covered)
        return Reach(covered, tuple(ranges), self.n_values(rule.literals, tuple(ranges), schema))

    def n_values(self, literals: tuple[Literal, ...], ranges: tuple[BinRange, ...], schema: Schema) -> tuple[int, ...]:
        """Return K_value of each literal under a schema over the grid, given the ranges of bins that reach them.

        The cuts of the grid that split the rows lie between their lowest and their highest bin. A cut that a person
        typed lies inside a bin: it splits the rows where this bin is between those two; only in the lowest and in the
        highest one the numbers themselves have to be looked at.
        """
        n_values = []
        for place, (literal, (low, high)) in enumerate(zip(literals, ranges, strict=True)):
            index = schema.index(literal.feature)
            feature, grid = schema.features[index], self.data.schema.features[index]
            if feature.is_categorical or low > high:
                n_values.append(0)
                continue
            typed = () if len(feature.cuts) == len(grid.cuts) else set(feature.cuts).difference(grid.cuts)
            at_ends, n_split = [], high - low
            for cut in typed:
                inside = bisect_right(grid.cuts, cut)
                n_split += low < inside < high
                if inside in (low, high):
                    at_ends.append(cut)
            if at_ends:
                least, most = number_range(self.numbers(grid), self.cover(literals[:place]))
                n_split += sum(least < cut <= most for cut in at_ends)
            n_values.append(n_split)
        return tuple(n_values)

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

    def _find_span(self, index: int) -> BinRange:
        """Return the lowest and highest known bin of a feature over all rows."""
        known = self.data.bins[index]
        known = known[known < self.data.schema.features[index].n_bins]
        return (int(known.min()), int(known.max())) if known.size else (255, 0)

    def _narrow(self, literal: Literal, index: int, covered: NDArray[np.bool_]) -> None:
        """Leave in `covered` the rows that satisfy a literal on feature number `index`."""
        grid, column = self.data.schema.features[index], self.data.bins[index]
        if isinstance(literal, Interval):
            cuts = [cut for cut in (literal.low, literal.high) if cut is not None]
            if not all(cut in grid.cuts for cut in cuts):
                low = -math.inf if literal.low is None else literal.low
                high = math.nan if literal.high is None else literal.high
                keep_numbers(self.numbers(grid), low, high, covered)
                return
            first = 0 if literal.low is None else grid.cuts.index(literal.low) + 1
            last = grid.n_bins - 1 if literal.high is None else grid.cuts.index(literal.high)
            keep_between(column, np.uint8(first), np.uint8(last), covered)
        elif isinstance(literal, LevelSet):
            keep_bins(column, literal_bins(literal, grid), covered)
        else:
            first, last = (grid.missing_bin, grid.missing_bin) if literal.missing else (0, grid.missing_bin - 1)
            keep_between(column, np.uint8(first), np.uint8(last), covered)

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
