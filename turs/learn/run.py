"""One rule set while it is learned: rules are added (paper, Algorithm 1), given a second look and polished.

The second look and the polish are not in the paper. A rule that was found early did not know those that came later; so
each rule in turn is taken out, the search for a single rule is run on what is left, and the best rule of it (by bits
saved) takes the place of the old one where the total bits fall. A rule that saves nothing any more goes.

The beams pass over most cuts, and a literal that a rule needed as a step of its growth may be of no use in the end. So
the polish tries for each rule in turn what one step away from it is: without one literal, with one literal cut anew
(subject to the same local test), or gone; the best takes its place while the total bits fall. It adds no variable to a
rule: with other variables the bits fell further, but the AUC too.

A search may bound how far picking a rule at random moves the AUC on the training rows (`Search.most_gap`): then the
best candidate within that bound is taken.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from operator import attrgetter

import numpy as np

from turs.cover.patterns import Patterns
from turs.data.dataset import DataSet
from turs.evaluate.auc import random_pick_gap
from turs.learn.arrays import Limits, Present
from turs.learn.beam import grow_level, own_gains
from turs.learn.candidate import Candidate, batch_of, candidate_of, half_open, rule_of, shorter
from turs.learn.counting import Rows
from turs.learn.local_test import power
from turs.learn.progress import Learned, Progress, Step
from turs.learn.settings import Constraints, Search, Settings
from turs.learn.single_rule import learn_rule
from turs.learn.table_rows import TableRows
from turs.learn.tables import feature_arrays, present_arrays
from turs.mdl.logs import log2_table
from turs.mdl.regret import regret_table
from turs.mdl.score import rule_bits, total_bits
from turs.rules.literal import Literal
from turs.rules.rule import Rule, RuleSet

_LEAST_SAVING = 1e-6
"""Bits that a rule has to save over the one whose place it takes: less is rounding."""


Rank = Callable[[Candidate], float]
"""What the choice of a rule maximises; ties go to the one that was found first."""

_Reconsidered = Callable[[Rule, RuleSet, Rows], tuple[float, list[Candidate]]]
"""Given a rule, the others and the rows as these leave them: the bits that it saves, and others to put in its place."""


class Shared:
    """What all rule sets of a portfolio share: the table, tables of logarithms, settings, clock and callbacks."""

    def __init__(
        self,
        data: DataSet,
        settings: Settings,
        constraints: Constraints,
        on_progress: Callable[[Progress], None] | None,
        should_stop: Callable[[], bool] | None,
        executor: Executor | None,
    ) -> None:
        self.data = data
        self.settings = settings
        self.on_progress = on_progress
        self.should_stop = should_stop
        self.executor = executor
        self.began = time.monotonic()
        self._rule_bits: dict[tuple[Literal, ...], float] = {}
        self.log2s = log2_table(data.n_rows)
        self.regrets = regret_table(data.n_rows, len(data.schema.classes))
        self.features = feature_arrays(data.schema, constraints)
        most = settings.most_literals if settings.most_literals is not None else len(data.schema.features)
        self.limits = Limits(settings.diverse, settings.local_test, settings.auxiliary, settings.least_coverage, most)

    def divided(self, rules: Sequence[Rule]) -> Rows:
        """Return the rows as some rules divide them: the one way to the table."""
        return TableRows(self.data, rules)

    def rule_bits(self, rule: Rule, rows: Rows) -> float:
        """Return the bits of a rule's condition, which do not depend on the other rules: counted once."""
        if rule.literals not in self._rule_bits:
            self._rule_bits[rule.literals] = rule_bits(rule, self.data.schema, rows.value_counts(rule))
        return self._rule_bits[rule.literals]

    def seconds(self) -> float:
        """Return the time since learning began."""
        return time.monotonic() - self.began

    def must_stop(self) -> bool:
        """Return whether time is up or a person asked to stop."""
        budget = self.settings.time_budget
        return (budget is not None and self.seconds() > budget) or (self.should_stop is not None and self.should_stop())


