"""A model that is open: the study it was learned from, its editing session, and what was computed for the screen."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from turs.editing import LEARNED, AttachNote, Edit, Entry, Finding, Impact, LockRule, UnlockRule
from turs.evaluate.evaluation import Headline
from turs.storage import Learning, StoredSession
from turs.ui.study import Study

_MOST_KEPT = 64
_BESIDE = (AttachNote, LockRule, UnlockRule)  # edits that leave every rule as it is
T = TypeVar("T")


def full_name(session: str, model: str) -> str:
    """Return what the edits on a model are called: the name of a branch tells it from the model that it came from."""
    return model if session == model else f"{session}, branch of {model}"


@dataclass(frozen=True, eq=False)
class OpenModel:
    """A model under edit.

    Parameters
    ----------
    name : str
        What the rules were called when they were learned.
    study : Study
        The rows.
    session : StoredSession
        The rules with their history, which the store keeps.
    learning : Learning
        How the rules came about.
    workspace : str
        Id of the workspace that it belongs to.
    """

    name: str
    study: Study
    session: StoredSession
    learning: Learning
    workspace: str
    _kept: OrderedDict[Hashable, object] = field(default_factory=OrderedDict, repr=False)

    @property
    def id(self) -> str:
        """Id of the session in the store."""
        return self.session.record.id

    @property
    def label(self) -> str:
        """What the picker calls it."""
        return full_name(self.session.record.name, self.name)

    @property
    def number(self) -> int:
        """Number of the present entry of the history: what it was computed for."""
        return self.session.history.cursor

    @property
    def headline(self) -> Headline:
        """The state line of the rules as they are."""
        return self.session.state.evaluation.headline

    @property
    def headline_learned(self) -> Headline:
        """The state line just after learning."""
        return self.session.learned.evaluation.headline

    @property
    def headline_before(self) -> Headline | None:
        """The state line before the last edit that changed a rule; None where none did."""
        last = self._last_change
        if last is None:
            return None
        parent = last.parent
        if parent == LEARNED:
            return self.headline_learned
        return self.kept(("headline", parent), lambda: self.session.state_at(parent).evaluation.headline)

    @property
    def last_edit(self) -> str:
        """What the last edit that changed a rule did, in plain words; empty where none did."""
        return "" if self._last_change is None else self._last_change.description

    @property
    def _last_change(self) -> Entry | None:
        """The last edit in force that changed a rule: notes and locks change no number."""
        path = reversed(self.session.history.path())
        return next((entry for entry in path if not isinstance(entry.edit, _BESIDE)), None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is odd about the rules as they are."""
        return self.kept(("findings", self.number), self.session.findings)

    def impact(self, edit: Edit) -> Impact:
        """Return what an edit would do to the rules as they are."""
        return self.kept(("impact", self.number, edit), lambda: self.session.preview(edit))

    def afresh(self, session: StoredSession) -> OpenModel:
        """Return this model with a session in which entry numbers may mean other edits: nothing computed is kept."""
        return replace(self, session=session, _kept=OrderedDict())

    def has(self, key: Hashable) -> bool:
        """Return whether something is kept under a key."""
        return key in self._kept

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what was computed under a key, or compute it; the oldest go first."""
        if key not in self._kept:
            self._kept[key] = make()
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        found: T = self._kept[key]  # type: ignore[assignment]  # a key is used for one kind of value
        return found
