"""Do the rules of an overlap differ, or is it chance? A permutation test on counts.

Null hypothesis: among the rows that at least one of these rules covers, which of the rules cover a row says nothing
about its class. Then all ways to hand out the classes of these rows are alike, and the rules' class shares differ by
chance alone. The statistic is the largest total variation distance between the shares of two of the rules, so three
or more rules make one test without picking a pair first. Rows with the same set of these rules are interchangeable:
a permutation is a draw of their class counts without replacement (hypergeometric), and rows never appear.

The p-value is the add-one estimate (1 + permutations with a statistic as large) / (1 + permutations). On training rows
it is optimistic about rules that were learned from them: rules that a learner chose differ more than random ones.
Every test starts from the same seed, so a p-value does not change because some other rule does.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns

_CLOSE = 1e-9
"""Statistics this close count as equal: they are sums of ratios of counts, which round."""


def difference_p_value(patterns: Patterns, rules: NDArray[np.bool_], n_permutations: int = 999, seed: int = 0) -> float:
    """Return the p-value of "these rules differ".

    Parameters
    ----------
    patterns : Patterns
        Of the rule set on the rows.
    rules : bool [K]
        The rules, two or more.
    n_permutations : int
        Number of random permutations.
    seed : int
        Of the random numbers.
    """
    inside = patterns.members[:, rules]
    touched = inside.any(axis=1)
    groups, place = np.unique(inside[touched], axis=0, return_inverse=True)
    counts = np.zeros((len(groups), patterns.counts.shape[1]), dtype=np.int64)
    np.add.at(counts, place.ravel(), patterns.counts[touched])
    counts = counts[:, counts.any(axis=0)]
    if counts.shape[1] < 2:
        return 1.0
    observed = _largest_distance(groups, counts[None])[0]
    if observed <= _CLOSE:
        return 1.0
    drawn = _permuted(counts, n_permutations, np.random.default_rng(seed))
    as_large = int((_largest_distance(groups, drawn) >= observed - _CLOSE).sum())
    return (1 + as_large) / (1 + n_permutations)


def _permuted(counts: NDArray[np.int64], n_draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return class counts of groups [S, G, C] where the classes of all rows are handed out at random."""
    n_groups, n_classes = counts.shape
    drawn = np.zeros((n_draws, n_groups, n_classes), dtype=np.int64)
    left = np.broadcast_to(counts.sum(axis=0), (n_draws, n_classes)).copy()
    for group in range(n_groups - 1):
        needed = np.full(n_draws, counts[group].sum())
        others = left.sum(axis=1)
        for c in range(n_classes - 1):
            others -= left[:, c]
            drawn[:, group, c] = rng.hypergeometric(left[:, c], others, needed)
            needed -= drawn[:, group, c]
        drawn[:, group, -1] = needed
        left -= drawn[:, group]
    drawn[:, -1] = left
    return drawn


def _largest_distance(groups: NDArray[np.bool_], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the largest distance of two rules [S], from the rules [G, R] and class counts [S, G, C] of groups of rows.

    A rule without rows agrees with every other.
    """
    sums = counts.transpose(0, 2, 1).astype(np.float64) @ groups.astype(np.float64)
    rows = groups.T.astype(np.float64) @ counts[0].sum(axis=1)
    shares = sums / np.maximum(rows, 1.0)
    largest = np.zeros(len(counts))
    for a, b in combinations(np.flatnonzero(rows), 2):
        np.maximum(largest, 0.5 * np.abs(shares[:, :, a] - shares[:, :, b]).sum(axis=1), out=largest)
    return largest
