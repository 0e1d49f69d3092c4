"""From counts to candidates: every rule that one more literal can make of a base rule, tested and scored.

Candidates come in *sweeps*: a sequence of bins of one feature, of which each prefix is one candidate and the rest
of the sweep's universe another. A numeric feature has one sweep (its bins in order: x < cut and x >= cut); a
categorical one has a sweep of one bin for each level (in, out) and one for each class with the levels ordered by that
class's share (the best split of two classes is among its prefixes); a feature with missing values has the sweep of
its missing bin (is missing, is known).

`test_candidates` needs only class counts per bin: it applies the local tests (paper, equations 22 and 24) and scores
the auxiliary beam. `score_candidates` computes the learning speed of the candidates that are left, which needs
counts per pattern. Both walk over the candidates in the same order and number them alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

NUMERIC, CATEGORICAL = 0, 1
FEATURE, SWEEP, POSITION, SIDE, COVERAGE, NEWLY = range(6)
"""Columns of the integers that describe a chosen candidate."""
GAIN, BITS = range(2)
"""Columns of its numbers in bits: the gain, and the model bits of the rule."""


class Features(NamedTuple):
    """What the kernels know of the features.

    `one_cut[f, k]` and `two_cuts[f, k]` are the bits of an interval with K_value k; for a categorical feature
    `one_cut[f, l]` are those of a set of l levels. `direction` is 1 where only lower cuts (x >= cut) are allowed, -1
    where only upper ones are, else 0. `candidate_start` numbers the candidates, `slot_start` the bins.
    """

    kind: NDArray[np.int8]
    n_bins: NDArray[np.int32]
    has_missing: NDArray[np.bool_]
    usable: NDArray[np.bool_]
    direction: NDArray[np.int8]
    slot_start: NDArray[np.int32]
    candidate_start: NDArray[np.int64]
    one_cut: NDArray[np.float64]
    two_cuts: NDArray[np.float64]
    missing_bits: NDArray[np.float64]
    variables_bits: NDArray[np.float64]
    which_bits: float


class Base(NamedTuple):
    """Arrays of one base rule: its literals (see `Bases`), their ranges and its counts (see `Counts`)."""

    feature: NDArray[np.int32]
    holds: NDArray[np.bool_]
    lowest: NDArray[np.int16]
    highest: NDArray[np.int16]
    low_by_bin: NDArray[np.int16]
    high_by_bin: NDArray[np.int16]
    by_bin: NDArray[np.int32]


class Limits(NamedTuple):
    """Settings of the search that the kernels need."""

    diverse: bool
    local_test: bool
    auxiliary: bool
    least_coverage: int
    most_literals: int


class Present(NamedTuple):
    """The rule set that a rule is added to, and tables.

    `else_counts` are the class counts of the else rule, `more_bits` the bits that one more rule adds to the code of
    the number of rules. `union_counts[p, c]` and `label_bits[p, c]` are the union's class counts of pattern p and the
    bits of a row of class c there; `meets[p, q]` is 1 where two patterns share a rule. `log2s[m]` is log2 m, `own[m]`
    is m log2 m, `whole[m]` is m log2 m plus the regret of m rows; `powers[m]` is what a gain is divided by where m rows
    are newly covered.
    """

    else_counts: NDArray[np.int64]
    more_bits: float
    union_counts: NDArray[np.int32]
    label_bits: NDArray[np.float64]
    meets: NDArray[np.bool_]
    log2s: NDArray[np.float64]
    own: NDArray[np.float64]
    whole: NDArray[np.float64]
    powers: NDArray[np.float64]


class Chosen(NamedTuple):
    """Chosen candidates of each base rule: score [B, W] (-inf: none), integers [B, W, 6], numbers [B, W, 2]."""

    score: NDArray[np.float64]
    integers: NDArray[np.int64]
    numbers: NDArray[np.float64]


@numba.njit(cache=True, nogil=True)
def candidate_starts(kind, n_bins, has_missing, n_classes):  # type: ignore[no-untyped-def]
    """Return the first candidate number of each feature [d + 1]."""
    start = np.zeros(kind.size + 1, dtype=np.int64)
    n_orders = 1 if n_classes == 2 else n_classes
    for f in range(kind.size):
        room = 2 * n_bins[f]
        if kind[f] == CATEGORICAL:
            room *= n_orders + 1
        start[f + 1] = start[f] + room + 2 * has_missing[f]
    return start


@numba.njit(cache=True, nogil=True)
def _by_share(counts, present, c, sequence):  # type: ignore[no-untyped-def]
    """Write the present bins to `sequence` in ascending order of class c's share, ties by bin."""
    for k in range(present.size):
        v = present[k]
        share, size = counts[v, 0, c] + counts[v, 1, c], counts[v].sum()
        at = k
        while at > 0:
            w = sequence[at - 1]
            if (counts[w, 0, c] + counts[w, 1, c]) * size <= share * counts[w].sum():
                break
            sequence[at] = w
            at -= 1
        sequence[at] = v


