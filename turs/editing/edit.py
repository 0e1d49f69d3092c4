"""What every edit is: a frozen value that makes a new version of a version, and says in plain words what it does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

from turs.editing.version import Version


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
        """Return this edit with the id of the rule that it makes, so that a replay gives the same id."""
        return self
