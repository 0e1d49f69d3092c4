"""A rule set on a table in numbers: bits, AUC, overlap, coverage, and what each rule holds and saves."""

from __future__ import annotations

from dataclasses import dataclass

from turs.cover.patterns import Patterns
from turs.data.dataset import DataSet
from turs.evaluate.contribution import bits_saved
from turs.evaluate.forecast import Forecast
from turs.evaluate.plain import PlainValue
from turs.mdl.score import Score, condition_bits, patterns_on, score_patterns
from turs.predict import patterns_of
from turs.rules.model import Model
from turs.rules.rule import RuleSet
from turs.rules.text import format_rule


@dataclass(frozen=True)
class RuleSummary(PlainValue):
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
class Summary(PlainValue):
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
    absent_classes : tuple of str
        Classes that no row has; the AUC leaves them out.
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
    absent_classes: tuple[str, ...]
    rules: tuple[RuleSummary, ...]


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
    training = patterns_of(model) if isinstance(model, Model) else patterns
    return summarise_patterns(rule_set, training, patterns, condition_bits(rule_set, data))


def summarise_patterns(
    rule_set: RuleSet, training: Patterns, patterns: Patterns, model_bits: tuple[float, ...]
) -> Summary:
    """Return a rule set in numbers, from patterns.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    training, patterns : Patterns
        Of the rows that give the probabilities, and of the rows that are scored.
    model_bits : tuple of float
        Bits of the condition of each rule on the rows that are scored.
    """
    score = score_patterns(rule_set, patterns, model_bits)
    forecast = Forecast(rule_set, training, patterns)
    n_rows = max(forecast.n_rows, 1)
    return Summary(
        total_bits=score.total_bits,
        nll_bits=score.nll_bits,
        regret_bits=score.regret_bits,
        model_bits=score.model_bits,
        auc=forecast.auc.value,
        random_pick_auc=forecast.random_pick_auc.value,
        overlap_share=forecast.n_overlap_rows / n_rows,
        coverage=forecast.n_covered_rows / n_rows,
        n_rows=forecast.n_rows,
        n_rules=len(rule_set.rules),
        n_literals=rule_set.n_literals,
        else_counts=score.otherwise.counts,
        else_probabilities=tuple(forecast.probabilities[0].tolist()),
        absent_classes=tuple(
            label for label, n in zip(rule_set.schema.classes, patterns.counts.sum(axis=0), strict=True) if n == 0
        ),
        rules=_rule_summaries(rule_set, score, forecast.rule_probabilities.tolist(), bits_saved(patterns, score)),
    )


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