@numba.njit(cache=True, nogil=True)
def make_sweeps(features, f, counts, allowed, sequence, sweep_start):  # type: ignore[no-untyped-def]
    """Write the sweeps of feature f of a base rule and return their number.

    Parameters
    ----------
    features : Features
    f : int
    counts : int32 [slots of the feature, 2, C]
        Class counts of the base rule per bin.
    allowed : bool [256]
        Bins that the base rule's literal on this feature lets through (all, where there is none).
    sequence : int32, written
        Bins of all sweeps, one after the other.
    sweep_start : int32, written
        Where each sweep starts in `sequence`.
    """
    n_bins, n_classes = features.n_bins[f], counts.shape[2]
    n_sweeps, at = 0, 0
    sweep_start[0] = 0
    if features.kind[f] == NUMERIC:
        for v in range(n_bins):
            if allowed[v]:
                sequence[at] = v
                at += 1
        n_sweeps = 1
        sweep_start[1] = at
    else:
        present = np.empty(n_bins, dtype=np.int32)
        n_present = 0
        for v in range(n_bins):
            if allowed[v] and counts[v].sum() > 0:
                present[n_present] = v
                n_present += 1
        for k in range(1 if n_bins == 2 and n_present == 2 else n_present):
            sequence[at] = present[k]
            at += 1
            n_sweeps += 1
            sweep_start[n_sweeps] = at
        if n_present > 2:
            for c in range(1 if n_classes == 2 else 0, n_classes):
                _by_share(counts, present[:n_present], c, sequence[at : at + n_present])
                at += n_present
                n_sweeps += 1
                sweep_start[n_sweeps] = at
    if features.has_missing[f] and allowed[n_bins + 1] and allowed[0]:
        sequence[at] = n_bins + 1
        n_sweeps += 1
        sweep_start[n_sweeps] = at + 1
    return n_sweeps


@numba.njit(cache=True, nogil=True)
def local_bits(present, counts, sign, others):  # type: ignore[no-untyped-def]
    """Return the bits of labels as a model of their own, regret included (equation 11).

    The class counts are counts + sign * others.
    """
    n = 0
    bits = 0.0
    for c in range(counts.size):
        m = counts[c] + sign * others[c]
        n += m
        bits -= present.own[m]
    return bits + present.whole[n]


@numba.njit(cache=True, nogil=True)
def _literal_bits(features, f, holds, low, high):  # type: ignore[no-untyped-def]
    """Return the bits of a literal where the rows before it have the known bins low to high."""
    known = features.n_bins[f]
    if holds[known] or holds[known + 1]:
        return features.missing_bits[f]
    if features.kind[f] == CATEGORICAL:
        return features.one_cut[f, holds[:known].sum()]
    n_values = max(high - low, 0)
    if holds[0] or holds[known - 1]:
        return features.one_cut[f, n_values]
    return features.two_cuts[f, n_values]


