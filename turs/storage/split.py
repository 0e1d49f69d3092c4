"""Rows in three parts: training rows to learn from, validation rows to check edits with, sealed test rows.

A split is kept as what it is, the part of every row, not as the shares and the seed that made it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.data.splitting import stratified_split
from turs.errors import DataError, SettingsError

PARTS = ("training", "validation", "test", "unused")
"""What a row can belong to."""

_COLUMN = "part"


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the rows of each part, ascending; rows that are in none are not used.

    Parameters
    ----------
    training, validation, test : ndarray of int64
        Positions in the table; validation and test may be empty.
    """

    training: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]

    def to_frame(self, n_rows: int) -> pd.DataFrame:
        """Return the part of each of the rows of a table.

        Raises
        ------
        DataError
            Where a position is not in the table or in two parts, or there is no training row.
        """
        codes = np.full(n_rows, PARTS.index("unused"), dtype=np.int8)
        taken = np.zeros(n_rows, dtype=np.int64)
        for code, rows in enumerate((self.training, self.validation, self.test)):
            if rows.size and (rows.min() < 0 or rows.max() >= n_rows):
                raise DataError(f"The {PARTS[code]} part names rows that the table of {n_rows:,} rows does not have.")
            codes[rows] = code
            np.add.at(taken, rows, 1)
        if (taken > 1).any():
            raise DataError(f"Row {int(taken.argmax()) + 1:,} is in two parts: put every row into one.")
        if not self.training.size:
            raise DataError("The split has no training rows: give the training part some.")
        return pd.DataFrame({_COLUMN: pd.Categorical.from_codes(codes, categories=pd.Index(PARTS))})


def split_of(frame: pd.DataFrame) -> Split:
    """Return the split that `Split.to_frame` wrote."""
    codes = frame[_COLUMN].cat.codes.to_numpy()
    training, validation, test = (np.flatnonzero(codes == code).astype(np.int64) for code in range(3))
    return Split(training, validation, test)


def split_rows(labels: pd.Series, *, validation: float = 0.2, test: float = 0.2, seed: int = 0) -> Split:
    """Divide rows by shares, with the classes in proportion; the same rows whenever the seed is the same.

    Parameters
    ----------
    labels : Series
        Class label of each row.
    validation, test : float
        Shares of all rows; 0 leaves the part empty.
    seed : int
        Seed of the generator that picks the rows.

    Raises
    ------
    SettingsError
        Where the shares leave nothing to learn from.
    """
    if not (validation >= 0 and test >= 0 and validation + test < 1):
        raise SettingsError(
            f"The shares of validation and test rows are {validation:g} and {test:g}: give shares that add up to less"
            " than 1."
        )
    kept = np.arange(len(labels), dtype=np.int64)
    parts = {}
    for name, share in (("test", test), ("validation", validation)):
        parts[name] = kept[:0]
        if share:
            of_rest = share * len(labels) / kept.size
            rest, aside = stratified_split(labels.iloc[kept], of_rest, seed)
            parts[name], kept = kept[aside], kept[rest]
    return Split(kept, parts["validation"], parts["test"])
