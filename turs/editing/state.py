"""A version on its rows: what is true between two edits. Going to another version recomputes only what differs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from turs.editing.partition import Partition, partition_of
from turs.editing.rows import Rows
from turs.editing.version import Version
from turs.evaluate.evaluation import Evaluation, evaluate
from turs.mdl.score import Score
from turs.rules.rule import RuleSet


@dataclass(frozen=True, eq=False)
class State:
    """A version on training rows, and on validation rows where there are some.

    Parameters
    ----------
    version : Version
        The rules, their locks and notes.
    training, validation : Partition
        The rows by pattern.
    """

    version: Version
    training: Partition
    validation: Partition | None

    @property
    def rule_set(self) -> RuleSet:
        """The rules."""
        return self.training.rule_set

    @cached_property
    def evaluation(self) -> Evaluation:
        """All numbers of this state, each computed when asked for."""
        assert self.training.reaches is not None  # bits are counted on the training rows
        return evaluate(
            self.rule_set,
            self.training.patterns,
            None if self.validation is None else self.validation.patterns,
            model_bits=tuple(reach.model_bits for reach in self.training.reaches),
            repriced=None if self.rule_set.schema == self.version.grid else self._repriced,
        )

    def _repriced(self, k: int) -> float:
        """Return by how many bits the other conditions change without rule number k: a cut that it has alone goes."""
        rules = self.version.rules
        others = replace(self.version, rules=(*rules[:k], *rules[k + 1 :]))
        return self.training.price_change(others.rule_set.schema, (j for j in range(len(rules)) if j != k))

    @property
    def score(self) -> Score:
        """The MDL score on the training rows."""
        score = self.evaluation.score
        assert score is not None  # the bits of the conditions are given
        return score

    def moved_to(self, version: Version) -> State:
        """Return the state of another version of the same rules."""
        if version.rules == self.version.rules:
            moved = replace(self, version=version)
            moved.__dict__["evaluation"] = self.evaluation
            return moved
        rule_set = version.rule_set
        validation = None if self.validation is None else self.validation.moved_to(rule_set)
        return State(version, self.training.moved_to(rule_set), validation)


def state_of(version: Version, training: Rows, validation: Rows | None) -> State:
    """Return the state of a version on rows."""
    rule_set = version.rule_set
    there = None if validation is None else partition_of(validation, rule_set, with_bits=False)
    return State(version, partition_of(training, rule_set), there)
