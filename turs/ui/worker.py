"""Learning in a thread of its own: no Streamlit here, the page asks how far it is."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

import numpy as np

from turs.cover.covers import rule_cover
from turs.evaluate.shares import ClassShares
from turs.kernel import all_cores
from turs.learn.learner import learn
from turs.learn.progress import Learned, Progress
from turs.learn.settings import Constraints, Settings
from turs.rules.rule import Rule
from turs.storage import Learning, Preparation
from turs.ui.study import Study


@dataclass(frozen=True)
class Point:
    """A rule set on the way: one point of the path of bits against coverage."""

    search: int
    n_rules: int
    covered: int
    total_bits: float
    seconds: float


class Job:
    """One run of the learner. Results are set once, before `done` turns true.

    Parameters
    ----------
    study : Study
        The rows.
    settings : Settings
        Options; the number of threads is that of the machine.
    constraints : Constraints
        Demands on the rules.
    preparation : Preparation, optional
        The table with these choices in the store: it ends when the rules are there.
    """

    def __init__(
        self,
        study: Study,
        settings: Settings | None = None,
        constraints: Constraints | None = None,
        preparation: Preparation | None = None,
    ) -> None:
        self.study = study
        self.preparation = preparation
        self.settings = replace(settings or Settings(), threads=all_cores())
        self.constraints = constraints or Constraints()
        self.progress: Progress | None = None
        self.path: tuple[Point, ...] = ()
        self._shares: dict[Rule, ClassShares] = {}  # of the rules that were asked about
        self.learned: Learned | None = None
        self.error: Exception | None = None
        self._stop = threading.Event()
        self._done = threading.Event()
        threading.Thread(target=self._run, name="learning", daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended its work."""
        return self._done.is_set()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop.is_set()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules found so far."""
        return () if self.progress is None else self.progress.rules

    def shares_of(self, rule: Rule) -> ClassShares:
        """Return the classes of the training rows that a rule covers, counted once."""
        if rule not in self._shares:
            data = self.study.training.data
            labels = data.labels[rule_cover(rule, data.schema, data.bins)]
            self._shares[rule] = ClassShares(tuple(np.bincount(labels, minlength=len(data.schema.classes)).tolist()))
        return self._shares[rule]

    def stop(self) -> None:
        """Ask the learner to end with what it has found."""
        self._stop.set()

    def wait(self, seconds: float | None) -> bool:
        """Wait for the end and return whether it came."""
        return self._done.wait(seconds)

    def _run(self) -> None:
        """Learn, and keep what came of it."""
        try:
            self.learned = learn(
                self.study.training.data,
                self.settings,
                constraints=self.constraints,
                on_progress=self._tell,
                should_stop=self._stop.is_set,
            )
        except Exception as error:  # the page shows it; a thread has nobody to raise it to
            self.error = error
        finally:
            self._done.set()

    def _tell(self, now: Progress) -> None:
        """Keep the latest progress, and a point of the path where the rules changed."""
        before = self.progress
        if before is None or before.rules != now.rules or before.search != now.search:
            point = Point(now.search, len(now.rules), now.covered, now.total_bits, now.seconds)
            self.path = (*self.path, point)
        self.progress = now


def points_of(learning: Learning) -> tuple[Point, ...]:
    """Return the path that led to a learned rule set."""
    present: set[str] = set()
    points = []
    for step in learning.steps:
        (present.discard if step.action == "removed" else present.add)(step.rule.id)
        points.append(Point(1, len(present), step.covered, step.total_bits, step.seconds))
    return tuple(points)
