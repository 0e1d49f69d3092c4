"""All that can be said of a rule set on its training rows and on evaluation rows, each part computed when asked for.

`evaluate` takes patterns (or tables, which it turns into patterns) and returns at once. What an editor needs after
every edit is in `headline`; sampling and permutations run only where they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from turs.cover.patterns import Patterns
from turs.data.dataset import DataSet
from turs.evaluate.calibration import Calibration, Strategy, calibration
from turs.evaluate.complexity import Complexity, complexity
from turs.evaluate.contribution import Contribution, Repriced, contributions
from turs.evaluate.forecast import Forecast
from turs.evaluate.generalisation import Generalisation, generalisation
from turs.evaluate.metrics import Metrics, metrics
from turs.evaluate.overlaps import OverlapLedger, RuleMatrix, overlap_ledger, rule_matrix
from turs.evaluate.plain import PlainValue, plain
from turs.evaluate.random_pick import PickDistribution, RandomPick, random_pick, sample_picks
from turs.mdl.score import Score, condition_bits, patterns_on, score_patterns
from turs.predict import patterns_of
from turs.rules.model import Model
from turs.rules.rule import RuleSet


@dataclass(frozen=True)
class Side(PlainValue):
    """The state of a model on some rows in one line.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    auc, random_pick_auc : float
        Of the unions, and the expected one of random picks; NaN where the rows hold one class only.
    overlap_share, coverage : float
        Shares of the rows that two or more rules, and that at least one rule, cover; 0 where there is no row.
    """

    n_rows: int
    auc: float
    random_pick_auc: float
    overlap_share: float
    coverage: float


@dataclass(frozen=True)
class Headline(PlainValue):
    """The state of a model in one line.

    Parameters
    ----------
    total_bits, nll_bits, regret_bits, model_bits : float or None
        The MDL score on the training rows; None where the bits of the conditions are not known.
    n_rules, n_literals : int
        Numbers of rules and literals.
    training, evaluation : Side
        On the training rows, and on the evaluation rows (None where there are none).
    """

    total_bits: float | None
    nll_bits: float | None
    regret_bits: float | None
    model_bits: float | None
    n_rules: int
    n_literals: int
    training: Side
    evaluation: Side | None


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A rule set on its training rows and on evaluation rows; parts are computed when first asked for, and kept.

    Parameters
    ----------
    training : Forecast
        The training rows.
    evaluation : Forecast or None
        The evaluation rows, where there are some. Names that end in `_evaluation` are None without them.
    model_bits : tuple of float or None
        Bits of the condition of each rule, which the score needs.
    repriced : callable or None
        What the candidate cuts that go with a rule do to the bits of the others; None where none go.
    """

    training: Forecast
    evaluation: Forecast | None
    model_bits: tuple[float, ...] | None
    repriced: Repriced | None = None

    @property
    def rule_set(self) -> RuleSet:
        """The rules."""
        return self.training.rule_set

    @cached_property
    def score(self) -> Score | None:
        """The MDL score on the training rows; None where the bits of the conditions are not known."""
        if self.model_bits is None:
            return None
        return score_patterns(self.rule_set, self.training.training, self.model_bits)

    @cached_property
    def headline(self) -> Headline:
        """What is shown after every edit."""
        score = self.score
        return Headline(
            total_bits=None if score is None else score.total_bits,
            nll_bits=None if score is None else score.nll_bits,
            regret_bits=None if score is None else score.regret_bits,
            model_bits=None if score is None else score.model_bits,
            n_rules=len(self.rule_set.rules),
            n_literals=self.rule_set.n_literals,
            training=_side(self.training),
            evaluation=None if self.evaluation is None else _side(self.evaluation),
        )

    @cached_property
    def metrics_training(self) -> Metrics:
        """Metrics of the predictions for the training rows."""
        return metrics(self.training)

    @cached_property
    def metrics_evaluation(self) -> Metrics | None:
        """Metrics of the predictions for the evaluation rows."""
        return None if self.evaluation is None else metrics(self.evaluation)

    @cached_property
    def random_pick_training(self) -> RandomPick:
        """Random picks on the training rows."""
        return random_pick(self.training)

    @cached_property
    def random_pick_evaluation(self) -> RandomPick | None:
        """Random picks on the evaluation rows."""
        return None if self.evaluation is None else random_pick(self.evaluation)

    @cached_property
    def overlaps(self) -> OverlapLedger:
        """The ledger of overlaps; lines are made when looked at, and tested on request."""
        return overlap_ledger(self.training, self.evaluation)

    @cached_property
    def rule_matrix(self) -> RuleMatrix:
        """Rows that two rules share on the training rows, and the distance of their probabilities."""
        return rule_matrix(self.training)

    @cached_property
    def generalisation(self) -> Generalisation | None:
        """The rules' class shares on training and evaluation rows, and the g score; None without evaluation rows."""
        return None if self.evaluation is None else generalisation(self.evaluation)

    @cached_property
    def complexity(self) -> Complexity:
        """How much there is to read: for predictions of the evaluation rows, without them of the training rows."""
        return complexity(self.evaluation or self.training)

    @cached_property
    def contributions(self) -> tuple[Contribution, ...]:
        """What each rule does for the rule set."""
        return contributions(self.training, self.evaluation, self.score, self.repriced)

    def calibration(self, n_bins: int = 10, strategy: Strategy = "uniform") -> tuple[Calibration, ...]:
        """Return the calibration of each class on the evaluation rows, without them on the training rows."""
        return calibration(self.evaluation or self.training, n_bins, strategy)

    def sampled_picks(self, n_samples: int = 1000, seed: int = 0) -> PickDistribution:
        """Return the AUCs of sampled picks on the evaluation rows, without them on the training rows."""
        return sample_picks(self.evaluation or self.training, n_samples, seed)

    def to_json_object(self) -> dict[str, Any]:
        """Return everything but samples and p-values as plain JSON values."""
        names = (
            "headline",
            "metrics_training",
            "metrics_evaluation",
            "random_pick_training",
            "random_pick_evaluation",
            "overlaps",
            "rule_matrix",
            "generalisation",
            "complexity",
            "contributions",
        )
        document = {name: plain(getattr(self, name)) for name in names}
        return {"classes": list(self.rule_set.schema.classes), **document, "calibration": plain(self.calibration())}


