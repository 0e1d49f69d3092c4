"""Learn a rule set: rules are added one at a time while the MDL score falls (paper, Algorithm 1).

The default search is a portfolio: it learns one rule set for each pair of exponents and keeps the one with the
fewest bits, so the score itself chooses how gains are weighed against coverage.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from turs.cover.covers import rule_covers
from turs.cover.patterns import Patterns
from turs.data.dataset import DataSet
from turs.learn.arrays import CATEGORICAL, NUMERIC, Features, Limits, Present
from turs.learn.candidate import Candidate, batch_of, rule_of
from turs.learn.counting import TableRows, slot_starts
from turs.learn.settings import SEARCHES, Constraints, Exponents, Settings
from turs.learn.single_rule import learn_rule
from turs.learn.sweeps import candidate_starts
from turs.mdl.codes import MISSINGNESS_BITS, cut_bits, level_bits, set_bits, variables_bits
from turs.mdl.logs import log2, log2_table
from turs.mdl.regret import regret_table
from turs.mdl.score import score
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import MAX_BINS, Schema


@dataclass(frozen=True)
class Step:
    """A rule that was added.

    Parameters
    ----------
    rule : Rule
        The rule.
    total_bits : float
        MDL score of the rule set with it, as the learner counted it.
    covered : int
        Rows that the rule set covers with it.
    seconds : float
        Time since learning began.
    """

    rule: Rule
    total_bits: float
    covered: int
    seconds: float


@dataclass(frozen=True)
class Progress:
    """Where the learner is: told after every level of the growth of a rule.

    Parameters
    ----------
    search, n_searches : int
        Which rule set of the portfolio is being learned, from 1.
    rules : tuple of Rule
        Rules found so far in this rule set.
    level : int
        Level of the growth of the next rule.
    best : Rule or None
        Its best candidate so far.
    total_bits : float
        MDL score of the rules found so far.
    covered, n_rows : int
        Rows that these rules cover, and all rows.
    seconds : float
        Time since learning began.
    """

    search: int
    n_searches: int
    rules: tuple[Rule, ...]
    level: int
    best: Rule | None
    total_bits: float
    covered: int
    n_rows: int
    seconds: float


@dataclass(frozen=True)
class Learned:
    """What learning gave.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    total_bits : float
        MDL score as the learner counted it.
    steps : tuple of Step
        The rules in the order in which they were added.
    exponents : Exponents
        The search of the portfolio that won.
    stopped : bool
        Whether the learner was stopped before it was done.
    seconds : float
        Time it took.
    """

    rule_set: RuleSet
    total_bits: float
    steps: tuple[Step, ...]
    exponents: Exponents
    stopped: bool
    seconds: float


def power_table(n: int, exponent: float) -> NDArray[np.float64]:
    """Return m^exponent for m = 0, ..., n and an exponent in eighths, by square roots (the same on every machine)."""
    table = np.ones(n + 1)
    root = np.arange(n + 1, dtype=np.float64)
    eighths = round(exponent * 8)
    for bit in (8, 4, 2, 1):
        if eighths & bit:
            table = table * root
        root = np.sqrt(root)
    return table


def feature_arrays(schema: Schema, constraints: Constraints) -> Features:
    """Return what the kernels know of the features."""
    n = len(schema.features)
    one_cut, two_cuts = np.zeros((n, MAX_BINS + 2)), np.zeros((n, MAX_BINS + 2))
    missing_bits = np.full(n, 2 * MISSINGNESS_BITS)
    for f, feature in enumerate(schema.features):
        extra = MISSINGNESS_BITS if feature.has_missing else 0.0
        for k in range(feature.n_bins + 1):
            if feature.is_categorical:
                one_cut[f, k] = extra + level_bits(len(feature.levels), k)
            else:
                one, two = cut_bits(len(feature.cuts), k)
                one_cut[f, k], two_cuts[f, k] = extra + one, extra + two
    kind = np.array([CATEGORICAL if feature.is_categorical else NUMERIC for feature in schema.features], dtype=np.int8)
    n_bins = np.array([feature.n_bins for feature in schema.features], dtype=np.int32)
    has_missing = np.array([feature.has_missing for feature in schema.features])
    directions = {">=": 1, "<": -1}
    return Features(
        kind=kind,
        n_bins=n_bins,
        has_missing=has_missing,
        usable=np.array([feature.name not in constraints.unused for feature in schema.features]),
        direction=np.array(
            [directions.get(constraints.directions.get(feature.name, ""), 0) for feature in schema.features],
            dtype=np.int8,
        ),
        slot_start=slot_starts(schema),
        candidate_start=candidate_starts(kind, n_bins, has_missing, len(schema.classes)),
        one_cut=one_cut,
        two_cuts=two_cuts,
        missing_bits=missing_bits,
        variables_bits=np.array([variables_bits(n, k) for k in range(n + 1)]),
        which_bits=float(log2(n)),
    )


def present_arrays(patterns: Patterns, n_rules: int, tables: tuple[NDArray[np.float64], ...]) -> Present:
    """Return the rule set so far as the kernels see it; `tables` are log2s, own, whole and powers of `Present`."""
    log2s, own, whole, powers = tables
    unions = patterns.union_counts
    return Present(
        else_counts=patterns.counts[0].copy(),
        more_bits=set_bits(n_rules + 1) - set_bits(n_rules),
        union_counts=unions.astype(np.int32),
        label_bits=log2s[unions.sum(axis=1)][:, None] - log2s[unions],
        meets=patterns.meets,
        log2s=log2s,
        own=own,
        whole=whole,
        powers=powers,
    )


def learn(
    data: DataSet,
    settings: Settings | None = None,
    *,
    constraints: Constraints | None = None,
    start: tuple[Rule, ...] = (),
    on_progress: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Learned:
    """Learn a truly unordered rule set.

    Parameters
    ----------
    data : DataSet
        Training rows.
    settings : Settings
        Options.
    constraints : Constraints
        Demands on the rules that are learned.
    start : tuple of Rule
        Rules that stay as they are; learning adds to them.
    on_progress : callable
        Told after every level of the growth of a rule.
    should_stop : callable
        Asked at the same moments; where it returns True the learner stops with what it has found.

    Returns
    -------
    Learned
        The rule set with the fewest bits of those that the searches found.
    """
    settings = settings or Settings()
    constraints = constraints or Constraints()
    settings.check()
    constraints.check(data.schema)
    began = time.monotonic()
    first = RuleSet(data.schema)
    for rule in start:
        first = first.with_rule(rule)
    run = _Run(data, settings, constraints, first, began, on_progress, should_stop)
    searches = SEARCHES[settings.search]
    best: Learned | None = None
    with ThreadPoolExecutor(settings.threads) if settings.threads > 1 else nullcontext() as executor:
        for number, exponents in enumerate(searches, start=1):
            learned = run.search(number, len(searches), exponents, executor)
            if best is None or learned.total_bits < best.total_bits:
                best = replace(learned, stopped=learned.stopped or (best is not None and best.stopped))
            if learned.stopped:
                best = replace(best, stopped=True)
                break
    assert best is not None  # every portfolio has a search
    return replace(best, seconds=time.monotonic() - began)


class _Run:
    """What the searches of a portfolio share: bins, tables, settings, clock."""

    def __init__(
        self,
        data: DataSet,
        settings: Settings,
        constraints: Constraints,
        first: RuleSet,
        began: float,
        on_progress: Callable[[Progress], None] | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        self.data = data
        self.settings = settings
        self.first = first
        self.began = began
        self.on_progress = on_progress
        self.should_stop = should_stop
        self.first_bits = score(first, data).total_bits
        n = data.bins.shape[1]
        self.log2s = log2_table(n)
        self.own = np.arange(n + 1) * self.log2s
        self.whole = self.own + regret_table(n, len(data.schema.classes))
        self.features = feature_arrays(data.schema, constraints)
        most = settings.most_literals if settings.most_literals is not None else len(data.schema.features)
        self.limits = Limits(settings.diverse, settings.local_test, settings.auxiliary, settings.least_coverage, most)

    def seconds(self) -> float:
        """Return the time since learning began."""
        return time.monotonic() - self.began

    def must_stop(self) -> bool:
        """Return whether time is up or a person asked to stop."""
        budget = self.settings.time_budget
        return (budget is not None and self.seconds() > budget) or (self.should_stop is not None and self.should_stop())

    def search(
        self, number: int, n_searches: int, exponents: Exponents, executor: ThreadPoolExecutor | None
    ) -> Learned:
        """Learn one rule set with one pair of exponents."""
        schema, settings = self.data.schema, self.settings
        rows = TableRows(self.data, rule_covers(self.first.rules, schema, self.data.bins))
        powers = power_table(rows.n_rows, exponents.beam)
        rank_powers = power_table(rows.n_rows, exponents.rule)
        rule_set, total_bits = self.first, self.first_bits
        steps: list[Step] = []
        stopped = False

        def on_level(level: int, best: Candidate | None) -> bool:
            nonlocal stopped
            if self.on_progress is not None:
                candidate = rule_of(best, rule_set.next_id(), schema) if best else None
                covered = rows.n_rows - int(rows.patterns.counts[0].sum())
                self.on_progress(
                    Progress(
                        number,
                        n_searches,
                        rule_set.rules,
                        level,
                        candidate,
                        total_bits,
                        covered,
                        rows.n_rows,
                        self.seconds(),
                    )
                )
            stopped = self.must_stop()
            return stopped

        while not stopped and (settings.most_rules is None or len(rule_set.rules) < settings.most_rules):
            n_rules = len(rule_set.rules)
            auxiliary = self.limits.auxiliary and n_rules > 0
            best = learn_rule(
                rows,
                self.features,
                self.limits._replace(auxiliary=auxiliary),
                present_arrays(rows.patterns, n_rules, (self.log2s, self.own, self.whole, powers)),
                width=settings.beam_width,
                patience=settings.patience,
                rank=lambda candidate: candidate.gain / float(rank_powers[candidate.newly]),
                on_level=on_level,
                threads=settings.threads,
                executor=executor,
            )
            if best is None or not best.gain > 0:
                break
            rule = rule_of(best, rule_set.next_id(), schema)
            rule_set = rule_set.with_rule(rule)
            rows.add_rule(batch_of([best]))
            total_bits = math.fsum((total_bits, -best.gain))
            covered = rows.n_rows - int(rows.patterns.counts[0].sum())
            steps.append(Step(rule, total_bits, covered, self.seconds()))
        return Learned(rule_set, total_bits, tuple(steps), exponents, stopped, self.seconds())
