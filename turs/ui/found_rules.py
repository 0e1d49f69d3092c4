"""Rules as learning found them: conditions, rows and the largest class."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from turs.evaluate.shares import ClassShares
from turs.rules.rule import Rule
from turs.rules.schema import Schema
from turs.ui import numbers
from turs.ui.cards import literal_words, top_class


def found_markup(rules: Sequence[Rule], shares: Sequence[ClassShares], schema: Schema) -> str:
    """Return rules as lines of chips, each with what follows from it on the training rows."""
    lines = []
    for rule, own in zip(rules, shares, strict=True):
        chips = "".join(f'<span class="t-chip">{escape(literal_words(part, schema))}</span>' for part in rule.literals)
        lines.append(
            f'<span class="t-id">{escape(rule.id)}</span><div class="t-chips">{chips}'
            f'<span class="t-line">{escape(_told(own, schema.classes))}</span></div>'
        )
    return f'<div class="t-rules">{"".join(lines)}</div>'


def _told(shares: ClassShares, classes: Sequence[str]) -> str:
    """Return the largest class and the rows in words."""
    if not shares.rows:
        return numbers.rows(0)
    top = top_class(shares)
    return f"{numbers.label(classes[top])}: {shares.probabilities[top]:.2f} · {numbers.rows(shares.rows)}"
