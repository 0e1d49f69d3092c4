"""Edits of single literals of a rule."""

from __future__ import annotations

from dataclasses import dataclass

from turs.editing.edit import Edit
from turs.editing.version import Version
from turs.errors import EditError
from turs.rules.literal import Interval, LevelSet, Literal, is_number
from turs.rules.text import told_literal, told_number


@dataclass(frozen=True)
class MoveCut(Edit):
    """Move one cut of an interval, or both.

    Parameters
    ----------
    rule, feature : str
        The rule, and the feature of its interval.
    low, high : float or None
        The new cuts; None leaves that side as it is.
    """

    rule: str
    feature: str
    low: float | None = None
    high: float | None = None

    def apply(self, version: Version) -> Version:
        """Return the version with the cuts moved."""
        return _replaced(version, self.rule, self.feature, self.moved(version))

    def moved(self, version: Version) -> Interval:
        """Return the interval after the move, which may be inside out."""
        before = version.literal(self.rule, self.feature)
        if not isinstance(before, Interval):
            raise EditError(f"The literal of {self.rule} on '{self.feature}' has no cut to move: replace the literal.")
        if self.low is None and self.high is None:
            raise EditError(f"No new cut of '{self.feature}' is given: say where to move the lower or the upper one.")
        cuts: dict[str, float | None] = {}
        for side, new, old in (("low", self.low, before.low), ("high", self.high, before.high)):
            if new is not None and old is None:
                which, sign = ("lower", ">=") if side == "low" else ("upper", "<")
                raise EditError(
                    f"The literal of {self.rule} on '{self.feature}' has no {which} cut: replace it by one with {sign}."
                )
            cuts[side] = old if new is None else checked_cut(new, self.feature)
        return Interval(self.feature, **cuts)

    def describe(self, version: Version) -> str:
        """Say which cut moves from where to where."""
        before, after = version.literal(self.rule, self.feature), self.moved(version)
        feature = version.grid.feature(self.feature)
        assert isinstance(before, Interval)  # `moved` has checked it
        moves = [
            f"the {which} cut of {self.feature} from {told_number(old, feature)} to {told_number(new, feature)}"
            for which, old, new in (("lower", before.low, after.low), ("upper", before.high, after.high))
            if old is not None and new is not None and old != new
        ]
        return f"In {self.rule}, move {' and '.join(moves) or f'no cut of {self.feature}'}"


@dataclass(frozen=True)
class ReplaceLiteral(Edit):
    """Put another literal in the place of the one on `feature`; it may be on another feature."""

    rule: str
    feature: str
    literal: Literal

    def apply(self, version: Version) -> Version:
        """Return the version with the literal replaced."""
        return _replaced(version, self.rule, self.feature, self.literal)

    def describe(self, version: Version) -> str:
        """Say what is replaced by what."""
        before = told_literal(version.literal(self.rule, self.feature), version.grid)
        return f"In {self.rule}, replace {before} by {told_literal(self.literal, version.grid)}"


@dataclass(frozen=True)
class AddLiteral(Edit):
    """Add a literal at the end of a rule."""

    rule: str
    literal: Literal

    def apply(self, version: Version) -> Version:
        """Return the version with one more literal."""
        return version.with_literals(self.rule, (*version.rule(self.rule).literals, self.literal))

    def describe(self, version: Version) -> str:
        """Say what is added."""
        return f"In {self.rule}, add {told_literal(self.literal, version.grid)}"


@dataclass(frozen=True)
class RemoveLiteral(Edit):
    """Take the literal on a feature out of a rule."""

    rule: str
    feature: str

    def apply(self, version: Version) -> Version:
        """Return the version with one literal less."""
        gone = version.literal(self.rule, self.feature)
        left = tuple(literal for literal in version.rule(self.rule).literals if literal is not gone)
        if not left:
            raise EditError(f"'{self.feature}' is the only literal of {self.rule}: delete the rule instead.")
        return version.with_literals(self.rule, left)

    def describe(self, version: Version) -> str:
        """Say what is removed."""
        return f"In {self.rule}, remove {told_literal(version.literal(self.rule, self.feature), version.grid)}"


@dataclass(frozen=True)
class ChangeLevels(Edit):
    """Give the level set of a rule on a feature other levels."""

    rule: str
    feature: str
    levels: tuple[str, ...]

    def apply(self, version: Version) -> Version:
        """Return the version with the other levels."""
        if not isinstance(version.literal(self.rule, self.feature), LevelSet):
            raise EditError(f"The literal of {self.rule} on '{self.feature}' is no set of levels: replace the literal.")
        return _replaced(version, self.rule, self.feature, LevelSet(self.feature, self.levels))

    def describe(self, version: Version) -> str:
        """Say which levels come and go."""
        before = version.literal(self.rule, self.feature)
        old = before.levels if isinstance(before, LevelSet) else ()
        came = [level for level in self.levels if level not in old]
        went = [level for level in old if level not in self.levels]
        parts = [f"{verb} {', '.join(levels)}" for verb, levels in (("add", came), ("take out", went)) if levels]
        return f"In {self.rule}, among the levels of {self.feature}, {' and '.join(parts) or 'change nothing'}"


@dataclass(frozen=True)
class ReorderLiterals(Edit):
    """Put the literals of a rule into another order: the rows stay the same, the bits of the condition may change."""

    rule: str
    features: tuple[str, ...]

    def apply(self, version: Version) -> Version:
        """Return the version with the literals in this order."""
        present = tuple(literal.feature for literal in version.rule(self.rule).literals)
        if not isinstance(self.features, tuple | list) or sorted(present) != sorted(map(str, self.features)):
            raise EditError(f"The new order of {self.rule} names each of its features once: {', '.join(present)}.")
        return version.with_literals(self.rule, tuple(version.literal(self.rule, name) for name in self.features))

    def describe(self, version: Version) -> str:
        """Say the new order."""
        return f"In {self.rule}, put the literals in the order {', '.join(self.features)}"


def _replaced(version: Version, rule_id: str, feature: str, literal: Literal) -> Version:
    """Return the version where the literal on `feature` is another one."""
    before = version.literal(rule_id, feature)
    literals = tuple(literal if part is before else part for part in version.rule(rule_id).literals)
    return version.with_literals(rule_id, literals)


def checked_cut(value: float, feature: str) -> float:
    """Return a cut as a float, or raise where it is none."""
    if not is_number(value):
        raise EditError(f"The cut {value!r} of '{feature}' is not a number: give a finite one.")
    return float(value) + 0.0  # no negative zero
