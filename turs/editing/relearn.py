"""Learn again around rules that a person wants to keep: what comes out is an edit, to be looked at and then made."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from turs.editing.rule_edits import AcceptRules
from turs.editing.state import State
from turs.learn.learner import learn
from turs.learn.progress import Progress
from turs.learn.settings import Constraints, Settings


def relearn(
    state: State,
    keep: Collection[str] = (),
    settings: Settings | None = None,
    *,
    constraints: Constraints | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> AcceptRules:
    """Return the edit that replaces all rules but the kept ones by newly learned ones.

    Parameters
    ----------
    state : State
        Where the rule set stands.
    keep : collection of str
        Ids of rules that stay; locked rules stay whatever is said here.
    settings, constraints, on_progress, should_stop
        As `turs.learn.learner.learn` takes them.
    """
    version = state.version
    for rule_id in keep:
        version.rule(rule_id)
    kept = tuple(rule for rule in version.rules if rule.id in version.locked or rule.id in keep)
    standing = replace(version, rules=kept)
    learned = learn(
        state.training.rows.under(standing.rule_set.schema),
        settings,
        constraints=constraints,
        start=kept,
        on_progress=on_progress,
        should_stop=should_stop,
    )
    # The learner numbers from the highest id that it sees: a deleted rule may have had a higher one.
    new = learned.rule_set.rules[len(kept) :]
    return AcceptRules((*kept, *(replace(rule, id=f"r{version.last_id + n}") for n, rule in enumerate(new, start=1))))
