"""Whether each rule says of new rows what it said of its training rows (paper, section on generalizability).

The paper's g score (equation `train_test_diff`) is read as its text says, the mean of the rules' differences weighted
by their coverage on the training rows:

    g = sum_j |S_j| d_j / sum_j |S_j|,    d_j = 1/C sum_c |p_jc - q_jc|

with p and q a rule's class shares on training and on evaluation rows. The formula as printed divides by the number of
rules instead of the sum of coverages; with |S_j| in rows it would not stay within [0, 1], unlike the reported scores.
The else rule is no rule in g: its condition says nothing. The figures of the paper and of its authors' code do count it
as one of the rules, so `g_with_else` is the number to hold against them. What covers no evaluation row has no q and is
left out of both sums; rules that are left out are named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from turs.cover.patterns import Patterns
from turs.evaluate.forecast import Forecast
from turs.evaluate.plain import PlainValue
from turs.evaluate.shares import ClassShares, class_shares


@dataclass(frozen=True)
class RuleGeneralisation(PlainValue):
    """One rule, or the else rule, on training and evaluation rows.

    Parameters
    ----------
    id : str
        The rule; empty for the else rule.
    training, evaluation : ClassShares
        Rows that it covers by class, with shares and intervals.
    difference : float
        Mean over the classes of the absolute difference of the two shares; NaN where it covers no row on a side.
    """

    id: str
    training: ClassShares
    evaluation: ClassShares
    difference: float


@dataclass(frozen=True)
class Generalisation(PlainValue):
    """How the rules' class shares on evaluation rows differ from those on training rows.

    Parameters
    ----------
    g : float
        Mean difference weighted by coverage on the training rows; NaN where no rule covers rows on both sides.
    g_with_else : float
        The same where the else rule counts as one of the rules, as in the figures that the paper reports.
    rules : tuple of RuleGeneralisation
        In the order of the rule set.
    otherwise : RuleGeneralisation
        The else rule, which g does not count.
    left_out : tuple of str
        Rules that g leaves out, because they cover no training row or no evaluation row.
    """

    g: float
    g_with_else: float
    rules: tuple[RuleGeneralisation, ...]
    otherwise: RuleGeneralisation
    left_out: tuple[str, ...]


def generalisation(forecast: Forecast) -> Generalisation:
    """Return how the rules' class shares on the rows of a forecast differ from those on its training rows."""
    sides = zip(forecast.ids, _shares(forecast.training), _shares(forecast.rows), strict=True)
    rules = tuple(_compared(*line) for line in sides)
    otherwise = _compared("", class_shares(forecast.training.counts[:1])[0], class_shares(forecast.rows.counts[:1])[0])
    return Generalisation(
        g=_weighted(rules),
        g_with_else=_weighted((*rules, otherwise)),
        rules=rules,
        otherwise=otherwise,
        left_out=tuple(rule.id for rule in rules if math.isnan(rule.difference)),
    )


def _weighted(rules: Sequence[RuleGeneralisation]) -> float:
    """Return the mean difference of rules, weighted by their coverage on the training rows."""
    known = [rule for rule in rules if not math.isnan(rule.difference)]
    weight = sum(rule.training.rows for rule in known)
    return math.fsum(rule.training.rows * rule.difference for rule in known) / weight if weight else math.nan


def _shares(patterns: Patterns) -> list[ClassShares]:
    """Return the class shares of each rule."""
    return class_shares(patterns.rule_counts)


def _compared(rule_id: str, training: ClassShares, evaluation: ClassShares) -> RuleGeneralisation:
    """Return one rule on both sides with the mean absolute difference of its shares."""
    pairs = zip(training.probabilities, evaluation.probabilities, strict=True)
    gaps = [abs(p - q) for p, q in pairs]
    return RuleGeneralisation(rule_id, training, evaluation, math.fsum(gaps) / len(gaps))
