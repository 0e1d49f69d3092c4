"""Options of the learner, and what a person may demand of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from turs.errors import SettingsError
from turs.rules.schema import Schema


@dataclass(frozen=True)
class Exponents:
    """How a gain in bits is weighed against the rows that a rule newly covers.

    Rules are ranked by gain / newly covered^exponent: `rule` at the final choice of a rule, `beam` inside the beams.
    The paper's learning speed has both at 1. An exponent is a multiple of 1/8, so that it needs square roots only.
    """

    rule: float = 1.0
    beam: float = 1.0


@dataclass(frozen=True)
class Search:
    """A portfolio of searches.

    Parameters
    ----------
    exponents : tuple of Exponents
        One rule set is learned for each of them; the fewest bits win.
    looks : int
        Second looks that the winner gets.
    polish : tuple of int
        How often each rule is shortened and cut anew while the total bits fall: in every rule set before bits choose,
        and in the winner after its second look.
    first_width : int or None
        Width of the beams at the first level of the growth of a rule, where it differs from that of the others: a
        wider one looks at more pairs of literals.
    most_gap : float
        How far picking a rule at random may move the AUC on the training rows: a rule that moves it further is passed
        over, so that the rules stay truly unordered also where disagreement would save bits.
    """

    exponents: tuple[Exponents, ...]
    looks: int = 0
    polish: tuple[int, int] = (0, 0)
    first_width: int | None = None
    most_gap: float = math.inf


SEARCHES = {
    "portfolio": Search((Exponents(), Exponents(rule=0.5, beam=0.5)), looks=1, polish=(2, 2), most_gap=0.008),
    "paper": Search((Exponents(),)),
}
"""The searches by name. The default was chosen by measurement: `turs.benchmark.variants` has what was tried."""


@dataclass(frozen=True)
class Constraints:
    """What a person demands of the rules that are learned.

    Parameters
    ----------
    unused : tuple of str
        Features that no rule may use.
    directions : dict of str to str
        ">=" allows only lower cuts on a numeric feature, "<" only upper ones.
    """

    unused: tuple[str, ...] = ()
    directions: dict[str, str] = field(default_factory=dict)

    def check(self, schema: Schema) -> None:
        """Raise an error where a constraint does not fit the schema."""
        for name in self.unused:
            schema.index(name)
        for name, direction in self.directions.items():
            if schema.feature(name).is_categorical:
                raise SettingsError(f"'{name}' is categorical: a direction needs a numeric feature.")
            if direction not in (">=", "<"):
                raise SettingsError(f"The direction of '{name}' is '{direction}': use '>=' or '<'.")


@dataclass(frozen=True)
class Settings:
    """Options of the learner.

    Parameters
    ----------
    search : str
        "portfolio" learns with two pairs of exponents and polishes both rule sets, keeps the one with the fewest bits,
        gives its rules a second look and polishes them again; "paper" is the paper's Algorithm 2 as written.
    beam_width : int
        Candidates kept a level in each of the two beams, and the number of patience clusters.
    patience : int
        Levels in a row without a better rule after which the growth of a rule stops (K_stop).
    least_coverage : int
        Fewest rows that a rule may cover while it grows.
    most_literals, most_rules : int or None
        Limits of a rule and of the rule set.
    diverse, local_test, auxiliary : bool
        The paper's three heuristics: patience clusters, the local test, the auxiliary beam.
    threads : int
        Threads that count and score; the rules do not depend on it.
    time_budget : float or None
        Seconds after which the learner stops with what it has found.
    """

    search: str = "portfolio"
    beam_width: int = 10
    patience: int = 3
    least_coverage: int = 1
    most_literals: int | None = None
    most_rules: int | None = None
    diverse: bool = True
    local_test: bool = True
    auxiliary: bool = True
    threads: int = 1
    time_budget: float | None = None

    def check(self) -> None:
        """Raise an error where an option makes no sense."""
        if self.search not in SEARCHES:
            raise SettingsError(f"There is no search '{self.search}': use {' or '.join(SEARCHES)}.")
        for name in ("beam_width", "patience", "least_coverage", "threads"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} is {getattr(self, name)}: it has to be at least 1.")
        for name in ("most_literals", "most_rules"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise SettingsError(f"{name} is {value}: it cannot be negative.")
        if self.time_budget is not None and not self.time_budget > 0:
            raise SettingsError(f"time_budget is {self.time_budget}: give a positive number of seconds.")
