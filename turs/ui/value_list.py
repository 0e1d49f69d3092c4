"""The values of a row in few lines: those that rules look at first, the others where somebody wants to see them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from html import escape

import pandas as pd

from turs.rules.schema import Schema
from turs.ui import numbers
from turs.ui.explained import Value, value_text
from turs.ui.study import Study

_MOST_OPEN = 16
"""Values up to which the list stands open."""


def other_values(study: Study, place: int, used: Collection[str]) -> dict[str, str]:
    """Return the cells of a row of the table that no rule looks at, without its class."""
    row = study.table.frame.iloc[place]
    names = [str(name) for name in row.index if name not in used and name != study.plan.target]
    return {name: "missing" if pd.isna(row[name]) else str(row[name]) for name in names}


def values_markup(values: Mapping[str, Value], schema: Schema, others: Mapping[str, str]) -> str:
    """Return the values of a row.

    Parameters
    ----------
    values : mapping of str to Value
        The features that rules use.
    schema : Schema
        Of these features.
    others : mapping of str to str
        What else stands in the row.
    """
    own = {name: value_text(value, schema.feature(name)) for name, value in values.items()}
    n = numbers.things(len(own), "value")
    parts = [_list(f"The {n} that rules look at", own, is_open=len(own) <= _MOST_OPEN)] if own else []
    if others:
        parts.append(_list(f"{numbers.things(len(others), 'other column')} of the row", others, is_open=False))
    return "".join(parts)


def _list(title: str, values: Mapping[str, str], *, is_open: bool) -> str:
    """Return names and values that open with a click."""
    items = "".join(f"<span>{escape(name)} <b>{escape(text)}</b></span>" for name, text in values.items())
    return (
        f'<details class="t-values"{" open" if is_open else ""}><summary>{escape(title)}</summary><div>{items}</div>'
        "</details>"
    )
