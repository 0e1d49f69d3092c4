"""Logic checks: what is odd about rules, in plain words, with edits that put it right where there are some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from turs.editing.edit import Edit
from turs.editing.literal_edits import AddLiteral, MoveCut, RemoveLiteral, ReplaceLiteral
from turs.editing.rule_edits import AddRule, DeleteRule
from turs.editing.state import State
from turs.editing.version import Version
from turs.evaluate.overlaps import RuleMatrix
from turs.rules.literal import Interval, Literal, is_number
from turs.rules.text import format_literal, format_number

FAR_APART = 0.2
"""Distance of two rules' probabilities from which on their overlap is a finding."""
FEW_ROWS = 5
"""Overlaps with fewer rows are no finding: they hardly matter to anyone."""


@dataclass(frozen=True)
class Fix:
    """An edit that puts a finding right.

    Parameters
    ----------
    name : str
        What it does, in a word.
    edit : Edit
        The edit.
    bits_change : float or None
        What it does to the total bits; None where that was not worked out.
    """

    name: str
    edit: Edit
    bits_change: float | None = None


@dataclass(frozen=True)
class Finding:
    """Something odd.

    Parameters
    ----------
    kind : str
        One of `covers nothing`, `excludes nothing`, `contained`, `same cover`, `disagreement`, `inside out`.
    rules : tuple of str
        The rules that it is about.
    text : str
        What it is.
    fixes : tuple of Fix
        What would put it right; a disagreement gets its repairs from `turs.editing.repair`.
    """

    kind: str
    rules: tuple[str, ...]
    text: str
    fixes: tuple[Fix, ...] = ()


def find_all(state: State) -> tuple[Finding, ...]:
    """Return what is odd about the rules of a state, on its training rows."""
    matrix = state.evaluation.rule_matrix
    return (
        *_empty_rules(state.version, matrix),
        *_idle_literals(state, matrix),
        *_nested_rules(state, matrix),
        *_disagreements(matrix),
    )


def find_new(before: State, after: State) -> tuple[Finding, ...]:
    """Return what is odd about the rules of a state and was not about those of another: what an edit brings about."""
    known = {_subject(finding) for finding in find_all(before)}
    return tuple(finding for finding in find_all(after) if _subject(finding) not in known)


def _subject(finding: Finding) -> tuple[str, ...]:
    """Return what a finding is about: the literal, where it is about one; otherwise kind and rules, not the rows."""
    return (finding.kind, *((finding.text,) if finding.kind == "excludes nothing" else finding.rules))


def find_in_edit(edit: Edit, version: Version) -> tuple[Finding, ...]:
    """Return what is odd about an edit before it is tried: an interval that is turned inside out."""
    literals: tuple[Literal, ...] = ()
    if isinstance(edit, MoveCut):
        literals = (edit.moved(version),)
    elif isinstance(edit, AddLiteral | ReplaceLiteral):
        literals = (edit.literal,)
    elif isinstance(edit, AddRule) and isinstance(edit.literals, tuple | list):
        literals = tuple(edit.literals)
    return tuple(
        _inside_out(edit, literal, version)
        for literal in literals
        if isinstance(literal, Interval) and _is_inside_out(literal)
    )


def _is_inside_out(literal: Interval) -> bool:
    """Say whether the lower cut of an interval is not below its upper one."""
    low, high = literal.low, literal.high
    return low is not None and high is not None and is_number(low) and is_number(high) and low >= high


def _inside_out(edit: Edit, literal: Interval, version: Version) -> Finding:
    """Return the finding about an interval whose lower cut is not below its upper one."""
    feature = version.grid.feature(literal.feature)
    low, high = (format_number(cut, feature) for cut in (literal.low, literal.high) if cut is not None)
    text = f"{low} <= {literal.feature} < {high} holds nowhere: the lower cut is not below the upper one"
    turned = Interval(literal.feature, literal.high, literal.low)
    fixes: tuple[Fix, ...] = ()
    if literal.low != literal.high:
        fixed: Edit = edit
        if isinstance(edit, MoveCut):
            fixed = replace(edit, low=literal.high, high=literal.low)
        elif isinstance(edit, AddLiteral | ReplaceLiteral):
            fixed = replace(edit, literal=turned)
        elif isinstance(edit, AddRule):
            fixed = replace(edit, literals=tuple(turned if part is literal else part for part in edit.literals))
        fixes = (Fix("turn it round", fixed),)
    rule = getattr(edit, "rule", "")
    return Finding("inside out", (rule,) if rule else (), text, fixes)


