"""How the command line shows rules and numbers: to a terminal with a little colour, to a pipe as plain text.

Names, levels and classes come from a table: characters in them that would break the layout or steer the terminal are
printed as escapes. JSON has escapes of its own.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from turs.cli.streams import output
from turs.errors import SettingsError
from turs.evaluate.summary import Summary
from turs.export.lines import condition_of, one_line
from turs.rules.rule import RuleSet

_MOST_CLASSES = 4
"""Most classes whose probability a line shows."""


@dataclass(frozen=True)
class Line:
    """What the listing says of one rule.

    Parameters
    ----------
    probabilities : sequence of float
        Class probabilities.
    coverage : int
        Rows that it covers.
    bits_saved : float or None
        Bits that it saves, where known.
    """

    probabilities: Sequence[float]
    coverage: int
    bits_saved: float | None = None


def lines_of(summary: Summary) -> list[Line]:
    """Return the lines of the rules and, at the end, of the else rule."""
    rules = [Line(rule.probabilities, rule.coverage, rule.bits_saved) for rule in summary.rules]
    return [*rules, Line(summary.else_probabilities, sum(summary.else_counts))]


def print_rules(rule_set: RuleSet, lines: Sequence[Line]) -> None:
    """Print every rule with its probabilities; the last of `lines` is that of the else rule."""
    names = [rule.id for rule in rule_set.rules]
    conditions = [f"IF {condition_of(rule.literals, rule_set)}" for rule in rule_set.rules]
    width = max(map(len, names), default=0)
    with output() as stream:
        console = _console(stream)
        for name, condition, line in zip([*names, ""], [*conditions, "ELSE"], lines, strict=True):
            console.print(Text(f"{name:<{width}}  ", style="bold cyan").append(condition, style="not bold default"))
            console.print(Text(f"{'':<{width}}  {_line_text(line, rule_set.schema.classes)}", style="dim"))


def print_line(text: str) -> None:
    """Print a text to standard output; its own line breaks stay."""
    with output() as stream:
        _console(stream).print(Text("\n".join(map(one_line, text.split("\n")))))


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON object to standard output."""
    with output() as stream:
        is_unicode = (stream.encoding or "").casefold().startswith("utf")
        stream.write(json.dumps(document, ensure_ascii=not is_unicode, indent=2, allow_nan=False) + "\n")


def print_exactly(text: str) -> None:
    """Print a text that a program is to read to standard output; letters are never replaced in it."""
    with output() as stream:
        try:
            text.encode(stream.encoding or "utf-8")
        except UnicodeEncodeError as error:
            raise SettingsError(
                f"Standard output is in {error.encoding}, which has no {text[error.start]!a}: write to a file with"
                f" --out, or set PYTHONIOENCODING=utf-8."
            ) from None
        stream.write(text)


def tell(messages: Iterable[str]) -> None:
    """Print notes to standard error, one a line; where nobody can read them, the work goes on."""
    with suppress(OSError):
        for message in messages:
            sys.stderr.write(f"note: {one_line(' '.join(message.split()))}\n")


def summary_text(summary: Summary) -> str:
    """Return a rule set on a table in two lines."""
    literals = f"{summary.n_literals:,} literal{'' if summary.n_literals == 1 else 's'}"
    rules = f"{summary.n_rules:,} rule{'' if summary.n_rules == 1 else 's'}"
    return (
        f"{rules} with {literals} on {summary.n_rows:,} rows: {summary.coverage:.1%} covered,"
        f" {summary.overlap_share:.1%} by two or more rules\n"
        f"{summary.total_bits:,.1f} bits = {summary.nll_bits:,.1f} likelihood + {summary.regret_bits:,.1f} regret"
        f" + {summary.model_bits:,.1f} model; {auc_text(summary)}"
    )


def auc_text(summary: Summary) -> str:
    """Return the AUC and that of random picks."""
    if math.isnan(summary.auc):
        return "no AUC: the rows hold one class only"
    text = f"AUC {summary.auc:.3f} (random pick {summary.random_pick_auc:.3f})"
    absent = ", ".join(map(one_line, summary.absent_classes))
    return f"{text} without {absent}, of which there is no row" if absent else text


def _console(stream: TextIO) -> Console:
    """Return a stream to print to; long lines are left to the terminal."""
    return Console(file=stream, soft_wrap=True, highlight=False, emoji=False, markup=False)


def _line_text(line: Line, classes: tuple[str, ...]) -> str:
    """Return probabilities, coverage and bits in one line."""
    shares = [f"{one_line(label)} {share:.3f}" for label, share in _shown(line.probabilities, classes)]
    hidden = len(classes) - len(shares)
    rows = f"{line.coverage:,} row{'' if line.coverage == 1 else 's'}"
    saved = "" if line.bits_saved is None else f", saves {line.bits_saved:,.1f} bits"
    return ", ".join(shares) + (f" and {hidden:,} more classes" if hidden else "") + f"  ({rows}{saved})"


def _shown(probabilities: Sequence[float], classes: tuple[str, ...]) -> list[tuple[str, float]]:
    """Return classes with their probabilities; of many classes the most probable ones, the highest first."""
    named = list(zip(classes, probabilities, strict=True))
    if len(named) <= _MOST_CLASSES:
        return named
    return sorted(named, key=lambda pair: -pair[1])[:_MOST_CLASSES]
