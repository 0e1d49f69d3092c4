"""Is the rule set truly unordered? What happens where each row takes one of its rules, picked at random.

The expected AUC of random picks has a closed form (`auc.random_pick_auc`). Its difference from the AUC of the unions
is shared out among the overlaps: an AUC is a mean over pairs of a row of the class and another row, so replacing the
union of one overlap by picks changes only pairs with its rows. How much, depends on whether the other overlaps have
been replaced already. `auc_part` is the mean over all orders of replacing them (the Shapley value); for pairs it comes
out as the change against rows of which half have been replaced, so it needs no enumeration, and the parts add up to
the difference exactly. `auc_change` is the effect of replacing this overlap alone.

The spread of the AUC over picks is sampled, from counts: the rows of a class in an overlap fall on its rules as a
multinomial draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from turs.evaluate.auc import Auc
from turs.evaluate.forecast import Forecast
from turs.evaluate.plain import PlainValue
from turs.kernel import kernel

_CELLS = 2_000_000
"""Most numbers that are drawn at once."""
_QUANTILES = (0.025, 0.975)
_ROUNDING = 1e-12
"""A difference of two AUCs below this is none."""


@dataclass(frozen=True)
class OverlapPick(PlainValue):
    """What random picks do to the rows of one overlap.

    Parameters
    ----------
    rules : tuple of str
        The rules of the overlap.
    rows : int
        Number of rows that exactly these rules cover.
    auc_part : float
        Its part of union AUC less expected random-pick AUC; the parts of all overlaps add up to the difference.
    auc_change : float
        Expected AUC where only the rows of this overlap take a pick, less the union AUC.
    auc_share : float
        `auc_part` as a share of the difference. Parts may have either sign, so a share may be negative or above 1; NaN
        where there is no difference.
    predicted : str
        Class that the union predicts.
    picked : tuple of str
        Class that each rule predicts.
    can_change : bool
        Whether a pick can predict another class than the union.
    """

    rules: tuple[str, ...]
    rows: int
    auc_part: float
    auc_change: float
    auc_share: float
    predicted: str
    picked: tuple[str, ...]
    can_change: bool


@dataclass(frozen=True)
class RandomPick(PlainValue):
    """Random picks against unions.

    Parameters
    ----------
    union, expected : Auc
        AUC of the unions, and the expected one of random picks.
    difference : float
        Union AUC less expected AUC; NaN where the rows hold one class only.
    n_overlap_rows : int
        Rows that two or more rules cover.
    n_rows_can_change : int
        Rows of which at least one rule predicts another class than the union.
    n_rows_expected_to_change : float
        Expected number of rows whose picked rule predicts another class than the union.
    overlaps : tuple of OverlapPick
        The largest part of the difference first, by size; then more rows, then the order of the rules.
    """

    union: Auc
    expected: Auc
    difference: float
    n_overlap_rows: int
    n_rows_can_change: int
    n_rows_expected_to_change: float
    overlaps: tuple[OverlapPick, ...]


@dataclass(frozen=True)
class Spread(PlainValue):
    """Mean of the sampled AUCs of one class, and their 2.5 % and 97.5 % quantiles; NaN where it has no AUC."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class PickDistribution(PlainValue):
    """AUCs of sampled random picks.

    Parameters
    ----------
    values : tuple of float
        AUC of each sample, in the order of the draws.
    mean, standard_deviation, standard_error : float
        Of the values, and of their mean.
    low, high : float
        The 2.5 % and 97.5 % quantiles.
    by_class : tuple of Spread
        The AUC of each class against the rest.
    """

    values: tuple[float, ...]
    mean: float
    standard_deviation: float
    standard_error: float
    low: float
    high: float
    by_class: tuple[Spread, ...]


def random_pick(forecast: Forecast) -> RandomPick:
    """Return what random picks do to the AUC and to the predicted classes."""
    predicted = forecast.probabilities.argmax(axis=1)
    by_rule = forecast.rule_probabilities.argmax(axis=1)
    n_differing = ((by_rule[None, :] != predicted[:, None]) & forecast.rows.members).sum(axis=1)
    n_differing[forecast.sizes < 2] = 0
    n = forecast.n_of_pattern
    return RandomPick(
        union=forecast.auc,
        expected=forecast.random_pick_auc,
        difference=forecast.auc.value - forecast.random_pick_auc.value,
        n_overlap_rows=forecast.n_overlap_rows,
        n_rows_can_change=int(n[n_differing > 0].sum()),
        n_rows_expected_to_change=float(np.sum(n * n_differing / np.maximum(forecast.sizes, 1))),
        overlaps=_overlap_picks(forecast, predicted, by_rule),
    )


