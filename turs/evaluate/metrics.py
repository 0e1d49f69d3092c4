"""How well predictions fit rows, in the numbers that scikit-learn gives for the expanded rows.

ROC-AUC and PR-AUC of two classes are those of the last class, of more the mean over the classes that the rows hold
(one versus rest); classes that they do not hold are left out and named.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from turs.evaluate.auc import Auc, macro
from turs.evaluate.forecast import Forecast
from turs.evaluate.loss import mean_over_rows
from turs.evaluate.plain import PlainValue


@dataclass(frozen=True)
class Metrics(PlainValue):
    """Predictions against rows.

    Parameters
    ----------
    n_rows : int
        Number of rows; without any, all metrics are NaN.
    auc, pr_auc : Auc
        Areas under the ROC curve and under the precision-recall curve (average precision).
    log_loss : float
        Mean natural logarithm of the probability of the true class, negated.
    brier : float
        Mean squared distance of the probabilities from the true class: in [0, 1] of the last class where there are
        two, in [0, 2] summed over the classes where there are more.
    accuracy : float
        Share of rows whose most probable class is the true one; the first class where several are.
    left_out : tuple of str
        Classes that the rows do not hold, which the two areas leave out.
    """

    n_rows: int
    auc: Auc
    pr_auc: Auc
    log_loss: float
    brier: float
    accuracy: float
    left_out: tuple[str, ...]


def metrics(forecast: Forecast) -> Metrics:
    """Return how well the predictions of a rule set fit the rows."""
    probabilities, counts = forecast.probabilities, forecast.rows.counts
    absent = np.flatnonzero(counts.sum(axis=0) == 0)
    return Metrics(
        n_rows=forecast.n_rows,
        auc=forecast.auc,
        pr_auc=pr_auc(probabilities, counts),
        log_loss=forecast.log_loss,
        brier=brier_score(probabilities, counts),
        accuracy=accuracy(probabilities, counts),
        left_out=tuple(forecast.classes[c] for c in absent),
    )


def brier_score(probabilities: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """Return the Brier score of rows counted by class [P, C] under probabilities [P, C]; halved for two classes."""
    squares = np.sum(probabilities**2, axis=1, keepdims=True)
    score = mean_over_rows(counts * (squares - 2.0 * probabilities + 1.0), counts)
    return 0.5 * score if counts.shape[1] < 3 else score


def accuracy(probabilities: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """Return the share of rows whose most probable class, the first of them, is their own."""
    hits = np.take_along_axis(counts, probabilities.argmax(axis=1)[:, None], axis=1)
    return mean_over_rows(hits, counts)


def pr_auc(probabilities: NDArray[np.float64], counts: NDArray[np.int64]) -> Auc:
    """Return the average precision of rows counted by class [P, C] that are ranked by probabilities [P, C]."""
    total = counts.sum(axis=1)
    return macro(
        tuple(
            average_precision(probabilities[:, c], counts[:, c], total - counts[:, c]) for c in range(counts.shape[1])
        )
    )


def average_precision(scores: NDArray[np.float64], positive: NDArray[np.int64], negative: NDArray[np.int64]) -> float:
    """Return the average precision of groups of rows [G]; NaN where none is positive.

    It is the sum over the distinct scores, from the highest, of the precision at this score times the recall gained.
    """
    n_positive = int(positive.sum())
    if n_positive == 0:
        return float("nan")
    values, group = np.unique(-scores, return_inverse=True)
    found = np.bincount(group, weights=positive, minlength=len(values))
    hits = np.cumsum(found)
    seen = hits + np.cumsum(np.bincount(group, weights=negative, minlength=len(values)))
    return float(np.sum(found * hits / np.maximum(seen, 1.0))) / n_positive
