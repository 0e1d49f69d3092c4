"""Load the compiled kernels before somebody waits for them: a small table goes once through all that edits use."""

from __future__ import annotations

import logging
import threading

import numpy as np
import pandas as pd

from turs.data import Table
from turs.editing import MoveCut, Session, scan
from turs.learn.learner import learn
from turs.rules.literal import Interval
from turs.rules.rule import Rule, RuleSet
from turs.ui.study import Plan, study_of

_log = logging.getLogger(__name__)


_AFTER_SECONDS = 2.0
"""The first page is drawn before."""


def start_warming() -> None:
    """Warm the kernels in a thread of its own, a moment after the first page."""
    timer = threading.Timer(_AFTER_SECONDS, _warm_safely)
    timer.daemon = True
    timer.start()


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
    except Exception:  # nobody waits for this
        _log.exception("The kernels could not be warmed")
