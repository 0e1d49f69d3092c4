"""How much there is to read: of the rule set as a whole, and for a single prediction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turs.evaluate.forecast import Forecast
from turs.evaluate.plain import PlainValue


@dataclass(frozen=True)
class Complexity(PlainValue):
    """Sizes of a rule set.

    Parameters
    ----------
    n_rules, n_literals, longest_rule : int
        Numbers of rules and of literals of all rules (the paper's model complexity), and literals of the longest rule.
    literals_read_covered : float
        Literals of the rules that fire, in the mean over the rows that a rule covers: what explains such a prediction.
        NaN where no row is covered.
    literals_read_else : int
        Literals behind a prediction of the else rule. Its reason is that no rule applies, which takes reading them
        all: every literal of every rule. (One failing literal a rule would do for a reader who guesses it first; how
        many that are depends on the order of reading, so the upper end is reported.)
    literals_read : float
        Mean over all rows, each with its share of the two above; NaN where there is no row.
    else_share : float
        Share of the rows that the else rule predicts; NaN where there is no row.
    """

    n_rules: int
    n_literals: int
    longest_rule: int
    literals_read_covered: float
    literals_read_else: int
    literals_read: float
    else_share: float


def complexity(forecast: Forecast) -> Complexity:
    """Return how much there is to read in a rule set, and for the predictions of these rows."""
    lengths = np.array([len(rule.literals) for rule in forecast.rule_set.rules], dtype=np.int64)
    n_literals = int(lengths.sum())
    covered, n_rows = forecast.n_covered_rows, forecast.n_rows
    read = int(forecast.rows.members.astype(np.int64) @ lengths @ forecast.n_of_pattern)
    n_else = n_rows - covered
    return Complexity(
        n_rules=len(lengths),
        n_literals=n_literals,
        longest_rule=int(lengths.max(initial=0)),
        literals_read_covered=read / covered if covered else float("nan"),
        literals_read_else=n_literals,
        literals_read=(read + n_else * n_literals) / n_rows if n_rows else float("nan"),
        else_share=n_else / n_rows if n_rows else float("nan"),
    )
