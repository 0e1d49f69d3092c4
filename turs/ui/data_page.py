"""The Data page: which table, what its columns are, the target, and the three parts of its rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from turs.data import read_table
from turs.page import class_colour
from turs.ui import numbers, state
from turs.ui.columns import class_codes, columns_data, distributions
from turs.ui.component import column_table
from turs.ui.noticed import notices
from turs.ui.places import go
from turs.ui.saved_list import draw_saved
from turs.ui.start_page import SAMPLE_TABLES, Sample, load_sample
from turs.ui.study import PARTS, Plan, Study
from turs.ui.table import download
from turs.ui.theme import legend, plain

_PREVIEW = 50
_PART_NAMES = {"training": "training: learning and bits", "validation": "validation: live AUC", "test": "test: sealed"}


def draw_data() -> None:
    """Draw the page."""
    now = state.studio()
    if now.table is None or now.plan is None:
        st.html('<div class="t-hero">Which table?</div>')
        draw_saved("Data")
        _draw_choice()
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        n_rows, n_columns = now.table.frame.shape
        st.html(
            f'<div class="t-title">{escape(now.name)}<small>{numbers.rows(n_rows)}, {n_columns:,} columns</small></div>'
        )
        with st.popover("Another table", icon=":material/upload:", key="another"):
            _draw_choice()
        if st.button("Go on: learn rules", type="primary", key="to-learn", disabled=now.study is None):
            go("Learn")
    if now.fault:
        _draw_fault(now.fault, now.plan)
    left, right = st.columns((8, 5), gap="medium")
    with right:
        _draw_target(now.plan, [str(name) for name in now.table.frame.columns])
        if now.study is not None:
            _draw_split(now.study)
        _draw_shares(now.plan)
        if now.study is not None:
            _draw_notices(now.study)
    with left:
        if now.study is not None:
            st.html(legend(now.study.schema.classes))
            column_table(columns_data(now.study), "columns", _change_column)
            download(distributions(now.study), "columns.csv", "columns-csv", "Distributions as CSV")
        with st.expander(f"First {min(_PREVIEW, n_rows)} rows", expanded=now.study is None):
            st.dataframe(now.table.frame.head(_PREVIEW), hide_index=True, alt="The first rows of the table")


def _draw_fault(fault: str, plan: Plan) -> None:
    """Draw why nothing can be learned from the table as it is, and the way on where there is one."""
    st.error(plain(fault))
    if plan.validation or plan.test:
        whole = replace(plan, validation=0.0, test=0.0)
        st.button("Put no rows aside", key="whole", on_click=partial(_follow, whole), help="Learn from all rows")


def _draw_choice() -> None:
    """Draw the samples and the place for a file."""
    st.file_uploader(
        "A table of your own: CSV, TSV, Excel (.xlsx) or Parquet, each also with .gz; up to 200 MB",
        key="file",
        on_change=_read_file,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html('<div class="t-line">or a sample:</div>', width="content")
        for sample in SAMPLE_TABLES:
            st.button(sample.name, key=f"use-{sample.file}", help=sample.about, on_click=partial(_use_sample, sample))


@state.guarded
def _read_file() -> None:
    """Read the file that was given."""
    file = state.value_of("file")
    if file is not None:
        state.use_table(file.name, read_table(file, name=file.name))


@state.guarded
def _use_sample(sample: Sample) -> None:
    """Read a sample."""
    load_sample(sample)


def _draw_target(plan: Plan, columns: list[str]) -> None:
    """Draw which column is predicted."""
    place = columns.index(plan.target)
    st.selectbox(
        "Target: the column to predict",
        columns,
        index=place,
        key=f"target-{place}",
        on_change=partial(_change_plan, "target", f"target-{place}"),
    )


def _draw_split(study: Study) -> None:
    """Draw the three parts as a bar."""
    n_rows = len(study.table.frame)
    codes = class_codes(study)
    pieces = []
    for part in PARTS:
        rows = getattr(study.split, part)
        if rows.size:
            pieces.append(_part_markup(part, codes[rows], rows.size / n_rows, len(study.schema.classes)))
    st.html(f'<div class="t-split" role="img" aria-label="Parts of the rows">{"".join(pieces)}</div>')


def _draw_shares(plan: Plan) -> None:
    """Draw what divides the rows."""
    left, middle, right = st.columns(3)
    for column, name, label in ((left, "validation", "Validation"), (middle, "test", "Test")):
        percent = round(100 * getattr(plan, name))
        key = f"share-{name}-{percent}"  # made of the value: a proposal that changes it shows
        column.number_input(
            f"{label} %",
            min_value=0,
            max_value=60,
            value=percent,
            step=5,
            key=key,
            on_change=partial(_change_plan, name, key),
        )
    right.number_input(
        "Seed",
        min_value=0,
        value=plan.seed,
        key=f"seed-{plan.seed}",
        help="Another seed divides the rows in another way; classes stay in proportion",
        on_change=partial(_change_plan, "seed", f"seed-{plan.seed}"),
    )


def _part_markup(part: str, codes: Any, share: float, n_classes: int) -> str:
    """Return one part of the bar, with its classes in proportion."""
    counts = np.bincount(codes[codes >= 0], minlength=n_classes)
    bars = "".join(
        f'<div style="flex-grow:{count};background:{class_colour(index, n_classes)}"></div>'
        for index, count in enumerate(counts.tolist())
        if count
    )
    name, use = _PART_NAMES[part].split(": ")
    return (
        f'<div style="flex-grow:{share:.4f}"><div class="classes">{bars}</div><b>{name}</b> {share:.0%}<br>{use}<br>'
        f"{numbers.rows(codes.size)}</div>"
    )


def _draw_notices(study: Study) -> None:
    """Draw what was noticed, with the buttons of the proposals."""
    found = notices(study)
    st.html(f'<div class="t-title">Noticed<small>{len(found) or "nothing odd about this table"}</small></div>')
    with st.container(key="notices", height=320 if len(found) > 4 else "content", border=False):
        for number, notice in enumerate(found):
            text, button = st.columns((5, 3), vertical_alignment="center")
            text.html(f'<div class="t-line">{escape(notice.text)}</div>')
            if notice.plan is not None:
                follow = partial(_follow, notice.plan)
                button.button(notice.proposal, key=f"notice-{number}", on_click=follow, width="stretch")


@state.guarded
def _follow(plan: Plan) -> None:
    """Take over a proposal."""
    state.use_plan(plan)


@state.guarded
def _change_plan(name: str, key: str) -> None:
    """Take over the value of a field."""
    plan, value = state.studio().plan, state.value_of(key)
    if plan is not None and value is not None:
        given = value / 100 if name in ("validation", "test") else value
        state.use_plan(replace(plan, **{name: given}))


def _change_column(change: dict[str, Any]) -> None:
    """Take over what was decided about a column."""
    plan = state.studio().plan
    if plan is None:
        return
    name = change["name"]
    if "kind" in change:
        state.use_plan(replace(plan, kinds={**plan.kinds, name: change["kind"]}))
    elif change["used"]:
        view_kind = next(
            (part["kind"] for part in columns_data(state.study())["columns"] if part["name"] == name), "categorical"
        )
        ignored = tuple(other for other in plan.ignored if other != name)
        kinds = plan.kinds if name in plan.ignored else {**plan.kinds, name: view_kind}
        state.use_plan(replace(plan, ignored=ignored, kinds=kinds))
    else:
        state.use_plan(replace(plan, ignored=(*plan.ignored, name)))
