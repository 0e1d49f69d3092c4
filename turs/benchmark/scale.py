"""Time and memory against the size of a table, measured one after the other, each in a process of its own.

Rows, features, classes and rules are varied one at a time around a base. Time follows size^e: the exponent e is the
slope of a least-squares line through the logarithms. One edit is the deletion of a rule with its full impact; edits of
all kinds are measured in `edits`.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from turs.benchmark.child import COMMAND, Child, run_tasks
from turs.benchmark.figures import Figure, colour, layout
from turs.benchmark.generate import generate
from turs.benchmark.journal import Row
from turs.benchmark.learners import DEFAULT, PAPER, Learner, settings_of, turs_learner
from turs.benchmark.measure import Started, Stopwatch, learn_with, warm_up
from turs.benchmark.table import Table, Value
from turs.data.dataset import DataSet, learning_data
from turs.learn.settings import Settings
from turs.rules.rule import RuleSet

ROWS = (10_000, 31_623, 100_000, 316_228, 1_000_000)
FEATURES = (10, 20, 40)
CLASSES = (2, 4, 8)
RULES = (3, 6, 12)
MEGABYTE = 2**20
TWO_THREADS = f"{PAPER}, two threads"


@dataclass(frozen=True)
class Size:
    """The size of a generated table."""

    rows: int
    features: int = FEATURES[1]
    classes: int = CLASSES[1]
    rules: int = RULES[1]


def planned_sizes(rows: Sequence[int]) -> list[tuple[str, Size]]:
    """Return what is varied and the sizes, each size once for each thing that is varied."""
    base = Size(rows[len(rows) // 2])
    sizes = [("rows", replace(base, rows=n)) for n in rows]
    for axis, values in (("features", FEATURES), ("classes", CLASSES), ("rules", RULES)):
        sizes += [(axis, replace(base, **{axis: value})) for value in values]
    return sizes


def run_scale(
    rows: Sequence[int],
    *,
    seed: int,
    limit: float,
    on_done: Callable[[Row, int, int], None] | None = None,
    command: Sequence[str] = COMMAND,
) -> list[Row]:
    """Measure every size and return the rows.

    Parameters
    ----------
    rows : sequence of int
        Numbers of rows; the other sizes are varied at the middle one.
    seed : int
        Of the generated tables.
    limit : float
        Seconds of one measurement.
    on_done : callable
        Told each row, how many are done, and how many there are.
    command : sequence of str
        What a child process runs.
    """
    learners = [turs_learner(PAPER, Settings(search="paper")), turs_learner(DEFAULT, Settings())]
    wanted = [(axis, size, learner) for axis, size in planned_sizes(rows) for learner in learners]
    base = Size(rows[len(rows) // 2])
    wanted.append(("threads", base, turs_learner(TWO_THREADS, Settings(search="paper", threads=2))))
    once = list(dict.fromkeys((size, learner.name) for _, size, learner in wanted))
    by_name = {learner.name: learner for _, _, learner in wanted}
    tasks = [_task(size, by_name[name], seed) for size, name in once]
    replies: dict[tuple[Size, str], Row] = {}

    def on_reply(number: int, reply: dict[str, Any]) -> None:
        size, name = once[number]
        replies[size, name] = {"learner": name, **asdict(size), "seed": seed, **reply}
        if on_done is not None:
            on_done(replies[size, name], len(replies), len(once))

    run_tasks(tasks, [Child(command)], limit, on_reply, fresh=True)
    return [{"varied": axis, **replies[size, learner.name]} for axis, size, learner in wanted]


def measure_size(task: dict[str, Any], started: Started) -> dict[str, Any]:
    """Learn from a generated table in this process and return time, memory and the time of an edit."""
    size = Size(**task["size"])
    options = settings_of(task["learner"]["options"])
    warm_up(options)
    frame = generate(size.rows, size.features, size.classes, size.rules, int(task["seed"])).frame
    forget_peak()
    before = resident_bytes()
    started()
    clock = Stopwatch()
    data = learning_data(frame, "class")
    binned = clock.read()["fit_s"]
    learned = learn_with(data, options)
    seconds = clock.read()
    peak = peak_bytes()
    return {
        **seconds,
        "binning_s": binned,
        "table_mb": size.rows * size.features * 8 / MEGABYTE,
        "before_mb": before / MEGABYTE,
        "peak_mb": peak / MEGABYTE,
        "learning_mb": (peak - before) / MEGABYTE,
        "total_bits": learned.total_bits,
        "n_rules": len(learned.rule_set.rules),
        "n_literals": learned.rule_set.n_literals,
        "edit_s": _edit_seconds(learned.rule_set, data, frame),
    }


def _edit_seconds(rule_set: RuleSet, data: DataSet, frame: pd.DataFrame) -> float | None:
    """Return the median time of one edit with its impact: the first rule goes. None where there is no rule."""
    if not rule_set.rules:
        return None
    # Only here: the measurement of learning would count what editing takes.
    from turs.benchmark.edits import look_at_impact, median_seconds
    from turs.editing import DeleteRule, Session, rows_of

    session = Session(rule_set, rows_of(data, frame))
    edit = DeleteRule(rule_set.rules[0].id)
    return median_seconds(lambda: look_at_impact(session.preview(edit)))


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """Return the slope of the least-squares line through the logarithms; None with fewer than two sizes."""
    if len(set(sizes)) < 2:
        return None
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def exponent_table(rows: Sequence[Row]) -> Table:
    """Return the fitted exponents of time, memory and edit time."""
    lines: list[tuple[Value, ...]] = []
    for axis in ("rows", "features", "classes", "rules"):
        for learner in (PAPER, DEFAULT):
            own = _measured(rows, axis, learner)
            fitted = []
            for metric in ("fit_s", "learning_mb", "edit_s", "n_rules"):
                pairs = [(row[axis], row[metric]) for row in own if row.get(metric) and row[metric] > 0]
                fitted.append(exponent([x for x, _ in pairs], [y for _, y in pairs]))
            lines.append((axis, learner, len(own), *fitted))
    names = ("time", "memory", "edit time", "rules found")
    columns = ("varied", "learner", "sizes", *(f"exponent of {name}" for name in names))
    note = (
        "The tables are made so that more rows do not ask for more rules. Where more rows reveal more rules, time grows"
        " faster: read the exponent of time beside that of the rules found. Small tables are mostly overhead."
    )
    return Table("exponents", "Fitted exponents: time grows like size^e", columns, lines, note)


def thread_table(rows: Sequence[Row]) -> Table:
    """Return the speed-up of two threads."""
    two = [row for row in rows if row["learner"] == TWO_THREADS and row["status"] == "ok"]
    lines: list[tuple[Value, ...]] = []
    for row in two:
        one = [other for other in _measured(rows, "rows", PAPER) if other["rows"] == row["rows"]]
        if one:
            same = "yes" if one[0]["total_bits"] == row["total_bits"] else "no"
            lines.append((row["rows"], one[0]["fit_s"], row["fit_s"], one[0]["fit_s"] / row["fit_s"], same))
    columns = ("rows", "one thread (s)", "two threads (s)", "speed-up", "same bits")
    return Table("threads", "Two threads", columns, lines, decimals=3)


_COLUMNS = {
    "varied": "varied",
    "learner": "learner",
    "rows": "rows",
    "features": "features",
    "classes": "classes",
    "rules": "true rules",
    "status": "status",
    "fit_s": "seconds",
    "fit_cpu_s": "CPU seconds",
    "binning_s": "of that binning (s)",
    "table_mb": "table (MB)",
    "before_mb": "before (MB)",
    "peak_mb": "peak (MB)",
    "learning_mb": "learning (MB)",
    "n_rules": "rules found",
    "n_literals": "literals",
    "total_bits": "bits",
    "edit_s": "one edit (s)",
    "reason": "reason",
}
_PLACES = {"table (MB)": 1, "before (MB)": 1, "peak (MB)": 1, "learning (MB)": 1, "bits": 1}
"""Decimals of columns whose numbers are of one size; seconds are not."""


def scale_table(rows: Sequence[Row]) -> Table:
    """Return every measurement."""
    lines: list[tuple[Value, ...]] = [tuple(row.get(name) for name in _COLUMNS) for row in rows]
    note = "Memory of learning is the peak less what the process held before, the table included."
    return Table("scale", "Measurements", tuple(_COLUMNS.values()), lines, note, decimals=_PLACES)


def scale_figures(rows: Sequence[Row]) -> list[Figure]:
    """Return time, memory and edit time against rows, on log axes."""
    shown = (("fit_s", "Time of learning", "seconds"), ("learning_mb", "Memory of learning", "MB"))
    figures = []
    for metric, title, unit in (*shown, ("edit_s", "Time of one edit", "seconds")):
        traces: list[dict[str, Any]] = []
        lines: list[tuple[Value, ...]] = []
        for number, learner in enumerate((PAPER, DEFAULT)):
            own = [row for row in _measured(rows, "rows", learner) if row.get(metric) and row[metric] > 0]
            x, y = [row["rows"] for row in own], [row[metric] for row in own]
            line = {"color": colour(number)}
            traces.append({"type": "scatter", "mode": "lines+markers", "name": learner, "x": x, "y": y, "line": line})
            lines += [(learner, *pair) for pair in zip(x, y, strict=True)]
        spec = {"data": traces, "layout": layout("rows", unit, xaxis_type="log", yaxis_type="log")}
        table = Table(metric, f"{title} against rows", ("learner", "rows", unit), lines)
        figures.append(Figure(metric, table.title, spec, table))
    return figures


def _measured(rows: Sequence[Row], axis: str, learner: str) -> list[Row]:
    """Return the finished measurements of one learner along one axis."""
    return [row for row in rows if (row["varied"], row["learner"], row["status"]) == (axis, learner, "ok")]


def _task(size: Size, learner: Learner, seed: int) -> dict[str, Any]:
    """Return the task of one measurement."""
    return {"kind": "scale", "size": asdict(size), "learner": asdict(learner), "seed": seed}


_STATUS = Path("/proc/self/status")


def _status_bytes(name: str) -> int | None:
    """Return a size of this process from the operating system, None where it does not tell."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), None)


def forget_peak() -> None:
    """Let the peak begin here, where the system can do that (Linux); otherwise it is that of the whole process."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def peak_bytes() -> int:
    """Return the most memory that this process held.

    From `VmHWM` where there is one: the `ru_maxrss` of a Linux process begins at the size of the process that started
    it.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    return _status_bytes("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def resident_bytes() -> int:
    """Return the memory that this process holds."""
    return _status_bytes("VmRSS") or peak_bytes()
