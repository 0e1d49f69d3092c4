"""Counts of a table in memory: the only place of the learner that sees rows."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from turs.cover.covers import N_CODES, restrict, rule_cover, value_counts
from turs.cover.patterns import (
    Patterns,
    RowPattern,
    assign_patterns,
    count_divided,
    extend,
    mark_used,
    rearrange,
    tabulate,
)
from turs.data.dataset import DataSet
from turs.kernel import kernel
from turs.learn.arrays import Ranges
from turs.learn.counting import Bases, Counts, PatternCounts, slot_starts
from turs.rules.rule import Rule

_BLOCK = 1 << 15
"""Rows that are added up at once: what is kept of each of them stays in the cache of a core."""

_MOST_NARROW = 1 << 16
"""Patterns up to which two bytes a row do; hardly any rule set has more."""


@kernel
def cover_rows(bins, n_cut_bins, full_range, start, feature, holds, rows, row_start, ranges):  # type: ignore[no-untyped-def]
    """Write the rows that each base rule covers, ascending, and the ranges of `Counts` on the way.

    Here and below rows and places are unsigned: a signed index is looked at for being negative, which took a tenth of
    the time of learning.

    Parameters
    ----------
    bins : uint8 [d, n]
    n_cut_bins : int32 [d]
        Known bins of a numeric feature; 0 for a categorical one and one with a single cut: their bits need no range.
    full_range : int16 [d, 2]
        Lowest and highest known bin of each feature over all rows.
    start, feature, holds
        The batch, see `Bases`.
    rows : uint32, written
        Rows of base b are rows[row_start[b] : row_start[b + 1]]; needs room for one table a base rule.
    row_start : int64 [B + 1], written
    ranges : Ranges, written
        See `Counts`.
    """
    n = bins.shape[1]
    at = 0
    for b in range(start.size - 1):
        row_start[b] = at
        first = start[b]
        size = n
        if first == start[b + 1]:
            for i in range(n):
                rows[at + i] = i
        for j in range(first, start[b + 1]):
            column, holding = bins[feature[j]], holds[j]
            mine = rows[at : at + size]
            kept = np.uint64(0)
            if j == first:
                ranges.lowest[j], ranges.highest[j] = full_range[feature[j]]
                for i in range(n):
                    mine[kept] = i
                    kept += np.uint64(holding[column[i]])
            else:
                _ranges(bins, n_cut_bins, feature[first : j + 1], mine, ranges, j)
                for i in range(size):
                    row = mine[i]
                    mine[kept] = row
                    kept += np.uint64(holding[column[row]])
            size = np.int64(kept)
        at += size
    row_start[start.size - 1] = at


@kernel
def _ranges(bins, n_cut_bins, features, rows, ranges, j):  # type: ignore[no-untyped-def]
    """Write the ranges of literal j, the last of `features`, over `rows`: in all and by the bin of each earlier one."""
    known = n_cut_bins[features[-1]]
    if known == 0:
        return
    column = bins[features[-1]]
    lo, hi = 255, 0
    for i in range(rows.size):
        code = column[rows[i]]
        if code < known:
            lo = min(lo, code)
            hi = max(hi, code)
    ranges.lowest[j], ranges.highest[j] = lo, hi
    for earlier in range(features.size - 1):
        other = bins[features[earlier]]
        low, high = ranges.low_by_bin[j, earlier], ranges.high_by_bin[j, earlier]
        for i in range(rows.size):
            code = column[rows[i]]
            if code < known:
                at = other[rows[i]]
                low[at] = min(low[at], code)
                high[at] = max(high[at], code)


@kernel
def count_bins(bins, slot_start, labels, row_pattern, rows, row_start, wanted, in_all, by_bin):  # type: ignore[no-untyped-def]
    """Add the class counts of each base rule's rows to `in_all` [B, 2, C], per bin to `by_bin` [B, slots, 2, C]."""
    n_classes = in_all.shape[2]
    place = np.empty(_BLOCK, dtype=np.uint16)
    features = np.flatnonzero(wanted)
    for b in range(row_start.size - 1):
        total = in_all[b].reshape(-1)
        for first in range(row_start[b], row_start[b + 1], _BLOCK):
            here = rows[first : min(first + _BLOCK, row_start[b + 1])]
            for i in range(here.size):
                row = here[i]
                place[i] = labels[row] + (n_classes if row_pattern[row] > 0 else 0)
            for f in features:
                column = bins[f]
                counts = by_bin[b, slot_start[f] : slot_start[f + 1]].reshape(-1)
                for i in range(here.size):
                    counts[np.uint64(column[here[i]]) * np.uint64(2 * n_classes) + np.uint64(place[i])] += 1
            if features.size == 0:
                for i in range(here.size):
                    total[place[i]] += 1
        if features.size > 0:  # every row has a bin of each feature
            for slot in range(slot_start[features[0]], slot_start[features[0] + 1]):
                in_all[b] += by_bin[b, slot]


