"""Names, texts and numbers as SQL: quoted whatever they contain, and numbers that every engine reads exactly."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from turs.errors import ModelError
from turs.export.lines import one_line

_EXACT_DIGITS = 2**53
_EXACT_POWERS = 22
"""Largest power of ten that is a double."""


def identifier(name: str) -> str:
    """Return the name of a table or column in quotes."""
    if not name:
        raise ModelError("A column or table without a name cannot be written in SQL: give it one.")
    return '"' + _checked(name).replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text in quotes; a backslash is an ordinary character, as the standard says."""
    return "'" + _checked(text).replace("'", "''") + "'"


def double(value: float) -> str:
    """Return a finite number as SQL whose value is exactly this double in every engine.

    SQLite reads decimals with one rounding too many, which shows about once in ten thousand: such a number, and one
    with more than 15 digits, is written as a quotient (or product) of integers and powers of two.
    """
    if value.is_integer() and abs(value) < _EXACT_DIGITS:
        return str(int(value))
    text = repr(value)
    if _survives(value):
        return text if "e" in text else f"{text}E0"
    mantissa, exponent = math.frexp(value)
    whole, power = int(mantissa * 2**53), exponent - 53
    sign = "/" if power < 0 else "*"
    steps = [62] * (abs(power) // 62) + [abs(power) % 62]
    factors = "".join(f" {sign} CAST({2**step} AS DOUBLE PRECISION)" for step in steps if step)
    return f"(CAST({whole} AS DOUBLE PRECISION){factors})"


def _checked(text: str) -> str:
    """Return a text, or raise where no SQL can hold it."""
    if "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise ModelError(
            f"'{one_line(text)}' has a character that SQL texts cannot hold: rename it, or export to Python instead."
        )
    return text


def _survives(value: float) -> bool:
    """Say whether the shortest decimal text of a number is read exactly, also with a rounding to 64 bits in between."""
    _, digits, power = Decimal(repr(abs(value))).as_tuple()
    whole = int("".join(map(str, digits)))
    if whole >= _EXACT_DIGITS or abs(int(power)) > _EXACT_POWERS:
        return False
    exact = Fraction(whole) * Fraction(10) ** int(power)
    shift = 64 - exact.numerator.bit_length() + exact.denominator.bit_length()
    if exact * Fraction(2) ** shift >= 2**64:
        shift -= 1
    return float(round(exact * Fraction(2) ** shift) / Fraction(2) ** shift) == abs(value)
