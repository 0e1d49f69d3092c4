"""The learning speed (paper, equation 20) of the candidates that passed the local test: the main beam.

It needs class counts per pattern, because a candidate changes the union of every pattern that it meets. Candidates
are walked over in the same order, and numbered alike, as in the local test.

Most candidates are not the best of their patience cluster, and a rough value is enough to see that. It differs from
the exact one by the order of its sum only, and in that order the two sides of a cut go side by side without a branch,
at a fifth of the cost. Where it comes within `_SLACK` of the best so far, the exact one decides, so the results are
those of exact values throughout.

`score_speed` is long on purpose: divided into functions that take its arrays in named tuples it was a third slower,
because every call counts each array in and out.
"""

from __future__ import annotations

import numpy as np

from turs.kernel import kernel
from turs.learn.arrays import Entries, Room, base_of, make_scratch
from turs.learn.local_test import add_bin, add_universe, bin_sizes, local_bits, offer, power, take_away
from turs.learn.sweeps import all_literal_bits, make_sweeps, own_literal, sweep_bits
from turs.mdl.regret import regret_at

_SLACK = 1e-13
"""By how much two sums of the same numbers may differ, for each number and each row of the table.

A number is at most the rows of an entry times 2 log2(rows), below 128 bits a row; each addition rounds by 2**-53 of it.
"""


@kernel
def _collect(entries_from, entries_to, entry, weight, pending, touched, n_touched):  # type: ignore[no-untyped-def]
    """Add entries to those pending and return how many codes are touched; the pending ones are counted by code."""
    for e in range(entries_from, entries_to):
        code = entry[e]
        if pending[code] == 0:
            touched[n_touched] = code
            n_touched += 1
        pending[code] += weight[e]
    return n_touched


@kernel
def _settle(pending, touched, n_touched, sign, meets, place, tally):  # type: ignore[no-untyped-def]
    """Add what is pending to a tally, or take it away: each code once, however many rows it has."""
    n_classes = place.size
    n_inner = tally.shape[0] // 2
    for k in range(n_touched):
        code = touched[k]
        rows = sign * pending[code]
        pending[code] = 0
        q, c = code // n_classes, place[code % n_classes]
        tally[c, q] += rows
        tally[n_inner, q] += rows
        line = n_inner + 1 + c
        for r in range(tally.shape[1]):
            tally[line, r] += rows * meets[q, r]


@kernel
def _part(room, at, n_lines, length):  # type: ignore[no-untyped-def]
    """Return a table of zeros [n_lines, length] in a room, from a place on."""
    part = room[at : at + n_lines * length]
    part[:] = 0
    return part.reshape(n_lines, length)


@kernel
def _overlap_gain(whole, sign, prefix, inside, n_inside, unions, label_bits, log2s):  # type: ignore[no-untyped-def]
    """Return the bits saved on the rows that a candidate shares with the rule set (negative where it disagrees).

    The candidate's rows are those of the prefix (sign 1) or the rest of the whole (sign -1). Rows of pattern q go from
    q's union to its union with the candidate, which has the class counts unions[c, q] + inside[c] - shared[c, q]
    (paper, equation 6).
    """
    gain = 0.0
    n_inner = inside.size
    rest = 1 if sign < 0 else 0
    for q in range(unions.shape[1]):
        size = rest * whole[n_inner, q] + sign * prefix[n_inner, q]
        if size == 0:
            continue
        union = unions[n_inner, q] + n_inside
        for c in range(n_inner):
            shared = rest * whole[n_inner + 1 + c, q] + sign * prefix[n_inner + 1 + c, q]
            union -= shared
            count = rest * whole[c, q] + sign * prefix[c, q]
            if count > 0:
                gain += count * (label_bits[c, q] + log2s[unions[c, q] + inside[c] - shared])
        gain -= size * log2s[union]
    return gain


