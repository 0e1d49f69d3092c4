"""Which rules cover which rows, as patterns: the exact set of rules that covers a row.

A prediction depends on a row only through its pattern, so the table pattern -> class counts says all about a rule
set on a table of rows. `assign_patterns` refines patterns one rule at a time, touching only the rows it covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from turs.cover.unions import bit_sums
from turs.kernel import kernel

MANY = 1024
"""Patterns from which on unions are summed up in bits: measured, both take as long there."""

RowPattern = NDArray[np.uint16] | NDArray[np.uint32]
"""The pattern of each row."""


@kernel
def refine(row_pattern, covered, child):  # type: ignore[no-untyped-def]
    """Move the covered rows of each pattern into a child pattern of their own.

    Parameters
    ----------
    row_pattern : uint16 or uint32 [n], changed
        Pattern of each row.
    covered : bool [n]
        The cover of the rule that is added.
    child : int32 [2 * number of patterns], changed
        Holds -1; child[p] becomes the new pattern of the covered rows of pattern p.

    Returns
    -------
    int
        Number of patterns after.
    """
    n_old = child.size // 2
    n_patterns = n_old
    for i in range(row_pattern.size):
        if covered[i]:
            p = row_pattern[i]
            if child[p] < 0:
                child[p] = n_patterns
                n_patterns += 1
            row_pattern[i] = child[p]
    return n_patterns


@kernel
def count_patterns(row_pattern, labels, counts):  # type: ignore[no-untyped-def]
    """Add the class counts of each pattern to `counts` [P, C]; rows without a label (-1) do not count."""
    for i in range(row_pattern.size):
        if labels[i] >= 0:
            counts[row_pattern[i], labels[i]] += 1


@kernel
def count_divided(row_pattern, covered, labels, counts):  # type: ignore[no-untyped-def]
    """Add the class counts of each pattern outside (0) and inside (1) a cover to `counts` [P, 2, C]; no label is -1."""
    for i in range(row_pattern.size):
        counts[row_pattern[i], np.int64(covered[i]), labels[i]] += 1


@kernel
def mark_used(row_pattern, used):  # type: ignore[no-untyped-def]
    """Set `used` [P] for every pattern that has a row."""
    for i in range(row_pattern.size):
        used[row_pattern[i]] = True


@kernel
def renumber(row_pattern, new_of_old):  # type: ignore[no-untyped-def]
    """Replace every row's pattern by `new_of_old` of it, without a second array of the length of the table."""
    for i in range(row_pattern.size):
        row_pattern[i] = new_of_old[row_pattern[i]]


@dataclass(frozen=True)
class Patterns:
    """The observed patterns of a rule set on a table.

    Parameters
    ----------
    members : bool [P, K]
        Which rules make a pattern; rows in ascending order, the else rule (no member) first and always present.
    counts : int64 [P, C]
        Class counts of the rows of each pattern.
    """

    members: NDArray[np.bool_]
    counts: NDArray[np.int64]

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """The members as 64-bit numbers [P, words] (see `packed`)."""
        return packed(self.members)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of rules of each pattern [P]."""
        return np.asarray(np.bitwise_count(self.words).sum(axis=1, dtype=np.int64))

    @cached_property
    def n_rows(self) -> NDArray[np.int64]:
        """Number of rows of each pattern [P]."""
        return line_totals(self.counts)

    @cached_property
    def rule_counts(self) -> NDArray[np.int64]:
        """Class counts of each rule's cover [K, C]."""
        return sum_counts(np.ascontiguousarray(self.members.T), self.counts)

    @cached_property
    def union_counts(self) -> NDArray[np.int64]:
        """Class counts of the union of each pattern's rules [P, C]; the else rule has its own rows."""
        unions = union_sums(self.words, self.words, self.counts)
        unions[0] = self.counts[0]
        return unions

    def with_rule(self, divided: NDArray[np.int64]) -> Patterns:
        """Return the patterns that one more rule makes, given the class counts outside and inside of it [P, 2, C].

        A pattern is there where it has labelled rows.
        """
        grown = np.zeros((2 * len(self.members), self.members.shape[1] + 1), dtype=np.bool_)
        grown[:, :-1] = np.repeat(self.members, 2, axis=0)
        grown[1::2, -1] = True
        counts = divided.reshape(len(grown), -1)
        used = counts.sum(axis=1) > 0
        used[0] = True
        return Patterns(grown[used], counts[used])

    def without(self, k: int) -> Patterns:
        """Return the patterns that are left where rule number k is taken away."""
        fewer = np.delete(self.members, k, axis=1)
        order, starts = _ascending(fewer)
        return Patterns(fewer[order[starts]], np.add.reduceat(self.counts[order], np.flatnonzero(starts)))