@kernel
def count_present(row_pattern, labels, rows, row_start, n_patterns, n_classes):  # type: ignore[no-untyped-def]
    """Return start, pattern and counts of `PatternCounts`: the patterns present in each base rule."""
    n_bases = row_start.size - 1
    start = np.zeros(n_bases + 1, dtype=np.int32)
    pattern = np.empty(n_bases * n_patterns, dtype=np.int32)
    counts = np.empty((n_bases * n_patterns, n_classes), dtype=np.int32)
    table = np.empty((n_patterns, n_classes), dtype=np.int32)
    at = 0
    for b in range(n_bases):
        table[:] = 0
        for i in range(row_start[b], row_start[b + 1]):
            table[row_pattern[rows[i]], labels[rows[i]]] += 1
        for p in range(1, n_patterns):
            if table[p].sum() > 0:
                pattern[at] = p
                counts[at] = table[p]
                at += 1
        start[b + 1] = at
    return start, pattern[:at].copy(), counts[:at].copy()


@kernel
def list_entries(  # type: ignore[no-untyped-def]
    bins, slot_start, labels, row_pattern, rows, row_start, wanted, start, pattern, counts, n_patterns, entry, weight
):
    """Return entry_start, entry and weight of `PatternCounts` for the wanted features.

    Where a feature has fewer cells (bin, pattern, class) than the base rule has covered rows, rows are first added up
    in the cells; otherwise every row is an entry of its own, sorted by bin. Entries are written to the arrays given,
    or to new ones where these are too small. The rows of each base rule are put into another order, covered ones first.
    """
    n_bases, n_slots, n_classes = row_start.size - 1, slot_start[-1], counts.shape[1]
    entry_start = np.zeros((n_bases, n_slots + 1), dtype=np.int64)
    room = 0
    for b in range(n_bases):
        n_cells, size = (start[b + 1] - start[b]) * n_classes, counts[start[b] : start[b + 1]].sum()
        for f in range(bins.shape[0]):
            if wanted[b, f]:
                room += min((slot_start[f + 1] - slot_start[f]) * n_cells, size)
    if entry.size < room:
        entry = np.empty(room, dtype=np.int32)
        weight = np.empty(room, dtype=np.int32)
    place = np.zeros(n_patterns, dtype=np.int32)
    cell_start = np.empty(bins.shape[0] + 1, dtype=np.int64)
    at = 0
    for b in range(n_bases):
        n_present = start[b + 1] - start[b]
        for k in range(n_present):
            place[pattern[start[b] + k]] = k
        covered = rows[row_start[b] : row_start[b + 1]]
        size = 0
        for i in range(covered.size):
            row = covered[i]
            if row_pattern[row] > 0:
                covered[i] = covered[size]
                covered[size] = row
                size += 1
        n_cells, is_sorted = n_present * n_classes, False
        cell_start[0] = 0
        for f in range(bins.shape[0]):
            n_here = (slot_start[f + 1] - slot_start[f]) * n_cells
            cell_start[f + 1] = cell_start[f] + (n_here if wanted[b, f] and n_here < size else 0)
            is_sorted |= wanted[b, f] and n_here >= size
        cells = np.zeros(cell_start[-1], dtype=np.int32)
        code = np.empty(max(size if is_sorted else min(size, _BLOCK), 1), dtype=np.int32)
        for first in range(0, size, code.size):
            here = covered[first : min(first + code.size, size)]
            for i in range(here.size):
                code[i] = place[row_pattern[here[i]]] * n_classes + labels[here[i]]
            for f in range(bins.shape[0]):
                if cell_start[f + 1] > cell_start[f]:
                    column, own = bins[f], cells[cell_start[f] : cell_start[f + 1]]
                    for i in range(here.size):
                        own[np.uint64(column[here[i]]) * np.uint64(n_cells) + np.uint64(code[i])] += 1
        for f in range(bins.shape[0]):
            slot, n_here = slot_start[f], slot_start[f + 1] - slot_start[f]
            entry_start[b, slot : slot + n_here + 1] = at
            if not wanted[b, f]:
                continue
            if n_here * n_cells < size:
                own = cells[cell_start[f] : cell_start[f + 1]]
                for v in range(n_here):
                    for k in range(n_cells):
                        if own[v * n_cells + k] > 0:
                            entry[at] = k
                            weight[at] = own[v * n_cells + k]
                            at += 1
                    entry_start[b, slot + v + 1] = at
            else:
                column = bins[f]
                free = np.zeros(n_here + 1, dtype=np.int64)
                for i in range(size):
                    free[column[covered[i]] + 1] += 1
                for v in range(n_here):
                    free[v + 1] += free[v]
                    entry_start[b, slot + v + 1] = at + free[v + 1]
                for i in range(size):
                    v = column[covered[i]]
                    entry[at + free[v]] = code[i]
                    weight[at + free[v]] = 1
                    free[v] += 1
                at += size
    return entry_start, entry, weight


