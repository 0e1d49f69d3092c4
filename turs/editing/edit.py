"""What every edit is: a frozen value that makes a new version of a version, and says in plain words what it does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields, replace
from numbers import Real
from typing import Any, Self

from turs.editing.version import Version
from turs.rules.literal import Interval, LevelSet
from turs.rules.rule import Rule


class Edit(ABC):
    """One change that a person makes; meant for frozen dataclasses.

    An edit names rules by id and holds all that its outcome depends on, so that the same edits on the same rules give
    the same rules again.
    """

    @abstractmethod
    def apply(self, version: Version) -> Version:
        """Return the version after this edit.

        Raises
        ------
        EditError, RuleError
            Where the edit cannot be made; it says why.
        """

    @abstractmethod
    def describe(self, version: Version) -> str:
        """Return one sentence on what this edit does to `version`, without a full stop."""

    def pinned(self, version: Version) -> Self:
        """Return this edit as it is kept: nothing in it can change, and an edit that makes a rule names its id.

        So a replay gives the same rules with the same ids.
        """
        return replace(self, **{field.name: _lasting(getattr(self, field.name)) for field in fields(self)})  # type: ignore[type-var, arg-type]  # every edit is a dataclass


def _lasting(value: Any) -> Any:
    """Return a value of an edit with tuples for lists, and with Python's own numbers."""
    if isinstance(value, tuple | list):
        return tuple(_lasting(part) for part in value)
    if isinstance(value, Interval | LevelSet | Rule):
        return replace(value, **{field.name: _lasting(getattr(value, field.name)) for field in fields(value)})
    if isinstance(value, Real) and not isinstance(value, bool | int | float):
        return float(value)
    return value