class Run:
    """A rule set that grows.

    Parameters
    ----------
    shared : Shared
        What it has in common with the others.
    first : RuleSet
        Rules that stay as they are.
    rows : Rows
        The rows as these divide them. The methods that change the rule set are given rows as it divides them, and
        leave them so.
    search : Search
        The portfolio.
    number : int
        Its place in the portfolio, from 1.
    """

    def __init__(self, shared: Shared, first: RuleSet, rows: Rows, search: Search, number: int) -> None:
        self.shared = shared
        self.first = first
        self.search = search
        self.number = number
        self.exponents = search.exponents[number - 1]
        self.rule_set = first
        model_bits = [shared.rule_bits(rule, rows) for rule in first.rules]
        self.total_bits = total_bits(rows.patterns, model_bits, shared.log2s)
        self.steps: list[Step] = []
        self.stopped = False
        self._polished: RuleSet | None = None  # where no step was left that saves bits
        self._gap = self._next_gap = _gap(rows.patterns) if search.most_gap < math.inf else 0.0
        self._searched: deque[tuple[tuple[Rule, ...], list[Candidate]]] = deque(maxlen=2)  # beside which rules
        self._covered = rows.n_covered

    def learned(self) -> Learned:
        """Return the rule set as it is now."""
        return Learned(
            self.rule_set, self.total_bits, tuple(self.steps), self.exponents, self.stopped, self.shared.seconds()
        )

    def add_rules(self, rows: Rows) -> None:
        """Add rules while the MDL score falls (Algorithm 1)."""
        most = self.shared.settings.most_rules
        while not self.stopped and (most is None or len(self.rule_set.rules) < most):
            found = self._best_rules(self.rule_set, rows, None, self._speed)
            best = self._agreeing(rows, [one for one in found if one.gain > 0])
            if best is None:
                return
            rule = rule_of(best, self.rule_set.next_id(), self.rule_set.schema)
            self.rule_set = self.rule_set.with_rule(rule)
            self.total_bits = math.fsum((self.total_bits, -best.gain))
            rows.add_rule(batch_of([best]))
            self._note("added", rule, rows)

    def look_again(self, rows: Rows) -> None:
        """Give every rule that was learned a second look, then add rules again."""
        for rule in self.rule_set.rules[len(self.first.rules) :]:
            if self.stopped:
                return
            self._reconsider(rule, rows, self._grown_again)
        self.add_rules(rows)

    def polish(self, rows: Rows, rounds: int) -> None:
        """Shorten rules, cut them anew and drop them, one step at a time, until no step saves bits.

        Parameters
        ----------
        rounds : int
            How often each rule may be looked at; most bits are saved in the first two.
        """
        if not rounds or self.rule_set == self._polished:
            return
        fixed = len(self.first.rules)
        waiting = list(self.rule_set.rules[fixed:])
        left, unchanged = rounds * len(waiting), 0
        while left and unchanged < len(waiting) and not self.stopped:
            rule = waiting.pop(0)
            n_steps = len(self.steps)
            self._reconsider(rule, rows, self._one_step_away)
            left, unchanged = left - 1, unchanged + 1 if len(self.steps) == n_steps else 0
            waiting += [kept for kept in self.rule_set.rules[fixed:] if kept.id == rule.id]
        if unchanged == len(waiting):
            self._polished = self.rule_set

    def _reconsider(self, rule: Rule, rows: Rows, search: _Reconsidered) -> None:
        """Put the best rule that a search finds in the place of a rule, or drop the rule, where that saves bits."""
        shared, schema = self.shared, self.rule_set.schema
        place = self.rule_set.rules.index(rule)
        rows.take_rule(place)
        others = self.rule_set.without_rule(rule.id)
        saved, found = search(rule, others, rows)
        best = self._agreeing(rows, [one for one in found if one.gain > _least(saved)])
        if best is None and (saved > -_LEAST_SAVING or not self._agrees(rows.patterns)):
            rows.put_rule(batch_of([candidate_of(rule, schema)]), place)
            return
        model_bits = [shared.rule_bits(other, rows) for other in others.rules]
        without_bits = total_bits(rows.patterns, model_bits, shared.log2s)
        if best is not None:
            better = rule_of(best, rule.id, schema)
            self.rule_set = self.rule_set.replace_rule(better)
            self.total_bits = math.fsum((without_bits, -best.gain))
            rows.put_rule(batch_of([best]), place)
            self._note("replaced", better, rows)
        else:
            self.rule_set, self.total_bits = others, without_bits
            self._note("removed", rule, rows)

    def _grown_again(self, rule: Rule, others: RuleSet, rows: Rows) -> tuple[float, list[Candidate]]:
        """Return what a rule saves, and what the search for a single rule finds in its place."""
        present = self._present(rows, self.exponents.beam)
        [saved] = own_gains(rows, self.shared.features, present, [candidate_of(rule, self.rule_set.schema)])
        return saved, self._best_rules(others, rows, rule.id, attrgetter("gain"))

    def _one_step_away(self, rule: Rule, others: RuleSet, rows: Rows) -> tuple[float, list[Candidate]]:
        """Return what a rule saves, and rules that are one step away from it and save more."""
        shared, schema = self.shared, self.rule_set.schema
        whole = candidate_of(rule, schema)
        looser = [*shorter(whole), *half_open(rule, schema)]
        present = self._present(rows, 0.0)
        saved, *gains = own_gains(rows, shared.features, present, [whole, *looser])
        usable = np.zeros_like(shared.features.usable)
        usable[list(whole.feature)] = True
        level = grow_level(
            rows,
            shared.features._replace(usable=usable & shared.features.usable),
            shared.limits._replace(diverse=False, auxiliary=False),
            present,
            [whole, *looser],
            shared.settings.beam_width,
            shared.settings.threads,
            shared.executor,
            _least(saved),
        )
        whole_ones = (one._replace(gain=gain) for one, gain in zip(looser, gains, strict=True) if one.feature)
        found = [*level.main, *whole_ones]
        found.sort(key=attrgetter("gain"), reverse=True)
        self._tell(rows, rule.id, 1, found, attrgetter("gain"))
        return saved, found

    def _present(self, rows: Rows, exponent: float) -> Present:
        """Return the rule set that divides the rows as the kernels see it."""
        return present_arrays(rows.patterns, self.shared.log2s, self.shared.regrets, exponent)

    def _speed(self, candidate: Candidate) -> float:
        """Return what the final choice of a rule maximises."""
        return candidate.gain / float(power(candidate.newly, round(8 * self.exponents.rule)))

    def _agrees(self, patterns: Patterns) -> bool:
        """Say whether random picks are within the bound, or no further off than now, where the patterns become these.

        What is asked last before a change is that change.
        """
        if self.search.most_gap == math.inf:
            return True
        self._next_gap = _gap(patterns)
        return self._next_gap <= max(self.search.most_gap, self._gap)

    def _agreeing(self, rows: Rows, candidates: Sequence[Candidate]) -> Candidate | None:
        """Return the first candidate that keeps random picks within the bound."""
        if self.search.most_gap == math.inf:
            return candidates[0] if candidates else None
        return next((one for one in candidates if self._agrees(rows.patterns_with(batch_of([one])))), None)

    def _best_rules(self, others: RuleSet, rows: Rows, looking_at: str | None, rank: Rank) -> list[Candidate]:
        """Return the best rules, at most as many as the beam is wide, that the search for a single rule finds.

        The last two searches for a new rule are remembered: where the rules stayed as they were, the second look at the
        last of them, and the search for more rules after all looks, would be the same again.
        """
        found = next((found for rules, found in self._searched if rules == others.rules), None)
        if found is None:
            found = self._search(rows, looking_at, rank)
            if looking_at is None:
                self._searched.append((others.rules, found))
        return sorted(found, key=rank, reverse=True)[: self.shared.settings.beam_width]

    def _search(self, rows: Rows, looking_at: str | None, rank: Rank) -> list[Candidate]:
        """Run the search for a single rule."""
        shared, settings = self.shared, self.shared.settings
        n_rules = rows.patterns.members.shape[1]
        return learn_rule(
            rows,
            shared.features,
            shared.limits._replace(auxiliary=shared.limits.auxiliary and n_rules > 0),
            self._present(rows, self.exponents.beam),
            width=settings.beam_width,
            patience=settings.patience,
            on_level=lambda level, found: self._tell(rows, looking_at, level, found, rank),
            first_width=self.search.first_width,
            threads=settings.threads,
            executor=shared.executor,
        )

    def _tell(self, rows: Rows, looking_at: str | None, level: int, found: Sequence[Candidate], rank: Rank) -> bool:
        """Tell where the search is and return whether it has to stop."""
        if self.shared.on_progress is not None:
            self.shared.on_progress(self._progress(rows, looking_at, level, max(found, key=rank, default=None)))
        self.stopped = self.shared.must_stop()
        return self.stopped

    def _progress(self, rows: Rows, looking_at: str | None, level: int, best: Candidate | None) -> Progress:
        """Return where the search is."""
        rule_id = looking_at or self.rule_set.next_id()
        return Progress(
            search=self.number,
            n_searches=len(self.search.exponents),
            looking_at=looking_at,
            rules=self.rule_set.rules,
            level=level,
            best=rule_of(best, rule_id, self.rule_set.schema) if best else None,
            total_bits=self.total_bits,
            covered=self._covered,
            n_rows=rows.n_rows,
            seconds=self.shared.seconds(),
        )

    def _note(self, action: str, rule: Rule, rows: Rows) -> None:
        """Write a change down."""
        self._covered, self._gap = rows.n_covered, self._next_gap
        self.steps.append(Step(action, rule, self.total_bits, self._covered, self.shared.seconds()))


def _least(saved: float) -> float:
    """Return the bits that a rule has to save in the place of one that saves so many."""
    return max(saved, 0.0) + _LEAST_SAVING


def _gap(patterns: Patterns) -> float:
    """Return how far random picks move the AUC; where no rules overlap there is nothing to pick from."""
    return abs(random_pick_gap(patterns)) if (patterns.sizes > 1).any() else 0.0
