"""What an edit does: the state before beside the state after, each number computed when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal as Word
from typing import overload

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import find_words
from turs.editing.movement import Movement, movement
from turs.editing.state import State
from turs.errors import EditError
from turs.evaluate.evaluation import Headline, Side
from turs.evaluate.forecast import Forecast
from turs.evaluate.overlaps import distances
from turs.evaluate.plain import PlainValue
from turs.evaluate.random_pick import sampled_auc
from turs.kernel import kernel
from turs.mdl.score import RuleScore, Score
from turs.page import element

Which = Word["pattern", "probability", "class", "enters else", "leaves else"]


@dataclass(frozen=True)
class RuleChange:
    """A rule that an edit touches, in bits and rows; a side is None where the rule is not there."""

    id: str
    before: RuleScore | None
    after: RuleScore | None


@dataclass(frozen=True)
class OverlapChange(PlainValue):
    """An overlap that has more or fewer rows after an edit.

    Parameters
    ----------
    rules : tuple of str
        The rules of the overlap.
    rows_before, rows_after : int
        Rows that exactly these rules cover.
    distance_before, distance_after : float or None
        Largest total variation distance of two of the rules' probabilities; None where a rule is not there.
    """

    rules: tuple[str, ...]
    rows_before: int
    rows_after: int
    distance_before: float | None
    distance_after: float | None

    @property
    def change(self) -> str:
        """What happens to it: appears, grows, shrinks or vanishes."""
        if not self.rows_before:
            return "appears"
        if not self.rows_after:
            return "vanishes"
        return "grows" if self.rows_after > self.rows_before else "shrinks"


@dataclass(frozen=True, eq=False)
class OverlapChanges(Sequence[OverlapChange]):
    """Overlaps that have more or fewer rows after an edit: the largest change first, then in the order of the rules.

    It is a sequence of `OverlapChange`; the values are made when they are looked at.

    Parameters
    ----------
    ids : tuple of str
        The rules of both versions.
    members : bool [O, number of ids]
        The rules of each overlap.
    rows_before, rows_after : int64 [O]
        Rows that exactly these rules cover.
    distance_before, distance_after : float64 [O]
        Largest total variation distance of two of the rules' probabilities; NaN where a rule is not there.
    """

    ids: tuple[str, ...]
    members: NDArray[np.bool_]
    rows_before: NDArray[np.int64]
    rows_after: NDArray[np.int64]
    distance_before: NDArray[np.float64]
    distance_after: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of overlaps."""
        return len(self.members)

    @overload
    def __getitem__(self, place: int) -> OverlapChange: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[OverlapChange, ...]: ...

    def __getitem__(self, place: int | slice) -> OverlapChange | tuple[OverlapChange, ...]:
        """Return the change of an overlap, or of several."""
        if isinstance(place, slice):
            return tuple(self._change(o) for o in range(len(self))[place])
        return self._change(range(len(self))[place])

    def _change(self, o: int) -> OverlapChange:
        """Return the change of overlap number o."""
        apart = (
            None if np.isnan(values[o]) else float(values[o]) for values in (self.distance_before, self.distance_after)
        )
        return OverlapChange(
            tuple(self.ids[k] for k in np.flatnonzero(self.members[o])),
            int(self.rows_before[o]),
            int(self.rows_after[o]),
            *apart,
        )


@dataclass(frozen=True)
class ElseChange(PlainValue):
    """What happens to the else rule.

    Parameters
    ----------
    entered, left : tuple of int
        Rows that enter and leave it, by class.
    before, after : tuple of float
        Its class probabilities.
    """

    entered: tuple[int, ...]
    left: tuple[int, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]


