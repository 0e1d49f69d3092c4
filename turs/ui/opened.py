"""A model that is open: the study it was learned from, its editing session, and the state lines of its versions."""

from __future__ import annotations

from dataclasses import dataclass, field

from turs.editing import LEARNED, Session
from turs.evaluate.evaluation import Headline
from turs.learn.progress import Learned
from turs.ui.study import Study


@dataclass(frozen=True, eq=False)
class OpenModel:
    """A model under edit.

    Parameters
    ----------
    name : str
        What the picker calls it.
    study : Study
        The rows.
    session : Session
        The rules with their history.
    learned : Learned or None
        How the rules came about, where that is known.
    """

    name: str
    study: Study
    session: Session
    learned: Learned | None = None
    _headlines: dict[int, Headline] = field(default_factory=dict)

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
        """The state line before the last edit; None where nothing was edited."""
        history = self.session.history
        if history.cursor == LEARNED:
            return None
        return self._headline_at(history.parent(history.cursor))

    @property
    def last_edit(self) -> str:
        """What the last edit did, in plain words; empty where nothing was edited."""
        history = self.session.history
        return "" if history.cursor == LEARNED else history.entry(history.cursor).description

    def _headline_at(self, number: int) -> Headline:
        """Return the state line after an entry of the history, computed once."""
        if number == LEARNED:
            return self.headline_learned
        if number not in self._headlines:
            self._headlines[number] = self.session.state_at(number).evaluation.headline
        return self._headlines[number]
