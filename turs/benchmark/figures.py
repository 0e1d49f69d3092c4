"""The paper's figures redrawn, as plain Plotly specifications with the numbers that they show.

A specification is JSON values: drawing it needs plotly.js in the report, and no library here. Colours are those of
Okabe and Ito, which colour-blind readers can tell apart.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from turs.benchmark.experiment import SIMULATION
from turs.benchmark.journal import Row
from turs.benchmark.learners import DEFAULT, NO_LOCAL_TEST, NO_PATIENCE, PAPER
from turs.benchmark.paper import paper_methods, paper_value
from turs.benchmark.summary import Cells, mean_and_error, paired_values, paper_name
from turs.benchmark.table import Table, Value

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
_GREY = "#444444"
_DASHES = ("solid", "dash", "dot")
_MUCH_WORSE = 0.1
"""The paper leaves out models whose AUC is lower than that of TURS by more than this where it compares literals."""

Numbers = dict[str, dict[str, float]]
"""Learner, data set, number."""


@dataclass(frozen=True)
class Figure:
    """A figure and its numbers.

    Parameters
    ----------
    key : str
        Its place in the report.
    title : str
        What it shows.
    spec : dict
        `data` and `layout` of Plotly.
    table : Table
        The numbers that it shows.
    note : str
        How it is to be read.
    """

    key: str
    title: str
    spec: dict[str, Any]
    table: Table
    note: str = ""


def layout(x: str, y: str, **options: Any) -> dict[str, Any]:
    """Return a layout with axis titles; `options` go to the layout, or to an axis by `xaxis_...` and `yaxis_...`."""
    axes: dict[str, dict[str, Any]] = {
        "xaxis": {"title": {"text": x, "standoff": 12}, "automargin": True, "zeroline": False},
        "yaxis": {"title": {"text": y, "standoff": 12}, "automargin": True, "zeroline": False},
    }
    rest = {}
    for name, value in options.items():
        axis, _, part = name.partition("_")
        if axis in axes:
            axes[axis][part] = value
        else:
            rest[name] = value
    return {"template": None, "height": 460, "margin": {"t": 30}, "hovermode": "closest", **axes, **rest}


def colour(number: int) -> str:
    """Return the colour of the learner of that number."""
    return COLOURS[number % len(COLOURS)]


def dash(number: int) -> str:
    """Return the line style of the learner of that number: a second sign beside the colour."""
    return _DASHES[number // len(COLOURS) % len(_DASHES)]


def learner_numbers(cells: Cells, metric: str, leave_out: Collection[str] = ()) -> Numbers:
    """Return a number of every learner on every data set of the run."""
    found: Numbers = {learner: {} for _, learner in cells if learner not in leave_out}
    for (dataset, learner), cell in cells.items():
        if metric in cell.mean and dataset != SIMULATION and learner in found:
            found[learner][dataset] = cell.mean[metric]
    return {learner: values for learner, values in found.items() if values}


def paper_numbers(table: str, datasets: Sequence[str]) -> Numbers:
    """Return a table of the paper on the data sets of the run."""
    found: Numbers = {}
    for method in paper_methods(table):
        values = {dataset: paper_value(table, dataset, method) for dataset in datasets}
        found[paper_name(method)] = {dataset: value for dataset, value in values.items() if value is not None}
    return {name: values for name, values in found.items() if values}


def gap_to_best(key: str, title: str, numbers: Numbers) -> Figure:
    """Draw how far each learner's AUC is below the best one, data set by data set."""
    best: dict[str, float] = {}
    for values in numbers.values():
        for dataset, value in values.items():
            best[dataset] = max(value, best.get(dataset, value))
    gaps = {name: {d: value - best[d] for d, value in values.items()} for name, values in numbers.items()}
    traces = [
        {
            "type": "box",
            "name": name,
            "y": list(values.values()),
            "text": list(values),
            "boxpoints": "all",
            "jitter": 0.4,
            "pointpos": 0,
            "marker": {"color": colour(number), "size": 5},
        }
        for number, (name, values) in enumerate(gaps.items())
    ]
    spec = {"data": traces, "layout": layout("", "AUC less the best AUC of the data set", showlegend=False)}
    return Figure(key, title, spec, _wide(key, title, gaps, 4))


