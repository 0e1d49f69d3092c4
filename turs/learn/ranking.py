"""Which of the candidates that the base rules of a level offer a beam keeps."""

from __future__ import annotations

import numpy as np

from turs.kernel import kernel
from turs.learn.arrays import COVERAGE


@kernel
def _ranked(score, integers, places):  # type: ignore[no-untyped-def]
    """Return the candidates in descending order of score; ties: the larger coverage, then the earlier base rule.

    `places` are the base rules' places, of which each offers the same number of candidates, one after the other.
    """
    n_each = score.size // max(places.size, 1)
    order = np.argsort(-score, kind="mergesort")
    size = 0
    for k in range(order.size):
        i = order[k]
        if not score[i] > -np.inf:
            break
        at = size
        while at > 0 and score[order[at - 1]] == score[i]:
            other = order[at - 1]
            more = integers[i, COVERAGE] - integers[other, COVERAGE]
            if more < 0 or (more == 0 and places[i // n_each] >= places[other // n_each]):
                break
            order[at] = other
            at -= 1
        order[at] = i
        size += 1
    return order[:size]


@kernel
def _once(ranked, key):  # type: ignore[no-untyped-def]
    """Return the candidates without those that say what one before them says."""
    by_key = np.argsort(key[ranked], kind="mergesort")
    is_first = np.ones(ranked.size, dtype=np.bool_)
    for k in range(1, by_key.size):
        is_first[by_key[k]] = key[ranked[by_key[k]]] != key[ranked[by_key[k - 1]]]
    return ranked[is_first]


@kernel
def keep_best(score, integers, key, places, width, diverse, size):  # type: ignore[no-untyped-def]
    """Return at most `width` candidates in descending order of score, no condition twice.

    Diverse: candidates are sorted by size and divided into `width` clusters of equal number, of which each gives its
    best. Otherwise those with the highest scores. Ties: the larger coverage, then the earlier base rule, then its
    earlier candidate.

    Parameters
    ----------
    score : float64 [n]
        -inf where there is no candidate.
    integers : int64 [n, 6]
        See `Chosen`.
    key : uint64 [n]
        What each candidate says.
    places : int64 [B]
        Place of each base rule among all; each offers n / B candidates, one after the other.
    width, diverse : int, bool
        Of the beam.
    size : int
        Column of the integers by which the clusters go: rows covered in the main beam, newly covered in the auxiliary.
    """
    ranked = _once(_ranked(score, integers, places), key)
    if not diverse or ranked.size <= width:
        return ranked[:width]
    by_size = np.argsort(integers[ranked, size], kind="mergesort")
    chosen = np.zeros(ranked.size, dtype=np.bool_)
    for w in range(width):
        best = ranked.size
        for k in range(w * ranked.size // width, (w + 1) * ranked.size // width):
            best = min(best, by_size[k])
        chosen[best] = True
    return ranked[chosen]
