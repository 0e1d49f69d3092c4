"""What an export says of each rule and of the else rule, before it is laid out; texts that stay on their line."""

from __future__ import annotations

from dataclasses import dataclass

from turs.predict import patterns_of, rule_probabilities, union_probabilities
from turs.rules.literal import Literal
from turs.rules.model import Model
from turs.rules.rule import RuleSet
from turs.rules.schema import Feature
from turs.rules.text import format_condition

_KEPT = "\u200c\u200d\u00a0"
"""Characters without a shape of their own that do no harm: joiners of letters and emoji, the no-break space."""


@dataclass(frozen=True)
class RuleLine:
    """One rule, or the else rule, whose id and condition are empty.

    Parameters
    ----------
    id : str
        Id of the rule.
    condition : str
        Its literals joined by AND, on one line.
    counts : tuple of int
        Training rows of each class that it covers.
    probabilities : tuple of float
        Class probabilities.
    """

    id: str
    condition: str
    counts: tuple[int, ...]
    probabilities: tuple[float, ...]

    @property
    def coverage(self) -> int:
        """Training rows that it covers."""
        return sum(self.counts)


def rule_lines(model: Model) -> list[RuleLine]:
    """Return a line for each rule, in order, and one for the else rule."""
    rule_set = model.rule_set
    patterns = patterns_of(model)
    lines = [
        RuleLine(rule.id, condition_of(rule.literals, rule_set), tuple(counts), tuple(own))
        for rule, counts, own in zip(
            rule_set.rules, patterns.rule_counts.tolist(), rule_probabilities(patterns).tolist(), strict=True
        )
    ]
    otherwise = union_probabilities(patterns, patterns.members[:1])[0].tolist()
    return [*lines, RuleLine("", "", tuple(patterns.counts[0].tolist()), tuple(otherwise))]


def condition_of(literals: tuple[Literal, ...], rule_set: RuleSet) -> str:
    """Return literals joined by AND, on one line."""
    return one_line(format_condition(literals, rule_set.schema))


def used_features(rule_set: RuleSet) -> list[Feature]:
    """Return the features that the rules ask for, in the order of the schema."""
    used = {literal.feature for rule in rule_set.rules for literal in rule.literals}
    return [feature for feature in rule_set.schema.features if feature.name in used]


def one_line(text: str) -> str:
    """Return a text in which line breaks and other characters that cannot be seen are written as escapes."""
    return "".join(
        char if char.isprintable() or char in _KEPT else char.encode("unicode_escape").decode() for char in text
    )


def title_of(model: Model) -> str:
    """Return what the model is, on one line."""
    n_rules, n_rows = len(model.rule_set.rules), sum(sum(pattern.counts) for pattern in model.patterns)
    rules = f"{n_rules:,} rule{'' if n_rules == 1 else 's'}"
    rows = f"{n_rows:,} row{'' if n_rows == 1 else 's'}"
    return f"{one_line(model.rule_set.schema.target)}: {rules} from {rows}"
