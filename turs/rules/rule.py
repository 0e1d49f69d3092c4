"""A rule and a rule set: immutable values that hold no rows, no search state and no display text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from turs.errors import RuleError, nearest
from turs.page import table
from turs.rules.literal import Interval, Literal, check_literal
from turs.rules.schema import Schema


@dataclass(frozen=True)
class Rule:
    """IF all `literals` hold; its class probabilities come from the rows it covers.

    Parameters
    ----------
    id : str
        Stable name such as `r3`; edits name ids, never positions.
    literals : tuple of Literal
        One a feature, in the order in which the features entered the rule (the order matters for the model code).
    """

    id: str
    literals: tuple[Literal, ...]


@dataclass(frozen=True)
class RuleSet:
    """A truly unordered rule set over a schema. Editing returns a new one."""

    schema: Schema
    rules: tuple[Rule, ...] = ()

    @cached_property
    def _by_id(self) -> dict[str, Rule]:
        return {rule.id: rule for rule in self.rules}

    def __str__(self) -> str:
        """Return the rules as text, one a line."""
        from turs.rules.text import format_rule  # it imports rules in turn

        lines = [format_rule(rule, self.schema, with_id=True) for rule in self.rules]
        return "\n".join(lines) or "no rules: the else rule covers every row"

    def _repr_html_(self) -> str:
        """Return the rules as a table for a notebook."""
        from turs.rules.text import format_condition  # it imports rules in turn

        rows = [(rule.id, f"IF {format_condition(rule.literals, self.schema)}") for rule in self.rules]
        return table(("rule", "condition"), rows).markup

    @property
    def n_literals(self) -> int:
        """Number of literals of all rules."""
        return sum(len(rule.literals) for rule in self.rules)

    def rule(self, rule_id: str) -> Rule:
        """Return the rule called `rule_id`."""
        try:
            return self._by_id[rule_id]
        except KeyError:
            known = ", ".join(self._by_id) or "none"
            raise RuleError(f"There is no rule '{rule_id}'. Rules: {known}.{nearest(rule_id, self._by_id)}") from None

    def next_id(self) -> str:
        """Return the first id of the form r1, r2, ... above all present ones."""
        numbers = [int(rule.id[1:]) for rule in self.rules if rule.id[:1] == "r" and rule.id[1:].isdecimal()]
        return f"r{max(numbers, default=0) + 1}"

    def with_rule(self, rule: Rule) -> RuleSet:
        """Return this rule set with `rule` added at the end; its off-grid cuts join the schema."""
        check_rule(rule, self.schema)
        if rule.id in self._by_id:
            raise RuleError(f"There is a rule '{rule.id}' already.")
        return RuleSet(with_cuts(self.schema, rule), (*self.rules, rule))

    def without_rule(self, rule_id: str) -> RuleSet:
        """Return this rule set without one rule."""
        gone = self.rule(rule_id)
        return replace(self, rules=tuple(rule for rule in self.rules if rule is not gone))

    def replace_rule(self, rule: Rule) -> RuleSet:
        """Return this rule set with the rule of the same id replaced; off-grid cuts join the schema."""
        old = self.rule(rule.id)
        check_rule(rule, self.schema)
        return RuleSet(with_cuts(self.schema, rule), tuple(rule if r is old else r for r in self.rules))


def check_rule(rule: Rule, schema: Schema) -> None:
    """Raise a `RuleError` where `rule` cannot stand on `schema`."""
    if not rule.literals:
        raise RuleError(f"Rule {rule.id} has no literal: a rule without conditions is the else rule.")
    for literal in rule.literals:
        check_literal(literal, schema.feature(literal.feature))
    repeated = [name for name, times in Counter(literal.feature for literal in rule.literals).items() if times > 1]
    if repeated:
        raise RuleError(f"Rule {rule.id} has two literals on '{repeated[0]}': join them into one.")


def with_cuts(schema: Schema, rule: Rule) -> Schema:
    """Return `schema` with the cuts of `rule` among its candidate cuts."""
    for literal in rule.literals:
        if isinstance(literal, Interval):
            for cut in (literal.low, literal.high):
                if cut is not None:
                    feature = schema.feature(literal.feature)
                    widened = feature.with_cut(cut)
                    if widened is not feature:
                        schema = schema.with_feature(widened)
    return schema