@numba.njit(cache=True, nogil=True)
def sweep_bits(features, base, literal_bits, f, own, low, high, sequence, bits):  # type: ignore[no-untyped-def]
    """Write the model bits of the rule that each candidate of a sweep makes, without those of the number of rules.

    Parameters
    ----------
    features : Features
    base : Base
    literal_bits : float64
        Bits of the base rule's literals.
    f, own : int
        The feature, and the base rule's literal on it or -1.
    low, high : int
        Range of the base rule's known bins on this feature.
    sequence : int32
        Bins of the sweep.
    bits : float64 [len(sequence), 2], written
        Of the prefix that ends here, and of the rest.
    """
    known, length = features.n_bins[f], sequence.size
    others = features.variables_bits[base.feature.size + (1 if own < 0 else 0)]
    for j in range(base.feature.size):
        if j != own:
            others += literal_bits[j]
    if sequence[0] > known:
        bits[0, :] = others + features.missing_bits[f]
        return
    if features.kind[f] == NUMERIC:
        n_values = max(high - low, 0) if own < 0 else max(base.highest[own] - base.lowest[own], 0)
        one, two = others + features.one_cut[f, n_values], others + features.two_cuts[f, n_values]
        below = one if sequence[0] == 0 else two
        above = one if sequence[-1] == known - 1 else two
        for t in range(length):
            bits[t, 0] = below
            bits[t, 1] = above
    else:
        n_allowed = known if own < 0 else base.holds[own, :known].sum()
        for t in range(length):
            bits[t, 0] = others + features.one_cut[f, t + 1]
            bits[t, 1] = others + features.one_cut[f, n_allowed - 1 if length == 1 else length - t - 1]
    if own >= 0:
        _move_later(features, base, literal_bits, own, sequence, bits)


@numba.njit(cache=True, nogil=True)
def _move_later(features, base, literal_bits, own, sequence, bits):  # type: ignore[no-untyped-def]
    """Correct `bits` for the later literals: a tighter literal leaves them fewer candidate cuts (K_value)."""
    length = sequence.size
    for j in range(own + 1, base.feature.size):
        f = base.feature[j]
        if features.kind[f] == CATEGORICAL:
            continue
        before = literal_bits[j]
        lows, highs = base.low_by_bin[j, own], base.high_by_bin[j, own]
        low, high = 255, 0
        for t in range(length):
            low, high = min(low, lows[sequence[t]]), max(high, highs[sequence[t]])
            bits[t, 0] += _literal_bits(features, f, base.holds[j], low, high) - before
        low, high = 255, 0
        if length == 1:
            for v in range(features.n_bins[base.feature[own]]):
                if base.holds[own, v] and v != sequence[0]:
                    low, high = min(low, lows[v]), max(high, highs[v])
        for t in range(length - 1, -1, -1):
            bits[t, 1] += _literal_bits(features, f, base.holds[j], low, high) - before
            low, high = min(low, lows[sequence[t]]), max(high, highs[sequence[t]])


@numba.njit(cache=True, nogil=True)
def _offer(chosen, b, cluster, score, gain, bits, f, sweep, position, side, coverage, newly):  # type: ignore[no-untyped-def]
    """Keep a candidate where it is the best of its patience cluster, or among the best of all (cluster -1).

    Without clusters the chosen ones are in descending order of score. The first of two equal candidates stays.
    """
    score_of, integers, numbers = chosen.score[b], chosen.integers[b], chosen.numbers[b]
    at = cluster if cluster >= 0 else score_of.size - 1
    if not score > score_of[at]:
        return
    if cluster < 0:
        while at > 0 and score > score_of[at - 1]:
            score_of[at] = score_of[at - 1]
            integers[at] = integers[at - 1]
            numbers[at] = numbers[at - 1]
            at -= 1
    score_of[at] = score
    numbers[at, GAIN] = gain
    numbers[at, BITS] = bits
    integers[at, FEATURE] = f
    integers[at, SWEEP] = sweep
    integers[at, POSITION] = position
    integers[at, SIDE] = side
    integers[at, COVERAGE] = coverage
    integers[at, NEWLY] = newly


