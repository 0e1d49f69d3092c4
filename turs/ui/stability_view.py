"""Random picks as the page shows them: rules as they are beside the learned ones, overlaps, rows that could flip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from turs.editing import State
from turs.evaluate.evaluation import Evaluation
from turs.evaluate.forecast import Forecast
from turs.evaluate.random_pick import PickDistribution, RandomPick, sample_picks
from turs.ui import numbers
from turs.ui.opened import OpenModel
from turs.ui.row_table import partition_on, row_table, rule_texts

N_SAMPLES = 1000
"""Sampled picks."""
CLOSE = 0.005
"""A difference of AUCs up to this is small: rule sets of the paper differ by no more."""
MOST_OVERLAPS = 20
"""Overlaps in the table."""

Line = tuple[str, str, str, str]


def picks_on(evaluation: Evaluation, part: str) -> RandomPick | None:
    """Return random picks on a part; None where it has no rows."""
    return evaluation.random_pick_training if part == "training" else evaluation.random_pick_evaluation


def verdict(picks: RandomPick, n_rows: int, part: str) -> tuple[str, str]:
    """Return in words whether it matters which of its rules a row follows, and what to do next."""
    if not picks.n_overlap_rows:
        return (
            f"No {part} row is covered by more than one rule: there is nothing to pick from.",
            "Each rule can be read on its own.",
        )
    before, after = numbers.auc(picks.union.value), numbers.auc(picks.expected.value)
    flips = f"{picks.n_rows_expected_to_change:,.1f} of {numbers.rows(n_rows)}" if picks.n_rows_can_change else "no row"
    first = (
        f"If every {part} row followed one of its rules at random, the AUC would be {after} on average instead of "
        f"{before}, and {flips} would get another class."
    )
    if not picks.difference > CLOSE:
        return first, "The rules agree where they overlap: each can be read on its own."
    worst = picks.overlaps[0]
    return first, (
        f"The rules disagree in some overlaps. Begin with {' ∧ '.join(worst.rules)}: it makes the largest part of the "
        "difference."
    )


def change_lines(learned: RandomPick, now: RandomPick) -> tuple[list[Line], list[str]]:
    """Return the numbers after learning beside those now, and the tone of each change."""
    quantities: tuple[tuple[str, Callable[[RandomPick], float], Callable[[float], str], int], ...] = (
        ("AUC of the union of the rules", lambda picks: picks.union.value, numbers.auc, 1),
        ("Expected AUC of random picks", lambda picks: picks.expected.value, numbers.auc, 1),
        ("Difference", lambda picks: picks.difference, _four, -1),
        ("Rows in overlaps", lambda picks: picks.n_overlap_rows, numbers.count, 0),
        ("Rows that could get another class", lambda picks: picks.n_rows_can_change, numbers.count, -1),
        ("Rows expected to", lambda picks: picks.n_rows_expected_to_change, numbers.bits, -1),
    )
    lines, tones = [], []
    for name, of, shown, better in quantities:
        change = of(now) - of(learned)
        words = numbers.change(change, shown(change)) or "±0"
        lines.append((name, shown(of(learned)), shown(of(now)), words))
        tones.append("" if words == "±0" or not better else "good" if change * better > 0 else "bad")
    return lines, tones


def class_table(learned: RandomPick, now: RandomPick, classes: tuple[str, ...]) -> pd.DataFrame:
    """Return the AUCs of each class, after learning and now."""
    return pd.DataFrame(
        {
            "class": list(classes),
            "union after learning": learned.union.by_class,
            "random pick after learning": learned.expected.by_class,
            "union now": now.union.by_class,
            "random pick now": now.expected.by_class,
        }
    )


def class_lines(table: pd.DataFrame) -> list[list[str]]:
    """Return the AUCs of each class as they are shown, with the difference now."""
    return [
        [
            str(line.iloc[0]),
            *(numbers.auc(value) for value in line.iloc[1:].tolist()),
            _four(line.iloc[3] - line.iloc[4]),
        ]
        for _, line in table.iterrows()
    ]


def overlap_data(picks: RandomPick) -> dict[str, Any]:
    """Return the overlaps that make the difference, for `browser/overlaps.js`."""
    lines = []
    for overlap in picks.overlaps[:MOST_OVERLAPS]:
        answers = " · ".join(dict.fromkeys(overlap.picked)) if overlap.can_change else ""
        cells = [
            numbers.count(overlap.rows),
            numbers.small(overlap.auc_part),
            numbers.share(overlap.auc_share),
            overlap.predicted,
            answers or "the same",
        ]
        lines.append({"rules": list(overlap.rules), "cells": cells, "selected": False})
    header = ["overlap", "rows", "part of the\ndifference", "share", "union\nsays", "its rules\nsay"]
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
    forecast = state.evaluation.training if part == "training" else state.evaluation.evaluation
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


def sampled(model: OpenModel, part: str, *, learned: bool) -> PickDistribution | None:
    """Return sampled picks of the rules as they are, or as they were learned."""
    evaluation = (model.session.learned if learned else model.session.state).evaluation
    forecast = evaluation.training if part == "training" else evaluation.evaluation
    if forecast is None:
        return None
    number = -1 if learned else model.number
    return model.kept(("picks", number, part), lambda: sample_picks(forecast, N_SAMPLES, 0))


def flips_of(forecast: Forecast) -> NDArray[np.bool_]:
    """Return of which patterns at least one rule predicts another class than the union [P]."""
    predicted = forecast.probabilities.argmax(axis=1)
    by_rule = forecast.rule_probabilities.argmax(axis=1)
    differs = (by_rule[None, :] != predicted[:, None]) & forecast.rows.members
    return np.asarray(differs.any(axis=1) & (forecast.sizes > 1))


def _four(value: float) -> str:
    """Return a difference of AUCs with four decimals."""
    return numbers.NOTHING if np.isnan(value) else numbers.small(value).lstrip("+")
