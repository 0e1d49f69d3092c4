"""One row under the rules: which fire, what they say, and how near the row is to the borders of the other rules.

Nearness is counted in rows: the share of the training rows whose value lies between that of the row and the cut. It
has no unit, so features can be compared. Levels have no order: another level counts as the whole width.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.cover.covers import literal_bins
from turs.data.columns import LevelColumn, SourceColumn, converted
from turs.data.dataset import feature_values, unlabelled_bins
from turs.editing import Rows
from turs.predict import predict, used_features
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.model import Model
from turs.rules.rule import Rule
from turs.rules.schema import Feature, Kind, Schema
from turs.ui import numbers

Value = float | str | None
"""A number (a date in seconds), a level, or None where it is missing."""
Grid = Mapping[str, NDArray[np.float64]]
"""Quantiles of the training values of each numeric feature."""

_N_QUANTILES = 1001
WHOLE = 1.0


@dataclass(frozen=True)
class Step:
    """A literal that a row does not satisfy, and the nearest value that would.

    Parameters
    ----------
    feature : str
        Of the literal.
    target : float, str or None
        The value.
    share : float
        Share of the training rows that lie between.
    """

    feature: str
    target: Value
    share: float


@dataclass(frozen=True)
class Border:
    """What it takes to bring a row into a rule, or out of it, and what would be predicted then.

    Parameters
    ----------
    rule : str
        The rule.
    steps : tuple of Step
        The values that have to change.
    fired : tuple of str
        The rules that would fire.
    probabilities : tuple of float
        The estimate then.
    """

    rule: str
    steps: tuple[Step, ...]
    fired: tuple[str, ...]
    probabilities: tuple[float, ...]

    @property
    def share(self) -> float:
        """How far it is."""
        return math.fsum(step.share for step in self.steps)


@dataclass(frozen=True)
class Explanation:
    """A row under the rules.

    Parameters
    ----------
    values : dict of str to Value
        The features that rules use.
    fired : tuple of str
        The rules that cover it.
    probabilities : tuple of float
        The estimate.
    near : tuple of Border
        The other rules, those with the fewest conditions to change first, then the nearest.
    leaving : tuple of Border
        For each rule that fired and has a cut, the nearest way out of it.
    """

    values: dict[str, Value]
    fired: tuple[str, ...]
    probabilities: tuple[float, ...]
    near: tuple[Border, ...]
    leaving: tuple[Border, ...]


def explain(model: Model, values: Mapping[str, Value], grid: Grid) -> Explanation:
    """Return a row under the rules of a model.

    Parameters
    ----------
    model : Model
        The rules.
    values : mapping of str to Value
        The row; features that no rule uses are not looked at.
    grid : mapping
        From `quantiles_of`.
    """
    rule_set, used = model.rule_set, used_features(model)
    row = {name: values.get(name) for name in sorted(used, key=rule_set.schema.index)}
    bins = _bins(model, [row])[:, 0]
    ways: list[tuple[Rule, tuple[Step, ...], bool]] = []
    for rule in rule_set.rules:
        broken = [literal for literal in rule.literals if not holds(literal, rule_set.schema, bins)]
        if broken:
            ways.append((rule, tuple(_step_in(part, row, rule_set.schema, grid) for part in broken), True))
            continue
        out = _step_out(rule, row, grid)
        if out is not None:
            ways.append((rule, (out,), False))
    moved = [row, *({**row, **{step.feature: step.target for step in steps}} for _, steps, _ in ways)]
    prediction = predict(model, _bins(model, moved))
    ids = np.array([rule.id for rule in rule_set.rules], dtype=object)
    answers = [
        (tuple(ids[prediction.members[line]]), tuple(prediction.probabilities[line].tolist()))
        for line in prediction.pattern.tolist()
    ]
    borders = [Border(rule.id, steps, *answer) for (rule, steps, _), answer in zip(ways, answers[1:], strict=True)]
    near = [border for border, (_, _, is_in) in zip(borders, ways, strict=True) if is_in]
    leaving = [border for border, (_, _, is_in) in zip(borders, ways, strict=True) if not is_in]
    near.sort(key=lambda border: (len(border.steps), border.share))
    return Explanation(row, *answers[0], tuple(near), tuple(leaving))


def holds(literal: Literal, schema: Schema, bins: NDArray[np.uint8]) -> bool:
    """Return whether a row, given as bins [features], satisfies a literal."""
    index = schema.index(literal.feature)
    return bool(literal_bins(literal, schema.features[index])[bins[index]])


def values_of(frame: pd.DataFrame, place: int, model: Model) -> dict[str, Value]:
    """Return the values of a row of a table that rules use, as the engine takes them."""
    row = frame.iloc[[place]]
    found: dict[str, Value] = {}
    schema = model.rule_set.schema
    for feature in (schema.feature(name) for name in used_features(model)):
        if feature.is_categorical:
            column = converted(SourceColumn(feature.name, row[feature.name]), feature.kind)
            assert isinstance(column, LevelColumn)  # that is what a categorical column becomes
            found[feature.name] = column.levels[column.codes[0]] if column.codes[0] >= 0 else None
        else:
            number = float(feature_values(row, feature, np.zeros(1, dtype=np.int64))[0])
            found[feature.name] = None if math.isnan(number) else number
    return found


def quantiles_of(rows: Rows, names: Collection[str]) -> dict[str, NDArray[np.float64]]:
    """Return quantiles of the training values of those of the features that are numbers or dates."""
    grid = {}
    for feature in rows.data.schema.features:
        if not feature.is_categorical and feature.name in names:
            values = rows.numbers(feature)
            known = values[~np.isnan(values)]
            grid[feature.name] = np.quantile(known, np.linspace(0.0, 1.0, _N_QUANTILES)) if known.size else known
    return grid


def value_text(value: Value, feature: Feature) -> str:
    """Return a value as people read it."""
    if value is None:
        return "missing"
    return value if isinstance(value, str) else numbers.signed_cut(value, feature)


def _bins(model: Model, rows: list[dict[str, Value]]) -> NDArray[np.uint8]:
    """Return the bins of rows given as values."""
    schema, used = model.rule_set.schema, used_features(model)
    columns = {name: _column([row.get(name) for row in rows], schema.feature(name)) for name in used}
    frame = pd.DataFrame(columns, index=range(len(rows)))
    return unlabelled_bins(frame, schema, used)


def _column(values: Iterable[Value], feature: Feature) -> pd.Series:
    """Return values as a column of their kind."""
    if feature.is_categorical:
        return pd.Series(list(values), dtype=object)
    numbers = pd.Series([math.nan if value is None else float(value) for value in values], dtype=np.float64)
    return pd.to_datetime(numbers, unit="s") if feature.kind is Kind.DATE else numbers


def _step_in(literal: Literal, row: Mapping[str, Value], schema: Schema, grid: Grid) -> Step:
    """Return the nearest value that satisfies a literal which the row does not."""
    name, value = literal.feature, row[literal.feature]
    if isinstance(literal, LevelSet):
        return Step(name, literal.levels[0], WHOLE)
    if isinstance(literal, Interval):
        if not isinstance(value, float):
            inside = literal.low if literal.low is not None else math.nextafter(literal.high or 0.0, -math.inf)
            return Step(name, inside, WHOLE)
        below = literal.low is not None and value < literal.low
        target = literal.low if below else math.nextafter(literal.high or 0.0, -math.inf)
        assert target is not None  # a row below has a lower cut to reach
        return Step(name, target, _between(grid[name], value, target))
    if literal.missing:
        return Step(name, None, WHOLE)
    feature = schema.feature(name)
    typical: Value = feature.levels[0] if feature.is_categorical else float(np.median(grid[name]))
    return Step(name, typical, WHOLE)


def _step_out(rule: Rule, row: Mapping[str, Value], grid: Grid) -> Step | None:
    """Return the nearest cut of a rule that a covered row could cross; None where the rule has none."""
    steps = []
    for literal in rule.literals:
        value = row[literal.feature]
        if isinstance(literal, Interval) and isinstance(value, float):
            targets = [math.nextafter(literal.low, -math.inf)] if literal.low is not None else []
            targets += [literal.high] if literal.high is not None else []
            near = grid[literal.feature]
            steps += [Step(literal.feature, target, _between(near, value, target)) for target in targets]
    return min(steps, key=lambda step: step.share, default=None)


def _between(quantiles: NDArray[np.float64], value: float, target: float) -> float:
    """Return about which share of the training rows lies between two values."""
    if not quantiles.size:
        return WHOLE
    low, high = np.searchsorted(quantiles, (min(value, target), max(value, target)), side="left")
    return float(high - low) / len(quantiles)