def evaluate(
    model: Model | RuleSet,
    training: Patterns | DataSet | None = None,
    evaluation: Patterns | DataSet | None = None,
    *,
    model_bits: tuple[float, ...] | None = None,
    repriced: Repriced | None = None,
) -> Evaluation:
    """Return what can be said of a rule set on its training rows and on evaluation rows.

    Parameters
    ----------
    model : Model or RuleSet
        The rules.
    training : Patterns or DataSet, optional
        The training rows, which give the probabilities; otherwise the patterns that the model stores.
    evaluation : Patterns or DataSet, optional
        The evaluation rows, under the same rule set.
    model_bits : tuple of float, optional
        Bits of the condition of each rule (`turs.mdl.score.condition_bits`). A table of training rows gives them too;
        without both there are no bits.
    repriced : callable, optional
        What the candidate cuts that go with a rule do to the bits of the others (`turs.evaluate.contribution`).
    """
    rule_set = model.rule_set if isinstance(model, Model) else model
    if training is None:
        if not isinstance(model, Model):
            raise ValueError("A rule set has no patterns of its own: give training rows, or a model.")
        training = patterns_of(model)
    elif isinstance(training, DataSet):
        model_bits = condition_bits(rule_set, training) if model_bits is None else model_bits
        training = patterns_on(rule_set, training)
    if isinstance(evaluation, DataSet):
        evaluation = patterns_on(rule_set, evaluation)
    return Evaluation(
        Forecast(rule_set, training, training),
        None if evaluation is None else Forecast(rule_set, training, evaluation),
        model_bits,
        repriced,
    )


def _side(forecast: Forecast) -> Side:
    """Return the state of a model on the rows of a forecast in one line."""
    n_rows = forecast.n_rows
    return Side(
        n_rows=n_rows,
        auc=forecast.auc.value,
        random_pick_auc=forecast.random_pick_auc.value,
        overlap_share=forecast.n_overlap_rows / max(n_rows, 1),
        coverage=forecast.n_covered_rows / max(n_rows, 1),
    )
