"""Numbers as people read them: one way for each quantity, on all pages."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from turs.rules.schema import Feature, Kind
from turs.rules.text import told_number

MINUS = "−"  # noqa: RUF001  # the sign that is as wide as a plus
_FEW = 10
_LEAST_DIGITS = 6
_NUMBER = re.compile(r"[+-]?[0-9.,]+")
NOTHING = "–"  # noqa: RUF001  # a dash where there is no number
_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
_NEGATIVE = re.compile(r"(?P<lead>(?:[<=≥≤]|\b(?:from|to|at)) )-(?=\d)|(?<!\S)-(?=[\d.e+-]+ (?:<=|≤))")


def bits(value: float) -> str:
    """Return bits with one decimal."""
    return _signed(f"{value:,.1f}")


def auc(value: float) -> str:
    """Return an AUC or a probability with three decimals; a dash where there is none."""
    return NOTHING if math.isnan(value) else _signed(f"{value:.3f}")


def share(value: float) -> str:
    """Return a share in percent."""
    return NOTHING if math.isnan(value) else _signed(f"{100 * value:.1f} %")


def points(value: float) -> str:
    """Return a change of a share in percentage points."""
    return NOTHING if math.isnan(value) else _signed(f"{100 * value:.1f} points")


def about(value: float) -> str:
    """Return an expected number of things: a whole one, of few with one decimal."""
    return bits(value) if abs(value) < _FEW and value != round(value) else count(value)


def label(name: str) -> str:
    """Return a class as a sentence names it: one that is a number is said to be a class."""
    return f"class {name}" if _NUMBER.fullmatch(name) else name


def small(value: float) -> str:
    """Return a small change of an AUC with its sign and four decimals."""
    if math.isnan(value):
        return NOTHING
    text = _signed(f"{value:.4f}")
    return f"+{text}" if value > 0 and any(digit in text for digit in "123456789") else text


def p_value(value: float | None) -> str:
    """Return a p-value; a dash where none was computed."""
    if value is None:
        return NOTHING
    return "≤ 0.001" if value <= 0.001 else f"{value:.3f}"


def cut(value: float, feature: Feature) -> str:
    """Return a cut of a feature; a date with its time only where it has one. It parses back."""
    return told_number(value, feature)


def signed_cut(value: float, feature: Feature, among: Sequence[float] | None = None) -> str:
    """Return a cut or a value of a feature, to be read and not to be edited: few digits, and a proper minus.

    There are as many digits as keep it where it is among other cuts (those of the feature unless told otherwise): it
    moves by less than a thousandth of the way to the nearest.
    """
    if feature.kind is Kind.DATE:
        return cut(value, feature)
    others = feature.cuts if among is None else among
    reach = min((abs(other - value) for other in others if other != value), default=abs(value)) / 1000
    shorter = (float(f"{value:.{digits}g}") for digits in range(_LEAST_DIGITS, 17))
    return _signed(cut(next((short for short in shorter if abs(short - value) <= reach), value), feature))


def with_signs(text: str) -> str:
    """Return a sentence about rules with ≥, ≤ and a proper minus, as cards show them; what is quoted stays."""
    parts = _QUOTED.split(text)
    for place in range(0, len(parts), 2):
        negative = _NEGATIVE.sub(lambda found: (found["lead"] or "") + MINUS, parts[place])
        parts[place] = negative.replace(">=", "≥").replace("<=", "≤")
    return "".join(parts)


def count(value: float) -> str:
    """Return a whole number."""
    return _signed(f"{value:,.0f}")


def rows(n: int, kind: str = "") -> str:
    """Return a number of rows in words."""
    return f"{n:,} {kind + ' ' if kind else ''}row{'' if n == 1 else 's'}"


def things(n: int, noun: str) -> str:
    """Return a number of things in words."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def both(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: commas, and one `and`."""
    *ahead, last = names
    return f"{', '.join(ahead)} and {last}" if ahead else last


def every(n: int) -> str:
    """Return that all of some things are shown."""
    return "the only one" if n == 1 else f"all {n:,}"


def change(value: float, shown: str) -> str:
    """Return a change with its sign, as `shown` prints it; empty where it rounds to nothing."""
    if math.isnan(value) or not any(digit in shown for digit in "123456789"):
        return ""
    return shown if value < 0 else f"+{shown}"


def seconds(value: float) -> str:
    """Return a duration."""
    if value < 60:
        return f"{value:.1f} s" if value >= 0.05 else "below 0.1 s"
    return f"{int(value // 60)} min {int(value % 60)} s"


def _signed(text: str) -> str:
    """Return a number with a proper minus, none before a zero."""
    if not text.startswith("-"):
        return text
    return MINUS + text[1:] if any(digit in text for digit in "123456789") else text[1:]
