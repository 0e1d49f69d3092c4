"""The MDL score of a rule set on a table: likelihood, regret and model bits (paper, equations 4 to 6, 13 and 18).

Likelihood and regret depend on the rows only through the patterns; the model bits also on the bins, through K_value.
Sums are correctly rounded (`math.fsum`), so the order of rules and of rows does not change a digit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from turs.cover.covers import rule_covers, value_counts
from turs.cover.patterns import Patterns, assign_patterns, line_totals, tabulate
from turs.data.dataset import DataSet
from turs.mdl.codes import literal_bits, set_bits, variables_bits
from turs.mdl.logs import log2
from turs.mdl.regret import regret_bits
from turs.mdl.sums import line_sums
from turs.page import table
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Schema


@dataclass(frozen=True)
class RuleScore:
    """What one rule, or the else rule, holds and costs.

    Parameters
    ----------
    id : str
        Rule id; empty for the else rule.
    counts : tuple of int
        Class counts of its cover.
    nll_bits : float
        Bits of the labels of the rows that it alone covers.
    regret_bits, model_bits : float
        Bits of its regret and of its condition.
    """

    id: str
    counts: tuple[int, ...]
    nll_bits: float
    regret_bits: float
    model_bits: float

    @property
    def coverage(self) -> int:
        """Number of rows covered."""
        return sum(self.counts)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """Class probabilities, each 0 where no row is covered."""
        return tuple(count / max(self.coverage, 1) for count in self.counts)


@dataclass(frozen=True)
class OverlapScore:
    """The rows covered by exactly these two or more rules, and the bits of their labels."""

    rules: tuple[str, ...]
    counts: tuple[int, ...]
    nll_bits: float


@dataclass(frozen=True)
class Score:
    """The MDL score, split.

    Parameters
    ----------
    nll_bits, regret_bits, model_bits : float
        Sums over all rules, overlaps and the else rule; `model_bits` includes `set_bits`.
    set_bits : float
        Bits of the number of rules less those of their order.
    rules : tuple of RuleScore
        In the order of the rule set.
    otherwise : RuleScore
        The else rule.
    patterns : Patterns
        Of the rows.
    pattern_nll_bits : tuple of float
        Likelihood bits of each pattern.
    """

    nll_bits: float
    regret_bits: float
    model_bits: float
    set_bits: float
    rules: tuple[RuleScore, ...]
    otherwise: RuleScore
    patterns: Patterns = field(repr=False, compare=False)
    pattern_nll_bits: tuple[float, ...] = field(repr=False)

    @property
    def total_bits(self) -> float:
        """The MDL score."""
        return math.fsum((self.nll_bits, self.regret_bits, self.model_bits))

    def __str__(self) -> str:
        """Return the bits in one line."""
        return (
            f"{self.total_bits:,.1f} bits = {self.nll_bits:,.1f} likelihood + {self.regret_bits:,.1f} regret"
            f" + {self.model_bits:,.1f} model"
        )

    def _repr_html_(self) -> str:
        """Return the bits, split and by rule, as a table for a notebook."""
        rows = [
            (rule.id or "ELSE", f"{rule.coverage:,}", *(f"{bits:,.1f}" for bits in _split(rule)))
            for rule in (*self.rules, self.otherwise)
        ]
        shared = math.fsum(overlap.nll_bits for overlap in self.overlaps)
        rows.append(("overlaps", f"{sum(sum(part.counts) for part in self.overlaps):,}", f"{shared:,.1f}", "", ""))
        rows.append(("all", "", *(f"{bits:,.1f}" for bits in _split(self))))
        return table(("rule", "rows", "likelihood bits", "regret bits", "model bits"), rows).markup

    @cached_property
    def overlaps(self) -> tuple[OverlapScore, ...]:
        """Observed patterns of two or more rules."""
        ids = [rule.id for rule in self.rules]
        members, counts = self.patterns.members.tolist(), self.patterns.counts.tolist()
        return tuple(
            OverlapScore(tuple(itertools.compress(ids, members[p])), tuple(counts[p]), self.pattern_nll_bits[p])
            for p in np.flatnonzero(self.patterns.members.sum(axis=1) > 1).tolist()
        )


def _split(part: RuleScore | Score) -> tuple[float, float, float]:
    """Return the three kinds of bits."""
    return part.nll_bits, part.regret_bits, part.model_bits


def likelihood_bits(
    counts: NDArray[np.int64], unions: NDArray[np.int64], log2s: NDArray[np.float64] | None = None
) -> list[float]:
    """Return for each line the bits of labels counted in `counts` [P, C] under the class shares of `unions` [P, C].

    Logarithms are looked up in a table of them, where there is one.
    """
    totals = line_totals(unions)
    if log2s is None:
        terms = counts * (log2(np.maximum(totals, 1))[:, None] - log2(np.maximum(unions, 1)))
    else:
        terms = counts * (log2s[totals][:, None] - log2s[unions])
    bits: list[float] = line_sums(terms).tolist()
    return bits


def rule_bits(rule: Rule, schema: Schema, n_values: tuple[int, ...]) -> float:
    """Return the bits of a rule's condition, given K_value of its literals."""
    literals = (
        literal_bits(literal, schema.feature(literal.feature), k)
        for literal, k in zip(rule.literals, n_values, strict=True)
    )
    return math.fsum((variables_bits(len(schema.features), len(rule.literals)), *literals))


