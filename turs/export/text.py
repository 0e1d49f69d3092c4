"""A model as plain text, to be read or sent by mail."""

from __future__ import annotations

from turs.export.lines import one_line, rule_lines, title_of
from turs.rules.model import Model


def text_of(model: Model) -> str:
    """Return the rules with their class probabilities, two lines a rule."""
    labels = [one_line(label) for label in model.rule_set.schema.classes]
    width = max((len(rule.id) for rule in model.rule_set.rules), default=0)
    lines = [title_of(model), ""]
    for line in rule_lines(model):
        head = f"IF {line.condition}" if line.id else "ELSE"
        shares = ", ".join(f"{label} {share:.3f}" for label, share in zip(labels, line.probabilities, strict=True))
        rows = f"{line.coverage:,} row{'' if line.coverage == 1 else 's'}"
        lines += [f"{line.id:<{width}}  {head}", f"{'':<{width}}  {shares}  ({rows})"]
    return "\n".join(lines) + "\n"