class Scratch(NamedTuple):
    """Room that the kernels write to, made once for a batch."""

    sequence: NDArray[np.int32]
    sweep_start: NDArray[np.int32]
    bits: NDArray[np.float64]
    every: NDArray[np.bool_]
    rows_at: NDArray[np.int64]


@numba.njit(cache=True, nogil=True)
def make_scratch(features):  # type: ignore[no-untyped-def]
    """Return a scratch for these features."""
    room = 0
    for f in range(features.kind.size):
        room = max(room, features.candidate_start[f + 1] - features.candidate_start[f])
    return Scratch(
        np.empty(room + 4, dtype=np.int32),
        np.empty(room + 4, dtype=np.int32),
        np.empty((256, 2)),
        np.ones(256, dtype=np.bool_),
        np.empty(256, dtype=np.int64),
    )


@numba.njit(cache=True, nogil=True)
def _own_literal(base, f):  # type: ignore[no-untyped-def]
    """Return the base rule's literal on feature f, or -1."""
    for j in range(base.feature.size):
        if base.feature[j] == f:
            return j
    return -1


@numba.njit(cache=True, nogil=True)
def _all_literal_bits(features, base):  # type: ignore[no-untyped-def]
    """Return the bits of each literal of a base rule."""
    bits = np.empty(base.feature.size)
    for j in range(base.feature.size):
        bits[j] = _literal_bits(features, base.feature[j], base.holds[j], base.lowest[j], base.highest[j])
    return bits


@numba.njit(cache=True, nogil=True)
def _bin_sizes(features, f, counts, sizes):  # type: ignore[no-untyped-def]
    """Write the rows of each bin and return the range of the known bins that have rows (0, -1 where none)."""
    low, high = 0, -1
    for v in range(counts.shape[0]):
        n = 0
        for covered in range(2):
            for c in range(counts.shape[2]):
                n += counts[v, covered, c]
        sizes[v] = n
        if n > 0 and v < features.n_bins[f]:
            low = v if high < 0 else low
            high = v
    return low, high


@numba.njit(cache=True, nogil=True)
def _add_bin(counts, v, free, both):  # type: ignore[no-untyped-def]
    """Add the class counts of bin v to those of the uncovered rows and of all rows."""
    for c in range(free.size):
        free[c] += counts[v, 0, c]
        both[c] += counts[v, 0, c] + counts[v, 1, c]


@numba.njit(cache=True, nogil=True)
def _universe(features, f, counts, allowed, is_whole, free, both):  # type: ignore[no-untyped-def]
    """Write the class counts of the rows that a sweep divides: all, or those with a known value."""
    free[:] = 0
    both[:] = 0
    for v in range(counts.shape[0]):
        if is_whole or (v < features.n_bins[f] and allowed[v]):
            _add_bin(counts, v, free, both)


