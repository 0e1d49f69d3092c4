"""Values as the text of a level or a class: printing, ordering, and matching new texts with known ones.

A value must become the same text at learning and at prediction, whatever the file format made of it: `1.0` is `1`,
a boolean is `true` or `false`, a date is ISO.
"""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0\d+", re.ASCII)
_EXACT_INTEGERS = 2.0**53


def level_text(value: object) -> str:
    """Return the text of one known value of a categorical column.

    Booleans are `true` and `false`, integral floats print without a fraction, dates are ISO, text loses the spaces
    around it.
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace").strip()
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real | Decimal):
        return _real_text(float(value))
    if isinstance(value, datetime.date | np.datetime64):
        stamp = pd.Timestamp(value)
        return stamp.strftime("%Y-%m-%d") if stamp == stamp.normalize() else stamp.isoformat(sep=" ")
    return str(value).strip()


def class_text(value: object) -> str:
    """Return the text of one known class label; the same as the text of a level."""
    return level_text(value)


def sorted_texts(texts: Iterable[str]) -> list[str]:
    """Return `texts` in the order of their numbers where all are numbers, otherwise by text."""
    ordered = sorted(texts)
    if all(_NUMBER.fullmatch(text) for text in ordered):
        ordered.sort(key=float)
    return ordered


def match_texts(texts: Sequence[str], known: Sequence[str]) -> NDArray[np.int64]:
    """Return the position in `known` of each of `texts`, -1 where there is none.

    An exact match goes first. Otherwise spellings of one number (`13.0` and `13`) or of one truth value (`True` and
    `true`) match, where that is not ambiguous: file formats print the same value differently.
    """
    exact = {text: position for position, text in enumerate(known)}
    loose: dict[str, int] = {}
    for position, text in enumerate(known):
        spelling = _one_spelling(text)
        loose[spelling] = -1 if spelling in loose else position
    found = [exact[text] if text in exact else loose.get(_one_spelling(text), -1) for text in texts]
    return np.array(found, dtype=np.int64)


def _real_text(value: float) -> str:
    """Return a float as text, without a fraction where it is integral."""
    if value.is_integer() and abs(value) <= _EXACT_INTEGERS:
        return str(int(value))
    return repr(value)


def _one_spelling(text: str) -> str:
    """Return one spelling for all texts of the same number or truth value."""
    if text.casefold() in ("true", "false"):
        return text.casefold()
    if _LEADING_ZERO.fullmatch(text) or not _NUMBER.fullmatch(text):
        return text
    return _real_text(float(text))
