"""Editing: change single rules, see every consequence at once, never lose a step."""

from turs.editing.candidates import cut_literals, fine_cuts, level_literals, round_cuts
from turs.editing.document import edit_document, read_edit, read_step, step_document
from turs.editing.edit import Edit
from turs.editing.finding import Finding, Fix, find_all, find_in_edit, find_new
from turs.editing.history import LEARNED, Entry, History, Moved, Named, Step, history_of
from turs.editing.impact import AucChange, ElseChange, Impact, OverlapChange, RuleChange, SideImpact
from turs.editing.literal_edits import (
    AddLiteral,
    ChangeLevels,
    MoveCut,
    RemoveLiteral,
    ReorderLiterals,
    ReplaceLiteral,
)
from turs.editing.relearn import relearn
from turs.editing.repair import Repair, repairs
from turs.editing.rows import Rows, rows_of
from turs.editing.rule_edits import (
    AcceptRules,
    AddRule,
    AttachNote,
    DeleteRule,
    DuplicateRule,
    LockRule,
    MergeRules,
    ReplaceCondition,
    SplitRule,
    UnlockRule,
)
from turs.editing.scan import ScanPoint, scan
from turs.editing.session import Session, Skipped, replay, session_on
from turs.editing.state import State, state_of
from turs.editing.version import Note, Version, first_version

__all__ = [
    "LEARNED",
    "AcceptRules",
    "AddLiteral",
    "AddRule",
    "AttachNote",
    "AucChange",
    "ChangeLevels",
    "DeleteRule",
    "DuplicateRule",
    "Edit",
    "ElseChange",
    "Entry",
    "Finding",
    "Fix",
    "History",
    "Impact",
    "LockRule",
    "MergeRules",
    "MoveCut",
    "Moved",
    "Named",
    "Note",
    "OverlapChange",
    "RemoveLiteral",
    "ReorderLiterals",
    "Repair",
    "ReplaceCondition",
    "ReplaceLiteral",
    "Rows",
    "RuleChange",
    "ScanPoint",
    "Session",
    "SideImpact",
    "Skipped",
    "SplitRule",
    "State",
    "Step",
    "UnlockRule",
    "Version",
    "cut_literals",
    "edit_document",
    "find_all",
    "find_in_edit",
    "find_new",
    "fine_cuts",
    "first_version",
    "history_of",
    "level_literals",
    "read_edit",
    "read_step",
    "relearn",
    "repairs",
    "replay",
    "round_cuts",
    "rows_of",
    "scan",
    "session_on",
    "state_of",
    "step_document",
]