@kernel
def _rough_gains(whole, prefix, below, above, n_below, n_above, unions, label_bits, log2s, sums):  # type: ignore[no-untyped-def]  # fmt: skip
    """Return `_overlap_gain` of the prefix and of the rest of the whole, but for the order of the sums.

    Indices are unsigned because a signed one would be looked at for being negative.
    """
    gain_below, gain_above = 0.0, 0.0
    n_inner, padded = below.size, unions.shape[1]
    for q in range(padded):
        sums[0, q] = 0
        sums[1, q] = 0
    for c in range(n_inner):
        line, n_below_c, n_above_c = n_inner + 1 + c, np.int32(below[c]), np.int32(above[c])
        for q in range(padded):
            sums[0, q] += prefix[line, q]
        for q in range(padded):
            sums[1, q] += whole[line, q]
        for q in range(padded):
            count, shared, union = prefix[c, q], prefix[line, q], unions[c, q]
            joined_below = np.uint32(union + n_below_c - shared)
            joined_above = np.uint32(union + n_above_c - (whole[line, q] - shared))
            gain_below += count * (label_bits[c, q] + log2s[joined_below])
            gain_above += (whole[c, q] - count) * (label_bits[c, q] + log2s[joined_above])
    for q in range(padded):
        count, shared, union = prefix[n_inner, q], sums[0, q], unions[n_inner, q]
        union_below = np.uint32(union + n_below - shared)
        union_above = np.uint32(union + n_above - (sums[1, q] - shared))
        gain_below -= count * log2s[union_below]
        gain_above -= (whole[n_inner, q] - count) * log2s[union_above]
    return gain_below, gain_above


@kernel
def _whole_gain(gain, log2s, regrets, else_counts, else_bits, part_free, inside, n_inside, rule_bits):  # type: ignore[no-untyped-def]  # fmt: skip
    """Return the bits that the rule set saves by a candidate, given those saved on the rows that it shares."""
    gain += else_bits - local_bits(log2s, regrets, else_counts, -1, part_free)
    gain -= regret_at(regrets, n_inside)
    for c in range(inside.size):
        gain -= part_free[c] * (log2s[n_inside] - log2s[inside[c]])
    return gain - rule_bits


