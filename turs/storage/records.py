"""What a store tells about what it holds: frozen values with an id. The rows and rules themselves are read by id."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from turs.editing.history import Entry, Moved, Named, Step
from turs.learn.progress import Step as LearningStep
from turs.learn.settings import Constraints, Settings


class Item:
    """What can be renamed, archived and deleted: a workspace, a data set, a preparation, a model or a session."""

    id: str
    name: str


@dataclass(frozen=True)
class Workspace(Item):
    """A place for data sets, models and sessions that belong together.

    Parameters
    ----------
    id, name : str
        Its id, and the name that no other workspace of the store has.
    created : str
        ISO 8601, UTC.
    is_archived : bool
        Whether lists leave it out unless asked.
    """

    id: str
    name: str
    created: str
    is_archived: bool = False


@dataclass(frozen=True)
class DataSetRecord(Item):
    """A table in a workspace; `Store.frame` and `Store.split` give its rows.

    Parameters
    ----------
    id, workspace, name : str
        Its id, the id of its workspace, and its name.
    target : str
        The class column.
    kinds : dict of str to str
        Columns whose kind a person gave.
    ignored : tuple of str
        Columns that a person left out.
    notes : tuple of str
        What reading the table decided.
    n_rows, n_columns : int
        Size of the table.
    content, split_content : str
        Addresses (SHA-256) of the Parquet content of the rows and of the split.
    author, created : str
        Who added it and when.
    is_archived : bool
        Whether lists leave it out unless asked.
    """

    id: str
    workspace: str
    name: str
    target: str
    kinds: dict[str, str] = field(hash=False)
    ignored: tuple[str, ...]
    notes: tuple[str, ...]
    n_rows: int
    n_columns: int
    content: str
    split_content: str
    author: str
    created: str
    is_archived: bool = False


@dataclass(frozen=True)
class Preparation(Item):
    """A table that rules are to be learned from, and what a person decided about it so far.

    Parameters
    ----------
    id, workspace, name : str
        Its id, the id of its workspace, and its name.
    choices : dict
        What was decided, as plain JSON values; the store does not look into it.
    notes : tuple of str
        What reading the table decided.
    n_rows, n_columns : int
        Size of the table.
    content : str
        Address (SHA-256) of the Parquet content of the rows.
    split_content : str or None
        Address of the split; None where the choices do not lead to one.
    version : int
        How often it was changed: 0 where nothing was decided since the table was chosen.
    author, created, changed : str
        Who began it, when, and when it was changed last.
    is_archived : bool
        Whether lists leave it out unless asked.
    """

    id: str
    workspace: str
    name: str
    choices: dict[str, Any] = field(hash=False)
    notes: tuple[str, ...]
    n_rows: int
    n_columns: int
    content: str
    split_content: str | None
    version: int
    author: str
    created: str
    changed: str
    is_archived: bool = False


@dataclass(frozen=True)
class ModelRecord(Item):
    """A learned rule set; `Store.model` gives it, `Store.learning` how it came about.

    Parameters
    ----------
    id, data_set, name : str
        Its id, the id of its data set, and its name.
    n_rules : int
        Rules that were learned.
    total_bits : float or None
        MDL score after learning, where known.
    author, created : str
        Who added it and when.
    is_archived : bool
        Whether lists leave it out unless asked.
    """

    id: str
    data_set: str
    name: str
    n_rules: int
    total_bits: float | None
    author: str
    created: str
    is_archived: bool = False


@dataclass(frozen=True)
class Learning:
    """How a model came about.

    Parameters
    ----------
    settings : Settings
        Options of the learner.
    constraints : Constraints
        What a person demanded.
    total_bits : float or None
        MDL score after learning.
    seconds : float or None
        Time of learning.
    stopped : bool
        Whether it was stopped before it was done.
    steps : tuple of turs.learn.progress.Step
        How the rule set came about.
    """

    settings: Settings = field(default_factory=Settings)
    constraints: Constraints = field(default_factory=Constraints)
    total_bits: float | None = None
    seconds: float | None = None
    stopped: bool = False
    steps: tuple[LearningStep, ...] = ()


@dataclass(frozen=True)
class SessionRecord(Item):
    """Edits on a model; `Store.open_session` gives the session itself.

    Parameters
    ----------
    id, model, name : str
        Its id, the id of its model, and its name.
    author, created : str
        Who began it and when.
    version : int
        Number of steps in its journal.
    n_edits : int
        Number of those that are edits: the others move in the history or name a version.
    changed : str
        When the last step was made; empty where there is none.
    origin : str or None
        Id of the session that it branched off; the first `origin_version` steps are that session's.
    origin_version : int
        0 where it did not branch off.
    is_archived : bool
        Whether lists leave it out unless asked.
    """

    id: str
    model: str
    name: str
    author: str
    created: str
    version: int = 0
    n_edits: int = 0
    changed: str = ""
    origin: str | None = None
    origin_version: int = 0
    is_archived: bool = False


@dataclass(frozen=True)
class Line:
    """A line of a journal: a step, and who made it when.

    Parameters
    ----------
    number : int
        1, 2, ...: the version that the step led to.
    token : str
        Made with the step and by nobody else, so that a step is known again after a lost connection.
    author, time : str
        Who and when (ISO 8601, UTC).
    step : Step
        What was done.
    """

    number: int
    token: str
    author: str
    time: str
    step: Step

    @property
    def text(self) -> str:
        """The line in plain words; an edit has the number that the history gives it."""
        who = f" ({self.author})" if self.author else ""
        edit = f"edit {self.step.number}: " if isinstance(self.step, Entry) else ""
        return f"{edit}{step_text(self.step)}{who}"


@dataclass(frozen=True)
class Opening:
    """Somebody looked at the sealed test rows.

    Parameters
    ----------
    session : str
        Id of the session.
    version : int
        Version of the session that was tested.
    author, time : str
        Who and when (ISO 8601, UTC).
    result : dict
        What was seen, as plain JSON values.
    """

    session: str
    version: int
    author: str
    time: str
    result: dict[str, Any]


@dataclass(frozen=True)
class Contents:
    """What something in a store holds, or what goes when it is deleted.

    Parameters
    ----------
    n_data_sets, n_models, n_sessions, n_steps, n_openings, n_preparations : int
        How many there are in it, itself included.
    n_bytes : int
        Bytes of rows, documents and journals; rows that something else uses too are not counted.
    """

    n_data_sets: int
    n_models: int
    n_sessions: int
    n_steps: int
    n_openings: int
    n_preparations: int
    n_bytes: int


@dataclass(frozen=True)
class Problem:
    """Something in a store that is not as it should be.

    Parameters
    ----------
    where : str
        Which part.
    text : str
        What is wrong, and what to do.
    """

    where: str
    text: str


def step_text(step: Step) -> str:
    """Return a step in plain words."""
    match step:
        case Entry():
            return step.description
        case Moved():
            return "Back to the learned rules" if step.to == 0 else f"Go to edit {step.to}"
        case Named():
            return f"Name edit {step.at} '{step.name}'"