def ecdf(key: str, title: str, numbers: Numbers, axis: str, note: str = "") -> Figure:
    """Draw empirical distribution functions over data sets, one a learner; its name tells how many data sets."""
    top = max((value for values in numbers.values() for value in values.values()), default=1.0)
    edge = 1.02 * (top or 1.0)
    traces = []
    for number, (name, values) in enumerate(numbers.items()):
        ordered = sorted(values.items(), key=lambda pair: pair[1])
        # The first value is there twice, because the line rises from 0; the last one goes on to the right edge.
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": f"{name} ({len(ordered)})",
                "x": [*(value for _, value in [*ordered[:1], *ordered]), *([edge] if ordered else [])],
                "y": [*(rank / len(ordered) for rank in range(len(ordered) + 1)), 1.0] if ordered else [],
                "text": [dataset for dataset, _ in [*ordered[:1], *ordered, *ordered[-1:]]],
                "line": {
                    "shape": "hv",
                    "color": colour(number),
                    "dash": dash(number),
                    "width": 3 if name == DEFAULT else 1.5,
                },
            }
        )
    ranges = {"xaxis_range": [0, edge], "yaxis_range": [-0.01, 1.02]}  # edges do not cover the lines
    spec = {"data": traces, "layout": layout(axis, "share of the data sets", **ranges)}
    counted = "In brackets: the number of data sets of each line."
    return Figure(key, title, spec, _wide(key, title, numbers, 4), f"{counted} {note}".strip())


LITERALS_NOTE = (
    "A data set counts for a learner where its model has literals and its AUC is not lower than that of TURS by more"
    " than 0.1, as in the paper: the lines stand on different data sets. Learners that have no literals are not drawn."
    " Lines further to the right are smaller models."
)


def comparative_literals(literals: Numbers, aucs: Numbers, ours: str) -> Numbers:
    """Return the paper's score of model size: fewest literals of all learners / literals, 1 for the smallest model.

    Models whose AUC is lower than that of `ours` by more than 0.1 are left out, as in the paper.
    """
    kept: Numbers = {}
    for name, values in literals.items():
        for dataset, value in values.items():
            own, other = aucs.get(ours, {}).get(dataset), aucs.get(name, {}).get(dataset)
            if own is None or other is None or other >= own - _MUCH_WORSE:
                kept.setdefault(name, {})[dataset] = value
    fewest: dict[str, float] = {}
    for values in kept.values():
        for dataset, value in values.items():
            if value > 0:
                fewest[dataset] = min(value, fewest.get(dataset, value))
    return {
        name: {dataset: fewest[dataset] / value for dataset, value in values.items() if value > 0}
        for name, values in kept.items()
    }


def patience_figure(cells: Cells, rows: Sequence[Row]) -> Figure:
    """Draw the paper's first ablation: what diverse patience adds to the AUC."""
    found = []
    for dataset in dict.fromkeys(name for name, _ in cells if name != SIMULATION):
        pairs = paired_values(rows, dataset, PAPER, NO_PATIENCE, "auc")
        if pairs:
            found.append((dataset, *mean_and_error([ours - theirs for ours, theirs in pairs]), len(pairs)))
    found.sort(key=lambda line: line[1])
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [line[0] for line in found],
        "y": [line[1] for line in found],
        "error_y": {"type": "data", "array": [line[2] or 0.0 for line in found], "color": _GREY},
        "marker": {"color": [_sign_colour(line[1]) for line in found], "size": 9},
    }
    title = "First ablation: AUC with diverse patience less without (± standard error)"
    zero = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0, "line": {"dash": "dot"}}
    spec = {"data": [trace], "layout": layout("data set", "difference in AUC", shapes=[zero])}
    better, level = sum(line[1] > 0 for line in found), sum(line[1] == 0 for line in found)
    note = f"Better with it on {better} of {len(found)} data sets (paper: 25 of 31); the same, in grey, on {level}."
    columns = ("data set", "difference in AUC", "standard error", "folds")
    table = Table("patience", title, columns, [tuple(line) for line in found], decimals=4)
    return Figure("patience", title, spec, table, note)


