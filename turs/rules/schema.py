"""The columns that a rule set speaks about: features with their candidate cuts or levels, and the classes.

A schema is learned from the training rows and stays fixed: it says which bin a value falls into. Bins of a feature
are numbered 0 to `n_bins - 1`; `other_bin` holds levels that the schema does not know, `missing_bin` missing values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from turs.errors import RuleError, nearest

MAX_BINS = 254
"""Most bins of a feature: two more codes (other, missing) have to fit into uint8."""

MAX_CLASSES = 16_383
"""Most classes: a class of covered and of uncovered rows has to fit into int16."""


class Kind(StrEnum):
    """What the values of a feature are. A boolean column is categorical with two levels."""

    NUMERIC = "numeric"
    DATE = "date"
    CATEGORICAL = "categorical"


@dataclass(frozen=True)
class Feature:
    """A column that literals may use.

    Parameters
    ----------
    name : str
        Column name, unique in the schema.
    kind : Kind
        A date is a number (seconds since 1970-01-01) that is shown as a date.
    cuts : tuple of float
        Ascending candidate cuts of a numeric or date feature: bin b holds cuts[b - 1] <= x < cuts[b].
    levels : tuple of str
        Levels of a categorical feature, one bin each.
    has_missing : bool
        Whether the training rows had missing values here.
    """

    name: str
    kind: Kind
    cuts: tuple[float, ...] = ()
    levels: tuple[str, ...] = ()
    has_missing: bool = False

    @property
    def is_categorical(self) -> bool:
        """Whether literals on this feature are level sets."""
        return self.kind is Kind.CATEGORICAL

    @property
    def n_bins(self) -> int:
        """Number of bins that hold known values."""
        return len(self.levels) if self.is_categorical else len(self.cuts) + 1

    @property
    def other_bin(self) -> int:
        """Bin of levels that the schema does not know."""
        return self.n_bins

    @property
    def missing_bin(self) -> int:
        """Bin of missing values."""
        return self.n_bins + 1

    def with_cut(self, cut: float) -> Feature:
        """Return this feature with `cut` among its candidate cuts."""
        if cut in self.cuts:
            return self
        if len(self.cuts) + 2 > MAX_BINS:
            raise RuleError(
                f"'{self.name}' has {len(self.cuts)} candidate cuts already, the most it can have: use one of them."
            )
        return replace(self, cuts=tuple(sorted((*self.cuts, cut))))


@dataclass(frozen=True)
class Schema:
    """Target, classes and features of a rule set.

    Parameters
    ----------
    target : str
        Name of the class column.
    classes : tuple of str
        Class labels as text, in the order of all count and probability vectors.
    features : tuple of Feature
        The columns that the model may use; their number is K_col of the model code.
    """

    target: str
    classes: tuple[str, ...]
    features: tuple[Feature, ...]

    @cached_property
    def cut_sets(self) -> dict[str, frozenset[float]]:
        """Candidate cuts of each feature."""
        return {feature.name: frozenset(feature.cuts) for feature in self.features}

    @cached_property
    def _position(self) -> dict[str, int]:
        return {feature.name: index for index, feature in enumerate(self.features)}

    def index(self, name: str) -> int:
        """Return the position of the feature called `name`."""
        try:
            return self._position[name]
        except (KeyError, TypeError):  # a list, say, cannot even be looked up
            raise RuleError(f"There is no feature '{name}'.{nearest(name, self._position)}") from None

    def feature(self, name: str) -> Feature:
        """Return the feature called `name`."""
        return self.features[self.index(name)]

    def with_feature(self, feature: Feature) -> Schema:
        """Return this schema with the feature of the same name replaced."""
        index = self.index(feature.name)
        return replace(self, features=(*self.features[:index], feature, *self.features[index + 1 :]))
