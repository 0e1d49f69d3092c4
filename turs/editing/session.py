"""A session: a learned rule set on its rows, and the edits that people make on it.

The state is the fold of the edits over the learned rule set; undo moves a cursor. A step is handed to the journal, if
there is one, before the session takes it over: where the journal refuses, the session is exactly as before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pandas as pd

from turs.data.dataset import labelled_data
from turs.editing.edit import Edit
from turs.editing.finding import Finding, find_all
from turs.editing.history import LEARNED, Entry, History, Moved, Named, Step, check_entry
from turs.editing.impact import Impact
from turs.editing.rows import Rows, rows_of
from turs.editing.rule_edits import AcceptRules
from turs.editing.state import State, state_of
from turs.editing.version import Version, first_version
from turs.errors import EditError, TursError
from turs.predict import model_of
from turs.rules.model import Model
from turs.rules.rule import RuleSet


class Session:
    """A rule set under edit.

    Parameters
    ----------
    start : RuleSet or Version
        The rules as they were learned, or as another session left them, with locks and notes.
    training : Rows
        The rows that they were learned from: bits and probabilities.
    validation : Rows, optional
        Rows to check with.
    history : History
        Edits that were made before.
    journal : callable, optional
        Told every step before the session takes it over; where it raises, nothing changes.
    """

    def __init__(
        self,
        start: RuleSet | Version,
        training: Rows,
        validation: Rows | None = None,
        *,
        history: History | None = None,
        journal: Callable[[Step], None] | None = None,
    ) -> None:
        self.journal = journal
        self.history = history or History()
        self._versions = {LEARNED: first_version(start) if isinstance(start, RuleSet) else start}
        self.learned = state_of(self._versions[LEARNED], training, validation)
        self.state = self.learned.moved_to(self.version_at(self.history.cursor))

    @property
    def version(self) -> Version:
        """The rules as they are now, with their locks and notes."""
        return self.state.version

    def version_at(self, number: int) -> Version:
        """Return the rules after an entry of the history; 0 is the learned rule set."""
        check_entry(number, len(self.history.entries))
        edits = []
        while number not in self._versions:
            edits.append(self.history.entry(number))
            number = edits[-1].parent
        version = self._versions[number]
        for entry in reversed(edits):
            version = entry.edit.apply(version)
            self._versions[entry.number] = version
        return version

    def state_at(self, number: int) -> State:
        """Return the state after an entry of the history."""
        return self.state.moved_to(self.version_at(number))

    def preview(self, edit: Edit) -> Impact:
        """Return what an edit would do; nothing changes."""
        if not isinstance(edit, Edit):
            raise EditError(f"{edit!r} is no edit: build one, such as DeleteRule('r1').")
        version = self.version
        after = edit.apply(version)
        return Impact(edit.describe(version), self.state, self.state.moved_to(after))

    def compare(self, number: int, other: int | None = None) -> Impact:
        """Return what lies between two entries of the history, the second being the present one unless given."""
        before = self.state_at(number)
        after = self.state if other is None else self.state_at(other)
        return Impact(
            f"From {_named(number)} to {_named(self.history.cursor if other is None else other)}", before, after
        )

    def apply(self, edit: Edit, *, author: str = "", note: str = "") -> Impact:
        """Make an edit and return what it did.

        Parameters
        ----------
        edit : Edit
            What to do.
        author, note : str
            Who does it, and why; kept in the history.

        Raises
        ------
        EditError, RuleError
            Where the edit cannot be made; the session is exactly as before.
        """
        for name, text in (("author", author), ("note", note)):
            if not isinstance(text, str):
                raise EditError(f"The {name} of an edit is {text!r}: write a text.")
        impact = self.preview(edit)
        pinned = edit.pinned(self.version)
        headline = impact.headline_after
        aucs = headline.training.auc, headline.evaluation.auc if headline.evaluation is not None else math.nan
        entry = Entry(
            number=len(self.history.entries) + 1,
            parent=self.history.cursor,
            edit=pinned,
            description=impact.description,
            author=author,
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            note=note,
            total_bits=impact.score_after.total_bits,
            auc=None if math.isnan(aucs[0]) else aucs[0],
            validation_auc=None if math.isnan(aucs[1]) else aucs[1],
        )
        self._take(entry, impact.after)
        return impact

    def undo(self) -> State:
        """Go back to the state before the last edit."""
        if not self.history.can_undo:
            raise EditError("There is nothing to undo.")
        return self.jump(self.history.parent(self.history.cursor))

    def redo(self) -> State:
        """Go to the state that was left by the last undo."""
        return self.jump(self.history.redone)

    def jump(self, to: int) -> State:
        """Go to the state after any entry of the history; 0 is the learned rule set."""
        check_entry(to, len(self.history.entries))
        if to != self.history.cursor:
            self._take(Moved(int(to)), self.state_at(to))
        return self.state

    def checkpoint(self, name: str) -> None:
        """Give the present entry a name; a name that is there already moves."""
        if not isinstance(name, str) or not name.strip():
            raise EditError("The checkpoint has no name: write one.")
        self._take(Named(name, self.history.cursor), self.state)

    def follow(self, *steps: Step) -> None:
        """Take over steps that are in the journal already, such as a colleague's."""
        history = self.history.after(*steps)
        before, self.history = self.history, history
        try:
            self.state = self.state_at(history.cursor)
        except TursError:
            self.rewind(before)
            raise

    def rewind(self, history: History) -> None:
        """Go back to an earlier history of this session, as if what came later had not been made."""
        n_kept = len(history.entries)
        self._versions = {number: version for number, version in self._versions.items() if number <= n_kept}
        self.history = history
        self.state = self.state_at(history.cursor)

    def findings(self) -> tuple[Finding, ...]:
        """Return what is odd about the rules as they are."""
        return find_all(self.state)

    def model(self) -> Model:
        """Return the rules as they are now as a model that predicts."""
        return model_of(self.state.rule_set, self.state.training.patterns)

    def _take(self, step: Step, state: State) -> None:
        """Write a step to the journal and take it over."""
        history = self.history.after(step)
        if self.journal is not None:
            self.journal(step)
        if isinstance(step, Entry):
            self._versions[step.number] = state.version
        self.history, self.state = history, state


