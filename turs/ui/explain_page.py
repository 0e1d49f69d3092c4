"""The Explain page: which rules answer for a row, what each says, and which borders are near."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from turs.predict import used_features
from turs.rules.model import Model
from turs.ui import state
from turs.ui.answer_panel import draw_answer
from turs.ui.border_panel import draw_near
from turs.ui.explained import Explanation, Value, explain, quantiles_of, values_of
from turs.ui.guard import fragment
from turs.ui.opened import OpenModel
from turs.ui.predicted_table import draw_table
from turs.ui.row_choice import ChosenRow, draw_choice, row_at
from turs.ui.row_form import draw_form

ROW, TYPED, TABLE = "A row of the table", "Type a row", "A whole table"

_OUTDATED = "A field cannot be read, so there is no answer yet: what is grey below is the answer from before."


def draw_explain(model: OpenModel) -> None:
    """Draw the page."""
    _draw_body(model)


@fragment
def _draw_body(model: OpenModel) -> None:
    """Draw the way to a row, and the row under the rules."""
    what = st.segmented_control(
        "What to explain",
        [ROW, TYPED, TABLE],
        default=state.remembered("explain-what", ROW),
        key="explain-what",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: state.remember("explain-what"),
    )
    engine = model.kept(("model", model.number), model.session.model)
    if what == TABLE:
        draw_table(model, engine)
        return
    if what == ROW:
        row = draw_choice(model)
        if row is None:
            return
        state.choose("explained-row", row.number)
        values = values_of(model.study.table.frame, row.number - 1, engine)
        _draw_explanation(model, engine, explain(engine, values, _grid(model, engine)), row)
        return
    start = row_at(model, int(state.chosen("explained-row") or model.study.split.training[0] + 1))
    number = start.number if start is not None else int(model.study.split.training[0]) + 1
    st.html(f'<div class="t-line">The fields begin with row {number:,} of the table: change what you like.</div>')
    filled = values_of(model.study.table.frame, number - 1, engine)
    typed = draw_form(engine.rule_set.schema, used_features(engine), filled, str(number))
    if typed is None:
        st.html(f'<div class="t-draft" role="status">{_OUTDATED}</div>')
    answered = _typed_before(model, filled) if typed is None else typed
    state.choose("typed-row", (model.id, answered))
    with st.container(key="outdated" if typed is None else "answered"):
        _draw_explanation(model, engine, explain(engine, answered, _grid(model, engine)), None)


def _typed_before(model: OpenModel, filled: dict[str, Value]) -> dict[str, Value]:
    """Return the last row that could be read; that which the fields began with where there is none."""
    kept: tuple[str, dict[str, Value]] | None = state.chosen("typed-row")
    return kept[1] if kept is not None and kept[0] == model.id else filled


def _grid(model: OpenModel, engine: Model) -> dict[str, NDArray[np.float64]]:
    """Return quantiles of the training values of the features that rules use, made once."""
    used = frozenset(used_features(engine))
    return model.kept(("quantiles", used), lambda: quantiles_of(model.study.training, used))


def _draw_explanation(model: OpenModel, engine: Model, found: Explanation, row: ChosenRow | None) -> None:
    """Draw the estimate with the rules that fire, beside the borders that are near."""
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, key="answer"):
        draw_answer(model, engine, found, row)
    with right, st.container(border=True, key="near"):
        draw_near(model, engine, found)
