"""A model and rows give class probabilities and the rules that fired.

Everything comes from the stored pattern counts (paper, section 3.3, for any number of rules): the probabilities of a
row covered by rules I are the class shares of the union of their covers, which is the sum over the training patterns
that meet I. Combinations of rules that no training row had are no exception.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from turs.cover.covers import rule_covers
from turs.cover.patterns import Patterns, assign_patterns, line_totals, packed, union_sums
from turs.rules.model import Model, Pattern
from turs.rules.rule import RuleSet


@dataclass(frozen=True)
class Prediction:
    """Predictions for a table of rows, a line for each pattern of fired rules.

    Parameters
    ----------
    pattern : uint32 [n]
        Line of each row.
    members : bool [P, K]
        Rules that fired.
    probabilities : float64 [P, C]
        Class probabilities.
    """

    pattern: NDArray[np.uint32]
    members: NDArray[np.bool_]
    probabilities: NDArray[np.float64]

    def by_row(self) -> NDArray[np.float64]:
        """Return the class probabilities of each row [n, C]."""
        return np.asarray(self.probabilities[self.pattern])

    def fired(self, ids: tuple[str, ...]) -> list[str]:
        """Return for each row the ids of the rules that fired, separated by spaces."""
        lines = np.array([" ".join(np.array(ids)[line]) for line in self.members], dtype=object)
        return list(lines[self.pattern])


def patterns_of(model: Model) -> Patterns:
    """Return the patterns of a model in arrays."""
    ids = {rule.id: k for k, rule in enumerate(model.rule_set.rules)}
    n_classes = len(model.rule_set.schema.classes)
    lines = [Pattern((), (0,) * n_classes), *model.patterns]
    members = np.zeros((len(lines), len(ids)), dtype=np.bool_)
    for p, pattern in enumerate(lines):
        members[p, [ids[rule] for rule in pattern.rules]] = True
    counts = np.array([pattern.counts for pattern in lines], dtype=np.int64)
    order = np.lexsort(members.T[::-1]) if ids else np.arange(len(lines))
    starts = np.ones(len(lines), dtype=np.bool_)
    starts[1:] = (members[order[1:]] != members[order[:-1]]).any(axis=1)
    return Patterns(members[order[starts]], np.add.reduceat(counts[order], np.flatnonzero(starts)))


def model_of(rule_set: RuleSet, patterns: Patterns) -> Model:
    """Return a rule set with its patterns as a model; patterns without rows are left out."""
    ids = [rule.id for rule in rule_set.rules]
    lines = (
        Pattern(tuple(ids[k] for k in np.flatnonzero(line)), tuple(counts.tolist()))
        for line, counts in zip(patterns.members, patterns.counts, strict=True)
        if counts.any()
    )
    return Model(rule_set, tuple(lines))


def shares(counts: NDArray[np.int64], otherwise: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return class shares of each line; a line without rows gets the shares of `otherwise`."""
    totals = line_totals(counts)
    empty = totals == 0
    if empty.any():
        counts, totals = np.where(empty[:, None], otherwise, counts), np.where(empty, otherwise.sum(), totals)
    return np.asarray(counts / np.maximum(totals, 1)[:, None])


def union_probabilities(patterns: Patterns, members: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the class probabilities [Q, C] for rows covered by exactly these rules [Q, K].

    Where no training row is in the union (or in the else rule), the class shares of all training rows stand in.
    """
    counts = union_sums(packed(members), patterns.words, patterns.counts)
    counts[~members.any(axis=1)] = patterns.counts[0]
    return shares(counts, patterns.counts.sum(axis=0))


def rule_probabilities(patterns: Patterns) -> NDArray[np.float64]:
    """Return each rule's own class probabilities [K, C]."""
    return shares(patterns.rule_counts, patterns.counts.sum(axis=0))


def predict(model: Model, bins: NDArray[np.uint8]) -> Prediction:
    """Return predictions for rows given as bins under the model's schema."""
    pattern, members = _fired(model, bins)
    return Prediction(pattern, members, union_probabilities(patterns_of(model), members))


def predict_random_pick(model: Model, bins: NDArray[np.uint8], seed: int) -> NDArray[np.float64]:
    """Return probabilities [n, C] where each row takes those of one of its rules, picked at random (section 6.3)."""
    pattern, members = _fired(model, bins)
    training = patterns_of(model)
    probabilities = union_probabilities(training, members)[pattern]
    own = rule_probabilities(training)
    size = members.sum(axis=1)
    pick = np.random.default_rng(seed).random(len(pattern))
    for p in np.flatnonzero(size > 1):
        rows = np.flatnonzero(pattern == p)
        rules = np.flatnonzero(members[p])
        probabilities[rows] = own[rules[(pick[rows] * len(rules)).astype(np.int64)]]
    return np.asarray(probabilities)


def used_features(model: Model) -> set[str]:
    """Return the features that some rule uses: only their values are looked at."""
    return {literal.feature for rule in model.rule_set.rules for literal in rule.literals}


def predicted_columns(model: Model, prediction: Prediction) -> dict[str, object]:
    """Return the columns that predictions add: predicted class, a probability for each class, ids of fired rules."""
    rule_set = model.rule_set
    classes = np.array(rule_set.schema.classes, dtype=object)
    probabilities = prediction.by_row()
    best = classes[prediction.probabilities.argmax(axis=1)][prediction.pattern]
    by_class = {f"p({label})": probabilities[:, c] for c, label in enumerate(classes)}
    fired = prediction.fired(tuple(rule.id for rule in rule_set.rules))
    return {"predicted": best} | by_class | {"rules": fired}


def _fired(model: Model, bins: NDArray[np.uint8]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Return the pattern of each row and the members of each pattern."""
    rule_set = model.rule_set
    return assign_patterns(rule_covers(rule_set.rules, rule_set.schema, bins), bins.shape[1])
