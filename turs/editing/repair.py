"""Repairs of two rules that overlap and disagree: tighten one of them, split one along the other, or merge the two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from turs.editing.edit import Edit
from turs.editing.literal_edits import AddLiteral, ReplaceLiteral
from turs.editing.rule_edits import MergeRules, SplitRule
from turs.editing.state import State
from turs.errors import TursError
from turs.rules.literal import Interval, LevelSet, Literal, Missingness
from turs.rules.rule import Rule
from turs.rules.schema import Schema


@dataclass(frozen=True)
class Repair:
    """An edit that ends a disagreement, or at least its cause.

    Parameters
    ----------
    name : str
        `tighten`, `split` or `merge`.
    edit : Edit
        The edit; of several of one name the one that leaves the fewest bits.
    description : str
        The edit in plain words.
    total_bits : float
        MDL score after it.
    """

    name: str
    edit: Edit
    description: str
    total_bits: float


def repairs(state: State, first: str, second: str) -> tuple[Repair, ...]:
    """Return the best repair of each kind that can be made on two rules, the fewest bits first."""
    version, schema = state.version, state.rule_set.schema
    one, other = version.rule(first), version.rule(second)
    tried: list[tuple[str, Edit]] = [("merge", MergeRules(first, second))]
    for rule, against in ((one, other), (other, one)):
        tried += [("tighten", edit) for edit in tightened(rule, against, schema)]
        tried += [("split", edit) for edit in split_along(rule, against)]
    best: dict[str, Repair] = {}
    for name, edit in tried:
        try:
            after = state.moved_to(edit.apply(version))
        except TursError:  # a locked rule, nothing left to keep: not a repair
            continue
        found = Repair(name, edit, edit.describe(version), after.score.total_bits)
        if name not in best or found.total_bits < best[name].total_bits:
            best[name] = found
    return tuple(sorted(best.values(), key=lambda repair: repair.total_bits))


def tightened(rule: Rule, against: Rule, schema: Schema) -> Iterator[Edit]:
    """Yield edits after which `rule` shares no row with `against`: it asks for the opposite of one of its literals."""
    own = {literal.feature: literal for literal in rule.literals}
    for literal in against.literals:
        for opposite in _opposites(literal, schema):
            present = own.get(literal.feature)
            if present is None:
                yield AddLiteral(rule.id, opposite)
            else:
                both = _common(present, opposite)
                if both is not None:
                    yield ReplaceLiteral(rule.id, literal.feature, both)


def split_along(rule: Rule, against: Rule) -> Iterator[Edit]:
    """Yield splits of `rule` at the cuts of `against`, so that the overlap becomes a rule of its own."""
    for literal in against.literals:
        if isinstance(literal, Interval):
            for cut in (literal.low, literal.high):
                if cut is not None:
                    yield SplitRule(rule.id, literal.feature, cut)


def _opposites(literal: Literal, schema: Schema) -> Iterator[Literal]:
    """Yield literals that hold only where `literal` does not."""
    if isinstance(literal, Interval):
        if literal.low is not None:
            yield Interval(literal.feature, high=literal.low)
        if literal.high is not None:
            yield Interval(literal.feature, low=literal.high)
    elif isinstance(literal, LevelSet):
        rest = tuple(level for level in schema.feature(literal.feature).levels if level not in literal.levels)
        if rest:
            yield LevelSet(literal.feature, rest)
    else:
        yield Missingness(literal.feature, not literal.missing)


def _common(one: Literal, other: Literal) -> Literal | None:
    """Return the literal that holds where both do; None where there is none of one piece."""
    if isinstance(one, Interval) and isinstance(other, Interval):
        lows = [cut for cut in (one.low, other.low) if cut is not None]
        highs = [cut for cut in (one.high, other.high) if cut is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        return None if low is not None and high is not None and low >= high else Interval(one.feature, low, high)
    if isinstance(one, LevelSet) and isinstance(other, LevelSet):
        both = tuple(level for level in one.levels if level in other.levels)
        return LevelSet(one.feature, both) if both else None
    return None
