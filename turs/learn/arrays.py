"""The arrays that the kernels of the learner pass around, by name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from turs.kernel import kernel

NUMERIC, CATEGORICAL = 0, 1
FEATURE, SWEEP, POSITION, SIDE, COVERAGE, NEWLY = range(6)
"""Columns of the integers that describe a chosen candidate."""
N_INTEGERS = 6
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


class Ranges(NamedTuple):
    """Bins of the rows covered by the literals before a literal, for K_value of the model code.

    Only literals on numeric features with two cuts or more have them: the bits of others do not depend on K_value.
    `lowest` and `highest` [number of literals] are the range of the known bins of each literal's feature over those
    rows; `low_by_bin` and `high_by_bin` [number of literals, most literals, 256] the same for those of them that have
    a given bin at an earlier literal of the rule (low 255 and high 0 where there are none).
    """

    lowest: NDArray[np.int16]
    highest: NDArray[np.int16]
    low_by_bin: NDArray[np.int16]
    high_by_bin: NDArray[np.int16]


class Base(NamedTuple):
    """Arrays of one base rule: its literals (see `Bases`), their ranges and its counts (see `Counts`)."""

    feature: NDArray[np.int32]
    holds: NDArray[np.bool_]
    ranges: Ranges
    in_all: NDArray[np.int32]
    by_bin: NDArray[np.int32]


class Batch(NamedTuple):
    """A batch of base rules with their counts: the arrays of `Bases` and `Counts`."""

    start: NDArray[np.int32]
    feature: NDArray[np.int32]
    holds: NDArray[np.bool_]
    ranges: Ranges
    in_all: NDArray[np.int32]
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
    bits of a row of class c there; `words[p]` are the rules of pattern p as bits. `log2s[m]` is log2 m, `regrets` the
    table of `regret_at`. Gains are divided by the newly covered rows to the power of `eighths` / 8.
    """

    else_counts: NDArray[np.int64]
    more_bits: float
    union_counts: NDArray[np.int32]
    label_bits: NDArray[np.float64]
    words: NDArray[np.uint64]
    log2s: NDArray[np.float64]
    regrets: NDArray[np.float64]
    eighths: int


class Entries(NamedTuple):
    """Arrays of one base rule's `PatternCounts`."""

    pattern: NDArray[np.int32]
    counts: NDArray[np.int32]
    entry_start: NDArray[np.int64]
    entry: NDArray[np.int32]
    weight: NDArray[np.int32]


class Chosen(NamedTuple):
    """Chosen candidates of each base rule: score [B, W] (-inf: none), integers [B, W, 6], numbers [B, W, 2]."""

    score: NDArray[np.float64]
    integers: NDArray[np.int64]
    numbers: NDArray[np.float64]


class Room(NamedTuple):
    """Memory for the tables of one base rule after the other, made once for a batch: small ones cost mostly that."""

    integers: NDArray[np.int32]
    numbers: NDArray[np.float64]


class Scratch(NamedTuple):
    """Room that the kernels write to, made once for a batch."""

    sequence: NDArray[np.int32]
    sweep_start: NDArray[np.int32]
    bits: NDArray[np.float64]
    every: NDArray[np.bool_]
    rows_at: NDArray[np.int64]


@kernel
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


@kernel
def base_of(batch, b):  # type: ignore[no-untyped-def]
    """Return the arrays of base rule b."""
    first, last = batch.start[b], batch.start[b + 1]
    return Base(
        batch.feature[first:last],
        batch.holds[first:last],
        Ranges(
            batch.ranges.lowest[first:last],
            batch.ranges.highest[first:last],
            batch.ranges.low_by_bin[first:last],
            batch.ranges.high_by_bin[first:last],
        ),
        batch.in_all[b],
        batch.by_bin[b],
    )
