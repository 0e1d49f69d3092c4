"""The local tests (paper, equations 22 and 24) and the complementary score of the auxiliary beam (equation 23).

Both need only the class counts of a base rule per bin; what passes goes on to the learning speed.
"""

from __future__ import annotations

import numpy as np

from turs.kernel import kernel
from turs.learn.arrays import (
    BITS,
    GAIN,
    NUMERIC,
    base_of,
    make_scratch,
)
from turs.learn.sweeps import all_literal_bits, interval_bits, make_sweeps, other_bits, own_literal, sweep_bits
from turs.mdl.regret import regret_at

_SLACK = 1e-6
"""Bits by which sums of logarithms may be off: what fails a bound by more would fail the test too."""


@kernel
def bin_sizes(n_bins, counts, sizes):  # type: ignore[no-untyped-def]
    """Write the rows of each bin and return the range of the known bins that have rows (0, -1 where none)."""
    low, high = 0, -1
    for v in range(counts.shape[0]):
        n = 0
        for covered in range(2):
            for c in range(counts.shape[2]):
                n += counts[v, covered, c]
        sizes[v] = n
        if n > 0 and v < n_bins:
            low = v if high < 0 else low
            high = v
    return low, high


@kernel
def add_bin(counts, v, free, both):  # type: ignore[no-untyped-def]
    """Add the class counts of bin v to those of the uncovered rows and of all rows."""
    for c in range(free.size):
        free[c] += counts[v, 0, c]
        both[c] += counts[v, 0, c] + counts[v, 1, c]


@kernel
def add_universe(n_bins, counts, allowed, is_whole, free, both):  # type: ignore[no-untyped-def]
    """Write the class counts of the rows that a sweep divides: all, or those with a known value."""
    free[:] = 0
    both[:] = 0
    for v in range(counts.shape[0]):
        if is_whole or (v < n_bins and allowed[v]):
            add_bin(counts, v, free, both)


@kernel
def local_bits(log2s, regrets, counts, sign, others):  # type: ignore[no-untyped-def]
    """Return the bits of labels as a model of their own, regret included (equation 11).

    The class counts are counts + sign * others. Indices are unsigned because a signed one would be looked at for being
    negative.
    """
    n = 0
    bits = 0.0
    for c in range(counts.size):
        m = counts[c] + sign * others[c]
        n += m
        bits -= m * log2s[np.uint64(m)]
    return bits + n * log2s[np.uint64(n)] + regret_at(regrets, n)


@kernel
def two_sides(log2s, regrets, total, part):  # type: ignore[no-untyped-def]
    """Return the local bits of a part and of the rest of the total, in one go."""
    n, n_rest = 0, 0
    bits, bits_rest = 0.0, 0.0
    for c in range(total.size):
        m = part[c]
        m_rest = total[c] - m
        n += m
        n_rest += m_rest
        bits -= m * log2s[np.uint64(m)]
        bits_rest -= m_rest * log2s[np.uint64(m_rest)]
    bits = bits + n * log2s[np.uint64(n)] + regret_at(regrets, n)
    return bits, bits_rest + n_rest * log2s[np.uint64(n_rest)] + regret_at(regrets, n_rest)


@kernel
def left_of_rest(log2s, regrets, everything, total, prefix):  # type: ignore[no-untyped-def]
    """Return the local bits of the rows left out by the rest of a sweep: everything - (total - prefix)."""
    n = 0
    bits = 0.0
    for c in range(everything.size):
        m = everything[c] - total[c] + prefix[c]
        n += m
        bits -= m * log2s[np.uint64(m)]
    return bits + n * log2s[np.uint64(n)] + regret_at(regrets, n)


@kernel
def take_away(total, part, rest):  # type: ignore[no-untyped-def]
    """Write total - part to `rest`; as an expression it would make an array each time."""
    for c in range(total.size):
        rest[c] = total[c] - part[c]


