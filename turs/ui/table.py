"""Tables as markup and as files to take away: text from data is escaped, cells that a spreadsheet would run are not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape

import pandas as pd
import streamlit as st

_STARTS = ("=", "+", "-", "@", "\t", "\r")
DIGITS = 4
"""Decimals of computed numbers in files: probabilities, AUCs and bits alike."""
_LONGEST_WORD = 16
_NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")


def table_markup(header: Sequence[str], lines: Sequence[Sequence[str]], *, tones: Sequence[str] = ()) -> str:
    """Return a table; the first cell of a line names it, the last is coloured by `tones` (`good`, `bad` or empty)."""
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = []
    for number, line in enumerate(lines):
        tone = f' class="t-{tones[number]}"' if number < len(tones) and tones[number] else ""
        cells = "".join(f"<td>{_words(cell)}</td>" for cell in line[1:-1])
        body.append(f'<tr><th scope="row">{escape(line[0])}</th>{cells}<td{tone}>{_words(line[-1])}</td></tr>')
    return f'<table class="t-table"><thead><tr>{top}</tr></thead><tbody>{"".join(body)}</tbody></table>'


def csv_of(frame: pd.DataFrame, *, digits: int | None = None) -> bytes:
    """Return a table as CSV in which no text can be taken for a formula.

    Parameters
    ----------
    frame : DataFrame
        The table.
    digits : int, optional
        Decimals of every number that is not whole; without it numbers stand as they are, which is for rows of a table.
    """
    safe = frame.copy(deep=False)
    safe.columns = pd.Index([_neutral(str(name)) for name in frame.columns])
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if not (pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype)):
            safe.isetitem(position, column.astype(object).map(_neutral).to_numpy())
    form = None if digits is None else f"%.{digits}f"
    return safe.to_csv(index=False, lineterminator="\n", float_format=form).encode("utf-8")


def download(
    frame: pd.DataFrame | Callable[[], pd.DataFrame],
    name: str,
    key: str,
    label: str = "Download as CSV",
    *,
    digits: int | None = DIGITS,
) -> None:
    """Draw the button that takes a table away; the file is made when it is pressed, and the table if need be."""
    st.download_button(
        label,
        lambda: csv_of(frame() if callable(frame) else frame, digits=digits),
        name,
        "text/csv",
        icon=":material/download:",
        key=key,
        on_click="ignore",
        type="tertiary",
    )


def _words(text: str) -> str:
    """Return the markup of a text in which only words that no column can hold may break: numbers never do."""
    return "".join(
        f'<span class="t-long">{escape(word)}</span>' if len(word) > _LONGEST_WORD else escape(word)
        for word in re.split(r"( +)", text.replace(" %", "\N{NO-BREAK SPACE}%"))
    )


def _neutral(value: object) -> object:
    """Return text with a quote in front where a spreadsheet would run it; numbers and other values as they are."""
    if not isinstance(value, str) or not value.startswith(_STARTS) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"
