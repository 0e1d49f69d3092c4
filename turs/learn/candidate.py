"""A rule while it grows: its literals as sets of bins, and the way from there to a `Rule` and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from turs.cover.covers import N_CODES, literal_bins
from turs.learn.counting import Bases
from turs.rules.literal import Interval, LevelSet, Literal, Missingness
from turs.rules.rule import Rule
from turs.rules.schema import Feature, Schema


class Candidate(NamedTuple):
    """A rule that may be grown further or added; as a named tuple it is made in a third of the time of a dataclass.

    Parameters
    ----------
    feature : tuple of int
        Features in the order in which they entered.
    holds : bool [number of literals, 256]
        Bins that satisfy each literal.
    score : float
        What its beam ranks by.
    gain : float
        Bits that the rule set saves by adding it (of the complementary score in the auxiliary beam).
    newly, coverage : int
        Rows newly covered, and covered.
    key : int
        Stands for what the rule says, whatever the order of its literals.
    """

    feature: tuple[int, ...]
    holds: NDArray[np.bool_]
    score: float = -np.inf
    gain: float = -np.inf
    newly: int = 0
    coverage: int = 0
    key: int = 0

    def with_literal(
        self, feature: int, own: int, holds: NDArray[np.bool_]
    ) -> tuple[tuple[int, ...], NDArray[np.bool_]]:
        """Return the features and bins with one more literal, or with its literal number `own` replaced."""
        if own >= 0:
            stack = self.holds.copy()
            stack[own] = holds
            return self.feature, stack
        return (*self.feature, feature), np.concatenate((self.holds, holds[None]))


EMPTY = Candidate((), np.zeros((0, N_CODES), dtype=np.bool_))
"""The rule without literals, which covers all rows."""


def batch_of(candidates: Sequence[Candidate]) -> Bases:
    """Return base rules in arrays."""
    sizes = [len(candidate.feature) for candidate in candidates]
    return Bases(
        start=np.array([0, *accumulate(sizes)], dtype=np.int32),
        feature=np.array([f for candidate in candidates for f in candidate.feature], dtype=np.int32),
        holds=np.concatenate([candidate.holds for candidate in candidates]),
    )


def candidate_of(rule: Rule, schema: Schema) -> Candidate:
    """Return a rule as a candidate."""
    features = tuple(schema.index(literal.feature) for literal in rule.literals)
    holds = [literal_bins(literal, schema.features[f]) for f, literal in zip(features, rule.literals, strict=True)]
    return Candidate(features, np.array(holds, dtype=np.bool_).reshape(-1, N_CODES))


def shorter(candidate: Candidate) -> list[Candidate]:
    """Return a rule without each of its literals; without its only one it is the empty rule."""
    size = len(candidate.feature)
    kept = ([i for i in range(size) if i != j] for j in range(size))
    return [Candidate(tuple(candidate.feature[i] for i in some), candidate.holds[some]) for some in kept]


def half_open(rule: Rule, schema: Schema) -> list[Candidate]:
    """Return a rule with each of its intervals that has two cuts left with either of them."""
    found = []
    for j, literal in enumerate(rule.literals):
        if isinstance(literal, Interval) and literal.low is not None and literal.high is not None:
            for side in (replace(literal, low=None), replace(literal, high=None)):
                opened = (*rule.literals[:j], side, *rule.literals[j + 1 :])
                found.append(candidate_of(Rule(rule.id, opened), schema))
    return found


def rule_of(candidate: Candidate, rule_id: str, schema: Schema) -> Rule:
    """Return a candidate as a rule."""
    literals = (
        _literal_of(schema.features[f], holds) for f, holds in zip(candidate.feature, candidate.holds, strict=True)
    )
    return Rule(rule_id, tuple(literals))


def _literal_of(feature: Feature, holds: NDArray[np.bool_]) -> Literal:
    """Return the literal that lets these bins through."""
    if holds[feature.missing_bin]:
        return Missingness(feature.name, missing=True)
    if holds[feature.other_bin]:
        return Missingness(feature.name, missing=False)
    chosen = np.flatnonzero(holds[: feature.n_bins])
    if feature.is_categorical:
        return LevelSet(feature.name, tuple(feature.levels[v] for v in chosen))
    low, high = int(chosen[0]), int(chosen[-1]) + 1
    return Interval(
        feature.name,
        low=feature.cuts[low - 1] if low > 0 else None,
        high=feature.cuts[high - 1] if high < feature.n_bins else None,
    )
