"""The tables of the report, each as plain values with a title: written as CSV, drawn as HTML."""

from __future__ import annotations

import html
import re
import statistics
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass

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
from turs.benchmark.variants import Tried

Value = str | float | int | None


@dataclass(frozen=True)
class Table:
    """Numbers with a title.

    Parameters
    ----------
    key : str
        Its place in the report.
    title : str
        What it shows.
    columns : tuple of str
        Names of the columns.
    rows : list of tuple
        Texts and numbers; None is unknown.
    note : str
        How it is to be read.
    decimals : int or None
        Of all its numbers that are not whole, where they are alike.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Value, ...]]
    note: str = ""
    decimals: int | None = None

    def to_html(self) -> str:
        """Return the table as HTML."""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(f"<tr>{''.join(_cell_html(value, self.decimals) for value in row)}</tr>\n" for row in self.rows)
        note = f'<p class="note">{html.escape(self.note)}</p>' if self.note else ""
        empty = "" if self.rows else '<p class="note">Nothing to show.</p>'
        return (
            f'<section class="table" id="table-{html.escape(self.key)}"><h3>{html.escape(self.title)}</h3>{note}{empty}'
            f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div></section>'
        )


def shown(value: Value, decimals: int | None = None) -> str:
    """Return a value as people read it.

    Parameters
    ----------
    value : str, float, int or None
        What to show.
    decimals : int, optional
        Of a number that is not whole; otherwise its size decides.
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    places = _decimals(value) if decimals is None else decimals
    return f"{round(value, places) + 0.0:,.{places}f}"  # + 0.0: no minus before a zero


def _decimals(value: float) -> int:
    """Return how many decimals a number of this size has; what is next to nothing is a plain zero."""
    size = abs(value)
    if size >= 1000:
        return 0
    if size >= 10:
        return 1
    return 5 if 0.000005 <= size < 0.001 else 3


def _with_spread(mean: float, spread: float | None) -> str:
    """Return a number and its spread, with the same decimals."""
    places = max(_decimals(mean), 3) if abs(mean) < 10 else _decimals(mean)
    return shown(mean, places) + (f" ± {shown(spread, places)}" if spread is not None else "")


def _cell_html(value: Value, decimals: int | None) -> str:
    """Return a cell; the verdicts are marked by colour and in words."""
    kind = "text" if isinstance(value, str) else "number"
    mark = f" {value}" if value in (AHEAD, LEVEL, BEHIND) else ""
    return f'<td class="{kind}{mark}">{html.escape(shown(value, decimals))}</td>'


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
    undone = sum(cell.statuses.values()) - cell.folds
    return _with_spread(cell.mean[metric], cell.sd.get(metric)) + (
        f" ({undone} of {undone + cell.folds} folds not done)" if undone else ""
    )


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
        rows.append((f"mean of {len(common)}", *(shown(means[learner]) for learner in learners), *theirs))
    columns = ("data set", *learners, *(("TURS (paper)",) if paper else ()))
    return Table(key, title, columns, rows, note)


def problem_table(rows: Sequence[Row]) -> Table:
    """Return everything that was not done, with its reason.

    A peer that is missing is one line, and so is a data set that nobody could read. Folds of a learner that ended for
    one reason are one line too; reasons that differ in their numbers only count as one.
    """
    undone = [row for row in rows if row["status"] != "ok"]
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in sorted(undone, key=lambda row: _FIRST.get(row["status"], len(_FIRST))):
        found.setdefault(_problem(row), []).append(row)
    datasets, learners = ({row[name] for row in rows if row[name]} for name in ("dataset", "learner"))
    running = learners - {row["learner"] for row in undone if row["status"] == "missing"}
    lines = [
        (
            _all_or_names([row["learner"] for row in group], running, "learners"),
            group[0]["status"],
            len({(row.get("seed"), row["fold"], row["dataset"]) for row in group if row["fold"] is not None}) or None,
            _all_or_names([row["dataset"] for row in group], datasets - {SIMULATION}, "data sets"),
            _reasons(group),
        )
        for group in found.values()
    ]
    columns = ("learner", "status", "folds", "data sets", "reason")
    note = "A missing peer was not tried on any fold; folds of a data set that cannot be read count once."
    return Table("problems", "What was not done", columns, list(lines), note)


_FIRST = {"missing": 0, "unreadable": 1}
"""What comes first among the problems: it takes a whole peer, or a whole data set."""

_NOT_TRIED = "not tried:"


def _problem(row: Row) -> tuple[str, ...]:
    """Return what rows of one problem have in common."""
    status, reason = row["status"], row.get("reason") or ""
    if status == "unreadable":
        return status, row["dataset"], reason
    if status == "timeout":
        return status, row["learner"] or ""
    return status, row["learner"] or "", re.sub(r"\d+", "0", reason)


