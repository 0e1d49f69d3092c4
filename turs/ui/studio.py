"""What a browser session holds: values, changed as a whole by `turs.ui.state`, and the seat that they have."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from turs.data import Table
from turs.editing import Edit
from turs.learn.settings import Constraints, Settings
from turs.storage import Preparation, Workspace
from turs.ui.opened import OpenModel
from turs.ui.reading import Reading
from turs.ui.study import Plan, Study
from turs.ui.worker import Job


@dataclass(frozen=True)
class Selection:
    """What the workbench looks at: a rule, one of its literals, and which of its cuts."""

    rule: str = ""
    feature: str = ""
    side: str = ""


@dataclass(frozen=True)
class Message:
    """What the user should know about the last click: `note`, `fault`, or `passing`, which goes away by itself."""

    kind: str
    text: str


@dataclass(frozen=True, eq=False)
class Studio:
    """What a session holds.

    Parameters
    ----------
    name : str
        What the table is called.
    table : Table or None
        The table that was read: widgets forget files, this does not.
    plan : Plan or None
        What was decided about it.
    study : Study or None
        The table in three parts; None where the plan cannot be followed.
    fault : str
        Why it cannot.
    settings, constraints
        What the learner is told.
    preparation : Preparation or None
        The table with these choices as the store has it; None where nothing was decided since rules were learned.
    content : str
        Address of the table in the store; empty where it is not known.
    n_tables : int
        How many tables were taken over: the fields of what the learner is told begin anew with it.
    reading : Reading or None
        A file that is being read.
    job : Job or None
        Learning under way.
    workspace : Workspace or None
        Where new models go; None before the first look.
    model : OpenModel or None
        The model on screen.
    waiting : str
        Id of the model that was learned while another one was on screen; empty where there is none to be opened.
    selection : Selection
        What the workbench looks at.
    draft : Edit or None
        An edit that is shown with its effect and not kept yet.
    n_dropped : int
        How many drafts were dropped: the fields of a draft begin anew with it.
    message : Message or None
        What to tell on the next page that is drawn.
    is_stale : bool
        Whether the whole page has to be drawn again, because a part of it changed the model.
    is_back : bool
        Whether what the address of the page named was opened.
    """

    name: str = ""
    table: Table | None = None
    plan: Plan | None = None
    study: Study | None = None
    fault: str = ""
    settings: Settings = field(default_factory=Settings)
    constraints: Constraints = field(default_factory=Constraints)
    preparation: Preparation | None = None
    content: str = ""
    n_tables: int = 0
    reading: Reading | None = None
    job: Job | None = None
    workspace: Workspace | None = None
    model: OpenModel | None = None
    waiting: str = ""
    selection: Selection = Selection()
    draft: Edit | None = None
    n_dropped: int = 0
    message: Message | None = None
    is_stale: bool = False
    is_back: bool = False

    @property
    def is_of_another_table(self) -> bool:
        """Whether the model on screen was learned from another table than the one that is being prepared."""
        return self.model is not None and self.table is not None and self.model.study.table is not self.table


class Seat:
    """The place of a session: Streamlit may keep it after the session ended, so what was on it can be taken off.

    Who changes more than the values here holds the lock: two quick clicks may run in two threads.
    """

    def __init__(self) -> None:
        self.studio = Studio()
        self.lock = threading.RLock()