@kernel
def score_speed(  # type: ignore[no-untyped-def]
    features, limits, present, base, entries, scratch, room, passes, score_of, integers, numbers
):
    """Compute the learning speed (equation 20) of the candidates that passed and keep the best.

    Tables go by the Q patterns present in the base rule, padded with zeros, and by the D classes that some covered row
    of the base rule has: the others have no row in any pattern. A tally [2 D + 1, Q] of rows has the rows of class c in
    pattern q in line c, all rows in q in line D, and in line D + 1 + c the rows of class c whose pattern meets q: those
    inside the union of q's rules.

    Parameters
    ----------
    features, limits, present, base, entries, scratch, room
        See the named tuples in `arrays`.
    passes : bool [number of candidates]
        From `run_local_test`.
    score_of, integers, numbers : changed
        Candidates of the base rule with the best learning speed, see `Chosen`.
    """
    log2s, regrets, else_counts = present.log2s, present.regrets, present.else_counts
    entry_start, entry, weight = entries.entry_start, entries.entry, entries.weight
    sequence, sweep_start, rows_at, bits = scratch.sequence, scratch.sweep_start, scratch.rows_at, scratch.bits
    n_classes, n_here = else_counts.size, entries.pattern.size
    padded = -(-n_here // 16) * 16
    place = np.full(n_classes, -1, dtype=np.int32)
    n_inner = 0
    for c in range(n_classes):
        for q in range(n_here):
            if entries.counts[q, c] > 0:
                place[c] = n_inner
                n_inner += 1
                break
    at = n_here * padded
    meets = _part(room.integers, 0, n_here, padded)
    unions = _part(room.integers, at, n_inner + 1, padded)
    sums = _part(room.integers, at + (n_inner + 1) * padded, 2, padded)
    at += (n_inner + 3) * padded
    every = _part(room.integers, at, 2 * n_inner + 1, padded)
    known = _part(room.integers, at + every.size, 2 * n_inner + 1, padded)
    prefix = _part(room.integers, at + 2 * every.size, 2 * n_inner + 1, padded)
    at += 3 * every.size
    pending = _part(room.integers, at, 1, n_here * n_classes)[0]
    touched = _part(room.integers, at + pending.size, 1, n_here * n_classes)[0]
    label_bits = _part(room.numbers, 0, n_inner, padded)
    words = np.zeros((present.words.shape[1], padded), dtype=np.uint64)
    for q in range(n_here):
        p = entries.pattern[q]
        for w in range(words.shape[0]):
            words[w, q] = present.words[p, w]
        for c in range(n_classes):
            unions[n_inner, q] += present.union_counts[p, c]
            if place[c] >= 0:
                unions[place[c], q] = present.union_counts[p, c]
                label_bits[place[c], q] = present.label_bits[p, c]
                every[place[c], q] = entries.counts[q, c]
                every[n_inner, q] += entries.counts[q, c]
    for q in range(n_here):
        for w in range(words.shape[0]):
            own_word = words[w, q]
            for r in range(padded):
                meets[q, r] |= (words[w, r] & own_word) != 0
        for c in range(n_inner):
            count = every[c, q]
            if count > 0:
                for r in range(padded):
                    every[n_inner + 1 + c, r] += count * meets[q, r]

    none = np.zeros(n_classes, dtype=np.int64)
    total_free, total_both, free, both = none.copy(), none.copy(), none.copy(), none.copy()
    part_free, inside = none.copy(), none.copy()
    below, above = none[:n_inner].copy(), none[:n_inner].copy()
    coverage = base.in_all.sum()
    else_bits = local_bits(log2s, regrets, else_counts, 0, none)
    literal_bits = all_literal_bits(features, base)
    n_clusters = score_of.size
    slack = _SLACK * (n_here * (n_inner + 1) + n_classes + 8) * log2s.size
    for f in range(features.kind.size):
        number = features.candidate_start[f]
        if not passes[number : features.candidate_start[f + 1]].any():
            continue
        own, n_bins = own_literal(base.feature, f), features.n_bins[f]
        allowed = scratch.every if own < 0 else base.holds[own]
        first_slot = features.slot_start[f]
        counts = base.by_bin[first_slot : features.slot_start[f + 1]]
        low, high = bin_sizes(n_bins, counts, rows_at)
        n_sweeps = make_sweeps(
            features.kind[f], n_bins, features.has_missing[f], counts, allowed, sequence, sweep_start
        )
        for sweep in range(n_sweeps):
            bins = sequence[sweep_start[sweep] : sweep_start[sweep + 1]]
            n_positions = max(bins.size - 1, 1)
            last = -1
            for t in range(n_positions):
                if passes[number + 2 * t] or passes[number + 2 * t + 1]:
                    last = t
            is_whole = bins[0] > n_bins
            add_universe(n_bins, counts, allowed, is_whole, total_free, total_both)
            n_total = total_both.sum()
            sweep_bits(features, base, literal_bits, f, own, low, high, bins, bits)
            whole = every
            if not is_whole and rows_at[n_bins] + rows_at[n_bins + 1] > 0:
                slot = first_slot + n_bins
                n_touched = _collect(entry_start[slot], entry_start[slot + 2], entry, weight, pending, touched, 0)
                known[:] = every
                _settle(pending, touched, n_touched, -1, meets, place, known)
                whole = known
            prefix[:] = 0
            free[:] = 0
            both[:] = 0
            n_touched = 0
            for t in range(last + 1):
                slot = first_slot + bins[t]
                add_bin(counts, bins[t], free, both)
                n_touched = _collect(
                    entry_start[slot], entry_start[slot + 1], entry, weight, pending, touched, n_touched
                )
                if not passes[number + 2 * t] and not passes[number + 2 * t + 1]:
                    continue
                _settle(pending, touched, n_touched, 1, meets, place, prefix)
                n_touched = 0
                rough_below, rough_above = 0.0, 0.0
                if n_here > 0:
                    n_prefix = both.sum()
                    for c in range(n_classes):
                        if place[c] >= 0:
                            below[place[c]] = both[c]
                            above[place[c]] = total_both[c] - both[c]
                    rough_below, rough_above = _rough_gains(
                        whole, prefix, below, above, n_prefix, n_total - n_prefix, unions, label_bits, log2s, sums
                    )
                for side in range(2):
                    if not passes[number + 2 * t + side]:
                        continue
                    if side == 0:
                        part_free[:] = free
                        inside[:] = both
                    else:
                        take_away(total_free, free, part_free)
                        take_away(total_both, both, inside)
                    n_inside, newly = inside.sum(), part_free.sum()
                    rule_bits = bits[t, side] + present.more_bits
                    rough = rough_below if side == 0 else rough_above
                    gain = _whole_gain(
                        rough, log2s, regrets, else_counts, else_bits, part_free, inside, n_inside, rule_bits
                    )
                    cluster = n_clusters * n_inside // coverage if limits.diverse else -1
                    divisor = power(newly, present.eighths)
                    if n_here > 0:
                        if (gain + slack) / divisor < score_of[cluster]:
                            continue
                        sign, inner = (1, below) if side == 0 else (-1, above)
                        exact = _overlap_gain(whole, sign, prefix, inner, n_inside, unions, label_bits, log2s)
                        gain = _whole_gain(
                            exact, log2s, regrets, else_counts, else_bits, part_free, inside, n_inside, rule_bits
                        )
                    described = (f, sweep, t, side, n_inside, newly)
                    offer(score_of, integers, numbers, cluster, gain / divisor, gain, bits[t, side], described)
            number += 2 * n_positions


@kernel
def score_speeds(  # type: ignore[no-untyped-def]
    features, limits, present, batch, start, pattern, counts, entry_start, entry, weight, passes, first, last, main
):
    """Run `score_speed` on the base rules first to last - 1 of a batch, given the arrays of its `PatternCounts`."""
    scratch = make_scratch(features)
    n_classes = counts.shape[1]
    most = 0
    for b in range(first, last):
        most = max(most, start[b + 1] - start[b])
    padded = most + 16
    room = Room(
        np.empty(most * padded + (7 * n_classes + 6) * padded + 2 * most * n_classes, dtype=np.int32),
        np.empty(n_classes * padded),
    )
    for b in range(first, last):
        if passes[b].any():
            here = slice(start[b], start[b + 1])
            entries = Entries(pattern[here], counts[here], entry_start[b], entry, weight)
            score_speed(
                features, limits, present, base_of(batch, b), entries, scratch, room, passes[b],
                main.score[b], main.integers[b], main.numbers[b],
            )  # fmt: skip


@kernel
def _share_a_rule(words, p, q):  # type: ignore[no-untyped-def]
    """Return whether two patterns have a rule in common."""
    common = np.uint64(0)
    for w in range(words.shape[1]):
        common |= words[p, w] & words[q, w]
    return common != 0


@kernel
def gain_bits(features, present, batch, start, pattern, counts, gains):  # type: ignore[no-untyped-def]
    """Write the bits that the rule set saves by each base rule as it is, given the arrays of its `PatternCounts`."""
    log2s, regrets, words = present.log2s, present.regrets, present.words
    none = np.zeros(present.else_counts.size, dtype=np.int64)
    else_bits = local_bits(log2s, regrets, present.else_counts, 0, none)
    for b in range(gains.size):
        base = base_of(batch, b)
        free, inside = none + base.in_all[0], none + base.in_all[0] + base.in_all[1]
        gain, n_inside = 0.0, inside.sum()
        for q in range(start[b], start[b + 1]):
            p = pattern[q]
            joined = inside + present.union_counts[p]
            for r in range(start[b], start[b + 1]):
                if _share_a_rule(words, p, pattern[r]):
                    joined -= counts[r]
            n_joined = joined.sum()
            for c in range(joined.size):
                if counts[q, c] > 0:
                    gain += counts[q, c] * (present.label_bits[p, c] + log2s[joined[c]] - log2s[n_joined])
        rule_bits = features.variables_bits[base.feature.size] + all_literal_bits(features, base).sum()
        gains[b] = _whole_gain(
            gain, log2s, regrets, present.else_counts, else_bits, free, inside, n_inside, rule_bits + present.more_bits
        )
