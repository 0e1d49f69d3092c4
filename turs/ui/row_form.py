"""A row typed in: one field for each feature that a rule uses, filled with the row that was looked at last."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from turs.errors import RuleSyntaxError
from turs.rules.schema import Feature, Kind, Schema
from turs.rules.text import parse_number
from turs.ui import numbers
from turs.ui.explained import Value
from turs.ui.theme import plain

_COLUMNS = 4
_MISSING = "(missing)"
_OTHER = "(another level)"
_UNKNOWN = "\0another"  # no level of a table holds it


def draw_form(schema: Schema, used: set[str], start: Mapping[str, Value], seed: str) -> dict[str, Value] | None:
    """Draw the fields and return the row; None where a field cannot be read.

    Parameters
    ----------
    schema : Schema
        The features.
    used : set of str
        The features that a rule uses: the others change nothing.
    start : mapping of str to Value
        What the fields hold at first.
    seed : str
        Which row that is; another one fills the fields anew.
    """
    features = [feature for feature in schema.features if feature.name in used]
    left = len(schema.features) - len(features)
    if left:
        others = "the other feature: it does" if left == 1 else f"the other {left:,} features: they do"
        st.html(f'<div class="t-line">No rule uses {others} not matter here.</div>')
    values: dict[str, Value] = {}
    readable = True
    columns = st.columns(_COLUMNS)
    for place, feature in enumerate(features):
        with columns[place % _COLUMNS]:
            try:
                values[feature.name] = _draw_field(
                    feature, start.get(feature.name), f"{seed}-{schema.index(feature.name)}"
                )
            except RuleSyntaxError as error:
                st.error(plain(fault_words(error, feature)))
                readable = False
    return values if readable else None


def _draw_field(feature: Feature, value: Value, seed: str) -> Value:
    """Draw the field of one feature and return its value."""
    label = plain(feature.name)
    if feature.is_categorical:
        options = [*feature.levels, _MISSING, _OTHER]
        at = options.index(value) if isinstance(value, str) and value in feature.levels else len(feature.levels)
        chosen = st.selectbox(label, options, index=at, key=f"typed-{seed}")
        return None if chosen == _MISSING else _UNKNOWN if chosen == _OTHER else str(chosen)
    text = value if isinstance(value, str) else "" if value is None else numbers.cut(value, feature)
    typed = st.text_input(label, text, key=f"typed-{seed}", placeholder="missing")
    return parse_number(typed, feature) if typed.strip() else None


def fault_words(error: RuleSyntaxError, feature: Feature) -> str:
    """Return what is wrong with what was typed; in one field it needs no character to be counted."""
    if not error.message.startswith("Expected"):
        return error.message
    wanted = "a date: write it as 2024-01-05" if feature.kind is Kind.DATE else "a number"
    return f"'{error.text.strip()}' is not {wanted}"
