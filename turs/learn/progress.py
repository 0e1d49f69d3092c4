"""What the learner tells while it works, and what it gives in the end."""

from __future__ import annotations

from dataclasses import dataclass

from turs.learn.settings import Exponents
from turs.rules.rule import Rule, RuleSet


@dataclass(frozen=True)
class Step:
    """A change that the learner made to its rule set.

    Parameters
    ----------
    action : str
        "added", "replaced" (the rule of the same id) or "removed".
    rule : Rule
        The rule.
    total_bits : float
        MDL score of the rule set after it, as the learner counted it.
    covered : int
        Rows that the rule set covers after it.
    seconds : float
        Time since learning began.
    """

    action: str
    rule: Rule
    total_bits: float
    covered: int
    seconds: float


@dataclass(frozen=True)
class Progress:
    """Where the learner is: told after every level of the growth of a rule.

    Parameters
    ----------
    search, n_searches : int
        Which rule set of the portfolio is being learned, from 1.
    looking_at : str or None
        The rule that is given a second look, None while rules are added.
    rules : tuple of Rule
        Rules found so far in this rule set.
    level : int
        Level of the growth of the next rule.
    best : Rule or None
        Its best candidate so far.
    total_bits : float
        MDL score of the rules found so far.
    covered, n_rows : int
        Rows that these rules cover, and all rows.
    seconds : float
        Time since learning began.
    """

    search: int
    n_searches: int
    looking_at: str | None
    rules: tuple[Rule, ...]
    level: int
    best: Rule | None
    total_bits: float
    covered: int
    n_rows: int
    seconds: float


@dataclass(frozen=True)
class Learned:
    """What learning gave.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    total_bits : float
        MDL score as the learner counted it.
    steps : tuple of Step
        How the rule set came about.
    exponents : Exponents
        The search of the portfolio that won.
    stopped : bool
        Whether the learner was stopped before it was done.
    seconds : float
        Time it took.
    """

    rule_set: RuleSet
    total_bits: float
    steps: tuple[Step, ...]
    exponents: Exponents
    stopped: bool
    seconds: float
