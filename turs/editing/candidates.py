"""Versions of a literal that are worth a look: other cuts (a finer grid, round numbers), one level more or less."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from numbers import Integral

import numpy as np

from turs.data.binning import candidate_cuts
from turs.editing.literal_edits import checked_cut
from turs.editing.state import State
from turs.errors import EditError
from turs.rules.literal import Interval, LevelSet
from turs.rules.schema import Feature, Kind

_PERIODS = (("D", 1), ("M", 1), ("M", 3), ("Y", 1), ("Y", 10))
"""Calendar periods: a unit of numpy, and how many of them, counted from 1970."""


def cut_literals(state: State, rule_id: str, feature: str, side: str, cuts: Sequence[float]) -> tuple[Interval, ...]:
    """Return the intervals that a rule's literal becomes where one side of it moves to each of these cuts.

    Cuts that would leave nothing between the two sides are left out. A rule without an interval on the feature gets
    one with this side only.

    Parameters
    ----------
    state : State
        Where the rule set stands.
    rule_id, feature : str
        The rule and the feature.
    side : {"low", "high"}
        The side that moves.
    cuts : sequence of float
        Where to.
    """
    if side not in ("low", "high"):
        raise EditError(f"'{side}' is no side of an interval: use low or high.")
    rule = state.version.rule(rule_id)
    _numeric(state, feature)
    present = {literal.feature: literal for literal in rule.literals}.get(feature)
    fixed = present if isinstance(present, Interval) else Interval(feature)
    other = fixed.high if side == "low" else fixed.low
    ends = sorted({checked_cut(cut, feature) for cut in cuts})
    if side == "low":
        return tuple(Interval(feature, cut, other) for cut in ends if other is None or cut < other)
    return tuple(Interval(feature, other, cut) for cut in ends if other is None or cut > other)


def level_literals(state: State, rule_id: str, feature: str) -> tuple[LevelSet, ...]:
    """Return the level sets that a rule's literal becomes where one level more goes in, or one goes out.

    They come in the order of the levels; the only level of a set cannot go out. A rule without a level set on the
    feature gets one with a single level.
    """
    rule, levels = state.version.rule(rule_id), state.rule_set.schema.feature(feature).levels
    present = {literal.feature: literal for literal in rule.literals}.get(feature)
    chosen = present.levels if isinstance(present, LevelSet) else ()
    toggled = (tuple(other for other in levels if (other in chosen) != (other == level)) for level in levels)
    return tuple(LevelSet(feature, after) for after in toggled if after)


def fine_cuts(state: State, feature: str, n_cuts: int = 100) -> tuple[float, ...]:
    """Return a finer grid of a numeric feature: at most `n_cuts` values between its quantiles on the training rows."""
    _check_number(n_cuts)
    values = state.training.rows.numbers(_numeric(state, feature))
    return candidate_cuts(values[~np.isnan(values)], n_cuts)


def round_cuts(state: State, feature: str, n_cuts: int = 20) -> tuple[float, ...]:
    """Return values that a person would choose as a cut, at most about `n_cuts`, inside the range of the training rows.

    Of numbers these are multiples of 1, 2 or 5 times a power of ten; of dates the beginnings of days, months, quarters,
    years or decades. The step is the smallest that is wide enough.
    """
    _check_number(n_cuts)
    found = _numeric(state, feature)
    values = state.training.rows.numbers(found)
    values = values[~np.isnan(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    if not low < high:
        return ()
    rounded = _round_dates(low, high, n_cuts) if found.kind is Kind.DATE else _round_numbers(low, high, n_cuts)
    return tuple(cut for cut in rounded if low < cut <= high)


def _round_numbers(low: float, high: float, n_cuts: int) -> Iterator[float]:
    """Yield round numbers around a range."""
    exponent = math.floor(math.log10((high - low) / n_cuts)) - 1
    while True:
        for factor in (1, 2, 5):
            first, last = (math.floor(end / (factor * 10.0**exponent)) for end in (low, high))
            if last - first <= n_cuts:
                yield from (float(f"{number * factor}e{exponent}") + 0.0 for number in range(first, last + 1))
                return
        exponent += 1


def _round_dates(low: float, high: float, n_cuts: int) -> Iterator[float]:
    """Yield beginnings of calendar periods around a range, in seconds since 1970."""
    first, last = (np.datetime64(math.floor(end), "s") for end in (low, high))
    for unit, months in _PERIODS:
        begins = np.arange(first.astype(f"datetime64[{unit}]"), last.astype(f"datetime64[{unit}]") + 1)
        if months > 1:
            begins = begins[begins.astype(np.int64) % months == 0]
        if len(begins) <= n_cuts + 1:
            break
    yield from begins.astype("datetime64[s]").astype(np.int64).astype(np.float64).tolist()


def _check_number(n_cuts: int) -> None:
    """Raise where there is no such number of cuts."""
    if not isinstance(n_cuts, Integral) or n_cuts < 1:
        raise EditError(f"There cannot be {n_cuts!r} cuts: ask for one at least.")


def _numeric(state: State, name: str) -> Feature:
    """Return a numeric or date feature of the grid."""
    feature = state.version.grid.feature(name)
    if feature.is_categorical:
        raise EditError(f"'{name}' is categorical and has no cuts: look at its levels.")
    return feature
