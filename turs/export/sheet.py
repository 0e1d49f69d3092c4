"""A model as a spreadsheet: rules, their literals and the patterns, as a workbook; the rules alone as CSV.

Text stays text. In the workbook every text cell has the type of a text and is marked as quoted, so that it remains one
when a person edits it or saves the sheet in another form. CSV has no types: there a text that a spreadsheet would
take for a formula gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

from turs.export.lines import one_line, rule_lines
from turs.rules.literal import Interval, Literal
from turs.rules.model import Model
from turs.rules.schema import Feature, Kind
from turs.rules.text import format_literal, format_number

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""How a text begins that a spreadsheet may take for a formula: with one of = + - @, also in full width."""

_LONGEST_CELL = 32_767
"""Most characters of a cell of a workbook."""

_LONGEST_WIDTH = 80
"""Widest column, in characters."""

Cell = str | int | float | None
Rows = list[list[Cell]]


def workbook_of(model: Model) -> bytes:
    """Return an Excel workbook with the sheets Rules, Literals and Patterns."""
    from openpyxl import Workbook  # type: ignore[import-untyped]  # loaded here because it is slow; ships no types

    book = Workbook()
    book.remove(book.active)
    for name, rows in (
        ("Rules", _rule_rows(model)),
        ("Literals", _literal_rows(model)),
        ("Patterns", _pattern_rows(model)),
    ):
        sheet = book.create_sheet(name)
        for number, row in enumerate(rows, start=1):
            for column, value in enumerate(row, start=1):
                _fill(sheet.cell(number, column), value, is_head=number == 1)
        for letter, width in zip(_letters(len(rows[0])), _widths(rows), strict=True):
            sheet.column_dimensions[letter].width = width
        sheet.freeze_panes = "B2"
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def csv_of(model: Model) -> str:
    """Return the rules as CSV that no spreadsheet takes for formulas."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([_harmless(value) for value in row] for row in _rule_rows(model))
    return file.getvalue()


def _harmless(value: Cell) -> Cell:
    """Return a value that is no formula in any spreadsheet."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _fill(cell: Any, value: Cell, *, is_head: bool) -> None:
    """Write a value into a cell of a workbook, text as text whatever it looks like."""
    from openpyxl.styles import Font  # type: ignore[import-untyped]  # ships no types

    cell.value = value[:_LONGEST_CELL] if isinstance(value, str) else value
    if isinstance(value, str):
        cell.data_type = "s"
        cell.quotePrefix = True
    if is_head:
        cell.font = Font(bold=True)


def _letters(n_columns: int) -> list[str]:
    """Return the letters of the first columns."""
    from openpyxl.utils import get_column_letter  # type: ignore[import-untyped]  # ships no types

    return [get_column_letter(column) for column in range(1, n_columns + 1)]


def _widths(rows: Rows) -> list[int]:
    """Return the width of each column."""
    texts = [[f"{value:.3f}" if isinstance(value, float) else str(value or "") for value in row] for row in rows]
    return [min(max(map(len, column)) + 2, _LONGEST_WIDTH) for column in zip(*texts, strict=True)]


def _rule_rows(model: Model) -> Rows:
    """Return the rules and the else rule with coverage, class probabilities and class counts."""
    labels = [one_line(label) for label in model.rule_set.schema.classes]
    head: list[Cell] = ["rule", "condition", "rows", *(f"p({x})" for x in labels), *(f"rows of {x}" for x in labels)]
    lines: Rows = [
        [line.id or "ELSE", line.condition, line.coverage, *line.probabilities, *line.counts]
        for line in rule_lines(model)
    ]
    return [head, *lines]


def _literal_rows(model: Model) -> Rows:
    """Return every literal in parts."""
    schema = model.rule_set.schema
    rows: Rows = [["rule", "feature", "from", "below", "literal"]]
    for rule in model.rule_set.rules:
        for literal in rule.literals:
            feature = schema.feature(literal.feature)
            text = one_line(format_literal(literal, schema))
            rows.append([rule.id, one_line(feature.name), *_sides(literal, feature), text])
    return rows


def _sides(literal: Literal, feature: Feature) -> Sequence[Cell]:
    """Return the cuts of an interval: numbers, or the text of dates."""
    if not isinstance(literal, Interval):
        return None, None
    is_date = feature.kind is Kind.DATE
    return [format_number(cut, feature) if is_date and cut is not None else cut for cut in (literal.low, literal.high)]


def _pattern_rows(model: Model) -> Rows:
    """Return the observed patterns with their class counts."""
    head: list[Cell] = ["rules", "rows", *(f"rows of {one_line(label)}" for label in model.rule_set.schema.classes)]
    lines: Rows = [
        [" ".join(pattern.rules) or "ELSE", sum(pattern.counts), *pattern.counts] for pattern in model.patterns
    ]
    return [head, *lines]
