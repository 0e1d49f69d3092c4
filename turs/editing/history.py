"""The history of a session: edits in a tree, a cursor, named checkpoints. A value; every step makes a new one.

Entry 0 is the learned rule set; every edit is an entry with a parent. Undo goes to the parent, redo to the child that
was left last. An edit made after an undo begins a branch: what was undone stays in the tree and can be jumped to.
A history is the fold of its steps, so a journal of steps is all that has to be kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral

from turs.editing.edit import Edit
from turs.errors import EditError, nearest

LEARNED = 0
"""Number of the state before any edit."""


@dataclass(frozen=True)
class Entry:
    """An edit that was made.

    Parameters
    ----------
    number, parent : int
        Its number (1, 2, ...), and that of the state it was made on.
    edit : Edit
        What was done.
    description : str
        The same in plain words.
    author, time, note : str
        Who made it, when (ISO 8601, UTC) and why; empty where unknown.
    total_bits : float
        MDL score after it.
    auc, validation_auc : float or None
        AUC on the training and the validation rows after it; None where there is none.
    """

    number: int
    parent: int
    edit: Edit
    description: str
    author: str = ""
    time: str = ""
    note: str = ""
    total_bits: float = 0.0
    auc: float | None = None
    validation_auc: float | None = None


@dataclass(frozen=True)
class Moved:
    """The cursor went to an entry: an undo, a redo or a jump."""

    to: int


@dataclass(frozen=True)
class Named:
    """An entry got a name to come back to."""

    name: str
    at: int


Step = Entry | Moved | Named
"""What a journal holds, one after the other."""


@dataclass(frozen=True)
class History:
    """Edits in a tree.

    Parameters
    ----------
    entries : tuple of Entry
        Entry n is at position n - 1.
    cursor : int
        The present entry.
    checkpoints : dict of str to int
        Names of entries.
    n_steps : int
        Steps that made this history: the version that a colleague's edit is checked against.
    """

    entries: tuple[Entry, ...] = ()
    cursor: int = LEARNED
    checkpoints: dict[str, int] = field(default_factory=dict)
    n_steps: int = 0
    _onward: dict[int, int] = field(default_factory=dict, repr=False, compare=False)

    def entry(self, number: int) -> Entry:
        """Return an entry; there is none for the learned rule set."""
        check_entry(number, len(self.entries))
        if number == LEARNED:
            raise EditError("The learned rule set is not the result of an edit.")
        return self.entries[number - 1]

    def parent(self, number: int) -> int:
        """Return the state that an entry was made on."""
        return self.entry(number).parent

    def path(self, number: int | None = None) -> tuple[Entry, ...]:
        """Return the edits that lead from the learned rule set to an entry, the present one unless said otherwise."""
        at = self.cursor if number is None else number
        check_entry(at, len(self.entries))
        edits = []
        while at != LEARNED:
            edits.append(self.entries[at - 1])
            at = edits[-1].parent
        return tuple(reversed(edits))

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to undo."""
        return self.cursor != LEARNED

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone edit after the present state."""
        return self.cursor in self._onward

    @property
    def redone(self) -> int:
        """The entry that redo goes to."""
        if not self.can_redo:
            raise EditError("There is nothing to redo.")
        return self._onward[self.cursor]

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The last entry of each branch, in the order in which they were made."""
        parents = {entry.parent for entry in self.entries}
        return tuple(entry.number for entry in self.entries if entry.number not in parents)

    def at(self, name: str) -> int:
        """Return the entry that a checkpoint names."""
        if not isinstance(name, str) or name not in self.checkpoints:
            known = ", ".join(self.checkpoints) or "none"
            raise EditError(f"There is no checkpoint '{name}'. Checkpoints: {known}.{nearest(name, self.checkpoints)}")
        return self.checkpoints[name]

    def after(self, *steps: Step) -> History:
        """Return the history after more steps."""
        entries, checkpoints, onward = list(self.entries), dict(self.checkpoints), dict(self._onward)
        cursor = self.cursor
        for step in steps:
            if isinstance(step, Named):
                check_entry(step.at, len(entries))
                checkpoints[step.name] = step.at
                continue
            to = step.parent if isinstance(step, Entry) else step.to
            check_entry(to, len(entries))
            _lead(onward, entries, cursor, to)
            cursor = to
            if isinstance(step, Entry):
                if step.number != len(entries) + 1:
                    raise EditError(f"Entry {step.number} cannot follow entry {len(entries)}: an entry is missing.")
                entries.append(step)
                onward[to] = cursor = step.number
        return History(tuple(entries), cursor, checkpoints, self.n_steps + len(steps), onward)


def history_of(steps: Iterable[Step]) -> History:
    """Return the history that a journal of steps makes."""
    return History().after(*steps)


def check_entry(number: int, last: int) -> None:
    """Raise where there is no such entry."""
    if not isinstance(number, Integral) or not LEARNED <= number <= last:
        raise EditError(f"There is no entry {number!r}: the last one is {last}.")


def _lead(onward: dict[int, int], entries: list[Entry], cursor: int, to: int) -> None:
    """Let redo lead to entry `to`; the way to the cursor is led already, so only what is beyond it is written."""
    while cursor != to:
        if cursor > to:  # an entry comes after its parent
            cursor = entries[cursor - 1].parent
        else:
            parent = entries[to - 1].parent
            onward[parent] = to
            to = parent