@numba.njit(cache=True, nogil=True)
def test_candidates(features, limits, present, base, b, scratch, passes, auxiliary):  # type: ignore[no-untyped-def]
    """Apply the local tests to every candidate of a base rule and score those of the auxiliary beam.

    Parameters
    ----------
    features, limits, present, base, scratch
        See the named tuples above.
    b : int
        Place of the base rule in its batch.
    passes : bool [number of candidates], written
        Which candidates the main beam has to score.
    auxiliary : Chosen, changed at b
        Candidates with the best complementary score (equation 23).
    """
    n_classes = present.else_counts.size
    none = np.zeros(n_classes, dtype=np.int64)
    all_free, all_both = none.copy(), none.copy()
    _universe(features, 0, base.by_bin[: features.slot_start[1]], scratch.every, True, all_free, all_both)
    coverage, uncovered = all_both.sum(), all_free.sum()
    all_bits = local_bits(present, all_both, 0, none)
    free_bits = local_bits(present, all_free, 0, none)
    else_bits = local_bits(present, present.else_counts, 0, none)
    literal_bits = _all_literal_bits(features, base)
    total_free, total_both, free, both = none.copy(), none.copy(), none.copy(), none.copy()
    part_free = none.copy()
    n_clusters = auxiliary.score.shape[1]
    bits = scratch.bits
    passes[:] = False
    for f in range(features.kind.size):
        own = _own_literal(base, f)
        if not features.usable[f] or (own < 0 and base.feature.size >= limits.most_literals):
            continue
        allowed = scratch.every if own < 0 else base.holds[own]
        counts = base.by_bin[features.slot_start[f] : features.slot_start[f + 1]]
        low, high = _bin_sizes(features, f, counts, scratch.rows_at)
        number = features.candidate_start[f]
        for sweep in range(make_sweeps(features, f, counts, allowed, scratch.sequence, scratch.sweep_start)):
            bins = scratch.sequence[scratch.sweep_start[sweep] : scratch.sweep_start[sweep + 1]]
            is_whole = bins[0] > features.n_bins[f]
            _universe(features, f, counts, allowed, is_whole, total_free, total_both)
            n_total, n_total_free = total_both.sum(), total_free.sum()
            sweep_bits(features, base, literal_bits, f, own, low, high, bins, bits)
            free[:] = 0
            both[:] = 0
            n_prefix = n_prefix_free = 0
            for t in range(max(bins.size - 1, 1)):
                number += 2
                v = bins[t]
                if scratch.rows_at[v] == 0:
                    continue
                n_prefix += scratch.rows_at[v]
                for c in range(n_classes):
                    n_prefix_free += counts[v, 0, c]
                _add_bin(counts, v, free, both)
                split_bits = features.which_bits
                if is_whole:
                    split_bits += features.missing_bits[f]
                else:
                    split_bits += features.one_cut[f, max(high - low, 0) if features.kind[f] == NUMERIC else t + 1]
                below, above = local_bits(present, both, 0, none), local_bits(present, total_both, -1, both)
                free_below = local_bits(present, free, 0, none)
                free_above = local_bits(present, total_free, -1, free)
                for side in range(2):
                    if features.direction[f] != 0 and not is_whole and features.direction[f] != 2 * side - 1:
                        continue
                    size = n_prefix if side == 0 else n_total - n_prefix
                    newly = n_prefix_free if side == 0 else n_total_free - n_prefix_free
                    if size < limits.least_coverage or size >= coverage or newly == 0:
                        continue
                    # the left-out part is the other side of the sweep and what the sweep does not divide
                    if n_total == coverage or not limits.local_test:
                        left = above if side == 0 else below
                    elif side == 0:
                        left = local_bits(present, all_both, -1, both)
                    else:
                        left = _left_of_rest(present, all_both, total_both, both)
                    inside = below if side == 0 else above
                    passes[number - 2 + side] = not limits.local_test or all_bits > inside + left + split_bits
                    if not limits.auxiliary or newly >= uncovered:
                        continue
                    if side == 0:
                        part_free[:] = free
                    else:
                        part_free[:] = total_free - free
                    inside = free_below if side == 0 else free_above
                    if limits.local_test:
                        left = local_bits(present, all_free, -1, part_free)
                        if not free_bits > inside + left + split_bits:
                            continue
                    gain = else_bits - local_bits(present, present.else_counts, -1, part_free) - inside
                    gain -= bits[t, side] + present.more_bits
                    cluster = n_clusters * newly // uncovered if limits.diverse else -1
                    _offer(auxiliary, b, cluster, gain / present.powers[newly], gain, bits[t, side], f, sweep, t, side, size, newly)  # fmt: skip


@numba.njit(cache=True, nogil=True)
def _left_of_rest(present, everything, total, prefix):  # type: ignore[no-untyped-def]
    """Return the local bits of the rows left out by the rest of a sweep: everything - (total - prefix)."""
    n = 0
    bits = 0.0
    for c in range(everything.size):
        m = everything[c] - total[c] + prefix[c]
        n += m
        bits -= present.own[m]
    return bits + present.whole[n]


