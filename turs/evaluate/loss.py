"""The log-loss of predictions, from counts of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CLIP = float(np.finfo(np.float64).eps)
"""Log-loss takes probabilities as at least this and at most 1 less this (2.2e-16), as scikit-learn does."""


def log_loss(probabilities: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """Return the mean log-loss (natural logarithm) of rows counted by class [P, C] under probabilities [P, C]."""
    clipped = np.clip(probabilities, CLIP, 1.0 - CLIP)
    return mean_over_rows(-counts * np.log(clipped), counts)


def mean_over_rows(sums: NDArray[np.float64] | NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """Return a sum over all rows as a mean over them; NaN where there is none."""
    n_rows = int(counts.sum())
    return float(sums.sum()) / n_rows if n_rows else float("nan")
