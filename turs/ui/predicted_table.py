"""Predictions for a table: its columns untouched, then the class, the probabilities and the rules that fired."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig
from streamlit.runtime.uploaded_file_manager import UploadedFile

from turs.data.columns import LevelColumn, SourceColumn, converted
from turs.data.dataset import feature_values, unlabelled_bins
from turs.data.names import listed, unique_names
from turs.data.reading import read_cells, read_table
from turs.errors import TursError
from turs.predict import predict, predicted_columns, used_features
from turs.rules.model import Model
from turs.rules.schema import Feature
from turs.ui import numbers, state
from turs.ui.chips import Bar, bars_markup
from turs.ui.opened import OpenModel
from turs.ui.table import DIGITS, csv_of
from turs.ui.theme import plain

_ENDINGS = ["csv", "tsv", "txt", "xlsx", "parquet", "gz"]
_MOST_ROWS = 200


def predicted_table(model: Model, content: bytes, name: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a table with predictions beside it, and notes on what was decided.

    Raises
    ------
    DataError
        Where the file cannot be read or lacks a column that a rule uses.
    """
    schema, used = model.rule_set.schema, used_features(model)
    levels = [feature.name for feature in schema.features if feature.is_categorical]
    table = read_table(BytesIO(content), name=name, text=levels)
    prediction = predict(model, unlabelled_bins(table.frame, schema, used))
    columns = predicted_columns(model, prediction)
    names, _ = unique_names([*table.frame.columns, *columns])
    renamed = [new for old, new in zip(columns, names[-len(columns) :], strict=True) if old != new]
    said = (f"The table has such columns already; predictions are in {listed(renamed)}.",) if renamed else ()
    found = pd.concat([read_cells(BytesIO(content), name=name), pd.DataFrame(columns)], axis="columns")
    found.columns = pd.Index(names)
    return found, (*table.notes, *said, *_unknown_words(table.frame, model))


def _unknown_words(frame: pd.DataFrame, model: Model) -> list[str]:
    """Return of each column that a rule uses how many of its cells are missing or hold a level nobody learned from."""
    schema, words = model.rule_set.schema, []
    for feature in (schema.feature(name) for name in sorted(used_features(model), key=schema.index)):
        n_missing, new = _unknown(frame, feature)
        parts = [numbers.rows(n_missing) + " without a value"] if n_missing else []
        if len(new):
            levels = listed(list(dict.fromkeys(new)))
            parts.append(f"{numbers.rows(len(new))} with a level that learning did not meet ({levels})")
        if parts:
            words.append(f"Column '{feature.name}': {numbers.both(parts)}; a rule covers them only where it says so.")
    return words


def _unknown(frame: pd.DataFrame, feature: Feature) -> tuple[int, list[str]]:
    """Return how many cells of a column are missing, and the levels of the others that are not known."""
    if not feature.is_categorical:
        return int(np.isnan(feature_values(frame, feature, None)).sum()), []
    column = converted(SourceColumn(feature.name, frame[feature.name]), feature.kind)
    assert isinstance(column, LevelColumn)  # that is what a categorical column becomes
    known = set(feature.levels)
    codes = column.codes[column.codes >= 0]
    new = [column.levels[code] for code in codes.tolist() if column.levels[code] not in known]
    return int((column.codes < 0).sum()), new


def draw_table(opened: OpenModel, model: Model) -> None:
    """Draw the field for a file, and what the rules say of its rows."""
    used = sorted(used_features(model), key=model.rule_set.schema.index)
    st.html(
        '<div class="t-line">The table needs the columns that rules use; a class column is not needed. Nothing of it '
        "is stored.</div>"
    )
    st.caption(plain(f"Needed: {', '.join(used)}") if used else "No column is needed: there are no rules.")
    file = st.file_uploader("Table to predict (up to 200 MB)", type=_ENDINGS, key="predict-file")
    if file is None:
        state.choose("predicted", None)
        return
    try:
        found, notes = _predicted(model, file, (opened.id, opened.number, file.file_id))
    except TursError as error:
        st.error(plain(str(error)))
        return
    classes = model.rule_set.schema.classes
    n, added = len(found), len(classes) + 2
    best, fired = found.iloc[:, -added], found.iloc[:, -1]
    counts = [int((best == label).sum()) for label in classes]
    words = " · ".join(f"{numbers.label(label)}: {count:,}" for label, count in zip(classes, counts, strict=True))
    uncovered = f"{int((fired == '').sum()):,} of them covered by no rule"
    st.html(
        f'<div class="t-title">{numbers.rows(n)}<small>{uncovered}</small></div>'
        + bars_markup([Bar("predicted", [count / max(n, 1) for count in counts], words, strong=True)], classes)
    )
    for note in notes:
        st.caption(plain(note))
    rows = shown_rows(found, added)
    st.dataframe(rows, height=320, alt="Predictions", column_config=drawn_columns(rows, added))
    if n > _MOST_ROWS:
        st.html(f'<div class="t-line">The first {_MOST_ROWS} of {n:,} rows; the file holds all.</div>')
    st.download_button(
        "Download the predictions",
        lambda: csv_of(found),
        "predictions.csv",
        "text/csv",
        icon=":material/download:",
        type="primary",
        on_click="ignore",
        key="predictions-csv",
    )


def shown_rows(found: pd.DataFrame, added: int) -> pd.DataFrame:
    """Return the first rows as the page shows them: numbered, what is said of them first, `else` where no rule fired.

    Parameters
    ----------
    found : DataFrame
        The table with the predictions beside it, as it is downloaded.
    added : int
        Number of columns of the predictions, the rules last.
    """
    names = list(found.columns)
    rows = found[[*names[-added:], *names[:-added]]].head(_MOST_ROWS)
    rows = rows.assign(**{names[-1]: rows[names[-1]].replace("", "else")})
    return rows.set_axis(pd.RangeIndex(1, len(rows) + 1, name="row"))


def drawn_columns(rows: pd.DataFrame, added: int) -> dict[str, ColumnConfig]:
    """Return how columns are drawn: probabilities with as many digits, cells with numbers at the right."""
    shares = {name: st.column_config.NumberColumn(format=f"%.{DIGITS}f") for name in rows.columns[1 : added - 1]}
    own = (name for name in rows.columns[added:] if _holds_numbers(rows[name]))
    return shares | {name: st.column_config.Column(alignment="right") for name in own}


def _holds_numbers(cells: pd.Series) -> bool:
    """Return whether all cells that are not empty are numbers; cells of a text file are text."""
    known = cells[cells.notna() & (cells.astype(str).str.strip() != "")]
    return bool(len(known)) and bool(pd.to_numeric(known, errors="coerce").notna().all())


def _predicted(model: Model, file: UploadedFile, which: tuple[str, int, str]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the predictions for a file and their notes; only the last are kept, files may be large."""
    kept: tuple[object, pd.DataFrame, tuple[str, ...]] | None = state.chosen("predicted")
    if kept is None or kept[0] != which:
        state.choose("predicted", None)
        kept = (which, *predicted_table(model, file.getvalue(), file.name))
        state.choose("predicted", kept)
    return kept[1:]