def _overlap_picks(
    forecast: Forecast, predicted: NDArray[np.int64], by_rule: NDArray[np.int64]
) -> tuple[OverlapPick, ...]:
    """Return what random picks do to each overlap, given the predicted class of each pattern and of each rule."""
    lines = forecast.overlaps
    parts, changes = (values[lines] for values in auc_parts(forecast))
    difference = forecast.auc.value - forecast.random_pick_auc.value
    part_shares = parts / difference if abs(difference) > _ROUNDING else np.full(len(lines), np.nan)
    numbers = np.stack((parts, changes, part_shares), axis=1).tolist()
    rules, rows = rules_of(forecast.rows.members[lines]), forecast.n_of_pattern[lines].tolist()
    size = np.abs(np.nan_to_num(parts)).tolist()
    ids, classes = forecast.ids, forecast.classes
    label_of_rule = [classes[c] for c in by_rule.tolist()]
    labels = [classes[c] for c in predicted[lines].tolist()]
    picked = [tuple(label_of_rule[k] for k in line) for line in rules]
    return tuple(
        OverlapPick(
            rules=tuple(ids[k] for k in rules[o]),
            rows=rows[o],
            auc_part=numbers[o][0],
            auc_change=numbers[o][1],
            auc_share=numbers[o][2],
            predicted=labels[o],
            picked=picked[o],
            can_change=any(label != labels[o] for label in picked[o]),
        )
        for o in sorted(range(len(lines)), key=lambda o: (-size[o], -rows[o], rules[o]))
    )


