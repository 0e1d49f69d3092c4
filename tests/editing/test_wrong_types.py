"""Values of the wrong type, as people pass them in a notebook: a clear error, or an edit that can be kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest

from tests.editing.cases import random_case
from turs.editing import (
    AcceptRules,
    AddLiteral,
    AddRule,
    AttachNote,
    ChangeLevels,
    DeleteRule,
    DuplicateRule,
    Edit,
    Entry,
    LockRule,
    MergeRules,
    MoveCut,
    RemoveLiteral,
    ReorderLiterals,
    ReplaceCondition,
    ReplaceLiteral,
    Session,
    SplitRule,
    UnlockRule,
    cut_literals,
    find_in_edit,
    fine_cuts,
    level_literals,
    read_step,
    relearn,
    repairs,
    round_cuts,
    scan,
    step_document,
)
from turs.editing.document import KINDS
from turs.errors import EditError, TursError
from turs.rules import Interval, LevelSet, Missingness, Rule

RULES = (
    Rule("r1", (Interval("age", 30.0, 60.0), LevelSet("ward", ("A", "ü")))),
    Rule("r2", (Interval("age", low=50.0),)),
)
EDITS: list[Edit] = [
    MoveCut("r1", "age", low=35.0, high=70.0),
    ReplaceLiteral("r1", "age", Interval("age", low=35.0)),
    AddLiteral("r2", LevelSet("ward", ("A",))),
    RemoveLiteral("r1", "age"),
    ChangeLevels("r1", "ward", ("A",)),
    ReorderLiterals("r1", ("ward", "age")),
    AddRule((Interval("age", low=35.0),)),
    ReplaceCondition("r1", (Interval("age", low=35.0),)),
    DuplicateRule("r1"),
    DeleteRule("r1"),
    SplitRule("r1", "age", 40.0),
    MergeRules("r1", "r2"),
    LockRule("r1"),
    UnlockRule("r1"),
    AttachNote("r1", "why"),
    AcceptRules(RULES[:1]),
]
ODD: list[object] = [
    *(None, 3, -1.5, float("nan"), 10**400, True, "", "age", b"r1", [], {}, {"a"}, object(), (None,), len, Interval),
    *(np.array([1, 2]), np.float32(35.1), np.int64(36), Fraction(71, 2), "r" + "9" * 5000, "\u0000ü\n"),
    *(Interval([], low=3.0), Interval("age", "a", "b"), LevelSet("ward", "A"), LevelSet("ward", 5)),
    *(Missingness("age", "no"), RULES[0], ["A"], ["ward", "age"], LevelSet("ward", ["ü"])),
    *([Interval("age", np.float32(35.1))], [Rule("r9", [Interval("age", np.int64(35))])], (Rule(3, ()),)),
    *((Rule([], RULES[0].literals),), (Rule("r9", "age"),)),
]


def new_session() -> tuple[Session, list[str]]:
    """Return a session with known rules, and the lines of its journal."""
    session, lines = random_case(1).session, []
    session.apply(AcceptRules(RULES))
    session.journal = lambda step: lines.append(json.dumps(step_document(step)))
    return session, lines


def test_every_kind_of_edit_is_tried() -> None:
    assert {type(edit) for edit in EDITS} == set(KINDS.values())


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: type(edit).__name__)
def test_an_odd_value_is_refused_or_can_be_kept(edit: Edit) -> None:
    session, lines = new_session()
    n_refused = 0
    for field in fields(edit):  # type: ignore[arg-type]  # every edit is a dataclass
        for odd in ODD:
            made = replace(edit, **{field.name: odd})  # type: ignore[type-var]  # every edit is a dataclass
            state, history, n_lines = session.state, session.history, len(lines)
            try:
                find_in_edit(made, session.version)
                session.apply(made)
            except TursError:
                assert session.state is state
                assert session.history is history
                assert len(lines) == n_lines
                n_refused += 1
                continue
            kept = read_step(json.loads(lines[n_lines]))
            assert isinstance(kept, Entry)
            assert kept == session.history.entries[-1]
            assert kept.edit.apply(state.version) == session.version
            session.undo()
    assert n_refused > len(ODD) // 2


@pytest.mark.parametrize("odd", [None, "x", 3.5, 99, [], Interval("age", low=3.0)], ids=repr)
@pytest.mark.parametrize(
    "use",
    [
        lambda session, odd: session.preview(odd),
        lambda session, odd: session.apply(odd),
        lambda session, odd: session.apply(DeleteRule("r1"), author=odd if odd != "x" else 1),
        lambda session, odd: session.apply(DeleteRule("r1"), note=odd if odd != "x" else 1),
        lambda session, odd: session.jump(odd),
        lambda session, odd: session.compare(odd),
        lambda session, odd: session.version_at(odd),
        lambda session, odd: session.history.entry(odd),
        lambda session, odd: session.history.path(odd if odd is not None else "none"),
        lambda session, odd: session.history.at(odd),
        lambda session, odd: session.checkpoint(odd if odd != "x" else 1),
        lambda session, odd: scan(session.state, odd, (Interval("age", low=3.0),)),
        lambda session, odd: scan(session.state, "r1", ("age", odd)),
        lambda session, odd: scan(session.state, "r1", (LevelSet("ward", odd),)),
        lambda session, odd: cut_literals(session.state, odd, "age", "low", (1.0,)),
        lambda session, odd: cut_literals(session.state, "r1", odd, "low", (1.0,)),
        lambda session, odd: cut_literals(session.state, "r1", "age", "low", (odd if odd not in (3.5, 99) else "3",)),
        lambda session, odd: level_literals(session.state, "r1", odd),
        lambda session, odd: round_cuts(session.state, odd),
        lambda session, odd: fine_cuts(session.state, odd),
        lambda session, odd: relearn(session.state, keep=[odd]),
        lambda session, odd: repairs(session.state, odd, "r1"),
    ],
)
def test_odd_arguments_are_clear_errors(use: Callable[[Session, object], object], odd: object) -> None:
    session, lines = new_session()
    state, history = session.state, session.history
    with pytest.raises(TursError):
        use(session, odd)
    assert session.state is state
    assert session.history is history
    assert lines == []


def test_a_number_of_numpy_leads_to_an_entry() -> None:
    session, lines = new_session()
    session.jump(np.int64(0))  # type: ignore[arg-type]  # as it comes out of an array
    assert json.loads(lines[-1]) == {"step": "move", "to": 0}
    with pytest.raises(EditError, match=r"There is no entry 0\.0: the last one is 1"):
        session.jump(0.0)  # type: ignore[arg-type]  # no number of an entry
