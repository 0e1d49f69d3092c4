"""Edits and steps of a history as plain JSON values, and back: what a journal keeps.

    {"step": "edit", "number": 3, "parent": 2, "edit": {"kind": "move_cut", "rule": "r2", "feature": "age", "low": 60},
     "description": "...", "author": "...", "time": "...", "note": "...", "total_bits": 812.5, "auc": 0.91, ...}
    {"step": "move", "to": 2}
    {"step": "name", "name": "before the meeting", "at": 2}

Reading trusts nothing: every value is checked, and a `ModelError` says which one is wrong and where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from turs.editing.edit import Edit
from turs.editing.history import Entry, Moved, Named, Step
from turs.editing.literal_edits import (
    AddLiteral,
    ChangeLevels,
    MoveCut,
    RemoveLiteral,
    ReorderLiterals,
    ReplaceLiteral,
)
from turs.editing.rule_edits import (
    AcceptRules,
    AddRule,
    AttachNote,
    DeleteRule,
    DuplicateRule,
    LockRule,
    MergeRules,
    ReplaceCondition,
    SplitRule,
    UnlockRule,
)
from turs.rules.literal import Interval, LevelSet, Literal, Missingness
from turs.rules.node import Node, shown
from turs.rules.rule import Rule

KINDS: dict[str, type[Edit]] = {
    "move_cut": MoveCut,
    "replace_literal": ReplaceLiteral,
    "add_literal": AddLiteral,
    "remove_literal": RemoveLiteral,
    "change_levels": ChangeLevels,
    "reorder_literals": ReorderLiterals,
    "add_rule": AddRule,
    "replace_condition": ReplaceCondition,
    "duplicate_rule": DuplicateRule,
    "delete_rule": DeleteRule,
    "split_rule": SplitRule,
    "merge_rules": MergeRules,
    "lock_rule": LockRule,
    "unlock_rule": UnlockRule,
    "attach_note": AttachNote,
    "accept_rules": AcceptRules,
}
"""Every edit under the name that documents call it by."""

_NAMES = {edit: name for name, edit in KINDS.items()}


def edit_document(edit: Edit) -> dict[str, Any]:
    """Return an edit as plain JSON values; what is not given is left out."""
    values = {field.name: getattr(edit, field.name) for field in fields(edit)}  # type: ignore[arg-type]  # a dataclass
    return {"kind": _NAMES[type(edit)]} | {name: _plain(value) for name, value in values.items() if value is not None}


def read_edit(document: object, where: str = "edit") -> Edit:
    """Check a document and return its edit.

    Raises
    ------
    ModelError
        Where the document is no edit that this version knows.
    """
    return _edit(document if isinstance(document, Node) else Node(document, where))


def step_document(step: Step) -> dict[str, Any]:
    """Return a step of a history as plain JSON values."""
    if isinstance(step, Moved):
        return {"step": "move", "to": step.to}
    if isinstance(step, Named):
        return {"step": "name", "name": step.name, "at": step.at}
    values = {field.name: getattr(step, field.name) for field in fields(step)}
    return {"step": "edit", **values, "edit": edit_document(step.edit)}


def read_step(document: object, where: str = "step") -> Step:
    """Check a document and return its step.

    Raises
    ------
    ModelError
        Where the document is no step that this version knows.
    """
    node = Node(document, where)
    kind = node.get("step")
    if kind.text() == "move":
        return Moved(node.get("to").whole())
    if kind.text() == "name":
        return Named(node.get("name").text(), node.get("at").whole())
    if kind.text() != "edit":
        kind.wrong("edit, move or name")
    return Entry(
        number=node.get("number").whole(),
        parent=node.get("parent").whole(),
        edit=_edit(node.get("edit")),
        description=node.get("description").text(),
        author=node.get("author").text(),
        time=node.get("time").text(),
        note=node.get("note").text(),
        total_bits=node.get("total_bits").number(),
        auc=_optional(node, "auc"),
        validation_auc=_optional(node, "validation_auc"),
    )


def _plain(value: object) -> Any:
    """Return a value of an edit as JSON values."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Rule):
        return {"id": value.id, "literals": _plain(value.literals)}
    if isinstance(value, Interval | LevelSet | Missingness):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return {name: _plain(part) for name, part in parts.items() if part is not None}
    return value


def _edit(node: Node) -> Edit:
    """Read an edit."""
    kind = node.get("kind")
    if kind.text() not in KINDS:
        kind.fail(f"is {shown(kind.value)}: this version of TURS knows no such edit")
    found = KINDS[kind.text()]
    names = [field.name for field in fields(found)]  # type: ignore[arg-type]  # every edit is a dataclass
    given = {name: _READERS[name](node.get(name)) for name in names if name not in _OPTIONAL or node.has(name)}
    return found(**given)


def _literal(node: Node) -> Literal:
    """Read a literal of any form; whether it fits the features is checked when the edit is applied."""
    feature = node.get("feature").text()
    if node.has("missing"):
        return Missingness(feature, node.get("missing").flag())
    if node.has("levels"):
        return LevelSet(feature, node.get("levels").distinct_texts())
    return Interval(feature, _optional(node, "low"), _optional(node, "high"))


def _rule(node: Node) -> Rule:
    """Read a rule."""
    return Rule(node.get("id").text(), tuple(_literal(item) for item in node.get("literals").items()))


def _optional(node: Node, key: str) -> float | None:
    """Read a number that may be absent or null."""
    return node.get(key).number() if node.has(key) and node.get(key).value is not None else None


_OPTIONAL = frozenset({"low", "high", "new_id"})
_READERS: dict[str, Callable[[Node], Any]] = {
    "rule": Node.text,
    "other": Node.text,
    "new_id": Node.text,
    "feature": Node.text,
    "text": Node.text,
    "low": Node.number,
    "high": Node.number,
    "cut": Node.number,
    "levels": Node.distinct_texts,
    "features": Node.distinct_texts,
    "literal": _literal,
    "literals": lambda node: tuple(_literal(item) for item in node.items()),
    "rules": lambda node: tuple(_rule(item) for item in node.items()),
}
"""How the values of edits are read, by their names: a name means the same in every edit."""
