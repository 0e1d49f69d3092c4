"""The rows of a table divided into patterns, and how the division changes from one rule set to another.

Going to another rule set finds the rows that enter or leave a rule, for each rule that is new or has other literals,
and then moves them in one pass over the rows for several of these rules. Rules that are gone, and the order of the
rules, change patterns only. What comes out is, to the last digit, what a fresh start gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns, line_totals, packed, renumber, tabulate
from turs.editing.rows import BinRange, Rows
from turs.kernel import kernel
from turs.mdl.score import rule_bits
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Schema

_MOST_AT_ONCE = 8
"""Rules that rows are switched by in one pass: a bit of a byte each."""
_ROOM = 1 << 16
"""Most places of the table of new patterns, so that it stays in the cache."""


@kernel
def mark(differs, bit, flips):  # type: ignore[no-untyped-def]
    """Set a bit of `flips` [n] where `differs` [n] says so: compared byte by byte, it vectorises."""
    for i in range(flips.size):
        flips[i] |= differs[i] * bit


@kernel
def mark_differing(row_pattern, inside, covered, bit, flips):  # type: ignore[no-untyped-def]
    """Set a bit of `flips` [n] where a row enters or leaves a rule: `inside` [P] are the patterns that have had it."""
    for i in range(flips.size):
        flips[i] |= (inside[row_pattern[i]] != covered[i]) * bit


@kernel
def switch(row_pattern, flips, labels, other, counts):  # type: ignore[no-untyped-def]
    """Move the rows that enter or leave rules to the pattern that differs in these rules.

    Parameters
    ----------
    row_pattern : uint32 [n], changed
        Pattern of each row.
    flips : uint8 [n]
        The rules that each row enters or leaves, a bit each.
    labels : int [n]
        Class of each row.
    other : int32 [P, 2 ** bits], changed
        Holds -1; other[p, f] becomes the pattern of the rows of p with the flips f.
    counts : int64 [most patterns, C], changed
        Class counts of each pattern; those of new patterns hold 0.

    Returns
    -------
    int
        Number of patterns after.
    """
    rows = np.empty(row_pattern.size, dtype=np.int32)
    n_moved = 0
    for i in range(row_pattern.size):  # without a branch: which rows move cannot be foreseen
        rows[n_moved] = i
        n_moved += flips[i] != 0
    n_patterns = other.shape[0]
    for i in rows[:n_moved]:
        p, f = row_pattern[i], flips[i]
        q = other[p, f]
        if q < 0:
            q = other[p, f] = n_patterns
            n_patterns += 1
        row_pattern[i] = q
        counts[p, labels[i]] -= 1
        counts[q, labels[i]] += 1
    return n_patterns


@dataclass(frozen=True)
class RuleReach:
    """What the bits of a rule's condition come from: see `turs.editing.rows.Reach`; and these bits."""

    ranges: tuple[BinRange, ...]
    n_values: tuple[int, ...]
    model_bits: float


