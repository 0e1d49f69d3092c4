"""Which rules cover which rows, as patterns: the exact set of rules that covers a row.

A prediction depends on a row only through its pattern, so the table pattern -> class counts says all about a rule
set on a table of rows. `assign_patterns` refines patterns one rule at a time, touching only the rows it covers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def refine(row_pattern, covered, child):  # type: ignore[no-untyped-def]
    """Move the covered rows of each pattern into a child pattern of their own.

    Parameters
    ----------
    row_pattern : int32 [n], changed
        Pattern of each row.
    covered : bool [n]
        The cover of the rule that is added.
    child : int32 [2 * number of patterns], changed
        Holds -1; child[p] becomes the new pattern of the covered rows of pattern p.

    Returns
    -------
    int
        Number of patterns after.
    """
    n_old = child.size // 2
    n_patterns = n_old
    for i in range(row_pattern.size):
        if covered[i]:
            p = row_pattern[i]
            if child[p] < 0:
                child[p] = n_patterns
                n_patterns += 1
            row_pattern[i] = child[p]
    return n_patterns


@numba.njit(cache=True, nogil=True)
def count_patterns(row_pattern, labels, counts):  # type: ignore[no-untyped-def]
    """Add the class counts of each pattern to `counts` [P, C]; rows without a label (-1) do not count."""
    for i in range(row_pattern.size):
        if labels[i] >= 0:
            counts[row_pattern[i], labels[i]] += 1


@dataclass(frozen=True)
class Patterns:
    """The observed patterns of a rule set on a table.

    Parameters
    ----------
    members : bool [P, K]
        Which rules make a pattern; rows in ascending order, the else rule (no member) first and always present.
    counts : int64 [P, C]
        Class counts of the rows of each pattern.
    """

    members: NDArray[np.bool_]
    counts: NDArray[np.int64]

    @property
    def meets(self) -> NDArray[np.bool_]:
        """Whether two patterns share a rule [P, P]."""
        as_float = self.members.astype(np.float32)
        return np.asarray(as_float @ as_float.T > 0)

    @property
    def rule_counts(self) -> NDArray[np.int64]:
        """Class counts of each rule's cover [K, C]."""
        return np.asarray(self.members.T.astype(np.int64) @ self.counts)

    @property
    def union_counts(self) -> NDArray[np.int64]:
        """Class counts of the union of each pattern's rules [P, C]; the else rule has its own rows."""
        unions = self.meets.astype(np.int64) @ self.counts
        unions[~self.members.any(axis=1)] = self.counts[~self.members.any(axis=1)]
        return np.asarray(unions)


def assign_patterns(covers: NDArray[np.bool_], n_rows: int) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the pattern of each row and the members of each pattern, in ascending order of members.

    Parameters
    ----------
    covers : bool [K, n]
        Which rows each rule covers.
    n_rows : int
        Number of rows (needed where there is no rule).
    """
    row_pattern = np.zeros(n_rows, dtype=np.int32)
    members = np.zeros((1, 0), dtype=np.bool_)
    for cover in covers:
        members = extend(row_pattern, members, cover)
    return row_pattern, members


def extend(
    row_pattern: NDArray[np.int32], members: NDArray[np.bool_], cover: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Add one rule: change `row_pattern` in place and return the new members, in ascending order, none empty."""
    child = np.full(2 * len(members), -1, dtype=np.int32)
    n_patterns = refine(row_pattern, cover, child)
    grown = np.zeros((n_patterns, members.shape[1] + 1), dtype=np.bool_)
    grown[: len(members), :-1] = members
    parents = np.flatnonzero(child[: len(members)] >= 0)
    grown[child[parents], :-1] = members[parents]
    grown[child[parents], -1] = True
    used = np.bincount(row_pattern, minlength=n_patterns) > 0
    used[0] = True
    kept = np.flatnonzero(used)
    order = kept[np.lexsort(grown[kept].T[::-1])]
    new_of_old = np.zeros(n_patterns, dtype=np.int32)
    new_of_old[order] = np.arange(order.size, dtype=np.int32)
    row_pattern[:] = new_of_old[row_pattern]
    return grown[order]


def tabulate(
    row_pattern: NDArray[np.int32], members: NDArray[np.bool_], labels: NDArray[np.int32], n_classes: int
) -> Patterns:
    """Return the patterns with their class counts."""
    counts = np.zeros((len(members), n_classes), dtype=np.int64)
    count_patterns(row_pattern, labels, counts)
    return Patterns(members, counts)
