"""Which rows a literal and a rule cover, read off the bins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from turs.kernel import kernel
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.rule import Rule
from turs.rules.schema import Feature, Schema

N_CODES = 256
"""Codes that a uint8 bin can take."""

_CHUNK = 1 << 16
"""Rows that K_value is counted on at once."""


def literal_bins(literal: Literal, feature: Feature) -> NDArray[np.bool_]:
    """Return for each of the 256 codes of a bin whether it satisfies the literal.

    The cuts of an interval have to be candidate cuts of the feature.
    """
    holds = np.zeros(N_CODES, dtype=np.bool_)
    if isinstance(literal, Interval):
        low = 0 if literal.low is None else feature.cuts.index(literal.low) + 1
        high = feature.n_bins if literal.high is None else feature.cuts.index(literal.high) + 1
        holds[low:high] = True
    elif isinstance(literal, LevelSet):
        holds[[feature.levels.index(level) for level in literal.levels]] = True
    elif literal.missing:
        holds[feature.missing_bin] = True
    else:
        holds[: feature.missing_bin] = True
    return holds


@kernel
def restrict(cover, holds, column):  # type: ignore[no-untyped-def]
    """Take the rows whose bin does not hold out of a cover, without a second array of the length of the table."""
    for i in range(cover.size):
        cover[i] &= holds[column[i]]


def rule_cover(rule: Rule, schema: Schema, bins: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which rows `rule` covers; `bins` are the rows under `schema`."""
    cover = np.ones(bins.shape[1], dtype=np.bool_)
    for literal in rule.literals:
        index = schema.index(literal.feature)
        restrict(cover, literal_bins(literal, schema.features[index]), bins[index])
    return cover


def rule_covers(rules: tuple[Rule, ...], schema: Schema, bins: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which rows each rule covers [K, n]."""
    covers = np.empty((len(rules), bins.shape[1]), dtype=np.bool_)
    for k, rule in enumerate(rules):
        covers[k] = rule_cover(rule, schema, bins)
    return covers


def value_counts(rule: Rule, schema: Schema, bins: NDArray[np.uint8]) -> tuple[int, ...]:
    """Return K_value of each literal: the candidate cuts that split the rows covered by the literals before it.

    A cut splits these rows if it lies above the lowest and not above the highest of their bins, so the number is the
    difference of the two. It is 0 for literals on categorical features.
    """
    features = [schema.feature(literal.feature) for literal in rule.literals]
    lines = [schema.index(literal.feature) for literal in rule.literals]
    holds = [literal_bins(literal, feature) for literal, feature in zip(rule.literals, features, strict=True)]
    lowest, highest = [N_CODES] * len(lines), [-1] * len(lines)
    for start in range(0, bins.shape[1], _CHUNK):  # copies of parts of the columns: never of a whole one
        part = bins[:, start : start + _CHUNK]
        cover = np.ones(part.shape[1], dtype=np.bool_)
        for j, line in enumerate(lines):
            known = part[line][cover]
            known = known[known < features[j].n_bins]
            if known.size and not features[j].is_categorical:
                lowest[j], highest[j] = min(lowest[j], int(known.min())), max(highest[j], int(known.max()))
            cover &= holds[j][part[line]]
    return tuple(max(high - low, 0) for low, high in zip(lowest, highest, strict=True))
