"""The time of one edit with all its consequences, against evaluating the edited rule set from scratch.

The table is generated and has thirty true rules, of which those of one class overlap; the rules are the true ones, so
nothing has to be learned. A quarter as many rows are for validation. Every kind of edit is previewed several times, on
one session, never twice the same, and with its full impact but for bootstrap and row listings. Times are medians of the
CPU time of the only thread that works: time on the wall would count what others do on the machine. In turn with the
edit the numbers after it that its impact holds are computed without the state before it, in two ways:

- *From scratch* is what somebody without a session calls: `evaluate` with the edited rule set and tables that are in
  bins already. A cut that a person typed is in no table's bins, so there the columns with such cuts are put into bins
  first, from their numbers; the time for that counts, reading the numbers does not, on either side.
- *Opened anew* is a session that begins with the edited rule set. It walks over the same rows with the kernels of
  editing, which are faster than those of `evaluate`: what an edit saves by knowing the state before, and no more.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from turs.benchmark.child import COMMAND, Child, run_tasks
from turs.benchmark.every_edit import every_edit, with_levels
from turs.benchmark.generate import TrueRule, generate
from turs.benchmark.journal import Row
from turs.benchmark.measure import Started
from turs.benchmark.table import Table, Value
from turs.data.binning import bin_numeric
from turs.data.dataset import DataSet, labelled_data, learning_data
from turs.editing import Edit, Impact, Session, State, cut_literals, fine_cuts, repairs, rows_of, scan, state_of
from turs.evaluate.evaluation import Evaluation, evaluate
from turs.evaluate.overlaps import distances
from turs.rules.literal import Interval
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Feature

N_FEATURES, N_RULES = 20, 30
CLASSES = (4, 8)
"""Numbers of classes: the more there are, the fewer of the rules are of one class and overlap."""
_TIMES = 9
_FINE = 100


def run_edits(rows: Sequence[int], *, seed: int, limit: float, command: Sequence[str] = COMMAND) -> list[Row]:
    """Measure edits on tables of these numbers of rows, each in a process of its own, and return the rows.

    Parameters
    ----------
    rows : sequence of int
        Numbers of training rows.
    seed : int
        Of the generated tables.
    limit : float
        Seconds of one measurement.
    command : sequence of str
        What a child process runs.
    """
    found: list[Row] = []

    def on_reply(number: int, reply: dict[str, Any]) -> None:
        found.append({**sizes[number], "seed": seed, **reply})

    sizes = [{"rows": n, "classes": n_classes} for n in rows for n_classes in CLASSES]
    tasks = [{"kind": "edits", **size, "seed": seed} for size in sizes]
    run_tasks(tasks, [Child(command)], limit, on_reply, fresh=True)
    return found


def measure_edits(task: dict[str, Any], started: Started) -> dict[str, Any]:
    """Time every kind of edit on one table, in turn with an evaluation from scratch."""
    session, _, _ = thirty_rules(int(task["rows"]), int(task["classes"]), int(task["seed"]))
    with_levels(session)
    started()
    return {
        "edits": [_timed(session, name, edit) for name, edit in every_edit(session)],
        "others": [{"what": name, "seconds": median_seconds(doing)} for name, doing in _others(session)],
        "patterns": len(session.state.training.patterns.members),
        "overlap_share": session.state.evaluation.headline.training.overlap_share,
    }


def thirty_rules(n_rows: int, n_classes: int, seed: int) -> tuple[Session, DataSet, DataSet]:
    """Return a session on a generated table with its true rules, and its training and validation rows."""
    table = generate(n_rows, N_FEATURES, n_classes, N_RULES, seed)
    aside = generate(max(n_rows // 4, 100), N_FEATURES, n_classes, N_RULES, seed).frame
    for frame in (table.frame, aside):  # the last feature is noise: no rule misses its numbers
        frame[f"x{N_FEATURES}"] = [f"level {round(20 * value)}" for value in frame[f"x{N_FEATURES}"]]
    data = learning_data(table.frame, "class")
    validation = labelled_data(aside, data.schema)
    rules = tuple(Rule(f"r{k + 1}", _literals(rule, data)) for k, rule in enumerate(table.rules))
    session = Session(RuleSet(data.schema, rules), rows_of(data, table.frame), rows_of(validation, aside))
    look_at(session.state.evaluation)
    return session, data, validation


def look_at_impact(impact: Impact) -> None:
    """Compute every number of an impact but the bootstrap interval and the rows themselves."""
    _ = impact.bits_change, impact.headline_after, impact.rules
    for side in (impact.training, impact.validation):
        if side is not None:
            _ = side.log_loss, side.n_pattern_changed, side.n_probability_changed, side.n_class_changed
            _ = side.overlaps, side.otherwise


def look_at(evaluation: Evaluation) -> None:
    """Compute the numbers of a rule set that an impact compares, and no others."""
    _ = evaluation.score, evaluation.headline
    for forecast in (evaluation.training, evaluation.evaluation):
        if forecast is not None:
            _ = forecast.log_loss, forecast.overlaps, distances(forecast.rule_probabilities)


def median_seconds(doing: Callable[[], object]) -> float:
    """Return the median time of doing something, after it was done once."""
    times = []
    for _ in range(_TIMES + 1):
        began = time.thread_time()
        doing()
        times.append(time.thread_time() - began)
    return statistics.median(times[1:])


def edit_table(rows: Sequence[Row]) -> Table:
    """Return the measured times in milliseconds, a line for each kind of edit."""
    lines: list[tuple[Value, ...]] = []
    for row in rows:
        table = (row["rows"], row["classes"], row.get("patterns"), row.get("overlap_share"))
        for edit in row.get("edits", ()):
            took, *others = (1000.0 * edit[name] for name in ("seconds", "scratch_seconds", "opened_seconds"))
            lines.append((*table, edit["what"], took, *(part for ms in others for part in (ms, ms / took))))
        nothing = (None,) * 4
        lines.extend((*table, other["what"], 1000.0 * other["seconds"], *nothing) for other in row.get("others", ()))
        if "edits" not in row:
            lines.append((*table, str(row.get("status")), None, *nothing))
    columns = (
        "rows",
        "classes",
        "patterns",
        "overlap share",
        "edit",
        "edit ms",
        "from scratch ms",
        "from scratch / edit",
        "opened anew ms",
        "opened anew / edit",
    )
    note = (
        f"{N_RULES} rules, {N_FEATURES} features, a quarter as many validation rows. An edit is timed with its full"
        " impact on both, without bootstrap and row listings; times are CPU times. From scratch is `evaluate` of the"
        " edited rule set on tables in bins; where a cut was typed, the columns with typed cuts go into bins first."
        " Opened anew is a session that begins with the edited rule set, with the faster kernels of editing; the"
        " numbers are the same."
    )
    return Table("edits", "One edit", columns, lines, note, decimals={"overlap share": 3})


def _timed(session: Session, name: str, edit: Callable[[int], Edit]) -> dict[str, Any]:
    """Return the median times of an edit with its impact, and of the edited rule set without the state before."""
    edits, scratches, opened = [], [], []
    for n in range(_TIMES + 1):
        made = edit(n)
        began = time.thread_time()
        impact = session.preview(made)
        look_at_impact(impact)
        edits.append(time.thread_time() - began)
        scratches.append(from_scratch(impact.after)[1])
        opened.append(opened_anew(impact.after)[1])
    return {
        "what": name,
        "seconds": statistics.median(edits[1:]),
        "scratch_seconds": statistics.median(scratches[1:]),
        "opened_seconds": statistics.median(opened[1:]),
    }


def from_scratch(state: State) -> tuple[Evaluation, float]:
    """Return the evaluation of a rule set from tables in the bins of the grid, and the seconds that it took."""
    rule_set, took = state.rule_set, 0.0
    tables = []
    for part in (state.training, state.validation):
        assert part is not None  # both are there
        data, schema = part.rows.data, rule_set.schema
        recut = [f for f, feature in enumerate(schema.features) if feature.cuts != data.schema.features[f].cuts]
        bins = data.bins.copy() if recut else data.bins
        numbers = [part.rows.numbers(data.schema.features[f]) for f in recut]
        began = time.thread_time()
        for f, values in zip(recut, numbers, strict=True):
            bins[f] = bin_numeric(values, schema.features[f].cuts, schema.features[f].missing_bin)
        took += time.thread_time() - began
        tables.append(replace(data, schema=schema, bins=bins))
    began = time.thread_time()
    evaluation = evaluate(rule_set, *tables)
    look_at(evaluation)
    return evaluation, took + time.thread_time() - began


def opened_anew(state: State) -> tuple[Evaluation, float]:
    """Return the evaluation of a rule set in a session that begins with it, and the seconds that it took."""
    assert state.validation is not None  # both are there
    began = time.thread_time()
    evaluation = state_of(state.version, state.training.rows, state.validation.rows).evaluation
    look_at(evaluation)
    return evaluation, time.thread_time() - began


def _others(session: Session) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what else is timed: what the workbench shows beside an edit."""
    feature = session.state.rule_set.schema.feature(session.version.rules[3].literals[1].feature)
    grid = cut_literals(session.state, "r4", feature.name, "high", feature.cuts)
    fine = cut_literals(session.state, "r4", feature.name, "high", fine_cuts(session.state, feature.name, _FINE))
    yield f"(scan {len(grid)} cuts)", lambda: scan(session.state, "r4", grid)
    yield f"(scan {_FINE} cuts)", lambda: scan(session.state, "r4", fine)
    yield "(logic checks)", session.findings
    yield "(repairs of two rules)", lambda: repairs(session.state, "r4", "r8")


def _literals(rule: TrueRule, data: DataSet) -> tuple[Interval, ...]:
    """Return the literals of a true rule, its cuts as candidate cuts."""
    literals = []
    for number, low, high in rule.intervals:
        feature = data.schema.features[number]
        literals.append(Interval(feature.name, _same_cut(feature, low), _same_cut(feature, high)))
    return tuple(literal for literal in literals if literal.low is not None or literal.high is not None)


def _same_cut(feature: Feature, cut: float) -> float | None:
    """Return the candidate cut that divides the values as `cut`, one of the values, does; None where that is none."""
    below = [candidate for candidate in feature.cuts if candidate <= cut]
    apart = min((high - low for low, high in pairwise(feature.cuts)), default=1.0)
    return below[-1] if below and cut - below[-1] < apart else None