def _sign_colour(difference: float) -> str:
    """Return the colour of a difference: no difference is neither better nor worse."""
    return _GREY if difference == 0 else COLOURS[0] if difference > 0 else COLOURS[1]


def path_figure(key: str, title: str, rows: Sequence[Row], *, relative: bool) -> Figure:
    """Draw the bits against the coverage while rules are added.

    Parameters
    ----------
    key, title : str
        Of the figure.
    rows : sequence of dict
        Each becomes a line.
    relative : bool
        Whether bits are a share of those without rules, so that data sets fit into one figure.
    """
    traces: list[dict[str, Any]] = []
    lines: list[tuple[Value, ...]] = []
    for number, row in enumerate(rows):
        path = row["path"]
        scale = path[0][1] if relative else 1.0
        name = f"{row['dataset']}, {row['learner']}"
        x = [100 * covered / row["rows"] for covered, _, _ in path]
        y = [bits / scale for _, bits, _ in path]
        lines += [(name, step, covered, bits, action) for step, (covered, bits, action) in enumerate(path)]
        style = {"color": colour(number), "dash": dash(number)}
        traces.append({"type": "scatter", "mode": "lines+markers", "name": name, "x": x, "y": y, "line": style})
    unit = "bits, as a share of the bits without rules" if relative else "total bits"
    spec = {"data": traces, "layout": layout("rows covered (%)", unit)}
    table = Table(key, title, ("path", "step", "rows covered", "total bits", "what happened"), lines, decimals=1)
    note = (
        "Steps of the polish and of the second look are part of a path: they replace and remove rules, so that it may"
        " cover fewer rows again."
    )
    return Figure(key, title, spec, table, note if any(line[-1] not in ("start", "added") for line in lines) else "")


def time_figure(cells: Cells) -> Figure:
    """Draw the run times on a log axis, data sets by the time of the first learner."""
    numbers = learner_numbers(cells, "fit_cpu_s")
    order = sorted({d for values in numbers.values() for d in values}, key=lambda d: _first(numbers, d))
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": [dataset for dataset in order if dataset in values],
            "y": [max(values[dataset], 1e-4) for dataset in order if dataset in values],
            "line": {"color": colour(number), "dash": dash(number)},
        }
        for number, (name, values) in enumerate(numbers.items())
    ]
    category = {"xaxis_categoryorder": "array", "xaxis_categoryarray": order}
    spec = {"data": traces, "layout": layout("data set", "CPU seconds of learning", yaxis_type="log", **category)}
    title = "Run time of one fold (mean CPU seconds)"
    return Figure("run_time", title, spec, _wide("run_time", title, numbers, 3))


def paths_of(rows: Sequence[Row], most: int = 6) -> list[Row]:
    """Return the first fold of the data sets with the longest paths, by TURS with its default search."""
    own = [row for row in rows if row.get("path") and row["dataset"] != SIMULATION and row["fold"] == 0]
    first = [row for row in own if row["learner"] == DEFAULT] or [row for row in own if row["learner"] == PAPER]
    return sorted(first, key=lambda row: -len(row["path"]))[:most]


def simulation_paths(rows: Sequence[Row]) -> list[Row]:
    """Return the first repetition of the simulation, with and without the local test."""
    names = (PAPER, NO_LOCAL_TEST)
    own = [row for row in rows if row["dataset"] == SIMULATION and row["fold"] == 0 and row.get("path")]
    return [row for row in own if row["learner"] in names]


def _first(numbers: Numbers, dataset: str) -> float:
    """Return the number of the first learner that has one."""
    return next(values[dataset] for values in numbers.values() if dataset in values)


def _wide(key: str, title: str, numbers: Numbers, decimals: int) -> Table:
    """Return a table with a line for each data set and a column for each learner."""
    datasets = dict.fromkeys(dataset for values in numbers.values() for dataset in values)
    rows: list[tuple[Value, ...]] = [
        (dataset, *(values.get(dataset) for values in numbers.values())) for dataset in datasets
    ]
    return Table(key, title, ("data set", *numbers), rows, decimals=decimals)
