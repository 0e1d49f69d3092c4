"""One column of a frame, converted: numbers (dates are numbers too) or levels.

Learning and prediction convert through the same functions, so a value means the same at both times. Conversions of
text look at the distinct values only. An error names column, row and value.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow ships no types
from numpy.typing import NDArray

from turs.data.names import shortened
from turs.data.numerals import parse_numerals
from turs.data.texts import level_text
from turs.errors import DataError
from turs.rules.schema import Kind

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?", re.ASCII)


@dataclass(frozen=True)
class SourceColumn:
    """A column as the user gave it.

    Parameters
    ----------
    name : str
        Unique column name.
    series : Series
        The values.
    rows : ndarray of int64, optional
        Positions of the values in the user's table, where rows were left out.
    """

    name: str
    series: pd.Series
    rows: NDArray[np.int64] | None = None

    def place(self, position: int) -> str:
        """Return column and row of one value for a message; rows count from 1."""
        row = position if self.rows is None else int(self.rows[position])
        return f"Column '{shortened(self.name)}', row {row + 1:,}"

    @cached_property
    def distinct(self) -> DistinctValues:
        """The distinct known values, in order of appearance (of categories, for a categorical dtype)."""
        return _distinct(self)


@dataclass(frozen=True)
class DistinctValues:
    """The distinct known values of a column: row i holds `values[codes[i]]`, nothing where the code is -1."""

    codes: NDArray[np.integer]
    values: list[object]


@dataclass(frozen=True)
class NumberColumn:
    """Numbers or dates.

    Parameters
    ----------
    kind : Kind
        NUMERIC, or DATE for seconds since 1970-01-01 UTC.
    values : ndarray of float64
        NaN where missing.
    integral : bool
        Whether the column was made of integers.
    """

    kind: Kind
    values: NDArray[np.float64]
    integral: bool = False


@dataclass(frozen=True)
class LevelColumn:
    """Levels of a categorical column.

    Parameters
    ----------
    codes : ndarray of int
        Position in `levels`, -1 where missing.
    levels : tuple of str
        Every level that occurs, once.
    ordered : bool
        Whether the order of `levels` is the user's; otherwise it means nothing.
    is_text : bool
        Whether the values came as text.
    """

    codes: NDArray[np.integer]
    levels: tuple[str, ...]
    ordered: bool = False
    is_text: bool = False


Column = NumberColumn | LevelColumn


def converted(source: SourceColumn, kind: Kind) -> Column:
    """Return a column as `kind`, or raise a `DataError` that names the first value that is not."""
    if kind is Kind.CATEGORICAL:
        return level_column(source)
    return number_column(source) if kind is Kind.NUMERIC else date_column(source)


def number_column(source: SourceColumn) -> NumberColumn:
    """Return a column as numbers; durations as seconds, booleans as 0 and 1."""
    dtype = source.series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _looked_up(source, Kind.NUMERIC, _numbers_of_values, "a number")
    if pd.api.types.is_complex_dtype(dtype):
        raise DataError(f"Column '{source.name}' holds complex numbers: split it into two columns.")
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        return checked_finite(source, NumberColumn(Kind.NUMERIC, _floats(source.series), _is_integral(dtype)))
    if pd.api.types.is_datetime64_any_dtype(dtype):
        raise DataError(
            f"Column '{shortened(source.name)}' holds dates, not numbers: give numbers, or declare it a date."
        )
    if is_duration(dtype):
        seconds = source.series.dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan)
        return NumberColumn(Kind.NUMERIC, seconds)
    return _looked_up(source, Kind.NUMERIC, _numbers_of_values, "a number")


def date_column(source: SourceColumn) -> NumberColumn:
    """Return a column as dates: a date dtype, date objects, or text such as 2024-05-31 14:30."""
    if pd.api.types.is_datetime64_any_dtype(source.series.dtype):
        return NumberColumn(Kind.DATE, _seconds(source.series))
    return _looked_up(source, Kind.DATE, _dates_of_values, "a date such as 2024-05-31")


def level_column(source: SourceColumn) -> LevelColumn:
    """Return a column as levels; levels that do not occur are left out, blank text is missing."""
    distinct = source.distinct
    occurs = np.zeros(len(distinct.values) + 1, dtype=np.bool_)
    occurs[distinct.codes] = True  # a missing value, -1, is the last one
    positions: dict[str, int] = {}
    table = np.full(len(distinct.values) + 1, -1, dtype=np.int32)
    for index, value in enumerate(distinct.values):
        if occurs[index] and (text := level_text(value)):
            table[index] = positions.setdefault(text, len(positions))
    dtype = source.series.dtype
    ordered = isinstance(dtype, pd.CategoricalDtype) and bool(dtype.ordered)
    is_text = all(isinstance(value, str) for value in distinct.values)
    return LevelColumn(table[distinct.codes], tuple(positions), ordered, is_text)


def numbers_or_none(values: list[object], *, leading_zeros: bool) -> tuple[NDArray[np.float64], bool] | None:
    """Return distinct values as floats and whether all are integers, or None where some value is not a number."""
    texts = [level_text(value) or None for value in values]
    numerals = parse_numerals(pa.array(texts, type=pa.string()), leading_zeros=leading_zeros)
    if numerals is None:
        return None
    floats = numerals.array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return floats, pa.types.is_integer(numerals.array.type)


def dates_or_none(values: list[object]) -> NDArray[np.float64] | None:
    """Return distinct values as seconds since 1970-01-01 UTC, or None where some value is not a date."""
    known = [value for value in values if not (isinstance(value, str) and not value.strip())]
    if not known or not all(looks_like_date(value) for value in known):
        return None
    texts = [value.isoformat() if isinstance(value, datetime.date) else str(value).strip() for value in values]
    stamps = pd.to_datetime(pd.Series(texts, dtype=object), format="ISO8601", utc=True, errors="coerce")
    seconds = _seconds(stamps)
    blank = sum(not text for text in texts)
    return seconds if int(np.isnan(seconds).sum()) == blank else None


def _distinct(source: SourceColumn) -> DistinctValues:
    """Return the distinct known values of a column; refuse values that are no single value."""
    series = source.series
    if isinstance(series.dtype, pd.CategoricalDtype):
        return DistinctValues(series.cat.codes.to_numpy(), series.cat.categories.tolist())
    try:
        codes, uniques = pd.factorize(series)
    except (TypeError, pa.ArrowNotImplementedError):
        codes, uniques = np.zeros(0, dtype=np.int64), pd.Index([])
        nested: object = next(value for value in series if not _is_hashable(value))
    else:
        nested = next((value for value in uniques if isinstance(value, tuple | frozenset)), None)
    if nested is not None:
        raise DataError(
            f"Column '{source.name}' holds values of type {type(nested).__name__} (such as"
            f" {shortened(str(nested), 30)}): give one number or text a cell, or leave the column out."
        )
    return DistinctValues(codes, uniques.tolist())


def _is_hashable(value: object) -> bool:
    """Say whether a value can be compared as a whole."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _looked_up(
    source: SourceColumn, kind: Kind, convert: Callable[[list[object]], NDArray[np.float64] | None], what: str
) -> NumberColumn:
    """Return a column whose distinct values were converted by `convert`."""
    distinct = source.distinct
    numbers = convert(distinct.values)
    if numbers is None:
        for index, value in enumerate(distinct.values):
            rows = np.flatnonzero(distinct.codes == index)
            if rows.size and convert([value]) is None:
                shown = shortened(level_text(value), 40)
                raise DataError(
                    f"{source.place(int(rows[0]))}: '{shown}' is not {what}. Correct the value, leave it empty, or"
                    f" declare the column {'categorical' if kind is Kind.NUMERIC else 'numeric or categorical'}."
                )
        numbers = np.array([np.nan if (one := convert([v])) is None else one[0] for v in distinct.values])
    return checked_finite(source, NumberColumn(kind, np.append(numbers, np.nan)[distinct.codes]))


