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
    bits of a row of class c there; `meets[p, q]` is 1 where two patterns share a rule. `powers[m]` is what a gain is
    divided by where m rows are newly covered.
    """

    else_counts: NDArray[np.int64]
    more_bits: float
    union_counts: NDArray[np.int64]
    label_bits: NDArray[np.float64]
    meets: NDArray[np.int32]
    log2s: NDArray[np.float64]
    regrets: NDArray[np.float64]
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
def local_bits(counts, log2s, regrets):  # type: ignore[no-untyped-def]
    """Return the bits of labels counted in `counts` as a model of their own, regret included (equation 11)."""
    n = 0
    bits = 0.0
    for c in range(counts.size):
        n += counts[c]
        bits -= counts[c] * log2s[counts[c]]
    return bits + n * log2s[n] + regrets[n]


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
def sweep_bits(features, base, f, own, sequence, bits):  # type: ignore[no-untyped-def]
    """Write the model bits of the rule that each candidate of a sweep makes, without those of the number of rules.

    Parameters
    ----------
    features : Features
    base : Base
    f, own : int
        The feature, and the base rule's literal on it or -1.
    sequence : int32
        Bins of the sweep.
    bits : float64 [len(sequence), 2], written
        Of the prefix that ends here, and of the rest.
    """
    known, length = features.n_bins[f], sequence.size
    others = features.variables_bits[base.feature.size + (1 if own < 0 else 0)]
    for j in range(base.feature.size):
        if j != own:
            others += _literal_bits(features, base.feature[j], base.holds[j], base.lowest[j], base.highest[j])
    if sequence[0] > known:
        bits[0, :] = others + features.missing_bits[f]
        return
    counts = base.by_bin[features.slot_start[f] : features.slot_start[f + 1]]
    low, high, n_allowed = 255, 0, 0
    for v in range(known):
        if own < 0 and counts[v].sum() > 0:
            low, high = min(low, v), v
        n_allowed += own < 0 or base.holds[own, v]
    if own >= 0:
        low, high = base.lowest[own], base.highest[own]
    n_values = max(high - low, 0)
    at_bottom, at_top = sequence[0] == 0, sequence[-1] == known - 1
    for t in range(length):
        if features.kind[f] == NUMERIC:
            one, two = features.one_cut[f, n_values], features.two_cuts[f, n_values]
            bits[t, 0] = others + (one if at_bottom else two)
            bits[t, 1] = others + (one if at_top else two)
        else:
            bits[t, 0] = others + features.one_cut[f, t + 1]
            bits[t, 1] = others + features.one_cut[f, n_allowed - 1 if length == 1 else length - t - 1]
    if own >= 0:
        _move_later(features, base, own, sequence, bits)


@numba.njit(cache=True, nogil=True)
def _move_later(features, base, own, sequence, bits):  # type: ignore[no-untyped-def]
    """Correct `bits` for the later literals: a tighter literal leaves them fewer candidate cuts (K_value)."""
    length = sequence.size
    for j in range(own + 1, base.feature.size):
        f = base.feature[j]
        if features.kind[f] == CATEGORICAL:
            continue
        before = _literal_bits(features, f, base.holds[j], base.lowest[j], base.highest[j])
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


@numba.njit(cache=True, nogil=True)
def _allowed_bins(base, f):  # type: ignore[no-untyped-def]
    """Return the base rule's literal on feature f (or -1) and the bins that it lets through."""
    for j in range(base.feature.size):
        if base.feature[j] == f:
            return j, base.holds[j]
    return -1, np.ones(256, dtype=np.bool_)


@numba.njit(cache=True, nogil=True)
def _may_grow(features, limits, base, f, own):  # type: ignore[no-untyped-def]
    """Return whether the base rule may get a literal on feature f, or a tighter one."""
    return features.usable[f] and (own >= 0 or base.feature.size < limits.most_literals)


@numba.njit(cache=True, nogil=True)
def _universe(features, f, counts, allowed, is_whole, total):  # type: ignore[no-untyped-def]
    """Write to `total` [2, C] the class counts of the rows that a sweep divides: all, or those with a known value."""
    total[:] = 0
    for v in range(counts.shape[0]):
        if is_whole or (v < features.n_bins[f] and allowed[v]):
            total += counts[v]


