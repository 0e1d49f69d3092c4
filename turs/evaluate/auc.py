"""ROC-AUC from pattern counts: the union's, and the expected one of random picks, both without expanding rows.

Two classes have one AUC, that of the last class; more have the mean of one-versus-rest AUCs over the classes that the
rows hold (macro), the others are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns, add_flagged
from turs.evaluate.plain import PlainValue
from turs.predict import rule_probabilities, union_probabilities


def roc_auc(scores: NDArray[np.float64], positive: NDArray[np.float64], negative: NDArray[np.float64]) -> float:
    """Return the area under the ROC curve of weighted groups of rows; NaN where a side has no weight.

    Parameters
    ----------
    scores : float64 [G]
        Score of each group.
    positive, negative : float64 [G]
        Weight of its positive and negative rows.
    """
    order = scores.argsort()
    ordered = scores[order]
    starts = np.empty(len(order), dtype=np.bool_)
    starts[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    group = np.empty(len(order), dtype=np.int64)
    group[order] = starts.cumsum()
    # Weights are added up in the order of the groups, whatever order the sort left equal scores in.
    above, below = np.bincount(group, weights=positive), np.bincount(group, weights=negative)
    n_positive, n_negative = float(above.sum()), float(below.sum())
    if n_positive == 0.0 or n_negative == 0.0:
        return float("nan")
    beaten = np.cumsum(below) - 0.5 * below
    return math.fsum((above * beaten).tolist()) / (n_positive * n_negative)


@dataclass(frozen=True)
class Auc(PlainValue):
    """An area under a curve (ROC or precision-recall) with its parts.

    Parameters
    ----------
    value : float
        The AUC; NaN where the rows hold one class only.
    by_class : tuple of float
        One-versus-rest AUC of each class; NaN for classes that the rows do not hold.
    """

    value: float
    by_class: tuple[float, ...]


def macro_auc(probabilities: NDArray[np.float64], weights: NDArray[np.float64]) -> Auc:
    """Return the AUC of groups of rows with class probabilities [G, C] and class weights [G, C]."""
    total = weights.sum(axis=1)
    by_class = tuple(
        roc_auc(probabilities[:, c], weights[:, c], total - weights[:, c]) for c in range(weights.shape[1])
    )
    return macro(by_class)


def macro(by_class: tuple[float, ...]) -> Auc:
    """Return one-versus-rest areas as one: the last class of two, the mean of those that exist of more."""
    if len(by_class) == 2:
        return Auc(by_class[1], by_class)
    known = [value for value in by_class if not np.isnan(value)]
    return Auc(float(np.mean(known)) if known else float("nan"), by_class)


def auc_value(probabilities: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """Return the value of `union_auc` without the parts that it does not need."""
    if counts.shape[1] == 2:
        return roc_auc(probabilities[:, 1], counts[:, 1].astype(np.float64), counts[:, 0].astype(np.float64))
    return union_auc(probabilities, counts).value


def union_auc(probabilities: NDArray[np.float64], counts: NDArray[np.int64]) -> Auc:
    """Return the AUC of a rule set's predictions.

    Parameters
    ----------
    probabilities : float64 [P, C]
        Of each pattern.
    counts : int64 [P, C]
        Class counts of the rows to be ranked.
    """
    return macro_auc(probabilities, counts.astype(np.float64))


def random_pick_auc(
    members: NDArray[np.bool_],
    probabilities: NDArray[np.float64],
    rule_probabilities: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> Auc:
    """Return the expected AUC where every row takes the probabilities of one of its rules, picked at random.

    Picks of different rows are independent, so the expectation is the AUC of the sample in which a row gives the
    weight 1 / |pattern| to each of its rules.

    Parameters
    ----------
    members : bool [P, K]
        Rules of each pattern.
    probabilities : float64 [P, C]
        Of each pattern; used for the else rule only.
    rule_probabilities : float64 [K, C]
        Of each rule.
    counts : int64 [P, C]
        Class counts of the rows to be ranked.
    """
    size = members.sum(axis=1)
    share = counts / np.maximum(size, 1)[:, None]
    by_rule = np.empty((members.shape[1], counts.shape[1]))
    add_flagged(np.ascontiguousarray(members.T), np.ascontiguousarray(share.T), by_rule)
    none = size == 0
    return macro_auc(np.concatenate((rule_probabilities, probabilities[none])), np.concatenate((by_rule, share[none])))


def random_pick_gap(patterns: Patterns) -> float:
    """Return the AUC of a rule set on its own rows less the expected AUC of random picks; 0 with one class."""
    probabilities = union_probabilities(patterns, patterns.members)
    union = union_auc(probabilities, patterns.counts).value
    picked = random_pick_auc(patterns.members, probabilities, rule_probabilities(patterns), patterns.counts).value
    return 0.0 if np.isnan(union) else union - picked
