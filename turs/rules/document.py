"""The model document `model.json`: a model as readable, versioned JSON, and back.

    {"format": "turs-model", "version": 1, "target", "classes", "features", "rules", "patterns", "info"}

Loading trusts nothing: every value is checked, and a `ModelError` says which one is wrong, where it stands and what
was expected. Keys that this version does not know are ignored. Cuts of date features are ISO dates.
"""

from __future__ import annotations

import copy
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from turs.errors import ModelError, RuleError, nearest
from turs.files import replacing
from turs.rules.literal import Interval, LevelSet, Literal, Missingness, check_literal
from turs.rules.model import Model, Pattern
from turs.rules.node import Node, refuse_repeats, shown
from turs.rules.rule import Rule, RuleSet, check_rule
from turs.rules.schema import MAX_BINS, Feature, Kind, Schema
from turs.rules.text import format_number, parse_number

FORMAT = "turs-model"
"""What the key `format` of a model document says."""

VERSION = 1
"""The version of the document that is written, and the newest that is read."""

_LINE_WIDTH = 100
_DEEPEST = 100
_LARGEST_COUNT = 2**63 - 1
_ONE_LINE_ITEMS = frozenset({"literals", "patterns"})
_RULE_ID = re.compile(r"[^\W\d][\w.-]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def to_document(model: Model) -> dict[str, Any]:
    """Return `model` as plain JSON values, keys in the order of the file."""
    schema = model.rule_set.schema
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": schema.target,
        "classes": list(schema.classes),
        "features": [_feature_document(feature) for feature in schema.features],
        "rules": [_rule_document(rule, schema) for rule in model.rule_set.rules],
        "patterns": [
            {"rules": list(pattern.rules), "counts": [int(count) for count in pattern.counts]}
            for pattern in model.patterns
        ],
        "info": copy.deepcopy(model.info),
    }


def from_document(document: object, where: str = "model") -> Model:
    """Check a document and return its model.

    Parameters
    ----------
    document : object
        What JSON gave.
    where : str
        Where it comes from, such as the name of a file; errors begin with it.

    Returns
    -------
    Model
        The model; level sets are in schema order and the ids of a pattern in rule-set order.

    Raises
    ------
    ModelError
        Where the document is not a model that this version can read.
    """
    try:
        return _read_model(Node(document, where))
    except RecursionError:
        raise ModelError(f"{where}: the document is nested too deeply for a model.") from None


def dumps(model: Model) -> str:
    """Return `model` as readable JSON text that ends with a line break.

    Short lists, literals and patterns stand on one line each, so that versions of a model can be compared by line.

    Raises
    ------
    ModelError
        Where the model could not be read again, for example because a cut is not finite.
    """
    try:
        document = to_document(model)
        from_document(document)
        text = _layout(document, "") + "\n"
    except RecursionError:
        raise ModelError("model: its info is nested too deeply for a document.") from None
    return _SURROGATE.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


