"""The ledger of overlaps: every pattern of two or more rules that has rows, and what its rules' disagreement costs.

`lost_bits` answers "what does this overlap cost against rules that agree?". Where rules agree it does not matter which
of them a row follows. So: if each row follows one of its rules, each as likely as the other (a random pick), then
knowing which rule it was would save, in the mean, this many bits on the label of a row,

    mean over the rules of KL(rule || mean of the rules),

the Jensen-Shannon divergence of the rules' probabilities. Times the rows, it is `lost_bits`: 0 where the rules have
the same probabilities and only there, more the further they differ and the more rows are affected, at most log2 of the
number of rules a row. It does not depend on the labels in the overlap. Those enter `misfit_bits`: the likelihood bits
of these rows under the union less those under their own class shares, which is what a rule of its own for them could
save at most, before its regret and model bits. (Neither "union less the better rule" nor `misfit_bits` can stand for
disagreement: the first may be negative, and both may be large although the rules agree.)

All numbers of a side (training or evaluation rows) come from the rows of that side, but for `auc_change`, which ranks
its rows by the model's probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import find_lines
from turs.evaluate.difference import difference_p_value
from turs.evaluate.forecast import Forecast
from turs.evaluate.plain import PlainValue
from turs.evaluate.random_pick import auc_parts
from turs.evaluate.shares import ClassShares, class_shares
from turs.kernel import kernel
from turs.mdl.logs import log2
from turs.mdl.score import likelihood_bits
from turs.predict import rule_probabilities

_ROUNDING = 1e-13
"""Divergences below this are rounding."""


@dataclass(frozen=True)
class OverlapSide(PlainValue):
    """An overlap on the training rows, or on the evaluation rows.

    Parameters
    ----------
    observed : ClassShares
        The rows that exactly these rules cover.
    union : ClassShares
        The rows that at least one of them covers.
    rules : tuple of ClassShares
        The rows of each rule.
    largest_distance, mean_distance : float
        Total variation distance of two of the rules' probabilities, in [0, 1]: the largest, and the mean over pairs.
    farthest : tuple of str
        The two rules at the largest distance; the first such pair in the order of the rules.
    lost_bits : float
        Bits lost to the disagreement of the rules (Jensen-Shannon divergence times rows).
    misfit_bits : float
        Likelihood bits of these rows under the union less those under their own class shares.
    auc_change : float
        Expected AUC where only these rows take one of their rules at random, less the union AUC.
    p_value : float or None
        Of "these rules differ" (see `turs.evaluate.difference`); None where it was not asked for.
    """

    observed: ClassShares
    union: ClassShares
    rules: tuple[ClassShares, ...]
    largest_distance: float
    mean_distance: float
    farthest: tuple[str, str]
    lost_bits: float
    misfit_bits: float
    auc_change: float
    p_value: float | None = None


@dataclass(frozen=True)
class Overlap(PlainValue):
    """A pattern of two or more rules.

    Parameters
    ----------
    rules : tuple of str
        Ids of the rules.
    training : OverlapSide
        On the training rows; has no observed rows where only evaluation rows show the pattern.
    evaluation : OverlapSide or None
        On the evaluation rows; None where none of them shows the pattern.
    """

    rules: tuple[str, ...]
    training: OverlapSide
    evaluation: OverlapSide | None


@dataclass(frozen=True)
class RuleMatrix(PlainValue):
    """Rules against rules.

    Parameters
    ----------
    ids : tuple of str
        The rules.
    shared_rows : tuple of tuple of int
        Rows that both rules cover; a rule's coverage on the diagonal.
    distances : tuple of tuple of float
        Total variation distance of the two rules' probabilities.
    """

    ids: tuple[str, ...]
    shared_rows: tuple[tuple[int, ...], ...]
    distances: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class LedgerSide:
    """The numbers of all overlaps on one side, a line each, as arrays.

    Parameters
    ----------
    forecast : Forecast
        The rows of the side.
    observed, unions : int64 [O, C]
        Class counts of the rows of each overlap, and of the union of its rules.
    largest_distance, mean_distance, lost_bits, misfit_bits, auc_change : float64 [O]
        As in `OverlapSide`.
    farthest : int64 [O, 2]
        Numbers of the two rules at the largest distance.
    """

    forecast: Forecast
    observed: NDArray[np.int64]
    unions: NDArray[np.int64]
    largest_distance: NDArray[np.float64]
    mean_distance: NDArray[np.float64]
    farthest: NDArray[np.int64]
    lost_bits: NDArray[np.float64]
    misfit_bits: NDArray[np.float64]
    auc_change: NDArray[np.float64]

    def line(self, o: int, rules: tuple[int, ...], p_value: float | None) -> OverlapSide:
        """Return line o, an overlap of these rules, as a value."""
        ids, of_rule = self.forecast.ids, self.forecast.rows.rule_counts
        return OverlapSide(
            observed=ClassShares(tuple(self.observed[o].tolist())),
            union=ClassShares(tuple(self.unions[o].tolist())),
            rules=tuple(class_shares(of_rule[list(rules)])),
            largest_distance=float(self.largest_distance[o]),
            mean_distance=float(self.mean_distance[o]),
            farthest=(ids[self.farthest[o, 0]], ids[self.farthest[o, 1]]),
            lost_bits=float(self.lost_bits[o]),
            misfit_bits=float(self.misfit_bits[o]),
            auc_change=float(self.auc_change[o]),
            p_value=p_value,
        )


@dataclass(frozen=True, eq=False)
class OverlapLedger(Sequence[Overlap]):
    """Every overlap that has rows: the most bits lost on training rows first, then more rows, then rule order.

    It is a sequence of `Overlap`; the values are made when they are looked at.

    Parameters
    ----------
    members : bool [O, K]
        The rules of each overlap, in the order of the ledger.
    training : LedgerSide
        On the training rows.
    evaluation : LedgerSide or None
        On the evaluation rows, where there are some.
    """

    members: NDArray[np.bool_]
    training: LedgerSide
    evaluation: LedgerSide | None

    def __len__(self) -> int:
        """Return the number of overlaps."""
        return len(self.members)

    @overload
    def __getitem__(self, place: int) -> Overlap: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Overlap, ...]: ...

    def __getitem__(self, place: int | slice) -> Overlap | tuple[Overlap, ...]:
        """Return an overlap, or several."""
        if isinstance(place, slice):
            return tuple(self._overlap(o) for o in range(len(self))[place])
        return self._overlap(range(len(self))[place])

    def tested(self, place: int, n_permutations: int = 999, seed: int = 0) -> Overlap:
        """Return an overlap with the p-values of "these rules differ", on either side (`turs.evaluate.difference`).

        Parameters
        ----------
        place : int
            Position in the ledger.
        n_permutations : int
            Number of random permutations.
        seed : int
            Of the random numbers.
        """
        return self._overlap(range(len(self))[place], n_permutations, seed)

    def _overlap(self, o: int, n_permutations: int = 0, seed: int = 0) -> Overlap:
        """Return overlap number o, with p-values where permutations are wanted."""
        rules = tuple(np.flatnonzero(self.members[o]).tolist())
        sides = [
            side.line(
                o,
                rules,
                difference_p_value(side.forecast.rows, self.members[o], n_permutations, seed)
                if n_permutations
                else None,
            )
            for side in (self.training, self.evaluation)
            if side is self.training or (side is not None and side.observed[o].any())
        ]
        ids = self.training.forecast.ids
        return Overlap(tuple(ids[k] for k in rules), sides[0], sides[1] if len(sides) > 1 else None)


def overlap_ledger(training: Forecast, evaluation: Forecast | None = None) -> OverlapLedger:
    """Return the ledger of overlaps.

    Parameters
    ----------
    training, evaluation : Forecast
        Of the training rows, and of the evaluation rows where there are some.
    """
    lines, unions = _lines(training, evaluation)
    place = find_lines(lines, training.rows.members)
    n_rows = np.where(place >= 0, training.n_of_pattern[place], 0)
    lost = n_rows * _divergence(training.rule_probabilities, lines)
    order = np.lexsort((*(~lines).T[::-1], -n_rows, -lost))
    lines, unions = lines[order], unions[order]
    there = None
    if evaluation is not None:
        place = find_lines(lines, evaluation.rows.members)
        there = _side(evaluation, lines, np.where((place >= 0)[:, None], evaluation.rows.union_counts[place], 0))
    return OverlapLedger(lines, _side(training, lines, unions), there)


def rule_matrix(forecast: Forecast) -> RuleMatrix:
    """Return the rows that two rules share and the distance of their probabilities, for all pairs of rules."""
    members = forecast.rows.members.astype(np.int64)
    shared = (members * forecast.n_of_pattern[:, None]).T @ members
    return RuleMatrix(
        ids=forecast.ids,
        shared_rows=tuple(map(tuple, shared.tolist())),
        distances=tuple(map(tuple, distances(forecast.rule_probabilities).tolist())),
    )


def distances(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the total variation distance of all pairs of lines of class probabilities [K, C], as [K, K]."""
    apart = np.zeros((len(probabilities), len(probabilities)))
    add_distances(probabilities, apart)
    return apart