def _numbers_of_values(values: list[object]) -> NDArray[np.float64] | None:
    """Return distinct values as floats for a column that is known to be numeric."""
    as_numbers: list[object] = [int(value) if isinstance(value, bool | np.bool_) else value for value in values]
    found = numbers_or_none(as_numbers, leading_zeros=True)
    return None if found is None else found[0]


def _dates_of_values(values: list[object]) -> NDArray[np.float64] | None:
    """Return distinct values as seconds for a column that is known to hold dates."""
    return np.full(len(values), np.nan) if _all_blank(values) else dates_or_none(values)


def _all_blank(values: list[object]) -> bool:
    """Say whether all values are blank text."""
    return all(isinstance(value, str) and not value.strip() for value in values)


def looks_like_date(value: object) -> bool:
    """Say whether a value is a date object or ISO text."""
    if isinstance(value, str):
        return _ISO_DATE.fullmatch(value.strip()) is not None
    return isinstance(value, datetime.date | np.datetime64)


def checked_finite(source: SourceColumn, column: NumberColumn) -> NumberColumn:
    """Return `column`, or raise a `DataError` where it holds an infinite value."""
    # The extremes are infinite where any value is: no mask of the column's length is needed.
    values = column.values
    if values.size and np.isinf([np.fmin.reduce(values), np.fmax.reduce(values)]).any():
        first = int(np.flatnonzero(np.isinf(values))[0])
        raise DataError(f"{source.place(first)}: the value is infinite. Correct it, or leave it empty.")
    return column


def _floats(series: pd.Series) -> NDArray[np.float64]:
    """Return a numeric or boolean column as float64, NaN where missing, without a copy where it is that already.

    A column of a table that is kept row by row is copied: values that are not side by side cost more at every look.
    """
    if isinstance(series.dtype, np.dtype):
        return np.ascontiguousarray(series.to_numpy(dtype=np.float64))
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def is_duration(dtype: object) -> bool:
    """Say whether a dtype holds durations, those of NumPy or of Arrow."""
    is_arrow = isinstance(dtype, pd.ArrowDtype) and pa.types.is_duration(dtype.pyarrow_dtype)
    return is_arrow or bool(pd.api.types.is_timedelta64_dtype(dtype))  # type: ignore[arg-type]  # any dtype is accepted


def _is_integral(dtype: object) -> bool:
    """Say whether a dtype holds integers only."""
    return bool(pd.api.types.is_integer_dtype(dtype))  # type: ignore[arg-type]  # any dtype is accepted


def _seconds(series: pd.Series) -> NDArray[np.float64]:
    """Return dates as seconds since 1970-01-01 UTC, NaN where missing."""
    stamps = pd.to_datetime(series, utc=True).dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    seconds = stamps.astype(np.int64) / 1e6
    seconds[np.isnat(stamps)] = np.nan
    return np.asarray(seconds, dtype=np.float64)
