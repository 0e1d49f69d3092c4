"""Slow, obvious twins of `turs.evaluate`, on rows: nothing is counted by pattern, every row is looked at on its own."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, permutations
from statistics import fmean
from typing import NamedTuple

import numpy as np

from tests import naive

Vector = list[float]


class Rows(NamedTuple):
    """Rows with their classes, and which rules cover them."""

    covers: list[set[int]]
    labels: list[int]
    n_classes: int

    def fired(self, i: int) -> tuple[int, ...]:
        """Return the rules that cover row i."""
        return tuple(k for k, cover in enumerate(self.covers) if i in cover)

    def patterns(self) -> dict[frozenset[int], list[int]]:
        """Return the rows of each pattern."""
        return naive.pattern_rows(self.covers, len(self.labels))

    def overlaps(self) -> dict[frozenset[int], list[int]]:
        """Return the rows of each pattern of two or more rules."""
        return {pattern: rows for pattern, rows in self.patterns().items() if len(pattern) > 1}

    def counts(self, rows: Iterable[int]) -> list[int]:
        """Return the class counts of rows."""
        return naive.class_counts(rows, self.labels, self.n_classes)

    def without(self, k: int) -> Rows:
        """Return the same rows without rule k."""
        return self._replace(covers=self.covers[:k] + self.covers[k + 1 :])


# --- predictions and metrics -------------------------------------------------------------------------------------


def shares(training: Rows, fired: Iterable[int]) -> Vector:
    """Return the probabilities of a row that exactly these rules cover."""
    return naive.union_shares(training.covers, fired, training.labels, training.n_classes)


def predictions(training: Rows, rows: Rows) -> list[Vector]:
    """Return the probabilities of each row."""
    return [shares(training, rows.fired(i)) for i in range(len(rows.labels))]


def picks(training: Rows, rows: Rows, replaced: Collection[frozenset[int]] | None = None) -> list[list[Vector]]:
    """Return the probability vectors that a row may take, where the rows of some overlaps (or of all) take a pick."""
    found = []
    for i in range(len(rows.labels)):
        fired = rows.fired(i)
        picked = len(fired) > 1 and (replaced is None or frozenset(fired) in replaced)
        found.append([shares(training, [k]) for k in fired] if picked else [shares(training, fired)])
    return found


def auc(training: Rows, rows: Rows, replaced: Collection[frozenset[int]] | None = ()) -> float:
    """Return the expected AUC where the rows of some overlaps (None: of all) take a pick."""
    return naive.macro_auc(picks(training, rows, replaced), rows.labels, rows.n_classes)


def log_loss(vectors: Sequence[Vector], labels: Sequence[int]) -> float:
    """Return the mean log-loss, probabilities clipped at the machine epsilon."""
    epsilon = 2.0**-52
    return fmean(-math.log(min(max(p[y], epsilon), 1 - epsilon)) for p, y in zip(vectors, labels, strict=True))


def brier(vectors: Sequence[Vector], labels: Sequence[int]) -> float:
    """Return the mean squared distance from the true class; half of it for two classes."""
    distances = [
        math.fsum((p - (c == y)) ** 2 for c, p in enumerate(vector)) for vector, y in zip(vectors, labels, strict=True)
    ]
    return fmean(distances) / (2 if len(vectors[0]) < 3 else 1)


def accuracy(vectors: Sequence[Vector], labels: Sequence[int]) -> float:
    """Return the share of rows whose first most probable class is their own."""
    return fmean(vector.index(max(vector)) == y for vector, y in zip(vectors, labels, strict=True))


def average_precision(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Return the mean over the positive rows of the precision among the rows that score at least as high."""
    if not any(positive):
        return math.nan
    found = []
    for score, is_positive in zip(scores, positive, strict=True):
        if is_positive:
            above = [p for s, p in zip(scores, positive, strict=True) if s >= score]
            found.append(sum(above) / len(above))
    return fmean(found)


