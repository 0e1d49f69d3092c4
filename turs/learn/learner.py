"""Learn a rule set: the searches of a portfolio, of which the total bits choose.

The default learns one rule set for each pair of exponents, polishes them and keeps the one with the fewest bits, so the
score itself chooses how gains are weighed against coverage; the winner is given a second look and polished again. The
paper's search is a portfolio of one without these.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace

from turs.data.dataset import DataSet
from turs.errors import SettingsError
from turs.learn.progress import Learned, Progress
from turs.learn.run import Run, Shared
from turs.learn.settings import SEARCHES, Constraints, Search, Settings
from turs.rules.rule import Rule, RuleSet


def learn(
    data: DataSet,
    settings: Settings | None = None,
    *,
    constraints: Constraints | None = None,
    start: tuple[Rule, ...] = (),
    on_progress: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Learned:
    """Learn a truly unordered rule set.

    Parameters
    ----------
    data : DataSet
        Training rows.
    settings : Settings
        Options.
    constraints : Constraints
        Demands on the rules that are learned.
    start : tuple of Rule
        Rules that stay as they are; learning adds to them.
    on_progress : callable
        Told after every level of the growth of a rule.
    should_stop : callable
        Asked at the same moments; where it returns True the learner stops with what it has found.

    Returns
    -------
    Learned
        The rule set with the fewest bits of those that the searches found, after its second look.
    """
    settings = settings or Settings()
    constraints = constraints or Constraints()
    settings.check()
    constraints.check(data.schema)
    first = RuleSet(data.schema)
    for rule in start:
        first = first.with_rule(rule)
    if first.schema != data.schema:
        raise SettingsError("A start rule has a cut that is no candidate cut of the table: bin the rows with that cut.")
    search = SEARCHES[settings.search]
    helpers = settings.threads - 1  # beside this thread
    with ThreadPoolExecutor(helpers) if helpers else nullcontext() as executor:
        shared = Shared(data, settings, constraints, on_progress, should_stop, executor)
        best: Run | None = None
        as_found: list[RuleSet] = []
        stopped = False
        for number in range(1, len(search.exponents) + 1):
            run = _polished_run(shared, first, search, number, as_found)
            stopped = run.stopped
            if best is None or run.total_bits < best.total_bits:
                best = run
            if stopped:
                break
        assert best is not None  # every portfolio has a search
        if not stopped and search.looks + search.polish[1]:
            rows = shared.divided(best.rule_set.rules)
            for _ in range(search.looks):
                best.look_again(rows)
            best.polish(rows, search.polish[1])
    return replace(best.learned(), stopped=stopped or best.stopped)


def _polished_run(shared: Shared, first: RuleSet, search: Search, number: int, as_found: list[RuleSet]) -> Run:
    """Return the rule set of one search of the portfolio, polished unless it is among those found before."""
    rows = shared.divided(first.rules)
    run = Run(shared, first, rows, search, number)
    run.add_rules(rows)
    if run.rule_set not in as_found:  # a polish of the same rules ends the same
        as_found.append(run.rule_set)
        run.polish(rows, search.polish[0])
    return run
