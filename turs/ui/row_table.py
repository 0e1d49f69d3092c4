"""Rows of a study as a table: where each row stands in the file, what the page says of it, then its own values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from turs.editing import Rows, State
from turs.editing.partition import Partition
from turs.ui.study import Study
from turs.ui.table import DIGITS, download

_MOST_ROWS = 200


def partition_on(state: State, part: str) -> Partition | None:
    """Return the rows of a part by pattern; None where there are none."""
    return state.training if part == "training" else state.validation


def rows_on(study: Study, part: str) -> Rows | None:
    """Return the rows of a part; None where there are none."""
    return study.training if part == "training" else study.validation


def row_numbers(study: Study, part: str) -> NDArray[np.int64]:
    """Return where the rows of a part stand in the table, from 1."""
    rows = rows_on(study, part)
    if rows is None:
        return np.zeros(0, dtype=np.int64)
    positions: NDArray[np.int64] = getattr(study.split, part)
    return positions[rows.data.rows] + 1


def row_table(
    study: Study,
    part: str,
    places: NDArray[np.int64],
    columns: Mapping[str, Sequence[object] | NDArray[np.float64]],
    first: Sequence[str] = (),
) -> pd.DataFrame:
    """Return rows of a part as a table.

    Parameters
    ----------
    study : Study
        Holds the rows.
    part : str
        Training or validation.
    places : int64
        Which rows, as positions among the rows of the part.
    columns : mapping
        What is said of each of them.
    first : sequence of str
        Columns of the table that come before the others.
    """
    numbers = row_numbers(study, part)[places]
    frame = study.table.frame.iloc[numbers - 1].reset_index(drop=True)
    ahead = [name for name in (study.plan.target, *first) if name in frame.columns]
    frame = frame[[*dict.fromkeys(ahead), *(name for name in frame.columns if name not in ahead)]]
    said = pd.DataFrame({"row": numbers, **columns})
    clash = {name: f"{name} (table)" for name in frame.columns if name in said.columns}
    return pd.concat([said, frame.rename(columns=clash)], axis="columns")


def rule_texts(partition: Partition, places: NDArray[np.int64]) -> list[str]:
    """Return the rules that cover each of these rows, separated by spaces; `else` where none does."""
    ids = np.array([rule.id for rule in partition.rule_set.rules], dtype=object)
    texts = [" ".join(ids[line]) or "else" for line in partition.patterns.members]
    return [texts[pattern] for pattern in partition.row_pattern[places].tolist()]


def draw_rows(
    frame: pd.DataFrame, name: str, key: str, alt: str, *, shares: Sequence[str] = (), order: str = ""
) -> None:
    """Draw rows, and offer all of them as a file.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    name, key, alt : str
        Of the file, of the widgets, and for those who hear the page.
    shares : sequence of str
        Columns with probabilities: all of them have as many digits.
    order : str
        In words, how the rows are sorted.
    """
    if order:
        st.html(f'<div class="t-line">{escape(order)}</div>')
    digits = {column: st.column_config.NumberColumn(format=f"%.{DIGITS}f") for column in shares}
    st.dataframe(frame.head(_MOST_ROWS), hide_index=True, height=260, alt=alt, key=key, column_config=digits)
    if len(frame) > _MOST_ROWS:
        st.html(f'<div class="t-line">The first {_MOST_ROWS} of {len(frame):,} rows; the file holds all.</div>')
    download(frame, name, f"{key}-csv", "Rows as CSV", digits=None)