def meeting_words(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which patterns of `left` [P, words] share a rule with which of `right` [Q, words], as [P, Q]."""
    meets = np.empty((len(left), len(right)), dtype=np.bool_)
    if left.shape[1] == 1:
        _meet_one_word(left[:, 0].copy(), right[:, 0].copy(), meets)
    else:
        _meet(left, right, meets)
    return meets


def packed(members: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return members as 64-bit numbers [P, words] in the order of the members, the first rule counting most."""
    wide = np.zeros((len(members), 64 * max(1, -(-members.shape[1] // 64))), dtype=np.bool_)
    wide[:, : members.shape[1]] = members
    return np.packbits(wide, axis=1).view(">u8").astype(np.uint64)


def find_lines(lines: NDArray[np.bool_], among: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return where each of these sets of rules [Q, K] is among other ones [P, K], none of which is there twice.

    -1 stands for nowhere.
    """
    return find_words(packed(lines), packed(among))


def find_words(wanted: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Do what `find_lines` does for sets of rules as 64-bit numbers [Q, words], [P, words]."""
    if wanted.shape[1] == 1 and len(known):
        order = np.argsort(known[:, 0])
        at = order[np.minimum(np.searchsorted(known[order, 0], wanted[:, 0]), len(order) - 1)]
        return np.where(known[at, 0] == wanted[:, 0], at, -1)
    place = {line.tobytes(): p for p, line in enumerate(known)}
    return np.array([place.get(line.tobytes(), -1) for line in wanted], dtype=np.int64)


@kernel
def _meet(left, right, meets):  # type: ignore[no-untyped-def]
    """Write whether words of `left` and `right` have a bit in common."""
    for p in range(left.shape[0]):
        for q in range(right.shape[0]):
            common = np.uint64(0)
            for w in range(left.shape[1]):
                common |= left[p, w] & right[q, w]
            meets[p, q] = common != 0


@kernel
def _meet_one_word(left, right, meets):  # type: ignore[no-untyped-def]
    """Do what `_meet` does for rules that fit into one word each: without the inner loop it vectorises."""
    for p in range(left.size):
        for q in range(right.size):
            meets[p, q] = (left[p] & right[q]) != 0


def union_sums(wanted: NDArray[np.uint64], known: NDArray[np.uint64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each set of rules [Q, words] the sum of the counts [P, C] of the patterns [P, words] that it meets.

    Sets and patterns are 64-bit numbers; the empty set meets nothing.
    """
    if len(known) < MANY:
        return sum_counts(meeting_words(wanted, known), counts)
    return bit_sums(wanted, known, counts)


def sum_counts(flags: NDArray[np.bool_], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each row of flags [R, P] the sum of the counts [P, C] where it is set."""
    sums = np.empty((flags.shape[0], counts.shape[1]), dtype=np.int64)
    add_flagged(flags, np.ascontiguousarray(counts.T), sums)
    return sums


@kernel
def add_flagged(flags, by_class, sums):  # type: ignore[no-untyped-def]
    """Write the sums of `by_class` [C, P] over the flags of each row [R, P] to `sums` [R, C]."""
    for r in range(flags.shape[0]):
        for c in range(by_class.shape[0]):
            total = 0
            for p in range(flags.shape[1]):
                total += flags[r, p] * by_class[c, p]
            sums[r, c] = total


def line_totals(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of each line of counts [P, C]; NumPy's own is slow where lines are short."""
    totals = np.empty(len(counts), dtype=np.int64)
    add_lines_up(counts, totals)
    return totals


@kernel
def add_lines_up(counts, totals):  # type: ignore[no-untyped-def]
    """Write the sum of each line of counts [P, C] to `totals` [P]."""
    for p in range(counts.shape[0]):
        total = 0
        for c in range(counts.shape[1]):
            total += counts[p, c]
        totals[p] = total


def assign_patterns(covers: Iterable[NDArray[np.bool_]], n_rows: int) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Return the pattern of each row and the members of each pattern, in ascending order of members.

    Parameters
    ----------
    covers : iterable of K bool arrays [n]
        Which rows each rule covers; asked for one at a time.
    n_rows : int
        Number of rows (needed where there is no rule).
    """
    row_pattern = np.zeros(n_rows, dtype=np.uint32)
    members = np.zeros((1, 0), dtype=np.bool_)
    for cover in covers:
        members = extend(row_pattern, members, cover)
    return row_pattern, members


def extend(row_pattern: RowPattern, members: NDArray[np.bool_], cover: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Add one rule: change `row_pattern` in place and return the new members, in ascending order, none empty."""
    child = np.full(2 * len(members), -1, dtype=np.int32)
    n_patterns = refine(row_pattern, cover, child)
    grown = np.zeros((n_patterns, members.shape[1] + 1), dtype=np.bool_)
    grown[: len(members), :-1] = members
    parents = np.flatnonzero(child[: len(members)] >= 0)
    grown[child[parents], :-1] = members[parents]
    grown[child[parents], -1] = True
    used = np.zeros(n_patterns, dtype=np.bool_)
    mark_used(row_pattern, used)
    used[0] = True
    kept = np.flatnonzero(used)
    order = kept[np.lexsort(grown[kept].T[::-1])]
    new_of_old = np.zeros(n_patterns, dtype=np.int32)
    new_of_old[order] = np.arange(order.size, dtype=np.int32)
    renumber(row_pattern, new_of_old)
    return grown[order]


def rearrange(row_pattern: RowPattern, members: NDArray[np.bool_], kept: Sequence[int]) -> NDArray[np.bool_]:
    """Keep these rules in this order: change `row_pattern` in place and return the new members, in ascending order."""
    lines = members[:, kept]
    order, starts = _ascending(lines)
    new_of_old = np.empty(len(order), dtype=np.int32)
    new_of_old[order] = np.cumsum(starts) - 1
    renumber(row_pattern, new_of_old)
    return lines[order[starts]]


def _ascending(lines: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the ascending order of sets of rules [P, K], and which are the first of their kind in this order."""
    order = np.lexsort(lines.T[::-1]) if lines.shape[1] else np.arange(len(lines))
    starts = np.ones(len(order), dtype=np.bool_)
    starts[1:] = (lines[order[1:]] != lines[order[:-1]]).any(axis=1)
    return order, starts


def tabulate(
    row_pattern: RowPattern, members: NDArray[np.bool_], labels: NDArray[np.int16], n_classes: int
) -> Patterns:
    """Return the patterns with their class counts."""
    counts = np.zeros((len(members), n_classes), dtype=np.int64)
    count_patterns(row_pattern, labels, counts)
    return Patterns(members, counts)
