"""How a model came about, as a document of the store and back: settings, constraints, time, and every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from turs.editing.document import edit_document, read_edit
from turs.editing.rule_edits import AcceptRules
from turs.learn.progress import Learned, Step
from turs.learn.settings import Constraints, Settings
from turs.storage.records import Learning


def learning_document(learned: Learned | None, settings: Settings, constraints: Constraints) -> dict[str, Any]:
    """Return as plain JSON values what is known about learning."""
    document: dict[str, Any] = {"settings": asdict(settings), "constraints": asdict(constraints)}
    if learned is None:
        return document
    rules = AcceptRules(tuple(step.rule for step in learned.steps))
    names = ("action", "total_bits", "covered", "seconds")
    return document | {
        "total_bits": learned.total_bits,
        "seconds": learned.seconds,
        "stopped": learned.stopped,
        "exponents": asdict(learned.exponents),
        "steps": [{name: getattr(step, name) for name in names} for step in learned.steps],
        "rules": edit_document(rules)["rules"],
    }


def read_learning(document: Mapping[str, Any]) -> Learning:
    """Return what `learning_document` wrote; options that this version does not know are left out."""
    rules = read_edit({"kind": "accept_rules", "rules": document.get("rules", [])})
    assert isinstance(rules, AcceptRules)
    steps = zip(document.get("steps", []), rules.rules, strict=True)
    return Learning(
        settings=Settings(**_known(Settings, document["settings"])),
        constraints=Constraints(**_known(Constraints, document["constraints"])),
        total_bits=document.get("total_bits"),
        seconds=document.get("seconds"),
        stopped=document.get("stopped", False),
        steps=tuple(Step(rule=rule, **_known(Step, told)) for told, rule in steps),
    )


def _known(found: type, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a dataclass in a document; lists become the tuples that they were."""
    names = {field.name for field in fields(found)}
    plain = {name: value for name, value in document.items() if name in names}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}
