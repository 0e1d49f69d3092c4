"""A rule as a card: literals as chips, class probabilities as a bar, coverage, bits saved. Markup from escaped text."""

from __future__ import annotations

from html import escape

from turs.evaluate.contribution import Contribution
from turs.evaluate.generalisation import RuleGeneralisation
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.rule import Rule
from turs.rules.schema import Schema
from turs.rules.text import format_number
from turs.ui.theme import class_colour


def rule_markup(rule: Rule, schema: Schema, sides: RuleGeneralisation, contribution: Contribution) -> str:
    """Return the upper part of a card."""
    saved = contribution.bits_saved or 0.0
    tone, verb = ("t-good", "saves") if saved >= 0 else ("t-bad", "costs")
    head = (
        f'<div class="t-head"><span class="id">{escape(rule.id)}</span>{_rows(sides.training.rows)}'
        f' · {verb} <b class="{tone}">{abs(saved):,.1f} bits</b></div>'
    )
    chips = "".join(f'<span class="t-chip">{chip_markup(literal, schema)}</span>' for literal in rule.literals)
    return f'{head}<div class="t-chips">{chips}</div>{_shares(schema, sides)}'


def else_markup(schema: Schema, sides: RuleGeneralisation) -> str:
    """Return the card of the else rule."""
    head = f'<div class="t-head"><span class="id">else</span>{_rows(sides.training.rows)} covered by no rule</div>'
    return head + _shares(schema, sides)


def chip_markup(literal: Literal, schema: Schema) -> str:
    """Return a literal as people write it on paper; `turs.rules.text` has the form that parses."""
    name = escape(literal.feature)
    if isinstance(literal, LevelSet):
        return f"{name} in <b>{{{escape(', '.join(literal.levels))}}}</b>"
    if not isinstance(literal, Interval):
        return f"{name} is <b>{'missing' if literal.missing else 'known'}</b>"
    feature = schema.feature(literal.feature)
    low = "" if literal.low is None else f"<b>{escape(format_number(literal.low, feature))}</b>"
    high = "" if literal.high is None else f"<b>{escape(format_number(literal.high, feature))}</b>"
    if low and high:
        return f"{low} ≤ {name} &lt; {high}"
    return f"{name} ≥ {low}" if low else f"{name} &lt; {high}"


def _rows(n: int) -> str:
    """Return a number of training rows in words."""
    return f"{n:,} training row{'' if n == 1 else 's'}"


def _shares(schema: Schema, sides: RuleGeneralisation) -> str:
    """Return the bar of the training rows, and in words the largest class on both parts."""
    training, validation = sides.training, sides.evaluation
    if not training.rows:
        return '<div class="t-line">It covers no training row: the class shares of all rows stand in.</div>'
    n = len(schema.classes)
    pieces = "".join(
        f'<div style="width:{100 * share:.2f}%;background:{class_colour(index, n)}"></div>'
        for index, share in reversed(list(enumerate(training.probabilities)))
        if share > 0
    )
    top = max(range(n), key=training.counts.__getitem__)
    words = f"{escape(schema.classes[top])} <b>{training.probabilities[top]:.2f}</b> training"
    if validation.rows:
        low, high = validation.intervals[top]
        words += f" · <b>{validation.probabilities[top]:.2f}</b> validation (95&nbsp;%: {low:.2f} to {high:.2f})"
    else:
        words += " · no validation row"
    return f'<div class="t-bar" role="img" aria-label="class shares">{pieces}</div><div class="t-line">{words}</div>'