def auc_parts(forecast: Forecast) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return `auc_part` and `auc_change` of each pattern of the rows [Q]; NaN where the rows hold one class only."""
    counts = forecast.rows.counts
    n_classes = counts.shape[1]
    known = [c for c in range(n_classes) if 0 < counts[:, c].sum() < counts.sum()]
    used = known[-1:] if n_classes == 2 else known
    if not used:
        nothing = np.full(len(counts), np.nan)
        return nothing, nothing
    by_class = np.array([_class_parts(forecast, c) for c in used])
    parts, changes = by_class.mean(axis=0)
    return parts, changes


def _class_parts(forecast: Forecast, c: int) -> NDArray[np.float64]:
    """Return `auc_part` and `auc_change` of each pattern for the one-versus-rest AUC of class c [2, Q]."""
    members, counts = forecast.rows.members, forecast.rows.counts
    n_lines = len(members)
    weight = members / np.maximum(forecast.sizes, 1)[:, None]
    scores = np.concatenate((forecast.probabilities[:, c], forecast.rule_probabilities[:, c]))
    values, place = np.unique(scores, return_inverse=True)
    positive = counts[:, c]
    sides = np.stack((positive / positive.sum(), (counts.sum(axis=1) - positive) / (counts.sum() - positive.sum())))
    changes = np.zeros((2, n_lines))
    none = forecast.sizes == 0
    for own, other, sign in ((sides[0], sides[1], 1.0), (sides[1], sides[0], -1.0)):
        union = np.bincount(place[:n_lines], weights=other, minlength=len(values))
        spread = np.bincount(place[n_lines:], weights=other @ weight, minlength=len(values))
        spread = spread + np.bincount(place[:n_lines], weights=other * none, minlength=len(values))
        for line, world in enumerate((0.5 * (union + spread), union)):
            below = (np.cumsum(world) - 0.5 * world)[place]
            picked = np.where(none, below[:n_lines], weight @ below[n_lines:])
            changes[line] += sign * own * (below[:n_lines] - picked)
    changes[1] *= -1.0
    return changes


def sample_picks(
    forecast: Forecast,
    n_samples: int = 1000,
    seed: int = 0,
    *,
    on_progress: Callable[[int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> PickDistribution:
    """Return the AUCs of sampled random picks.

    Parameters
    ----------
    forecast : Forecast
        Rows with what is predicted for them.
    n_samples : int
        Number of times that every row picks one of its rules.
    seed : int
        Of the random numbers.
    on_progress : callable or None
        Told how many samples there are, every now and then.
    should_stop : callable or None
        Asked as often; where it says so, the samples drawn so far are all.
    """
    scores = np.concatenate((forecast.rule_probabilities, forecast.probabilities[:1]))
    parts: list[NDArray[np.float64]] = []
    for weights in _sampled_counts(forecast, n_samples, np.random.default_rng(seed)):
        parts.append(_class_aucs(scores, weights))
        if on_progress is not None:
            on_progress(sum(part.shape[1] for part in parts))
        if should_stop is not None and should_stop():
            break
    by_class = np.concatenate(parts, axis=1)
    values = _mean_auc(by_class)
    deviation = float(values.std(ddof=1)) if values.size > 1 else float("nan")
    low, high = np.quantile(values, _QUANTILES)
    spreads = (np.quantile(line, _QUANTILES) for line in by_class)
    return PickDistribution(
        values=tuple(values.tolist()),
        mean=float(values.mean()),
        standard_deviation=deviation,
        standard_error=deviation / values.size**0.5,
        low=float(low),
        high=float(high),
        by_class=tuple(
            Spread(float(line.mean()), float(ends[0]), float(ends[1]))
            for line, ends in zip(by_class, spreads, strict=True)
        ),
    )


def _sampled_counts(forecast: Forecast, n_samples: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield class counts of the rows that picked each rule, and of the else rule last, [S, K + 1, C] at a time."""
    members, counts, sizes = forecast.rows.members, forecast.rows.counts, forecast.sizes
    n_rules, n_classes = members.shape[1], counts.shape[1]
    fixed = np.zeros((n_rules + 1, n_classes))
    fixed[:n_rules] = members[sizes == 1].T @ counts[sizes == 1].astype(np.float64)
    fixed[n_rules] = counts[0]
    overlaps = forecast.overlaps
    at_once = max(1, _CELLS // max(1, int(sizes[overlaps].sum()) * n_classes))
    groups = [overlaps[sizes[overlaps] == size] for size in np.unique(sizes[overlaps])]
    for start in range(0, n_samples, at_once):
        n_now = min(at_once, n_samples - start)
        sampled = np.broadcast_to(fixed, (n_now, *fixed.shape)).copy()
        for lines in groups:
            size = int(sizes[lines[0]])
            rules = np.nonzero(members[lines])[1]
            drawn = rng.multinomial(counts[lines], np.full(size, 1.0 / size), size=(n_now, len(lines), n_classes))
            flat = drawn.transpose(0, 2, 1, 3).reshape(n_now * n_classes, len(rules)).astype(np.float64)
            to_rule = np.zeros((len(rules), n_rules))
            to_rule[np.arange(len(rules)), rules] = 1.0
            sampled[:, :n_rules] += (flat @ to_rule).reshape(n_now, n_classes, n_rules).transpose(0, 2, 1)
        yield sampled


def sampled_auc(scores: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the AUC of each of S samples, from scores [G, C] and class counts [S, G, C] of groups of rows."""
    return _mean_auc(_class_aucs(scores, weights))


def _class_aucs(scores: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the AUC of each class against the rest in each sample [C, S]; NaN where a class has all rows or none."""
    n_classes = scores.shape[1]
    by_class = np.full((n_classes, len(weights)), np.nan)
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    of_class = weights[0].sum(axis=0)
    for c in range(n_classes):
        pairs = float(of_class[c] * (of_class.sum() - of_class[c]))
        if pairs:
            order = np.argsort(scores[:, c], kind="stable")
            begins = np.diff(scores[order, c], prepend=np.nan) != 0
            right = np.empty(len(weights))
            count_right(weights, order, begins, c, right)
            by_class[c] = right / pairs
    return by_class


@kernel
def count_right(weights, order, begins, c, right):  # type: ignore[no-untyped-def]
    """Write to `right` [S] how many pairs of a row of class c and another one are in the right order, ties as halves.

    Weights are counts [S, G, C]; groups come in the order of their scores, and `begins` [G] is set where the score is
    another than that of the group before. All sums are whole or half numbers: their order does not matter.
    """
    for s in range(weights.shape[0]):
        below, total, positive, negative = 0.0, 0.0, 0.0, 0.0
        for place in range(order.size):
            if begins[place]:
                total += positive * (below + 0.5 * negative)
                below += negative
                positive, negative = 0.0, 0.0
            g = order[place]
            for k in range(weights.shape[2]):
                if k == c:
                    positive += weights[s, g, k]
                else:
                    negative += weights[s, g, k]
        right[s] = total + positive * (below + 0.5 * negative)


def _mean_auc(by_class: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the AUC of each sample: that of the second of two classes, the mean over more."""
    if len(by_class) == 2:
        return np.asarray(by_class[1])
    known = by_class[~np.isnan(by_class[:, 0])]
    return np.asarray(known.mean(axis=0)) if len(known) else by_class[0]


def rules_of(members: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the numbers of the rules of each line of members [N, K]."""
    sizes = members.sum(axis=1)
    ends = np.cumsum(sizes)
    rules = np.nonzero(members)[1].tolist()
    return [tuple(rules[start:end]) for start, end in zip((ends - sizes).tolist(), ends.tolist(), strict=True)]
