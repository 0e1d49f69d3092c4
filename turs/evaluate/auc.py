"""ROC-AUC from pattern counts: the union's, and the expected one of random picks, both without expanding rows.

Two classes have one AUC, that of the last class; more have the mean of one-versus-rest AUCs over the classes that the
rows hold (macro), the others are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns
from turs.evaluate.plain import PlainValue
from turs.kernel import kernel
from turs.mdl.sums import add_exactly, rounded
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
    found = np.empty(1)
    add_areas(scores[None], scores.argsort()[None], positive[None], negative[None], found)
    return float(found[0])


@kernel
def add_areas(scores, order, positive, negative, found):  # type: ignore[no-untyped-def]
    """Write to `found` [C] the areas under the ROC curves of C ways to rank the same groups; see `roc_auc`.

    Parameters
    ----------
    scores : float64 [C, G]
        Score of each group.
    order : int64 [C, G]
        The groups by ascending score.
    positive, negative : float64 [C, G]
        Weight of the positive and negative rows of each group.
    found : float64 [C], written
    """
    n_groups = scores.shape[1]
    place = np.empty(n_groups, dtype=np.int64)
    above, below = np.empty(n_groups), np.empty(n_groups)
    parts = np.empty(64)
    for c in range(scores.shape[0]):
        n_places = 0
        for k in range(n_groups):
            g = order[c, k]
            if k == 0 or scores[c, g] != scores[c, order[c, k - 1]]:
                above[n_places] = below[n_places] = 0.0
                n_places += 1
            place[g] = n_places - 1
        # Weights are added up in the order of the groups, whatever order the sort left equal scores in.
        for g in range(n_groups):
            above[place[g]] += positive[c, g]
            below[place[g]] += negative[c, g]
        n_positive = n_negative = 0.0
        n_parts = 0
        for k in range(n_places):
            n_positive += above[k]
            n_negative += below[k]
            n_parts = add_exactly(above[k] * (n_negative - 0.5 * below[k]), parts, n_parts)
        pairs = n_positive * n_negative
        found[c] = rounded(parts, n_parts) / pairs if pairs > 0.0 else np.nan


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
    scores, positive = np.ascontiguousarray(probabilities.T), np.ascontiguousarray(weights.T)
    by_class = np.empty(len(positive))
    add_areas(scores, scores.argsort(axis=1), positive, positive.sum(axis=0) - positive, by_class)
    return macro(tuple(by_class.tolist()))


def macro(by_class: tuple[float, ...]) -> Auc:
    """Return one-versus-rest areas as one: the last class of two, the mean of those that exist of more."""
    if len(by_class) == 2:
        return Auc(by_class[1], by_class)
    known = [value for value in by_class if not math.isnan(value)]
    return Auc(math.fsum(known) / len(known) if known else math.nan, by_class)


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
    by_size = np.zeros((int(size.max(initial=0)) + 1, counts.shape[1], members.shape[1]), dtype=np.int64)
    add_to_rules(members, size, counts, by_size)
    weights = np.zeros(by_size.shape[1:])
    for n in range(1, len(by_size)):  # rows are counted first, so that the sums do not depend on the rules' order
        weights += by_size[n] / n
    none = size == 0
    groups = np.concatenate((rule_probabilities, probabilities[none])), np.concatenate((weights.T, counts[none]))
    order = np.lexsort(np.concatenate(groups, axis=1).T)
    return macro_auc(groups[0][order], groups[1][order])


@kernel
def add_to_rules(members, size, counts, by_size):  # type: ignore[no-untyped-def]
    """Add the rows of each pattern [P, C] to each of its rules [P, K], in `by_size` [S, C, K] by the pattern's size.

    The rules are innermost: their sums do not wait for each other, as those of the patterns of one rule do.
    """
    for p in range(members.shape[0]):
        rows = by_size[size[p]]
        for c in range(counts.shape[1]):
            for k in range(members.shape[1]):
                rows[c, k] += members[p, k] * counts[p, c]


def random_pick_gap(patterns: Patterns) -> float:
    """Return the AUC of a rule set on its own rows less the expected AUC of random picks; 0 with one class."""
    probabilities = union_probabilities(patterns, patterns.members)
    union = union_auc(probabilities, patterns.counts).value
    picked = random_pick_auc(patterns.members, probabilities, rule_probabilities(patterns), patterns.counts).value
    return 0.0 if np.isnan(union) else union - picked
