"""What a person decided before rules are learned: about the table, the options, the constraints. No Streamlit here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from turs.errors import StorageError
from turs.learn.settings import Constraints, Settings
from turs.rules.schema import Schema
from turs.storage.learning import learning_document, read_learning
from turs.ui.study import Plan


@dataclass(frozen=True)
class Choices:
    """All that was decided.

    Parameters
    ----------
    plan : Plan
        About the table.
    settings, constraints
        What the learner is told.
    """

    plan: Plan
    settings: Settings = field(default_factory=Settings)
    constraints: Constraints = field(default_factory=Constraints)


def choices_document(choices: Choices) -> dict[str, Any]:
    """Return choices as plain JSON values."""
    return {"plan": asdict(choices.plan), **learning_document(None, choices.settings, choices.constraints)}


def read_choices(document: Mapping[str, Any]) -> Choices:
    """Return what `choices_document` wrote; what this version does not know is left out.

    Raises
    ------
    StorageError
        Where it is something else.
    """
    try:
        names = {part.name for part in fields(Plan)}
        plan = Plan(**{name: value for name, value in document["plan"].items() if name in names})
        learning = read_learning(document)
        return Choices(Plan(**(vars(plan) | {"ignored": tuple(plan.ignored)})), learning.settings, learning.constraints)
    except (LookupError, TypeError, AttributeError) as error:
        raise StorageError(
            f"What was decided about the table cannot be read ({error}): choose the table anew."
        ) from None


def fitting(constraints: Constraints, schema: Schema) -> Constraints:
    """Return the constraints on features that there are: a column may have been left out since."""
    known = {feature.name: feature for feature in schema.features}
    return Constraints(
        tuple(name for name in constraints.unused if name in known),
        {
            name: direction
            for name, direction in constraints.directions.items()
            if name in known and not known[name].is_categorical
        },
    )
