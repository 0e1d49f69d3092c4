"""From rows to statements: means and spreads over folds, and who is ahead of whom.

A verdict compares AUCs. Against a learner of the same run the differences are paired by fold, and within one standard
error of their mean the two are level. The paper does not tell its spread: against its figures the standard error is
that of our own folds, and a difference that its three decimals cannot show is none. With one fold in common there is
no standard error; then any difference counts, and the number of folds says how little that means.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from turs.benchmark.journal import Row
from turs.benchmark.paper import paper_value

METRICS = (
    "auc",
    "random_pick_auc",
    "overlap_share",
    "coverage",
    "n_rules",
    "n_literals",
    "g",
    "g_with_else",
    "total_bits",
    "nll_bits",
    "regret_bits",
    "model_bits",
    "fit_cpu_s",
    "fit_s",
)
"""Numbers of a row that are averaged over folds."""

_PRINTED = 0.0005
"""Half of the last decimal that the paper prints."""

AHEAD, LEVEL, BEHIND = "ahead", "level", "behind"


@dataclass(frozen=True)
class Cell:
    """One learner on one data set.

    Parameters
    ----------
    dataset, learner : str
        Names.
    folds : int
        Folds that were done.
    statuses : dict of str to int
        How all folds ended.
    mean, sd : dict of str to float
        Over the folds that were done, for the numbers that they have; the sample standard deviation needs two.
    values : dict of str to int
        How many of these folds have the number: one without rules has no g score, one with a single class no AUC.
    """

    dataset: str
    learner: str
    folds: int
    statuses: dict[str, int]
    mean: dict[str, float]
    sd: dict[str, float]
    values: dict[str, int]

    def error(self, metric: str) -> float | None:
        """Return the standard error of a mean, None where there is no spread."""
        return self.sd[metric] / math.sqrt(self.values[metric]) if metric in self.sd else None


Cells = dict[tuple[str, str], Cell]


def cells_of(rows: Iterable[Row]) -> Cells:
    """Return every learner on every data set, in the order of the rows."""
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["learner"]:
            grouped.setdefault((row["dataset"], row["learner"]), []).append(row)
    return {key: _cell(*key, group) for key, group in grouped.items()}


@dataclass(frozen=True)
class Verdict:
    """How one learner stands against another on one data set.

    Parameters
    ----------
    dataset, learner, opponent : str
        Names; an opponent of the paper is called so.
    ours, theirs, difference : float
        AUCs over the folds that count, and ours less theirs.
    error : float or None
        Standard error of the difference.
    folds : int
        Folds that count.
    verdict : str
        "ahead", "level" or "behind".
    """

    dataset: str
    learner: str
    opponent: str
    ours: float
    theirs: float
    difference: float
    error: float | None
    folds: int
    verdict: str


def judge(difference: float, error: float | None) -> str:
    """Return "ahead", "level" or "behind"."""
    if abs(difference) <= (error or 0.0):
        return LEVEL
    return AHEAD if difference > 0 else BEHIND


def paired_values(rows: Iterable[Row], dataset: str, ours: str, theirs: str, metric: str) -> list[tuple[float, float]]:
    """Return a number of two learners on the folds that both have done; one learner makes pairs with itself."""
    found: dict[tuple[int, int], dict[str, float]] = {}
    for row in rows:
        if row["dataset"] == dataset and row["learner"] in (ours, theirs) and _number(row, metric) is not None:
            found.setdefault((row["seed"], row["fold"]), {})[row["learner"]] = float(row[metric])
    return [(both[ours], both[theirs]) for both in found.values() if ours in both and theirs in both]


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """Return a mean and its standard error, None with a single value."""
    mean = statistics.fmean(values)
    return mean, statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None


def against_learner(rows: Sequence[Row], ours: str, theirs: str) -> list[Verdict]:
    """Return how `ours` stands against another learner of the run, on each data set that both have done."""
    verdicts = []
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        pairs = paired_values(rows, dataset, ours, theirs, "auc")
        if pairs:
            difference, error = mean_and_error([mine - other for mine, other in pairs])
            left, right = (statistics.fmean(side) for side in zip(*pairs, strict=True))
            result = judge(difference, error)
            verdicts.append(Verdict(dataset, ours, theirs, left, right, difference, error, len(pairs), result))
    return verdicts


def against_paper(cells: Cells, ours: str, method: str) -> list[Verdict]:
    """Return how `ours` stands against a column of the paper's AUC table, on each data set that both have."""
    verdicts = []
    for (dataset, learner), cell in cells.items():
        theirs = paper_value("auc", dataset, method)
        if learner == ours and theirs is not None and "auc" in cell.mean:
            difference, error = cell.mean["auc"] - theirs, cell.error("auc")
            result = judge(difference, max(error or 0.0, _PRINTED))
            mean, name = cell.mean["auc"], paper_name(method)
            verdicts.append(Verdict(dataset, ours, name, mean, theirs, difference, error, cell.values["auc"], result))
    return verdicts


def paper_name(method: str) -> str:
    """Return what a column of the paper is called beside learners of the run."""
    return f"{method} (paper)"


def verdict_counts(verdicts: Iterable[Verdict]) -> dict[tuple[str, str], Counter[str]]:
    """Return how often each learner is ahead of, level with and behind each opponent."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for verdict in verdicts:
        counts.setdefault((verdict.learner, verdict.opponent), Counter())[verdict.verdict] += 1
    return counts


def means_over_datasets(cells: Cells, learners: Sequence[str], metric: str) -> tuple[dict[str, float], list[str]]:
    """Return the mean of a number over the data sets that all of these learners have, and which those are."""
    datasets = [
        dataset
        for dataset in dict.fromkeys(name for name, _ in cells)
        if all((dataset, learner) in cells and metric in cells[dataset, learner].mean for learner in learners)
    ]
    if not datasets:
        return {}, []
    means = {
        learner: statistics.fmean(cells[dataset, learner].mean[metric] for dataset in datasets) for learner in learners
    }
    return means, datasets


def _cell(dataset: str, learner: str, rows: list[Row]) -> Cell:
    """Return the summary of one learner on one data set."""
    done = [row for row in rows if row["status"] == "ok"]
    mean, sd, counts = {}, {}, {}
    for metric in METRICS:
        values = [float(row[metric]) for row in done if _number(row, metric) is not None]
        if values:
            mean[metric], counts[metric] = statistics.fmean(values), len(values)
        if len(values) > 1:
            sd[metric] = statistics.stdev(values)
    return Cell(dataset, learner, len(done), dict(Counter(row["status"] for row in rows)), mean, sd, counts)


def _number(row: Row, metric: str) -> float | None:
    """Return a number of a row, None where it has none."""
    value = row.get(metric) if row["status"] == "ok" else None
    return None if value is None else float(value)
