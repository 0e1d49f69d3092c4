"""The tables of the report, each as plain values with a title: written as CSV, drawn as HTML."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import astuple

from turs.benchmark.experiment import SIMULATION
from turs.benchmark.journal import Row
from turs.benchmark.learners import ABLATIONS, DEFAULT, NO_LOCAL_TEST, PAPER
from turs.benchmark.paper import paper_value
from turs.benchmark.summary import (
    AHEAD,
    BEHIND,
    LEVEL,
    METRICS,
    Cell,
    Cells,
    Verdict,
    mean_and_error,
    means_over_datasets,
    paired_values,
    verdict_counts,
)
from turs.benchmark.table import Table, Value, shown, with_spread
from turs.benchmark.variants import Tried

_SPREAD = "Mean ± standard deviation over folds."
_PLACES = {"auc": 3, "g": 4, "g_with_else": 4, "n_literals": 1, "n_rules": 1, "total_bits": 1, "fit_cpu_s": 3}
_DIFFERENCE_PLACES = 4
"""Decimals of differences of AUC: most of them would be zero with three."""


def _datasets(cells: Cells) -> list[str]:
    """Return the data sets of the cells, without the simulation."""
    return [name for name in dict.fromkeys(dataset for dataset, _ in cells) if name != SIMULATION]


def _learners(cells: Cells, metric: str) -> list[str]:
    """Return the learners that have a number on some data set."""
    return [
        name
        for name in dict.fromkeys(learner for _, learner in cells)
        if any(cell.learner == name and metric in cell.mean and cell.dataset != SIMULATION for cell in cells.values())
    ]


def _spread(cell: Cell | None, metric: str) -> Value:
    """Return mean and standard deviation as text; how the folds ended where none was done."""
    if cell is None:
        return None
    if metric not in cell.mean:
        return None if cell.folds else ", ".join(cell.statuses)
    undone, without = sum(cell.statuses.values()) - cell.folds, cell.folds - cell.values[metric]
    told = [f"{undone} of {undone + cell.folds} folds not done"] if undone else []
    told += [f"of {cell.values[metric]} folds, {without} without a value"] if without else []
    text = with_spread(cell.mean[metric], cell.sd.get(metric), _PLACES[metric])
    return f"{text} ({'; '.join(told)})" if told else text


def metric_table(key: str, title: str, cells: Cells, metric: str, paper: str | None = None, note: str = "") -> Table:
    """Return a number of every learner on every data set, beside the paper's figure."""
    learners = _learners(cells, metric)
    rows: list[tuple[Value, ...]] = []
    for dataset in _datasets(cells):
        figure = (paper_value(paper, dataset),) if paper else ()
        rows.append((dataset, *(_spread(cells.get((dataset, learner)), metric) for learner in learners), *figure))
    means, common = means_over_datasets(cells, learners, metric)
    if common:
        printed = [paper_value(paper, dataset) for dataset in common] if paper else []
        known = [value for value in printed if value is not None]
        theirs = (statistics.fmean(known) if len(known) == len(common) else None,) if paper else ()
        rows.append(
            (f"mean of {len(common)}", *(shown(means[learner], _PLACES[metric]) for learner in learners), *theirs)
        )
    columns = ("data set", *learners, *(("TURS (paper)",) if paper else ()))
    return Table(key, title, columns, rows, f"{_SPREAD} {note}".strip(), _PLACES[metric])


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """Return every verdict, those that are behind first."""
    names = ("data set", "learner", "against", "AUC", "theirs", "difference", "standard error", "folds", "verdict")
    note = (
        "Level: within one standard error of the paired fold differences; of our own folds against the paper. What is"
        " behind comes first."
    )
    order = (BEHIND, LEVEL, AHEAD)
    lines = [astuple(one) for one in sorted(verdicts, key=lambda verdict: order.index(verdict.verdict))]
    return Table("verdicts", "Behind, level or ahead", names, lines, note, _DIFFERENCE_PLACES)


