"""Every literal that a base rule can get, and the model bits of the rule it makes.

Candidates come in *sweeps*: a sequence of bins of one feature, of which each prefix is one candidate and the rest
of the sweep's universe another. A numeric feature has one sweep (its bins in order: x < cut and x >= cut); a
categorical one has a sweep of one bin for each level (in, out) and one for each class with the levels ordered by that
class's share (the best split of two classes is among its prefixes); a feature with missing values has the sweep of
its missing bin (is missing, is known).

Kernels that are called for every feature of every base rule take numbers and single arrays: each array of a named
tuple that is passed on is counted in and out, which took more time than the work itself.
"""

from __future__ import annotations

import numpy as np

from turs.kernel import kernel
from turs.learn.arrays import CATEGORICAL, FEATURE, NUMERIC, POSITION, SIDE, SWEEP, base_of, make_scratch


@kernel
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


@kernel
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


@kernel
def make_sweeps(kind, n_bins, has_missing, counts, allowed, sequence, sweep_start):  # type: ignore[no-untyped-def]
    """Write the sweeps of a feature of a base rule and return their number.

    Parameters
    ----------
    kind, n_bins, has_missing
        Of the feature, see `Features`.
    counts : int32 [slots of the feature, 2, C]
        Class counts of the base rule per bin.
    allowed : bool [256]
        Bins that the base rule's literal on this feature lets through (all, where there is none).
    sequence : int32, written
        Bins of all sweeps, one after the other.
    sweep_start : int32, written
        Where each sweep starts in `sequence`.
    """
    n_classes = counts.shape[2]
    n_sweeps, at = 0, 0
    sweep_start[0] = 0
    if kind == NUMERIC:
        for v in range(n_bins):
            if allowed[v]:
                sequence[at] = v
                at += 1
        if at > 1:
            n_sweeps = 1
            sweep_start[1] = at
        else:  # nothing to cut: one bin, or none where the base rule says that the value is missing
            at = 0
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
    if has_missing and allowed[n_bins + 1] and allowed[0]:
        sequence[at] = n_bins + 1
        n_sweeps += 1
        sweep_start[n_sweeps] = at + 1
    return n_sweeps


@kernel
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


@kernel
def all_literal_bits(features, base):  # type: ignore[no-untyped-def]
    """Return the bits of each literal of a base rule."""
    bits = np.empty(base.feature.size)
    for j in range(base.feature.size):
        bits[j] = _literal_bits(features, base.feature[j], base.holds[j], base.ranges.lowest[j], base.ranges.highest[j])
    return bits


@kernel
def other_bits(variables_bits, literal_bits, own):  # type: ignore[no-untyped-def]
    """Return the model bits of a rule without those of one literal: of its literal `own`, or of one more (-1)."""
    bits = variables_bits[literal_bits.size + (1 if own < 0 else 0)]
    for j in range(literal_bits.size):
        if j != own:
            bits += literal_bits[j]
    return bits


@kernel
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
    known = features.n_bins[f]
    others = other_bits(features.variables_bits, literal_bits, own)
    if sequence[0] > known:
        bits[0, :] = others + features.missing_bits[f]
        return
    if features.kind[f] == NUMERIC:
        n_values = max(high - low, 0) if own < 0 else max(base.ranges.highest[own] - base.ranges.lowest[own], 0)
        interval_bits(
            known, others + features.one_cut[f, n_values], others + features.two_cuts[f, n_values], sequence, bits
        )
    else:
        n_allowed = known if own < 0 else base.holds[own, :known].sum()
        length = sequence.size
        for t in range(length):
            bits[t, 0] = others + features.one_cut[f, t + 1]
            bits[t, 1] = others + features.one_cut[f, n_allowed - 1 if length == 1 else length - t - 1]
    if own >= 0:
        _move_later(features, base, literal_bits, own, sequence, bits)


@kernel
def interval_bits(known, one, two, sequence, bits):  # type: ignore[no-untyped-def]
    """Write the bits of the candidates of a numeric sweep, given those of a rule with one cut and with two."""
    below = one if sequence[0] == 0 else two
    above = one if sequence[-1] == known - 1 else two
    for t in range(sequence.size):
        bits[t, 0] = below
        bits[t, 1] = above


@kernel
def _move_later(features, base, literal_bits, own, sequence, bits):  # type: ignore[no-untyped-def]
    """Correct `bits` for the later literals: a tighter literal leaves them fewer candidate cuts (K_value)."""
    length = sequence.size
    for j in range(own + 1, base.feature.size):
        f = base.feature[j]
        if features.kind[f] == CATEGORICAL:
            continue
        before = literal_bits[j]
        lows, highs = base.ranges.low_by_bin[j, own], base.ranges.high_by_bin[j, own]
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


@kernel
def own_literal(features_of_base, f):  # type: ignore[no-untyped-def]
    """Return the base rule's literal on feature f, or -1."""
    for j in range(features_of_base.size):
        if features_of_base[j] == f:
            return j
    return -1


@kernel
def write_bins(features, base, scratch, f, sweep, position, side, holds):  # type: ignore[no-untyped-def]
    """Write to `holds` [256] the bins of a candidate's literal and return the literal that it replaces, or -1."""
    own = own_literal(base.feature, f)
    allowed = scratch.every if own < 0 else base.holds[own]
    counts = base.by_bin[features.slot_start[f] : features.slot_start[f + 1]]
    make_sweeps(
        features.kind[f], features.n_bins[f], features.has_missing[f], counts, allowed,
        scratch.sequence, scratch.sweep_start,
    )  # fmt: skip
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


@kernel
def literal_key(f, holds):  # type: ignore[no-untyped-def]
    """Return a 64-bit number that stands for a literal: equal literals have equal ones, others practically never."""
    key = (np.uint64(f) + np.uint64(1)) * np.uint64(0xD1B54A32D192ED03)
    key ^= key >> np.uint64(32)
    word = np.uint64(0)
    for v in range(holds.size):
        word = (word << np.uint64(1)) | np.uint64(holds[v])
        if v % 32 == 31:
            key = (key ^ word) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
            word = np.uint64(0)
    return key


@kernel
def write_batch(features, batch, chosen, holds, own, key):  # type: ignore[no-untyped-def]
    """Write what every chosen candidate is.

    Parameters
    ----------
    features, batch, chosen
        See the named tuples in `arrays`; of the candidates, those of one beam after the other [beams, B, W].
    holds : bool [beams, B, W, 256], written
        Bins of the literal that it adds.
    own : int64 [beams, B, W], written
        The literal of the base rule that this replaces, or -1.
    key : uint64 [beams, B, W], written
        The sum of the keys of its literals: what the rule says, whatever the order of its literals.
    """
    scratch = make_scratch(features)
    n_beams, n_bases, width = chosen.score.shape
    for b in range(n_bases):
        base = base_of(batch, b)
        literal_keys = np.zeros(base.feature.size, dtype=np.uint64)
        for j in range(base.feature.size):
            literal_keys[j] = literal_key(base.feature[j], base.holds[j])
        for at in range(n_beams * width):
            s, w = at // width, at % width
            if chosen.score[s, b, w] > -np.inf:
                i, bins = chosen.integers[s, b, w], holds[s, b, w]
                replaced = write_bins(features, base, scratch, i[FEATURE], i[SWEEP], i[POSITION], i[SIDE], bins)
                own[s, b, w] = replaced
                key[s, b, w] = literal_key(i[FEATURE], bins)
                for j in range(base.feature.size):
                    if j != replaced:
                        key[s, b, w] += literal_keys[j]
