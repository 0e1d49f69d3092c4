"""One condition on one feature: an interval, a set of levels, or missingness.

A literal is a value without rows or text. Missing values satisfy no interval and no level set; levels that the
schema does not know satisfy no level set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from turs.errors import RuleError, nearest
from turs.rules.schema import Feature


@dataclass(frozen=True)
class Interval:
    """low <= x < high, where at least one side is given."""

    feature: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class LevelSet:
    """x is one of `levels`."""

    feature: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Missingness:
    """x is missing (`missing` is True) or known (False)."""

    feature: str
    missing: bool


Literal = Interval | LevelSet | Missingness


def check_literal(literal: Literal, feature: Feature) -> None:
    """Raise a `RuleError` where `literal` cannot stand on `feature`."""
    name = feature.name
    if isinstance(literal, Missingness):
        if not isinstance(literal.missing, bool):
            raise RuleError(f"'{name}' is missing: {literal.missing!r}? Say True (is missing) or False (is known).")
        return
    if isinstance(literal, LevelSet):
        if not isinstance(literal.levels, tuple | list):
            raise RuleError(f"The levels of '{name}' are {literal.levels!r}: give a tuple of texts.")
        if not feature.is_categorical:
            raise RuleError(f"'{name}' is {feature.kind}: compare it with a number, not with a set of levels.")
        if not literal.levels:
            raise RuleError(f"The set of levels of '{name}' is empty: name at least one level.")
        for level in literal.levels:
            if level not in feature.levels:
                raise RuleError(f"'{name}' has no level '{level}'.{nearest(level, feature.levels)}")
        return
    if feature.is_categorical:
        raise RuleError(f"'{name}' is categorical: use a set of levels, such as {name} in {{{feature.levels[0]}}}.")
    if literal.low is None and literal.high is None:
        raise RuleError(f"The interval of '{name}' has no side: give a lower or an upper cut.")
    for side in (literal.low, literal.high):
        if side is not None and not is_number(side):
            raise RuleError(f"A cut of '{name}' is {side}: a cut is a finite number.")
    if literal.low is not None and literal.high is not None and literal.low >= literal.high:
        raise RuleError(
            f"The interval {literal.low:g} <= {name} < {literal.high:g} is empty: its lower cut is not below its upper."
        )


def is_number(value: object) -> bool:
    """Return whether a value, whatever it is, can be a cut: a finite number."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond the largest float
        return False


def checked_literal(literal: Literal, feature: Feature) -> Literal:
    """Return `literal` as `feature` has it: levels in its order, none twice, cuts as floats; raise where it cannot."""
    check_literal(literal, feature)
    if isinstance(literal, LevelSet):
        return LevelSet(literal.feature, tuple(level for level in feature.levels if level in literal.levels))
    if isinstance(literal, Interval):
        low, high = (None if cut is None else float(cut) + 0.0 for cut in (literal.low, literal.high))
        return Interval(literal.feature, low, high)  # no negative zero
    return literal
