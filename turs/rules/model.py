"""A rule set with the class counts of its patterns: all that scoring by counts and prediction need.

A pattern is the exact set of rules that covers a row; the empty pattern is the else rule. The class counts of any
rule, and of any union of rules, are sums over patterns, so a model predicts without its training rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from turs.rules.rule import RuleSet


@dataclass(frozen=True)
class Pattern:
    """The training rows covered by exactly these rules, counted by class."""

    rules: tuple[str, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Model:
    """A rule set and its patterns.

    Parameters
    ----------
    rule_set : RuleSet
        The rules and their schema.
    patterns : tuple of Pattern
        Observed patterns, the else rule (empty pattern) included where it has rows; rule ids in rule-set order.
    info : dict
        What a reader wants to know beside the model (settings, bits, versions): plain JSON values.
    """

    rule_set: RuleSet
    patterns: tuple[Pattern, ...]
    info: dict[str, Any] = field(default_factory=dict, compare=False)