def session_on(start: RuleSet | Version, training: pd.DataFrame, validation: pd.DataFrame | None = None) -> Session:
    """Return a session on tables that have the columns of the rule set, the class column included.

    Parameters
    ----------
    start : RuleSet or Version
        The rules to begin with.
    training, validation : DataFrame
        The rows that they were learned from, and rows to check with.
    """
    schema = start.schema if isinstance(start, RuleSet) else start.grid
    tables = [table for table in (training, validation) if table is not None]
    return Session(start, *(rows_of(labelled_data(table, schema), table) for table in tables))


@dataclass(frozen=True)
class Skipped:
    """An edit that does not apply any more, and why."""

    entry: Entry
    reason: str


class Again:
    """Edits that are made again, on other rows or on other rules.

    A rule whose id another rule has there gets a new id, and later edits follow it. Where the edit that would make a
    rule does not apply, neither do later edits of that rule: they never change the other rule of that id.

    Parameters
    ----------
    session : Session
        Where they are made.
    """

    def __init__(self, session: Session) -> None:
        self.skipped: list[Skipped] = []
        self._session = session
        self._ids: dict[str, str] = {}
        self._not_made: dict[str, Entry] = {}

    def make(self, entry: Entry) -> bool:
        """Make the edit of an entry and return True, or note why it does not apply any more."""
        made: str | None = getattr(entry.edit, "new_id", None)
        taken = made in self._session.version.ids
        try:
            edit = self._named_anew(entry.edit, {"new_id": None} if taken else {})
            self._session.apply(edit, author=entry.author, note=entry.note)
        except TursError as error:
            self.skipped.append(Skipped(entry, str(error)))
            if made is not None:
                self._not_made[made] = entry
            return False
        if made is not None:
            self._ids[made] = self._session.version.ids[-1]
            self._not_made.pop(made, None)
        elif isinstance(entry.edit, AcceptRules):  # all rules have the ids that they had there
            self._ids, self._not_made = {}, {}
        return True

    def _named_anew(self, edit: Edit, other_values: dict[str, None]) -> Edit:
        """Return an edit with the ids that its rules have here, and with other values."""
        names = {name: getattr(edit, name) for name in ("rule", "other") if hasattr(edit, name)}
        for rule in names.values():
            if rule in self._not_made:
                raise EditError(f"Rule {rule} was to be made here: {self._not_made[rule].description}. It was not.")
        here = {name: self._ids.get(rule, rule) for name, rule in names.items()}
        return replace(edit, **here, **other_values)  # type: ignore[type-var]  # every edit is a dataclass


def replay(
    entries: tuple[Entry, ...], start: RuleSet | Version, training: Rows, validation: Rows | None = None
) -> tuple[Session, tuple[Skipped, ...]]:
    """Make edits again, on other rows or on a rule set that was learned from other rows.

    Parameters
    ----------
    entries : tuple of Entry
        The edits, one after the other (`History.path`).
    start : RuleSet or Version
        What to begin with.
    training, validation : Rows
        The rows.

    Returns
    -------
    tuple of Session and tuple of Skipped
        The session after the edits, and those of them that did not apply.
    """
    session = Session(start, training, validation)
    again = Again(session)
    for entry in entries:
        again.make(entry)
    return session, tuple(again.skipped)


def _named(number: int) -> str:
    """Return what an entry is called."""
    return "the learned rules" if number == LEARNED else f"edit {number}"
