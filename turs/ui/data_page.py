"""The Data page: which table, what its columns are, the target, and the three parts of its rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from turs.ui import numbers, state
from turs.ui.columns import columns_data, distributions
from turs.ui.component import column_table
from turs.ui.places import go
from turs.ui.plan_panel import draw_notices, draw_shares, draw_split, draw_target, follow, use_plan
from turs.ui.saved_list import draw_saved
from turs.ui.study import Plan, Study, may_be_target
from turs.ui.table import download
from turs.ui.table_choice import draw_reading, draw_table_choice
from turs.ui.theme import legend, plain

_PREVIEW = 50


def draw_data() -> None:
    """Draw the page."""
    now = state.studio()
    with st.container():  # there also when empty: see the frame
        if now.reading is not None:
            draw_reading()
    if now.table is None or now.plan is None:
        st.html('<div class="t-hero">Which table?</div>')
        with st.container():
            draw_saved("Data")
        draw_table_choice()
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        n_rows, n_columns = now.table.frame.shape
        st.html(
            f'<div class="t-title">{escape(now.name)}<small>{numbers.rows(n_rows)}, {n_columns:,} columns</small></div>'
        )
        with st.popover("Another table", icon=":material/upload:", key="another"):
            draw_table_choice()
        if st.button("Go on: learn rules", type="primary", key="to-learn", disabled=now.study is None):
            go("Learn")
    if now.fault:
        _draw_fault(now.fault, now.plan, now.table.frame)
    left, right = st.columns((8, 5), gap="medium")
    with right:
        draw_target(now.plan, [str(name) for name in now.table.frame.columns])
        if now.study is not None:
            draw_split(now.study)
        draw_shares(now.plan)
        if now.study is not None:
            draw_notices(now.study)
    with left:
        if now.study is not None:
            st.html(legend(now.study.schema.classes))
            column_table(columns_data(now.study), "columns", _change_column)
            download(distributions(now.study), "columns.csv", "columns-csv", "Distributions as CSV")
        first, words = _first_rows(now.table.frame, now.study)
        with st.expander(f"First {len(first)} rows{words}", expanded=now.study is None):
            st.dataframe(first, hide_index=True, alt="The first rows of the table")


def _first_rows(frame: pd.DataFrame, study: Study | None) -> tuple[pd.DataFrame, str]:
    """Return the first rows of a table, and words where sealed ones are left out."""
    if study is None or not study.split.test.size:
        return frame.head(_PREVIEW), ""
    seen = np.sort(np.concatenate((study.split.training, study.split.validation)))
    return frame.iloc[seen[:_PREVIEW]], " outside the sealed test part"


def _draw_fault(fault: str, plan: Plan, frame: pd.DataFrame) -> None:
    """Draw why nothing can be learned from the table as it is, and the way on where there is one."""
    st.error(plain(fault))
    if (plan.validation or plan.test) and may_be_target(frame[plan.target]):
        whole = replace(plan, validation=0.0, test=0.0)
        st.button("Put no rows aside", key="whole", on_click=partial(follow, whole), help="Learn from all rows")


def _change_column(change: dict[str, Any]) -> None:
    """Take over what was decided about a column."""
    plan = state.studio().plan
    if plan is None:
        return
    name = change["name"]
    if "kind" in change:
        use_plan(replace(plan, kinds={**plan.kinds, name: change["kind"]}))
    elif change["used"]:
        view_kind = next(
            (part["kind"] for part in columns_data(state.study())["columns"] if part["name"] == name), "categorical"
        )
        ignored = tuple(other for other in plan.ignored if other != name)
        kinds = plan.kinds if name in plan.ignored else {**plan.kinds, name: view_kind}
        use_plan(replace(plan, ignored=ignored, kinds=kinds))
    else:
        use_plan(replace(plan, ignored=(*plan.ignored, name)))