@dataclass(frozen=True, eq=False)
class Arrival:
    """How the rows of a partition came from another one, a line for each pair of patterns that occurs.

    Parameters
    ----------
    origin : weak reference to Partition
        The one before; a partition keeps no earlier one in memory.
    before, after : int64 [J]
        Patterns of each pair.
    counts : int64 [J, C]
        Rows of each pair by class.
    """

    origin: ref[Partition]
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partition:
    """The rows of a table by pattern.

    Parameters
    ----------
    rows : Rows
        The table.
    rule_set : RuleSet
        The rules.
    row_pattern : uint32 [n]
        Line of `patterns` of each row.
    patterns : Patterns
        The observed patterns.
    reaches : tuple of RuleReach, or None
        Of each rule; None for rows that bits are not counted on.
    arrival : Arrival or None
        Where the rows were before.
    """

    rows: Rows
    rule_set: RuleSet
    row_pattern: NDArray[np.uint32]
    patterns: Patterns
    reaches: tuple[RuleReach, ...] | None
    arrival: Arrival | None = None

    def moved_to(self, rule_set: RuleSet) -> Partition:
        """Return the partition by another rule set over the same grid."""
        old_of = {rule.id: k for k, rule in enumerate(self.rule_set.rules)}
        was = [old_of.get(rule.id) for rule in rule_set.rules]
        members = self.patterns.members
        if was != list(range(members.shape[1])):
            members = np.zeros((len(self.patterns.members), len(rule_set.rules)), dtype=np.bool_)
            stay = [k for k, old in enumerate(was) if old is not None]
            members[:, stay] = self.patterns.members[:, [old for old in was if old is not None]]
        recut = set() if self.reaches is None else _recut(self.rule_set.schema, rule_set.schema)
        reaches: list[RuleReach] = []
        flow = _Flow(
            self.row_pattern.copy(),
            members,
            self.patterns.counts.copy(),
            np.arange(len(members)),
            self.rows.data.labels,
            np.zeros(self.rows.n_rows, dtype=np.uint8),
        )
        for k, (rule, old) in enumerate(zip(rule_set.rules, was, strict=True)):
            if old is None or self.rule_set.rules[old].literals != rule.literals:
                if self.reaches is None:
                    covered = self.rows.cover(rule.literals)
                else:
                    reach = self.rows.reach(rule, rule_set.schema)
                    covered = reach.covered
                    reaches.append(_rule_reach(rule, rule_set.schema, reach.ranges, reach.n_values))
                if old is None:
                    mark(covered, *flow.place_of(k))
                else:
                    inside = np.ascontiguousarray(self.patterns.members[:, old])
                    mark_differing(self.row_pattern, inside, covered, *flow.place_of(k))
            elif self.reaches is not None:
                reaches.append(self._reach_under(self.reaches[old], rule, rule_set.schema, recut))
        if flow.waiting:
            flow.switch()
        patterns, line = _settled(flow.members, flow.counts)
        renumber(flow.row_pattern, line)
        there = np.flatnonzero(line_totals(flow.counts))
        return Partition(
            self.rows,
            rule_set,
            flow.row_pattern,
            patterns,
            None if self.reaches is None else tuple(reaches),
            Arrival(ref(self), flow.origin[there], line[there].astype(np.int64), flow.counts[there]),
        )

    def price_change(self, schema: Schema, rules: Iterable[int]) -> float:
        """Return by how many bits the conditions of some rules change under other candidate cuts."""
        assert self.reaches is not None  # bits are counted on the training rows
        recut = _recut(self.rule_set.schema, schema)
        changes = []
        for k in rules if recut else ():
            reach = self._reach_under(self.reaches[k], self.rule_set.rules[k], schema, recut)
            changes.append(reach.model_bits - self.reaches[k].model_bits)
        return math.fsum(changes)

    def _reach_under(self, reach: RuleReach, rule: Rule, schema: Schema, recut: set[str]) -> RuleReach:
        """Return the reach of a rule that stays as it is, where some features have other candidate cuts."""
        if not recut or recut.isdisjoint(literal.feature for literal in rule.literals):
            return reach
        n_values = self.rows.n_values(rule.literals, reach.ranges, schema)
        return _rule_reach(rule, schema, reach.ranges, n_values)


