"""The scan of one literal: bits and AUC for every cut that it could have, or every level in or out, all else fixed.

One walk over the bins serves all versions of the literal (`scan_kernel`); only the model bits of the rules that have a
literal on the same feature are counted one version at a time, because a cut off the grid joins their candidate cuts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from turs.cover.covers import N_CODES, literal_bins
from turs.cover.patterns import find_lines, packed
from turs.editing.partition import Partition
from turs.editing.scan_bits import ModelBits
from turs.editing.scan_kernel import Fixed, Groups, Sorted, scan_masks, sort_by_bin
from turs.editing.state import State
from turs.errors import EditError
from turs.evaluate.forecast import union_counts
from turs.mdl.logs import log2_table
from turs.mdl.regret import regret_bits
from turs.mdl.score import likelihood_bits
from turs.predict import shares
from turs.rules.literal import Interval, Literal
from turs.rules.rule import Rule
from turs.rules.schema import MAX_BINS, Feature

log2s_up_to = lru_cache(maxsize=2)(log2_table)


@dataclass(frozen=True)
class ScanPoint:
    """A rule set that has one literal other than it is.

    Parameters
    ----------
    literal : Literal
        The literal.
    total_bits : float
        MDL score on the training rows.
    coverage : int
        Training rows that the rule covers.
    auc, validation_auc : float
        AUC on training and on validation rows; NaN where there are no rows or one class only.
    """

    literal: Literal
    total_bits: float
    coverage: int
    auc: float
    validation_auc: float


def scan(state: State, rule_id: str, literals: Sequence[Literal]) -> tuple[ScanPoint, ...]:
    """Return what each of these literals would do, in the place of the rule's literal on the same feature.

    Parameters
    ----------
    state : State
        Where the rule set stands.
    rule_id : str
        The rule.
    literals : sequence of Literal
        On one feature (`turs.editing.candidates` makes them). A rule without a literal on it gets it at its end.
    """
    if not literals:
        return ()
    rule, literals = state.version.rule(rule_id), [state.version.on_grid(literal) for literal in literals]
    fine = _fine_feature(state, literals)
    if fine.n_bins > MAX_BINS:
        if len(literals) == 1:
            raise EditError(f"'{fine.name}' has no room for another cut: use one of its {len(fine.cuts) - 1}.")
        half = len(literals) // 2
        return scan(state, rule_id, literals[:half]) + scan(state, rule_id, literals[half:])
    names = [literal.feature for literal in rule.literals]
    place = names.index(fine.name) if fine.name in names else len(names)
    masks = np.array([literal_bins(literal, fine) for literal in literals])
    order = np.lexsort(masks.T[::-1])  # neighbours differ in few bins
    walk = _walk(state, rule, place, fine, masks[order])
    model_bits = ModelBits(state, rule, place, fine).of(literals, masks)
    regrets = math.fsum(held.regret_bits for held in state.score.rules if held.id != rule_id)
    n_classes = walk.inside.shape[1]
    points = []
    for literal, bits, at in zip(literals, model_bits, np.argsort(order).tolist(), strict=True):
        n_inside, n_outside = int(walk.inside[at].sum()), int(walk.outside[at].sum())
        moved = regret_bits(n_inside, n_classes), regret_bits(n_outside, n_classes)
        total = math.fsum((float(walk.nll_bits[at]), regrets, *moved, bits))
        points.append(ScanPoint(literal, total, n_inside, *walk.aucs[at].tolist()))
    return tuple(points)


def _fine_feature(state: State, literals: Sequence[Literal]) -> Feature:
    """Return the feature of the literals with the cuts of all of them."""
    feature = state.rule_set.schema.feature(literals[0].feature)
    if any(literal.feature != feature.name for literal in literals):
        raise EditError("A scan is about one feature: give literals on the same one.")
    cuts = {cut for part in literals if isinstance(part, Interval) for cut in (part.low, part.high) if cut is not None}
    return replace(feature, cuts=tuple(sorted(cuts.union(feature.cuts)))) if cuts - set(feature.cuts) else feature


@dataclass(frozen=True, eq=False)
class _Walk:
    """What the kernel found for N versions of a literal; see `scan_masks`."""

    nll_bits: NDArray[np.float64]
    inside: NDArray[np.int64]
    outside: NDArray[np.int64]
    aucs: NDArray[np.float64]


def _walk(state: State, rule: Rule, place: int, fine: Feature, masks: NDArray[np.bool_]) -> _Walk:
    """Return likelihood bits, class counts and AUCs of versions of a literal, given as sets of bins."""
    schema = state.rule_set.schema.with_feature(fine)
    others = state.training.patterns.without(state.version.ids.index(rule.id))
    rest = Rule(rule.id, (*rule.literals[:place], *rule.literals[place + 1 :]))
    sides = [_Side(part, rest) for part in (state.training, state.validation) if part is not None]
    nobody = np.zeros((1, others.members.shape[1]), dtype=np.bool_)
    members = np.unique(np.concatenate((nobody, *(side.met for side in sides))), axis=0)
    groups = Groups(
        np.ascontiguousarray(packed(members).T),
        union_counts(others, members),
        *_padded([side.totals(members) for side in sides]),
    )
    rest_members = np.concatenate([side.unmet(members) for side in sides])
    fixed = np.unique(rest_members, axis=0) if len(rest_members) else rest_members
    unions, everyone = union_counts(others, fixed), others.counts.sum(axis=0)
    counts = _padded([side.totals(fixed) for side in sides])
    prior = shares(everyone[None], everyone)[0]
    still = Fixed(shares(unions, everyone), counts[0], counts[1], prior)
    rows = [side.by_bin(schema.index(fine.name), fine, members) for side in sides]
    rows += [Sorted(np.zeros(N_CODES + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))] * (2 - len(rows))
    n, n_classes = len(masks), others.counts.shape[1]
    walk = _Walk(
        np.empty(n),
        np.empty((n, n_classes), dtype=np.int64),
        np.empty((n, n_classes), dtype=np.int64),
        np.empty((n, 2)),
    )
    log2s = log2s_up_to(state.training.rows.n_rows)
    scan_masks(masks, rows[0], rows[1], groups, still, log2s, walk.nll_bits, walk.inside, walk.outside, walk.aucs)
    return replace(walk, nll_bits=walk.nll_bits + math.fsum(likelihood_bits(counts[0], unions)))


class _Side:
    """Training or validation rows, as a scan of a rule sees them: by the patterns of the other rules."""

    def __init__(self, part: Partition, rest: Rule) -> None:
        self._part = part
        self._covered = part.rows.cover(rest.literals)
        self._lines = np.delete(part.patterns.members, [r.id for r in part.rule_set.rules].index(rest.id), axis=1)
        touched = np.zeros(len(self._lines), dtype=np.bool_)
        touched[part.row_pattern[self._covered]] = True
        self.met = self._lines[touched]

    def totals(self, members: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the class counts of the rows with exactly these other rules [R, C]."""
        at = self._places(members)
        sums = np.zeros((len(members), self._part.patterns.counts.shape[1]), dtype=np.int64)
        np.add.at(sums, at[at >= 0], self._part.patterns.counts[at >= 0])
        return sums

    def unmet(self, members: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the patterns of other rules that are not among these."""
        return self._lines[self._places(members) < 0]

    def by_bin(self, index: int, fine: Feature, members: NDArray[np.bool_]) -> Sorted:
        """Return the rows that satisfy the rest of the rule, sorted by the bin of a feature."""
        part = self._part
        group = np.maximum(self._places(members), 0)
        column, n_classes = part.rows.column(index, fine), part.patterns.counts.shape[1]
        found: Sorted = sort_by_bin(column, self._covered, part.row_pattern, group, part.rows.data.labels, n_classes)
        return found

    def _places(self, members: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return where the other rules of each pattern are among members; -1 where they are not."""
        return find_lines(self._lines, members)


def _padded(counts: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Return counts of training and validation rows; zeros where there are no validation rows."""
    return counts if len(counts) == 2 else [counts[0], np.zeros_like(counts[0])]