@kernel
def add_distances(probabilities, apart):  # type: ignore[no-untyped-def]
    """Add to `apart` [K, K] half the sum of the absolute differences of two lines of probabilities [K, C]."""
    for i in range(probabilities.shape[0]):
        for j in range(i):
            total = 0.0
            for c in range(probabilities.shape[1]):
                total += abs(probabilities[i, c] - probabilities[j, c])
            apart[i, j] += 0.5 * total
            apart[j, i] += 0.5 * total


def _lines(training: Forecast, evaluation: Forecast | None) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return the members of all overlaps that have rows on either side [O, K], and counts of their unions [O, C]."""
    here = training.overlaps
    lines, unions = training.rows.members[here], training.union_counts[here]
    if evaluation is None:
        return lines, unions
    there = evaluation.overlaps
    place = find_lines(evaluation.rows.members[there], training.rows.members)
    unseen = there[(place < 0) | (training.n_of_pattern[place] == 0)]
    return (
        np.concatenate((lines, evaluation.rows.members[unseen])),
        np.concatenate((unions, evaluation.union_counts[unseen])),
    )


def _side(forecast: Forecast, lines: NDArray[np.bool_], unions: NDArray[np.int64]) -> LedgerSide:
    """Return the numbers of all overlaps [O, K] on the rows of a forecast, given the counts of their unions there."""
    rows = forecast.rows
    place = find_lines(lines, rows.members)
    seen = place >= 0
    observed = np.where(seen[:, None], rows.counts[place], 0)
    own = rule_probabilities(rows)
    largest, mean, farthest = _spread(distances(own), lines)
    misfit = np.array(likelihood_bits(observed, unions)) - np.array(likelihood_bits(observed, observed))
    return LedgerSide(
        forecast=forecast,
        observed=observed,
        unions=unions,
        largest_distance=largest,
        mean_distance=mean,
        farthest=farthest,
        lost_bits=observed.sum(axis=1) * _divergence(own, lines),
        misfit_bits=np.maximum(misfit, 0.0),
        auc_change=np.where(seen, auc_parts(forecast)[1][place], 0.0),
    )


def _spread(
    apart: NDArray[np.float64], lines: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the largest and the mean distance of two rules of each line, and the pair at the largest [O, 2]."""
    largest, mean = np.zeros(len(lines)), np.zeros(len(lines))
    pair = np.zeros((len(lines), 2), dtype=np.int64)
    sizes = lines.sum(axis=1)
    for size in np.unique(sizes):
        same = np.flatnonzero(sizes == size)
        rules = np.nonzero(lines[same])[1].reshape(len(same), size)
        first, second = np.triu_indices(size, 1)
        reach = apart[rules[:, first], rules[:, second]]
        best = reach.argmax(axis=1)
        largest[same], mean[same] = reach.max(axis=1), reach.mean(axis=1)
        pair[same, 0] = rules[np.arange(len(same)), first[best]]
        pair[same, 1] = rules[np.arange(len(same)), second[best]]
    return largest, mean, pair


def _divergence(probabilities: NDArray[np.float64], lines: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the Jensen-Shannon divergence, in bits, of the rules' probabilities [K, C] of each line [O, K].

    What is below the rounding of entropies is 0.
    """
    size = np.maximum(lines.sum(axis=1), 1)
    mixed = (lines @ probabilities) / size[:, None]
    bits = _entropy_bits(mixed) - (lines @ _entropy_bits(probabilities)) / size
    return np.asarray(np.where(bits > _ROUNDING, bits, 0.0))


def _entropy_bits(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of each line of class probabilities [N, C]."""
    logs = log2(np.where(probabilities > 0.0, probabilities, 1.0))
    return np.asarray(-(probabilities * logs).sum(axis=1))
