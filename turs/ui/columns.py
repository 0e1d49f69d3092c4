"""The columns of a table as the Data page shows them: kind, missing share, distribution by class, use.

Distributions are those of the training rows: the other parts are not looked at before rules are learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.data.columns import Column, LevelColumn, SourceColumn, converted, level_column
from turs.data.kinds import inferred, reason_to_leave_out
from turs.data.texts import match_texts
from turs.errors import TursError
from turs.rules.schema import Kind
from turs.ui import numbers
from turs.ui.study import Study
from turs.ui.theme import class_colours

_N_BARS = 16
_MOST_LEVELS = 12


@dataclass(frozen=True, eq=False)
class ColumnView:
    """One column of a table.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        Numeric, categorical or date.
    role : str
        `target`, `used`, `ignored` (by a person) or `left out` (by the engine).
    reason : str
        Why the engine leaves it out; empty otherwise.
    missing : float
        Share of the training rows without a value.
    n_distinct : int
        Distinct values in the training rows.
    bars : int64 [bars, classes]
        Training rows by value and class.
    values : tuple of str
        What each bar stands for.
    """

    name: str
    kind: str
    role: str
    reason: str
    missing: float
    n_distinct: int
    bars: NDArray[np.int64]
    values: tuple[str, ...]


_views: WeakKeyDictionary[Study, tuple[ColumnView, ...]] = WeakKeyDictionary()


def column_views(study: Study) -> tuple[ColumnView, ...]:
    """Return the columns of a study, looked at once."""
    if study not in _views:
        _views[study] = tuple(_view(study, position) for position in range(study.table.frame.shape[1]))
    return _views[study]


def columns_data(study: Study) -> dict[str, Any]:
    """Return what the table of columns shows: plain values for `browser/columns.js`."""
    return {
        "colours": class_colours(len(study.schema.classes)),
        "classes": [numbers.label(label) for label in study.schema.classes],
        "kinds": [str(kind) for kind in Kind],
        "columns": [
            {
                "name": view.name,
                "kind": view.kind,
                "role": view.role,
                "used": view.role == "used",
                "reason": view.reason,
                "missing": numbers.share(view.missing) if view.missing else numbers.NOTHING,
                "distinct": numbers.count(view.n_distinct),
                "bars": view.bars.tolist(),
            }
            for view in column_views(study)
        ],
    }


def distributions(study: Study) -> pd.DataFrame:
    """Return the small figures as a table: training rows by column, value and class."""
    parts = []
    for view in column_views(study):
        counts = pd.DataFrame(view.bars, columns=pd.Index([f"rows of {label}" for label in study.schema.classes]))
        counts.insert(0, "values", view.values)
        counts.insert(0, "column", view.name)
        parts.append(counts)
    return pd.concat(parts, ignore_index=True)


def class_codes(study: Study) -> NDArray[np.int64]:
    """Return the class of each row of the whole table; -1 where it has none."""
    column = level_column(SourceColumn(study.plan.target, study.table.frame[study.plan.target]))
    place = np.append(match_texts(column.levels, study.schema.classes), -1)
    return np.asarray(place[column.codes], dtype=np.int64)


def _view(study: Study, position: int) -> ColumnView:
    """Look at one column."""
    plan, data = study.plan, study.training.data
    kept = study.split.training[data.rows]
    series = study.table.frame.iloc[kept, position]
    name = str(study.table.frame.columns[position])
    source = SourceColumn(name, series, kept)
    labels, n_classes = data.labels, len(study.schema.classes)
    if name == plan.target:
        bars = np.diag(np.bincount(labels, minlength=n_classes)).astype(np.int64)
        return ColumnView(name, "class", "target", "", 0.0, n_classes, bars, study.schema.classes)
    reason = ""
    try:
        given = plan.kinds.get(name)
        column = converted(source, Kind(given)) if given else inferred(source)[0]
        reason = reason_to_leave_out(column, name, asked_for=given is not None) or ""
    except TursError as error:
        column, reason = level_column(source), str(error)
    role = "ignored" if name in plan.ignored else "left out" if reason else "used"
    codes, values, n_distinct = _codes(column)
    n_bars = len(values)
    known = codes >= 0
    counts = np.bincount(codes[known] * n_classes + labels[known], minlength=n_bars * n_classes)
    kind = str(Kind.CATEGORICAL if isinstance(column, LevelColumn) else column.kind)
    missing = 1.0 - float(known.mean()) if len(known) else 0.0
    return ColumnView(name, kind, role, reason, missing, n_distinct, counts.reshape(n_bars, n_classes), values)


def _codes(column: Column) -> tuple[NDArray[np.int64], tuple[str, ...], int]:
    """Return the bar of each value (-1 where missing), what the bars stand for, and the number of distinct values."""
    if isinstance(column, LevelColumn):
        sizes = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))
        shown = [column.levels[place] for place in np.argsort(-sizes, kind="stable")[:_MOST_LEVELS]]
        place = np.append(match_texts(column.levels, shown), -1)
        place[:-1][place[:-1] < 0] = len(shown) - 1  # rare levels are in the last bar
        if len(column.levels) > len(shown):
            shown[-1] += " and others"
        return place[column.codes].astype(np.int64), tuple(shown) or ("",), len(column.levels)
    values = column.values
    known = ~np.isnan(values)
    codes = np.full(len(values), -1, dtype=np.int64)
    if not known.any():
        return codes, ("",), 0
    low, high = np.quantile(values[known], (0.005, 0.995)).tolist()
    spread = (high - low) or 1.0
    codes[known] = np.clip((values[known] - low) / spread * _N_BARS, 0, _N_BARS - 1).astype(np.int64)
    starts = tuple(f"from {low + spread * bar / _N_BARS:g}" for bar in range(_N_BARS))
    return codes, starts, len(np.unique(values[known]))
