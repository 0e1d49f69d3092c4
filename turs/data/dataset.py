"""The read-only data set that learning and scoring work on, and the bins of new rows for prediction.

`learning_data` builds the schema from a frame; `labelled_data` and `unlabelled_bins` put new rows into the bins of an
existing schema. Columns are converted and binned one at a time: beside the frame there are one byte a cell and the
temporaries of a single column.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.data.binning import bin_levels, bin_numeric, candidate_cuts
from turs.data.columns import Column, LevelColumn, SourceColumn, converted, level_column
from turs.data.kinds import inferred, kept_levels, reason_to_leave_out
from turs.data.names import listed, position_of, shortened, unique_names
from turs.data.texts import match_texts, sorted_texts
from turs.errors import DataError, NoFeatureError, SettingsError, nearest
from turs.rules.schema import MAX_BINS, MAX_CLASSES, Feature, Kind, Schema

DEFAULT_CUTS = 20
"""Candidate cuts of a numeric feature, unless the caller says otherwise."""

_DAY_SECONDS = 86_400.0


@dataclass(frozen=True)
class DataSet:
    """Rows in bins with their classes; the arrays cannot be written to.

    Parameters
    ----------
    schema : Schema
        What bins and classes mean.
    bins : ndarray of uint8, shape (n_features, n_rows)
        Bin of every value, C order: one contiguous row a feature.
    labels : ndarray of int16, shape (n_rows,)
        Position of the row's class in `schema.classes`.
    notes : tuple of str
        What was decided on the way, for the user to check.
    kept : ndarray of int64, shape (n_rows,), or None
        Positions of the rows in the frame they came from; None where it is all of its rows, as it mostly is: the
        numbers would take almost half as much memory as the bins of 20 features.
    """

    schema: Schema
    bins: NDArray[np.uint8]
    labels: NDArray[np.int16]
    notes: tuple[str, ...]
    kept: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for array in (self.bins, self.labels, self.kept):
            if array is not None:
                array.flags.writeable = False

    @property
    def rows(self) -> NDArray[np.int64]:
        """Positions of the rows in the frame they came from."""
        if self.kept is not None:
            return self.kept
        positions = np.arange(self.n_rows)
        positions.flags.writeable = False
        return positions

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.labels.size)


def learning_data(
    frame: pd.DataFrame,
    target: str,
    *,
    kinds: Mapping[str, str] | None = None,
    features: Collection[str] | None = None,
    n_cuts: int = DEFAULT_CUTS,
    notes: tuple[str, ...] = (),
) -> DataSet:
    """Build the schema of a table and put its rows into bins.

    Parameters
    ----------
    frame : DataFrame
        The table, class column included.
    target : str
        Name of the class column. Rows without a label are left out, with a note.
    kinds : mapping of str to str, optional
        Columns whose kind (`numeric`, `categorical` or `date`) is not to be inferred.
    features : collection of str, optional
        The columns to use; otherwise all but the target, without identifiers.
    n_cuts : int
        Most candidate cuts of a numeric or date feature.
    notes : tuple of str
        Notes of the reader, to be kept with the data.

    Raises
    ------
    DataError
        Where the table cannot be learned from.
    SettingsError
        Where an option is at fault.
    """
    names, name_notes = unique_names(frame.columns)
    notes += name_notes
    if not 1 <= n_cuts < MAX_BINS:
        raise SettingsError(f"n_cuts is {n_cuts}: give a number from 1 to {MAX_BINS - 1}.")
    if frame.shape[0] == 0:
        raise DataError("The table has no rows: give a table with rows below its header.")
    target_position = position_of(target, names, "target column")
    wanted = _wanted(names, target, features)
    forced = _forced_kinds(kinds or {}, names)
    label_column, rows, label_notes = _labels(frame.iloc[:, target_position], target)
    n_rows = label_column.codes.size
    classes = _checked_classes(label_column, target, n_rows)
    notes += label_notes + _class_note(target, len(classes), n_rows)
    labels = match_texts(label_column.levels, classes).astype(np.int16)[label_column.codes]
    del label_column  # as long as the labels: not beside the bins
    sources = (_source(frame, names, position, rows) for position in wanted)
    named = set(forced) | set(features or ())
    learned, bins, feature_notes = _learn_features(sources, (len(wanted), n_rows), forced, named, n_cuts)
    return DataSet(Schema(target, classes, learned), bins, labels, notes + feature_notes, rows)


def labelled_data(
    frame: pd.DataFrame, schema: Schema, *, needed: Collection[str] | None = None, notes: tuple[str, ...] = ()
) -> DataSet:
    """Put labelled rows into the bins of an existing schema.

    Parameters
    ----------
    frame : DataFrame
        The table, class column included. Rows without a label are left out, with a note.
    schema : Schema
        From learning.
    needed : collection of str, optional
        The features that have to be present, otherwise all; the others count as missing.
    notes : tuple of str
        Notes of the reader, to be kept with the data.

    Raises
    ------
    DataError
        Where a column or a class label does not fit the schema.
    """
    names, name_notes = unique_names(frame.columns)
    if frame.shape[0] == 0:
        raise DataError("The table has no rows: give a table with rows below its header.")
    position = position_of(schema.target, names, "target column")
    column, rows, label_notes = _labels(frame.iloc[:, position], schema.target)
    found = match_texts(column.levels, schema.classes)
    unknown = [level for level, index in zip(column.levels, found, strict=True) if index < 0]
    if unknown:
        raise DataError(
            f"Column '{schema.target}' has class labels that the model does not know: {listed(sorted_texts(unknown))}."
            f" Its classes: {listed(schema.classes)}."
        )
    bins = _bins_under_schema(frame, names, schema, needed, rows)
    labels = found.astype(np.int16)[column.codes]
    return DataSet(schema, bins, labels, notes + name_notes + label_notes, rows)


def unlabelled_bins(frame: pd.DataFrame, schema: Schema, needed: Collection[str] | None = None) -> NDArray[np.uint8]:
    """Return the bins of rows to predict for, one contiguous row a feature.

    Parameters
    ----------
    frame : DataFrame
        The rows; a target column is not needed.
    schema : Schema
        From learning.
    needed : collection of str, optional
        The features that have to be present, otherwise all; the others count as missing.

    Raises
    ------
    DataError
        Where a needed column is not there, or a value cannot be converted.
    """
    names, _ = unique_names(frame.columns)
    bins = _bins_under_schema(frame, names, schema, needed, None)
    bins.flags.writeable = False
    return bins


def feature_values(frame: pd.DataFrame, feature: Feature, kept: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Return the numbers of a numeric or date feature at some rows of a table; NaN where missing.

    Parameters
    ----------
    frame : DataFrame
        The table that the rows come from.
    feature : Feature
        One of the schema under which the table was put into bins.
    kept : ndarray of int64, or None
        Positions of the rows; None for all (`DataSet.kept`).
    """
    names, _ = unique_names(frame.columns)
    source = _source(frame, names, position_of(feature.name, names, "feature column"), kept)
    column = converted(source, feature.kind)
    assert not isinstance(column, LevelColumn)  # a categorical feature has no numbers
    return column.values


