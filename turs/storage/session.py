"""An editing session whose steps are in a store before the call returns.

Where somebody else was faster, a step is refused with a `ConflictError` and nothing changes; `reapply`, `take_theirs`
and `branch` are the ways on. Where the store cannot be reached, the step is made and kept here (`UnsavedError` tells
so) and written before anything else as soon as the store answers: at the next step, `save` or `refresh`.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from turs.editing.edit import Edit
from turs.editing.history import Entry, Named, Step, history_of
from turs.editing.impact import Impact
from turs.editing.rows import Rows
from turs.editing.session import Again, Session, Skipped
from turs.editing.state import State
from turs.errors import ConflictError, StorageError, UnsavedError
from turs.rules.rule import RuleSet
from turs.storage import items, journal
from turs.storage.database import Database
from turs.storage.journal import Draft, draft
from turs.storage.records import Line, SessionRecord


class StoredSession(Session):
    """A session of `turs.editing` with its journal in a store; made by `Store.open_session`.

    Parameters
    ----------
    database : Database
        Where the journal is.
    record : SessionRecord
        Which session this is.
    lines : sequence of Line
        Its journal so far.
    rule_set, training, validation
        See `Session`.
    author : str
        Who edits here; `apply` takes it unless told otherwise.
    """

    def __init__(
        self,
        database: Database,
        record: SessionRecord,
        lines: Sequence[Line],
        rule_set: RuleSet,
        training: Rows,
        validation: Rows | None = None,
        *,
        author: str = "",
    ) -> None:
        history = history_of(line.step for line in lines)
        super().__init__(rule_set, training, validation, history=history, journal=self._write)
        self.record = record
        self.author = author
        self._database = database
        self._written = history
        self._drafts: tuple[Draft, ...] = ()
        self._refused: Draft | None = None
        self._trouble: StorageError | None = None

    @property
    def unsaved(self) -> tuple[Step, ...]:
        """Steps that are made but not written yet, because the store did not answer."""
        return tuple(own.step for own in self._drafts)

    @property
    def refused(self) -> Step | None:
        """The step that met a conflict; `reapply` and `branch` make it again."""
        return None if self._refused is None else self._refused.step

    def apply(self, edit: Edit, *, author: str = "", note: str = "") -> Impact:
        """Make an edit, which is durable when this returns.

        Raises
        ------
        EditError, RuleError
            Where the edit cannot be made; the session is exactly as before.
        ConflictError
            Where somebody else was faster; the session is exactly as before.
        UnsavedError
            Where the store does not answer: the edit is made, and written as soon as it can be. Do not make it again.
        """
        return super().apply(edit, author=author or self.author, note=note)

    def save(self) -> None:
        """Write the steps that are not written yet.

        Raises
        ------
        UnsavedError
            Where the store still does not answer; the session keeps them.
        ConflictError
            Where somebody else went on in the meantime.
        """
        if not self._drafts:
            return
        try:
            self._append(self._drafts)
        except ConflictError:
            raise
        except StorageError as error:
            raise self._unsaved(error) from None
        self._drafts, self._written = (), self.history

    def news(self) -> tuple[str, ...]:
        """Return who made the steps that are new in the journal, one a step; nothing is taken over, and little is read.

        Raises
        ------
        StorageError
            Where the store does not answer.
        """
        after = self._written.n_steps
        return self._database.read(lambda connection: journal.authors(connection, self.record.id, after))

    def refresh(self) -> tuple[Line, ...]:
        """Write what is not written yet, take over the steps that others made, and return these.

        Raises
        ------
        ConflictError
            Where there are both: unwritten steps here and new steps of others.
        StorageError
            Where the store does not answer; the session stays as it is.
        """
        self.save()
        return self._take_over(self._new_lines())

    def take_theirs(self) -> tuple[Line, ...]:
        """Resolve a conflict: forget my unwritten and refused steps, take over and return those of the others."""
        return self._forget_mine(self._new_lines())

    def reapply(self) -> tuple[Skipped, ...]:
        """Resolve a conflict: take over the steps of the others, then make mine again on top, all in one.

        Edits that I undid, and the undoing itself, are not made again.

        Returns
        -------
        tuple of Skipped
            My edits that do not apply any more, and why.
        """
        skipped: list[Skipped] = []
        while True:
            skipped += self._make_again(self._new_lines())
            try:
                self.save()
            except ConflictError:  # somebody was faster again
                continue
            return tuple(skipped)

    def branch(self, name: str) -> StoredSession:
        """Return a new session that goes on with my steps, the refused one included; this one takes theirs."""
        mine, version = self._mine, self._written.n_steps

        def work(connection: Connection) -> tuple[SessionRecord, list[Line]]:
            values = {"model": self.record.model, "origin": self.record.id, "origin_version": version}
            record = items.add(connection, SessionRecord, name, values, self.author)
            journal.copy(connection, self.record.id, record.id, version)
            journal.append(connection, record.id, version, mine)
            record = items.find(connection, SessionRecord, record.id)
            return record, journal.read(connection, record.id)

        record, lines = self._database.write(work)
        self.take_theirs()
        training, validation = self.learned.training.rows, self.learned.validation
        return StoredSession(
            self._database,
            record,
            lines,
            self.learned.rule_set,
            training,
            None if validation is None else validation.rows,
            author=self.author,
        )

    @property
    def _mine(self) -> tuple[Draft, ...]:
        """My steps that are not in the journal, the refused one included."""
        return self._drafts if self._refused is None else (*self._drafts, self._refused)

    def _take(self, step: Step, state: State) -> None:
        """Write a step and take it over; tell where it could not be written."""
        super()._take(step, state)
        if not self._drafts:
            self._written = self.history
        elif self._trouble is not None:
            raise self._unsaved(self._trouble)

    def _write(self, step: Step) -> None:
        """Write a step after those that are not written yet, or keep it where the store does not answer."""
        own = draft(step, self.author)
        try:
            self._append((*self._drafts, own))
        except ConflictError:
            self._refused = own
            raise
        except StorageError as error:
            self._drafts, self._trouble = (*self._drafts, own), error
        else:
            self._drafts, self._refused = (), None

    def _hold(self, step: Step) -> None:
        """Keep a step without writing it."""
        self._drafts = (*self._drafts, draft(step, self.author))

    def _append(self, drafts: tuple[Draft, ...]) -> None:
        """Write steps after those that are written."""
        base = self._written.n_steps
        self._database.write(lambda connection: journal.append(connection, self.record.id, base, drafts))

    def _new_lines(self) -> list[Line]:
        """Return what is in the journal after what this session has written or taken over."""
        after = self._written.n_steps
        return self._database.read(lambda connection: journal.read(connection, self.record.id, after))

    def _take_over(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        """Take over lines that are in the journal."""
        if lines:
            self.follow(*(line.step for line in lines))
        self._written = self.history
        return tuple(lines)

    def _forget_mine(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        """Take over lines in the place of my steps that are not in the journal."""
        self._drafts, self._refused = (), None
        self.rewind(self._written)
        return self._take_over(lines)

    def _make_again(self, lines: Sequence[Line]) -> list[Skipped]:
        """Take over lines and make my steps again without writing them; return the edits that do not apply any more."""
        mine, kept = self._mine, {entry.number for entry in self.history.path()}
        if isinstance(self.refused, Entry):
            kept.add(self.refused.number)
        renumbered = {number: number for number in range(len(self._written.entries) + 1)}
        written = {line.token: line.step for line in self._forget_mine(lines)}
        renumbered |= {step.number: step.number for own in mine if isinstance(step := written.get(own.token), Entry)}
        again = Again(self)
        self.journal, self._trouble = self._hold, None
        try:
            for step in (own.step for own in mine if own.token not in written):
                if isinstance(step, Entry) and step.number in kept:
                    if again.make(step):
                        renumbered[step.number] = self.history.cursor
                elif isinstance(step, Named) and step.at in renumbered:
                    self._take(Named(step.name, renumbered[step.at]), self.state)
        finally:
            self.journal = self._write
        return again.skipped

    def _unsaved(self, error: Exception) -> UnsavedError:
        """Return what to tell where steps are made but not written."""
        n = len(self._drafts)
        steps = "1 step is" if n == 1 else f"{n} steps are"
        return UnsavedError(
            f"{error} {steps} made but not saved yet: they are kept here and written as soon as the store answers."
        )
