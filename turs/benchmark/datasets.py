"""The data sets of a folder, encoded as in the paper, and their folds.

A data set is a CSV file, gzipped or not, with the class in its last column; `index.csv` describes a folder and is no
data set. The paper encoding is made once from the whole table, candidate cuts come from the training rows of a fold.
"""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.data import DataSet, class_text, labelled_data, learning_data, paper_encoding, read_table
from turs.data.texts import sorted_texts
from turs.errors import DataError, SettingsError, nearest

_ENDINGS = (".csv.gz", ".csv")
_DESCRIPTION = "index.csv"


@dataclass(frozen=True)
class Source:
    """A file with a data set.

    Parameters
    ----------
    name : str
        The file name without its ending.
    path : Path
        The file.
    digest : str
        SHA-256 of its bytes; empty where it cannot be read.
    """

    name: str
    path: Path
    digest: str


@dataclass(frozen=True)
class Encoded:
    """A data set in the paper encoding.

    Parameters
    ----------
    frame : DataFrame
        Rows that have a label; the class is the last column.
    target : str
        Its name.
    classes : tuple of str
        All classes of the table.
    labels : ndarray of int64
        Position of the class of each row.
    n_unlabelled : int
        Rows of the file without a label, which are not among them.
    """

    frame: pd.DataFrame
    target: str
    classes: tuple[str, ...]
    labels: NDArray[np.int64]
    n_unlabelled: int = 0


def sources_in(folder: Path, wanted: Sequence[str] = ()) -> tuple[Source, ...]:
    """Return the data sets of a folder in the order of their names.

    Parameters
    ----------
    folder : Path
        The folder.
    wanted : sequence of str
        Names to keep, in this order; all where there is none.

    Raises
    ------
    DataError
        There is no such folder, or no data set in it.
    SettingsError
        A wanted data set is not there.
    """
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}: give a folder of CSV files with the class in the last column.")
    paths = sorted(path for path in folder.iterdir() if path.name.endswith(_ENDINGS) and path.name != _DESCRIPTION)
    if not paths:
        raise DataError(f"{folder} has no CSV file: give a folder of CSV files with the class in the last column.")
    stems = Counter(_stem(path) for path in paths)
    named = {_stem(path) if stems[_stem(path)] == 1 else path.name: path for path in paths}
    for name in wanted:
        if name not in named:
            raise SettingsError(f"{folder} has no data set '{name}'.{nearest(name, named)}")
    return tuple(Source(name, named[name], _digest(named[name])) for name in wanted or sorted(named))


def read_encoded(path: Path) -> Encoded:
    """Read a data set and return it in the paper encoding.

    Raises
    ------
    DataError
        The file is no table, or its last column is no class column.
    """
    frame = read_table(path).frame
    target = str(frame.columns[-1])
    if frame.shape[1] < 2:
        raise DataError(f"'{path.name}' has one column only: features come first, the class last.")
    labelled = frame[target].notna()
    frame = frame[labelled].reset_index(drop=True)
    texts = [class_text(label) for label in frame[target].tolist()]
    classes = tuple(sorted_texts(sorted(set(texts))))
    if len(classes) < 2:
        found = "one class only" if classes else "no class"
        raise DataError(f"The last column of '{path.name}', '{target}', has {found}: two are needed.")
    if len(classes) == len(texts):
        raise DataError(f"The last column of '{path.name}', '{target}', has a class for each row: put the class last.")
    position = {label: code for code, label in enumerate(classes)}
    labels = np.array([position[text] for text in texts], dtype=np.int64)
    encoded = paper_encoding(frame, target)
    encoded[target] = texts
    return Encoded(encoded, target, classes, labels, int((~labelled).sum()))


def fold_rows(labels: NDArray[np.int64], n_folds: int, seed: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return training and test rows of stratified folds.

    Parameters
    ----------
    labels : ndarray of int64
        Classes of the rows.
    n_folds, seed : int
        Number of folds, and seed of the shuffle.

    Raises
    ------
    DataError
        There are fewer rows of every class than folds.
    """
    # Only here, because scikit-learn takes 60 MB, which the measurement of a learner's memory would count.
    from sklearn.model_selection import StratifiedKFold  # type: ignore[import-untyped]  # scikit-learn ships no types

    folds = StratifiedKFold(n_splits=n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)  # rare classes are as they are
        try:
            return [(train.astype(np.int64), test.astype(np.int64)) for train, test in folds.split(labels, labels)]
        except ValueError as error:
            raise DataError(f"The rows cannot be split into {n_folds} folds: {error}") from error


def training_data(table: Encoded, rows: NDArray[np.int64]) -> DataSet:
    """Return the training rows in bins; their schema knows all classes of the table, present in the rows or not."""
    features = [str(name) for name in table.frame.columns if name != table.target]
    data = learning_data(table.frame.iloc[rows], table.target, features=features)
    schema = replace(data.schema, classes=table.classes)
    return replace(data, schema=schema, labels=table.labels[rows].astype(np.int16))


def held_out_data(table: Encoded, rows: NDArray[np.int64], training: DataSet) -> DataSet:
    """Return the test rows in the bins of the training rows."""
    return labelled_data(table.frame.iloc[rows], training.schema)


def feature_values(table: Encoded) -> NDArray[np.float64]:
    """Return the features as numbers, NaN where missing: what peers learn from."""
    return table.frame.drop(columns=table.target).to_numpy(dtype=np.float64, na_value=np.nan)


def _stem(path: Path) -> str:
    """Return a file name without its ending."""
    return next(path.name.removesuffix(ending) for ending in _ENDINGS if path.name.endswith(ending))


def _digest(path: Path) -> str:
    """Return the hash of a file, empty where it cannot be read: the run reports why when it gets there."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