@dataclass(frozen=True)
class AucChange(PlainValue):
    """The change of the AUC with a bootstrap interval.

    Parameters
    ----------
    change : float
        AUC after less AUC before.
    low, high : float
        2.5 % and 97.5 % quantiles over resampled rows, both versions on the same ones.
    """

    change: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class SideImpact:
    """What an edit does on the training rows, or on the validation rows.

    Parameters
    ----------
    before, after : Side
        AUC, random-pick AUC, overlap share and coverage.
    movement : Movement
        How rows move between patterns.
    """

    before: Side
    after: Side
    movement: Movement

    @cached_property
    def log_loss(self) -> tuple[float, float]:
        """Mean log-loss before and after."""
        moved = self.movement
        return moved.forecast_before.log_loss, moved.forecast_after.log_loss

    @property
    def n_pattern_changed(self) -> int:
        """Rows that other rules cover than before."""
        return self.movement.count(self.movement.same_pattern)

    @property
    def n_probability_changed(self) -> int:
        """Rows whose class probabilities are others than before."""
        return self.movement.count(self.movement.same_probabilities)

    @property
    def n_class_changed(self) -> int:
        """Rows whose predicted class is another than before."""
        return self.movement.count(self.movement.same_class)

    @cached_property
    def overlaps(self) -> OverlapChanges:
        """Overlaps that appear, grow, shrink or vanish, the largest change of rows first."""
        return _overlap_changes(self.movement)

    @cached_property
    def otherwise(self) -> ElseChange:
        """What happens to the else rule."""
        moved = self.movement
        entered = moved.counts[(moved.after == 0) & (moved.before != 0)].sum(axis=0)
        left = moved.counts[(moved.before == 0) & (moved.after != 0)].sum(axis=0)
        return ElseChange(
            tuple(entered.tolist()),
            tuple(left.tolist()),
            tuple(moved.forecast_before.probabilities[0].tolist()),
            tuple(moved.forecast_after.probabilities[0].tolist()),
        )

    def auc_change(self, n_samples: int = 1000, seed: int = 0) -> AucChange:
        """Return the change of the AUC with a bootstrap interval.

        Rows are drawn anew within each class, both versions on the same ones, so that what is common to both does not
        widen the interval.

        Parameters
        ----------
        n_samples : int
            Number of times that the rows are drawn.
        seed : int
            Of the random numbers.
        """
        if n_samples < 1 or seed < 0:
            raise EditError(f"The rows cannot be drawn {n_samples} times with seed {seed}: once at least, from 0 on.")
        moved = self.movement
        change = self.after.auc - self.before.auc
        if moved.same_probabilities.all():
            return AucChange(change, change, change)
        rng = np.random.default_rng(seed)
        order = np.lexsort((moved.after, moved.before))  # pairs come in an order that depends on how they were found
        before_of, after_of, counts = moved.before[order], moved.after[order], moved.counts[order]
        drawn = np.zeros((n_samples, *counts.shape))
        for c, of_class in enumerate(counts.T):
            if of_class.any():
                drawn[:, :, c] = rng.multinomial(int(of_class.sum()), of_class / of_class.sum(), size=n_samples)
        before = sampled_auc(moved.forecast_before.probabilities[before_of], drawn)
        after = sampled_auc(moved.forecast_after.probabilities[after_of], drawn)
        low, high = np.quantile(after - before, (0.025, 0.975))
        return AucChange(change, float(low), float(high))


@dataclass(frozen=True, eq=False)
class Impact:
    """What an edit does.

    Parameters
    ----------
    description : str
        The edit in plain words.
    before, after : State
        The states around it.
    """

    description: str
    before: State
    after: State

    def __str__(self) -> str:
        """Return what the edit does, a line for each kind of consequence."""
        from turs.editing.telling import impact_lines  # it imports impacts in turn

        return "\n".join(impact_lines(self))

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        first, *rest = str(self).split("\n")
        return element("div", element("b", first), element("ul", *(element("li", line) for line in rest))).markup

    @property
    def score_before(self) -> Score:
        """MDL score before, split."""
        return self.before.score

    @property
    def score_after(self) -> Score:
        """MDL score after, split."""
        return self.after.score

    @property
    def bits_change(self) -> float:
        """Total bits after less those before: negative is better."""
        return self.score_after.total_bits - self.score_before.total_bits

    @property
    def headline_before(self) -> Headline:
        """The state line before."""
        return self.before.evaluation.headline

    @property
    def headline_after(self) -> Headline:
        """The state line after."""
        return self.after.evaluation.headline

    @cached_property
    def rules(self) -> tuple[RuleChange, ...]:
        """The rules that are new, gone or have other literals, in the order of both versions."""
        old = {rule.id: rule for rule in self.before.rule_set.rules}
        new = {rule.id: rule for rule in self.after.rule_set.rules}
        scores_old = {rule.id: rule for rule in self.score_before.rules}
        scores_new = {rule.id: rule for rule in self.score_after.rules}
        return tuple(
            RuleChange(rule_id, scores_old.get(rule_id), scores_new.get(rule_id))
            for rule_id in dict.fromkeys((*old, *new))
            if old.get(rule_id) != new.get(rule_id)
        )

    @cached_property
    def training(self) -> SideImpact:
        """What happens on the training rows."""
        before, after = self.before.evaluation, self.after.evaluation
        return SideImpact(
            self.headline_before.training,
            self.headline_after.training,
            movement(self.before.training, self.after.training, before.training, after.training),
        )

    @cached_property
    def validation(self) -> SideImpact | None:
        """What happens on the validation rows, where there are some."""
        before, after = self.before.evaluation, self.after.evaluation
        sides = self.headline_before.evaluation, self.headline_after.evaluation
        parts = self.before.validation, self.after.validation
        forecasts = before.evaluation, after.evaluation
        if sides[0] is None or sides[1] is None or parts[0] is None or parts[1] is None:
            return None
        if forecasts[0] is None or forecasts[1] is None:
            return None
        return SideImpact(sides[0], sides[1], movement(parts[0], parts[1], forecasts[0], forecasts[1]))

    def changed_rows(self, which: Which = "probability", *, validation: bool = False) -> NDArray[np.int64]:
        """Return the positions, in the table that the rows came from, of the rows that change.

        Parameters
        ----------
        which : {"pattern", "probability", "class", "enters else", "leaves else"}
            What has to change: the rules that cover the row, its probabilities, its predicted class, or whether the
            else rule answers for it.
        validation : bool
            Whether validation rows are meant instead of training rows.
        """
        side, part = (self.validation, self.before.validation) if validation else (self.training, self.before.training)
        if side is None or part is None:
            return np.zeros(0, dtype=np.int64)
        moved = side.movement
        was_else, is_else = moved.before == 0, moved.after == 0
        same = {
            "pattern": moved.same_pattern,
            "probability": moved.same_probabilities,
            "class": moved.same_class,
            "enters else": was_else | ~is_else,
            "leaves else": ~was_else | is_else,
        }
        if which not in same:
            raise EditError(f"'{which}' is nothing that changes of a row: use {', '.join(same)}.")
        return np.asarray(part.rows.data.rows[moved.rows(same[which])])


