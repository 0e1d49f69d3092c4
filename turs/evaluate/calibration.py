"""Whether rows of a predicted probability have their class that often: bins of the probability of one class.

Bins are of equal width or hold about as many rows each; edges and membership are those of scikit-learn's
`calibration_curve` on the expanded rows, found without expanding them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from turs.evaluate.forecast import Forecast
from turs.evaluate.plain import PlainValue
from turs.evaluate.shares import wilson

Strategy = Literal["uniform", "quantile"]
"""Bins of equal width, or of about as many rows each."""


@dataclass(frozen=True)
class CalibrationBin(PlainValue):
    """Rows whose predicted probability of a class falls into one bin.

    Parameters
    ----------
    low, high : float
        Ends of the bin; it holds its upper end, the first bin its lower end too.
    rows : int
        Number of rows.
    mean_predicted, observed : float
        Mean predicted probability of the class, and its share among the rows.
    interval : tuple of float
        Wilson interval (95 %) of the observed share.
    """

    low: float
    high: float
    rows: int
    mean_predicted: float
    observed: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Calibration(PlainValue):
    """Calibration of the predicted probability of one class; bins without rows are left out."""

    label: str
    strategy: Strategy
    bins: tuple[CalibrationBin, ...]


def calibration(forecast: Forecast, n_bins: int = 10, strategy: Strategy = "uniform") -> tuple[Calibration, ...]:
    """Return the calibration of the predictions for each class.

    Parameters
    ----------
    forecast : Forecast
        Rows with what is predicted for them.
    n_bins : int
        Number of bins before empty ones are left out.
    strategy : {"uniform", "quantile"}
        Bins of equal width, or of about as many rows each.
    """
    probabilities, counts = forecast.probabilities, forecast.rows.counts
    n = forecast.n_of_pattern
    return tuple(
        Calibration(label, strategy, _bins(probabilities[:, c], counts[:, c], n, n_bins, strategy))
        for c, label in enumerate(forecast.classes)
    )


def _bins(
    scores: NDArray[np.float64], hits: NDArray[np.int64], rows: NDArray[np.int64], n_bins: int, strategy: Strategy
) -> tuple[CalibrationBin, ...]:
    """Return the bins that have rows, for groups with scores, numbers of rows of the class and of all rows [G]."""
    if not rows.any():
        return ()
    fractions = np.linspace(0.0, 1.0, n_bins + 1)
    edges = fractions if strategy == "uniform" else weighted_quantiles(scores, rows, fractions)
    place = np.searchsorted(edges[1:-1], scores)
    n = np.bincount(place, weights=rows, minlength=n_bins)
    predicted = np.bincount(place, weights=rows * scores, minlength=n_bins)
    found = np.bincount(place, weights=hits, minlength=n_bins)
    return tuple(
        CalibrationBin(
            low=float(edges[b]),
            high=float(edges[b + 1]),
            rows=int(n[b]),
            mean_predicted=float(predicted[b] / n[b]),
            observed=float(found[b] / n[b]),
            interval=wilson(int(found[b]), int(n[b])),
        )
        for b in np.flatnonzero(n)
    )


def weighted_quantiles(
    values: NDArray[np.float64], times: NDArray[np.int64], fractions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what `numpy.percentile` gives for values that occur so many times each, to the last digit.

    Rows that fall on an edge are common, since there are few distinct probabilities; so the rounding of positions and
    of the interpolation follows NumPy's.
    """
    order = np.argsort(values)
    ends = np.cumsum(times[order])
    last = int(ends[-1]) - 1
    position = last * (fractions * 100.0 / 100.0)
    below = np.floor(position).astype(np.int64)
    weight = position - below
    low = values[order[np.searchsorted(ends, below, side="right")]]
    high = values[order[np.searchsorted(ends, np.minimum(below + 1, last), side="right")]]
    step = high - low
    return np.asarray(np.where(weight < 0.5, low + step * weight, high - step * (1.0 - weight)))
