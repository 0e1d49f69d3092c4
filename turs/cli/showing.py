"""`turs show`: the rules of a model document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from turs.cli.listing import Line, print_json, print_line, print_rules
from turs.export.lines import one_line
from turs.predict import patterns_of, rule_probabilities, shares
from turs.rules.document import load
from turs.rules.model import Model
from turs.rules.text import format_rule


def run(path: Path, *, as_json: bool) -> None:
    """Load a model and print it."""
    model = load(path)
    if as_json:
        print_json(_document(model))
        return
    schema = model.rule_set.schema
    patterns = patterns_of(model)
    n_rows, n_rules = int(patterns.counts.sum()), len(model.rule_set.rules)
    print_line(
        f"{one_line(schema.target)}: {n_rules:,} rule{'' if n_rules == 1 else 's'} learned from {n_rows:,} rows,"
        f" {len(schema.features):,} feature{'' if len(schema.features) == 1 else 's'}"
    )
    print_line("")
    print_rules(model.rule_set, _lines(model))


def _lines(model: Model) -> list[Line]:
    """Return the numbers of the rules and of the else rule; the bits are those that learning noted."""
    patterns = patterns_of(model)
    noted = model.info.get("rules")
    saved = noted if isinstance(noted, dict) else {}
    lines = [
        Line(own, int(counts.sum()), _number(saved.get(rule.id), "bits_saved"))
        for rule, own, counts in zip(
            model.rule_set.rules, rule_probabilities(patterns).tolist(), patterns.rule_counts, strict=True
        )
    ]
    return [*lines, Line(_else_probabilities(model), int(patterns.counts[0].sum()))]


def _number(noted: object, key: str) -> float | None:
    """Return a number of a note, or None where the note is not what learning writes."""
    value = noted.get(key) if isinstance(noted, dict) else None
    return float(value) if isinstance(value, int | float) else None


def _else_probabilities(model: Model) -> list[float]:
    """Return the class probabilities of the else rule."""
    patterns = patterns_of(model)
    found: list[float] = shares(patterns.counts[:1], patterns.counts.sum(axis=0))[0].tolist()
    return found


def _document(model: Model) -> dict[str, Any]:
    """Return the rules of a model as JSON values."""
    schema = model.rule_set.schema
    lines = _lines(model)
    counts = patterns_of(model).rule_counts.tolist()
    return {
        "target": schema.target,
        "classes": list(schema.classes),
        "rules": [
            {
                "id": rule.id,
                "text": format_rule(rule, schema, line.probabilities),
                "coverage": line.coverage,
                "counts": own,
                "probabilities": list(line.probabilities),
                "bits_saved": line.bits_saved,
            }
            for rule, line, own in zip(model.rule_set.rules, lines, counts, strict=False)
        ],
        "else": {"coverage": lines[-1].coverage, "probabilities": list(lines[-1].probabilities)},
        "info": model.info,
    }
