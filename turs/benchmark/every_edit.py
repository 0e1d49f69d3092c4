"""Edits of every kind on a session with generated rules, each as often as it is timed and never twice the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from turs.editing import (
    AcceptRules,
    AddLiteral,
    AddRule,
    AttachNote,
    ChangeLevels,
    DeleteRule,
    DuplicateRule,
    Edit,
    LockRule,
    MergeRules,
    MoveCut,
    RemoveLiteral,
    ReorderLiterals,
    ReplaceCondition,
    ReplaceLiteral,
    Session,
    SplitRule,
)
from turs.rules.literal import Interval, LevelSet
from turs.rules.rule import Rule
from turs.rules.schema import Feature

RELEARNED = 5
"""Rules that are new in a relearned set."""
WITH_LEVELS = "r1"
"""The rule that has a set of levels."""


def every_edit(session: Session) -> Iterator[tuple[str, Callable[[int], Edit]]]:
    """Yield edits by kind: what the kind is called, and its edit number n.

    Rules have a band of the first feature and an interval of another one (`turs.benchmark.generate`), the last feature
    of the table has levels, and `with_levels` has given one rule a set of them.
    """
    rules, n_classes = session.version.rules, len(session.version.grid.classes)
    rule = next(rule for rule in rules[2:] if _has_both_cuts(rule))
    own = session.version.grid.feature(rule.literals[1].feature)
    names = [other.literals[1].feature for other in rules]
    free = session.version.grid.feature(next(name for name in names if name != own.name))
    levels = session.version.grid.features[-1]
    cuts = [cut for cut in own.cuts[len(own.cuts) // 2 :] if cut != getattr(rule.literals[1], "high", None)]
    yield "move a cut", lambda n: MoveCut(rule.id, own.name, high=cuts[n % len(cuts)])
    yield "move both cuts", lambda n: MoveCut(rule.id, own.name, low=own.cuts[n % 3], high=_cut(own, n))
    yield "type a cut", lambda n: MoveCut(rule.id, own.name, high=_typed(own, n))
    yield "replace a literal", lambda n: ReplaceLiteral(rule.id, own.name, Interval(free.name, low=_cut(free, n)))
    yield "add a literal", lambda n: AddLiteral(rule.id, Interval(free.name, low=_cut(free, n)))
    yield "add a literal with a typed cut", lambda n: AddLiteral(rule.id, Interval(free.name, low=_typed(free, n)))
    yield "add a set of levels", lambda n: AddLiteral(rule.id, _some_levels(levels, n))
    yield "change levels", lambda n: ChangeLevels(WITH_LEVELS, levels.name, _some_levels(levels, n).levels)
    yield "remove a literal", lambda n: RemoveLiteral(rules[5 + n].id, rules[5 + n].literals[1].feature)
    yield "reorder literals", lambda n: ReorderLiterals(rules[5 + n].id, _turned(rules[5 + n]))
    yield "add a rule", lambda n: AddRule((Interval(free.name, high=_cut(free, n)), rule.literals[0]))
    yield (
        "rewrite a rule",
        lambda n: ReplaceCondition(rule.id, (Interval(free.name, high=_cut(free, n)), rule.literals[0])),
    )
    yield "duplicate a rule", lambda n: DuplicateRule(rules[5 + n].id)
    yield "delete a rule", lambda n: DeleteRule(rules[5 + n].id)
    yield "split a rule", lambda n: SplitRule(rule.id, free.name, _cut(free, n))
    yield "split a rule at a typed cut", lambda n: SplitRule(rule.id, free.name, _typed(free, n))
    yield "merge two rules", lambda n: MergeRules(rules[5 + n].id, rules[5 + n + n_classes].id)
    yield f"accept {RELEARNED} relearned rules", lambda n: _relearned(session, free, n)
    yield "lock a rule", lambda n: LockRule(rules[5 + n].id)
    yield "attach a note", lambda n: AttachNote(rules[5 + n].id, "why")


def with_levels(session: Session) -> None:
    """Give one rule a set of levels, so that levels can be changed."""
    session.apply(AddLiteral(WITH_LEVELS, _some_levels(session.version.grid.features[-1], 0)))


def _has_both_cuts(rule: Rule) -> bool:
    """Say whether the second literal of a rule has a lower and an upper cut."""
    literal = rule.literals[1]
    return isinstance(literal, Interval) and literal.low is not None and literal.high is not None


def _cut(feature: Feature, n: int) -> float:
    """Return a candidate cut in the upper half."""
    return feature.cuts[len(feature.cuts) // 2 + n % (len(feature.cuts) // 2)]


def _typed(feature: Feature, n: int) -> float:
    """Return a cut between two candidate cuts."""
    at = len(feature.cuts) // 2 + n % (len(feature.cuts) // 2 - 1)
    return (feature.cuts[at] + 2.0 * feature.cuts[at + 1]) / 3.0


def _some_levels(feature: Feature, n: int) -> LevelSet:
    """Return a set of some levels."""
    return LevelSet(feature.name, feature.levels[n % 3 :: 2 + n % 4])


def _turned(rule: Rule) -> tuple[str, ...]:
    """Return the features of a rule from the last to the first."""
    return tuple(literal.feature for literal in reversed(rule.literals))


def _relearned(session: Session, free: Feature, n: int) -> AcceptRules:
    """Return an edit that leaves all but the last rules as they are."""
    kept, gone = session.version.rules[:-RELEARNED], session.version.rules[-RELEARNED:]
    first = session.version.last_id + 1
    new = (
        Rule(f"r{first + k}", (*rule.literals[:1], Interval(free.name, low=_cut(free, n + k))))
        for k, rule in enumerate(gone)
    )
    return AcceptRules((*kept, *new))
