"""The condition of a rule that is merged from two."""

from __future__ import annotations

from turs.rules.literal import Interval, LevelSet, Literal, Missingness
from turs.rules.rule import Rule
from turs.rules.schema import Schema


def merged_literals(first: Rule, second: Rule, schema: Schema) -> tuple[Literal, ...]:
    """Return the tightest literals, over the features that both rules have, that hold wherever either rule holds.

    They come in the order of the first rule; a feature on which nothing is left to demand drops out.
    """
    others = {literal.feature: literal for literal in second.literals}
    merged = (
        _merged(literal, others[literal.feature], schema) for literal in first.literals if literal.feature in others
    )
    return tuple(literal for literal in merged if literal is not None)


def _merged(one: Literal, other: Literal, schema: Schema) -> Literal | None:
    """Return the tightest literal that holds wherever one of two does; None where that is everywhere."""
    if isinstance(one, Interval) and isinstance(other, Interval):
        low = None if one.low is None or other.low is None else min(one.low, other.low)
        high = None if one.high is None or other.high is None else max(one.high, other.high)
        if low is not None or high is not None:
            return Interval(one.feature, low, high)
    elif isinstance(one, LevelSet) and isinstance(other, LevelSet):
        levels = schema.feature(one.feature).levels
        either = tuple(level for level in levels if level in one.levels or level in other.levels)
        if len(either) < len(levels):
            return LevelSet(one.feature, either)
    elif isinstance(one, Missingness) and isinstance(other, Missingness):
        return one if one == other else None
    if any(isinstance(literal, Missingness) and literal.missing for literal in (one, other)):
        return None
    # Both demand a known value, but not the same values: what is left to demand is that it is known.
    return Missingness(one.feature, missing=False) if schema.feature(one.feature).has_missing else None
