"""What the kernels look up: powers, the bits of literals, and the rule set so far as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns
from turs.learn.arrays import CATEGORICAL, NUMERIC, Features, Present
from turs.learn.counting import slot_starts
from turs.learn.settings import Constraints
from turs.learn.sweeps import candidate_starts
from turs.mdl.codes import MISSINGNESS_BITS, cut_bits, level_bits, set_bits, variables_bits
from turs.mdl.logs import log2_of
from turs.rules.schema import MAX_BINS, Schema


def feature_arrays(schema: Schema, constraints: Constraints) -> Features:
    """Return what the kernels know of the features."""
    n = len(schema.features)
    one_cut, two_cuts = np.zeros((n, MAX_BINS + 2)), np.zeros((n, MAX_BINS + 2))
    missing_bits = np.full(n, 2 * MISSINGNESS_BITS)
    for f, feature in enumerate(schema.features):
        extra = MISSINGNESS_BITS if feature.has_missing else 0.0
        for k in range(feature.n_bins + 1):
            if feature.is_categorical:
                one_cut[f, k] = extra + level_bits(len(feature.levels), k)
            else:
                one, two = cut_bits(len(feature.cuts), k)
                one_cut[f, k], two_cuts[f, k] = extra + one, extra + two
    kind = np.array([CATEGORICAL if feature.is_categorical else NUMERIC for feature in schema.features], dtype=np.int8)
    n_bins = np.array([feature.n_bins for feature in schema.features], dtype=np.int32)
    has_missing = np.array([feature.has_missing for feature in schema.features])
    directions = {">=": 1, "<": -1}
    return Features(
        kind=kind,
        n_bins=n_bins,
        has_missing=has_missing,
        usable=np.array([feature.name not in constraints.unused for feature in schema.features]),
        direction=np.array(
            [directions.get(constraints.directions.get(feature.name, ""), 0) for feature in schema.features],
            dtype=np.int8,
        ),
        slot_start=slot_starts(schema),
        candidate_start=candidate_starts(kind, n_bins, has_missing, len(schema.classes)),
        one_cut=one_cut,
        two_cuts=two_cuts,
        missing_bits=missing_bits,
        variables_bits=np.array([variables_bits(n, k) for k in range(n + 1)]),
        which_bits=log2_of(n),
    )


def present_arrays(
    patterns: Patterns, log2s: NDArray[np.float64], regrets: NDArray[np.float64], exponent: float
) -> Present:
    """Return the rule set so far as the kernels see it.

    Parameters
    ----------
    patterns : Patterns
        Of the rule set.
    log2s, regrets : float64
        log2 of all numbers of rows, and the table of `regret_at`.
    exponent : float
        Of the newly covered rows, in eighths.
    """
    unions = patterns.union_counts
    n_rules = patterns.members.shape[1]
    return Present(
        else_counts=patterns.counts[0].copy(),
        more_bits=set_bits(n_rules + 1) - set_bits(n_rules),
        union_counts=unions.astype(np.int32),
        label_bits=log2s[unions.sum(axis=1)][:, None] - log2s[unions],
        words=patterns.words,
        log2s=log2s,
        regrets=regrets,
        eighths=round(8 * exponent),
    )