def _reasons(group: Sequence[Row]) -> str:
    """Return the reason of a problem, and how many more there are."""
    reasons = Counter(row.get("reason") or "" for row in group)
    told = [reason for reason in reasons if not reason.startswith(_NOT_TRIED)] or list(reasons)
    untried = sum(count for reason, count in reasons.items() if reason not in told)
    more = [f"{untried} of these folds were not tried after that"] if untried else []
    if len(told) > 1:
        more.insert(0, f"{len(told) - 1} more with other numbers")
    return told[0] + (f" ({'; '.join(more)})" if more else "")


def _all_or_names(names: Sequence[str], everything: Collection[str], what: str) -> str:
    """Return names, or that it is all of them."""
    once = [name or "all" for name in dict.fromkeys(names)]
    return f"all {len(once)} {what}" if len(once) > 1 and set(once) >= set(everything) else ", ".join(once)


def learner_table(rows: Sequence[Row]) -> Table:
    """Return the learners that took part, each with its version and how much of it was done."""
    lines: list[tuple[Value, ...]] = []
    for learner in dict.fromkeys(row["learner"] for row in rows if row["learner"] and row["status"] != "missing"):
        own = [row for row in rows if row["learner"] == learner and row["status"] != "missing"]
        versions = ", ".join(dict.fromkeys(row["version"] for row in own if row.get("version")))
        done = [row for row in own if row["status"] == "ok"]
        lines.append(
            (learner, versions or None, len({row["dataset"] for row in done}), len(done), len(own) - len(done))
        )
    columns = ("learner", "version", "data sets", "folds done", "folds not done")
    return Table("learners", "Learners that took part", columns, lines, "The simulation counts as a data set.")


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    """Return every verdict, those that are behind first."""
    names = ("data set", "learner", "against", "AUC", "theirs", "difference", "standard error", "folds", "verdict")
    note = (
        "Level: within one standard error of the paired fold differences; of our own folds against the paper. What is"
        " behind comes first."
    )
    order = (BEHIND, LEVEL, AHEAD)
    lines = [astuple(one) for one in sorted(verdicts, key=lambda verdict: order.index(verdict.verdict))]
    return Table("verdicts", "Behind, level or ahead", names, lines, note)


def count_table(verdicts: Sequence[Verdict]) -> Table:
    """Return how often each learner is ahead, level and behind."""
    rows: list[tuple[Value, ...]] = []
    for (learner, opponent), counts in verdict_counts(verdicts).items():
        own = [v for v in verdicts if (v.learner, v.opponent) == (learner, opponent)]
        difference, _ = mean_and_error([verdict.difference for verdict in own])
        behind = ", ".join(verdict.dataset for verdict in own if verdict.verdict == BEHIND) or "-"
        rows.append((learner, opponent, counts[AHEAD], counts[LEVEL], counts[BEHIND], difference, behind))
    columns = ("learner", "against", "ahead", "level", "behind", "mean difference in AUC", "behind on")
    return Table("counts", "How often TURS is ahead, level and behind", columns, rows)


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
    return Table("speed", "Speed against the peers of this run", columns, rows, "Mean CPU seconds of learning a fold.")


def overview_table(cells: Cells, rows: Sequence[Row]) -> Table:
    """Return the statements that the run was made for."""
    lines: list[tuple[Value, ...]] = []
    for learner in (DEFAULT, PAPER):
        own = [cell for cell in cells.values() if cell.learner == learner and cell.dataset != SIMULATION and cell.folds]
        if not own:
            continue
        for metric, name in (("auc", "mean AUC"), ("n_literals", "mean literals"), ("total_bits", "mean bits")):
            lines.append((learner, f"{name} over {len(own)} data sets", _mean(own, metric)))
        with_both = [cell for cell in own if "auc" in cell.mean and "random_pick_auc" in cell.mean]
        if with_both:
            worst = max(with_both, key=lambda cell: abs(cell.mean["auc"] - cell.mean["random_pick_auc"]))
            gap = abs(worst.mean["auc"] - worst.mean["random_pick_auc"])
            lines.append((learner, f"largest |AUC - random-pick AUC| ({worst.dataset})", gap))
        printed = [(cell.mean["n_literals"], paper_value("literals", cell.dataset)) for cell in own]
        known = [(ours, theirs) for ours, theirs in printed if theirs is not None]
        fewer = sum(ours <= theirs for ours, theirs in known)
        lines.append((learner, f"data sets of {len(known)} with at most the paper's literals", fewer))
    below, above = _bits_below(cells, rows)
    if below + above:
        lines.append((DEFAULT, "data sets with fewer bits than the paper's search", below))
        lines.append((DEFAULT, "data sets with more bits than the paper's search", above))
    return Table("overview", "In short", ("learner", "statement", "value"), lines)