def _source(frame: pd.DataFrame, names: tuple[str, ...], position: int, rows: NDArray[np.int64] | None) -> SourceColumn:
    """Return one column, restricted to `rows` where some were left out."""
    series = frame.iloc[:, position]
    if rows is None:
        return SourceColumn(names[position], series)
    return SourceColumn(names[position], series.iloc[rows], rows)


def _wanted(names: tuple[str, ...], target: str, features: Collection[str] | None) -> list[int]:
    """Return the positions of the columns that may become features, in the order of the table."""
    if features is None:
        return [position for position, name in enumerate(names) if name != target]
    if target in features:
        raise SettingsError(f"'{target}' is the target and cannot be a feature too: take it out of the features.")
    return sorted({position_of(name, names, "feature column") for name in features})


def _forced_kinds(kinds: Mapping[str, str], names: tuple[str, ...]) -> dict[str, Kind]:
    """Check and return the kinds that the caller gave."""
    forced: dict[str, Kind] = {}
    known = [kind.value for kind in Kind]
    for name, kind in kinds.items():
        position_of(name, names)
        wanted = str(kind).strip().casefold()
        if wanted not in known:
            raise SettingsError(
                f"'{kind}' is no kind for column '{shortened(name)}': use {', '.join(known)}.{nearest(kind, known)}"
            )
        forced[name] = Kind(wanted)
    return forced


def _labels(series: pd.Series, target: str) -> tuple[LevelColumn, NDArray[np.int64] | None, tuple[str, ...]]:
    """Return the known labels, the rows that have one (None: all), and a note on the rows that have none."""
    column = level_column(SourceColumn(target, series))
    missing = int((column.codes < 0).sum())
    if missing == column.codes.size:
        raise DataError(f"Target column '{target}' has no known label: name another column.")
    if missing == 0:
        return column, None, ()
    rows = np.flatnonzero(column.codes >= 0)
    known = LevelColumn(column.codes[rows], column.levels)
    rows_text = "1 row was" if missing == 1 else f"{missing:,} rows were"
    return known, rows, (f"{rows_text} left out: no label in '{target}'.",)


