"""The learning speed (paper, equation 20) of the candidates that passed the local test: the main beam.

It needs class counts per pattern, because a candidate changes the union of every pattern that it meets. Candidates
are walked over in the same order, and numbered alike, as in the local test.

`score_speed` is long on purpose: divided into functions that take its arrays in named tuples it was a third slower,
because every call counts each array in and out.
"""

from __future__ import annotations

import numpy as np

from turs.kernel import kernel
from turs.learn.arrays import Entries, Pending, Tally, base_of, make_scratch
from turs.learn.local_test import add_bin, add_universe, bin_sizes, local_bits, offer, power
from turs.learn.sweeps import all_literal_bits, make_sweeps, own_literal, sweep_bits


@kernel
def _collect(entries, slot, sign, pending):  # type: ignore[no-untyped-def]
    """Add the entries of a slot to those pending (or take them away)."""
    weight, touched = pending.weight, pending.touched
    n_touched = pending.n_touched[0]
    for e in range(entries.entry_start[slot], entries.entry_start[slot + 1]):
        code = entries.entry[e]
        if weight[code] == 0:
            touched[n_touched] = code
            n_touched += 1
        weight[code] += sign * entries.weight[e]
    pending.n_touched[0] = n_touched


@kernel
def _settle(pending, meets, tally):  # type: ignore[no-untyped-def]
    """Move what is pending into a tally: each code once, however many rows it has."""
    n_classes = tally.counts.shape[0]
    for k in range(pending.n_touched[0]):
        code = pending.touched[k]
        weight = pending.weight[code]
        pending.weight[code] = 0
        q, c = code // n_classes, code % n_classes
        tally.counts[c, q] += weight
        tally.size[q] += weight
        row, out = meets[q], tally.shared[c]
        for r in range(row.size):
            out[r] += weight * row[r]
    pending.n_touched[0] = 0


@kernel
def _new_tally(n_classes, n_patterns, padded):  # type: ignore[no-untyped-def]
    """Return an empty tally."""
    return Tally(
        np.zeros((n_classes, n_patterns), dtype=np.int32),
        np.zeros(n_patterns, dtype=np.int32),
        np.zeros((n_classes, padded), dtype=np.int32),
    )


@kernel
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


@kernel
def score_speed(features, limits, present, base, entries, b, scratch, room, passes, main):  # type: ignore[no-untyped-def]
    """Compute the learning speed (equation 20) of the candidates that passed and keep the best.

    Parameters
    ----------
    features, limits, present, base, entries, scratch
        See the named tuples above.
    b : int
        Place of the base rule in its batch.
    passes : bool [number of candidates]
        From `run_local_test`.
    room : int32, written
        Room for which patterns present in the base rule meet, made once for a batch.
    main : Chosen, changed at b
        Candidates with the best learning speed.
    """
    n_classes, n_here = present.else_counts.size, entries.pattern.size
    padded = -(-n_here // 16) * 16
    log2s = present.log2s
    meets = room[: n_here * padded].reshape(n_here, padded)
    meets[:] = 0
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

    pending = Pending(
        np.zeros(n_here * n_classes, dtype=np.int32),
        np.empty(n_here * n_classes, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )
    none = np.zeros(n_classes, dtype=np.int64)
    total_free, total_both, free, both = none.copy(), none.copy(), none.copy(), none.copy()
    part_free, inside = none.copy(), none.copy()
    add_universe(features, 0, base.by_bin[: features.slot_start[1]], scratch.every, True, total_free, total_both)
    coverage = total_both.sum()
    else_bits = local_bits(present, present.else_counts, 0, none)
    literal_bits = all_literal_bits(features, base)
    bits = scratch.bits
    n_clusters = main.score.shape[1]
    for f in range(features.kind.size):
        if not passes[features.candidate_start[f] : features.candidate_start[f + 1]].any():
            continue
        own = own_literal(base, f)
        allowed = scratch.every if own < 0 else base.holds[own]
        first_slot = features.slot_start[f]
        counts = base.by_bin[first_slot : features.slot_start[f + 1]]
        low, high = bin_sizes(features, f, counts, scratch.rows_at)
        number = features.candidate_start[f]
        for sweep in range(make_sweeps(features, f, counts, allowed, scratch.sequence, scratch.sweep_start)):
            bins = scratch.sequence[scratch.sweep_start[sweep] : scratch.sweep_start[sweep + 1]]
            n_positions = max(bins.size - 1, 1)
            last = -1
            for t in range(n_positions):
                if passes[number + 2 * t] or passes[number + 2 * t + 1]:
                    last = t
            is_whole = bins[0] > features.n_bins[f]
            add_universe(features, f, counts, allowed, is_whole, total_free, total_both)
            sweep_bits(features, base, literal_bits, f, own, low, high, bins, bits)
            whole_tally = every
            if not is_whole and scratch.rows_at[features.n_bins[f]] + scratch.rows_at[features.n_bins[f] + 1] > 0:
                known.counts[:], known.size[:], known.shared[:] = every.counts, every.size, every.shared
                for v in range(features.n_bins[f], features.n_bins[f] + 2):
                    _collect(entries, first_slot + v, -1, pending)
                _settle(pending, meets, known)
                whole_tally = known
            prefix.counts[:], prefix.size[:], prefix.shared[:] = 0, 0, 0
            free[:] = 0
            both[:] = 0
            for t in range(last + 1):
                add_bin(counts, bins[t], free, both)
                _collect(entries, first_slot + bins[t], 1, pending)
                if not passes[number + 2 * t] and not passes[number + 2 * t + 1]:
                    continue
                _settle(pending, meets, prefix)
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
                    gain -= present.regrets[n_inside]
                    for c in range(n_classes):
                        gain -= part_free[c] * (log2s[n_inside] - log2s[inside[c]])
                    gain -= bits[t, side] + present.more_bits
                    cluster = n_clusters * n_inside // coverage if limits.diverse else -1
                    score = gain / power(newly, present.eighths)
                    offer(main, b, cluster, score, gain, bits[t, side], (f, sweep, t, side, n_inside, newly))
            number += 2 * n_positions


@kernel
def score_speeds(features, limits, present, batch, start, pattern, counts, entry_start, entry, weight, passes, main):  # type: ignore[no-untyped-def]  # fmt: skip
    """Run `score_speed` on a batch, given the arrays of its `PatternCounts`."""
    scratch = make_scratch(features)
    most = 0
    for b in range(batch.start.size - 1):
        most = max(most, start[b + 1] - start[b])
    room = np.empty(most * (most + 16), dtype=np.int32)
    for b in range(batch.start.size - 1):
        here = slice(start[b], start[b + 1])
        entries = Entries(pattern[here], counts[here], entry_start[b], entry, weight)
        score_speed(features, limits, present, base_of(batch, b), entries, b, scratch, room, passes[b], main)
