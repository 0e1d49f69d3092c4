"""One literal of a rule as the workbench draws it: distribution by class, and the scan of every cut or level.

Plain values for `browser/cut.js` and `browser/levels.js`; no Streamlit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.editing import ScanPoint, fine_cuts, scan
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.rule import Rule
from turs.rules.schema import Feature, Kind
from turs.ui import numbers
from turs.ui.opened import OpenModel
from turs.ui.theme import class_colours, class_fills

_N_BARS = 32
_MOST_BARS = 48
_MOST_DECIMALS = 6
_FAR_OUT = (0.005, 0.995)


@dataclass(frozen=True)
class Bars:
    """Training rows by the value of a feature and class: edges of the bars, and for each class its rows in each."""

    edges: list[float]
    counts: list[list[int]]


def cut_points(model: OpenModel, rule_id: str, literal: Interval, side: str) -> tuple[ScanPoint, ...]:
    """Return the scan of one side of an interval: a fine grid, the candidate cuts, the present cut and this one."""
    state = model.session.state
    kept = _kept_cut(model, rule_id, literal.feature, side)
    cuts = {*fine_cuts(state, literal.feature), *state.rule_set.schema.feature(literal.feature).cuts}
    cuts.update(cut for cut in (getattr(literal, side), kept) if cut is not None)
    other = literal.high if side == "low" else literal.low
    fits = sorted(cut for cut in cuts if other is None or (cut < other if side == "low" else cut > other))
    versions = [replace(literal, low=cut) if side == "low" else replace(literal, high=cut) for cut in fits]
    key = ("scan", model.number, rule_id, literal.feature, side, other, tuple(fits))
    return model.kept(key, lambda: scan(state, rule_id, versions))


def cut_data(
    model: OpenModel, rule_id: str, literal: Interval, side: str, *, locked: bool, aside: bool = False
) -> dict[str, Any]:
    """Return what the slider of one cut shows.

    Parameters
    ----------
    model : OpenModel
        The model.
    rule_id : str
        The rule.
    literal : Interval
        The literal as it is shown, which may be a draft.
    side : {"low", "high"}
        The cut that moves.
    locked : bool
        Whether it may not.
    aside : bool
        Whether something else is about to change: then the numbers of this cut are not those of the draft.
    """
    state = model.session.state
    feature = model.session.version.grid.feature(literal.feature)
    points = cut_points(model, rule_id, literal, side)
    cuts = [getattr(point.literal, side) for point in points]
    other = literal.high if side == "low" else literal.low
    bars = cut_bars(model, rule_id, literal, points)
    domain = bars.edges[0], bars.edges[-1]
    headline = state.evaluation.headline
    best = min(range(len(points)), key=lambda place: points[place].total_bits)
    sign = "≥" if side == "low" else "<"
    return {
        "feature": feature.name,
        "side": side,
        "sign": sign,
        "cuts": cuts,
        "labels": [numbers.signed_cut(cut, feature, cuts) for cut in cuts],
        "bits": [point.total_bits for point in points],
        "auc": [_known(point.auc) for point in points],
        "validation": [_known(point.validation_auc) for point in points],
        "coverage": [point.coverage for point in points],
        "before": {
            "bits": headline.total_bits,
            "auc": _known(headline.training.auc),
            "validation": _known(headline.evaluation.auc if headline.evaluation else math.nan),
        },
        "at": cuts.index(getattr(literal, side)),
        "best": best,
        "kept": _kept_cut(model, rule_id, feature.name, side),
        "other": other,
        "domain": list(domain),
        "edges": bars.edges,
        "bars": bars.counts,
        "fills": class_fills(len(model.study.schema.classes)),
        "classes": [numbers.label(label) for label in model.study.schema.classes],
        "ticks": [{"value": tick, "label": numbers.signed_cut(tick, feature)} for tick in _ticks(domain, feature)],
        "axis": f"{sign} …  (every cut, all else as it is)",
        "about": f"Training rows by {feature.name} and class in the rest of {rule_id}; bits and AUC of every cut",
        "locked": locked,
        "aside": aside,
    }


def cut_bars(model: OpenModel, rule_id: str, literal: Interval, points: tuple[ScanPoint, ...]) -> Bars:
    """Return the training rows that satisfy the other literals of a rule, by value and class; all cuts are inside."""
    feature = model.session.version.grid.feature(literal.feature)
    cuts = [cut for part in (literal, *(point.literal for point in points)) for cut in _cuts(part)]
    low, high = min(cuts), max(cuts)
    unit = model.kept(("unit", feature.name), lambda: _unit(model.session.state.training.rows.numbers(feature)))
    key = ("bars", model.number, rule_id, feature.name, low, high)
    return model.kept(key, lambda: _bars(*_rows_of_the_rest(model, rule_id, feature), (low, high), unit, model))


def bar_table(model: OpenModel, rule_id: str, literal: Interval, points: tuple[ScanPoint, ...]) -> pd.DataFrame:
    """Return the bars as a table; the outermost hold the rows beyond them too."""
    bars, feature = cut_bars(model, rule_id, literal, points), model.study.schema.feature(literal.feature)
    is_date = feature.kind is Kind.DATE
    ends = [numbers.cut(edge, feature) if is_date else float(f"{edge:.12g}") for edge in bars.edges]
    counts = {
        f"rows of {numbers.label(label)}": n for label, n in zip(model.study.schema.classes, bars.counts, strict=True)
    }
    return pd.DataFrame({f"{feature.name} from": ends[:-1], "to below": ends[1:], **counts})


def scan_table(points: tuple[ScanPoint, ...], side: str) -> pd.DataFrame:
    """Return a scan as a table."""
    return pd.DataFrame(
        {
            "cut": [getattr(point.literal, side) for point in points],
            "total bits": [point.total_bits for point in points],
            "AUC training": [point.auc for point in points],
            "AUC validation": [point.validation_auc for point in points],
            "rows covered": [point.coverage for point in points],
        }
    )


def level_points(model: OpenModel, rule_id: str, literal: LevelSet) -> dict[str, ScanPoint]:
    """Return for each level what happens where it alone goes in or out; the only level of a set cannot go out."""
    levels = model.study.schema.feature(literal.feature).levels
    toggled = {level: tuple(part for part in levels if (part in literal.levels) != (part == level)) for level in levels}
    versions = {level: LevelSet(literal.feature, chosen) for level, chosen in toggled.items() if chosen}
    key = ("levels", model.number, rule_id, literal)
    points = model.kept(key, lambda: scan(model.session.state, rule_id, list(versions.values())))
    return dict(zip(versions, points, strict=True))


def level_data(model: OpenModel, rule_id: str, literal: LevelSet, *, locked: bool) -> dict[str, Any]:
    """Return what the boxes of the levels show."""
    schema = model.study.schema
    index, feature = schema.index(literal.feature), schema.feature(literal.feature)
    rows = model.session.state.training.rows
    covered = _covered_by_the_rest(model, rule_id, feature.name)
    column, labels = rows.column(index, feature)[covered], rows.data.labels[covered]
    n_classes = len(schema.classes)
    counts = np.bincount(
        column.astype(np.int64) * n_classes + labels, minlength=(feature.missing_bin + 1) * n_classes
    ).reshape(-1, n_classes)
    points = level_points(model, rule_id, literal)
    now = scan(model.session.state, rule_id, [literal])[0].total_bits
    levels: list[dict[str, Any]] = []
    for number, level in enumerate(feature.levels):
        change = points[level].total_bits - now if level in points else math.nan
        words = "" if math.isnan(change) else numbers.change(change, numbers.bits(change)) or "±0"
        levels.append(
            {
                "name": level,
                "chosen": level in literal.levels,
                "rows": int(counts[number].sum()),
                "counts": counts[number].tolist(),
                "bits": _known(change),
                "change": words,
                "tone": "good" if change < 0 else "bad" if change > 0 else "",
            }
        )
    levels.sort(key=lambda level: -level["rows"])
    names = [numbers.label(label) for label in schema.classes]
    return {"levels": levels, "colours": class_colours(n_classes), "locked": locked, "classes": names}


def level_table(data: dict[str, Any]) -> pd.DataFrame:
    """Return what the boxes of the levels show as a table."""
    lines = [
        {
            "level": level["name"],
            "chosen": level["chosen"],
            **{f"rows of {label}": n for label, n in zip(data["classes"], level["counts"], strict=True)},
            "bits if changed": level["bits"],
        }
        for level in data["levels"]
    ]
    return pd.DataFrame(lines)


def best_literal(model: OpenModel, rule_id: str, feature: Feature) -> Literal:
    """Return the literal with the fewest bits that a rule without one on this feature could get."""
    candidates: list[Literal] = [LevelSet(feature.name, (level,)) for level in feature.levels]
    for cut in feature.cuts:
        candidates += [Interval(feature.name, low=cut), Interval(feature.name, high=cut)]
    points = scan(model.session.state, rule_id, candidates)
    return min(points, key=lambda point: point.total_bits).literal


def _cuts(literal: Literal) -> list[float]:
    """Return the cuts of a literal."""
    return [cut for cut in (literal.low, literal.high) if cut is not None] if isinstance(literal, Interval) else []


def _known(value: float) -> float | None:
    """Return a number, or None where there is none."""
    return None if math.isnan(value) else value


def _kept_cut(model: OpenModel, rule_id: str, feature: str, side: str) -> float | None:
    """Return the cut that the rule has now."""
    for literal in model.session.version.rule(rule_id).literals:
        if literal.feature == feature and isinstance(literal, Interval):
            cut: float | None = getattr(literal, side)
            return cut
    return None


def _covered_by_the_rest(model: OpenModel, rule_id: str, feature: str) -> NDArray[np.bool_]:
    """Return which training rows satisfy the other literals of a rule."""
    state = model.session.state
    rest = tuple(part for part in state.version.rule(rule_id).literals if part.feature != feature)
    return state.training.rows.reach(Rule(rule_id, rest), state.rule_set.schema).covered


def _rows_of_the_rest(
    model: OpenModel, rule_id: str, feature: Feature
) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
    """Return the numbers and classes of the training rows that satisfy the other literals of a rule."""
    rows = model.session.state.training.rows
    covered = _covered_by_the_rest(model, rule_id, feature.name)
    values, labels = rows.numbers(feature)[covered], rows.data.labels[covered]
    known = ~np.isnan(values)
    return values[known], labels[known]


def _unit(values: NDArray[np.float64]) -> float:
    """Return the step of the grid that all values of a feature lie on; 0 where it is finer than what can be seen."""
    known = values[~np.isnan(values)]
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = known * 10.0**decimals
        whole = np.rint(scaled)
        if known.size and np.abs(whole).max() < 2**53 and np.allclose(scaled, whole, rtol=1e-9, atol=1e-6):
            step = int(np.gcd.reduce((whole - whole[0]).astype(np.int64)))
            return step / 10.0**decimals
    return 0.0


def _bars(
    values: NDArray[np.float64],
    labels: NDArray[np.int16],
    ends: tuple[float, float],
    unit: float,
    model: OpenModel,
) -> Bars:
    """Return rows by class and bar; values beyond the range are in the outermost bars."""
    edges = _edges(values, ends, unit)
    n_bars, n_classes = len(edges) - 1, len(model.study.schema.classes)
    inside = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, n_bars - 1)
    counts = np.bincount(labels.astype(np.int64) * n_bars + inside, minlength=n_classes * n_bars)
    return Bars(edges.tolist(), counts.reshape(n_classes, -1).tolist())


def _edges(values: NDArray[np.float64], ends: tuple[float, float], unit: float) -> NDArray[np.float64]:
    """Return the edges of the bars, which are the range that is drawn: all cuts, and the values but for the outermost.

    Each bar holds the same number of steps of the grid that the values lie on, one where that makes few bars:
    otherwise every second bar of numbers with one decimal would be empty.
    """
    seen = (*ends, *(np.quantile(values, _FAR_OUT).tolist() if values.size else ()))
    low, high = min(seen), max(seen)
    pad = (high - low) * 0.02 or abs(high) * 0.05 or 1.0
    low, high = low - pad, high + pad
    if not values.size or not unit:
        return np.linspace(low, high, _N_BARS + 1)
    span = (high - low) / unit
    width = unit * (1 if span <= _MOST_BARS else math.ceil(span / _N_BARS))
    origin = float(values.min()) - unit / 2
    first, last = math.floor((low - origin) / width), math.ceil((high - origin) / width)
    return origin + width * np.arange(first, last + 1)


def _ticks(domain: tuple[float, float], feature: Feature, n_ticks: int = 6) -> list[float]:
    """Return round numbers in a range; of dates, days."""
    low, high = domain
    if feature.kind is Kind.DATE:
        days = np.linspace(low, high, n_ticks)[1:-1] // 86_400 * 86_400
        return sorted(set(days.tolist()))
    power = 10.0 ** math.floor(math.log10((high - low) / n_ticks))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if (high - low) / (power * factor) <= n_ticks)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]
