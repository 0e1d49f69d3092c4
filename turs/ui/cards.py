"""The rules as the list of the workbench shows them: plain values for `browser/rules.js`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from turs.evaluate.contribution import Contribution
from turs.evaluate.shares import ClassShares
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.rule import Rule
from turs.rules.schema import Schema
from turs.rules.text import format_condition
from turs.ui import numbers
from turs.ui.opened import OpenModel
from turs.ui.theme import class_colours

_LONGEST_LABEL = 60


@dataclass(frozen=True)
class Wanted:
    """Which rules are listed, and in which order.

    Parameters
    ----------
    order : str
        One of `ORDERS`.
    label : str
        Only rules whose largest class this is; empty for all.
    feature : str
        Only rules with a literal on it; empty for all.
    least_rows : int
        Only rules that cover at least so many training rows.
    least_saved : float or None
        Only rules that save at least so many bits; None for all.
    least_distance : float
        Only rules whose probabilities are at least so far from those of a rule that they overlap.
    """

    order: str = "bits saved"
    label: str = ""
    feature: str = ""
    least_rows: int = 0
    least_saved: float | None = None
    least_distance: float = 0.0


@dataclass(frozen=True)
class Line:
    """A rule with the numbers that lists need."""

    rule: Rule
    training: ClassShares
    validation: ClassShares | None
    contribution: Contribution
    disagreement: float
    distance: float
    warning: str


ORDERS: dict[str, Callable[[Line], float]] = {
    "bits saved": lambda line: -(line.contribution.bits_saved or 0.0),
    "coverage": lambda line: -line.training.rows,
    "disagreement": lambda line: -line.disagreement,
    "number": lambda line: int("".join(filter(str.isdigit, line.rule.id)) or 0),
}
"""What the rules can be sorted by."""


def rule_lines(model: OpenModel, wanted: Wanted) -> list[Line]:
    """Return the rules that are wanted, in the order that is wanted."""
    lines = model.kept(("lines", model.number), lambda: _all_lines(model))
    classes = model.study.schema.classes
    return sorted(
        (
            line
            for line in lines
            if line.training.rows >= wanted.least_rows
            and (wanted.least_saved is None or (line.contribution.bits_saved or 0.0) >= wanted.least_saved)
            and line.distance >= wanted.least_distance
            and (not wanted.label or classes[top_class(line.training)] == wanted.label)
            and (not wanted.feature or any(part.feature == wanted.feature for part in line.rule.literals))
        ),
        key=ORDERS[wanted.order],
    )


def top_class(shares: ClassShares) -> int:
    """Return the largest class of some rows."""
    return max(range(len(shares.counts)), key=shares.counts.__getitem__)


def list_data(model: OpenModel, lines: list[Line], rule: str, feature: str, view: str) -> dict[str, Any]:
    """Return what the list shows.

    Parameters
    ----------
    model : OpenModel
        The model.
    lines : list of Line
        The rules, in order.
    rule, feature : str
        What is selected.
    view : str
        `cards` or `table`.
    """
    schema, version = model.study.schema, model.session.version
    cards = [
        {
            "id": line.rule.id,
            "otherwise": False,
            "rows": numbers.rows(line.training.rows),
            "coverage": numbers.count(line.training.rows),
            "saved": saved_words(line.contribution),
            "bits": numbers.bits(line.contribution.bits_saved or 0.0),
            "good": (line.contribution.bits_saved or 0.0) >= 0,
            "locked": line.rule.id in version.locked,
            "warning": line.warning,
            "literals": [_literal(part, schema, part.feature == feature) for part in line.rule.literals],
            "shares": list(line.training.probabilities) if line.training.rows else [],
            "top": top_words(schema, line.training),
            "words": share_words(schema, line.training, line.validation),
            "note": version.note_on(line.rule.id),
            "selected": line.rule.id == rule,
        }
        for line in lines
    ]
    used = Counter(part.feature for line in lines for part in line.rule.literals)
    return {
        "view": view,
        "cards": [*cards, _else_card(model)],
        "features": [name for name, _ in used.most_common()],
        "colours": class_colours(len(schema.classes)),
        "classes": [numbers.label(name) for name in schema.classes],
    }


def rules_table(model: OpenModel, lines: list[Line]) -> pd.DataFrame:
    """Return what the cards show as a table: the rules that are listed, and the else rule."""
    schema, evaluation = model.study.schema, model.session.state.evaluation
    general = evaluation.generalisation
    found: list[dict[str, Any]] = [
        {
            "rule": line.rule.id,
            "condition": format_condition(line.rule.literals, schema),
            "bits saved": line.contribution.bits_saved,
            **_share_columns(schema, line.training, line.validation),
        }
        for line in lines
    ]
    otherwise = ClassShares(tuple(evaluation.training.training.counts[0].tolist()))
    aside = None if general is None else general.otherwise.evaluation
    found.append({"rule": "else", "condition": "", **_share_columns(schema, otherwise, aside)})
    return pd.DataFrame(found)


def _share_columns(schema: Schema, training: ClassShares, validation: ClassShares | None) -> dict[str, float]:
    """Return rows and class shares with their intervals, by the names of their columns."""
    columns: dict[str, float] = {}
    for part, shares in (("training", training), ("validation", validation)):
        if shares is None:
            continue
        columns[f"{part} rows"] = shares.rows
        for label, share, ends in zip(schema.classes, shares.probabilities, shares.intervals, strict=True):
            columns[f"p({label}) {part}"] = share
            columns |= {f"p({label}) {part} low": ends[0], f"p({label}) {part} high": ends[1]}
    return columns


def saved_words(contribution: Contribution) -> str:
    """Return in words what a rule saves."""
    saved = contribution.bits_saved or 0.0
    return f"{'saves' if saved >= 0 else 'costs'} {numbers.bits(abs(saved))} bits"


def share_words(schema: Schema, training: ClassShares, validation: ClassShares | None) -> str:
    """Return in words the largest class on training and validation rows."""
    if not training.rows:
        return "It covers no training row: the class shares of all rows stand in."
    top = top_class(training)
    words = f"{numbers.label(schema.classes[top])}: {training.probabilities[top]:.2f} training"
    if validation is None:
        return words
    if not validation.rows:
        return f"{words} · no validation row"
    low, high = validation.intervals[top]
    return f"{words} · {validation.probabilities[top]:.2f} validation (95 %: {low:.2f} to {high:.2f})"


def top_words(schema: Schema, training: ClassShares) -> str:
    """Return the largest class with its share, in as few words as can be; empty where there are no rows."""
    top = top_class(training)
    return f"{_short(numbers.label(schema.classes[top]))}: {training.probabilities[top]:.2f}" if training.rows else ""


def _short(label: str) -> str:
    """Return a class as a narrow column shows it: of a very long one both ends, as the end may be what tells it."""
    half = _LONGEST_LABEL // 2
    return label if len(label) <= _LONGEST_LABEL else f"{label[:half].rstrip()} … {label[-half:].lstrip()}"


def literal_pieces(literal: Literal, schema: Schema) -> list[tuple[str, bool]]:
    """Return a literal as people write it on paper, in pieces of text and whether each is a value."""
    name = literal.feature
    if isinstance(literal, LevelSet):
        return [(f"{name} in ", False), (f"{{{', '.join(literal.levels)}}}", True)]
    if not isinstance(literal, Interval):
        return [(f"{name} is ", False), ("missing" if literal.missing else "known", True)]
    feature = schema.feature(name)
    low = "" if literal.low is None else numbers.signed_cut(literal.low, feature)
    high = "" if literal.high is None else numbers.signed_cut(literal.high, feature)
    if low and high:
        return [(low, True), (f" ≤ {name} < ", False), (high, True)]
    return [(f"{name} ≥ ", False), (low, True)] if low else [(f"{name} < ", False), (high, True)]


def literal_words(literal: Literal, schema: Schema) -> str:
    """Return a literal as people write it on paper."""
    return "".join(text for text, _ in literal_pieces(literal, schema))


def _all_lines(model: OpenModel) -> list[Line]:
    """Return all rules with their numbers."""
    evaluation = model.session.state.evaluation
    training = [ClassShares(tuple(counts)) for counts in evaluation.training.training.rule_counts.tolist()]
    validation: list[ClassShares | None] = [None] * len(training)
    if evaluation.generalisation is not None:
        validation = [rule.evaluation for rule in evaluation.generalisation.rules]
    matrix = evaluation.rule_matrix
    apart: dict[str, tuple[float, float]] = {}
    for i, rule in enumerate(matrix.ids):
        pairs = zip(matrix.shared_rows[i], matrix.distances[i], strict=True)
        gaps = [(rows * gap, gap) for j, (rows, gap) in enumerate(pairs) if j != i and rows]
        apart[rule] = (max((part[0] for part in gaps), default=0.0), max((part[1] for part in gaps), default=0.0))
    warnings = _warnings(model)
    return [
        Line(rule, here, there, contribution, *apart[rule.id], warnings.get(rule.id, ""))
        for rule, here, there, contribution in zip(
            evaluation.rule_set.rules, training, validation, evaluation.contributions, strict=True
        )
    ]


def _warnings(model: OpenModel) -> dict[str, str]:
    """Return for each rule with a finding the first one, in few words."""
    words: dict[str, str] = {}
    matrix = model.session.state.evaluation.rule_matrix
    for finding in model.findings:
        for rule in finding.rules:
            if rule in words:
                continue
            words[rule] = finding.kind
            if finding.kind == "disagreement":
                other = next(name for name in finding.rules if name != rule)
                i, j = matrix.ids.index(rule), matrix.ids.index(other)
                shared, apart = numbers.rows(matrix.shared_rows[i][j]), matrix.distances[i][j]
                more = sum(part.kind == "disagreement" and rule in part.rules for part in model.findings) - 1
                words[rule] = f"overlaps {other}: {shared}, {apart:.2f} apart{f', and {more} more' if more else ''}"
            elif len(finding.rules) == 2:
                words[rule] = f"{finding.kind}: {' and '.join(finding.rules)}"
    return words


def _else_card(model: OpenModel) -> dict[str, Any]:
    """Return the card of the else rule."""
    evaluation, schema = model.session.state.evaluation, model.study.schema
    training = ClassShares(tuple(evaluation.training.training.counts[0].tolist()))
    general = evaluation.generalisation
    words = share_words(schema, training, None if general is None else general.otherwise.evaluation)
    return {
        "id": "else",
        "otherwise": True,
        "rows": f"{numbers.rows(training.rows)} covered by no rule",
        "coverage": numbers.count(training.rows),
        "saved": "",
        "bits": "",
        "good": True,
        "locked": False,
        "warning": "",
        "literals": [],
        "shares": list(training.probabilities) if training.rows else [],
        "top": top_words(schema, training),
        "words": words if training.rows else "Every training row is covered by a rule.",
        "note": "",
        "selected": False,
    }


def _literal(literal: Literal, schema: Schema, selected: bool) -> dict[str, Any]:
    """Return a literal as a chip."""
    pieces = literal_pieces(literal, schema)
    short = "".join(text for text, _ in pieces).replace(literal.feature, "", 1).strip()
    if isinstance(literal, Interval) and literal.low is not None and literal.high is not None:
        short = f"{pieces[0][0]} to {pieces[2][0]}"
    return {
        "feature": literal.feature,
        "pieces": [{"text": text, "strong": strong} for text, strong in pieces],
        "short": short,
        "selected": selected,
    }
