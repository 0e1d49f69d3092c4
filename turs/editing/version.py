"""What edits change: rules with their locks and notes. A version is a value; every edit makes a new one.

The candidate cuts of a version are those of the grid it was learned on and the cuts that its rules use. A cut that a
person typed is a candidate while some rule has it, and only then; so the bits of a version depend on its rules alone,
not on the way that led to them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from turs.errors import EditError, LockedRuleError, nearest
from turs.rules.literal import Interval, LevelSet, Literal, Missingness, checked_literal
from turs.rules.rule import Rule, RuleSet, check_rule, with_cuts
from turs.rules.schema import Schema

_MOST_DIGITS = 18
"""Of the number of an id; longer ones are names."""


@dataclass(frozen=True)
class Note:
    """What a person wrote about a rule."""

    rule: str
    text: str


@dataclass(frozen=True)
class Version:
    """Rules between two edits.

    Parameters
    ----------
    grid : Schema
        What the rules were learned on; its candidate cuts are there whatever the rules are.
    rules : tuple of Rule
        In the order of the rule set.
    locked : frozenset of str
        Ids of rules that nobody may change.
    notes : tuple of Note
        In the order in which they were written; notes of deleted rules stay.
    last_id : int
        Highest number that an id r1, r2, ... has had: ids are never given twice.
    """

    grid: Schema
    rules: tuple[Rule, ...] = ()
    locked: frozenset[str] = frozenset()
    notes: tuple[Note, ...] = ()
    last_id: int = 0

    @cached_property
    def rule_set(self) -> RuleSet:
        """The rules with the candidate cuts of the grid and of their own."""
        schema, on_grid = self.grid, self.grid.cut_sets
        for rule in self.rules:
            for literal in rule.literals:
                if isinstance(literal, Interval) and not _cuts(literal) <= on_grid[literal.feature]:
                    schema = with_cuts(schema, rule)
        return RuleSet(schema, self.rules)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the rules."""
        return tuple(rule.id for rule in self.rules)

    @property
    def next_id(self) -> str:
        """The id of the next new rule."""
        return f"r{self.last_id + 1}"

    def rule(self, rule_id: str) -> Rule:
        """Return a rule; raise an `EditError` that says where it went or which is meant."""
        if isinstance(rule_id, str):
            for rule in self.rules:
                if rule.id == rule_id:
                    return rule
            if 0 < _number(rule_id) <= self.last_id:
                raise EditError(f"Rule {rule_id} is not there any more: undo its deletion first, or take another rule.")
        known = ", ".join(self.ids) or "none"
        raise EditError(f"There is no rule '{rule_id}'. Rules: {known}.{nearest(rule_id, self.ids)}")

    def free_rule(self, rule_id: str) -> Rule:
        """Return a rule that may be changed."""
        rule = self.rule(rule_id)
        if rule_id in self.locked:
            raise LockedRuleError(f"Rule {rule_id} is locked: unlock it first.")
        return rule

    def literal(self, rule_id: str, feature: str) -> Literal:
        """Return the literal of a rule on a feature."""
        rule = self.rule(rule_id)
        self.grid.index(feature)  # raises where there is no such feature at all
        for literal in rule.literals:
            if literal.feature == feature:
                return literal
        names = [literal.feature for literal in rule.literals]
        raise EditError(
            f"Rule {rule_id} has no literal on '{feature}'. It has: {', '.join(names)}.{nearest(feature, names)}"
        )

    def note_on(self, rule_id: str) -> str:
        """Return the last note on a rule; empty where there is none."""
        return next((note.text for note in reversed(self.notes) if note.rule == rule_id), "")

    def with_rule(self, rule: Rule) -> Version:
        """Return this version with `rule` in the place of the rule of that id, or at the end where there is none."""
        rule = self.checked(rule)
        if rule.id in self.ids:
            self.free_rule(rule.id)
            return replace(self, rules=tuple(rule if other.id == rule.id else other for other in self.rules))
        return replace(self, rules=(*self.rules, rule), last_id=max(self.last_id, _number(rule.id)))

    def checked(self, rule: Rule) -> Rule:
        """Return a rule with its literals as the grid has them; raise where it cannot stand on the grid."""
        if not isinstance(rule, Rule):
            raise EditError(f"{rule!r} is no rule: build one from an id and literals.")
        if not isinstance(rule.id, str) or not rule.id.strip():
            raise EditError(f"{rule.id!r} is no id of a rule: give a text such as {self.next_id}.")
        if not isinstance(rule.literals, tuple | list):
            raise EditError(f"{rule.literals!r} is no tuple of literals: read a text with parse_condition.")
        rule = Rule(rule.id, tuple(self.on_grid(part) for part in rule.literals))
        check_rule(rule, self.grid)
        return rule

    def on_grid(self, literal: Literal) -> Literal:
        """Return a literal as the grid has it; raise where it cannot stand on the grid."""
        if not isinstance(literal, Interval | LevelSet | Missingness):
            raise EditError(f"{literal!r} is no literal: build one, or read a condition as text with parse_condition.")
        return checked_literal(literal, self.grid.feature(literal.feature))

    def with_rules(self, rules: tuple[Rule, ...]) -> Version:
        """Return this version with other rules, locks aside; those that it has already need no check."""
        own = set(map(id, self.rules))
        checked = tuple(rule if id(rule) in own else self.checked(rule) for rule in rules)
        return replace(self, rules=checked, last_id=max((self.last_id, *(_number(rule.id) for rule in checked))))

    def with_literals(self, rule_id: str, literals: tuple[Literal, ...]) -> Version:
        """Return this version where a rule has these literals."""
        return self.with_rule(replace(self.free_rule(rule_id), literals=literals))

    def without_rule(self, rule_id: str) -> Version:
        """Return this version without a rule."""
        gone = self.free_rule(rule_id)
        return replace(self, rules=tuple(rule for rule in self.rules if rule is not gone))


def first_version(rule_set: RuleSet) -> Version:
    """Return a rule set before any edit."""
    return Version(
        rule_set.schema, rule_set.rules, last_id=max((_number(rule.id) for rule in rule_set.rules), default=0)
    )


def _cuts(literal: Interval) -> set[float]:
    """Return the cuts of an interval."""
    return {cut for cut in (literal.low, literal.high) if cut is not None}


def _number(rule_id: str) -> int:
    """Return the number of an id such as r12; 0 where it has none."""
    digits = rule_id[1:]
    is_one = rule_id[:1] == "r" and digits.isascii() and digits.isdecimal() and digits[0] != "0"
    return int(digits) if is_one and len(digits) <= _MOST_DIGITS else 0
