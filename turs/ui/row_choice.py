"""Choosing a row to explain: by its number in the table, or among the rows that deserve a look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from turs.evaluate.forecast import Forecast
from turs.ui.opened import OpenModel
from turs.ui.overlap_view import forecast_on
from turs.ui.row_table import partition_on, row_numbers
from turs.ui.stability_view import flips_of

BY_NUMBER = "by its number in the table"


@dataclass(frozen=True)
class ChosenRow:
    """A row of the table: its number from 1, the part it belongs to, and its class."""

    number: int
    part: str
    label: str


def _wrong(forecast: Forecast, patterns: NDArray[np.uint32], labels: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return the rows whose predicted class is not their own."""
    return np.asarray(forecast.probabilities.argmax(axis=1)[patterns] != labels)


WAYS: dict[str, Callable[[Forecast, NDArray[np.uint32], NDArray[np.int16]], NDArray[np.bool_]]] = {
    "predicted wrongly": _wrong,
    "covered by several rules": lambda forecast, patterns, labels: forecast.sizes[patterns] > 1,
    "covered by no rule": lambda forecast, patterns, labels: forecast.sizes[patterns] == 0,
    "rules predict different classes": lambda forecast, patterns, labels: flips_of(forecast)[patterns],
}
"""Rows that deserve a look, by name."""


def rows_that(model: OpenModel, way: str) -> NDArray[np.int64]:
    """Return the numbers of training and validation rows that deserve a look, ascending."""
    return model.kept(("rows-that", model.number, way), lambda: _rows_that(model, way))


def row_at(model: OpenModel, number: int) -> ChosenRow | None:
    """Return a row by its number; None where it is sealed, has no class, or is not there."""
    for part in ("training", "validation"):
        partition = partition_on(model.session.state, part)
        if partition is None:
            continue
        places = np.flatnonzero(row_numbers(model.study, part) == number)
        if places.size:
            label = int(partition.rows.data.labels[places[0]])
            return ChosenRow(number, part, model.study.schema.classes[label])
    return None


def draw_choice(model: OpenModel) -> ChosenRow | None:
    """Draw the fields that choose a row, and return it."""
    n_rows = len(model.study.table.frame)
    with st.container(horizontal=True, vertical_alignment="bottom", key="row-choice"):
        way = st.selectbox("Choose a row", [BY_NUMBER, *WAYS], key="row-way", width=290, persist_state="session")
        if way == BY_NUMBER:
            first = int(model.study.split.training[0]) + 1
            number = int(st.number_input(f"Row (1 to {n_rows:,})", 1, n_rows, first, key="row-number", width=170))
        else:
            found = rows_that(model, way)
            if not found.size:
                st.html('<div class="t-line">No training or validation row is like that.</div>')
                return None
            place = int(st.number_input(f"Which of {found.size:,}", 1, found.size, 1, key=f"row-{way}", width=170))
            number = int(found[min(place, found.size) - 1])
    row = row_at(model, number)
    if row is None:
        _draw_sealed(model, number)
    return row


def _draw_sealed(model: OpenModel, number: int) -> None:
    """Say why a row cannot be explained."""
    sealed = number - 1 in set(model.study.split.test.tolist())
    why = "is in the sealed test part, which stays closed here" if sealed else "has no class, so it is in no part"
    st.html(f'<div class="t-line">Row {number:,} {why}. Choose another one.</div>')


def _rows_that(model: OpenModel, way: str) -> NDArray[np.int64]:
    """Look for rows in the training and the validation part."""
    found = [np.zeros(0, dtype=np.int64)]
    for part in ("training", "validation"):
        partition, forecast = partition_on(model.session.state, part), forecast_on(model, part)
        if partition is not None and forecast is not None:
            is_wanted = WAYS[way](forecast, partition.row_pattern, partition.rows.data.labels)
            found.append(row_numbers(model.study, part)[is_wanted])
    return np.sort(np.concatenate(found))