def score_patterns(rule_set: RuleSet, patterns: Patterns, model_bits: tuple[float, ...]) -> Score:
    """Return the score, given the patterns and the bits of each rule's condition."""
    ids = tuple(rule.id for rule in rule_set.rules)
    n_classes = patterns.counts.shape[1]
    unions = patterns.union_counts
    rule_counts = patterns.rule_counts.tolist()
    size = patterns.sizes
    nll = likelihood_bits(patterns.counts, unions)
    single = np.flatnonzero(size == 1)
    owners = patterns.members[single].argmax(axis=1).tolist() if single.size else []
    alone = {k: nll[p] for k, p in zip(owners, single.tolist(), strict=True)}
    rules = tuple(
        RuleScore(
            id=ids[k],
            counts=tuple(rule_counts[k]),
            nll_bits=alone.get(k, 0.0),
            regret_bits=regret_bits(sum(rule_counts[k]), n_classes),
            model_bits=model_bits[k],
        )
        for k in range(len(ids))
    )
    else_counts = tuple(patterns.counts[0].tolist())
    otherwise = RuleScore("", else_counts, nll[0], regret_bits(sum(else_counts), n_classes), 0.0)
    about_set = set_bits(len(ids))
    return Score(
        nll_bits=math.fsum(nll),
        regret_bits=math.fsum((*(rule.regret_bits for rule in rules), otherwise.regret_bits)),
        model_bits=math.fsum((*model_bits, about_set)),
        set_bits=about_set,
        rules=rules,
        otherwise=otherwise,
        patterns=patterns,
        pattern_nll_bits=tuple(nll),
    )


def total_bits(patterns: Patterns, model_bits: Sequence[float], log2s: NDArray[np.float64]) -> float:
    """Return the MDL score alone, to the digit that of `score_patterns`.

    Parameters
    ----------
    patterns : Patterns
        The observed patterns.
    model_bits : sequence of float
        The bits of each rule's condition.
    log2s : float64 [n + 1]
        log2 of every number of rows.
    """
    nll_bits = math.fsum(likelihood_bits(patterns.counts, patterns.union_counts, log2s))
    sizes = line_totals(np.concatenate((patterns.rule_counts, patterns.counts[:1])))
    n_classes = patterns.counts.shape[1]
    about_estimates = math.fsum(regret_bits(size, n_classes) for size in sizes.tolist())
    return math.fsum((nll_bits, about_estimates, math.fsum((*model_bits, set_bits(len(model_bits))))))


def patterns_on(rule_set: RuleSet, data: DataSet) -> Patterns:
    """Return the patterns of `rule_set` on the rows of `data`."""
    covers = rule_covers(rule_set.rules, rule_set.schema, data.bins)
    row_pattern, members = assign_patterns(covers, data.bins.shape[1])
    return tabulate(row_pattern, members, data.labels, len(rule_set.schema.classes))


def condition_bits(rule_set: RuleSet, data: DataSet) -> tuple[float, ...]:
    """Return the bits of the condition of each rule on the rows of `data`."""
    schema = rule_set.schema
    return tuple(rule_bits(rule, schema, value_counts(rule, schema, data.bins)) for rule in rule_set.rules)


def score(rule_set: RuleSet, data: DataSet) -> Score:
    """Return the MDL score of `rule_set` on the rows of `data`, which has to have the schema of the rule set."""
    return score_patterns(rule_set, patterns_on(rule_set, data), condition_bits(rule_set, data))
