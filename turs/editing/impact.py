"""What an edit does: the state before beside the state after, each number computed when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal as Word

import numpy as np
from numpy.typing import NDArray

from turs.editing.movement import Movement, movement
from turs.editing.state import State
from turs.evaluate.evaluation import Headline, Side
from turs.evaluate.forecast import Forecast
from turs.evaluate.metrics import log_loss
from turs.evaluate.overlaps import distances
from turs.evaluate.plain import PlainValue
from turs.evaluate.random_pick import rules_of, sampled_auc
from turs.kernel import kernel
from turs.mdl.score import RuleScore, Score
from turs.page import element

Which = Word["pattern", "probability", "class"]


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
        before, after = (
            log_loss(part.probabilities, part.rows.counts) for part in (moved.forecast_before, moved.forecast_after)
        )
        return before, after

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
    def overlaps(self) -> tuple[OverlapChange, ...]:
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
        moved = self.movement
        change = self.after.auc - self.before.auc
        if moved.same_probabilities.all():
            return AucChange(change, change, change)
        rng = np.random.default_rng(seed)
        drawn = np.zeros((n_samples, *moved.counts.shape))
        for c, of_class in enumerate(moved.counts.T):
            if of_class.any():
                drawn[:, :, c] = rng.multinomial(int(of_class.sum()), of_class / of_class.sum(), size=n_samples)
        before = sampled_auc(moved.forecast_before.probabilities[moved.before], drawn)
        after = sampled_auc(moved.forecast_after.probabilities[moved.after], drawn)
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
        which : {"pattern", "probability", "class"}
            What has to change: the rules that cover the row, its probabilities, or its predicted class.
        validation : bool
            Whether validation rows are meant instead of training rows.
        """
        side, part = (self.validation, self.before.validation) if validation else (self.training, self.before.training)
        if side is None or part is None:
            return np.zeros(0, dtype=np.int64)
        moved = side.movement
        same = {"pattern": moved.same_pattern, "probability": moved.same_probabilities, "class": moved.same_class}
        return np.asarray(part.rows.data.rows[moved.rows(same[which])])


@dataclass
class _Flow:
    """Rows that leave and enter a pattern, and how many it has: before where it has a line there, else after."""

    line: bytes
    n_rows: int
    is_before: bool
    left: int = 0
    entered: int = 0

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows before and after."""
        gained = self.entered - self.left
        return (self.n_rows, self.n_rows + gained) if self.is_before else (self.n_rows - gained, self.n_rows)


def _overlap_changes(moved: Movement) -> tuple[OverlapChange, ...]:
    """Return the overlaps whose number of rows changes."""
    flows = [flow for flow in _flows(moved) if flow.left != flow.entered]
    ids = moved.ids
    lines = np.frombuffer(b"".join(flow.line for flow in flows), dtype=np.bool_).reshape(len(flows), len(ids))
    apart_before = _largest_distance(lines, ids, moved.forecast_before)
    apart_after = _largest_distance(lines, ids, moved.forecast_after)
    changes = [
        OverlapChange(tuple(ids[k] for k in rules), *flow.sizes, *apart)
        for flow, rules, *apart in zip(flows, rules_of(lines), apart_before, apart_after, strict=True)
    ]
    changes.sort(key=lambda change: change.rules)
    changes.sort(key=lambda change: abs(change.rows_after - change.rows_before), reverse=True)
    return tuple(changes)


def _flows(moved: Movement) -> list[_Flow]:
    """Return the flow of every overlap that rows leave or enter."""
    crossing = ~moved.same_pattern
    sizes = moved.counts[crossing].sum(axis=1).tolist()
    flows: dict[bytes, _Flow] = {}
    for members, forecast, at, is_before in (
        (moved.members_before, moved.forecast_before, moved.before[crossing], True),
        (moved.members_after, moved.forecast_after, moved.after[crossing], False),
    ):
        overlaps, n_rows = (forecast.sizes > 1).tolist(), forecast.n_of_pattern.tolist()
        for p, n in zip(at.tolist(), sizes, strict=True):
            if not overlaps[p]:
                continue
            line = members[p].tobytes()
            flow = flows.get(line)
            if flow is None:
                flow = flows[line] = _Flow(line, n_rows[p], is_before)
            if is_before:
                flow.left += n
            else:
                flow.entered += n
    return list(flows.values())


def _largest_distance(lines: NDArray[np.bool_], ids: tuple[str, ...], forecast: Forecast) -> list[float | None]:
    """Return the largest distance of two rules of each line; None where one of its rules is not in the version."""
    places = [ids.index(rule) for rule in forecast.ids]
    present = np.ascontiguousarray(lines[:, places])
    complete = present.sum(axis=1) == lines.sum(axis=1)
    largest = np.zeros(len(lines))
    farthest(distances(forecast.rule_probabilities), present, largest)
    return [value if there else None for value, there in zip(largest.tolist(), complete.tolist(), strict=True)]


@kernel
def farthest(apart, lines, largest):  # type: ignore[no-untyped-def]
    """Write the largest of the distances `apart` [K, K] between two rules of each line [N, K]."""
    for n in range(lines.shape[0]):
        for i in range(lines.shape[1]):
            if lines[n, i]:
                for j in range(i):
                    if lines[n, j] and apart[i, j] > largest[n]:
                        largest[n] = apart[i, j]
