"""What the learner asks of rows, and what it gets: counts.

`Rows` is the narrow interface behind which a table stands. For a batch of base rules and the features that are asked
for it answers with class counts per (feature, bin), split by uncovered and covered rows (`count`), and with class
counts per (feature, bin, pattern) (`count_patterns`). Base rules travel in, integer counts come out, and counts of
parts of a table add up; so a table in partitions can stand behind the same interface.

Bins of all features are laid out one after the other as *slots*: each feature has its known bins, then the bin of
unknown levels, then the bin of missing values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from turs.cover.patterns import Patterns
from turs.learn.arrays import Ranges
from turs.rules.rule import Rule
from turs.rules.schema import Schema


@dataclass(frozen=True)
class Bases:
    """A batch of base rules in arrays.

    Parameters
    ----------
    start : int32 [B + 1]
        Literals of base b are start[b] to start[b + 1] - 1.
    feature : int32 [number of literals]
        Feature of each literal.
    holds : bool [number of literals, 256]
        Bins that satisfy each literal.
    """

    start: NDArray[np.int32]
    feature: NDArray[np.int32]
    holds: NDArray[np.bool_]


@dataclass(frozen=True)
class Counts:
    """Class counts of a batch of base rules.

    Parameters
    ----------
    in_all : int32 [B, 2, C]
        Class counts of the rows that no rule (0) and some rule (1) of the rule set covers.
    by_bin : int32 [B, number of slots, 2, C]
        The same per bin; zeros for features that were not asked for.
    ranges : Ranges
        What the model code needs to know of the rows: which candidate cuts split them.
    cover : Any
        What the same `Rows` needs to count patterns.
    """

    in_all: NDArray[np.int32]
    by_bin: NDArray[np.int32]
    ranges: Ranges
    cover: Any


@dataclass(frozen=True)
class PatternCounts:
    """Class counts of a batch of base rules by pattern, of the covered rows only.

    Parameters
    ----------
    start : int32 [B + 1]
        Patterns present in base b are pattern[start[b] : start[b + 1]], ascending.
    pattern : int32
        Pattern ids.
    counts : int32 [number of patterns present, C]
        Class counts of the base rule's rows in each of them.
    entry_start : int64 [B, number of slots + 1]
        Entries of a slot; none for features that were not asked for.
    entry : int32
        Code of an entry: its pattern's place among those present in the base, times C, plus the class.
    weight : int32
        Number of rows of an entry; a code may come more than once.
    """

    start: NDArray[np.int32]
    pattern: NDArray[np.int32]
    counts: NDArray[np.int32]
    entry_start: NDArray[np.int64]
    entry: NDArray[np.int32]
    weight: NDArray[np.int32]


class Rows(Protocol):
    """A table of rows with the pattern of each row under the present rule set.

    What `count` and `count_patterns` return may be overwritten when the same thread calls them again.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def n_covered(self) -> int:
        """Number of rows that the rule set covers."""

    @property
    def patterns(self) -> Patterns:
        """The observed patterns and their class counts."""

    def value_counts(self, rule: Rule) -> tuple[int, ...]:
        """Return K_value of each literal of a rule, of the rule set or not."""

    def patterns_with(self, rule: Bases) -> Patterns:
        """Return the patterns that one more rule (a batch of one) would make."""

    def add_rule(self, rule: Bases) -> None:
        """Add one rule (a batch of one) to the rule set."""

    def put_rule(self, rule: Bases, place: int) -> None:
        """Add one rule (a batch of one) as the rule of this number."""

    def take_rule(self, place: int) -> None:
        """Take the rule of this number out of the rule set."""

    def count(self, bases: Bases, wanted: NDArray[np.bool_]) -> Counts:
        """Return class counts per (feature, bin) of each base rule for the features wanted [d]."""

    def count_patterns(self, counts: Counts, wanted: NDArray[np.bool_]) -> PatternCounts:
        """Return class counts per (feature, bin, pattern) for the features wanted [B, d]."""


def slot_starts(schema: Schema) -> NDArray[np.int32]:
    """Return the first slot of each feature, and the number of slots at the end [d + 1]."""
    sizes = [feature.n_bins + 2 for feature in schema.features]
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
