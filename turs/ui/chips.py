"""Rules and class shares as markup: literals as chips, shares as bars with their numbers beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from turs.page import class_paint
from turs.rules.rule import Rule
from turs.rules.schema import Schema
from turs.ui import numbers
from turs.ui.cards import literal_pieces

_LEAST_SHARE = 1e-9


@dataclass(frozen=True)
class Bar:
    """Class shares with a name.

    Parameters
    ----------
    name : str
        Whose shares they are.
    shares : sequence of float
        One a class; empty where there are none.
    words : str
        The numbers that stand beside the bar.
    strong : bool
        Whether it is the one that counts.
    """

    name: str
    shares: Sequence[float]
    words: str
    strong: bool = False


def chips_markup(
    rule: Rule, schema: Schema, *, broken: Collection[str] = (), values: Mapping[str, str] | None = None
) -> str:
    """Return the literals of a rule.

    Parameters
    ----------
    rule : Rule
        The rule.
    schema : Schema
        Of its features.
    broken : collection of str
        Features whose literals are marked as not satisfied.
    values : mapping of str to str, optional
        The values of a row, which stand beside the literals.
    """
    chips = []
    for literal in rule.literals:
        pieces = (
            f"<b>{escape(text)}</b>" if is_value else escape(text) for text, is_value in literal_pieces(literal, schema)
        )
        tone = " t-broken" if literal.feature in broken else ""
        own = f" <small>here {escape(values[literal.feature])}</small>" if values is not None else ""
        chips.append(f'<span class="t-chip{tone}">{"".join(pieces)}{own}</span>')
    return f'<div class="t-chips">{"".join(chips)}</div>'


def bars_markup(bars: Sequence[Bar], classes: Sequence[str], head: str = "") -> str:
    """Return class shares one below the other, each with its name and its numbers; `head` says what these are."""
    lines = [f'<div></div><div></div><div class="head">{escape(head)}</div>'] if head else []
    for bar in bars:
        tone = ' class="strong"' if bar.strong else ""
        told = escape(_told(bar, classes))
        lines.append(
            f'<div{tone}>{escape(bar.name)}</div><div class="bar" role="img" aria-label="{told}">'
            f"{_pieces(bar.shares, classes)}</div><div>{escape(bar.words)}</div>"
        )
    return f'<div class="t-bars-box"><div class="t-bars">{"".join(lines)}</div></div>'


def _pieces(shares: Sequence[float], classes: Sequence[str]) -> str:
    """Return the pieces of a bar, each with its class and share for the pointer."""
    return "".join(
        f'<i style="width:{100 * share:.3f}%;background:{class_paint(index, len(shares)).background}"'
        f' title="{escape(numbers.label(label))}: {share:.2f}"></i>'
        for index, (share, label) in enumerate(zip(shares, classes, strict=False))
        if share > _LEAST_SHARE
    )


def _told(bar: Bar, classes: Sequence[str]) -> str:
    """Return a bar in words, for those who cannot see it."""
    shares = ", ".join(f"{numbers.label(label)} {share:.2f}" for label, share in zip(classes, bar.shares, strict=False))
    return f"{bar.name}: {shares or 'no rows'}"