@dataclass(eq=False)
class _Flow:
    """Rows on their way from one partition to another.

    Parameters
    ----------
    row_pattern : uint32 [n]
        Pattern of each row.
    members : bool [P, K]
        The rules of each pattern, those of the rule set that the rows go to.
    counts : int64 [P, C]
        Class counts of each pattern.
    origin : int64 [P]
        The pattern, before, of the rows of each pattern.
    labels : int16 [n]
        Class of each row.
    flips : uint8 [n]
        The rows that enter or leave the rules that wait, a bit for each rule.
    waiting : list of int
        Rules whose rows are not switched yet.
    """

    row_pattern: NDArray[np.uint32]
    members: NDArray[np.bool_]
    counts: NDArray[np.int64]
    origin: NDArray[np.int64]
    labels: NDArray[np.int16]
    flips: NDArray[np.uint8]
    waiting: list[int] = field(default_factory=list)

    def place_of(self, k: int) -> tuple[np.uint8, NDArray[np.uint8]]:
        """Return the bit to be set for the rows that enter or leave rule number k, and where to set it."""
        n_waiting = len(self.waiting)
        if n_waiting == _MOST_AT_ONCE or (n_waiting and len(self.members) << (n_waiting + 1) > _ROOM):
            self.switch()
        self.waiting.append(k)
        return np.uint8(1 << (len(self.waiting) - 1)), self.flips

    def switch(self) -> None:
        """Move the rows that wait for it."""
        n_before, width = len(self.members), 1 << len(self.waiting)
        other = np.full((n_before, width), -1, dtype=np.int32)
        counts = np.zeros((min(n_before * width, n_before + len(self.labels)), self.counts.shape[1]), dtype=np.int64)
        counts[:n_before] = self.counts
        n_patterns = switch(self.row_pattern, self.flips, self.labels, other, counts)
        places = np.flatnonzero(other.ravel() >= 0)
        parents, flips = np.divmod(places[np.argsort(other.ravel()[places])], width)
        born = self.members[parents]
        for bit, k in enumerate(self.waiting):
            born[:, k] ^= (flips >> bit & 1).astype(np.bool_)
        self.members = np.concatenate((self.members, born))
        self.counts = counts[:n_patterns]
        self.origin = np.concatenate((self.origin, self.origin[parents]))
        self.waiting = []
        self.flips[:] = 0


def partition_of(rows: Rows, rule_set: RuleSet, *, with_bits: bool = True) -> Partition:
    """Return the rows of a table by pattern.

    Parameters
    ----------
    rows : Rows
        The table.
    rule_set : RuleSet
        The rules.
    with_bits : bool
        Whether bits of conditions are counted on these rows: those of training, not of validation.
    """
    schema: Schema = rows.data.schema
    n_classes = len(schema.classes)
    row_pattern = np.zeros(rows.n_rows, dtype=np.uint32)
    patterns = tabulate(row_pattern, np.zeros((1, 0), dtype=np.bool_), rows.data.labels, n_classes)
    return Partition(rows, RuleSet(schema), row_pattern, patterns, () if with_bits else None).moved_to(rule_set)


def _rule_reach(rule: Rule, schema: Schema, ranges: tuple[BinRange, ...], n_values: tuple[int, ...]) -> RuleReach:
    """Return what the bits of a rule's condition come from, with the bits."""
    return RuleReach(ranges, n_values, rule_bits(rule, schema, n_values))


def _recut(old: Schema, new: Schema) -> set[str]:
    """Return the features that have other candidate cuts in the one schema than in the other."""
    if old is new:
        return set()
    pairs = zip(old.features, new.features, strict=True)
    return {after.name for before, after in pairs if before is not after and before.cuts != after.cuts}


def _settled(members: NDArray[np.bool_], counts: NDArray[np.int64]) -> tuple[Patterns, NDArray[np.int32]]:
    """Return the patterns that have rows, and the else rule, each once and in ascending order; and where each went."""
    has_rows = line_totals(counts) > 0
    has_rows[0] = True  # the else rule
    kept = np.flatnonzero(has_rows)
    found, totals = members[kept], counts[kept]
    words = packed(found)
    order = np.lexsort(words.T[::-1]) if words.shape[1] > 1 else words[:, 0].argsort()
    words = words[order]
    starts = np.ones(len(order), dtype=np.bool_)
    starts[1:] = (words[1:] != words[:-1]).any(axis=1) if words.shape[1] > 1 else words[1:, 0] != words[:-1, 0]
    line = np.zeros(len(members), dtype=np.int32)
    line[kept[order]] = np.cumsum(starts) - 1
    patterns = Patterns(found[order[starts]], np.add.reduceat(totals[order], np.flatnonzero(starts)))
    patterns.__dict__["words"] = words[starts]
    return patterns, line
