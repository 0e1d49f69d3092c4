"""The time of one edit with all its consequences, against evaluating the edited rule set from scratch.

The table is generated and has thirty true rules, of which those of one class overlap; the rules are the true ones, so
nothing has to be learned. A quarter as many rows are for validation. Times are medians in one process.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from turs.benchmark.child import COMMAND, Child, run_tasks
from turs.benchmark.generate import TrueRule, generate
from turs.benchmark.journal import Row
from turs.benchmark.measure import Started
from turs.benchmark.tables import Table, Value
from turs.data.dataset import DataSet, labelled_data, learning_data
from turs.editing import (
    AddLiteral,
    AddRule,
    DeleteRule,
    Edit,
    Impact,
    MoveCut,
    RemoveLiteral,
    Session,
    cut_literals,
    fine_cuts,
    repairs,
    rows_of,
    scan,
)
from turs.evaluate.evaluation import Evaluation, evaluate
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
    """Time every kind of edit on one table; seconds are named after what was timed."""
    session, data, validation = thirty_rules(int(task["rows"]), int(task["classes"]), int(task["seed"]))
    started()
    took = {f"{name}_s": median_seconds(doing) for name, doing in _doings(session)}
    after = session.preview(next(_edits(session))[1]).after.rule_set
    took["scratch_s"] = median_seconds(lambda: look_at(evaluate(after, data, validation)))
    state = session.state
    return {
        **took,
        "ratio": took["scratch_s"] / took["move_s"],
        "patterns": len(state.training.patterns.members),
        "overlap_share": state.evaluation.headline.training.overlap_share,
    }


def thirty_rules(n_rows: int, n_classes: int, seed: int) -> tuple[Session, DataSet, DataSet]:
    """Return a session on a generated table with its true rules, and its training and validation rows."""
    table = generate(n_rows, N_FEATURES, n_classes, N_RULES, seed)
    aside = generate(max(n_rows // 4, 100), N_FEATURES, n_classes, N_RULES, seed).frame
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
    """Compute the numbers of a rule set that an impact compares."""
    _ = evaluation.score, evaluation.headline, evaluation.overlaps
    _ = evaluation.metrics_training.log_loss, evaluation.metrics_evaluation


def median_seconds(doing: Callable[[], object]) -> float:
    """Return the median time of doing something, after it was done once."""
    times = []
    for _ in range(_TIMES + 1):
        began = time.perf_counter()
        doing()
        times.append(time.perf_counter() - began)
    return statistics.median(times[1:])


def edit_table(rows: Sequence[Row]) -> Table:
    """Return the measured times in milliseconds."""
    names = {
        "rows": "rows",
        "classes": "classes",
        "patterns": "patterns",
        "overlap_share": "overlap share",
        "move_s": "move a cut",
        "type_s": "type a cut",
        "extend_s": "add a literal",
        "shorten_s": "remove a literal",
        "add_s": "add a rule",
        "delete_s": "delete a rule",
        "scratch_s": "from scratch",
        "ratio": "from scratch / move",
        "scan_s": "scan 20 cuts",
        "fine_s": f"scan {_FINE} cuts",
        "findings_s": "logic checks",
        "repairs_s": "repairs of two rules",
    }
    lines: list[tuple[Value, ...]] = [
        tuple(row.get(name) if not name.endswith("_s") else _milliseconds(row.get(name)) for name in names)
        for row in rows
    ]
    note = (
        f"Milliseconds; {N_RULES} rules, {N_FEATURES} features, a quarter as many validation rows."
        " An edit is timed with its full impact on both, without bootstrap and row listings."
    )
    return Table("edits", "One edit", tuple(names.values()), lines, note)


def _milliseconds(seconds: Any) -> float | None:
    """Return seconds as milliseconds."""
    return None if seconds is None else 1000.0 * float(seconds)


def _doings(session: Session) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what is timed."""
    for name, edit in _edits(session):
        yield name, partial(_try, session, edit)
    literal = session.version.rules[3].literals[1]
    feature = session.state.rule_set.schema.feature(literal.feature)
    grid = cut_literals(session.state, "r4", feature.name, "high", feature.cuts)
    fine = cut_literals(session.state, "r4", feature.name, "high", fine_cuts(session.state, feature.name, _FINE))
    yield "scan", lambda: scan(session.state, "r4", grid)
    yield "fine", lambda: scan(session.state, "r4", fine)
    yield "findings", session.findings
    yield "repairs", lambda: repairs(session.state, "r4", "r8")


def _try(session: Session, edit: Edit) -> None:
    """Preview an edit with its full impact."""
    look_at_impact(session.preview(edit))


def _edits(session: Session) -> Iterator[tuple[str, Edit]]:
    """Yield the edits that are timed; the first moves a cut along the grid."""
    own, other = session.version.rules[3], session.version.rules[4]
    interval = own.literals[1]
    assert isinstance(interval, Interval)  # generated rules are made of intervals
    side = "high" if interval.high is not None else "low"
    cuts = session.state.rule_set.schema.feature(interval.feature).cuts
    at = cuts.index(interval.high if side == "high" else interval.low)
    to = at - 2 if at > 2 else at + 2
    yield "move", MoveCut(own.id, interval.feature, **{side: cuts[to]})
    yield "type", MoveCut(own.id, interval.feature, **{side: (cuts[to] + cuts[to + 1]) / 2})
    names = {literal.feature for literal in own.literals}
    free = next(feature for feature in session.version.grid.features if feature.name not in names)
    yield "extend", AddLiteral(own.id, Interval(free.name, low=free.cuts[len(free.cuts) // 2]))
    yield "shorten", RemoveLiteral(own.id, interval.feature)
    yield "add", AddRule((Interval(free.name, high=free.cuts[2]), *other.literals[:1]))
    yield "delete", DeleteRule(own.id)


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
