"""Random rule sets on training rows and on evaluation rows, as forecasts and as rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from tests import naive
from tests.naive_evaluate import Rows
from tests.strategies import random_data, random_table, seeds
from turs.data.dataset import DataSet
from turs.evaluate.forecast import Forecast
from turs.mdl.score import patterns_on
from turs.rules.rule import RuleSet


class Case:
    """A rule set with training rows, and evaluation rows that follow another distribution.

    Some patterns are seen on one side only, classes may be absent, rules may cover nothing.
    """

    def __init__(
        self,
        seed: int,
        n_rows: int = 60,
        n_classes: int = 2,
        n_rules: int = 4,
        n_new: int = 40,
        one_class: bool = False,
    ) -> None:
        self.data, self.rule_set = random_table(seed, n_rows, n_classes, n_features=4, n_rules=n_rules)
        self.new = random_data(np.random.default_rng(seed + 1), n_new, n_classes, self.data.schema.features)
        if one_class:
            labels = np.full(n_new, seed % n_classes, dtype=np.int16)
            self.new = DataSet(self.new.schema, self.new.bins, labels, (), self.new.rows)
        training, rows = (patterns_on(self.rule_set, data) for data in (self.data, self.new))
        self.training = Forecast(self.rule_set, training, training)
        self.evaluation = Forecast(self.rule_set, training, rows)
        self.training_rows, self.rows = as_rows(self.rule_set, self.data), as_rows(self.rule_set, self.new)
        self.seed, self.n_classes = seed, n_classes

    @property
    def sides(self) -> tuple[tuple[Forecast, Rows], tuple[Forecast, Rows]]:
        """Both forecasts with their rows."""
        return (self.training, self.training_rows), (self.evaluation, self.rows)

    def numbers(self, rules: tuple[str, ...]) -> frozenset[int]:
        """Return the numbers of rules given by their ids."""
        return frozenset(self.training.ids.index(rule) for rule in rules)


def as_rows(rule_set: RuleSet, data: DataSet) -> Rows:
    """Return a table as rows for the twins."""
    covers = naive.rule_covers(rule_set.rules, rule_set.schema, data.bins)
    return Rows(covers, data.labels.tolist(), len(rule_set.schema.classes))


def same(found: float, expected: float, tolerance: float = 1e-12) -> bool:
    """Return whether two numbers are equal, or both do not exist."""
    if math.isnan(expected):
        return math.isnan(found)
    return found == pytest.approx(expected, abs=tolerance, rel=tolerance)


def case_strategy(max_rows: int = 40, max_rules: int = 5) -> st.SearchStrategy[Case]:
    """Draw a case, from no rules to many overlaps, now and then with a single class to be predicted."""
    return st.builds(
        Case,
        seeds,
        st.integers(1, max_rows),
        st.integers(2, 4),
        st.integers(0, max_rules),
        st.integers(1, max_rows),
        st.integers(0, 9).map(lambda n: n == 0),
    )