def count_table(verdicts: Sequence[Verdict]) -> Table:
    """Return how often each learner is ahead, level and behind."""
    rows: list[tuple[Value, ...]] = []
    for (learner, opponent), counts in verdict_counts(verdicts).items():
        own = [v for v in verdicts if (v.learner, v.opponent) == (learner, opponent)]
        difference, _ = mean_and_error([verdict.difference for verdict in own])
        behind = ", ".join(verdict.dataset for verdict in own if verdict.verdict == BEHIND) or "-"
        rows.append((learner, opponent, counts[AHEAD], counts[LEVEL], counts[BEHIND], difference, behind))
    columns = ("learner", "against", "ahead", "level", "behind", "mean difference in AUC", "behind on")
    return Table("counts", "How often TURS is ahead, level and behind", columns, rows, decimals=_DIFFERENCE_PLACES)


def speed_table(cells: Cells) -> Table:
    """Return on how many data sets TURS learns faster than each peer, in CPU seconds of the same run."""
    numbers = {key: cell.mean["fit_cpu_s"] for key, cell in cells.items() if "fit_cpu_s" in cell.mean}
    own = (DEFAULT, PAPER)
    peers = [name for name in _learners(cells, "fit_cpu_s") if name not in (*own, *ABLATIONS)]
    rows: list[tuple[Value, ...]] = []
    for learner in own:
        for peer in peers:
            both = [name for name in _datasets(cells) if (name, learner) in numbers and (name, peer) in numbers]
            ratios = {name: numbers[name, peer] / max(numbers[name, learner], 1e-9) for name in both}
            if ratios:
                slower = [name for name, ratio in ratios.items() if ratio < 1]
                middle = statistics.median(ratios.values())
                names = ", ".join(slower) or "-"
                rows.append((learner, peer, len(both) - len(slower), len(slower), middle, names))
    columns = ("learner", "against", "faster on", "slower on", "median ratio (their time / ours)", "slower on these")
    return Table(
        "speed", "Speed against the peers of this run", columns, rows, "Mean CPU seconds of learning a fold.", 2
    )


def overview_table(cells: Cells, rows: Sequence[Row]) -> Table:
    """Return the statements that the run was made for."""
    lines: list[tuple[Value, ...]] = []
    for learner in (DEFAULT, PAPER):
        own = [cell for cell in cells.values() if cell.learner == learner and cell.dataset != SIMULATION and cell.folds]
        if not own:
            continue
        for metric, name in (("auc", "mean AUC"), ("n_literals", "mean literals"), ("total_bits", "mean bits")):
            values = [cell.mean[metric] for cell in own if metric in cell.mean]
            mean = shown(statistics.fmean(values), _PLACES[metric]) if values else None
            lines.append((learner, f"{name} over {len(values)} data sets", mean))
        with_both = [cell for cell in own if "auc" in cell.mean and "random_pick_auc" in cell.mean]
        if with_both:
            worst = max(with_both, key=lambda cell: abs(cell.mean["auc"] - cell.mean["random_pick_auc"]))
            gap = worst.mean["auc"] - worst.mean["random_pick_auc"]
            which = "the same" if round(gap, _DIFFERENCE_PLACES) == 0 else "lower" if gap > 0 else "higher"
            statement = f"AUC less random-pick AUC, largest difference ({worst.dataset}: random picks are {which})"
            lines.append((learner, statement, shown(gap, _DIFFERENCE_PLACES)))
        printed = [(cell.mean["n_literals"], paper_value("literals", cell.dataset)) for cell in own]
        known = [(ours, theirs) for ours, theirs in printed if theirs is not None]
        fewer = sum(ours <= theirs for ours, theirs in known)
        if known:
            lines.append((learner, f"data sets of {len(known)} with at most the paper's literals", fewer))
    below, above = _bits_below(cells, rows)
    if below + above:
        lines.append((DEFAULT, "data sets with fewer bits than the paper's search", below))
        lines.append((DEFAULT, "data sets with more bits than the paper's search", above))
    return Table("overview", "In short", ("learner", "statement", "value"), lines)


