"""The overlaps as the page shows them: the figure of patterns, the matrix of rules, the ledger, and shared rows.

Plain values for `browser/overlaps.js`, and tables to take away. A person selects an overlap (the rows that exactly
these rules cover) or a pair of rules (all rows that both cover, whatever covers them beside).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.editing.finding import FAR_APART
from turs.evaluate.difference import difference_p_value
from turs.evaluate.forecast import Forecast
from turs.evaluate.overlaps import Overlap, OverlapLedger, distances
from turs.evaluate.shares import ClassShares, class_shares
from turs.predict import rule_probabilities
from turs.ui import numbers
from turs.ui.opened import OpenModel
from turs.ui.row_table import partition_on, row_table, rule_texts
from turs.ui.table import DIGITS

MOST_NAMED = 4
"""Rules that the name of an overlap spells out."""
MOST_COLUMNS = 18
"""Overlaps in the figure."""
MOST_RULES = 20
"""Rules in the figure and in the matrix: so many are as wide as their column on a usual screen."""
MOST_LINES = 40
"""Overlaps in the ledger."""
MOST_TESTED = 6
"""Rules of an overlap up to which its p-value stands in the ledger; that of larger ones takes a second each."""
SURE = 0.05
"""A p-value up to this is taken for a difference."""
_ABOUT = {
    "bits\nlost": "bits that the class labels of these rows need more because their rules disagree",
    "distance": "how far the probabilities of its rules are apart: 0 is the same, 1 the opposite",
    "p": "how often chance alone would set the rules so far apart; small means that they differ",
    "change\nof AUC": "what the training AUC would change if these rows followed one of their rules at random",
}
"""What the pointer shows on a column of the ledger."""
_ABOUT_DETAIL = (
    "the class in which the rules differ most: its probability under each of the rules, under their pooled rows (the "
    "union, which is predicted here) and among the rows of the overlap themselves (observed)"
)
"""What the pointer shows on the second line of an overlap."""
ORDERS = ("bits lost", "rows", "distance", "AUC change")
"""What the ledger can be sorted by."""


@dataclass(frozen=True)
class Chosen:
    """What is selected: rules, and whether the rows that exactly they cover are meant or all that they share."""

    rules: tuple[str, ...]
    exact: bool

    @property
    def name(self) -> str:
        """What the page calls it."""
        return overlap_name(self.rules) if self.exact else numbers.both(self.rules)


@dataclass(frozen=True)
class Shared:
    """Rows that some rules share, on the training or on the validation rows.

    Parameters
    ----------
    observed, union : ClassShares
        The shared rows, and the rows that at least one of the rules covers.
    rules : tuple of ClassShares
        The rows of each rule.
    distance : float
        Largest total variation distance of two of the rules' probabilities.
    p_value : float
        Of "these rules differ" (`turs.evaluate.difference`).
    """

    observed: ClassShares
    union: ClassShares
    rules: tuple[ClassShares, ...]
    distance: float
    p_value: float


def overlap_name(rules: Sequence[str]) -> str:
    """Return what an overlap is called: its rules, or the first of many."""
    if len(rules) <= MOST_NAMED:
        return " ∧ ".join(rules)
    return f"{' ∧ '.join(rules[: MOST_NAMED - 1])} ∧ {len(rules) - MOST_NAMED + 1} more"


def ledger_of(model: OpenModel) -> OverlapLedger:
    """Return the ledger of the rules as they are."""
    return model.session.state.evaluation.overlaps


def forecast_on(model: OpenModel, part: str) -> Forecast | None:
    """Return what the rules as they are predict for a part."""
    evaluation = model.session.state.evaluation
    return evaluation.training if part == "training" else evaluation.evaluation


def first_chosen(model: OpenModel) -> Chosen | None:
    """Return what is selected before anybody selects: the overlap that loses the most bits."""
    ledger = ledger_of(model)
    return Chosen(ledger[0].rules, True) if len(ledger) else None


def exists(model: OpenModel, chosen: Chosen) -> bool:
    """Return whether the rules, and the overlap where one is meant, are still there."""
    if not set(chosen.rules) <= set(model.session.version.ids):
        return False
    return not chosen.exact or place_of(model, chosen) is not None


def place_of(model: OpenModel, chosen: Chosen) -> int | None:
    """Return the position of an overlap in the ledger."""
    line = _mask(chosen.rules, ledger_of(model).training.forecast)
    found = np.flatnonzero((ledger_of(model).members == line).all(axis=1))
    return int(found[0]) if found.size else None


def shared(model: OpenModel, chosen: Chosen, part: str) -> Shared | None:
    """Return the rows that rules share in numbers; None where the part has no rows."""
    forecast = forecast_on(model, part)
    if forecast is None:
        return None
    return model.kept(("shared", model.number, chosen, part), lambda: _shared(forecast, chosen))


def shared_rows(model: OpenModel, chosen: Chosen, part: str) -> pd.DataFrame:
    """Return the rows that rules share as a table; the features that the rules use come first."""
    partition = partition_on(model.session.state, part)
    forecast = forecast_on(model, part)
    if partition is None or forecast is None:
        return pd.DataFrame()
    lines = np.flatnonzero(_lines(forecast, chosen))
    places = np.flatnonzero(np.isin(partition.row_pattern, lines)).astype(np.int64)
    version = model.session.version
    used = [literal.feature for rule in chosen.rules for literal in version.rule(rule).literals]
    return row_table(model.study, part, places, {"rules": rule_texts(partition, places)}, tuple(dict.fromkeys(used)))


def figure_data(model: OpenModel, chosen: Chosen | None) -> dict[str, Any]:
    """Return the figure of overlaps: the largest first; a selected one that is smaller stands before them."""
    ledger = ledger_of(model)
    rows = ledger.training.observed.sum(axis=1)
    order = figure_places(model, chosen)
    ids = ledger.training.forecast.ids
    counted = ledger.members[order].sum(axis=0)
    groups = [np.flatnonzero(ledger.members[o]).tolist() for o in order]
    wanted = [] if chosen is None else np.flatnonzero(_mask(chosen.rules, ledger.training.forecast)).tolist()
    shown = sorted(_as_fit([[k for k in wanted if counted[k]], *groups]))
    columns = []
    for o in order:
        rules = tuple(ids[k] for k in np.flatnonzero(ledger.members[o]))
        apart = float(ledger.training.largest_distance[o])
        columns.append(
            {
                "rules": list(rules),
                "rows": int(rows[o]),
                "distance": apart,
                "others": len(rules) - int(ledger.members[o][shown].sum()),
                "label": f"{overlap_name(rules)}: {numbers.rows(int(rows[o]), 'training')}, {apart:.2f} apart",
                "selected": chosen == Chosen(rules, True),
                "apart": len(order) > MOST_COLUMNS and o == order[0],
            }
        )
    n_others = int((counted > 0).sum()) - len(shown)
    return {"view": "figure", "columns": columns, "rules": [ids[k] for k in shown], "others": n_others}


def figure_places(model: OpenModel, chosen: Chosen | None) -> list[int]:
    """Return the positions of the overlaps in the figure: those with the most training rows, and the selected one."""
    rows = ledger_of(model).training.observed.sum(axis=1)
    order = [place for place in np.argsort(-rows, kind="stable").tolist() if rows[place]][:MOST_COLUMNS]
    own = place_of(model, chosen) if chosen is not None and chosen.exact else None
    return order if own is None or own in order else [own, *order]


def figure_table(model: OpenModel, chosen: Chosen | None) -> pd.DataFrame:
    """Return what the figure shows as a table."""
    ledger = ledger_of(model)
    order = figure_places(model, chosen)
    ids = np.array(ledger.training.forecast.ids, dtype=object)
    return pd.DataFrame(
        {
            "overlap": [" ".join(ids[ledger.members[place]]) for place in order],
            "training rows": ledger.training.observed.sum(axis=1)[order],
            "distance": ledger.training.largest_distance[order],
        }
    )


def figure_words(model: OpenModel) -> str:
    """Return what the figure shows and what it leaves out."""
    rows = ledger_of(model).training.observed.sum(axis=1)
    n_seen, total = int((rows > 0).sum()), int(rows.sum())
    n_rows = model.study.training.n_rows
    share = f"{numbers.rows(total, 'training')} of {n_rows:,} ({numbers.share(total / max(n_rows, 1))})"
    words = f"{share} are covered by more than one rule"
    if n_seen > MOST_COLUMNS:
        shown = int(np.sort(rows)[::-1][:MOST_COLUMNS].sum())
        left = f"the other {n_seen - MOST_COLUMNS:,} hold {numbers.rows(total - shown)} and are in the ledger"
        return f"{MOST_COLUMNS} largest of {n_seen:,} overlaps with training rows; {left} · {words}"
    return f"{'the only overlap' if n_seen == 1 else f'all {n_seen:,} overlaps'} with training rows · {words}"


def ledger_words(model: OpenModel) -> str:
    """Return what the ledger holds, counted as the figure counts."""
    n = len(ledger_of(model))
    n_seen = int((ledger_of(model).training.observed.sum(axis=1) > 0).sum())
    parts = f"{n_seen:,} with training rows" + (f", {n - n_seen:,} with validation rows only" if n > n_seen else "")
    shown = f"the first {MOST_LINES} of {n:,}; the file holds all" if n > MOST_LINES else numbers.every(n)
    return f"every overlap: {parts} · {shown}"


def matrix_data(model: OpenModel, chosen: Chosen | None) -> dict[str, Any]:
    """Return the rules against the rules: shared rows and distance; those that share the most rows."""
    matrix = model.session.state.evaluation.rule_matrix
    picked = matrix_rules(model)
    cells = []
    for i in picked:
        line = []
        for j in picked:
            pair = (matrix.ids[min(i, j)], matrix.ids[max(i, j)])
            rows, apart = matrix.shared_rows[i][j], matrix.distances[i][j]
            words = f"{pair[0]} and {pair[1]}: {numbers.rows(rows, 'shared training')}, {apart:.2f} apart"
            line.append(
                {
                    "rules": list(pair),
                    "rows": 0 if i == j else rows,
                    "distance": apart,
                    "label": words,
                    "selected": chosen == Chosen(pair, False),
                }
            )
        cells.append(line)
    return {"view": "matrix", "rules": [matrix.ids[i] for i in picked], "cells": cells}


def matrix_rules(model: OpenModel) -> list[int]:
    """Return the numbers of the rules in the matrix, in their order: pairs with most shared rows, as many as fit."""
    matrix = model.session.state.evaluation.rule_matrix
    shared = np.array(matrix.shared_rows, dtype=np.int64).reshape(len(matrix.ids), -1)
    if not shared.size:
        return []
    first, second = np.nonzero(np.triu(shared, 1))
    order = np.argsort(-shared[first, second], kind="stable")
    return sorted(_as_fit(zip(first[order].tolist(), second[order].tolist(), strict=True)))


def _as_fit(groups: Iterable[Iterable[int]]) -> set[int]:
    """Return the rules of the first groups, whole ones, as many as a figure has room for; of a larger one some."""
    found: set[int] = set()
    for group in groups:
        wanted = found.union(group)
        if len(wanted) <= MOST_RULES:
            found = wanted
        elif not found:
            found = set(sorted(wanted)[:MOST_RULES])
    return found


def ledger_data(model: OpenModel, chosen: Chosen | None, order: str) -> dict[str, Any]:
    """Return the first lines of the ledger, with the p-value of each."""
    places = ledger_places(model, order)[:MOST_LINES]
    lines = [_line(model, tested(model, place)) for place in places]
    parts = "training" if model.study.validation is None else "training /\nvalidation"
    return {
        "view": "ledger",
        "header": ["overlap", f"rows\n{parts}", "bits\nlost", "distance", "p", "change\nof AUC"],
        "about": _ABOUT,
        "aboutDetail": _ABOUT_DETAIL,
        "lines": [line | {"selected": chosen == Chosen(tuple(line["rules"]), True)} for line in lines],
    }


def ledger_places(model: OpenModel, order: str) -> list[int]:
    """Return the positions of the overlaps in the order that is wanted."""
    side = ledger_of(model).training
    keys: dict[str, NDArray[np.float64]] = {
        "bits lost": -side.lost_bits,
        "rows": -side.observed.sum(axis=1).astype(np.float64),
        "distance": -side.largest_distance,
        "AUC change": -np.abs(np.nan_to_num(side.auc_change)),
    }
    return [int(place) for place in np.argsort(keys[order], kind="stable")]


def tested(model: OpenModel, place: int) -> Overlap:
    """Return an overlap, with its p-values where it has few rules."""
    found: dict[int, Overlap] = model.kept(("tested", model.number), dict)
    ledger = ledger_of(model)
    if place not in found:
        found[place] = ledger.tested(place) if ledger.members[place].sum() <= MOST_TESTED else ledger[place]
    return found[place]


def is_sure(p_value: float | None) -> bool:
    """Return whether the rules of an overlap differ more than chance explains, where that was tested."""
    return p_value is not None and p_value <= SURE


def gravest(model: OpenModel, part: str) -> Overlap | None:
    """Return the overlap with rows of a part whose rules are far apart, and surely so, that loses the most bits.

    None where there is none. How far apart they are is what the training rows say, as everywhere.
    """
    ledger = ledger_of(model)
    side = ledger.training if part == "training" else ledger.evaluation
    if side is None:
        return None
    far = np.flatnonzero((ledger.training.largest_distance >= FAR_APART) & side.observed.any(axis=1))
    found = (tested(model, place) for place in far[:MOST_LINES].tolist())
    return next((overlap for overlap in found if is_sure(overlap.training.p_value)), None)


def shown_class(overlap: Overlap) -> int:
    """Return the class in which the rules of an overlap differ most; of two classes the last."""
    shares = np.array([rule.probabilities for rule in overlap.training.rules])
    if shares.shape[1] == 2:
        return 1
    return int(np.nan_to_num(np.ptp(shares, axis=0)).argmax())


def ledger_table(model: OpenModel) -> pd.DataFrame:
    """Return the whole ledger as a table: both parts, all classes."""
    ledger, classes = ledger_of(model), model.study.schema.classes
    ids = np.array(ledger.training.forecast.ids, dtype=object)
    columns: dict[str, object] = {"overlap": [" ".join(ids[line]) for line in ledger.members]}
    for part, side in (("training", ledger.training), ("validation", ledger.evaluation)):
        if side is None:
            continue
        own = side.forecast.rows.rule_counts
        rules = own / np.maximum(own.sum(axis=1, keepdims=True), 1)
        columns[f"rows {part}"] = side.observed.sum(axis=1)
        for c, label in enumerate(classes):
            columns[f"p({label}) each rule {part}"] = [
                " ".join(f"{rules[k, c]:.{DIGITS}f}" for k in np.flatnonzero(line)) for line in ledger.members
            ]
            for name, counts in (("union", side.unions), ("observed", side.observed)):
                total = counts.sum(axis=1)
                columns[f"p({label}) {name} {part}"] = np.where(total > 0, counts[:, c] / np.maximum(total, 1), np.nan)
        columns[f"largest distance {part}"] = side.largest_distance
        columns[f"bits lost {part}"] = side.lost_bits
        columns[f"bits of misfit {part}"] = side.misfit_bits
        columns[f"AUC if one is picked {part}"] = side.auc_change
    return pd.DataFrame(columns)


def matrix_table(model: OpenModel) -> pd.DataFrame:
    """Return all pairs of rules that share rows as a table."""
    matrix = model.session.state.evaluation.rule_matrix
    pairs = [
        (first, matrix.ids[j], matrix.shared_rows[i][j], matrix.distances[i][j])
        for i, first in enumerate(matrix.ids)
        for j in range(i + 1, len(matrix.ids))
        if matrix.shared_rows[i][j]
    ]
    return pd.DataFrame(pairs, columns=["rule", "other rule", "shared training rows", "distance"])


def _line(model: OpenModel, overlap: Overlap) -> dict[str, Any]:
    """Return an overlap as the ledger shows it: its numbers, and the probabilities of one class below them."""
    side, there = overlap.training, overlap.evaluation
    label = shown_class(overlap)
    rows = numbers.count(side.observed.rows)
    if model.study.validation is not None:
        rows += f" / {numbers.count(there.observed.rows if there is not None else 0)}"
    observed = f"{side.observed.probabilities[label]:.2f}" if side.observed.rows else numbers.NOTHING
    return {
        "rules": list(overlap.rules),
        "name": overlap_name(overlap.rules),
        "cells": [
            rows,
            numbers.bits(side.lost_bits),
            f"{side.largest_distance:.2f}",
            numbers.p_value(side.p_value),
            numbers.small(side.auc_change),
        ],
        "detail": [
            f"p({model.study.schema.classes[label]}):",
            f"each rule {_each([rule.probabilities[label] for rule in side.rules])},",
            f"union {side.union.probabilities[label]:.2f},",
            f"observed {observed}",
        ],
    }


def _each(shares: list[float]) -> str:
    """Return the shares of the rules of an overlap: each of up to three, the range of more."""
    if len(shares) > 3:
        return f"{min(shares):.2f} to {max(shares):.2f}"
    return " · ".join(f"{share:.2f}" for share in shares)


def _shared(forecast: Forecast, chosen: Chosen) -> Shared:
    """Return the rows that rules share in numbers."""
    patterns, mask = forecast.rows, _mask(chosen.rules, forecast)
    own = rule_probabilities(patterns)[mask]
    return Shared(
        observed=class_shares(patterns.counts[_lines(forecast, chosen)].sum(axis=0, keepdims=True))[0],
        union=class_shares(patterns.counts[patterns.members[:, mask].any(axis=1)].sum(axis=0, keepdims=True))[0],
        rules=tuple(class_shares(patterns.rule_counts[mask])),
        distance=float(distances(own).max()),
        p_value=difference_p_value(patterns, mask),
    )


def _mask(rules: tuple[str, ...], forecast: Forecast) -> NDArray[np.bool_]:
    """Return which of all rules these are [K]."""
    return np.array([rule in rules for rule in forecast.ids], dtype=np.bool_)


def _lines(forecast: Forecast, chosen: Chosen) -> NDArray[np.bool_]:
    """Return which patterns hold the rows that are meant [P]."""
    mask, members = _mask(chosen.rules, forecast), forecast.rows.members
    return np.asarray((members == mask).all(axis=1) if chosen.exact else members[:, mask].all(axis=1))
