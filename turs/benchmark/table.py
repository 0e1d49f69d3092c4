"""A table of plain values with a title, and how its numbers are shown: in HTML and on a terminal."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass

from turs.benchmark.summary import AHEAD, BEHIND, LEVEL

Value = str | float | int | None


@dataclass(frozen=True)
class Table:
    """Numbers with a title.

    Parameters
    ----------
    key : str
        Its place in the report.
    title : str
        What it shows.
    columns : tuple of str
        Names of the columns.
    rows : list of tuple
        Texts and numbers; None is unknown.
    note : str
        How it is to be read.
    decimals : int, mapping of str to int, or None
        Of its numbers that are not whole: of all, or of the columns by name; the size of a number decides otherwise.
    empty : str
        What is said where it has no rows.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Value, ...]]
    note: str = ""
    decimals: int | Mapping[str, int] | None = None
    empty: str = "Nothing to show."

    def texts(self) -> list[list[str]]:
        """Return the rows as people read them."""
        return [
            [shown(value, self._places(name)) for name, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def to_html(self) -> str:
        """Return the table as HTML."""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        lines = [
            "".join(_cell_html(value, text) for value, text in zip(row, texts, strict=True))
            for row, texts in zip(self.rows, self.texts(), strict=True)
        ]
        body = "".join(f"<tr>{line}</tr>\n" for line in lines)
        note = f'<p class="note">{html.escape(self.note)}</p>' if self.note else ""
        empty = "" if self.rows else f'<p class="note">{html.escape(self.empty)}</p>'
        return (
            f'<section class="table" id="table-{html.escape(self.key)}"><h3>{html.escape(self.title)}</h3>{note}{empty}'
            f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div></section>'
        )

    def _places(self, column: str) -> int | None:
        """Return the decimals of a column."""
        return self.decimals.get(column) if isinstance(self.decimals, Mapping) else self.decimals


def shown(value: Value, decimals: int | None = None) -> str:
    """Return a value as people read it.

    Parameters
    ----------
    value : str, float, int or None
        What to show.
    decimals : int, optional
        Of a number that is not whole; otherwise its size decides.
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    places = _decimals(value) if decimals is None else decimals
    return f"{round(value, places) + 0.0:,.{places}f}"  # + 0.0: no minus before a zero


def _decimals(value: float) -> int:
    """Return how many decimals a number of this size has; what is next to nothing is a plain zero."""
    size = abs(value)
    if size >= 1000:
        return 0
    if size >= 10:
        return 1
    return 5 if 0.000005 <= size < 0.001 else 3


def with_spread(mean: float, spread: float | None, places: int) -> str:
    """Return a number and its spread, with the same decimals."""
    return shown(mean, places) + (f" ± {shown(spread, places)}" if spread is not None else "")


def _cell_html(value: Value, text: str) -> str:
    """Return a cell; the verdicts are marked by colour and in words."""
    kind = "text" if isinstance(value, str) else "number"
    mark = f" {value}" if value in (AHEAD, LEVEL, BEHIND) else ""
    return f'<td class="{kind}{mark}">{html.escape(text)}</td>'
