"""Compile the kernels once a machine, and load them once a server, before somebody waits for them.

A small table goes through all that learning and edits use.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import numba
import numpy as np
import pandas as pd

from turs import kernel
from turs.data import Table
from turs.editing import MoveCut, Session, scan
from turs.learn.learner import learn
from turs.rules.literal import Interval
from turs.rules.rule import Rule, RuleSet
from turs.ui.study import Plan, study_of

_log = logging.getLogger(__name__)


_AFTER_SECONDS = 2.0
"""The first page is drawn before kernels that were compiled once are loaded."""
_compiling: list[threading.Thread] = []


def start_warming() -> None:
    """Warm the kernels in a thread: a moment after the first page, or at once where they are not compiled yet."""
    if _mark().exists():
        timer = threading.Timer(_AFTER_SECONDS, _warm_safely)
        timer.daemon = True
        timer.start()
    else:
        thread = threading.Thread(target=_warm_safely, name="compiling", daemon=True)
        _compiling.append(thread)
        thread.start()


def is_compiling() -> bool:
    """Return whether the kernels are being compiled for the first time."""
    return any(thread.is_alive() for thread in _compiling)


def compiled() -> tuple[int, int]:
    """Return how many kernels are compiled, and how many there are."""
    n_kernels = sum(path.read_text().count("\n@kernel\n") for path in Path(kernel.__file__).parent.rglob("*.py"))
    return min(len(list(kernel.cache_folder().rglob("*.nbi"))), n_kernels), n_kernels


def prepare() -> None:
    """Compile the kernels now, unless that was done on this machine before."""
    if not _mark().exists():
        warm()
        _mark().touch()


def _mark() -> Path:
    """Return the file that says that all kernels are compiled; the folder is that of their text."""
    return kernel.cache_folder() / f"compiled-{numba.__version__}"


def warm() -> None:
    """Learn, edit and scan once."""
    values = np.arange(40, dtype=np.float64)
    labels = np.where(values < 14, "low", np.where(values % 3 == 0, "low", "high"))
    table = Table(pd.DataFrame({"a": values, "b": values[::-1] % 7, "class": labels}))
    study = study_of("warming", table, Plan("class"))
    learn(study.training.data)
    schema = study.schema
    rules = RuleSet(schema)
    for number, name in enumerate(("a", "b"), start=1):
        cuts = schema.feature(name).cuts
        rules = rules.with_rule(Rule(f"r{number}", (Interval(name, low=cuts[len(cuts) // 2]),)))
    session = Session(rules, study.training, study.validation)
    cuts = schema.feature("a").cuts
    scan(session.state, "r1", [Interval("a", low=cut) for cut in cuts])
    impact = session.apply(MoveCut("r1", "a", low=cuts[0] + 0.25))
    _ = impact.headline_after, impact.training.overlaps, impact.validation, session.findings()
    _ = session.state.evaluation.contributions, session.state.evaluation.random_pick_training


def _warm_safely() -> None:
    """Warm the kernels; where that fails, the first edit is slow and nothing else."""
    try:
        warm()
        _mark().touch()
    except Exception:  # nobody waits for this
        _log.exception("The kernels could not be warmed")