@numba.njit(cache=True, nogil=True)
def _add_entries(entries, slot, sign, meets, tally):  # type: ignore[no-untyped-def]
    """Add the entries of a slot to a tally (or take them away), see `Tally`."""
    n_classes = tally.counts.shape[0]
    for e in range(entries.entry_start[slot], entries.entry_start[slot + 1]):
        q, c = entries.entry[e] // n_classes, entries.entry[e] % n_classes
        weight = np.int32(sign * entries.weight[e])
        tally.counts[c, q] += weight
        tally.size[q] += weight
        row, out = meets[q], tally.shared[c]
        if weight == 1:
            for r in range(row.size):
                out[r] += row[r]
        else:
            for r in range(row.size):
                out[r] += weight * row[r]


class Tally(NamedTuple):
    """Rows of a candidate that the rule set covers, by the Q patterns present in the base rule.

    `counts[c, q]` are the rows of class c in pattern q, `size[q]` all rows in it, and `shared[c, q]` the rows of
    class c whose pattern meets pattern q: those inside the union of q's rules. `shared` is padded.
    """

    counts: NDArray[np.int32]
    size: NDArray[np.int32]
    shared: NDArray[np.int32]


@numba.njit(cache=True, nogil=True)
def _new_tally(n_classes, n_patterns, padded):  # type: ignore[no-untyped-def]
    """Return an empty tally."""
    return Tally(
        np.zeros((n_classes, n_patterns), dtype=np.int32),
        np.zeros(n_patterns, dtype=np.int32),
        np.zeros((n_classes, padded), dtype=np.int32),
    )


@numba.njit(cache=True, nogil=True)
def _overlap_gain(start, sign, tally, inside, unions, label_bits, log2s):  # type: ignore[no-untyped-def]
    """Return the bits saved on the rows that a candidate shares with the rule set (negative where it disagrees).

    The candidate's rows are start + sign * tally. Rows of pattern q go from q's union to its union with the
    candidate, which has the class counts unions[c, q] + inside[c] - shared[c, q] (paper, equation 6).
    """
    gain = 0.0
    n_classes = inside.size
    for q in range(start.size.size):
        size = start.size[q] + sign * tally.size[q]
        if size == 0:
            continue
        union = 0
        for c in range(n_classes):
            joined = unions[c, q] + inside[c] - (start.shared[c, q] + sign * tally.shared[c, q])
            union += joined
            count = start.counts[c, q] + sign * tally.counts[c, q]
            if count > 0:
                gain += count * (label_bits[c, q] + log2s[joined])
        gain -= size * log2s[union]
    return gain


class Entries(NamedTuple):
    """Arrays of one base rule's `PatternCounts`."""

    pattern: NDArray[np.int32]
    counts: NDArray[np.int32]
    entry_start: NDArray[np.int64]
    entry: NDArray[np.int32]
    weight: NDArray[np.int32]


