"""Class shares of a group of rows, each with the interval in which the true share may lie."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turs.evaluate.plain import PlainValue, plain

Z_95 = 1.959963984540054
"""Standard normal deviate of a two-sided interval of 95 %."""


@dataclass(frozen=True)
class ClassShares(PlainValue):
    """Rows counted by class.

    Parameters
    ----------
    counts : tuple of int
        Number of rows of each class.
    """

    counts: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(self.counts)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """Share of each class; NaN where there is no row."""
        n = self.rows
        return tuple(count / n if n else math.nan for count in self.counts)

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """Wilson interval (95 %) of the share of each class; from 0 to 1 where there is no row."""
        return tuple(wilson(count, self.rows) for count in self.counts)

    def to_json_object(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "rows": self.rows,
            "counts": list(self.counts),
            "probabilities": plain(self.probabilities),
            "intervals": plain(self.intervals),
        }


def wilson(hits: int, rows: int) -> tuple[float, float]:
    """Return the lower and the upper end of Wilson's interval (95 %) of a share; 0 and 1 where there is no row.

    Parameters
    ----------
    hits, rows : int
        Numbers of rows that count, and of all rows.
    """
    square = Z_95 * Z_95
    centre = (hits + 0.5 * square) / (rows + square)
    half = Z_95 / (rows + square) * math.sqrt(hits * (rows - hits) / max(rows, 1) + 0.25 * square)
    return (max(centre - half, 0.0) if hits else 0.0, min(centre + half, 1.0) if hits < rows else 1.0)


def class_shares(counts: NDArray[np.int64]) -> list[ClassShares]:
    """Return the class shares of each line of counts [N, C]."""
    return [ClassShares(tuple(line)) for line in counts.tolist()]
