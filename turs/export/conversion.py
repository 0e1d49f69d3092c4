"""Values of a row as the engine takes them, and class shares from pattern counts, with the standard library alone.

The text of this module is part of every model that is exported as Python (turs/export/python.py): what is written here
has to run by itself. It does for one value what turs/data does for a column; `MARKERS` are those of its readers.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

MARKERS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "?")
NUMERAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
CODE = re.compile(r"[+-]?0[0-9]+")
_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?:Z|([+-])([0-9]{2})(?::?([0-5][0-9]))?)?)?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def number(row: Mapping[str, object], name: str) -> float | None:
    """Return the number in a column, None where it is missing; raise a ValueError where it is not a finite number."""
    value = row[name]
    text = "" if _is_missing(value) else _text(int(str(value) == "True") if _is_truth(value) else value)
    if text in MARKERS or text.strip("+-").lower() == "nan":
        return None
    if not NUMERAL.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError(f"column {name!r}: {value!r} is not a finite number")
    return float(text)


def seconds(row: Mapping[str, object], name: str) -> float | None:
    """Return the date in a column as seconds since 1970 in UTC, None where it is missing; raise where it is no date."""
    value = row[name]
    text = "" if _is_missing(value) else value.isoformat() if isinstance(value, date) else _text(value)
    if text in MARKERS:
        return None
    found = _DATE.fullmatch(text)
    if not found:
        raise ValueError(f"column {name!r}: {value!r} is not a date such as 2024-05-31 14:30")
    year, month, day, hour, minute, second, fraction, sign, *offset = found.groups("0")
    ahead = timedelta(hours=int(offset[0]), minutes=int(offset[1])) * (-1 if sign == "-" else 1)
    clock = (int(hour), int(minute), int(second), int(fraction.ljust(6, "0")[:6]))
    try:
        moment = datetime(int(year), int(month), int(day), *clock, tzinfo=timezone(ahead))
    except ValueError as error:
        raise ValueError(f"column {name!r}: {value!r} is not a date ({error})") from None
    return ((moment - _EPOCH) // timedelta(microseconds=1)) / 1e6


def level(row: Mapping[str, object], name: str, levels: tuple[str, ...]) -> str | None:
    """Return the level in a column, None where it is missing; a text that is none of `levels` is returned as it is.

    A text that marks a missing value in a file is missing, unless it is one of `levels`.
    Spellings of one number (13.0 and 13) or of one truth value (True and true) are the same, where that is clear.
    """
    value = row[name]
    text = "" if _is_missing(value) else _text(value)
    if not text or (text in MARKERS and text not in levels):
        return None
    if text in levels:
        return text
    same = [known for known in levels if spelling(known) == spelling(text)]
    return same[0] if len(same) == 1 else text


def shares(fired: list[str], patterns: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]) -> list[float]:
    """Return the class shares of the training rows that a rule of `fired` covers, or that no rule covers."""
    met = [counts for rules, counts in patterns if (not set(fired).isdisjoint(rules) if fired else not rules)]
    sums = [sum(column) for column in zip(*met, strict=True)]
    if not any(sums):
        sums = [sum(column) for column in zip(*(counts for _, counts in patterns), strict=True)]
    return [count / max(sum(sums), 1) for count in sums]


def _is_missing(value: object) -> bool:
    """Say whether a value is None or not equal to itself, as NaN is."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # the missing value of pandas does not even say that
        return True


def _is_truth(value: object) -> bool:
    """Say whether a value is True or False, of Python or of NumPy."""
    return type(value).__name__ in ("bool", "bool_")


def _text(value: object) -> str:
    """Return the text of a known value: 1.0 is 1, True is true, a date is ISO."""
    if isinstance(value, bytes):
        return value.decode(errors="replace").strip()
    if _is_truth(value):
        return str(value).lower()
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real | Decimal):
        return _real_text(float(value))
    if isinstance(value, datetime):
        moment = value.isoformat(sep=" ")
        return moment[:10] if moment[10:19] == " 00:00:00" and not value.microsecond else moment
    return str(value).strip()


def spelling(text: str) -> str:
    """Return one spelling for all texts of the same number or truth value."""
    if text.casefold() in ("true", "false"):
        return text.casefold()
    return text if CODE.fullmatch(text) or not NUMERAL.fullmatch(text) else _real_text(float(text))


def _real_text(value: float) -> str:
    """Return a float as text, without a fraction where it is integral."""
    return str(int(value)) if value.is_integer() and abs(value) <= 2.0**53 else repr(value)