@numba.njit(cache=True, nogil=True)
def score_candidates(features, limits, present, base, entries, b, scratch, passes, main):  # type: ignore[no-untyped-def]
    """Compute the learning speed (equation 20) of the candidates that passed and keep the best.

    Parameters
    ----------
    features, limits, present, base, entries, scratch
        See the named tuples above.
    b : int
        Place of the base rule in its batch.
    passes : bool [number of candidates]
        From `test_candidates`.
    main : Chosen, changed at b
        Candidates with the best learning speed.
    """
    n_classes, n_here = present.else_counts.size, entries.pattern.size
    padded = -(-n_here // 16) * 16
    log2s = present.log2s
    meets = np.zeros((n_here, padded), dtype=np.int32)
    unions = np.empty((n_classes, n_here), dtype=np.int32)
    label_bits = np.empty((n_classes, n_here))
    nothing, every, known, prefix = (
        _new_tally(n_classes, n_here, padded),
        _new_tally(n_classes, n_here, padded),
        _new_tally(n_classes, n_here, padded),
        _new_tally(n_classes, n_here, padded),
    )
    for q in range(n_here):
        from_row = present.meets[entries.pattern[q]]
        for r in range(n_here):
            meets[q, r] = from_row[entries.pattern[r]]
        for c in range(n_classes):
            unions[c, q] = present.union_counts[entries.pattern[q], c]
            label_bits[c, q] = present.label_bits[entries.pattern[q], c]
            count = entries.counts[q, c]
            every.counts[c, q] = count
            every.size[q] += count
    for q in range(n_here):
        for c in range(n_classes):
            count = every.counts[c, q]
            if count > 0:
                for r in range(padded):
                    every.shared[c, r] += count * meets[q, r]

    none = np.zeros(n_classes, dtype=np.int64)
    total_free, total_both, free, both = none.copy(), none.copy(), none.copy(), none.copy()
    part_free, inside = none.copy(), none.copy()
    _universe(features, 0, base.by_bin[: features.slot_start[1]], scratch.every, True, total_free, total_both)
    coverage = total_both.sum()
    else_bits = local_bits(present, present.else_counts, 0, none)
    literal_bits = _all_literal_bits(features, base)
    bits = scratch.bits
    n_clusters = main.score.shape[1]
    for f in range(features.kind.size):
        if not passes[features.candidate_start[f] : features.candidate_start[f + 1]].any():
            continue
        own = _own_literal(base, f)
        allowed = scratch.every if own < 0 else base.holds[own]
        first_slot = features.slot_start[f]
        counts = base.by_bin[first_slot : features.slot_start[f + 1]]
        low, high = _bin_sizes(features, f, counts, scratch.rows_at)
        number = features.candidate_start[f]
        for sweep in range(make_sweeps(features, f, counts, allowed, scratch.sequence, scratch.sweep_start)):
            bins = scratch.sequence[scratch.sweep_start[sweep] : scratch.sweep_start[sweep + 1]]
            n_positions = max(bins.size - 1, 1)
            last = -1
            for t in range(n_positions):
                if passes[number + 2 * t] or passes[number + 2 * t + 1]:
                    last = t
            is_whole = bins[0] > features.n_bins[f]
            _universe(features, f, counts, allowed, is_whole, total_free, total_both)
            sweep_bits(features, base, literal_bits, f, own, low, high, bins, bits)
            whole_tally = every
            if not is_whole and scratch.rows_at[features.n_bins[f]] + scratch.rows_at[features.n_bins[f] + 1] > 0:
                known.counts[:], known.size[:], known.shared[:] = every.counts, every.size, every.shared
                for v in range(features.n_bins[f], features.n_bins[f] + 2):
                    _add_entries(entries, first_slot + v, -1, meets, known)
                whole_tally = known
            prefix.counts[:], prefix.size[:], prefix.shared[:] = 0, 0, 0
            free[:] = 0
            both[:] = 0
            for t in range(last + 1):
                _add_bin(counts, bins[t], free, both)
                _add_entries(entries, first_slot + bins[t], 1, meets, prefix)
                for side in range(2):
                    if not passes[number + 2 * t + side]:
                        continue
                    if side == 0:
                        part_free[:] = free
                        inside[:] = both
                        gain = _overlap_gain(nothing, 1, prefix, inside, unions, label_bits, log2s)
                    else:
                        part_free[:] = total_free - free
                        inside[:] = total_both - both
                        gain = _overlap_gain(whole_tally, -1, prefix, inside, unions, label_bits, log2s)
                    n_inside, newly = inside.sum(), part_free.sum()
                    gain += else_bits - local_bits(present, present.else_counts, -1, part_free)
                    gain -= present.whole[n_inside] - present.own[n_inside]
                    for c in range(n_classes):
                        gain -= part_free[c] * (log2s[n_inside] - log2s[inside[c]])
                    gain -= bits[t, side] + present.more_bits
                    cluster = n_clusters * n_inside // coverage if limits.diverse else -1
                    _offer(main, b, cluster, gain / present.powers[newly], gain, bits[t, side], f, sweep, t, side, n_inside, newly)  # fmt: skip
            number += 2 * n_positions


@numba.njit(cache=True, nogil=True)
def write_bins(features, base, scratch, f, sweep, position, side, holds):  # type: ignore[no-untyped-def]
    """Write to `holds` [256] the bins of a candidate's literal and return the literal that it replaces, or -1."""
    own = _own_literal(base, f)
    allowed = scratch.every if own < 0 else base.holds[own]
    counts = base.by_bin[features.slot_start[f] : features.slot_start[f + 1]]
    make_sweeps(features, f, counts, allowed, scratch.sequence, scratch.sweep_start)
    bins = scratch.sequence[scratch.sweep_start[sweep] : scratch.sweep_start[sweep + 1]]
    holds[:] = False
    if side == 0:
        for t in range(position + 1):
            holds[bins[t]] = True
    elif bins.size > 1:
        for t in range(position + 1, bins.size):
            holds[bins[t]] = True
    else:
        last = features.n_bins[f] + (1 if bins[0] > features.n_bins[f] else 0)
        for v in range(last):
            holds[v] = allowed[v] and v != bins[0]
    return own


class Batch(NamedTuple):
    """A batch of base rules with their counts: the arrays of `Bases` and `Counts`."""

    start: NDArray[np.int32]
    feature: NDArray[np.int32]
    holds: NDArray[np.bool_]
    lowest: NDArray[np.int16]
    highest: NDArray[np.int16]
    low_by_bin: NDArray[np.int16]
    high_by_bin: NDArray[np.int16]
    by_bin: NDArray[np.int32]


@numba.njit(cache=True, nogil=True)
def _base_of(batch, b):  # type: ignore[no-untyped-def]
    """Return the arrays of base rule b."""
    first, last = batch.start[b], batch.start[b + 1]
    return Base(
        batch.feature[first:last],
        batch.holds[first:last],
        batch.lowest[first:last],
        batch.highest[first:last],
        batch.low_by_bin[first:last],
        batch.high_by_bin[first:last],
        batch.by_bin[b],
    )


@numba.njit(cache=True, nogil=True)
def test_batch(features, limits, present, batch, passes, wanted, auxiliary):  # type: ignore[no-untyped-def]
    """Run `test_candidates` on a batch; write to `wanted` [B, d] the features with a candidate that passed."""
    scratch = make_scratch(features)
    for b in range(batch.start.size - 1):
        test_candidates(features, limits, present, _base_of(batch, b), b, scratch, passes[b], auxiliary)
        for f in range(features.kind.size):
            wanted[b, f] = passes[b, features.candidate_start[f] : features.candidate_start[f + 1]].any()


@numba.njit(cache=True, nogil=True)
def score_batch(features, limits, present, batch, start, pattern, counts, entry_start, entry, weight, passes, main):  # type: ignore[no-untyped-def]  # fmt: skip
    """Run `score_candidates` on a batch, given the arrays of its `PatternCounts`."""
    scratch = make_scratch(features)
    for b in range(batch.start.size - 1):
        here = slice(start[b], start[b + 1])
        entries = Entries(pattern[here], counts[here], entry_start[b], entry, weight)
        score_candidates(features, limits, present, _base_of(batch, b), entries, b, scratch, passes[b], main)


@numba.njit(cache=True, nogil=True)
def write_batch(features, batch, chosen, holds, own):  # type: ignore[no-untyped-def]
    """Write the bins [B, W, 256] of every chosen candidate's literal, and the literal that it replaces [B, W]."""
    scratch = make_scratch(features)
    for b in range(chosen.score.shape[0]):
        for w in range(chosen.score.shape[1]):
            if chosen.score[b, w] > -np.inf:
                i = chosen.integers[b, w]
                own[b, w] = write_bins(
                    features, _base_of(batch, b), scratch, i[FEATURE], i[SWEEP], i[POSITION], i[SIDE], holds[b, w]
                )
