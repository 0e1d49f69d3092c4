"""Put rows aside for testing: with the classes in proportion, and the same rows whenever the seed is the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.errors import DataError, SettingsError


def stratified_split(labels: pd.Series, test_size: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of training and test rows, each in ascending order.

    Every class keeps a training row; rows without a label stay in the training part, which leaves them out.

    Parameters
    ----------
    labels : Series
        Class label of each row.
    test_size : float
        Share of the rows to put aside, above 0 and below 1.
    seed : int
        Seed of the generator that picks the rows.

    Raises
    ------
    SettingsError
        Where `test_size` is not a share.
    DataError
        Where no row can be put aside.
    """
    if not 0 < test_size < 1:
        raise SettingsError(f"The test size is {test_size:g}: give a share above 0 and below 1, such as 0.3.")
    if seed < 0:
        raise SettingsError(f"The seed is {seed}: give 0 or a positive number.")
    codes, classes = pd.factorize(labels, sort=False)
    generator = np.random.default_rng(seed)
    is_test = np.zeros(len(codes), dtype=np.bool_)
    for code in range(len(classes)):
        rows = generator.permutation(np.flatnonzero(codes == code))
        is_test[rows[: min(round(test_size * rows.size), rows.size - 1)]] = True
    if not is_test.any():
        raise DataError(_too_few(str(labels.name), len(classes), int((codes >= 0).sum())))
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _too_few(target: str, n_classes: int, n_rows: int) -> str:
    """Return why no row can be put aside, and what to do."""
    told = f"Column '{target}' has {n_classes:,} different values in {n_rows:,} rows: too few rows of each to put some"
    if 2 * n_classes > n_rows:
        return f"{told} aside. Is it an identifier, or a number? Name a target column with few classes."
    return f"{told} aside. Put none aside, or ask for a larger share."
