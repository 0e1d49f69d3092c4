"""What a rule set predicts for rows, line by line of their patterns: the one thing that all evaluation starts from.

The probabilities come from the training patterns; the rows that are evaluated are another table of patterns under the
same rule set, or the training patterns themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns, find_words, packed, union_sums
from turs.evaluate.auc import Auc, random_pick_auc, union_auc
from turs.evaluate.exclusive import Exclusive, exclusive_counts
from turs.evaluate.loss import log_loss
from turs.predict import rule_probabilities, shares
from turs.rules.rule import RuleSet


@dataclass(frozen=True, eq=False)
class Forecast:
    """Rows in patterns with what a rule set predicts for them.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    training : Patterns
        Of the training rows, which give the probabilities.
    rows : Patterns
        Of the rows that are predicted.
    """

    rule_set: RuleSet
    training: Patterns
    rows: Patterns

    def __post_init__(self) -> None:
        """Check that the patterns are those of the rule set."""
        shape = (len(self.rule_set.rules), len(self.rule_set.schema.classes))
        for patterns in (self.training, self.rows):
            found = (patterns.members.shape[1], patterns.counts.shape[1])
            if found != shape:
                raise ValueError(
                    f"The patterns have {found[0]} rules and {found[1]} classes, the rule set {shape[0]} and"
                    f" {shape[1]}: compute them with this rule set."
                )

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Ids of the rules."""
        return tuple(rule.id for rule in self.rule_set.rules)

    @property
    def classes(self) -> tuple[str, ...]:
        """Class labels."""
        return self.rule_set.schema.classes

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of rules of each pattern [Q]."""
        return self.rows.sizes

    @cached_property
    def n_of_pattern(self) -> NDArray[np.int64]:
        """Number of rows of each pattern [Q]."""
        return self.rows.n_rows

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.n_of_pattern.sum())

    @property
    def n_covered_rows(self) -> int:
        """Number of rows that at least one rule covers."""
        return int(self.n_of_pattern[self.sizes > 0].sum())

    @property
    def n_overlap_rows(self) -> int:
        """Number of rows that two or more rules cover."""
        return int(self.n_of_pattern[self.sizes > 1].sum())

    @cached_property
    def overlaps(self) -> NDArray[np.int64]:
        """Lines of the patterns of two or more rules that have rows."""
        return np.flatnonzero((self.sizes > 1) & (self.n_of_pattern > 0))

    @cached_property
    def union_counts(self) -> NDArray[np.int64]:
        """Class counts of the training rows in the union of each pattern's rules [Q, C]; its own for the else rule."""
        if self.rows is self.training:
            return self.training.union_counts
        return _union_counts(self.training, self.rows.members, self.rows.words)

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Class probabilities of each pattern [Q, C]."""
        return shares(self.union_counts, self.training.counts.sum(axis=0))

    @cached_property
    def rule_probabilities(self) -> NDArray[np.float64]:
        """Class probabilities of each rule [K, C]."""
        return rule_probabilities(self.training)

    @cached_property
    def exclusive(self) -> Exclusive:
        """Training rows that the union of each pattern's rules owes to one of them."""
        return exclusive_counts(self.rows.members, self.training)

    @cached_property
    def auc(self) -> Auc:
        """AUC of the predictions."""
        return union_auc(self.probabilities, self.rows.counts)

    @cached_property
    def log_loss(self) -> float:
        """Mean log-loss of the predictions."""
        return log_loss(self.probabilities, self.rows.counts)

    @cached_property
    def random_pick_auc(self) -> Auc:
        """Expected AUC where every row takes the probabilities of one of its rules, picked at random."""
        return random_pick_auc(self.rows.members, self.probabilities, self.rule_probabilities, self.rows.counts)


def union_counts(patterns: Patterns, members: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the class counts of the union of the rules of each line of members [Q, K], as [Q, C].

    A line without rules stands for the else rule. Only combinations that `patterns` does not hold have to be summed up.
    """
    return _union_counts(patterns, members, packed(members))


def _union_counts(patterns: Patterns, members: NDArray[np.bool_], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return what `union_counts` does, given the members as 64-bit numbers too."""
    place = find_words(words, patterns.words)
    unions: NDArray[np.int64] = patterns.union_counts[place]
    unseen = np.flatnonzero(place < 0)
    unions[unseen] = union_sums(words[unseen], patterns.words, patterns.counts)
    return unions
