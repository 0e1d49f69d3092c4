"""Tables with known true rules, of any size: what the scale measurements learn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_LEVELS = 20
"""Distinct values of a feature: as few as candidate cuts, so that the true cuts are among the candidates."""
_WIDTH = 10
"""Levels that the second literal of a rule spans."""
_SURE = 0.85
_NOISE_SHARE = 0.5
"""Share of the features that no rule uses."""


@dataclass(frozen=True)
class TrueRule:
    """A rule that the rows were drawn from.

    Parameters
    ----------
    intervals : tuple of (int, float, float)
        Feature, lower cut and upper cut of each literal: low <= x < high.
    probabilities : tuple of float
        Class probabilities of the rows that it covers.
    """

    intervals: tuple[tuple[int, float, float], ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class Generated:
    """A table and the rules behind it.

    Parameters
    ----------
    frame : DataFrame
        Features x1, x2, ... and the class, last.
    rules : tuple of TrueRule
        The true rules; they overlap.
    covers : ndarray of bool, shape (n_rules, n_rows)
        Which rows they cover.
    """

    frame: pd.DataFrame
    rules: tuple[TrueRule, ...]
    covers: NDArray[np.bool_]


def generate(n_rows: int, n_features: int, n_classes: int, n_rules: int, seed: int) -> Generated:
    """Return uniform numeric features, and classes drawn from overlapping rules.

    The first feature is divided into a band for each class. A rule lies in the band of its class, has an interval of
    half the values of one more feature, and its class is likely (0.85). Rules of one class overlap, those of different
    classes do not: the rules are truly unordered, and more rows do not ask for more rules. Uncovered rows have equal
    probabilities. Half of the features are noise.

    Parameters
    ----------
    n_rows, n_features, n_classes, n_rules : int
        Sizes.
    seed : int
        Of the generator; rules depend on the sizes of the table only through its features and classes.
    """
    rules = true_rules(n_features, n_classes, n_rules, seed)
    rng = np.random.default_rng([seed, 1])
    values = np.empty((n_features, n_rows))
    covers = np.ones((n_rules, n_rows), dtype=np.bool_)
    for j in range(n_features):  # one at a time, so that drawing takes no more memory than the table
        values[j] = rng.integers(0, _LEVELS, size=n_rows) / _LEVELS
        for k, rule in enumerate(rules):
            for feature, low, high in rule.intervals:
                if feature == j:
                    covers[k] &= (values[j] >= low) & (values[j] < high)
    labels = _labels(covers, rules, n_classes, rng)
    frame = pd.DataFrame(values.T, columns=[f"x{j + 1}" for j in range(n_features)], copy=False)
    frame["class"] = labels
    return Generated(frame, rules, covers)


def true_rules(n_features: int, n_classes: int, n_rules: int, seed: int) -> tuple[TrueRule, ...]:
    """Return the rules that a table of this seed is drawn from."""
    rng = np.random.default_rng([seed, 0])
    n_used = max(1, round((n_features - 1) * (1 - _NOISE_SHARE)))
    bands = [round(_LEVELS * c / n_classes) / _LEVELS for c in range(n_classes + 1)]
    rules = []
    for k in range(n_rules):
        c = k % n_classes
        feature = 1 + k // n_classes % n_used
        low = int(rng.integers(0, _LEVELS - _WIDTH + 1))
        probabilities = np.full(n_classes, (1 - _SURE) / (n_classes - 1))
        probabilities[c] = _SURE
        intervals = ((0, bands[c], bands[c + 1]), (feature, low / _LEVELS, (low + _WIDTH) / _LEVELS))
        rules.append(TrueRule(intervals, tuple(probabilities.tolist())))
    return tuple(rules)


def _labels(
    covers: NDArray[np.bool_], rules: tuple[TrueRule, ...], n_classes: int, rng: np.random.Generator
) -> NDArray[np.int16]:
    """Draw the class of every row, from the mean of the probabilities of its rules."""
    size = covers.sum(axis=0)
    draw = rng.random(covers.shape[1])
    below = np.zeros(covers.shape[1])
    labels = np.zeros(covers.shape[1], dtype=np.int16)
    for c in range(n_classes - 1):
        share = np.zeros(covers.shape[1])
        for k, rule in enumerate(rules):
            share[covers[k]] += rule.probabilities[c]
        below += np.where(size > 0, share / np.maximum(size, 1), 1 / n_classes)
        labels += draw >= below
    return labels
