"""Model bits of the rule set with each version of one literal.

A cut off the grid joins the candidate cuts of its feature, so it costs every rule with a literal on that feature; and
a tighter literal leaves the literals after it fewer candidate cuts (K_value).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from turs.cover.covers import N_CODES, literal_bins
from turs.editing.rows import narrow
from turs.editing.scan_kernel import ranges_by_bin
from turs.editing.state import State
from turs.mdl.codes import set_bits
from turs.mdl.score import rule_bits
from turs.rules.literal import Interval, Literal
from turs.rules.rule import Rule
from turs.rules.schema import Feature, Schema

_EVERY = np.ones(N_CODES, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class ModelBits:
    """Counts the model bits of the versions of a literal.

    Parameters
    ----------
    state : State
        Where the rule set stands.
    rule : Rule
        The rule of the literal.
    place : int
        Number of the literal in the rule; the number of its literals where it is to be added.
    fine : Feature
        The feature, with the cuts of all versions of the literal among its cuts.
    """

    state: State
    rule: Rule
    place: int
    fine: Feature

    def of(self, literals: Sequence[Literal], masks: NDArray[np.bool_]) -> list[float]:
        """Return the model bits of the rule set with each of the literals, whose bins [N, 256] are given."""
        about_set = set_bits(len(self._others) + 1)
        sums = []
        others: dict[tuple[float, ...], float] = {}
        for literal, mask in zip(literals, masks, strict=True):
            feature = self._with_cuts_of(literal)
            if feature.cuts not in others:
                others[feature.cuts] = self._bits_of_others(feature)
            sums.append(math.fsum((about_set, others[feature.cuts], self._own_bits(literal, feature, mask))))
        return sums

    @property
    def _schema(self) -> Schema:
        """The schema that the rows are binned under."""
        return self.state.rule_set.schema.with_feature(self.fine)

    @cached_property
    def _index(self) -> int:
        """Number of the feature."""
        return self._schema.index(self.fine.name)

    @cached_property
    def _others(self) -> tuple[Rule, ...]:
        """The other rules."""
        return tuple(rule for rule in self.state.rule_set.rules if rule.id != self.rule.id)

    @cached_property
    def _n_values(self) -> dict[str, tuple[int, ...]]:
        """K_value of the literals of every rule, as they are."""
        reaches = self.state.training.reaches
        assert reaches is not None  # bits are counted on the training rows
        return {rule: reach.n_values for rule, reach in zip(self.state.version.ids, reaches, strict=True)}

    @cached_property
    def _standing(self) -> frozenset[float]:
        """Candidate cuts that are there whatever the literal is: those of the grid and of the other rules."""
        own = [literal for rule in self._others for literal in rule.literals if literal.feature == self.fine.name]
        return frozenset((*self.state.version.grid.features[self._index].cuts, *_cuts_of(own)))

    def _with_cuts_of(self, literal: Literal) -> Feature:
        """Return the feature as the version with this literal has it."""
        if self.fine.is_categorical:
            return self.fine
        return replace(self.fine, cuts=tuple(sorted(self._standing.union(_cuts_of([literal])))))

    @cached_property
    def _ranges_of_others(self) -> dict[str, tuple[int, tuple[int, int]]]:
        """Of the other rules with a literal on the feature: its place, and the bins of the rows that reach it."""
        found = {}
        for rule in self._others:
            names = [literal.feature for literal in rule.literals]
            if self.fine.name in names:
                place = names.index(self.fine.name)
                found[rule.id] = place, self._range_before(rule.literals[:place])
        return found

    def _bits_of_others(self, feature: Feature) -> float:
        """Return the bits of the conditions of the other rules."""
        schema = self._schema.with_feature(feature)
        bits = []
        for rule in self._others:
            n_values = self._n_values[rule.id]
            if rule.id in self._ranges_of_others:
                place, reached = self._ranges_of_others[rule.id]
                n_values = (*n_values[:place], self._n_split(feature, reached), *n_values[place + 1 :])
            bits.append(rule_bits(rule, schema, n_values))
        return math.fsum(bits)

    def _own_bits(self, literal: Literal, feature: Feature, mask: NDArray[np.bool_]) -> float:
        """Return the bits of the rule's condition with this literal."""
        before, after = self.rule.literals[: self.place], self.rule.literals[self.place + 1 :]
        n_values = [*self._n_values[self.rule.id][: self.place], self._n_split(feature, self._own_range)]
        for later, (low, high) in zip(after, self._later_ranges, strict=True):
            is_cut = not self._schema.feature(later.feature).is_categorical
            lowest, highest = int(low[mask].min(initial=255)), int(high[mask].max(initial=0))
            n_values.append(max(highest - lowest, 0) if is_cut else 0)
        rule = Rule(self.rule.id, (*before, literal, *after))
        return rule_bits(rule, self._schema.with_feature(feature), tuple(n_values))

    @cached_property
    def _own_range(self) -> tuple[int, int]:
        """Bins of the rows that reach the literal."""
        return self._range_before(self.rule.literals[: self.place])

    @cached_property
    def _later_ranges(self) -> list[tuple[NDArray[np.int16], NDArray[np.int16]]]:
        """Of each later literal: lowest and highest bin of the rows that reach it, by the bin of this feature."""
        rows = self.state.training.rows
        covered = rows.cover(self.rule.literals[: self.place])
        own = rows.column(self._index, self.fine)
        found = []
        for literal in self.rule.literals[self.place + 1 :]:
            index = self._schema.index(literal.feature)
            feature = self._schema.features[index]
            column = rows.column(index, feature)
            low, high = np.empty(N_CODES, dtype=np.int16), np.empty(N_CODES, dtype=np.int16)
            ranges_by_bin(own, column, feature.n_bins, covered, low, high)
            narrow(column, literal_bins(literal, feature), feature.n_bins, covered)
            found.append((low, high))
        return found

    def _range_before(self, literals: tuple[Literal, ...]) -> tuple[int, int]:
        """Return the lowest and highest known bin of the feature over the rows that satisfy these literals."""
        rows = self.state.training.rows
        covered = rows.cover(literals)
        low, high = narrow(rows.column(self._index, self.fine), _EVERY, self.fine.n_bins, covered)
        return int(low), int(high)

    def _n_split(self, feature: Feature, reached: tuple[int, int]) -> int:
        """Return how many cuts of `feature` split rows that have these lowest and highest bins."""
        if feature.is_categorical:
            return 0
        numbers = np.searchsorted(np.array(self.fine.cuts), np.array(feature.cuts))
        return int(((numbers >= reached[0]) & (numbers < reached[1])).sum())


def _cuts_of(literals: Sequence[Literal]) -> list[float]:
    """Return the cuts of these literals."""
    intervals = (literal for literal in literals if isinstance(literal, Interval))
    return [cut for literal in intervals for cut in (literal.low, literal.high) if cut is not None]