def calibration(
    scores: Sequence[float], hits: Sequence[bool], edges: Sequence[float]
) -> list[tuple[int, float, float]]:
    """Return rows, mean score and share of hits of the rows in each bin that has some; a bin holds its upper end."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for score, hit in zip(scores, hits, strict=True):
        bins.setdefault(sum(edge < score for edge in edges[1:-1]), []).append((score, hit))
    return [(len(held), fmean(s for s, _ in held), fmean(h for _, h in held)) for _, held in sorted(bins.items())]


# --- random pick -------------------------------------------------------------------------------------------------


def auc_parts(training: Rows, rows: Rows) -> dict[frozenset[int], float]:
    """Return the part of each overlap in union AUC less random-pick AUC: the mean over all orders of replacing them."""
    overlaps = list(rows.overlaps())
    orders = list(permutations(overlaps))
    parts = dict.fromkeys(overlaps, 0.0)
    for order in orders:
        for place, overlap in enumerate(order):
            loss = auc(training, rows, order[:place]) - auc(training, rows, order[: place + 1])
            parts[overlap] += loss / len(orders)
    return parts


def rows_that_can_change(training: Rows, rows: Rows) -> list[int]:
    """Return the rows of which some rule predicts another class than the union."""
    found = []
    for i, vectors in enumerate(picks(training, rows)):
        union = shares(training, rows.fired(i))
        if any(vector.index(max(vector)) != union.index(max(union)) for vector in vectors):
            found.append(i)
    return found


def sampled_auc(training: Rows, rows: Rows, rng: np.random.Generator) -> float:
    """Return the AUC of one random pick."""
    chosen = [[vectors[rng.integers(len(vectors))]] for vectors in picks(training, rows)]
    return naive.macro_auc(chosen, rows.labels, rows.n_classes)


# --- overlaps ----------------------------------------------------------------------------------------------------


def distance(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the largest difference of the probabilities of any set of classes (total variation)."""
    classes = range(len(left))
    return max(
        abs(math.fsum(left[c] - right[c] for c in event))
        for size in range(len(left) + 1)
        for event in combinations(classes, size)
    )


def lost_bits(vectors: Sequence[Sequence[float]], n_rows: int) -> float:
    """Return the mean KL divergence of probability vectors from their mean, in bits, times rows."""
    mean = [fmean(column) for column in zip(*vectors, strict=True)]
    kl = [math.fsum(p * math.log2(p / q) for p, q in zip(vector, mean, strict=True) if p > 0) for vector in vectors]
    return n_rows * fmean(kl)


def misfit_bits(rows: Rows, overlap: frozenset[int]) -> float:
    """Return the bits of an overlap's labels under the shares of the union less those under their own shares."""
    inside = rows.overlaps()[overlap]
    own, union = rows.counts(inside), rows.counts(naive.union_rows(rows.covers, overlap, len(rows.labels)))
    return math.fsum(
        math.log2(own[rows.labels[i]] / sum(own)) - math.log2(union[rows.labels[i]] / sum(union)) for i in inside
    )


def difference_p_value(rows: Rows, rules: Collection[int], n_permutations: int, rng: np.random.Generator) -> float:
    """Return the p-value of "these rules differ", with the labels of all rows of their union shuffled."""
    union = sorted(naive.union_rows(rows.covers, rules, len(rows.labels)))

    def statistic(labels: dict[int, int]) -> float:
        by_rule = [[labels[i] for i in rows.covers[k]] for k in rules]
        vectors = [[labels.count(c) / len(labels) for c in range(rows.n_classes)] for labels in by_rule if labels]
        return max((distance(a, b) for a, b in combinations(vectors, 2)), default=0.0)

    observed = statistic({i: rows.labels[i] for i in union})
    as_large = 0
    for _ in range(n_permutations):
        shuffled = rng.permutation([rows.labels[i] for i in union]).tolist()
        as_large += statistic(dict(zip(union, shuffled, strict=True))) >= observed - 1e-9
    return (1 + as_large) / (1 + n_permutations)


# --- rules -------------------------------------------------------------------------------------------------------


def g_score(training: Rows, rows: Rows) -> float:
    """Return the g score: every training row of every rule votes with the difference of that rule."""
    return _g_score(training, rows, list(zip(training.covers, rows.covers, strict=True)))


def g_score_with_else(training: Rows, rows: Rows) -> float:
    """Return the g score where the rows without a rule are those of one more rule."""
    none = [{i for i in range(len(side.labels)) if not side.fired(i)} for side in (training, rows)]
    return _g_score(training, rows, [*zip(training.covers, rows.covers, strict=True), (none[0], none[1])])


def _g_score(training: Rows, rows: Rows, covers: Sequence[tuple[Collection[int], Collection[int]]]) -> float:
    """Return the g score of rules that cover these rows on both sides."""
    votes = []
    for here, there in covers:
        if here and there:
            p, q = training.counts(here), rows.counts(there)
            gaps = [abs(a / len(here) - b / len(there)) for a, b in zip(p, q, strict=True)]
            votes += [fmean(gaps)] * len(here)
    return fmean(votes) if votes else math.nan


def literals_read(rows: Rows, lengths: Sequence[int]) -> list[int]:
    """Return for each row the literals of the rules that fire, and of all rules where none does."""
    fired = (rows.fired(i) or range(len(lengths)) for i in range(len(rows.labels)))
    return [sum(lengths[k] for k in rules) for rules in fired]


def exclusive_counts(training: Rows, rules: Collection[int], k: int) -> list[int]:
    """Return the class counts of the rows that rule k covers and no other one of these rules does."""
    others = [training.covers[j] for j in rules if j != k]
    return training.counts(training.covers[k].difference(*others))