def _mean(cells: Sequence[Cell], metric: str) -> float | None:
    """Return the mean over the cells that have a number."""
    values = [cell.mean[metric] for cell in cells if metric in cell.mean]
    return sum(values) / len(values) if values else None


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
            overlap = 100 * cell.mean["overlap_share"]
            rows.append((cell.dataset, cell.learner, union, picked, union - picked, overlap, *theirs))
    columns = ("data set", "learner", "AUC", "random pick", "difference", "overlap (%)")
    note = "Expected AUC of random picks in closed form; overlap on test rows."
    title = "Truly unordered: the AUC where each row takes one of its rules at random"
    return Table("random_pick", title, (*columns, "difference (paper)", "overlap (%, paper)"), rows, note)


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
    note = "Positive AUC and negative bits speak for the heuristic. Diverse patience is the paper's first ablation."
    return Table("ablations", "The heuristics, each turned off", columns, lines, note)


_SIMULATED = (("n_rules", "rules"), ("rule_length", "rule_length"), ("auc", "auc"), ("total_bits", "bits"), ("g", "g"))


def simulation_table(rows: Sequence[Row]) -> Table:
    """Return the paper's second ablation: one true rule, with and without the local test."""
    lines: list[tuple[Value, ...]] = []
    for learner in (NO_LOCAL_TEST, PAPER, DEFAULT):
        own = [r for r in rows if r["dataset"] == SIMULATION and r["learner"] == learner and r["status"] == "ok"]
        if own:
            with_length = [{**row, "rule_length": row["n_literals"] / max(row["n_rules"], 1)} for row in own]
            lines.append((learner, len(own), *(_mean_sd(with_length, metric) for metric, _ in _SIMULATED)))
    for method in ("without local test", "with local test"):
        printed = [
            f"{paper_value(f'simulation_{name}', SIMULATION, method):g} ± "
            f"{paper_value(f'simulation_{name}_sd', SIMULATION, method):g}"
            for _, name in _SIMULATED
        ]
        lines.append((f"{method} (paper)", 100, *printed))
    columns = ("search", "repetitions", "rules", "rule length", "AUC", "bits", "train/test difference")
    note = "Mean ± standard deviation; AUC and difference on as many fresh rows."
    return Table("simulation", "Simulated rows with one true rule: the local test", columns, lines, note)


def _mean_sd(rows: Sequence[Row], metric: str) -> str | None:
    """Return mean and standard deviation of a number as text."""
    values = [float(row[metric]) for row in rows if row.get(metric) is not None]
    if not values:
        return None
    mean, error = mean_and_error(values)
    return _with_spread(mean, None if error is None else error * len(values) ** 0.5)


def summary_table(cells: Cells, verdicts: Sequence[Verdict]) -> Table:
    """Return one line for each learner on each data set, with every mean and deviation: `summary.csv`."""
    against = {(v.dataset, v.learner): v.verdict for v in verdicts if v.opponent == "TURS (paper)"}
    rows: list[tuple[Value, ...]] = []
    for (dataset, learner), cell in cells.items():
        numbers = [part.get(metric) for metric in METRICS for part in (cell.mean, cell.sd)]
        statuses = " ".join(f"{status}:{count}" for status, count in cell.statuses.items())
        printed = [paper_value(name, dataset) for name in ("auc", "literals")]
        rows.append((dataset, learner, cell.folds, statuses, *numbers, *printed, against.get((dataset, learner))))
    columns = [f"{metric}_{part}" for metric in METRICS for part in ("mean", "sd")]
    head = ("dataset", "learner", "folds", "statuses", *columns, "paper_auc", "paper_literals", "against_paper")
    return Table("summary", "Means and standard deviations over folds", head, rows)


def variant_table(key: str, title: str, tried: Sequence[Tried]) -> Table:
    """Return the variants of the search that were measured."""
    lines: list[tuple[Value, ...]] = [
        (
            *(one.variant, one.what, one.datasets, one.seeds, one.folds, one.mean_bits, one.mean_auc),
            one.mean_literals,
            _difference(one.bits_difference, one.bits_error),
            _difference(one.auc_difference, one.auc_error),
            _difference(one.literals_difference, one.literals_error),
            *(one.cost, one.largest_gap, one.kept),
        )
        for one in tried
    ]
    means = ("mean bits", "mean AUC", "mean literals")
    differences = ("bits, difference (%)", "AUC, difference", "literals, difference (%)")
    columns = ("variant", "what", "data sets", "seeds", "folds", *means, *differences, "cost", "largest gap", "kept")
    note = (
        "Differences are variant less default, paired by data set, seed and fold; bits and literals in per cent of the"
        " default; ± standard error over data sets. Cost: CPU seconds over those of the default. Largest gap: of AUC"
        " and random-pick AUC on a data set."
    )
    return Table(key, title, columns, lines, note)


def _difference(value: float | None, error: float | None) -> str | None:
    """Return a difference and its standard error."""
    return None if value is None else _with_spread(value, error)
