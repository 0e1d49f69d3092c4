"""Column names: made unique text, looked up with a hint, and listed in messages without growing long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from turs.errors import DataError, nearest

MAX_LISTED = 5
"""Most names or values that one message lists."""


def listed(names: Sequence[str], most: int = MAX_LISTED) -> str:
    """Return `names` in quotes, separated by commas; beyond `most` only their number is said."""
    shown = ", ".join(f"'{shortened(name)}'" for name in names[:most])
    hidden = len(names) - most
    return f"{shown} and {hidden:,} more" if hidden > 0 else shown


def shortened(text: str, limit: int = 60) -> str:
    """Return `text` on one line, cut to `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def unique_names(names: Iterable[object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return column names as unique, non-empty text, and notes on the names that had to change.

    Parameters
    ----------
    names : iterable of object
        Names as a file or a frame gives them: any type, empty or missing where a header cell is blank.

    Returns
    -------
    tuple of str
        One name a column: a blank one becomes `column 3`, a repeated one `age (2)`.
    tuple of str
        At most two notes, for blank and for repeated names.
    """
    texts = [_name_text(name) for name in names]
    taken = {text for text in texts if text}
    seen: set[str] = set()
    unique: list[str] = []
    blank: list[str] = []
    repeated: list[str] = []
    for position, text in enumerate(texts, start=1):
        name = text
        if not text:
            name = _free(f"column {position}", taken)
            blank.append(name)
        elif text in seen:
            name = _free(text, taken, first=2)
            repeated.append(name)
        taken.add(name)
        seen.add(name)
        unique.append(name)
    notes = []
    if blank:
        notes.append(f"Columns without a name are called {listed(blank)}.")
    if repeated:
        notes.append(f"Column names that occur more than once were made unique: {listed(repeated)}.")
    return tuple(unique), tuple(notes)


def position_of(name: str, names: Sequence[str], what: str = "column") -> int:
    """Return the position of `name` among `names`, or raise a `DataError` that names the nearest.

    Parameters
    ----------
    name : str
        The column that is wanted.
    names : sequence of str
        The columns that exist.
    what : str
        What the column is to be, for the message.
    """
    try:
        return names.index(name)
    except ValueError:
        hint = nearest(name, names) or f" Columns: {listed(names)}."
        raise DataError(f"There is no {what} '{shortened(name)}' in the table.{hint}") from None


def _name_text(name: object) -> str:
    """Return a header cell as text without surrounding spaces, empty where it is missing."""
    if isinstance(name, str):
        return name.strip()
    if isinstance(name, tuple):
        return " ".join(filter(None, map(_name_text, name)))
    if pd.Series([name], dtype=object).isna().item():
        return ""
    return str(name).strip()


def _free(text: str, taken: set[str], first: int = 1) -> str:
    """Return `text` (from `first` 1 on) or the first `text (2)`, `text (3)`, ... that is not taken."""
    number = first
    while (name := text if number == 1 else f"{text} ({number})") in taken:
        number += 1
    return name
