"""What a rule set is: schema, literals, rules, patterns, their text form and their document on disk."""

from turs.rules.document import dumps, from_document, load, loads, save, to_document
from turs.rules.literal import Interval, LevelSet, Literal, Missingness, check_literal, checked_literal
from turs.rules.model import Model, Pattern
from turs.rules.rule import Rule, RuleSet, check_rule, with_cuts
from turs.rules.schema import MAX_BINS, Feature, Kind, Schema
from turs.rules.text import (
    format_condition,
    format_literal,
    format_number,
    format_rule,
    parse_condition,
    parse_literal,
    parse_number,
    parse_rule,
)

__all__ = [
    "MAX_BINS",
    "Feature",
    "Interval",
    "Kind",
    "LevelSet",
    "Literal",
    "Missingness",
    "Model",
    "Pattern",
    "Rule",
    "RuleSet",
    "Schema",
    "check_literal",
    "check_rule",
    "checked_literal",
    "dumps",
    "format_condition",
    "format_literal",
    "format_number",
    "format_rule",
    "from_document",
    "load",
    "loads",
    "parse_condition",
    "parse_literal",
    "parse_number",
    "parse_rule",
    "save",
    "to_document",
    "with_cuts",
]