def _overlap_changes(moved: Movement) -> OverlapChanges:
    """Return the overlaps whose number of rows changes."""
    place = find_words(moved.patterns_before.words, moved.patterns_after.words)
    n_before, n_after = moved.forecast_before.n_of_pattern, moved.forecast_after.n_of_pattern
    stays = np.where(place >= 0, n_after[place], 0)
    other = np.flatnonzero((moved.forecast_before.sizes > 1) & (stays != n_before))
    is_new = (moved.forecast_after.sizes > 1) & (n_after > 0)
    is_new[place[place >= 0]] = False
    new = np.flatnonzero(is_new)
    lines = np.concatenate((moved.members_before[other], moved.members_after[new]))
    words = np.concatenate((moved.patterns_before.words[other], moved.patterns_after.words[new]))
    rows_before = np.concatenate((n_before[other], np.zeros(len(new), dtype=np.int64)))
    rows_after = np.concatenate((stays[other], n_after[new]))
    order = np.lexsort((*(~words).T[::-1], -np.abs(rows_after - rows_before)))
    lines = lines[order]
    largest = np.empty((2, len(lines)))
    apart = (_distances(moved.ids, forecast) for forecast in (moved.forecast_before, moved.forecast_after))
    farthest(*apart, lines, largest)
    return OverlapChanges(moved.ids, lines, rows_before[order], rows_after[order], *largest)


def _distances(ids: tuple[str, ...], forecast: Forecast) -> NDArray[np.float64]:
    """Return the distances of these rules' probabilities; NaN where one of two rules is not in the version."""
    apart = distances(forecast.rule_probabilities)
    if forecast.ids == ids:
        return apart
    place = {rule: k for k, rule in enumerate(ids)}
    there = np.array([place[rule] for rule in forecast.ids], dtype=np.int64)
    wide = np.full((len(ids), len(ids)), np.nan)
    wide[np.ix_(there, there)] = apart
    return wide


@kernel
def farthest(before, after, lines, largest):  # type: ignore[no-untyped-def]
    """Write the largest distance between two rules of each line [N, K], before and after, to `largest` [2, N].

    Distances are [K, K]. A line with a distance that is NaN gets NaN.
    """
    rules = np.empty(lines.shape[1], dtype=np.int64)
    for n in range(lines.shape[0]):
        n_rules = 0
        most, most_after = 0.0, 0.0
        for i in range(lines.shape[1]):
            if lines[n, i]:
                for j in rules[:n_rules]:
                    # NaN, once taken, stays: nothing is above it.
                    if before[i, j] > most or np.isnan(before[i, j]):
                        most = before[i, j]
                    if after[i, j] > most_after or np.isnan(after[i, j]):
                        most_after = after[i, j]
                rules[n_rules] = i
                n_rules += 1
        largest[0, n], largest[1, n] = most, most_after
