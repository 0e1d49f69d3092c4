"""The paper's experiments as tasks: planned, done by child processes, kept in a journal, given as rows.

A row is one learner on one fold of one data set. What could not be done is a row too: its status is `missing` (the
peer is not installed), `unreadable` (the data set), `failed`, `timeout` or `crashed`, and its reason says why.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from turs.benchmark.child import COMMAND, Child, run_tasks
from turs.benchmark.datasets import Source
from turs.benchmark.journal import Journal, Row
from turs.benchmark.learners import DEFAULT, NO_LOCAL_TEST, PAPER, Learner
from turs.benchmark.simulation import N_FEATURES, N_ROWS

SIMULATION = "simulation"
"""Name of the simulated data set in rows."""

JOURNAL = "journal.jsonl"


@dataclass(frozen=True)
class Task:
    """One learner on one fold.

    Parameters
    ----------
    dataset : str
        Name of the data set.
    fold, seed : int
        Number of the fold (or of the repetition), and the seed of the folds.
    learner : Learner
        What learns.
    request : dict
        For the worker.
    """

    dataset: str
    fold: int
    seed: int
    learner: Learner
    request: dict[str, Any]

    @property
    def key(self) -> str:
        """Hash of all that its numbers depend on; where the file lies and what it is called are no part of it."""
        request = {name: value for name, value in self.request.items() if name != "path"}
        learner = {name: value for name, value in asdict(self.learner).items() if name != "name"}
        text = json.dumps({**request, "learner": learner}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def row(self, reply: dict[str, Any], limit: float) -> Row:
        """Return the row that a reply makes."""
        known = {"key": self.key, "dataset": self.dataset, "fold": self.fold, "seed": self.seed}
        return {**known, "learner": self.learner.name, "version": self.learner.version, "limit": limit, **reply}


@dataclass(frozen=True)
class Progress:
    """Where a run is: told after every task.

    Parameters
    ----------
    row : dict
        What was finished.
    done, total : int
        Tasks finished and planned, those of an earlier run included.
    left : int
        Tasks of this data set that are not finished.
    finished : tuple of dict
        All finished rows of this data set, those of an earlier run included.
    """

    row: Row
    done: int
    total: int
    left: int
    finished: tuple[Row, ...]


@dataclass(frozen=True)
class Plan:
    """What a run has to do.

    Parameters
    ----------
    tasks : tuple of Task
        In the order in which they are begun.
    undone : tuple of dict
        Rows of what cannot be done at all: peers that are missing.
    """

    tasks: tuple[Task, ...]
    undone: tuple[Row, ...] = field(default=())


def plan_folds(
    sources: Sequence[Source],
    learners: Sequence[Learner],
    missing: dict[str, str],
    *,
    n_folds: int,
    seeds: Sequence[int],
    first_fold: bool = False,
    warm: bool = False,
) -> Plan:
    """Plan every learner on every fold of every data set.

    Parameters
    ----------
    sources : sequence of Source
        The data sets.
    learners : sequence of Learner
        What learns.
    missing : dict of str to str
        Learners that cannot run, with the reason.
    n_folds : int
        Number of folds.
    seeds : sequence of int
        Seeds of the folds.
    first_fold : bool
        Whether only the first fold of every seed is done.
    warm : bool
        Whether a process of a peer goes on from data set to data set. Otherwise each data set of a peer begins in a
        new one: a Java machine gets faster the longer it runs, and times would depend on the order of the data sets.
    """
    tasks, undone = [], []
    for source in sources:
        for seed in seeds:
            for learner in learners:
                for fold in range(1 if first_fold else n_folds):
                    task = _fold_task(source, learner, fold, n_folds, seed)
                    tasks.append(
                        replace(task, request={**task.request, "warm": True}) if warm and learner.is_peer else task
                    )
        undone += [_undone(source.name, name, "missing", reason) for name, reason in missing.items()]
    return Plan(tuple(tasks), tuple(undone))


def plan_simulation(
    learners: Sequence[Learner], repetitions: int, seed: int, *, n_rows: int = N_ROWS, n_features: int = N_FEATURES
) -> Plan:
    """Plan the simulation with and without the local test, and with the default search."""
    chosen = [learner for learner in learners if learner.name in (PAPER, NO_LOCAL_TEST, DEFAULT)]
    size = {"n_rows": n_rows, "n_features": n_features}
    return Plan(
        tuple(
            Task(SIMULATION, fold, seed, learner, {"kind": "simulation", "fold": fold, "seed": seed, **size})
            for learner in chosen
            for fold in range(repetitions)
        )
    )


def run_plan(
    plan: Plan,
    journal: Journal,
    *,
    limit: float,
    processes: int,
    threads: int = 1,
    on_progress: Callable[[Progress], None] | None = None,
    command: Sequence[str] = COMMAND,
    commands: Mapping[str, Sequence[str]] | None = None,
) -> list[Row]:
    """Do what is not in the journal yet and return all rows, in the order of the plan.

    Where a learner has run out of time on a fold, the other folds of that data set are not tried: they would take as
    long. Their rows say so.

    Parameters
    ----------
    plan : Plan
        What to do.
    journal : Journal
        Open; finished tasks are appended to it.
    limit : float
        Seconds of learning of one task.
    processes, threads : int
        Child processes at a time, and threads in each.
    on_progress : callable
        Told after every task.
    command : sequence of str
        What a child process runs.
    commands : mapping of str to sequence of str
        What it runs for learners that have an environment of their own; these come last.
    """
    finished = {task.key: journal.finished(task.key, limit) for task in plan.tasks}
    waiting = [task for task in plan.tasks if finished[task.key] is None]
    left = Counter(task.dataset for task in waiting)
    rows: dict[str, Row] = {key: row for key, row in finished.items() if row is not None}
    by_dataset: dict[str, list[Row]] = {}
    for task in plan.tasks:
        if task.key in rows:
            by_dataset.setdefault(task.dataset, []).append(_named(rows[task.key], task))
    total = len(rows) + len(waiting)
    ask = _impatient([row for row in rows.values() if row["status"] == "timeout"])

    def run_with(own_command: Sequence[str], tasks: Sequence[Task]) -> None:
        def on_done(number: int, reply: dict[str, Any]) -> None:
            row = tasks[number].row(reply, limit)
            journal.append(row)
            rows[row["key"]] = row
            name = row["dataset"]
            left[name] -= 1
            by_dataset.setdefault(name, []).append(row)
            if on_progress is not None:
                on_progress(Progress(row, len(rows), total, left[name], tuple(by_dataset[name])))

        children = [Child(own_command, threads) for _ in range(min(processes, max(len(tasks), 1)))]
        requests = [{**task.request, "dataset": task.dataset, "learner": asdict(task.learner)} for task in tasks]
        run_tasks(requests, children, limit, on_done, ask=ask)

    elsewhere = commands or {}
    run_with(command, [task for task in waiting if task.learner.name not in elsewhere])
    for name, own_command in elsewhere.items():
        run_with(own_command, [task for task in waiting if task.learner.name == name])
    named = [_named(rows[task.key], task) for task in plan.tasks if task.key in rows]
    return [*named, *plan.undone]


def _impatient(timeouts: Sequence[Row]) -> Callable[[Child, dict[str, Any], float], dict[str, Any]]:
    """Return a way to ask a child that spares it the folds of what ran out of time, now or in an earlier run.

    A peer that begins with a data set gets a new process, unless the task is for a warm one.
    """
    reasons: dict[tuple[str, str], str] = {}
    began: dict[Child, tuple[str, str]] = {}

    def note(dataset: str, learner: str, fold: int, reason: str) -> None:
        reasons.setdefault((dataset, learner), f"not tried: fold {fold} was {reason}")

    def ask(child: Child, request: dict[str, Any], limit: float) -> dict[str, Any]:
        dataset, learner = request["dataset"], request["learner"]["name"]
        if (dataset, learner) in reasons:
            return {"status": "timeout", "reason": reasons[dataset, learner]}
        is_new = request["learner"]["kind"] == "peer" and began.get(child) != (dataset, learner)
        if is_new and not request.get("warm"):
            child.renew()
        began[child] = dataset, learner
        reply = child.ask(request, limit)
        if reply["status"] == "timeout":
            note(dataset, learner, request["fold"], reply["reason"])
        return reply

    for row in timeouts:
        note(row["dataset"], row["learner"], row["fold"], row["reason"])
    return ask


def _named(row: Row, task: Task) -> Row:
    """Return a row under the names of this run: those in the journal may be of another one."""
    return {**row, "learner": task.learner.name, "dataset": task.dataset}


def _fold_task(source: Source, learner: Learner, fold: int, n_folds: int, seed: int) -> Task:
    """Return the task of one fold."""
    place = {"path": str(source.path.resolve()), "digest": source.digest}
    request = {"kind": "fold", **place, "fold": fold, "folds": n_folds, "seed": seed}
    return Task(source.name, fold, seed, learner, request)


def _undone(dataset: str, learner: str, status: str, reason: str) -> Row:
    """Return the row of something that was not tried."""
    return {"key": "", "dataset": dataset, "learner": learner, "status": status, "reason": reason, "fold": None}