def _unlocked(version: Version, name: str, rule: str, edit: Edit) -> tuple[Fix, ...]:
    """Return a fix, unless the rule that it changes is locked."""
    return () if rule in version.locked else (Fix(name, edit),)


def _empty_rules(version: Version, matrix: RuleMatrix) -> Iterator[Finding]:
    """Yield the rules that cover no training row."""
    for k, rule in enumerate(matrix.ids):
        if matrix.shared_rows[k][k] == 0:
            fixes = _unlocked(version, f"delete {rule}", rule, DeleteRule(rule))
            yield Finding("covers nothing", (rule,), f"{rule} covers no training row", fixes)


def _idle_literals(state: State, matrix: RuleMatrix) -> Iterator[Finding]:
    """Yield the literals without which their rule would cover the same training rows."""
    schema = state.rule_set.schema
    for k, rule in enumerate(state.rule_set.rules):
        if matrix.shared_rows[k][k] == 0:
            continue
        for literal, n in zip(rule.literals, state.training.rows.excluded(rule, schema), strict=True):
            if n:
                continue
            text = f"In {rule.id}, {format_literal(literal, schema)} excludes no training row"
            edit: Edit = RemoveLiteral(rule.id, literal.feature)
            if len(rule.literals) == 1:
                text, edit = f"{rule.id} covers every training row", DeleteRule(rule.id)
            name = f"remove {literal.feature}" if isinstance(edit, RemoveLiteral) else f"delete {rule.id}"
            yield Finding("excludes nothing", (rule.id,), text, _unlocked(state.version, name, rule.id, edit))


def _nested_rules(state: State, matrix: RuleMatrix) -> Iterator[Finding]:
    """Yield the rules whose training rows another rule covers too; either may be the one to go, the cheaper first."""
    rows = matrix.shared_rows
    for i, j in combinations(range(len(matrix.ids)), 2):
        if not rows[i][j]:
            continue
        first, second = matrix.ids[i], matrix.ids[j]
        if rows[i][j] == rows[i][i] == rows[j][j]:
            text = f"{first} and {second} cover the same {rows[i][j]:,} training rows"
            yield Finding("same cover", (first, second), text, _either_goes(state, second, first))
        elif rows[i][j] in (rows[i][i], rows[j][j]):
            small, large = (first, second) if rows[i][j] == rows[i][i] else (second, first)
            text = f"All {rows[i][j]:,} training rows of {small} are covered by {large} too"
            yield Finding("contained", (small, large), text, _either_goes(state, small, large))


def _either_goes(state: State, *rules: str) -> tuple[Fix, ...]:
    """Return the deletions of two rules, that which leaves the fewest bits first; locked rules stay."""
    saved = {part.id: part.bits_saved for part in state.evaluation.contributions}
    free = [(rule, saved[rule] or 0.0) for rule in rules if rule not in state.version.locked]
    return tuple(
        Fix(f"delete {rule}", DeleteRule(rule), change) for rule, change in sorted(free, key=lambda pair: pair[1])
    )


def _disagreements(matrix: RuleMatrix) -> list[Finding]:
    """Return the pairs of rules that share rows and disagree strongly, the gravest first."""
    found = []
    for i, j in combinations(range(len(matrix.ids)), 2):
        rows, apart = matrix.shared_rows[i][j], matrix.distances[i][j]
        if rows >= FEW_ROWS and apart >= FAR_APART:
            first, second = matrix.ids[i], matrix.ids[j]
            text = f"{first} and {second} share {rows:,} training rows, but their probabilities are {apart:.2f} apart"
            found.append((-rows * apart, Finding("disagreement", (first, second), text)))
    return [finding for _, finding in sorted(found, key=lambda pair: pair[0])]
