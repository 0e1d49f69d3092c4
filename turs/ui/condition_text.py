"""A condition as text in a field: read while it is typed, its mistakes marked where they are."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import streamlit as st

from turs.errors import RuleSyntaxError, TursError
from turs.rules.literal import Literal
from turs.rules.schema import Schema
from turs.rules.text import parse_condition
from turs.ui import state
from turs.ui.theme import plain

_HELP = "Conditions joined by AND, such as  age >= 60 AND ward in {A, B}. Names with spaces may stand in double quotes."


def draw_condition(
    label: str, text: str, key: str, schema: Schema, on_read: Callable[[str], None], *, disabled: bool = False
) -> None:
    """Draw the field, and under it what is wrong with its text.

    Parameters
    ----------
    label, text : str
        Name of the field, and what it begins with.
    key : str
        Of the field.
    schema : Schema
        Features that the text may name.
    on_read : callable
        Is told the text when it changed; its errors end in a message.
    disabled : bool
        Whether it may not change.
    """
    written = st.text_area(
        label,
        text,
        key=key,
        help=_HELP,
        height=80,
        disabled=disabled,
        placeholder="age >= 60 AND ward in {A, B}",
        on_change=lambda: on_read(str(state.value_of(key) or "")),
    )
    fault = fault_of(written or "", schema)
    if isinstance(fault, RuleSyntaxError):
        st.error(plain(fault.message))
        st.html(marked(fault.text, fault.position))
    elif fault is not None:
        st.error(plain(str(fault)))


def literals_of(text: str, schema: Schema) -> tuple[Literal, ...]:
    """Return the literals of a condition; none where nothing is written."""
    return parse_condition(text, schema) if text.strip() else ()


def fault_of(text: str, schema: Schema) -> TursError | None:
    """Return what is wrong with a text; None where nothing is, or nothing is written."""
    try:
        literals_of(text, schema)
    except TursError as error:
        return error
    return None


def marked(text: str, position: int) -> str:
    """Return a text with the word at a position marked; a text that ends too early with a mark after it."""
    rest = text[position:]
    word = rest.split(maxsplit=1)[0] if rest.strip() else ""
    lead = rest[: len(rest) - len(rest.lstrip())]
    mark = f"<mark>{escape(word) or '…'}</mark>"
    return f'<div class="t-parse">{escape(text[:position] + lead)}{mark}{escape(rest[len(lead) + len(word) :])}</div>'