def _bits_below(cells: Cells, rows: Sequence[Row]) -> tuple[int, int]:
    """Return on how many data sets the default has fewer, and more, bits than the paper's search."""
    differences = []
    for dataset in _datasets(cells):
        pairs = paired_values(rows, dataset, DEFAULT, PAPER, "total_bits")
        if pairs:
            differences.append(sum(ours - theirs for ours, theirs in pairs) / len(pairs))
    return sum(d < -1e-6 for d in differences), sum(d > 1e-6 for d in differences)


def random_pick_table(cells: Cells) -> Table:
    """Return AUC, random-pick AUC and overlap of every learner that tells its covers (paper, section 6.3)."""
    rows: list[tuple[Value, ...]] = []
    for cell in cells.values():
        if "random_pick_auc" in cell.mean and "auc" in cell.mean and cell.dataset != SIMULATION:
            union, picked = cell.mean["auc"], cell.mean["random_pick_auc"]
            method = "CN2" if cell.learner == "CN2" else "TURS" if cell.learner in (DEFAULT, PAPER) else ""
            theirs = [paper_value(name, cell.dataset, method) for name in ("random_pick_gap", "overlap_percent")]
            overlap, folds = 100 * cell.mean["overlap_share"], cell.values["auc"]
            rows.append((cell.dataset, cell.learner, folds, union, picked, union - picked, overlap, *theirs))
    columns = ("data set", "learner", "folds", "AUC", "random pick", "AUC less random pick", "overlap (%)")
    paper = ("AUC less random pick (paper)", "overlap (%, paper)")
    note = (
        "Expected AUC of random picks in closed form; overlap on test rows. A positive difference: random picks rank"
        " the rows worse than the rule set; a negative one: better. Folds are those that have an AUC."
    )
    title = "Truly unordered: the AUC where each row takes one of its rules at random"
    places = dict(zip((*columns, *paper), (0, 0, 0, 3, 3, _DIFFERENCE_PLACES, 1, 3, 0), strict=True))
    return Table("random_pick", title, (*columns, *paper), rows, note, places)


def ablation_table(cells: Cells, rows: Sequence[Row]) -> Table:
    """Return what each heuristic of the paper's search is worth: with it less without it."""
    lines: list[tuple[Value, ...]] = []
    for without in ABLATIONS:
        for dataset in _datasets(cells):
            pairs = {name: paired_values(rows, dataset, PAPER, without, name) for name in ("auc", "total_bits")}
            if pairs["auc"]:
                auc, error = mean_and_error([ours - theirs for ours, theirs in pairs["auc"]])
                bits, _ = mean_and_error([ours - theirs for ours, theirs in pairs["total_bits"]])
                lines.append((without, dataset, auc, error, bits, len(pairs["auc"])))
    columns = ("ablation", "data set", "AUC with less without", "standard error", "bits with less without", "folds")
    note = (
        "Positive AUC and negative bits speak for the heuristic. Diverse patience is the paper's first ablation. The"
        " standard error is that of the AUC, paired by fold."
    )
    places = {columns[2]: _DIFFERENCE_PLACES, columns[3]: _DIFFERENCE_PLACES, columns[4]: 1}
    return Table("ablations", "The heuristics, each turned off", columns, lines, note, places)


_SIMULATED = (
    ("n_rules", "rules", 2),
    ("rule_length", "rule_length", 3),
    ("auc", "auc", 3),
    ("total_bits", "bits", 1),
    ("g_with_else", "g", 4),
)
"""Numbers of the second ablation: ours, the paper's, and decimals."""


def simulation_table(rows: Sequence[Row]) -> Table:
    """Return the paper's second ablation: one true rule, with and without the local test."""
    lines: list[tuple[Value, ...]] = []
    for learner in (NO_LOCAL_TEST, PAPER, DEFAULT):
        own = [r for r in rows if r["dataset"] == SIMULATION and r["learner"] == learner and r["status"] == "ok"]
        if own:
            with_length = [{**row, "rule_length": row["n_literals"] / max(row["n_rules"], 1)} for row in own]
            lines.append(
                (learner, len(own), *(_mean_sd(with_length, metric, places) for metric, _, places in _SIMULATED))
            )
    for method in ("without local test", "with local test"):
        printed = [_printed(name, method, places) for _, name, places in _SIMULATED]
        lines.append((f"{method} (paper)", 100, *printed))
    columns = ("search", "repetitions", "rules", "rule length", "AUC", "bits", "train/test difference")
    note = (
        "Mean ± standard deviation over repetitions; AUC and difference on as many fresh rows. The difference is the g"
        " score that counts the else rule as one of the rules, as the paper's figure does. The paper prints deviations"
        " with two decimals."
    )
    return Table("simulation", "Simulated rows with one true rule: the local test", columns, lines, note)


