"""Versions of a literal that are worth a look: other cuts (a finer grid, round numbers), one level more or less."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from turs.data.binning import candidate_cuts
from turs.editing.state import State
from turs.errors import EditError
from turs.rules.literal import Interval, LevelSet
from turs.rules.schema import Feature


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
    present = {literal.feature: literal for literal in state.version.rule(rule_id).literals}.get(feature)
    fixed = present if isinstance(present, Interval) else Interval(feature)
    other = fixed.high if side == "low" else fixed.low
    ends = sorted(set(cuts))
    if side == "low":
        return tuple(Interval(feature, cut, other) for cut in ends if other is None or cut < other)
    return tuple(Interval(feature, other, cut) for cut in ends if other is None or cut > other)


def level_literals(state: State, rule_id: str, feature: str) -> tuple[LevelSet, ...]:
    """Return the level sets that a rule's literal becomes where one level more goes in, or one goes out.

    They come in the order of the levels; the only level of a set cannot go out. A rule without a level set on the
    feature gets one with a single level.
    """
    present = {literal.feature: literal for literal in state.version.rule(rule_id).literals}.get(feature)
    chosen = present.levels if isinstance(present, LevelSet) else ()
    levels = state.rule_set.schema.feature(feature).levels
    toggled = (tuple(other for other in levels if (other in chosen) != (other == level)) for level in levels)
    return tuple(LevelSet(feature, after) for after in toggled if after)


def fine_cuts(state: State, feature: str, n_cuts: int = 100) -> tuple[float, ...]:
    """Return a finer grid of a numeric feature: at most `n_cuts` values between its quantiles on the training rows."""
    values = state.training.rows.numbers(_numeric(state, feature))
    return candidate_cuts(values[~np.isnan(values)], n_cuts)


def round_cuts(state: State, feature: str, n_cuts: int = 20) -> tuple[float, ...]:
    """Return numbers that a person would choose as a cut: multiples of 1, 2 or 5 times a power of ten.

    The step is the smallest with which at most `n_cuts` of them lie inside the range of the training rows.
    """
    values = state.training.rows.numbers(_numeric(state, feature))
    values = values[~np.isnan(values)]
    if not values.size:
        return ()
    low, high = float(values.min()), float(values.max())
    if not low < high:
        return ()
    exponent = math.floor(math.log10((high - low) / n_cuts)) - 1
    while True:
        for factor in (1, 2, 5):
            first, last = (math.floor(end / (factor * 10.0**exponent)) for end in (low, high))
            if last - first <= n_cuts:
                steps = (float(f"{number * factor}e{exponent}") for number in range(first, last + 1))
                return tuple(step + 0.0 for step in steps if low < step <= high)
        exponent += 1


def _numeric(state: State, name: str) -> Feature:
    """Return a numeric or date feature of the grid."""
    feature = state.version.grid.feature(name)
    if feature.is_categorical:
        raise EditError(f"'{name}' is categorical and has no cuts: look at its levels.")
    return feature