def _checked_classes(column: LevelColumn, target: str, n_rows: int) -> tuple[str, ...]:
    """Return the classes in order, or raise where there is nothing to tell apart."""
    classes = tuple(sorted_texts(column.levels))
    if len(classes) == 1:
        raise DataError(
            f"Target column '{target}' has one class only ('{shortened(classes[0])}'): at least two are needed."
        )
    if len(classes) == n_rows:
        raise DataError(
            f"Target column '{target}' has as many classes as rows ({n_rows:,}): is it an identifier, or a number to be"
            f" predicted? Name a column with few classes."
        )
    if len(classes) > MAX_CLASSES:
        raise DataError(
            f"Target column '{target}' has {len(classes):,} classes, at most {MAX_CLASSES:,} can be told apart: is it a"
            f" number to be predicted? Name a column with few classes."
        )
    return classes


def _class_note(target: str, n_classes: int, n_rows: int) -> tuple[str, ...]:
    """Return a note where the target has surprisingly many classes."""
    if n_classes <= max(50, n_rows // 10):
        return ()
    return (f"Target column '{target}' has {n_classes:,} classes in {n_rows:,} rows: is it a number to be predicted?",)


def _learn_features(
    sources: Iterator[SourceColumn], shape: tuple[int, int], forced: Mapping[str, Kind], named: set[str], n_cuts: int
) -> tuple[tuple[Feature, ...], NDArray[np.uint8], tuple[str, ...]]:
    """Return the features of a table, their bins, and notes on kinds and on columns left out."""
    bins = np.empty(shape, dtype=np.uint8)
    features: list[Feature] = []
    notes: list[str] = []
    left_out: dict[str, list[str]] = {}
    for source in sources:
        column, note = (converted(source, forced[source.name]), None) if source.name in forced else inferred(source)
        reason = reason_to_leave_out(column, source.name, asked_for=source.name in named)
        if reason is not None:
            left_out.setdefault(reason, []).append(source.name)
            continue
        feature = _learned_feature(source.name, column, n_cuts)
        bins[len(features)] = _bins_of(column, feature)
        features.append(feature)
        notes += [note] if note else []
        if isinstance(column, LevelColumn) and len(column.levels) > feature.n_bins:
            notes.append(
                f"'{shortened(source.name)}' has {len(column.levels):,} levels; the {feature.n_bins} most frequent are"
                f" used, the rest is 'other'."
            )
    reasons = [f"Left out {listed(names)}: {reason}." for reason, names in left_out.items()]
    if not features:
        raise NoFeatureError(" ".join(["There is no usable feature column.", *reasons]))
    return tuple(features), bins[: len(features)], tuple(notes + reasons)


def _learned_feature(name: str, column: Column, n_cuts: int) -> Feature:
    """Return the feature that a training column becomes."""
    if isinstance(column, LevelColumn):
        return Feature(name, Kind.CATEGORICAL, levels=kept_levels(column), has_missing=bool((column.codes < 0).any()))
    missing = np.isnan(column.values)
    has_missing = bool(missing.any())
    known = column.values[~missing] if has_missing else column.values
    cuts = candidate_cuts(known, n_cuts)
    if column.kind is Kind.DATE and not (known % _DAY_SECONDS).any():
        cuts = tuple(-(-cut // _DAY_SECONDS) * _DAY_SECONDS for cut in cuts)  # the same rows: 26 May, not 25 May 12:00
    return Feature(name, column.kind, cuts=cuts, has_missing=has_missing)


def _bins_of(column: Column, feature: Feature) -> NDArray[np.uint8]:
    """Return the bins of a converted column under `feature`."""
    if isinstance(column, LevelColumn):
        found = match_texts(column.levels, feature.levels)
        return bin_levels(column.codes, np.where(found < 0, feature.other_bin, found), feature.missing_bin)
    return bin_numeric(column.values, feature.cuts, feature.missing_bin)


def _bins_under_schema(
    frame: pd.DataFrame,
    names: tuple[str, ...],
    schema: Schema,
    needed: Collection[str] | None,
    rows: NDArray[np.int64] | None,
) -> NDArray[np.uint8]:
    """Return the bins of the needed features; the others are all missing."""
    n_rows = len(frame) if rows is None else rows.size
    bins = np.empty((len(schema.features), n_rows), dtype=np.uint8)
    for index, feature in enumerate(schema.features):
        if needed is not None and feature.name not in needed:
            bins[index] = feature.missing_bin
            continue
        source = _source(frame, names, position_of(feature.name, names, "feature column"), rows)
        bins[index] = _bins_of(converted(source, feature.kind), feature)
    return bins