def loads(text: str, where: str = "model") -> Model:
    """Read a model from JSON text.

    Parameters
    ----------
    text : str
        The text of a model document.
    where : str
        Where it comes from; errors begin with it.

    Raises
    ------
    ModelError
        Where the text is not JSON, or not a model that this version can read.
    """
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ModelError(f"{where} is not JSON ({error.msg} at {place}): is the file complete?") from None
    except RecursionError:
        raise ModelError(f"{where}: the document is nested too deeply for a model.") from None
    except ValueError as error:
        raise ModelError(f"{where} has a number that cannot be read: {error}") from None
    return from_document(document, where)


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write `model` to `path` as a whole or not at all.

    Raises
    ------
    ModelError
        Where the file cannot be written; what was there before stays.
    """
    content = dumps(model).encode()
    try:
        with replacing(path) as file:
            file.write(content)
    except (OSError, ValueError) as error:
        raise ModelError(f"{os.fspath(path)} cannot be written: {_reason(error)}.") from error


def load(path: str | os.PathLike[str]) -> Model:
    """Read the model in the file `path`.

    Raises
    ------
    ModelError
        Where the file cannot be read, or does not hold a model that this version can read.
    """
    name = os.fspath(path)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ModelError(f"There is no file {name}.") from None
    except UnicodeDecodeError as error:
        raise ModelError(f"{name} is not a text file (byte {error.start + 1} is not UTF-8): is it a model?") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{name} cannot be read: {_reason(error)}.") from error
    return loads(text, name)


def _feature_document(feature: Feature) -> dict[str, Any]:
    """Return a feature as JSON values."""
    document: dict[str, Any] = {"name": feature.name, "kind": feature.kind.value}
    if feature.is_categorical:
        document["levels"] = list(feature.levels)
    else:
        document["cuts"] = [_cut_document(cut, feature) for cut in feature.cuts]
    document["has_missing"] = feature.has_missing
    return document


def _rule_document(rule: Rule, schema: Schema) -> dict[str, Any]:
    """Return a rule as JSON values."""
    literals = [_literal_document(literal, schema.feature(literal.feature)) for literal in rule.literals]
    return {"id": rule.id, "literals": literals}


def _literal_document(literal: Literal, feature: Feature) -> dict[str, Any]:
    """Return a literal as JSON values."""
    document: dict[str, Any] = {"feature": literal.feature}
    if isinstance(literal, Missingness):
        document["missing"] = literal.missing
    elif isinstance(literal, LevelSet):
        document["levels"] = list(literal.levels)
    else:
        sides = {"low": literal.low, "high": literal.high}
        document |= {side: _cut_document(cut, feature) for side, cut in sides.items() if cut is not None}
    return document


def _cut_document(cut: float, feature: Feature) -> float | str:
    """Return a cut as a JSON value: an ISO date where the feature is one."""
    return format_number(cut, feature) if feature.kind is Kind.DATE else float(cut)


def _read_model(document: Node) -> Model:
    """Read a whole document."""
    _check_version(document)
    schema = _read_schema(document)
    rule_set = RuleSet(schema, _read_rules(document.get("rules"), schema))
    patterns = _read_patterns(document.get("patterns"), rule_set)
    info = _read_info(document.get("info")) if document.has("info") else {}
    return Model(rule_set, patterns, info)


def _check_version(document: Node) -> None:
    """Raise unless this is a model document that this version of TURS reads."""
    name = document.get("format")
    if name.text() != FORMAT:
        name.fail(f'is {shown(name.value)}: this is not a model document, whose format is "{FORMAT}"')
    version = document.get("version")
    number = version.whole()
    if number > VERSION:
        problem = f"made by a newer version of TURS (version {number}; this one reads up to {VERSION}): update TURS"
        raise ModelError(f"{document.where}: {problem}.")
    if number < 1:
        version.wrong(f"a version from 1 to {VERSION}")


def _read_schema(document: Node) -> Schema:
    """Read target, classes and features."""
    classes = document.get("classes")
    labels = classes.distinct_texts()
    if not labels:
        classes.fail("is empty: a model has at least one class")
    nodes = list(document.get("features").items())
    features = tuple(_read_feature(node) for node in nodes)
    refuse_repeats(node.get("name") for node in nodes)
    return Schema(document.get("target").text(), labels, features)


def _read_feature(node: Node) -> Feature:
    """Read a feature."""
    name = node.get("name").text()
    kind = node.get("kind")
    if kind.text() not in list(Kind):
        kind.wrong(" or ".join(f'"{known}"' for known in Kind))
    feature = Feature(name, Kind(kind.text()), has_missing=node.get("has_missing").flag())
    if feature.is_categorical:
        feature = replace(feature, levels=node.get("levels").distinct_texts())
    else:
        feature = replace(feature, cuts=_read_cuts(node.get("cuts"), feature))
    if feature.n_bins > MAX_BINS:
        node.fail(f"has {feature.n_bins} bins: a feature has at most {MAX_BINS}")
    return feature


def _read_cuts(node: Node, feature: Feature) -> tuple[float, ...]:
    """Read the candidate cuts of a feature, which have to ascend."""
    cuts: list[float] = []
    for item in node.items():
        cut = _read_cut(item, feature)
        if cuts and cut <= cuts[-1]:
            item.fail(f"is {shown(item.value)}, which is not above the cut before it: cuts ascend")
        cuts.append(cut)
    return tuple(cuts)


def _read_cut(node: Node, feature: Feature) -> float:
    """Read a cut: a number, or the text of a date."""
    if feature.kind is not Kind.DATE:
        return node.number()
    expected = 'a date such as "2024-01-05" or "2024-01-05T13:30:00"'
    if not isinstance(node.value, str):
        node.wrong(expected)
    try:
        return parse_number(node.value, feature)
    except RuleError:
        node.wrong(expected)


def _read_rules(node: Node, schema: Schema) -> tuple[Rule, ...]:
    """Read all rules."""
    nodes = list(node.items())
    rules = tuple(_read_rule(item, schema) for item in nodes)
    refuse_repeats(item.get("id") for item in nodes)
    return rules


def _read_rule(node: Node, schema: Schema) -> Rule:
    """Read a rule."""
    name = node.get("id")
    if not _RULE_ID.fullmatch(name.text()):
        name.wrong("a word such as r1")
    rule = Rule(name.text(), tuple(_read_literal(item, schema) for item in node.get("literals").items()))
    try:
        check_rule(rule, schema)
    except RuleError as error:
        raise ModelError(f"{node.where}: {node.path}.literals: {error}") from None
    return rule


def _read_literal(node: Node, schema: Schema) -> Literal:
    """Read a literal of any form."""
    name = node.get("feature")
    names = [feature.name for feature in schema.features]
    if name.text() not in names:
        hint = nearest(name.text(), names)
        name.fail(f"is {shown(name.value)}: there is no such feature" + (f".{hint}" if hint else ""))
    feature = schema.feature(name.text())
    says_cut = node.has("low") or node.has("high")
    if says_cut + node.has("levels") + node.has("missing") != 1:
        node.fail('has to say one thing: "low" and/or "high", or "levels", or "missing"')
    if node.has("missing"):
        return Missingness(feature.name, node.get("missing").flag())
    literal = _read_interval(node, feature) if says_cut else _read_level_set(node, feature)
    try:
        check_literal(literal, feature)
    except RuleError as error:
        raise ModelError(f"{node.where}: {node.path}: {error}") from None
    return literal


def _read_interval(node: Node, feature: Feature) -> Interval:
    """Read an interval, whose cuts have to be among those of the feature."""
    if feature.is_categorical:
        node.fail(f'compares "{feature.name}" with a cut, but the feature is categorical: give "levels"')
    cuts: dict[str, float] = {}
    for side in ("low", "high"):
        if node.has(side):
            item = node.get(side)
            cuts[side] = _read_cut(item, feature)
            if cuts[side] not in feature.cuts:
                item.fail(f'is {shown(item.value)}, which is not among the cuts of "{feature.name}": add it there')
    return Interval(feature.name, **cuts)


def _read_level_set(node: Node, feature: Feature) -> LevelSet:
    """Read a level set; known levels come in the order of the schema."""
    levels = node.get("levels").distinct_texts()
    order = {level: index for index, level in enumerate(feature.levels)}
    return LevelSet(feature.name, tuple(sorted(levels, key=lambda level: order.get(level, len(order)))))


def _read_patterns(node: Node, rule_set: RuleSet) -> tuple[Pattern, ...]:
    """Read all patterns."""
    order = {rule.id: index for index, rule in enumerate(rule_set.rules)}
    patterns: list[Pattern] = []
    seen: set[tuple[str, ...]] = set()
    for item in node.items():
        pattern = Pattern(_read_pattern_rules(item.get("rules"), order), _read_counts(item.get("counts"), rule_set))
        if pattern.rules in seen:
            item.fail(f"has the same rules as an earlier pattern ({' '.join(pattern.rules) or 'none'}): add the counts")
        seen.add(pattern.rules)
        patterns.append(pattern)
    if sum(sum(pattern.counts) for pattern in patterns) > _LARGEST_COUNT:
        node.fail("has more rows in all than can be counted: check the counts")
    return tuple(patterns)


def _read_pattern_rules(node: Node, order: dict[str, int]) -> tuple[str, ...]:
    """Read the rule ids of a pattern and put them into `order`, the order of the rule set."""
    for item in node.items():
        if item.text() not in order:
            item.fail(f"is {shown(item.value)}: there is no such rule. Rules: {', '.join(order) or 'none'}")
    return tuple(sorted(node.distinct_texts(), key=order.__getitem__))


def _read_counts(node: Node, rule_set: RuleSet) -> tuple[int, ...]:
    """Read the class counts of a pattern."""
    counts: list[int] = []
    for item in node.items():
        count = item.whole()
        if not 0 <= count <= _LARGEST_COUNT:
            item.wrong("0 or more rows" if count < 0 else "a smaller number of rows")
        counts.append(count)
    n_classes = len(rule_set.schema.classes)
    if len(counts) != n_classes:
        node.fail(f"has {len(counts)} counts, but there are {n_classes} classes: give one a class")
    return tuple(counts)


def _read_info(node: Node) -> dict[str, Any]:
    """Read what is told beside the model: any plain JSON values."""
    info = node.object()
    _check_plain(node)
    return copy.deepcopy(info)


def _check_plain(node: Node, depth: int = 0) -> None:
    """Raise where a value is not plain JSON, holds a number that is not finite, or is nested too deeply."""
    if depth > _DEEPEST:
        raise RecursionError
    if isinstance(node.value, dict):
        for key in node.value:
            if not isinstance(key, str):
                node.fail(f"has the key {shown(key)}: a text was expected")
            _check_plain(node.get(key), depth + 1)
    elif isinstance(node.value, list | tuple):
        for index, value in enumerate(node.value):
            _check_plain(Node(value, node.where, f"{node.path}[{index}]"), depth + 1)
    elif isinstance(node.value, float):
        node.number()
    elif node.value is not None and not isinstance(node.value, str | int):
        node.wrong("a plain JSON value")


def _layout(value: object, indent: str) -> str:
    """Return JSON text in which objects are open and lists of plain values are closed where they are short."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        members = [f"{inner}{_one_line(key)}: {_member(key, item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list | tuple) and value:
        line = _one_line(value)
        if len(line) <= _LINE_WIDTH and not any(isinstance(item, dict | list | tuple) for item in value):
            return line
        return _open_list([_layout(item, inner) for item in value], indent)
    return _one_line(value)


def _member(key: str, value: object, indent: str) -> str:
    """Return the JSON text of a member of an object: each literal and each pattern is one line."""
    if key in _ONE_LINE_ITEMS and isinstance(value, list) and value:
        return _open_list([_one_line(item) for item in value], indent)
    return _layout(value, indent)


def _open_list(items: list[str], indent: str) -> str:
    """Return a JSON list with one item a line."""
    return "[\n" + ",\n".join(f"{indent}  {item}" for item in items) + f"\n{indent}]"


def _one_line(value: object) -> str:
    """Return the JSON text of a value on one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _reason(error: Exception) -> str:
    """Return why a file cannot be read or written."""
    return str(error.strerror if isinstance(error, OSError) and error.strerror else error)