@numba.njit(cache=True, nogil=True)
def test_candidates(features, limits, present, base, b, passes, auxiliary):  # type: ignore[no-untyped-def]
    """Apply the local tests to every candidate of a base rule and score those of the auxiliary beam.

    Parameters
    ----------
    features, limits, present, base
        See the named tuples above.
    b : int
        Place of the base rule in its batch.
    passes : bool [number of candidates], written
        Which candidates the main beam has to score.
    auxiliary : Chosen, changed at b
        Candidates with the best complementary score (equation 23).
    """
    n_classes = present.else_counts.size
    log2s, regrets = present.log2s, present.regrets
    whole = np.zeros((2, n_classes), dtype=np.int64)
    for v in range(features.slot_start[0], features.slot_start[1]):
        whole += base.by_bin[v]
    both = whole[0] + whole[1]
    coverage, uncovered = both.sum(), whole[0].sum()
    all_bits, uncovered_bits = local_bits(both, log2s, regrets), local_bits(whole[0], log2s, regrets)
    else_bits = local_bits(present.else_counts, log2s, regrets)
    sequence = np.empty(features.candidate_start[-1] + 4, dtype=np.int32)
    sweep_start = np.empty(features.candidate_start[-1] + 4, dtype=np.int32)
    bits = np.empty((256, 2))
    total, prefix, part = np.zeros_like(whole), np.zeros_like(whole), np.zeros_like(whole)
    inside, outside = np.zeros(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    n_clusters = auxiliary.score.shape[1]
    passes[:] = False
    for f in range(features.kind.size):
        own, allowed = _allowed_bins(base, f)
        if not _may_grow(features, limits, base, f, own):
            continue
        counts = base.by_bin[features.slot_start[f] : features.slot_start[f + 1]]
        number = features.candidate_start[f]
        for sweep in range(make_sweeps(features, f, counts, allowed, sequence, sweep_start)):
            bins = sequence[sweep_start[sweep] : sweep_start[sweep + 1]]
            is_whole = bins[0] > features.n_bins[f]
            _universe(features, f, counts, allowed, is_whole, total)
            sweep_bits(features, base, f, own, bins, bits)
            prefix[:] = 0
            n_values = 0
            if features.kind[f] == NUMERIC:
                low, high = -1, -1
                for v in range(features.n_bins[f]):
                    if counts[v].sum() > 0:
                        low = v if low < 0 else low
                        high = v
                n_values = high - low
            for t in range(max(bins.size - 1, 1)):
                prefix += counts[bins[t]]
                for side in range(2):
                    this = number
                    number += 1
                    if features.direction[f] != 0 and not is_whole and features.direction[f] != 2 * side - 1:
                        continue
                    if counts[bins[t]].sum() == 0:
                        continue
                    if side == 0:
                        part[:] = prefix
                    else:
                        part[:] = total - prefix
                    inside[:] = part[0] + part[1]
                    size, newly = inside.sum(), part[0].sum()
                    if size < limits.least_coverage or size >= coverage or newly == 0:
                        continue
                    if is_whole:
                        split_bits = features.which_bits + features.missing_bits[f]
                    elif features.kind[f] == NUMERIC:
                        split_bits = features.which_bits + features.one_cut[f, n_values]
                    else:
                        split_bits = features.which_bits + features.one_cut[f, t + 1]
                    outside[:] = both - inside
                    if limits.local_test:
                        kept = local_bits(inside, log2s, regrets) + local_bits(outside, log2s, regrets)
                        passes[this] = all_bits > kept + split_bits
                    else:
                        passes[this] = True
                    if not limits.auxiliary or newly >= uncovered:
                        continue
                    own_bits = local_bits(part[0], log2s, regrets)
                    if limits.local_test:
                        outside[:] = whole[0] - part[0]
                        if not uncovered_bits > own_bits + local_bits(outside, log2s, regrets) + split_bits:
                            continue
                    outside[:] = present.else_counts - part[0]
                    model_bits = bits[t, side]
                    gain = else_bits - local_bits(outside, log2s, regrets) - own_bits - model_bits - present.more_bits
                    cluster = n_clusters * newly // uncovered if limits.diverse else -1
                    _offer(auxiliary, b, cluster, gain / present.powers[newly], gain, model_bits, f, sweep, t, side, size, newly)  # fmt: skip


@numba.njit(cache=True, nogil=True)
def _add_entries(entries, first, last, sign, meets, counts, shared, size):  # type: ignore[no-untyped-def]
    """Add the entries of a bin to counts [C, Q], to the rows shared with each pattern's rules [C, Q] and to size [Q].

    `shared[c, q]` counts the rows of class c whose pattern meets pattern q: those of the candidate inside q's union.
    """
    n_classes = counts.shape[0]
    for e in range(first, last):
        q, c = entries.entry[e] // n_classes, entries.entry[e] % n_classes
        weight = sign * entries.weight[e]
        counts[c, q] += weight
        size[q] += weight
        row, out = meets[q], shared[c]
        for r in range(row.size):
            out[r] += weight * row[r]


@numba.njit(cache=True, nogil=True)
def _overlap_gain(counts, shared, size, inside, unions, label_bits, log2s):  # type: ignore[no-untyped-def]
    """Return the bits saved on the rows that a candidate shares with the rule set (negative where it disagrees).

    Rows of pattern q go from q's union to its union with the candidate, which has the class counts
    unions[c, q] + inside[c] - shared[c, q] (paper, equation 6).
    """
    gain = 0.0
    n_classes = counts.shape[0]
    for q in range(size.size):
        if size[q] == 0:
            continue
        union = 0
        for c in range(n_classes):
            joined = unions[c, q] + inside[c] - shared[c, q]
            union += joined
            if counts[c, q] > 0:
                gain += counts[c, q] * (label_bits[c, q] + log2s[joined])
        gain -= size[q] * log2s[union]
    return gain


class Entries(NamedTuple):
    """Arrays of one base rule's `PatternCounts`."""

    pattern: NDArray[np.int32]
    counts: NDArray[np.int32]
    entry_start: NDArray[np.int64]
    entry: NDArray[np.int32]
    weight: NDArray[np.int32]


@numba.njit(cache=True, nogil=True)
def score_candidates(features, limits, present, base, entries, b, passes, main):  # type: ignore[no-untyped-def]
    """Compute the learning speed (equation 20) of the candidates that passed and keep the best.

    Parameters
    ----------
    features, limits, present, base, entries
        See the named tuples above.
    b : int
        Place of the base rule in its batch.
    passes : bool [number of candidates]
        From `test_candidates`.
    main : Chosen, changed at b
        Candidates with the best learning speed.
    """
    n_classes = present.else_counts.size
    log2s, regrets = present.log2s, present.regrets
    n_here = entries.pattern.size
    meets = np.empty((n_here, n_here), dtype=np.int32)
    unions = np.empty((n_classes, n_here), dtype=np.int64)
    label_bits = np.empty((n_classes, n_here))
    for q in range(n_here):
        for r in range(n_here):
            meets[q, r] = present.meets[entries.pattern[q], entries.pattern[r]]
        for c in range(n_classes):
            unions[c, q] = present.union_counts[entries.pattern[q], c]
            label_bits[c, q] = present.label_bits[entries.pattern[q], c]
    all_counts = np.zeros((n_classes, n_here), dtype=np.int32)
    all_shared, all_size = np.zeros_like(all_counts), np.zeros(n_here, dtype=np.int32)
    for q in range(n_here):
        for c in range(n_classes):
            all_counts[c, q] = entries.counts[q, c]
            all_size[q] += entries.counts[q, c]
            if entries.counts[q, c] > 0:
                for r in range(n_here):
                    all_shared[c, r] += entries.counts[q, c] * meets[q, r]
    known_counts, known_shared, known_size = np.empty_like(all_counts), np.empty_like(all_counts), np.empty_like(all_size)
    counts, shared, size = np.empty_like(all_counts), np.empty_like(all_counts), np.empty_like(all_size)
    rest_counts, rest_shared, rest_size = np.empty_like(all_counts), np.empty_like(all_counts), np.empty_like(all_size)

    coverage = 0
    for v in range(features.slot_start[0], features.slot_start[1]):
        coverage += base.by_bin[v].sum()
    else_bits = local_bits(present.else_counts, log2s, regrets)
    sequence = np.empty(features.candidate_start[-1] + 4, dtype=np.int32)
    sweep_start = np.empty(features.candidate_start[-1] + 4, dtype=np.int32)
    bits = np.empty((256, 2))
    total = np.zeros((2, n_classes), dtype=np.int64)
    prefix, part = np.zeros_like(total), np.zeros_like(total)
    inside, outside = np.zeros(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    n_clusters = main.score.shape[1]
    for f in range(features.kind.size):
        if not passes[features.candidate_start[f] : features.candidate_start[f + 1]].any():
            continue
        own, allowed = _allowed_bins(base, f)
        first_slot = features.slot_start[f]
        by_bin = base.by_bin[first_slot : features.slot_start[f + 1]]
        number = features.candidate_start[f]
        for sweep in range(make_sweeps(features, f, by_bin, allowed, sequence, sweep_start)):
            bins = sequence[sweep_start[sweep] : sweep_start[sweep + 1]]
            n_positions = max(bins.size - 1, 1)
            if not passes[number : number + 2 * n_positions].any():
                number += 2 * n_positions
                continue
            is_whole = bins[0] > features.n_bins[f]
            _universe(features, f, by_bin, allowed, is_whole, total)
            sweep_bits(features, base, f, own, bins, bits)
            known_counts[:], known_shared[:], known_size[:] = all_counts, all_shared, all_size
            if not is_whole:
                for v in range(features.n_bins[f], features.n_bins[f] + 2):
                    _add_entries(entries, entries.entry_start[first_slot + v], entries.entry_start[first_slot + v + 1], -1, meets, known_counts, known_shared, known_size)  # fmt: skip
            counts[:], shared[:], size[:] = 0, 0, 0
            prefix[:] = 0
            for t in range(n_positions):
                slot = first_slot + bins[t]
                prefix += by_bin[bins[t]]
                _add_entries(entries, entries.entry_start[slot], entries.entry_start[slot + 1], 1, meets, counts, shared, size)  # fmt: skip
                for side in range(2):
                    this = number
                    number += 1
                    if not passes[this]:
                        continue
                    if side == 0:
                        part[:] = prefix
                        inside[:] = part[0] + part[1]
                        gain = _overlap_gain(counts, shared, size, inside, unions, label_bits, log2s)
                    else:
                        part[:] = total - prefix
                        inside[:] = part[0] + part[1]
                        rest_counts[:], rest_shared[:] = known_counts - counts, known_shared - shared
                        rest_size[:] = known_size - size
                        gain = _overlap_gain(rest_counts, rest_shared, rest_size, inside, unions, label_bits, log2s)
                    n_inside, newly = inside.sum(), part[0].sum()
                    outside[:] = present.else_counts - part[0]
                    gain += else_bits - local_bits(outside, log2s, regrets) - regrets[n_inside]
                    for c in range(n_classes):
                        gain -= part[0, c] * (log2s[n_inside] - log2s[inside[c]])
                    gain -= bits[t, side] + present.more_bits
                    cluster = n_clusters * n_inside // coverage if limits.diverse else -1
                    _offer(main, b, cluster, gain / present.powers[newly], gain, bits[t, side], f, sweep, t, side, n_inside, newly)  # fmt: skip


@numba.njit(cache=True, nogil=True)
def write_bins(features, base, f, sweep, position, side, holds):  # type: ignore[no-untyped-def]
    """Write to `holds` [256] the bins of a candidate's literal and return the literal that it replaces, or -1."""
    own, allowed = _allowed_bins(base, f)
    counts = base.by_bin[features.slot_start[f] : features.slot_start[f + 1]]
    sequence = np.empty(features.candidate_start[-1] + 4, dtype=np.int32)
    sweep_start = np.empty(features.candidate_start[-1] + 4, dtype=np.int32)
    make_sweeps(features, f, counts, allowed, sequence, sweep_start)
    bins = sequence[sweep_start[sweep] : sweep_start[sweep + 1]]
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
    for b in range(batch.start.size - 1):
        test_candidates(features, limits, present, _base_of(batch, b), b, passes[b], auxiliary)
        for f in range(features.kind.size):
            wanted[b, f] = passes[b, features.candidate_start[f] : features.candidate_start[f + 1]].any()


@numba.njit(cache=True, nogil=True)
def score_batch(features, limits, present, batch, start, pattern, counts, entry_start, entry, weight, passes, main):  # type: ignore[no-untyped-def]  # fmt: skip
    """Run `score_candidates` on a batch, given the arrays of its `PatternCounts`."""
    for b in range(batch.start.size - 1):
        here = slice(start[b], start[b + 1])
        entries = Entries(pattern[here], counts[here], entry_start[b], entry, weight)
        score_candidates(features, limits, present, _base_of(batch, b), entries, b, passes[b], main)


@numba.njit(cache=True, nogil=True)
def write_batch(features, batch, chosen, holds, own):  # type: ignore[no-untyped-def]
    """Write the bins [B, W, 256] of every chosen candidate's literal, and the literal that it replaces [B, W]."""
    for b in range(chosen.score.shape[0]):
        for w in range(chosen.score.shape[1]):
            if chosen.score[b, w] > -np.inf:
                i = chosen.integers[b, w]
                own[b, w] = write_bins(
                    features, _base_of(batch, b), i[FEATURE], i[SWEEP], i[POSITION], i[SIDE], holds[b, w]
                )