def _printed(name: str, method: str, places: int) -> str | None:
    """Return mean and standard deviation of the paper's second ablation as text."""
    mean, sd = (paper_value(f"simulation_{name}{part}", SIMULATION, method) for part in ("", "_sd"))
    return None if mean is None else with_spread(mean, sd, places)


def _mean_sd(rows: Sequence[Row], metric: str, places: int) -> str | None:
    """Return mean and standard deviation of a number as text."""
    values = [float(row[metric]) for row in rows if row.get(metric) is not None]
    if not values:
        return None
    mean, error = mean_and_error(values)
    text = with_spread(mean, None if error is None else error * len(values) ** 0.5, places)
    return text if len(values) == len(rows) else f"{text} (of {len(values)})"


def summary_table(cells: Cells, verdicts: Sequence[Verdict]) -> Table:
    """Return one line for each learner on each data set, with every mean and deviation: `summary.csv`."""
    against = {(v.dataset, v.learner): v.verdict for v in verdicts if v.opponent == "TURS (paper)"}
    rows: list[tuple[Value, ...]] = []
    for (dataset, learner), cell in cells.items():
        numbers = [part.get(metric) for metric in METRICS for part in (cell.mean, cell.sd, cell.values)]
        statuses = " ".join(f"{status}:{count}" for status, count in cell.statuses.items())
        printed = [paper_value(name, dataset) for name in ("auc", "literals")]
        rows.append((dataset, learner, cell.folds, statuses, *numbers, *printed, against.get((dataset, learner))))
    columns = [f"{metric}_{part}" for metric in METRICS for part in ("mean", "sd", "values")]
    head = ("dataset", "learner", "folds", "statuses", *columns, "paper_auc", "paper_literals", "against_paper")
    return Table("summary", "Means and standard deviations over folds", head, rows)


def variant_table(key: str, title: str, tried: Sequence[Tried], more: str = "") -> Table:
    """Return the variants of the search that were measured; `more` ends the note."""
    lines: list[tuple[Value, ...]] = [
        (
            *(one.variant, one.what, one.datasets, one.seeds, one.folds, one.mean_bits, one.mean_auc),
            one.mean_literals,
            _difference(one.bits_difference, one.bits_error, 2),
            _difference(one.auc_difference, one.auc_error, _DIFFERENCE_PLACES),
            _difference(one.literals_difference, one.literals_error, 2),
            *(one.cost, one.largest_gap, one.kept, one.reason),
        )
        for one in tried
    ]
    means = ("mean bits", "mean AUC", "mean literals")
    differences = ("bits, difference (%)", "AUC, difference", "literals, difference (%)")
    columns = (
        "variant",
        "what",
        "data sets",
        "seeds",
        "folds",
        *means,
        *differences,
        "cost",
        "largest gap",
        "kept",
        "why",
    )
    note = (
        "Differences are variant less default, paired by data set, seed and fold; bits and literals in per cent of the"
        " default; ± standard error over data sets. Cost: CPU seconds over those of the default. Largest gap: of AUC"
        " and random-pick AUC on a data set. A variant becomes the default where it has fewer bits or literals by more"
        " than chance, no AUC that is lower by more than a standard error, no larger gap and not too much time: a"
        f" default may take at most 4 times as long as the paper's search. The first line is the default itself.{more}"
    )
    sizes = {"mean bits": 1, "mean AUC": _DIFFERENCE_PLACES, "mean literals": 1}
    return Table(key, title, columns, lines, note, {**sizes, "cost": 2, "largest gap": _DIFFERENCE_PLACES})


def _difference(value: float | None, error: float | None, places: int) -> str | None:
    """Return a difference and its standard error."""
    return None if value is None else with_spread(value, error, places)
