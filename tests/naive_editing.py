"""Slow, obvious twins of the kernels of editing, row by row in plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np


def narrowed(column: list[int], holds: list[bool], n_known: int, covered: list[bool]) -> tuple[list[bool], int, int]:
    """Return the cover with one literal more, and the range of the known bins before it (255, 0 where none)."""
    known = [code for code, inside in zip(column, covered, strict=True) if inside and code < n_known]
    after = [inside and holds[code] for code, inside in zip(column, covered, strict=True)]
    return after, min(known, default=255), max(known, default=0)


def inside(numbers: list[float], low: float | None, high: float | None, covered: list[bool]) -> list[bool]:
    """Return the cover with low <= number < high as well; a missing number is in no interval."""
    return [
        is_in and not np.isnan(x) and (low is None or low <= x) and (high is None or x < high)
        for x, is_in in zip(numbers, covered, strict=True)
    ]


def entering_or_leaving(row_pattern: list[int], inside: list[bool], covered: list[bool]) -> list[bool]:
    """Say which rows a rule covers that are not in one of its patterns, or the other way round."""
    return [inside[p] != is_in for p, is_in in zip(row_pattern, covered, strict=True)]


def switched(row_pattern: list[int], flips: list[int], n_patterns: int) -> list[int]:
    """Return the patterns of rows after they entered or left rules; new ones are numbered as they appear."""
    new: dict[tuple[int, int], int] = {}
    return [new.setdefault((p, f), n_patterns + len(new)) if f else p for p, f in zip(row_pattern, flips, strict=True)]


def farthest(apart: list[list[float]], rules: list[int]) -> float:
    """Return the largest distance of two rules; NaN where a distance is not known."""
    distances = [apart[i][j] for i in rules for j in rules if i < j]
    return float("nan") if any(np.isnan(distances)) else max(distances, default=0.0)


def binned(numbers: list[float], cuts: list[float], missing_bin: int) -> list[int]:
    """Return the bins of numbers: how many cuts are not above them."""
    return [missing_bin if np.isnan(x) else sum(cut <= x for cut in cuts) for x in numbers]


def moved_pairs(
    before: list[frozenset[str]], after: list[frozenset[str]], labels: list[int]
) -> Counter[tuple[frozenset[str], frozenset[str], int]]:
    """Count rows by the rules that cover them before and after, and by class."""
    return Counter(zip(before, after, labels, strict=True))


def ranges_by_bin(
    column: list[int], other: list[int], n_known: int, covered: list[bool]
) -> tuple[list[int], list[int]]:
    """Return for each bin of `column` the lowest and highest known bin of `other` over the covered rows."""
    low, high = [255] * 256, [0] * 256
    for own, code, inside in zip(column, other, covered, strict=True):
        if inside and code < n_known:
            low[own], high[own] = min(low[own], code), max(high[own], code)
    return low, high


def rows_excluded(covers: list[set[int]], n_rows: int) -> list[int]:
    """Return for each literal, given by its cover, how many rows it alone keeps out."""
    everything = set(range(n_rows))
    counts = []
    for k in range(len(covers)):
        others = everything.intersection(*(cover for j, cover in enumerate(covers) if j != k))
        counts.append(len(others - covers[k]))
    return counts
