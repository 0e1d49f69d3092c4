"""An editing session whose steps are in a store before the call returns.

Where somebody else was faster, a step is refused with a `ConflictError` and nothing changes; `reapply`, `take_theirs`
and `branch` are the ways on. Where the store cannot be reached, the step is made and kept here (`UnsavedError` tells
so) and written before anything else as soon as the store answers: at the next step, `save` or `refresh`.
"""

from __future__ import annotations

from turs.editing.history import Step
from turs.editing.session import Session, Skipped
from turs.storage.records import Line, SessionRecord


class StoredSession(Session):
    """A session of `turs.editing` with its journal in a store; made by `Store.open_session`.

    Attributes
    ----------
    record : SessionRecord
        Which session this is.
    author : str
        Who edits here; `apply` takes it unless told otherwise.
    unsaved : tuple of Step
        Steps that are made but not written yet: the store did not answer.
    refused : Step or None
        The step that met a conflict; `reapply` and `branch` make it again.
    """

    record: SessionRecord
    author: str
    unsaved: tuple[Step, ...]
    refused: Step | None

    def save(self) -> None:
        """Write the steps that are not written yet.

        Raises
        ------
        UnsavedError
            Where the store still does not answer; the session keeps them.
        ConflictError
            Where somebody else went on in the meantime.
        """
        raise NotImplementedError

    def refresh(self) -> tuple[Line, ...]:
        """Write what is not written yet, take over the steps that others made, and return these.

        Raises
        ------
        ConflictError
            Where there are both: unwritten steps here and new steps of others.
        StorageError
            Where the store does not answer; the session stays as it is.
        """
        raise NotImplementedError

    def reapply(self) -> tuple[Skipped, ...]:
        """Resolve a conflict: take over the steps of the others, then make mine again; return what did not apply."""
        raise NotImplementedError

    def take_theirs(self) -> tuple[Line, ...]:
        """Resolve a conflict: forget my unwritten and refused steps, take over and return those of the others."""
        raise NotImplementedError

    def branch(self, name: str) -> StoredSession:
        """Resolve a conflict: return a new session that goes on with my steps; this one takes theirs."""
        raise NotImplementedError
