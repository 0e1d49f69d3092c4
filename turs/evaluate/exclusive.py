"""Rows that a single rule of a pattern accounts for: what the union of its rules loses when one of them goes.

Taking rule k out of a union of rules takes away the rows that k covers and no other rule of the union does. One pass
over pairs of patterns gives these counts for every pattern and each of its rules.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import MANY, Patterns
from turs.cover.unions import exclusive_bit_sums
from turs.kernel import kernel


@dataclass(frozen=True, eq=False)
class Exclusive:
    """Class counts that unions of rules owe to one of their rules.

    Parameters
    ----------
    lines, rules : int64 [E]
        A pattern and one of its rules, in ascending order of both.
    counts : int64 [E, C]
        Class counts of the rows that this rule covers and no other rule of the pattern does.
    """

    lines: NDArray[np.int64]
    rules: NDArray[np.int64]
    counts: NDArray[np.int64]


def exclusive_counts(members: NDArray[np.bool_], patterns: Patterns) -> Exclusive:
    """Return what each rule alone adds to the union of the rules of each line.

    Parameters
    ----------
    members : bool [Q, K]
        Sets of rules.
    patterns : Patterns
        Of the rows to be counted.
    """
    lines, rules = np.nonzero(members)
    starts = np.searchsorted(lines, np.arange(len(members) + 1))
    if len(patterns.members) >= MANY:
        return Exclusive(lines, rules, exclusive_bit_sums(starts, rules, patterns.words, patterns.counts))
    holds = np.ascontiguousarray(patterns.members.T).view(np.uint8)
    by_class = np.ascontiguousarray(patterns.counts.T)
    return Exclusive(lines, rules, _count(starts, rules, holds, by_class))


@kernel
def _count(starts, rules, holds, by_class):  # type: ignore[no-untyped-def]
    """Return for rules[e] of line p (starts[p] <= e < starts[p + 1]) the counts of patterns with no other of its rules.

    holds [K, P] says which patterns hold a rule, by_class [C, P] are their counts: sums run along rows of both.
    """
    n_classes, n_patterns = by_class.shape
    sums = np.zeros((rules.size, n_classes), dtype=np.int64)
    n_common = np.empty(n_patterns, dtype=np.uint16)
    for p in range(starts.size - 1):
        n_common[:] = 0
        for e in range(starts[p], starts[p + 1]):
            n_common += holds[rules[e]]
        for e in range(starts[p], starts[p + 1]):
            own = holds[rules[e]]
            for c in range(n_classes):
                total = 0
                for q in range(n_patterns):
                    total += (own[q] & (n_common[q] == 1)) * by_class[c, q]
                sums[e, c] = total
    return sums
