"""The rows of a table divided into patterns, and how the division changes from one rule set to another.

Going to another rule set touches the rows once for each rule that is new or has other literals; rules that are gone,
and the order of the rules, change patterns only. What comes out is, to the last digit, what a fresh start gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns, packed, tabulate
from turs.editing.rows import Rows
from turs.kernel import kernel
from turs.rules.rule import RuleSet
from turs.rules.schema import Schema


@kernel
def switch(row_pattern, inside, covered, other):  # type: ignore[no-untyped-def]
    """Move the rows that enter or leave a rule to the pattern that differs in this rule.

    Parameters
    ----------
    row_pattern : int32 [n], changed
        Pattern of each row.
    inside : bool [P]
        Whether the rule is in each pattern.
    covered : bool [n]
        The rule's new cover.
    other : int32 [P], changed
        Holds -1; other[p] becomes the pattern of the rows that leave p.

    Returns
    -------
    int
        Number of patterns after.
    """
    n_patterns = inside.size
    for i in range(row_pattern.size):
        p = row_pattern[i]
        if covered[i] != inside[p]:
            if other[p] < 0:
                other[p] = n_patterns
                n_patterns += 1
            row_pattern[i] = other[p]
    return n_patterns


@kernel
def renumber(row_pattern, new):  # type: ignore[no-untyped-def]
    """Give every row the new number of its pattern."""
    for i in range(row_pattern.size):
        row_pattern[i] = new[row_pattern[i]]


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
    n_values : tuple of tuple of int
        K_value of each literal of each rule.
    """

    rows: Rows
    rule_set: RuleSet
    row_pattern: NDArray[np.int32]
    patterns: Patterns
    n_values: tuple[tuple[int, ...], ...]

    def moved_to(self, rule_set: RuleSet) -> Partition:
        """Return the partition by another rule set over the same grid."""
        old_of = {rule.id: k for k, rule in enumerate(self.rule_set.rules)}
        recut = _recut(self.rule_set.schema, rule_set.schema)
        row_pattern = self.row_pattern.copy()
        members = np.zeros((len(self.patterns.members), len(rule_set.rules)), dtype=np.bool_)
        n_values: list[tuple[int, ...]] = []
        changed: list[tuple[int, NDArray[np.bool_]]] = []
        for k, rule in enumerate(rule_set.rules):
            old = old_of.get(rule.id)
            same = old is not None and self.rule_set.rules[old].literals == rule.literals
            if old is not None:
                members[:, k] = self.patterns.members[:, old]
            if same and old is not None and recut.isdisjoint(literal.feature for literal in rule.literals):
                n_values.append(self.n_values[old])
                continue
            reach = self.rows.reach(rule, rule_set.schema)
            n_values.append(reach.n_values)
            if not same:
                changed.append((k, reach.covered))
        for k, covered in changed:
            members = _switched(row_pattern, members, k, covered)
        n_classes = len(rule_set.schema.classes)
        patterns, line = _settled(tabulate(row_pattern, members, self.rows.data.labels, n_classes))
        renumber(row_pattern, line)
        return Partition(self.rows, rule_set, row_pattern, patterns, tuple(n_values))


def partition_of(rows: Rows, rule_set: RuleSet) -> Partition:
    """Return the rows of a table by pattern."""
    schema: Schema = rows.data.schema
    n_classes = len(schema.classes)
    row_pattern = np.zeros(rows.n_rows, dtype=np.int32)
    patterns = tabulate(row_pattern, np.zeros((1, 0), dtype=np.bool_), rows.data.labels, n_classes)
    return Partition(rows, RuleSet(schema), row_pattern, patterns, ()).moved_to(rule_set)


def _recut(old: Schema, new: Schema) -> set[str]:
    """Return the features that have other candidate cuts in the one schema than in the other."""
    if old is new:
        return set()
    pairs = zip(old.features, new.features, strict=True)
    return {after.name for before, after in pairs if before is not after and before.cuts != after.cuts}


def _switched(
    row_pattern: NDArray[np.int32], members: NDArray[np.bool_], k: int, covered: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Change the pattern of the rows that enter or leave rule number k; return the members of all patterns."""
    other = np.full(len(members), -1, dtype=np.int32)
    n_patterns = switch(row_pattern, np.ascontiguousarray(members[:, k]), covered, other)
    grown = np.empty((n_patterns, members.shape[1]), dtype=np.bool_)
    grown[: len(members)] = members
    parents = np.flatnonzero(other >= 0)
    grown[other[parents]] = members[parents]
    grown[other[parents], k] ^= True
    return grown


def _settled(found: Patterns) -> tuple[Patterns, NDArray[np.int32]]:
    """Return the patterns that have rows, and the else rule, each once and in ascending order; and where each went."""
    kept = np.append(np.flatnonzero(found.counts.any(axis=1)), len(found.members))
    members = np.concatenate((found.members, np.zeros((1, found.members.shape[1]), dtype=np.bool_)))[kept]
    counts = np.concatenate((found.counts, np.zeros((1, found.counts.shape[1]), dtype=np.int64)))[kept]
    words = packed(members)
    order = np.lexsort(words.T[::-1])
    starts = np.ones(len(order), dtype=np.bool_)
    starts[1:] = (words[order[1:]] != words[order[:-1]]).any(axis=1)
    line = np.zeros(len(found.members) + 1, dtype=np.int32)
    line[kept[order]] = np.cumsum(starts) - 1
    return Patterns(members[order[starts]], np.add.reduceat(counts[order], np.flatnonzero(starts))), line
