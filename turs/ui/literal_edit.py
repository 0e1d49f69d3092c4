"""From what a person sets in the workbench to an edit: which edit makes a literal of a rule another one."""

from __future__ import annotations

from turs.editing import AddLiteral, ChangeLevels, Edit, MoveCut, ReplaceLiteral, Version
from turs.rules.literal import Interval, LevelSet, Literal, Missingness
from turs.rules.schema import Feature

FORMS = {"≥": "low", "<": "high", "between": "both", "in": "levels", "is missing": "missing", "is known": "known"}
"""Forms of a literal, as they are shown."""


def edit_for(version: Version, rule_id: str, literal: Literal) -> Edit | None:
    """Return the edit that gives a rule this literal; None where it has it already."""
    present = {part.feature: part for part in version.rule(rule_id).literals}.get(literal.feature)
    if present == literal:
        return None
    if present is None:
        return AddLiteral(rule_id, literal)
    if isinstance(present, LevelSet) and isinstance(literal, LevelSet):
        return ChangeLevels(rule_id, literal.feature, literal.levels)
    if isinstance(present, Interval) and isinstance(literal, Interval) and form_of(present) == form_of(literal):
        low = literal.low if literal.low != present.low else None
        high = literal.high if literal.high != present.high else None
        return MoveCut(rule_id, literal.feature, low, high)
    return ReplaceLiteral(rule_id, literal.feature, literal)


def sets_literal(draft: Edit | None, rule_id: str, feature: str) -> bool:
    """Say whether an edit gives a rule its literal on a feature."""
    if isinstance(draft, AddLiteral | ReplaceLiteral):
        return (draft.rule, draft.literal.feature) == (rule_id, feature)
    return isinstance(draft, MoveCut | ChangeLevels) and (draft.rule, draft.feature) == (rule_id, feature)


def drafted(version: Version, rule_id: str, feature: str, draft: Edit | None) -> Literal | None:
    """Return the literal that a rule has on a feature, or would have after the draft; None where there is none."""
    if sets_literal(draft, rule_id, feature):
        if isinstance(draft, MoveCut):
            return draft.moved(version)
        if isinstance(draft, ChangeLevels):
            return LevelSet(feature, draft.levels)
        if isinstance(draft, AddLiteral | ReplaceLiteral):
            return draft.literal
    return {part.feature: part for part in version.rule(rule_id).literals}.get(feature)


def form_of(literal: Literal) -> str:
    """Return the form of a literal."""
    if isinstance(literal, LevelSet):
        return "in"
    if isinstance(literal, Missingness):
        return "is missing" if literal.missing else "is known"
    if literal.low is not None and literal.high is not None:
        return "between"
    return "≥" if literal.low is not None else "<"


def forms(feature: Feature) -> list[str]:
    """Return the forms that a literal on a feature can have."""
    values = ["in"] if feature.is_categorical else ["≥", "<", "between"]
    return [*values, "is missing", "is known"] if feature.has_missing else values


def with_form(literal: Literal, form: str, feature: Feature) -> Literal:
    """Return a literal of another form, with its cuts kept where they fit."""
    if form in ("is missing", "is known"):
        return Missingness(feature.name, form == "is missing")
    if form == "in":
        return literal if isinstance(literal, LevelSet) else LevelSet(feature.name, feature.levels[:1])
    cuts = [cut for cut in (literal.low, literal.high) if cut is not None] if isinstance(literal, Interval) else []
    middle = feature.cuts[len(feature.cuts) // 2] if feature.cuts else 0.0
    cut = cuts[0] if cuts else middle
    if form == "between":
        if len(cuts) == 2:
            return literal
        was_low = isinstance(literal, Interval) and literal.low is not None
        beyond = [other for other in feature.cuts if (other > cut if was_low else other < cut)]
        if not beyond:
            return Interval(feature.name, cut, cut + 1.0) if was_low else Interval(feature.name, cut - 1.0, cut)
        other = beyond[len(beyond) // 2]
        return Interval(feature.name, min(cut, other), max(cut, other))
    if form == "≥":
        return Interval(feature.name, low=cut)
    return Interval(feature.name, high=cuts[-1] if cuts else middle)
