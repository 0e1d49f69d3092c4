"""The state of a model in one line: each number with its change since the last edit and since learning."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from turs.evaluate.evaluation import Headline
from turs.ui import numbers


@dataclass(frozen=True)
class Number:
    """One number of the line.

    Parameters
    ----------
    name : str
        What it is.
    of : callable
        Reads it off a headline; NaN where there is none.
    shown : callable
        Prints it.
    better : int
        1 where more is better, -1 where less is, 0 where neither.
    about : str
        What the pointer shows.
    missing : str
        Why there may be none.
    shown_change : callable, optional
        Prints a change of it, where that has another unit.
    """

    name: str
    of: Callable[[Headline], float]
    shown: Callable[[float], str]
    better: int
    about: str
    missing: str = ""
    shown_change: Callable[[float], str] | None = None


NUMBERS = (
    Number(
        "Total bits",
        lambda line: line.total_bits if line.total_bits is not None else math.nan,
        numbers.bits,
        -1,
        "MDL score on the training rows: likelihood, regret and model together; fewer is better",
    ),
    Number(
        "AUC training",
        lambda line: line.training.auc,
        numbers.auc,
        1,
        "how well the probabilities rank the rows that were learned from; 1 is perfect, 0.5 is chance",
        "only one class",
    ),
    Number(
        "AUC validation",
        lambda line: line.evaluation.auc if line.evaluation is not None else math.nan,
        numbers.auc,
        1,
        "the same on rows that learning did not see",
        "no such rows, or one class",
    ),
    Number(
        "Random-pick AUC",
        lambda line: (line.evaluation or line.training).random_pick_auc,
        numbers.auc,
        1,
        "expected where each row takes one of its rules at random, on validation rows, or on training rows where there "
        "are none; near the AUC: rules agree",
        "only one class",
    ),
    Number(
        "Overlap",
        lambda line: line.training.overlap_share,
        numbers.share,
        0,
        "share of the training rows that two or more rules cover; changes are in percentage points",
        shown_change=numbers.points,
    ),
    Number("Rules", lambda line: line.n_rules, numbers.count, 0, "number of rules, without the else rule"),
    Number("Literals", lambda line: line.n_literals, numbers.count, 0, "number of literals of all rules"),
)
"""What the line shows, from left to right."""


def headline_markup(now: Headline, before: Headline | None, learned: Headline, last_edit: str = "") -> str:
    """Return the line as markup.

    Parameters
    ----------
    now, learned : Headline
        At present, and just after learning.
    before : Headline or None
        Before the last edit that changed a rule, where there is one.
    last_edit : str
        What that edit did.
    """
    cells = "".join(_cell(number, now, before, learned, last_edit) for number in NUMBERS)
    calm = "" if before is not None else '<p class="calm">the rules as they were learned: no edit has changed one</p>'
    return f'<div class="t-state" role="group" aria-label="State of the model">{cells}{calm}</div>'


def _cell(number: Number, now: Headline, before: Headline | None, learned: Headline, last_edit: str) -> str:
    """Return one number as markup."""
    value = number.of(now)
    lines = []
    if before is not None:
        lines.append(_change(number, value - number.of(before), "last edit", last_edit))
        lines.append(_change(number, value - number.of(learned), "since learning", ""))
    if math.isnan(value):
        lines = [f'<div class="change">{number.missing}</div>']
    return (
        f'<div title="{escape(number.about)}"><div class="name">{number.name}</div>'
        f'<div class="value">{number.shown(value)}</div>{"".join(lines)}</div>'
    )


def _change(number: Number, change: float, since: str, about: str) -> str:
    """Return a change as markup, coloured where it is for the better or the worse."""
    shown = "" if math.isnan(change) else numbers.change(change, (number.shown_change or number.shown)(change))
    if not shown:
        return f'<div class="change" title="{escape(about)}"><span>±0</span> {since}</div>'
    tone = "" if not number.better else " t-good" if change * number.better > 0 else " t-bad"
    return f'<div class="change" title="{escape(about)}"><span class="{tone}">{shown}</span> {since}</div>'
