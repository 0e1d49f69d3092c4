"""What the kernels of the learner need, set up for a table, a rule set and base rules, beside their naive twins."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tests import naive
from tests.strategies import random_rule, random_table
from turs.data.dataset import DataSet
from turs.learn.arrays import Base, Batch, Chosen, Limits, base_of
from turs.learn.beam import _empty
from turs.learn.candidate import EMPTY, Candidate, batch_of, candidate_of
from turs.learn.local_test import run_local_tests
from turs.learn.settings import Constraints
from turs.learn.speed import score_speeds
from turs.learn.table_rows import TableRows
from turs.learn.tables import feature_arrays, present_arrays
from turs.mdl.logs import log2_table
from turs.mdl.regret import regret_table
from turs.rules.literal import Literal
from turs.rules.rule import Rule

LIMITS = Limits(diverse=False, local_test=False, auxiliary=True, least_coverage=1, most_literals=99)
"""Everything is looked at, and the best of all candidates are kept, whatever their coverage."""


class Stage:
    """Base rules (as literals) on a table with a rule set."""

    def __init__(
        self,
        data: DataSet,
        rules: tuple[Rule, ...],
        bases: tuple[tuple[Literal, ...], ...],
        limits: Limits = LIMITS,
        exponent: float = 1.0,
        constraints: Constraints | None = None,
    ) -> None:
        constraints = constraints or Constraints()
        self.data, self.limits = data, limits
        self.bases = [candidate(data, literals) for literals in bases]
        self.naive = [
            naive.Base(data, rules, literals, limits, exponent, constraints.unused, constraints.directions)
            for literals in bases
        ]
        self.rows = TableRows(data, rules)
        self.features = feature_arrays(data.schema, constraints)
        regrets = regret_table(data.n_rows, len(data.schema.classes))
        self.present = present_arrays(self.rows.patterns, log2_table(data.n_rows), regrets, exponent)
        self.arrays = batch_of(self.bases)
        self.counts = self.rows.count(self.arrays, self.features.usable)
        self.batch = Batch(
            self.arrays.start,
            self.arrays.feature,
            self.arrays.holds,
            self.counts.ranges,
            self.counts.in_all,
            self.counts.by_bin,
        )

    def base(self, b: int) -> Base:
        """Return the arrays of base rule b."""
        return base_of(self.batch, b)

    def growths(self, b: int) -> list[naive.Growth]:
        """Return every candidate of base rule b, from the twin."""
        return list(self.naive[b].growths(self.features.candidate_start))

    @property
    def n_candidates(self) -> int:
        """Number of candidates that a base rule can have at most."""
        return int(self.features.candidate_start[-1])

    @cached_property
    def tested(self) -> tuple[np.ndarray, np.ndarray, Chosen]:
        """What the local tests say with room for every candidate: passes, wanted, auxiliary."""
        return self.local_tests(self.n_candidates)

    def local_tests(self, width: int) -> tuple[np.ndarray, np.ndarray, Chosen]:
        """Return passes, wanted and the auxiliary candidates."""
        n_bases = len(self.bases)
        passes = np.empty((n_bases, self.n_candidates), dtype=np.bool_)
        wanted = np.empty((n_bases, len(self.data.schema.features)), dtype=np.bool_)
        auxiliary = _empty(n_bases, width)
        run_local_tests(self.features, self.limits, self.present, self.batch, passes, wanted, auxiliary)
        return passes, wanted, auxiliary

    def speeds(self, width: int) -> Chosen:
        """Return the main candidates."""
        passes, wanted, _ = self.tested
        found = self.rows.count_patterns(self.counts, wanted)
        main = _empty(len(self.bases), width)
        score_speeds(
            self.features,
            self.limits,
            self.present,
            self.batch,
            found.start,
            found.pattern,
            found.counts,
            found.entry_start,
            found.entry,
            found.weight,
            passes,
            0,
            len(self.bases),
            main,
        )
        return main


def candidate(data: DataSet, literals: tuple[Literal, ...]) -> Candidate:
    """Return literals as a candidate."""
    return candidate_of(Rule("", literals), data.schema) if literals else EMPTY


def chosen_at(chosen: Chosen, b: int) -> dict[tuple[int, ...], tuple[float, float, float, int, int]]:
    """Return the chosen candidates of base rule b: (feature, sweep, position, side) to score, gain, bits and sizes."""
    found = {}
    for w in np.flatnonzero(chosen.score[b] > -np.inf):
        integers = chosen.integers[b, w].tolist()
        found[tuple(integers[:4])] = (float(chosen.score[b, w]), *chosen.numbers[b, w].tolist(), *integers[4:])
    return found


def place(growth: naive.Growth) -> tuple[int, int, int, int]:
    """Return what names a candidate among those of its base rule."""
    return growth.feature, growth.sweep, growth.position, growth.side


def random_stage(
    seed: int, n_rows: int = 70, n_classes: int = 2, n_features: int = 4, n_rules: int = 3, n_bases: int = 2, **options
) -> Stage:
    """Return the empty base rule and random ones on a random table, each of which covers a row."""
    data, rule_set = random_table(seed, n_rows, n_classes, n_features, n_rules)
    rng = np.random.default_rng(seed)
    bases: list[tuple[Literal, ...]] = [()]
    for _ in range(20):
        literals = random_rule(rng, data.schema, "base").literals
        if len(bases) <= n_bases and naive.literals_cover(literals, data.schema, data.bins):
            bases.append(literals)
    return Stage(data, rule_set.rules, tuple(bases), **options)
