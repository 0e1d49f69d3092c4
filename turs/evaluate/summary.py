"""A rule set on a table in numbers: bits, AUC, overlap, coverage, and what each rule holds and saves."""

from __future__ import annotations

import itertools
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns, meeting, sum_counts
from turs.data.dataset import DataSet
from turs.evaluate.auc import random_pick_auc, union_auc
from turs.mdl.codes import set_bits
from turs.mdl.regret import regret_bits
from turs.mdl.score import Score, condition_bits, likelihood_bits, patterns_on, score_patterns
from turs.predict import patterns_of, rule_probabilities, union_probabilities
from turs.rules.model import Model
from turs.rules.rule import RuleSet
from turs.rules.text import format_rule


@dataclass(frozen=True)
class RuleSummary:
    """One rule in numbers.

    Parameters
    ----------
    id, text : str
        Its name, and the rule as text with its probabilities.
    coverage : int
        Number of rows that it covers.
    counts : tuple of int
        These rows by class.
    probabilities : tuple of float
        Class probabilities of the model, which come from its training rows.
    model_bits : float
        Bits of its condition.
    bits_saved : float
        How many more bits the rule set would need without it.
    """

    id: str
    text: str
    coverage: int
    counts: tuple[int, ...]
    probabilities: tuple[float, ...]
    model_bits: float
    bits_saved: float


@dataclass(frozen=True)
class Summary:
    """A rule set on a table in numbers.

    Parameters
    ----------
    total_bits, nll_bits, regret_bits, model_bits : float
        The MDL score on these rows, and its parts.
    auc, random_pick_auc : float
        Of the model's probabilities on these rows; the second is the expected one where each row takes those of one
        of its rules, picked at random. NaN where the rows hold one class only.
    overlap_share, coverage : float
        Share of the rows that two or more rules cover, and that at least one covers.
    n_rows, n_rules, n_literals : int
        Numbers of rows, rules and literals.
    else_counts : tuple of int
        Rows of the else rule by class.
    else_probabilities : tuple of float
        Class probabilities of the model's else rule.
    rules : tuple of RuleSummary
        In the order of the rule set.
    """

    total_bits: float
    nll_bits: float
    regret_bits: float
    model_bits: float
    auc: float
    random_pick_auc: float
    overlap_share: float
    coverage: float
    n_rows: int
    n_rules: int
    n_literals: int
    else_counts: tuple[int, ...]
    else_probabilities: tuple[float, ...]
    rules: tuple[RuleSummary, ...]

    def to_json_object(self) -> dict[str, Any]:
        """Return plain JSON values; an AUC that does not exist is null."""
        document = asdict(self)
        for name in ("auc", "random_pick_auc"):
            document[name] = None if math.isnan(document[name]) else document[name]
        return document


def summarise(model: Model | RuleSet, data: DataSet) -> Summary:
    """Return a rule set on a table in numbers.

    Parameters
    ----------
    model : Model or RuleSet
        A model ranks the rows by its stored probabilities, a rule set by those that the rows themselves give.
    data : DataSet
        The rows, under the schema of the rule set.
    """
    rule_set = model.rule_set if isinstance(model, Model) else model
    patterns = patterns_on(rule_set, data)
    bits = condition_bits(rule_set, data)
    score = score_patterns(rule_set, patterns, bits)
    training = patterns_of(model) if isinstance(model, Model) else patterns
    probabilities = union_probabilities(training, patterns.members)
    by_rule = rule_probabilities(training)
    picked = random_pick_auc(patterns.members, probabilities, by_rule, patterns.counts)
    n_covering = patterns.members.sum(axis=1)
    n_of_pattern = patterns.counts.sum(axis=1)
    n_rows = max(data.n_rows, 1)
    return Summary(
        total_bits=score.total_bits,
        nll_bits=score.nll_bits,
        regret_bits=score.regret_bits,
        model_bits=score.model_bits,
        auc=union_auc(probabilities, patterns.counts).value,
        random_pick_auc=picked.value,
        overlap_share=int(n_of_pattern[n_covering > 1].sum()) / n_rows,
        coverage=int(n_of_pattern[n_covering > 0].sum()) / n_rows,
        n_rows=data.n_rows,
        n_rules=len(rule_set.rules),
        n_literals=rule_set.n_literals,
        else_counts=score.otherwise.counts,
        else_probabilities=tuple(probabilities[0].tolist()),
        rules=_rule_summaries(rule_set, score, by_rule.tolist(), bits_saved(rule_set, patterns, bits)),
    )


def bits_saved(rule_set: RuleSet, patterns: Patterns, model_bits: tuple[float, ...]) -> tuple[float, ...]:
    """Return for each rule how many more bits the rule set would need without it, exactly.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    patterns : Patterns
        Of the rule set on the rows.
    model_bits : tuple of float
        Bits of the condition of each rule.
    """
    n_classes = patterns.counts.shape[1]
    nll = likelihood_bits(patterns.counts, patterns.union_counts)
    regrets = [regret_bits(n, n_classes) for n in patterns.rule_counts.sum(axis=1).tolist()]
    place = {line.tobytes(): p for p, line in enumerate(patterns.members)}
    total_bits = score_patterns(rule_set, patterns, model_bits).total_bits
    saved = []
    for k in range(len(rule_set.rules)):
        fewer_nll, else_rows = _nll_without(k, patterns, nll, place)
        parts = (
            fewer_nll,
            math.fsum((*regrets[:k], *regrets[k + 1 :], regret_bits(else_rows, n_classes))),
            math.fsum((*model_bits[:k], *model_bits[k + 1 :], set_bits(len(rule_set.rules) - 1))),
        )
        saved.append(math.fsum(parts) - total_bits)
    return tuple(saved)


def _nll_without(k: int, patterns: Patterns, nll: list[float], place: dict[bytes, int]) -> tuple[float, int]:
    """Return the likelihood bits and the rows of the else rule where rule number k is taken away.

    Only the patterns that hold the rule change: each of them becomes, or joins, the pattern without it (its place is
    found by the bytes of its members). All other unions stay as they are.
    """
    members, counts = patterns.members, patterns.counts
    changed = np.flatnonzero(members[:, k])
    fewer = members[changed]
    fewer[:, k] = False
    joined = np.array([place.get(line.tobytes(), -1) for line in fewer], dtype=np.int64)
    own: NDArray[np.int64] = counts[changed] + (joined >= 0)[:, None] * counts[joined]
    unions = sum_counts(meeting(fewer, members), counts)
    alone = joined == 0
    unions[alone] = own[alone]
    stays = np.ones(len(members), dtype=np.bool_)
    stays[changed] = False
    stays[joined[joined >= 0]] = False
    fresh = likelihood_bits(own, unions)
    else_rows = own[alone] if alone.any() else counts[:1]
    return math.fsum([*itertools.compress(nll, stays), *fresh]), int(else_rows.sum())


def _rule_summaries(
    rule_set: RuleSet, score: Score, probabilities: list[list[float]], saved: tuple[float, ...]
) -> tuple[RuleSummary, ...]:
    """Return the numbers of each rule."""
    return tuple(
        RuleSummary(
            id=rule.id,
            text=format_rule(rule, rule_set.schema, own),
            coverage=held.coverage,
            counts=held.counts,
            probabilities=tuple(own),
            model_bits=held.model_bits,
            bits_saved=rule_saved,
        )
        for rule, held, own, rule_saved in zip(rule_set.rules, score.rules, probabilities, saved, strict=True)
    )
