"""The time of the default search, and of two threads, beside that of the paper's search on one thread.

Every way learns from the whole data set in turn, several times over, in one process; the shortest time of each counts,
because whatever else a machine does only adds to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from turs.benchmark.child import COMMAND, Child, run_tasks
from turs.benchmark.datasets import Encoded, Source, training_data
from turs.benchmark.journal import Row
from turs.benchmark.measure import Started, Stopwatch, warm_up
from turs.benchmark.table import Table, Value
from turs.learn.learner import learn
from turs.learn.settings import SEARCHES, Settings

PAPER, TWO_THREADS, DEFAULT = "paper_s", "two_threads_s", "default_s"
WAYS = {PAPER: Settings(search="paper"), TWO_THREADS: Settings(search="paper", threads=2), DEFAULT: Settings()}
"""What is measured, under the name of its seconds."""
NAMES = {PAPER: "paper", TWO_THREADS: "two threads", DEFAULT: "default"}


def run_ratios(
    sources: Sequence[Source],
    repeats: int,
    *,
    limit: float,
    on_done: Callable[[Row], None] | None = None,
    command: Sequence[str] = COMMAND,
) -> list[Row]:
    """Measure one data set after the other and return their rows.

    Parameters
    ----------
    sources : sequence of Source
        The data sets.
    repeats : int
        How often every way learns.
    limit : float
        Seconds of one data set.
    on_done : callable
        Told each row.
    command : sequence of str
        What the child process runs.
    """
    rows: dict[int, Row] = {}

    def on_reply(number: int, reply: dict[str, Any]) -> None:
        rows[number] = {"dataset": sources[number].name, **reply}
        if on_done is not None:
            on_done(rows[number])

    tasks = [{"kind": "ratios", "path": str(source.path.resolve()), "repeats": repeats} for source in sources]
    run_tasks(tasks, [Child(command)], limit, on_reply)
    return [rows[number] for number in range(len(tasks))]


def measure_ratios(table: Encoded, repeats: int, started: Started) -> dict[str, Any]:
    """Learn in turn and return the shortest seconds of every way, and whether two threads change the bits."""
    data = training_data(table, np.arange(len(table.labels)))
    for settings in WAYS.values():
        warm_up((settings, SEARCHES[settings.search]))
    started()
    seconds, bits = dict.fromkeys(WAYS, math.inf), dict.fromkeys(WAYS, math.nan)
    for _ in range(repeats):
        for name, settings in WAYS.items():
            clock = Stopwatch()
            bits[name] = learn(data, settings).total_bits
            seconds[name] = min(seconds[name], clock.read()["fit_s"])
    return {"rows": data.n_rows, **seconds, "same_bits": bits[PAPER] == bits[TWO_THREADS]}


def ratio_table(rows: Sequence[Row]) -> Table:
    """Return the seconds and their ratios, and in the last line those of all data sets together."""
    done = [row for row in rows if row["status"] == "ok"]
    lines = [_line(row) if row["status"] == "ok" else (row["dataset"], *[None] * 7, row["reason"]) for row in rows]
    if len(done) > 1:
        together = {name: sum(row[name] for row in done) for name in ("rows", *WAYS)}
        lines.append(_line({"dataset": "together", **together, "same_bits": all(row["same_bits"] for row in done)}))
    seconds = {name: f"{text} (s)" for name, text in NAMES.items()}
    columns = (
        "data set",
        "rows",
        seconds[PAPER],
        seconds[TWO_THREADS],
        "speed-up",
        "same bits",
        seconds[DEFAULT],
        "default / paper",
        "reason",
    )
    note = "Wall seconds, the shortest of several times; kernels were loaded before."
    decimals = {name: 4 if name in seconds.values() else 2 for name in columns}
    return Table("ratios", "The default, and two threads, beside the paper's search", columns, lines, note, decimals)


def _line(row: Row) -> tuple[Value, ...]:
    """Return a line of the table."""
    paper, two, default = (row[name] for name in WAYS)
    same = "yes" if row["same_bits"] else "no"
    return (row["dataset"], row["rows"], paper, two, paper / two, same, default, default / paper, None)
