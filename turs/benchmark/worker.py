"""The child process: reads one task a line, writes what came of it a line.

It keeps the last data set, so that the folds of a data set read it once. What libraries print goes to standard error;
the channel to the parent is the standard output that it was started with. Where the parent is gone, so is the child.
"""

from __future__ import annotations

import json
import math
import os
import queue
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from turs.benchmark.datasets import Encoded, read_encoded
from turs.benchmark.learners import settings_of
from turs.benchmark.measure import Started, measure_peer, measure_rows, measure_turs
from turs.benchmark.peers import peer
from turs.benchmark.simulation import simulated
from turs.errors import DataError, TursError
from turs.kernel import spare_linear_algebra

Reply = dict[str, Any]


def perform(task: dict[str, Any], started: Started) -> Reply:
    """Do a task and return its numbers; whatever is raised becomes a reason.

    Parameters
    ----------
    task : dict
        Its `kind` says what to do: "peer", "fold", "ratios", "simulation", "scale" or "edits".
    started : callable
        Told when learning begins.
    """
    try:
        return {"status": "ok", **_plain(_KINDS[task["kind"]](task, started))}
    except TursError as error:
        return {"status": "failed", "reason": " ".join(str(error).split())}
    except Exception as error:  # a task must not end the run; its reason is in the report
        return {"status": "failed", "reason": f"{type(error).__name__}: {' '.join(str(error).split())}"}


def main() -> None:
    """Serve tasks until the parent closes the channel."""
    spare_linear_algebra()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as channel:
        os.dup2(2, 1)
        tasks: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(tasks,), daemon=True).start()

        def tell(reply: Reply) -> None:
            channel.write(json.dumps(reply, allow_nan=False) + "\n")
            channel.flush()

        while True:
            task = json.loads(tasks.get())
            tell(perform(task, lambda: tell({"status": "started"})))


def _listen(tasks: queue.SimpleQueue[str]) -> None:
    """Pass lines on; end the process, in the middle of a task too, when there will be no more."""
    for line in sys.stdin:
        tasks.put(line)
    os._exit(0)


@lru_cache(maxsize=1)
def _table(path: str, digest: str) -> Encoded:
    """Return a data set; `digest` tells a file from one that took its place."""
    return read_encoded(Path(path))


def _fold(task: dict[str, Any], started: Started) -> Reply:
    """Learn from one fold."""
    try:
        table = _table(task["path"], task["digest"])
    except (DataError, OSError) as error:
        return {"status": "unreadable", "reason": " ".join(str(error).split())}
    fold = (int(task["fold"]), int(task["folds"]), int(task["seed"]))
    if task["learner"]["kind"] == "peer":
        return measure_peer(table, fold, task["learner"]["options"]["peer"], started)
    return measure_turs(table, fold, settings_of(task["learner"]["options"]), started)


def _ratios(task: dict[str, Any], started: Started) -> Reply:
    """Learn from a whole data set in several ways; loaded here because only `--speed` needs it."""
    from turs.benchmark.ratios import measure_ratios

    return measure_ratios(read_encoded(Path(task["path"])), int(task["repeats"]), started)


def _peer(task: dict[str, Any], started: Started) -> Reply:
    """Tell whether a peer can run in this environment, and its version."""
    found = peer(task["peer"])
    return {"obstacle": found.available(), "version": found.version()}


def _simulation(task: dict[str, Any], started: Started) -> Reply:
    """Learn from one repetition of the simulation; its test rows are as many fresh ones."""
    size = {"n_rows": int(task["n_rows"]), "n_features": int(task["n_features"])}
    train = simulated(int(task["seed"]), 2 * int(task["fold"]), **size)
    test = simulated(int(task["seed"]), 2 * int(task["fold"]) + 1, **size)
    return measure_rows(train, test, settings_of(task["learner"]["options"]), started)


def _scale(task: dict[str, Any], started: Started) -> Reply:
    """Learn from generated rows; loaded here because only `--scale` needs it."""
    from turs.benchmark.scale import measure_size

    return measure_size(task, started)


def _edits(task: dict[str, Any], started: Started) -> Reply:
    """Time edits on generated rows; loaded here because only `--scale` needs it."""
    from turs.benchmark.edits import measure_edits

    return measure_edits(task, started)


_KINDS: dict[str, Callable[[dict[str, Any], Started], Reply]] = {
    "peer": _peer,
    "fold": _fold,
    "ratios": _ratios,
    "simulation": _simulation,
    "scale": _scale,
    "edits": _edits,
}


def _plain(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return numbers for JSON, which has no NaN."""
    unknown = {key for key, value in numbers.items() if isinstance(value, float) and not math.isfinite(value)}
    return {key: None if key in unknown else value for key, value in numbers.items()}


if __name__ == "__main__":
    main()
