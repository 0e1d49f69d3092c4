"""What each rule does for the rule set: the bits that it saves, the rows that only it explains, its part in the AUC.

All three compare the rule set with itself less one rule. Without rule k only the patterns that hold k change: each of
them becomes, or joins, the pattern without it, and the union of the rules that are left loses the rows that only k
had (`Exclusive`). Every other union stays as it is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns
from turs.evaluate.auc import auc_value
from turs.evaluate.exclusive import Exclusive, exclusive_counts
from turs.evaluate.forecast import Forecast
from turs.evaluate.plain import PlainValue
from turs.mdl.codes import set_bits
from turs.mdl.regret import regret_bits
from turs.mdl.score import Score, likelihood_bits
from turs.predict import shares

Repriced = Callable[[int], float]
"""By how many bits the conditions of the others change where rule number k goes, as a cut that only it has goes too."""


@dataclass(frozen=True)
class Alone(PlainValue):
    """What some rows owe to one rule.

    Parameters
    ----------
    rows : int
        Rows that only this rule covers.
    share : float
        Their share of all rows; 0 where there is no row.
    auc_change : float
        AUC without the rule less AUC with it, so a loss is negative; NaN where the rows hold one class only.
    """

    rows: int
    share: float
    auc_change: float


@dataclass(frozen=True)
class Contribution(PlainValue):
    """What one rule does for the rule set.

    Parameters
    ----------
    id : str
        The rule.
    bits_saved : float or None
        How many more bits the rule set would need without it; None where the bits of the conditions are not known.
    training, evaluation : Alone
        What its removal does to the training rows and to the evaluation rows (None where there are none).
    """

    id: str
    bits_saved: float | None
    training: Alone
    evaluation: Alone | None


def contributions(
    training: Forecast,
    evaluation: Forecast | None = None,
    score: Score | None = None,
    repriced: Repriced | None = None,
) -> tuple[Contribution, ...]:
    """Return what each rule does for the rule set, in the order of the rules.

    Parameters
    ----------
    training, evaluation : Forecast
        Of the training rows, and of the evaluation rows where there are some.
    score : Score, optional
        Of the rule set on the training rows.
    repriced : callable, optional
        See `Repriced`.
    """
    ids = training.ids
    saved: tuple[float | None, ...] = (None,) * len(ids)
    if score is not None:
        found = bits_saved(training.training, score, training.exclusive)
        saved = found if repriced is None else tuple(bits + repriced(k) for k, bits in enumerate(found))
    here = _alone(training)
    there = _alone(evaluation) if evaluation is not None else [None] * len(ids)
    return tuple(Contribution(*line) for line in zip(ids, saved, here, there, strict=True))


def bits_saved(patterns: Patterns, score: Score, exclusive: Exclusive | None = None) -> tuple[float, ...]:
    """Return for each rule how many more bits the rule set would need without it, exactly, over the same cuts.

    Parameters
    ----------
    patterns : Patterns
        Of the rule set on the rows.
    score : Score
        Of the rule set on the rows.
    exclusive : Exclusive, optional
        What each rule alone adds to the unions of `patterns`, where it is known already.
    """
    exclusive = exclusive or exclusive_counts(patterns.members, patterns)
    n_classes = patterns.counts.shape[1]
    nll = likelihood_bits(patterns.counts, patterns.union_counts)
    regrets = [rule.regret_bits for rule in score.rules]
    model_bits = [rule.model_bits for rule in score.rules]
    place = {line.tobytes(): p for p, line in enumerate(patterns.members)}
    saved = []
    for k in range(len(score.rules)):
        fewer_nll, else_rows = _nll_without(k, patterns, nll, place, exclusive)
        parts = (
            fewer_nll,
            math.fsum((*regrets[:k], *regrets[k + 1 :], regret_bits(else_rows, n_classes))),
            math.fsum((*model_bits[:k], *model_bits[k + 1 :], set_bits(len(score.rules) - 1))),
        )
        saved.append(math.fsum(parts) - score.total_bits)
    return tuple(saved)


def _nll_without(
    k: int, patterns: Patterns, nll: list[float], place: dict[bytes, int], exclusive: Exclusive
) -> tuple[float, int]:
    """Return the likelihood bits and the rows of the else rule where rule number k is taken away.

    The place of a pattern without the rule is found by the bytes of its members.
    """
    members, counts = patterns.members, patterns.counts
    entries = np.flatnonzero(exclusive.rules == k)
    changed = exclusive.lines[entries]
    fewer = members[changed]
    fewer[:, k] = False
    joined = np.array([place.get(line.tobytes(), -1) for line in fewer], dtype=np.int64)
    own: NDArray[np.int64] = counts[changed] + (joined >= 0)[:, None] * counts[joined]
    unions = patterns.union_counts[changed] - exclusive.counts[entries]
    alone = joined == 0
    unions[alone] = own[alone]
    stays = np.ones(len(members), dtype=np.bool_)
    stays[changed] = False
    stays[joined[joined >= 0]] = False
    fresh = likelihood_bits(own, unions)
    else_rows = own[alone] if alone.any() else counts[:1]
    return math.fsum([*itertools.compress(nll, stays), *fresh]), int(else_rows.sum())


def _alone(forecast: Forecast) -> list[Alone]:
    """Return what the rows of a forecast owe to each rule."""
    single = forecast.sizes == 1
    only = forecast.rows.members[single].T.astype(np.int64) @ forecast.n_of_pattern[single]
    n_rows = max(forecast.n_rows, 1)
    auc = forecast.auc.value
    return [
        Alone(rows, rows / n_rows, auc_value(_probabilities_without(k, forecast), forecast.rows.counts) - auc)
        for k, rows in enumerate(only.tolist())
    ]


def _probabilities_without(k: int, forecast: Forecast) -> NDArray[np.float64]:
    """Return the class probabilities of each pattern [Q, C] where rule number k is taken away."""
    training, exclusive = forecast.training, forecast.exclusive
    entries = np.flatnonzero(exclusive.rules == k)
    changed = exclusive.lines[entries]
    unions = forecast.union_counts[changed] - exclusive.counts[entries]
    only_it = training.members[:, k] & (training.members.sum(axis=1) == 1)
    otherwise = training.counts[0] + training.counts[only_it].sum(axis=0)
    unions[forecast.sizes[changed] == 1] = otherwise
    total = training.counts.sum(axis=0)
    probabilities = forecast.probabilities.copy()
    probabilities[changed] = shares(unions, total)
    probabilities[0] = shares(otherwise[None, :], total)[0]
    return probabilities
