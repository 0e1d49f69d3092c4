"""What each column is: numeric, categorical or a date; and which columns are of no use as features.

A dtype that says what it is (category, bool, datetime, numbers) is respected. Text is looked at: numbers, ISO dates,
otherwise levels. A kind that the caller gives is followed, or refused with the first value that does not fit.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.data.columns import (
    Column,
    LevelColumn,
    NumberColumn,
    SourceColumn,
    checked_finite,
    date_column,
    dates_or_none,
    is_duration,
    level_column,
    looks_like_date,
    number_column,
    numbers_or_none,
)
from turs.data.names import shortened
from turs.data.numerals import numeral_mask
from turs.data.texts import sorted_texts
from turs.errors import DataError
from turs.rules.schema import MAX_BINS, Kind

MAX_LEVELS = 10_000
"""Most levels of a categorical column that is used without being asked for."""

KEPT_LEVELS = MAX_BINS - 1
"""Levels that are kept of a column that has more than `MAX_BINS`."""

FEW_LEVELS = 20
"""Most distinct values of a column that mixes numbers and text and is still taken as categorical."""

SMALL_TABLE = 20
"""Below this number of rows a numeric column is never taken for an identifier."""

ALWAYS_FINE_LEVELS = 10
"""A column with at most this many levels is used even where they exceed half of its rows."""

_ID_NAME = re.compile(r"(^|[\W_])(id|ids|uuid|guid|index|idx|nr|no|num|number|key|rowid)$|nr$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OTHER_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:\s.*)?")

EMPTY = "no known value"
CONSTANT = "the same value in every row"
IDENTIFIER = "every row has its own value; say its kind to keep it"
TOO_MANY_LEVELS = f"too many levels for its rows; say its kind to keep the {KEPT_LEVELS} most frequent"


def inferred(source: SourceColumn) -> tuple[Column, str | None]:
    """Return a column converted to what it seems to be, and a note where that is a matter of opinion.

    Parameters
    ----------
    source : SourceColumn
        The column as the user gave it.

    Raises
    ------
    DataError
        Where numbers and text are mixed beyond doubt, a value is infinite, or a cell holds a list or the like.
    """
    dtype = source.series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return level_column(source), None
    if pd.api.types.is_bool_dtype(dtype):
        return level_column(source), None
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return date_column(source), None
    if pd.api.types.is_numeric_dtype(dtype) or is_duration(dtype):
        return number_column(source), None
    return _inferred_from_values(source)


def reason_to_leave_out(column: Column, name: str, *, asked_for: bool) -> str | None:
    """Return why a column is of no use as a feature, or None where it is of use.

    Parameters
    ----------
    column : Column
        The converted column.
    name : str
        Its name; an integer column may be an identifier by name.
    asked_for : bool
        Whether the user named the column: then only a column without information is left out.
    """
    if isinstance(column, LevelColumn):
        n_known = int((column.codes >= 0).sum())
        n_distinct = len(column.levels)
        varies = n_distinct > 1
    else:
        n_known = column.values.size - int(np.isnan(column.values).sum())
        varies = n_known > 0 and bool(np.fmin.reduce(column.values) < np.fmax.reduce(column.values))
    if n_known == 0:
        return EMPTY
    if not varies:
        has_missing = n_known < (column.codes if isinstance(column, LevelColumn) else column.values).size
        return None if has_missing else CONSTANT
    if asked_for:
        return None
    if isinstance(column, NumberColumn):
        return IDENTIFIER if _is_identifier(column, name) else None
    if column.is_text and n_distinct == n_known:
        return IDENTIFIER
    if n_distinct > ALWAYS_FINE_LEVELS and (n_distinct > n_known / 2 or n_distinct > MAX_LEVELS):
        return TOO_MANY_LEVELS
    return None


def kept_levels(column: LevelColumn) -> tuple[str, ...]:
    """Return the levels of a categorical feature, in order; of too many, the most frequent (ties: the first).

    The user's order is kept where there is one; otherwise numbers go by size and text by text.
    """
    ordered = list(column.levels) if column.ordered else sorted_texts(column.levels)
    if len(ordered) <= MAX_BINS:
        return tuple(ordered)
    counts = _level_counts(column)
    count_of = dict(zip(column.levels, counts.tolist(), strict=True))
    frequent = set(sorted(ordered, key=lambda level: -count_of[level])[:KEPT_LEVELS])
    return tuple(level for level in ordered if level in frequent)


def _level_counts(column: LevelColumn) -> NDArray[np.int64]:
    """Return the number of rows of every level."""
    return np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))


def _inferred_from_values(source: SourceColumn) -> tuple[Column, str | None]:
    """Infer the kind of a text or object column from its distinct values."""
    values, codes = source.distinct.values, source.distinct.codes
    if values and all(isinstance(value, bool | np.bool_) for value in values):
        return level_column(source), None
    numbers = numbers_or_none(values, leading_zeros=False)
    if numbers is not None:
        floats = np.append(numbers[0], np.nan)[codes]
        return checked_finite(source, NumberColumn(Kind.NUMERIC, floats, integral=numbers[1])), None
    if dates_or_none(values) is not None:
        return date_column(source), None
    column = level_column(source)
    return column, _date_note(source, column) or _mixture_note(source, column)


def _date_note(source: SourceColumn, column: LevelColumn) -> str | None:
    """Return a note where all levels look like dates, but one does not exist, or day and month could be confused."""
    if not column.levels or not all(map(_OTHER_DATE.fullmatch, column.levels)):
        return None
    if all(map(looks_like_date, column.levels)):
        none = next(level for level in column.levels if dates_or_none([level]) is None)
        return f"'{shortened(source.name)}' is taken as text: there is no date '{none}'."
    return f"'{shortened(source.name)}' holds dates such as '{column.levels[0]}' as text: write them as 2024-01-31."


def _mixture_note(source: SourceColumn, column: LevelColumn) -> str | None:
    """Return a note where mostly numbers are mixed with text; raise where that looks like a slip in a number column."""
    is_number = numeral_mask(list(column.levels))
    if not is_number.any() or is_number.all():
        return None
    counts = _level_counts(column)
    if counts[is_number].sum() * 2 < counts.sum():
        return None
    n_texts = int((~is_number).sum())
    text = column.levels[int(np.flatnonzero(~is_number)[0])]
    example = f"text such as '{shortened(text, 40)}'"
    if len(column.levels) > FEW_LEVELS and n_texts <= max(10, int(is_number.sum()) // 10):
        row = int(np.flatnonzero(column.codes == column.levels.index(text))[0])
        raise DataError(
            f"{source.place(row)}: numbers are mixed with {example}. Correct or empty such cells, declare the column"
            f" categorical, or leave it out."
        )
    return f"'{shortened(source.name)}' mixes numbers with {example}: it is taken as categorical."


def _is_identifier(column: NumberColumn, name: str) -> bool:
    """Say whether integers number the rows: all distinct, and in equal steps or named like an identifier."""
    known = column.values[~np.isnan(column.values)]
    if not column.integral or known.size < SMALL_TABLE:
        return False
    known.sort()
    steps = np.diff(known)
    if not steps.all():
        return False
    return bool((steps == steps[0]).all()) or _ID_NAME.search(_CAMEL.sub("_", name.strip()).casefold()) is not None
