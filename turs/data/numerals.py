"""Numbers written as text: when a column of text is a column of numbers, and which.

Integers with leading zeros (`007`, many postal codes) are codes, not numbers. Parsing is exact: every decimal text
becomes the nearest float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow ships no types
import pyarrow.compute as pc  # type: ignore[import-untyped]  # pyarrow ships no types
from numpy.typing import NDArray

_NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
_DECIMAL_COMMA = r"^[+-]?[0-9]*,?[0-9]+([eE][+-]?[0-9]+)?$"
_PROBE = 64
_LEADING_ZERO = r"^[+-]?0[0-9xX]+$"


@dataclass(frozen=True)
class Numerals:
    """Texts that turned out to be numbers.

    Parameters
    ----------
    array : pyarrow.Array
        int64 where all texts are integers, otherwise float64; null where the text is null.
    decimal_comma : bool
        Whether some of them were written with a decimal comma.
    """

    array: Any
    decimal_comma: bool = False


def parse_numerals(texts: Any, *, decimal_comma: bool = False, leading_zeros: bool = False) -> Numerals | None:
    """Return the numbers that all known `texts` stand for, or None where some text is not a number.

    Parameters
    ----------
    texts : pyarrow.Array
        Strings; nulls stay null.
    decimal_comma : bool
        Whether `3,5` may be a number.
    leading_zeros : bool
        Whether integers with leading zeros are numbers too.
    """
    plain = _cast(texts)
    if plain is None:
        texts = pc.utf8_trim_whitespace(texts)
        plain = _cast(texts)
    if plain is not None:
        return Numerals(plain) if leading_zeros or not _has_leading_zeros(_integral(texts, plain)) else None
    if decimal_comma and _all(pc.match_substring_regex(texts, _DECIMAL_COMMA)) and not _has_leading_zeros(texts):
        pointed = pc.replace_substring(texts, ",", ".", max_replacements=1)
        return Numerals(pc.cast(pointed, pa.float64()), decimal_comma=True)
    return None


def numeral_mask(texts: list[str]) -> NDArray[np.bool_]:
    """Return which of `texts` are written as a finite number."""
    mask = pc.match_substring_regex(pa.array(texts, type=pa.string()), _NUMBER)
    return np.asarray(mask.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _cast(texts: Any) -> Any:
    """Return `texts` as int64 or else float64, None where neither fits."""
    # A cast that fails is slow, because it words an error for every value: a few values are tried first.
    ends = (texts.slice(0, _PROBE), texts.slice(max(len(texts) - _PROBE, 0)))
    for number in (pa.int64(), pa.float64()):
        try:
            for end in ends:
                pc.cast(end, number)
            return pc.cast(texts, number)
        except pa.ArrowInvalid:
            continue
    return None


def _integral(texts: Any, numbers: Any) -> Any:
    """Return the texts that stand for integers: only these can be codes."""
    if pa.types.is_integer(numbers.type):
        return texts
    return texts.filter(pc.equal(pc.floor(numbers), numbers))


def _has_leading_zeros(texts: Any) -> bool:
    """Say whether some text is an integer with leading zeros (or hexadecimal)."""
    # Prefixes are far cheaper than the pattern, which only the few suspects meet.
    for prefix in ("0", "-0", "+0"):
        suspects = texts.filter(pc.and_not(pc.starts_with(texts, prefix), pc.starts_with(texts, f"{prefix}.")))
        if len(suspects) and pc.any(pc.match_substring_regex(suspects, _LEADING_ZERO)).as_py():
            return True
    return False


def _all(mask: Any) -> bool:
    """Say whether all known values of a boolean array are true."""
    return bool(pc.all(mask).as_py())
