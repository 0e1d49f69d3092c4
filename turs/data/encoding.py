"""The paper encoding: only numeric and 0/1 columns, as in the paper's experiments."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.data.columns import LevelColumn, NumberColumn, SourceColumn, level_column
from turs.data.kinds import inferred
from turs.data.names import position_of, unique_names
from turs.data.texts import sorted_texts

MAX_INTEGER_LEVELS = 20
"""An integer column with more distinct values than this is numeric, otherwise one-hot."""


def paper_encoding(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    """Return a table with numeric and 0/1 feature columns only, and the target as its last column.

    Float columns, and integer columns with more than 20 distinct values, stay as they are. Every other column becomes
    one 0/1 column `column=level` a level; a binary one becomes a single column, for its second level in order. Missing
    values are a level of their own, `column=?`, and make a float column with few values one of the others, because
    that is how the paper's experiments read them: as text.

    Parameters
    ----------
    frame : DataFrame
        The table, class column included.
    target : str
        Name of the class column; it is not changed.
    """
    names, _ = unique_names(frame.columns)
    target_position = position_of(target, names, "target column")
    encoded: list[tuple[str, object]] = []
    for position, name in enumerate(names):
        if position != target_position:
            encoded += _encoded(SourceColumn(name, frame.iloc[:, position]))
    encoded.append((target, frame.iloc[:, target_position]))
    taken, _ = unique_names([target, *(name for name, _ in encoded[:-1])])
    columns = dict(zip((*taken[1:], taken[0]), (values for _, values in encoded), strict=True))
    return pd.DataFrame(columns, index=frame.index)


def _encoded(source: SourceColumn) -> list[tuple[str, object]]:
    """Return the encoded columns of one feature column."""
    column, _ = inferred(source)
    if isinstance(column, NumberColumn) and _stays_numeric(column):
        return [(source.name, column.values)]
    levels = column if isinstance(column, LevelColumn) else level_column(source)
    ordered = list(levels.levels) if levels.ordered else sorted_texts(levels.levels)
    missing = levels.codes < 0
    shown = ordered[1:] if len(ordered) <= 2 and not missing.any() else ordered
    encoded: list[tuple[str, object]] = [(f"{source.name}={level}", _indicator(levels, level)) for level in shown]
    return [*encoded, (f"{source.name}=?", missing.astype(np.int8))] if missing.any() else encoded


def _stays_numeric(column: NumberColumn) -> bool:
    """Say whether a numeric column is a float column without missing values or has many distinct values."""
    missing = np.isnan(column.values)
    if not column.integral and not missing.any():
        return True
    return np.unique(column.values[~missing]).size > MAX_INTEGER_LEVELS


def _indicator(column: LevelColumn, level: str) -> NDArray[np.int8]:
    """Return 1 where a row has `level`, otherwise 0."""
    indicator: NDArray[np.int8] = (column.codes == column.levels.index(level)).astype(np.int8)
    return indicator
