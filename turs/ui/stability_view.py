"""Random picks as the page shows them: rules as they are beside the learned ones, overlaps, rows that could flip."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.editing import LEARNED, State
from turs.evaluate.evaluation import Evaluation
from turs.evaluate.forecast import Forecast
from turs.evaluate.overlaps import Overlap
from turs.evaluate.random_pick import PickDistribution, RandomPick
from turs.ui import numbers
from turs.ui.opened import OpenModel
from turs.ui.overlap_view import overlap_name
from turs.ui.row_table import partition_on, row_table, rule_texts
from turs.ui.sampling import Sampling

N_SAMPLES = 1000
"""Sampled picks."""
ALL_CLASSES = "all classes"
_OF_TWO = 3  # lines of a table of two classes: all, and each
_QUICK = 20_000  # numbers drawn a sample; about a fifth of a second for all samples
CLOSE = 0.005
"""A difference of AUCs up to this is small: rule sets of the paper differ by no more."""
FEW = 0.01
"""Share of the rows that may be expected to get another class where rules agree."""
MOST_OVERLAPS = 20
"""Overlaps in the table."""

Line = tuple[str, str, str, str]
_QUANTITIES: tuple[tuple[str, Callable[[RandomPick], float], Callable[[float], str], int], ...] = (
    ("AUC of the union of the rules", lambda picks: picks.union.value, numbers.auc, 1),
    ("Expected AUC of random picks", lambda picks: picks.expected.value, numbers.auc, 1),
    ("Difference", lambda picks: picks.difference, numbers.auc, -1),
    ("Rows in overlaps", lambda picks: picks.n_overlap_rows, numbers.count, 0),
    ("Rows that could get another class", lambda picks: picks.n_rows_can_change, numbers.count, -1),
    ("Rows expected to get another class", lambda picks: picks.n_rows_expected_to_change, numbers.bits, -1),
)
"""What the table before and after the edits shows: name, how it is read and printed, and whether more is better."""


def picks_on(evaluation: Evaluation, part: str) -> RandomPick | None:
    """Return random picks on a part; None where it has no rows."""
    return evaluation.random_pick_training if part == "training" else evaluation.random_pick_evaluation


def verdict(picks: RandomPick, n_rows: int, part: str, far: Overlap | None = None) -> tuple[str, str]:
    """Return in words whether it matters which of its rules a row follows, and what to do next.

    Parameters
    ----------
    picks : RandomPick
        Random picks on the part.
    n_rows : int
        Rows of the part.
    part : str
        Training or validation.
    far : Overlap, optional
        An overlap with rows of the part whose rules are far apart, where there is one: classes and AUC may not show it.
    """
    if not picks.n_overlap_rows:
        return (
            f"No {part} row is covered by more than one rule: there is nothing to pick from.",
            "Each rule can be read on its own.",
        )
    before, after = numbers.auc(picks.union.value), numbers.auc(picks.expected.value)
    flips = (
        f"about {numbers.about(picks.n_rows_expected_to_change)} of {numbers.rows(n_rows)}"
        if picks.n_rows_can_change
        else "no row"
    )
    moved = f"stay {after}" if before == after else f"be {after} on average instead of {before}"
    first = (
        f"If every {part} row followed one of its rules at random, the AUC would {moved}, and {flips} would get "
        "another class."
    )
    if abs(picks.difference) <= CLOSE and picks.n_rows_expected_to_change <= FEW * n_rows:
        return first, _agreement(far, may_change=picks.n_rows_can_change > 0)
    worst = picks.overlaps[0]
    return first, (
        f"The rules disagree in some overlaps. Begin with {overlap_name(worst.rules)}: it makes the largest part of "
        "the difference."
    )


def _agreement(far: Overlap | None, *, may_change: bool) -> str:
    """Return what to do where picks hardly change the AUC and the predicted classes."""
    if far is None:
        return "The rules agree where they overlap: each can be read on its own."
    return (
        f"{'Few' if may_change else 'No'} predicted classes change and the AUC hardly moves, but the probabilities of "
        f"{overlap_name(far.rules)} are up to {far.training.largest_distance:.2f} apart, more than chance explains: "
        "look at this overlap on the Overlaps page."
    )


def change_lines(learned: RandomPick, now: RandomPick) -> tuple[list[Line], list[str]]:
    """Return the numbers after learning beside those now, and the tone of each change."""
    lines, tones = [], []
    for name, of, shown, better in _QUANTITIES:
        change = of(now) - of(learned)
        words = numbers.change(change, shown(change)) or "±0"
        lines.append((name, shown(of(learned)), shown(of(now)), words))
        tones.append("" if words == "±0" or not better else "good" if change * better > 0 else "bad")
    return lines, tones


def change_table(learned: RandomPick, now: RandomPick) -> pd.DataFrame:
    """Return the same as a table to take away."""
    lines = [(name, of(learned), of(now), of(now) - of(learned)) for name, of, _, _ in _QUANTITIES]
    return pd.DataFrame(lines, columns=["quantity", "after learning", "now", "change"])


@dataclass(frozen=True)
class Picked:
    """Random picks of one version of the rules: expected, and sampled where somebody wanted that."""

    picks: RandomPick
    spread: PickDistribution | None


def class_table(versions: Mapping[str, Picked], classes: tuple[str, ...]) -> pd.DataFrame:
    """Return the AUCs of all classes together and of each, with the spread of sampled picks, for each version."""
    columns: dict[str, list[Any]] = {"class": [ALL_CLASSES, *classes]}
    for name, found in versions.items():
        picks, spread = found.picks, found.spread
        columns[f"union {name}"] = [picks.union.value, *picks.union.by_class]
        columns[f"random pick {name}"] = [picks.expected.value, *picks.expected.by_class]
        if spread is not None:
            columns[f"2.5 % of picks {name}"] = [spread.low, *(part.low for part in spread.by_class)]
            columns[f"97.5 % of picks {name}"] = [spread.high, *(part.high for part in spread.by_class)]
    return pd.DataFrame(columns)


def class_lines(table: pd.DataFrame, versions: Mapping[str, Picked]) -> tuple[list[str], list[list[str]]]:
    """Return the same as it is shown: the header, and a line for each class; of two classes both have the same AUC."""
    header = ["AUC"]
    lines = [[numbers.label(str(label))] for label in table["class"]]
    for name, found in versions.items():
        header += [f"union\n{name}", f"pick\n{name}"]
        header += [f"95 % of picks\n{name}"] if found.spread is not None else []
        for line, (_, row) in zip(lines, table.iterrows(), strict=True):
            line += [numbers.auc(row[f"union {name}"]), numbers.auc(row[f"random pick {name}"])]
            if found.spread is not None:
                line.append(_range(row[f"2.5 % of picks {name}"], row[f"97.5 % of picks {name}"]))
    header.append("difference\nnow")
    for line, (_, row) in zip(lines, table.iterrows(), strict=True):
        line.append(numbers.auc(row["union now"] - row["random pick now"]))
    return header, lines[:1] if len(lines) == _OF_TWO else lines


def _range(low: float, high: float) -> str:
    """Return the two ends of a spread."""
    return numbers.NOTHING if np.isnan(low) else f"{numbers.auc(low)} to {numbers.auc(high)}"


def overlap_data(picks: RandomPick) -> dict[str, Any]:
    """Return the overlaps that make the difference, for `browser/overlaps.js`."""
    lines = []
    for overlap in picks.overlaps[:MOST_OVERLAPS]:
        own = numbers.both([numbers.label(picked) for picked in dict.fromkeys(overlap.picked)])
        answers = f"its rules {own}" if overlap.can_change else "and so do its rules"
        lines.append(
            {
                "rules": list(overlap.rules),
                "name": overlap_name(overlap.rules),
                "cells": [numbers.count(overlap.rows), numbers.small(overlap.auc_part)],
                "detail": [f"the union says {numbers.label(overlap.predicted)}, {answers}"],
                "selected": False,
            }
        )
    header = ["overlap", "rows", "part of the\ndifference"]
    return {"view": "ledger", "header": header, "lines": lines}


def overlap_table(picks: RandomPick) -> pd.DataFrame:
    """Return all overlaps with their part in the difference."""
    return pd.DataFrame(
        {
            "overlap": [" ".join(overlap.rules) for overlap in picks.overlaps],
            "rows": [overlap.rows for overlap in picks.overlaps],
            "part of the difference": [overlap.auc_part for overlap in picks.overlaps],
            "share of the difference": [overlap.auc_share for overlap in picks.overlaps],
            "AUC change alone": [overlap.auc_change for overlap in picks.overlaps],
            "union predicts": [overlap.predicted for overlap in picks.overlaps],
            "rules predict": [" · ".join(overlap.picked) for overlap in picks.overlaps],
            "can change": [overlap.can_change for overlap in picks.overlaps],
        }
    )


def flipping_rows(model: OpenModel, part: str) -> pd.DataFrame:
    """Return the rows of which at least one rule predicts another class than the union."""
    state: State = model.session.state
    partition = partition_on(state, part)
    forecast = _forecast(state, part)
    if partition is None or forecast is None:
        return pd.DataFrame()
    places = np.flatnonzero(flips_of(forecast)[partition.row_pattern]).astype(np.int64)
    patterns = partition.row_pattern[places]
    classes = np.array(forecast.classes, dtype=object)
    predicted, by_rule = (part.argmax(axis=1) for part in (forecast.probabilities, forecast.rule_probabilities))
    answers = [
        ", ".join(f"{forecast.ids[k]}: {classes[by_rule[k]]}" for k in np.flatnonzero(line))
        for line in forecast.rows.members
    ]
    columns = {
        "union predicts": list(classes[predicted[patterns]]),
        "rules predict": [answers[pattern] for pattern in patterns.tolist()],
        "rules": rule_texts(partition, places),
    }
    return row_table(model.study, part, places, columns)


def sampling_of(model: OpenModel, part: str) -> Sampling:
    """Return the sampling of the rules as they are and, where they were edited, as they were learned; begin it once."""
    states = [model.session.state] if model.number == LEARNED else [model.session.state, model.session.learned]
    forecasts = [_forecast(state, part) for state in states]
    return model.kept(_key(model, part), lambda: Sampling(tuple(filter(None, forecasts)), N_SAMPLES))


def is_sampled(model: OpenModel, part: str) -> bool:
    """Return whether sampling was begun."""
    return model.has(_key(model, part))


def _key(model: OpenModel, part: str) -> tuple[str, int, str]:
    """Return under which key the samples are kept."""
    return "sampling", model.number, part


def _forecast(state: State, part: str) -> Forecast | None:
    """Return what is predicted for the rows of a part."""
    return state.evaluation.training if part == "training" else state.evaluation.evaluation


def is_quick(model: OpenModel, part: str) -> bool:
    """Return whether sampling takes no time to speak of, so that nobody has to ask for it."""
    forecast = _forecast(model.session.state, part)
    return forecast is not None and forecast.sizes[forecast.overlaps].sum() * len(forecast.classes) <= _QUICK


def flips_of(forecast: Forecast) -> NDArray[np.bool_]:
    """Return of which patterns at least one rule predicts another class than the union [P]."""
    predicted = forecast.probabilities.argmax(axis=1)
    by_rule = forecast.rule_probabilities.argmax(axis=1)
    differs = (by_rule[None, :] != predicted[:, None]) & forecast.rows.members
    return np.asarray(differs.any(axis=1) & (forecast.sizes > 1))
