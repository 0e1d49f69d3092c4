"""Every error that a user can meet.

    TursError                  something the user can put right; its text is one clear message
      DataError                a table, a file with a table, or a column is at fault
        NoFeatureError         no column is of use as a feature
      RuleError                a rule, a literal or a rule set is at fault
        RuleSyntaxError        the text of a rule does not parse; knows the position
      EditError                an edit cannot be made
        LockedRuleError        it would change a rule that somebody locked
      ModelError               a model document is at fault
      SettingsError            an option of the learner or of a command is at fault
      PeerError                another learner cannot take the data or failed
      StorageError             the store of workspaces cannot be opened, read or written
        ConflictError          other changes of a session came first; describes both versions
        OutdatedError          what was to be changed is not any more what was read
        UnsavedError           a step was made but could not be written yet; the session keeps it

A message says what is wrong, which value, and what to do. The command line prints it as one line and exits with 1.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TursError(ValueError):
    """An error that the user can put right."""


class DataError(TursError):
    """A table, a file with a table, or a column is at fault."""


class NoFeatureError(DataError):
    """No column of a table is of use as a feature."""


class RuleError(TursError):
    """A rule, a literal or a rule set is at fault."""


class RuleSyntaxError(RuleError):
    """The text of a rule does not parse.

    Parameters
    ----------
    message : str
        What was found and what was expected.
    text : str
        The text that was parsed.
    position : int
        Index in `text` at which parsing stopped.
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(f"{message} (at character {position + 1} of: {text})")
        self.message = message
        self.text = text
        self.position = position


class EditError(TursError):
    """An edit cannot be made on the rules as they are."""


class LockedRuleError(EditError):
    """An edit would change a rule that somebody locked."""


class ModelError(TursError):
    """A model document is at fault."""


class SettingsError(TursError):
    """An option of the learner or of a command is at fault."""


class PeerError(TursError):
    """Another learner cannot take the data, or failed while it learned or predicted."""


class StorageError(TursError):
    """The store of workspaces cannot be opened, read or written."""


class ConflictError(StorageError):
    """Other changes of a session came first; nothing was written and nothing was overwritten.

    Parameters
    ----------
    base, version : int
        Number of steps that the refused change was made on, and of those that are there now.
    mine, theirs : tuple of str
        What was refused, and what the others did since, a line a step.
    """

    def __init__(self, base: int, version: int, mine: tuple[str, ...], theirs: tuple[str, ...]) -> None:
        super().__init__(
            "Other changes came first, by somebody else or in another window of yours, so yours is not made yet."
            f" Yours: {'; '.join(mine)}. The others: {'; '.join(theirs)}."
            " Make yours on top of the others, take the others and forget yours, or go on with yours in a branch."
        )
        self.base = base
        self.version = version
        self.mine = mine
        self.theirs = theirs


class OutdatedError(StorageError):
    """What was to be changed was changed or deleted by somebody else since it was read; nothing was overwritten."""


class UnsavedError(StorageError):
    """A step was made and could not be written: the session has it, and writes it with the next step or `save`."""


def nearest(name: object, names: Iterable[str]) -> str:
    """Return a hint that names the closest of `names`, or an empty string where none is close.

    The hint begins with a space, so that it can be appended to a message.
    """
    names = list(names)
    by_folded = {known.casefold(): known for known in reversed(names)}
    close = difflib.get_close_matches(str(name).casefold(), list(by_folded), n=3, cutoff=0.55)
    if not close:
        return ""
    return " Did you mean " + " or ".join(repr(by_folded[folded]) for folded in close) + "?"
