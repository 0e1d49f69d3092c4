"""A model as Markdown: a table with a line for each rule.

What comes from the data stands in code spans, where nothing is markup; only `|` would still end a cell.
"""

from __future__ import annotations

import re

from turs.export.lines import one_line, rule_lines, title_of
from turs.rules.model import Model


def markdown_of(model: Model) -> str:
    """Return the rules as a table with coverage and class probabilities."""
    classes = model.rule_set.schema.classes
    lines = [
        f"# Rules for {_code(model.rule_set.schema.target)}",
        "",
        f"{title_of(model).rpartition(': ')[2]}. Where several rules hold, their rows are pooled; where none holds,"
        " ELSE answers.",
        "",
        _row(["rule", "IF", "rows", *(_code(label) for label in classes)]),
        _row(["---", "---", "---:", *("---:" for _ in classes)]),
    ]
    for line in rule_lines(model):
        shares = [f"{share:.3f}" for share in line.probabilities]
        lines.append(_row([line.id, _code(line.condition) if line.id else "ELSE", f"{line.coverage:,}", *shares]))
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """Return a text as a code span that may stand in a cell."""
    text = one_line(text).replace("|", r"\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if "`" in text or not text.strip() or text != text.strip() else ""
    return f"{fence}{space}{text}{space}{fence}"
