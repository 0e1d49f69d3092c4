"""How rows move between the patterns of two versions: the table (pattern before, pattern after) -> class counts.

All that an edit does to rows depends on them only through this table, as all that a version does depends on its
patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns, line_totals
from turs.editing.partition import Partition
from turs.evaluate.forecast import Forecast
from turs.kernel import kernel

_CLOSE = 1e-12
"""Probabilities this close are equal: they are ratios of counts, which round."""


@kernel
def _slot(table, first, second, p, q):  # type: ignore[no-untyped-def]
    """Return where a hash table of pairs holds the pair (p, q), or the empty place where it belongs."""
    last = table.size - 1  # a power of two less one
    at = (p * 0x9E3779B1 + q * 0x85EBCA77) & last
    while table[at] >= 0 and (first[table[at]] != p or second[table[at]] != q):
        at = (at + 1) & last
    return at


@kernel
def count_pairs(before, after, labels, n_classes):  # type: ignore[no-untyped-def]
    """Count rows by their pattern before and after, and by class.

    Parameters
    ----------
    before, after : uint32 [n]
        Patterns of each row.
    labels : int [n]
        Class of each row.
    n_classes : int

    Returns
    -------
    tuple of int64 [J], int64 [J], int64 [J, C]
        The pairs of patterns that occur, in order of appearance, and their class counts.
    """
    room = 256
    table = np.full(4 * room, -1, dtype=np.int64)
    first = np.empty(room, dtype=np.int64)
    second = np.empty(room, dtype=np.int64)
    counts = np.zeros((room, n_classes), dtype=np.int64)
    n_pairs = 0
    for i in range(before.size):
        p, q = np.int64(before[i]), np.int64(after[i])
        at = _slot(table, first, second, p, q)
        if table[at] < 0:
            if n_pairs == room:
                room *= 2
                first = np.concatenate((first, first))
                second = np.concatenate((second, second))
                counts = np.concatenate((counts, np.zeros_like(counts)))
                table = np.full(4 * room, -1, dtype=np.int64)
                for j in range(n_pairs):
                    table[_slot(table, first, second, first[j], second[j])] = j
                at = _slot(table, first, second, p, q)
            table[at] = n_pairs
            first[n_pairs], second[n_pairs] = p, q
            n_pairs += 1
        counts[table[at], labels[i]] += 1
    return first[:n_pairs], second[:n_pairs], counts[:n_pairs]


@kernel
def compare_lines(left, of_left, right, of_right, close, same):  # type: ignore[no-untyped-def]
    """Write to `same` [J] whether line of_left[j] of `left` [P, C] and of_right[j] of `right` [Q, C] are this close."""
    for j in range(same.size):
        is_same = True
        for c in range(left.shape[1]):
            is_same &= abs(left[of_left[j], c] - right[of_right[j], c]) <= close
        same[j] = is_same


@dataclass(frozen=True, eq=False)
class Movement:
    """Rows between two versions, a line for each pair of patterns that occurs.

    Parameters
    ----------
    forecast_before, forecast_after : Forecast
        What the versions predict for the rows.
    row_before, row_after : uint32 [n]
        Pattern of each row.
    ids : tuple of str
        The rules of both versions.
    patterns_before, patterns_after : Patterns
        The patterns before and after under these ids.
    before, after : int64 [J]
        Patterns of each pair.
    counts : int64 [J, C]
        Rows of each pair by class.
    same_pattern : bool [J]
        Whether the rows of a pair stay with the same rules.
    """

    forecast_before: Forecast
    forecast_after: Forecast
    row_before: NDArray[np.uint32]
    row_after: NDArray[np.uint32]
    ids: tuple[str, ...]
    patterns_before: Patterns
    patterns_after: Patterns
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    counts: NDArray[np.int64]
    same_pattern: NDArray[np.bool_]

    @property
    def members_before(self) -> NDArray[np.bool_]:
        """The rules of each pattern before [P, number of ids]."""
        return self.patterns_before.members

    @property
    def members_after(self) -> NDArray[np.bool_]:
        """The rules of each pattern after [Q, number of ids]."""
        return self.patterns_after.members

    @cached_property
    def n_rows(self) -> NDArray[np.int64]:
        """Rows of each pair [J]."""
        return line_totals(self.counts)

    @cached_property
    def same_probabilities(self) -> NDArray[np.bool_]:
        """Whether the rows of each pair keep their probabilities [J]."""
        same = np.empty(len(self.before), dtype=np.bool_)
        before, after = self.forecast_before.probabilities, self.forecast_after.probabilities
        compare_lines(before, self.before, after, self.after, _CLOSE, same)
        return same

    @cached_property
    def same_class(self) -> NDArray[np.bool_]:
        """Whether the rows of each pair keep their predicted class [J]."""
        before, after = (part.probabilities.argmax(axis=1) for part in (self.forecast_before, self.forecast_after))
        return np.asarray(before[self.before] == after[self.after])

    def count(self, same: NDArray[np.bool_]) -> int:
        """Return the number of rows of the pairs that are not the same."""
        return int(self.n_rows[~same].sum())

    def rows(self, same: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the positions of the rows of the pairs that are not the same, ascending."""
        n_after = len(self.members_after)
        keys = self.before[~same] * n_after + self.after[~same]
        return np.flatnonzero(np.isin(self.row_before.astype(np.int64) * n_after + self.row_after, keys))


def movement(before: Partition, after: Partition, forecast_before: Forecast, forecast_after: Forecast) -> Movement:
    """Return how the rows of a table move from one partition to another."""
    old, new = forecast_before.ids, forecast_after.ids
    ids = (*old, *(rule for rule in new if rule not in old))
    place = {rule: k for k, rule in enumerate(ids)}
    wide_before = _wide(before.patterns, list(range(len(old))), len(ids))
    wide_after = _wide(after.patterns, [place[rule] for rule in new], len(ids))
    left, entered, counts = _pairs(before, after)
    words = wide_before.words[left], wide_after.words[entered]
    return Movement(
        forecast_before,
        forecast_after,
        before.row_pattern,
        after.row_pattern,
        ids,
        wide_before,
        wide_after,
        left,
        entered,
        counts,
        words[0][:, 0] == words[1][:, 0] if words[0].shape[1] == 1 else (words[0] == words[1]).all(axis=1),
    )


def _pairs(before: Partition, after: Partition) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of patterns that occur [J], [J] and their class counts [J, C]."""
    if before is after:
        every = np.flatnonzero(before.patterns.counts.any(axis=1))
        return every, every, before.patterns.counts[every]
    came = after.arrival
    if came is not None and came.origin() is before:
        return came.before, came.after, came.counts
    n_classes = len(before.rule_set.schema.classes)
    left, entered, counts = count_pairs(before.row_pattern, after.row_pattern, before.rows.data.labels, n_classes)
    return left, entered, counts


def _wide(patterns: Patterns, columns: list[int], width: int) -> Patterns:
    """Return patterns with rule k in column columns[k] of `width`."""
    if columns == list(range(width)):
        return patterns
    wide = np.zeros((len(patterns.members), width), dtype=np.bool_)
    wide[:, columns] = patterns.members
    return Patterns(wide, patterns.counts)