class _Room(threading.local):
    """Long arrays that a thread keeps from one batch to the next.

    Memory that is given back and asked for again comes empty from the operating system, page by page: on tables of
    20,000 rows that was a twentieth of the time of one thread.
    """

    def __init__(self) -> None:
        self._rows = np.empty(0, dtype=np.uint32)
        self.entry, self.weight = (np.empty(0, dtype=np.int32) for _ in range(2))

    def rows_of(self, size: int) -> NDArray[np.uint32]:
        """Return room for so many rows."""
        if self._rows.size < size:
            self._rows = np.empty(size, dtype=np.uint32)
        return self._rows


class TableRows:
    """`Rows` over a table in memory, divided by some rules."""

    def __init__(self, data: DataSet, rules: Sequence[Rule]) -> None:
        self._schema = data.schema
        self._bins = data.bins
        self._labels = data.labels
        self._n_classes = len(data.schema.classes)
        self._slot_start = slot_starts(data.schema)
        self._n_cut_bins = np.array(
            [feature.n_bins if len(feature.cuts) > 1 else 0 for feature in data.schema.features], dtype=np.int32
        )
        self._full_range = np.zeros((len(self._n_cut_bins), 2), dtype=np.int16)
        for f, n_bins in enumerate(self._n_cut_bins):
            used = np.zeros(N_CODES, dtype=np.bool_)
            mark_used(self._bins[f], used)
            seen = np.flatnonzero(used[:n_bins])
            if seen.size:
                self._full_range[f] = seen[0], seen[-1]
        self._room = _Room()
        covers = (rule_cover(rule, self._schema, self._bins) for rule in rules)
        row_pattern, members = assign_patterns(covers, self.n_rows)
        self._row_pattern: RowPattern = row_pattern if len(members) > _MOST_NARROW else row_pattern.astype(np.uint16)
        self._patterns = tabulate(self._row_pattern, members, self._labels, self._n_classes)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._bins.shape[1])

    @property
    def n_covered(self) -> int:
        """Number of rows that the rule set covers."""
        return self.n_rows - int(self._patterns.counts[0].sum())

    @property
    def patterns(self) -> Patterns:
        """The observed patterns and their class counts."""
        return self._patterns

    def value_counts(self, rule: Rule) -> tuple[int, ...]:
        """Return K_value of each literal of a rule, of the rule set or not."""
        return value_counts(rule, self._schema, self._bins)

    def patterns_with(self, rule: Bases) -> Patterns:
        """Return the patterns that one more rule (a batch of one) would make."""
        divided = np.zeros((len(self._patterns.members), 2, self._n_classes), dtype=np.int64)
        count_divided(self._row_pattern, self._cover(rule), self._labels, divided)
        return self._patterns.with_rule(divided)

    def add_rule(self, rule: Bases) -> None:
        """Add one rule (a batch of one) to the rule set."""
        members = self._extended(rule)
        self._patterns = tabulate(self._row_pattern, members, self._labels, self._n_classes)

    def put_rule(self, rule: Bases, place: int) -> None:
        """Add one rule (a batch of one) as the rule of this number."""
        members = self._extended(rule)
        last = members.shape[1] - 1
        self._keep(members, [*range(place), last, *range(place, last)])

    def take_rule(self, place: int) -> None:
        """Take the rule of this number out of the rule set."""
        members = self._patterns.members
        self._keep(members, [k for k in range(members.shape[1]) if k != place])

    def _extended(self, rule: Bases) -> NDArray[np.bool_]:
        """Divide the rows by one more rule and return the members of the patterns."""
        if 2 * len(self._patterns.members) > _MOST_NARROW:
            self._row_pattern = self._row_pattern.astype(np.uint32, copy=False)
        return extend(self._row_pattern, self._patterns.members, self._cover(rule))

    def _keep(self, members: NDArray[np.bool_], kept: list[int]) -> None:
        """Keep these rules in this order."""
        members = rearrange(self._row_pattern, members, kept)
        self._patterns = tabulate(self._row_pattern, members, self._labels, self._n_classes)

    def _cover(self, rule: Bases) -> NDArray[np.bool_]:
        """Return which rows one rule (a batch of one) covers."""
        cover = np.ones(self.n_rows, dtype=np.bool_)
        for feature, holds in zip(rule.feature, rule.holds, strict=True):
            restrict(cover, holds, self._bins[feature])
        return cover

    def count(self, bases: Bases, wanted: NDArray[np.bool_]) -> Counts:
        """Return class counts per (feature, bin) of each base rule for the features wanted [d]."""
        n_bases, n_literals = bases.start.size - 1, bases.feature.size
        row_start = np.zeros(n_bases + 1, dtype=np.int64)
        rows = self._room.rows_of(n_bases * self.n_rows)
        most = int(np.diff(bases.start).max(initial=0))
        ranges = Ranges(
            lowest=np.zeros(n_literals, dtype=np.int16),
            highest=np.zeros(n_literals, dtype=np.int16),
            low_by_bin=np.full((n_literals, most, N_CODES), 255, dtype=np.int16),
            high_by_bin=np.zeros((n_literals, most, N_CODES), dtype=np.int16),
        )
        cover_rows(
            self._bins,
            self._n_cut_bins,
            self._full_range,
            bases.start,
            bases.feature,
            bases.holds,
            rows,
            row_start,
            ranges,
        )
        in_all = np.zeros((n_bases, 2, self._n_classes), dtype=np.int32)
        by_bin = np.zeros((n_bases, self._slot_start[-1], 2, self._n_classes), dtype=np.int32)
        count_bins(
            self._bins, self._slot_start, self._labels, self._row_pattern, rows, row_start, wanted, in_all, by_bin
        )
        return Counts(in_all, by_bin, ranges, (rows, row_start))

    def count_patterns(self, counts: Counts, wanted: NDArray[np.bool_]) -> PatternCounts:
        """Return class counts per (feature, bin, pattern) for the features wanted [B, d]."""
        rows, row_start = counts.cover
        n_patterns = len(self._patterns.members)
        start, pattern, present = count_present(
            self._row_pattern, self._labels, rows, row_start, n_patterns, self._n_classes
        )
        entries = list_entries(
            self._bins,
            self._slot_start,
            self._labels,
            self._row_pattern,
            rows,
            row_start,
            wanted,
            start,
            pattern,
            present,
            n_patterns,
            self._room.entry,
            self._room.weight,
        )
        self._room.entry, self._room.weight = entries[1:]
        return PatternCounts(start, pattern, present, *entries)
