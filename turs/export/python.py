"""A model as a Python module that needs nothing else: one function from a row to class probabilities and fired rules.

Names and levels appear in it as quoted texts only; names of variables are made here. The functions that it calls are
the text of turs/export/conversion.py.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from importlib.resources import files

from turs import __version__
from turs.export.lines import condition_of, title_of, used_features
from turs.predict import patterns_of
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.model import Model
from turs.rules.schema import Feature, Kind

_HEAD = '''"""Class probabilities of a row, from rules; needs Python 3.11 or newer and nothing else.

    probabilities, fired = predict(row)
    predicted = max(probabilities, key=probabilities.__getitem__)

`row` gives a value for each column that a rule asks for, by the name of the column: numbers, text, booleans, dates, or
text of these. None, NaN and blank text are missing values. A level that the rules do not know is in none of their sets.
A date is a date, a datetime or ISO text; without an offset it is in UTC. A value that is none raises a ValueError.

The texts NA, N/A, n/a, #N/A, <NA>, NaN, nan, null, NULL, None and ? are missing values too, with or without white space
around them, as they are in a text file that `turs predict` reads; one that is a level of its column is that level. In
Parquet files and data frames, where missing values need no marker, TURS takes such a text for a level.

Every rule is true on its own. Where several hold, the training rows that they cover are pooled; where none holds, the
rows that no rule covers answer.
"""
'''


def python_of(model: Model) -> str:
    """Return the source of a module with a function `predict`, typed."""
    imports, functions = _conversion()
    rule_set = model.rule_set
    features = used_features(rule_set)
    variables = {feature.name: f"x{number}" for number, feature in enumerate(features, start=1)}
    parts = [
        f"{_HEAD}\n# {title_of(model)}. Written by TURS Studio {__version__}.\n",
        f'{imports}\n\n__all__ = ["predict"]\n',
        f"CLASSES = {_tuple(map(repr, rule_set.schema.classes))}\n",
        f"# How many training rows of each class are covered by exactly these rules.\n{_patterns(model)}\n",
        f"\n{_predict(model, features, variables)}",
        f"\n{functions}\n",
    ]
    return "\n".join(parts)


def _conversion() -> tuple[str, str]:
    """Return the imports and the functions of the module whose text is exported."""
    source = files("turs.export").joinpath("conversion.py").read_text(encoding="utf-8")
    nodes = ast.parse(source).body
    is_import = [isinstance(node, ast.Import | ast.ImportFrom) for node in nodes]
    first, last = is_import.index(True), len(nodes) - 1 - is_import[::-1].index(True)
    lines = source.splitlines()
    start, end = nodes[first].lineno - 1, nodes[last].end_lineno
    return "\n".join(lines[start:end]), "\n".join(lines[end:]).strip("\n")


def _patterns(model: Model) -> str:
    """Return the patterns with their class counts, the else rule first."""
    ids = [rule.id for rule in model.rule_set.rules]
    patterns = patterns_of(model)
    lines = ["PATTERNS: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...] = ("]
    for members, counts in zip(patterns.members, patterns.counts.tolist(), strict=True):
        rules = (repr(name) for name, is_in in zip(ids, members, strict=True) if is_in)
        lines.append(f"    ({_tuple(rules)}, {_tuple(map(repr, counts))}),")
    return "\n".join([*lines, ")"])


def _predict(model: Model, features: list[Feature], variables: Mapping[str, str]) -> str:
    """Return the function that a user calls."""
    lines = [
        "def predict(row: Mapping[str, object]) -> tuple[dict[str, float], list[str]]:",
        '    """Return the probability of each class, and the ids of the rules that hold for `row`."""',
        *(f"    {variables[feature.name]} = {_value(feature)}" for feature in features),
        "    fired: list[str] = []",
    ]
    for rule in model.rule_set.rules:
        tests = [_test(literal, variables[literal.feature]) for literal in rule.literals]
        lines += [
            f"    # {rule.id}: IF {condition_of(rule.literals, model.rule_set)}",
            f"    if {' and '.join(tests)}:",
            f"        fired.append({rule.id!r})",
        ]
    return "\n".join([*lines, "    return dict(zip(CLASSES, shares(fired, PATTERNS), strict=True)), fired", ""])


def _value(feature: Feature) -> str:
    """Return the call that takes the value of a feature out of a row."""
    if feature.kind is Kind.NUMERIC:
        return f"number(row, {feature.name!r})"
    if feature.kind is Kind.DATE:
        return f"seconds(row, {feature.name!r})"
    return f"level(row, {feature.name!r}, {_tuple(map(repr, feature.levels))})"


def _test(literal: Literal, variable: str) -> str:
    """Return a literal as an expression."""
    if isinstance(literal, Interval):
        low = "" if literal.low is None else f"{float(literal.low)!r} <= "
        high = "" if literal.high is None else f" < {float(literal.high)!r}"
        return f"{variable} is not None and {low}{variable}{high}"
    if isinstance(literal, LevelSet):
        return f"{variable} in {_tuple(map(repr, literal.levels))}"
    return f"{variable} is {'None' if literal.missing else 'not None'}"


def _tuple(items: Iterable[str]) -> str:
    """Return the source of a tuple."""
    texts = list(items)
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
