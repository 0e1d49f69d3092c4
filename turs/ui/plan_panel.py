"""What is decided about a table: its target, the three parts of its rows, and proposals for what was noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from turs.page import class_paint
from turs.ui import numbers, state
from turs.ui.busy import busy_with_rows
from turs.ui.columns import class_codes
from turs.ui.noticed import notices
from turs.ui.study import PARTS, Plan, Study

_PART_NAMES = {"training": "training: learning and bits", "validation": "validation: live AUC", "test": "test: sealed"}


def draw_target(plan: Plan, columns: list[str]) -> None:
    """Draw which column is predicted."""
    place = columns.index(plan.target)
    st.selectbox(
        "Target: the column to predict",
        columns,
        index=place,
        key=f"target-{place}",
        on_change=partial(_change_plan, "target", f"target-{place}"),
    )


def draw_split(study: Study) -> None:
    """Draw the three parts as a bar."""
    n_rows = len(study.table.frame)
    codes = class_codes(study)
    pieces = []
    for part in PARTS:
        rows = getattr(study.split, part)
        if rows.size:
            pieces.append(_part_markup(part, codes[rows], rows.size / n_rows, study.schema.classes))
    st.html(f'<div class="t-split" role="img" aria-label="Parts of the rows">{"".join(pieces)}</div>')
    st.html(
        '<div class="t-line">Divided at random, with the same shares of the classes in every part (stratified).</div>'
    )


def draw_shares(plan: Plan) -> None:
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
        placeholder="kept",
        key=f"seed-{plan.seed}",
        help="Another seed divides the rows in another way; classes stay in proportion",
        on_change=partial(_change_plan, "seed", f"seed-{plan.seed}"),
    )


def _part_markup(part: str, codes: Any, share: float, classes: Sequence[str]) -> str:
    """Return one part of the bar, with its classes in proportion."""
    counts = np.bincount(codes[codes >= 0], minlength=len(classes))
    bars = "".join(
        f'<div style="flex-grow:{count};background:{class_paint(index, len(classes)).background}"'
        f' title="{escape(numbers.label(label))}: {numbers.rows(count)}"></div>'
        for index, (count, label) in enumerate(zip(counts.tolist(), classes, strict=True))
        if count
    )
    name, use = _PART_NAMES[part].split(": ")
    return (
        f'<div style="flex-grow:{share:.4f}"><div class="classes">{bars}</div>'
        f"<b>{name}</b> {numbers.share(share).replace(' ', '&nbsp;')}<br>{use}<br>{numbers.rows(codes.size)}</div>"
    )


def draw_notices(study: Study) -> None:
    """Draw what was noticed, with the buttons of the proposals."""
    found = notices(study)
    st.html(f'<div class="t-title">Noticed<small>{len(found) or "nothing odd about this table"}</small></div>')
    with st.container(key="notices", height=320 if len(found) > 4 else "content", border=False):
        for number, notice in enumerate(found):
            text, button = st.columns((5, 3), vertical_alignment="center")
            text.html(f'<div class="t-line">{escape(notice.text)}</div>')
            if notice.plan is not None:
                take = partial(follow, notice.plan)
                button.button(notice.proposal, key=f"notice-{number}", on_click=take, width="stretch")


@state.guarded
def follow(plan: Plan) -> None:
    """Take over a proposal."""
    use_plan(plan)


def use_plan(plan: Plan) -> None:
    """Take over what was decided; a large table says meanwhile what is under way."""
    table = state.studio().table
    n_rows = 0 if table is None else len(table.frame)
    with busy_with_rows(n_rows, f"Putting {n_rows:,} rows into bins …"):
        state.use_plan(plan)


@state.guarded
def _change_plan(name: str, key: str) -> None:
    """Take over the value of a field."""
    plan, value = state.studio().plan, state.value_of(key)
    if plan is not None and value is not None:
        given = value / 100 if name in ("validation", "test") else value
        use_plan(replace(plan, **{name: given}))