@kernel
def power(n, eighths):  # type: ignore[no-untyped-def]
    """Return n to the power of eighths / 8, at most 1, by square roots: the same on every machine."""
    if eighths == 8:
        return float(n)
    result = 1.0
    root = float(n)
    for bit in (4, 2, 1):
        root = np.sqrt(root)
        if eighths & bit:
            result *= root
    return result


@kernel
def offer(score_of, integers, numbers, cluster, score, gain, bits, description):  # type: ignore[no-untyped-def]
    """Keep a candidate where it is the best of its patience cluster, or among the best of all (cluster -1).

    `score_of`, `integers` and `numbers` are those of one base rule (see `Chosen`), `description` the integers of the
    candidate. Without clusters the chosen ones are in descending order of score. The first of two equal candidates
    stays.
    """
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
    for i in range(len(description)):
        integers[at, i] = description[i]


@kernel
def run_local_test(features, limits, present, base, scratch, passes, score_of, integers, numbers):  # type: ignore[no-untyped-def]  # fmt: skip
    """Apply the local tests to every candidate of a base rule and score those of the auxiliary beam.

    Parameters
    ----------
    features, limits, present, base, scratch
        See the named tuples in `arrays`.
    passes : bool [number of candidates], written
        Which candidates the main beam has to score.
    score_of, integers, numbers : changed
        Candidates of the base rule with the best complementary score (equation 23), see `Chosen`.
    """
    log2s, regrets, else_counts = present.log2s, present.regrets, present.else_counts
    one_cut, two_cuts = features.one_cut, features.two_cuts
    sequence, sweep_start, rows_at, bits = scratch.sequence, scratch.sweep_start, scratch.rows_at, scratch.bits
    by_bin, eighths, most_literals = base.by_bin, present.eighths, limits.most_literals
    n_classes = else_counts.size
    none = np.zeros(n_classes, dtype=np.int64)
    all_free, all_both = none + base.in_all[0], none + base.in_all[0] + base.in_all[1]
    coverage, uncovered = all_both.sum(), all_free.sum()
    all_bits = local_bits(log2s, regrets, all_both, 0, none)
    free_bits = local_bits(log2s, regrets, all_free, 0, none)
    else_bits = local_bits(log2s, regrets, else_counts, 0, none)
    # A split saves at most the bits of the likelihood: two regrets together are never below that of their union.
    most = all_bits - regret_at(regrets, coverage) + _SLACK if limits.local_test else np.inf
    most_free = free_bits - regret_at(regrets, uncovered) + _SLACK if limits.local_test else np.inf
    most_free = most_free if limits.auxiliary else -np.inf
    passes[:] = False
    if max(most, most_free) <= features.which_bits + 1.0:
        return
    literal_bits = all_literal_bits(features, base)
    bits_of_others = other_bits(features.variables_bits, literal_bits, -1)
    total_free, total_both, free, both = none.copy(), none.copy(), none.copy(), none.copy()
    part_free = none.copy()
    n_clusters = score_of.size
    for f in range(features.kind.size):
        own = own_literal(base.feature, f)
        if not features.usable[f] or (own < 0 and base.feature.size >= most_literals):
            continue
        kind, n_bins, direction = features.kind[f], features.n_bins[f], features.direction[f]
        allowed = scratch.every if own < 0 else base.holds[own]
        counts = by_bin[features.slot_start[f] : features.slot_start[f + 1]]
        low, high = bin_sizes(n_bins, counts, rows_at)
        n_values = max(high - low, 0)
        number = features.candidate_start[f]
        n_sweeps = make_sweeps(kind, n_bins, features.has_missing[f], counts, allowed, sequence, sweep_start)
        for sweep in range(n_sweeps):
            bins = sequence[sweep_start[sweep] : sweep_start[sweep + 1]]
            is_whole = bins[0] > n_bins
            is_set = kind != NUMERIC and not is_whole
            split_bits = features.which_bits + (features.missing_bits[f] if is_whole else one_cut[f, n_values])
            least_bits = features.which_bits + 1.0 if is_set else split_bits
            may_pass, may_pass_free = most > least_bits, most_free > least_bits
            if not may_pass and not may_pass_free:
                number += 2 * max(bins.size - 1, 1)
                continue
            add_universe(n_bins, counts, allowed, is_whole, total_free, total_both)
            n_total, n_total_free = total_both.sum(), total_free.sum()
            if not may_pass_free:
                pass
            elif own < 0 and kind == NUMERIC and not is_whole:
                one, two = bits_of_others + one_cut[f, n_values], bits_of_others + two_cuts[f, n_values]
                interval_bits(n_bins, one, two, bins, bits)
            else:
                sweep_bits(features, base, literal_bits, f, own, low, high, bins, bits)
            free[:] = 0
            both[:] = 0
            n_prefix = n_prefix_free = 0
            for t in range(max(bins.size - 1, 1)):
                number += 2
                v = bins[t]
                if rows_at[v] == 0:
                    continue
                n_prefix += rows_at[v]
                for c in range(n_classes):
                    n_prefix_free += counts[v, 0, c]
                add_bin(counts, v, free, both)
                if is_set:
                    split_bits = features.which_bits + one_cut[f, t + 1]
                below = above = 0.0
                if may_pass:
                    below, above = two_sides(log2s, regrets, total_both, both)
                free_below, free_above = below, above
                if may_pass_free and uncovered < coverage:
                    free_below, free_above = two_sides(log2s, regrets, total_free, free)
                for side in range(2):
                    if direction != 0 and not is_whole and direction != 2 * side - 1:
                        continue
                    size = n_prefix if side == 0 else n_total - n_prefix
                    newly = n_prefix_free if side == 0 else n_total_free - n_prefix_free
                    if size < limits.least_coverage or size >= coverage or newly == 0:
                        continue
                    if may_pass:
                        # the left-out part is the other side of the sweep and what the sweep does not divide
                        if n_total == coverage or not limits.local_test:
                            left = above if side == 0 else below
                        elif side == 0:
                            left = local_bits(log2s, regrets, all_both, -1, both)
                        else:
                            left = left_of_rest(log2s, regrets, all_both, total_both, both)
                        inside = below if side == 0 else above
                        passes[number - 2 + side] = not limits.local_test or all_bits > inside + left + split_bits
                    if not may_pass_free or newly >= uncovered:
                        continue
                    if side == 0:
                        part_free[:] = free
                    else:
                        take_away(total_free, free, part_free)
                    inside = free_below if side == 0 else free_above
                    if limits.local_test:
                        left = free_above if side == 0 else free_below
                        if n_total_free < uncovered:
                            left = local_bits(log2s, regrets, all_free, -1, part_free)
                        if not free_bits > inside + left + split_bits:
                            continue
                    gain = else_bits - local_bits(log2s, regrets, else_counts, -1, part_free) - inside
                    gain -= bits[t, side] + present.more_bits
                    cluster = n_clusters * newly // uncovered if limits.diverse else -1
                    described = (f, sweep, t, side, size, newly)
                    offer(
                        score_of,
                        integers,
                        numbers,
                        cluster,
                        gain / power(newly, eighths),
                        gain,
                        bits[t, side],
                        described,
                    )


@kernel
def run_local_tests(features, limits, present, batch, passes, wanted, auxiliary):  # type: ignore[no-untyped-def]
    """Run `run_local_test` on a batch; write to `wanted` [B, d] the features with a candidate that passed."""
    scratch = make_scratch(features)
    for b in range(batch.start.size - 1):
        run_local_test(
            features, limits, present, base_of(batch, b), scratch, passes[b],
            auxiliary.score[b], auxiliary.integers[b], auxiliary.numbers[b],
        )  # fmt: skip
        for f in range(features.kind.size):
            wanted[b, f] = passes[b, features.candidate_start[f] : features.candidate_start[f + 1]].any()
