"""The rows of a table divided into patterns, and how the division changes from one rule set to another.

Going to another rule set touches the rows once for each rule that is new or has other literals; rules that are gone,
and the order of the rules, change patterns only. What comes out is, to the last digit, what a fresh start gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns, line_totals, packed, tabulate
from turs.editing.rows import BinRange, Rows
from turs.kernel import kernel
from turs.mdl.score import rule_bits
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Schema


@kernel
def switch(row_pattern, inside, covered, labels, other, counts):  # type: ignore[no-untyped-def]
    """Move the rows that enter or leave a rule to the pattern that differs in this rule.

    Parameters
    ----------
    row_pattern : int32 [n], changed
        Pattern of each row.
    inside : bool [P]
        Whether the rule is in each pattern.
    covered : bool [n]
        The rule's new cover.
    labels : int [n]
        Class of each row.
    other : int32 [P], changed
        Holds -1; other[p] becomes the pattern of the rows that leave p.
    counts : int64 [2 * P, C], changed
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
        n_moved += covered[i] != inside[row_pattern[i]]
    n_patterns = inside.size
    for i in rows[:n_moved]:
        p = row_pattern[i]
        q = other[p]
        if q < 0:
            q = other[p] = n_patterns
            n_patterns += 1
        row_pattern[i] = q
        counts[p, labels[i]] -= 1
        counts[q, labels[i]] += 1
    return n_patterns


@kernel
def renumber(row_pattern, new):  # type: ignore[no-untyped-def]
    """Give every row the new number of its pattern."""
    for i in range(row_pattern.size):
        row_pattern[i] = new[row_pattern[i]]


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
    row_pattern : int32 [n]
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
    row_pattern: NDArray[np.int32]
    patterns: Patterns
    reaches: tuple[RuleReach, ...] | None
    arrival: Arrival | None = None

    def moved_to(self, rule_set: RuleSet) -> Partition:
        """Return the partition by another rule set over the same grid."""
        old_of = {rule.id: k for k, rule in enumerate(self.rule_set.rules)}
        was = [old_of.get(rule.id) for rule in rule_set.rules]
        members = np.zeros((len(self.patterns.members), len(rule_set.rules)), dtype=np.bool_)
        stay = [k for k, old in enumerate(was) if old is not None]
        members[:, stay] = self.patterns.members[:, [old for old in was if old is not None]]
        recut = set() if self.reaches is None else _recut(self.rule_set.schema, rule_set.schema)
        reaches: list[RuleReach] = []
        flow = _Flow(self.row_pattern.copy(), members, self.patterns.counts.copy(), np.arange(len(members)))
        for k, (rule, old) in enumerate(zip(rule_set.rules, was, strict=True)):
            if old is None or self.rule_set.rules[old].literals != rule.literals:
                if self.reaches is None:
                    covered = self.rows.cover(rule.literals)
                else:
                    reach = self.rows.reach(rule, rule_set.schema)
                    covered = reach.covered
                    reaches.append(_rule_reach(rule, rule_set.schema, reach.ranges, reach.n_values))
                flow.switch(k, covered, self.rows.data.labels)
            elif self.reaches is not None:
                reach_before = self.reaches[old]
                if recut and not recut.isdisjoint(literal.feature for literal in rule.literals):
                    n_values = self.rows.n_values(rule.literals, reach_before.ranges, rule_set.schema)
                    reach_before = _rule_reach(rule, rule_set.schema, reach_before.ranges, n_values)
                reaches.append(reach_before)
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


@dataclass(eq=False)
class _Flow:
    """Rows on their way from one partition to another.

    Parameters
    ----------
    row_pattern : int32 [n]
        Pattern of each row.
    members : bool [P, K]
        The rules of each pattern, those of the rule set that the rows go to.
    counts : int64 [P, C]
        Class counts of each pattern.
    origin : int64 [P]
        The pattern, before, of the rows of each pattern.
    """

    row_pattern: NDArray[np.int32]
    members: NDArray[np.bool_]
    counts: NDArray[np.int64]
    origin: NDArray[np.int64]

    def switch(self, k: int, covered: NDArray[np.bool_], labels: NDArray[np.int32]) -> None:
        """Let rule number k cover these rows."""
        n_before = len(self.members)
        other = np.full(n_before, -1, dtype=np.int32)
        counts = np.zeros((2 * n_before, self.counts.shape[1]), dtype=np.int64)
        counts[:n_before] = self.counts
        inside = np.ascontiguousarray(self.members[:, k])
        n_patterns = switch(self.row_pattern, inside, covered, labels, other, counts)
        parents = np.flatnonzero(other >= 0)
        parents = parents[np.argsort(other[parents])]
        flipped = self.members[parents]
        flipped[:, k] ^= True
        self.members = np.concatenate((self.members, flipped))
        self.counts = counts[:n_patterns]
        self.origin = np.concatenate((self.origin, self.origin[parents]))


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
    row_pattern = np.zeros(rows.n_rows, dtype=np.int32)
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
    kept = np.append(np.flatnonzero(line_totals(counts)), len(members))
    found = np.concatenate((members, np.zeros((1, members.shape[1]), dtype=np.bool_)))[kept]
    totals = np.concatenate((counts, np.zeros((1, counts.shape[1]), dtype=np.int64)))[kept]
    words = packed(found)
    order = np.lexsort(words.T[::-1]) if words.shape[1] > 1 else words[:, 0].argsort()
    words = words[order]
    starts = np.ones(len(order), dtype=np.bool_)
    starts[1:] = (words[1:] != words[:-1]).any(axis=1) if words.shape[1] > 1 else words[1:, 0] != words[:-1, 0]
    line = np.zeros(len(members) + 1, dtype=np.int32)
    line[kept[order]] = np.cumsum(starts) - 1
    patterns = Patterns(found[order[starts]], np.add.reduceat(totals[order], np.flatnonzero(starts)))
    patterns.__dict__["words"] = words[starts]
    return patterns, line
