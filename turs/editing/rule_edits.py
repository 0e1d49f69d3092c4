"""Edits of whole rules."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from turs.editing.edit import Edit
from turs.editing.literal_edits import checked_cut
from turs.editing.merging import merged_literals
from turs.editing.version import Note, Version
from turs.errors import EditError, LockedRuleError
from turs.rules.literal import Interval, Literal, Missingness
from turs.rules.rule import Rule
from turs.rules.text import told_condition, told_number


@dataclass(frozen=True)
class _NewRule(Edit):
    """An edit that makes a rule; `new_id` is the id of that rule, given when the edit is made."""

    new_id: str | None = field(default=None, kw_only=True)

    def pinned(self, version: Version) -> Self:
        """Return this edit as it is kept, with the id of the rule that it makes."""
        return replace(super().pinned(version), new_id=self.id_in(version))

    def id_in(self, version: Version) -> str:
        """Return the id of the new rule, which no rule may have."""
        if self.new_id is None:
            return version.next_id
        if not isinstance(self.new_id, str):
            raise EditError(f"{self.new_id!r} is no id of a rule: give a text such as {version.next_id}, or none.")
        if self.new_id in version.ids:
            raise EditError(f"There is a rule {self.new_id} already.")
        return self.new_id


@dataclass(frozen=True)
class AddRule(_NewRule):
    """Add a rule."""

    literals: tuple[Literal, ...]

    def apply(self, version: Version) -> Version:
        """Return the version with the rule at the end."""
        return version.with_rule(Rule(self.id_in(version), self.literals))

    def describe(self, version: Version) -> str:
        """Say what the rule is."""
        return f"Add {self.id_in(version)}: IF {told_condition(self.literals, version.grid)}"


@dataclass(frozen=True)
class ReplaceCondition(Edit):
    """Give a rule another condition as a whole; its id, its notes and its place stay."""

    rule: str
    literals: tuple[Literal, ...]

    def apply(self, version: Version) -> Version:
        """Return the version where the rule has these literals."""
        return version.with_literals(self.rule, self.literals)

    def describe(self, version: Version) -> str:
        """Say what the rule was and what it becomes."""
        before = told_condition(version.rule(self.rule).literals, version.grid)
        return f"Rewrite {self.rule} from {before} to {told_condition(self.literals, version.grid)}"


@dataclass(frozen=True)
class DuplicateRule(_NewRule):
    """Add a rule with the literals of another one, to be changed from there."""

    rule: str

    def apply(self, version: Version) -> Version:
        """Return the version with the copy at the end."""
        return version.with_rule(Rule(self.id_in(version), version.rule(self.rule).literals))

    def describe(self, version: Version) -> str:
        """Say what is copied."""
        return f"Duplicate {self.rule} as {self.id_in(version)}"


@dataclass(frozen=True)
class DeleteRule(Edit):
    """Delete a rule."""

    rule: str

    def apply(self, version: Version) -> Version:
        """Return the version without the rule."""
        return version.without_rule(self.rule)

    def describe(self, version: Version) -> str:
        """Say what is deleted."""
        return f"Delete {self.rule}: IF {told_condition(version.rule(self.rule).literals, version.grid)}"


@dataclass(frozen=True)
class SplitRule(_NewRule):
    """Divide a rule at a cut: it keeps the rows below, a new rule gets those from the cut on."""

    rule: str
    feature: str
    cut: float

    def apply(self, version: Version) -> Version:
        """Return the version with two rules instead of one."""
        rule = version.free_rule(self.rule)
        if version.grid.feature(self.feature).is_categorical:
            raise EditError(f"'{self.feature}' is categorical and has no cut to split at: take a numeric feature.")
        below, above = self._halves(rule, checked_cut(self.cut, self.feature))
        new = Rule(self.id_in(version), _with_literal(rule.literals, above))
        return version.with_rule(replace(rule, literals=_with_literal(rule.literals, below))).with_rule(new)

    def describe(self, version: Version) -> str:
        """Say where the rule is divided."""
        at = told_number(self.cut, version.grid.feature(self.feature))
        return f"Split {self.rule} at {self.feature} = {at}; the part from there on becomes {self.id_in(version)}"

    def _halves(self, rule: Rule, cut: float) -> tuple[Interval, Interval]:
        """Return the literals below and above the cut."""
        low = high = None
        for literal in rule.literals:
            if literal.feature != self.feature:
                continue
            if isinstance(literal, Interval):
                low, high = literal.low, literal.high
            elif isinstance(literal, Missingness) and literal.missing:
                raise EditError(f"{rule.id} covers rows where '{self.feature}' is missing: there is nothing to split.")
        if (low is not None and cut <= low) or (high is not None and cut >= high):
            raise EditError(f"The cut {cut:g} lies outside of {rule.id}'s interval of '{self.feature}'.")
        return Interval(self.feature, low, cut), Interval(self.feature, cut, high)


@dataclass(frozen=True)
class MergeRules(Edit):
    """Make one rule of two: the tightest condition, over the features that both have, that holds where either did."""

    rule: str
    other: str

    def apply(self, version: Version) -> Version:
        """Return the version where `rule` is the merged rule and `other` is gone."""
        first, second = version.free_rule(self.rule), version.free_rule(self.other)
        if first is second:
            raise EditError(f"{self.rule} cannot be merged with itself: name two rules.")
        literals = merged_literals(first, second, version.grid)
        if not literals:
            raise EditError(f"{self.rule} and {self.other} have no condition in common to be kept.")
        return version.without_rule(self.other).with_literals(self.rule, literals)

    def describe(self, version: Version) -> str:
        """Say what the merged rule is."""
        literals = merged_literals(version.rule(self.rule), version.rule(self.other), version.grid)
        return f"Merge {self.other} into {self.rule}: IF {told_condition(literals, version.grid)}"


@dataclass(frozen=True)
class LockRule(Edit):
    """Lock a rule: nothing may change it until it is unlocked."""

    rule: str

    def apply(self, version: Version) -> Version:
        """Return the version with the rule locked."""
        return replace(version, locked=version.locked | {version.rule(self.rule).id})

    def describe(self, version: Version) -> str:
        """Say what is locked."""
        return f"Lock {self.rule}"


@dataclass(frozen=True)
class UnlockRule(Edit):
    """Unlock a rule."""

    rule: str

    def apply(self, version: Version) -> Version:
        """Return the version with the rule unlocked."""
        return replace(version, locked=version.locked - {version.rule(self.rule).id})

    def describe(self, version: Version) -> str:
        """Say what is unlocked."""
        return f"Unlock {self.rule}"


@dataclass(frozen=True)
class AttachNote(Edit):
    """Write a note on a rule; an empty one takes the notes off it."""

    rule: str
    text: str

    def apply(self, version: Version) -> Version:
        """Return the version with the note, or without those that the rule had."""
        if not isinstance(self.text, str):
            raise EditError(f"The note is {self.text!r}: write a text.")
        rule_id = version.rule(self.rule).id
        if self.text.strip():
            return replace(version, notes=(*version.notes, Note(rule_id, self.text)))
        kept = tuple(note for note in version.notes if note.rule != rule_id)
        if kept == version.notes:
            raise EditError("The note is empty: write something.")
        return replace(version, notes=kept)

    def describe(self, version: Version) -> str:
        """Say what the note says."""
        words = " ".join(self.text.split())
        return f"Note on {self.rule}: {words}" if words else f"Take the note off {self.rule}"


@dataclass(frozen=True)
class AcceptRules(Edit):
    """Take over a rule set that was learned again around the rules that stay.

    Parameters
    ----------
    rules : tuple of Rule
        All rules, those that stay included: the outcome of learning, so that a replay does not learn again.
    """

    rules: tuple[Rule, ...]

    def apply(self, version: Version) -> Version:
        """Return the version with these rules; locked rules have to be among them, unchanged."""
        if not isinstance(self.rules, tuple | list):
            raise EditError(f"The relearned rules are {self.rules!r}: give a tuple of rules.")
        after = version.with_rules(tuple(self.rules))
        if len(set(after.ids)) < len(after.ids):
            raise EditError("Two of the relearned rules have the same id.")
        for rule_id in sorted(version.locked & set(version.ids)):
            if version.rule(rule_id) not in after.rules:
                raise LockedRuleError(f"Rule {rule_id} is locked, but the relearned rules do not hold it as it is.")
        return after

    def describe(self, version: Version) -> str:
        """Say how much of the rules stays."""
        present = {rule.id: rule for rule in version.rules}
        kept = sum(present.get(rule.id) == rule for rule in self.rules)
        return f"Take over {len(self.rules)} relearned rules, {kept} of them as they were"


def _with_literal(literals: tuple[Literal, ...], literal: Literal) -> tuple[Literal, ...]:
    """Return literals with that on the same feature replaced, or one more at the end."""
    if all(part.feature != literal.feature for part in literals):
        return (*literals, literal)
    return tuple(literal if part.feature == literal.feature else part for part in literals)
