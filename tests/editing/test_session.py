"""Sessions: journal, branches, checkpoints, replay, comparison, memory; and the documents of their steps."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.editing.cases import random_case, random_edit, random_frame
from tests.strategies import seeds
from turs.data.dataset import learning_data
from turs.editing import (
    LEARNED,
    AcceptRules,
    AddLiteral,
    AddRule,
    AttachNote,
    DeleteRule,
    DuplicateRule,
    Entry,
    History,
    LockRule,
    MergeRules,
    MoveCut,
    Moved,
    Named,
    Session,
    Step,
    cut_literals,
    history_of,
    read_edit,
    read_step,
    replay,
    rows_of,
    scan,
    step_document,
)
from turs.errors import EditError, LockedRuleError, ModelError, TursError
from turs.rules import Interval, LevelSet, Rule, RuleSet


def test_a_journal_that_refuses_leaves_the_session_as_it_was() -> None:
    session = random_case(1).session
    state, history = session.state, session.history

    def refuse(step: Step) -> None:
        raise OSError("disk full")

    session.journal = refuse
    with pytest.raises(OSError, match="disk full"):
        session.apply(DeleteRule("r1"))
    with pytest.raises(OSError, match="disk full"):
        session.checkpoint("now")
    assert session.state is state
    assert session.history is history


def test_an_edit_after_an_undo_begins_a_branch() -> None:
    session = random_case(1).session
    session.apply(DeleteRule("r1"), author="somebody", note="covers too few")
    first = session.version
    session.undo()
    session.apply(DeleteRule("r2"))
    assert session.history.leaves == (1, 2)
    assert [entry.number for entry in session.history.path()] == [2]
    session.jump(1)
    assert session.version == first
    assert session.history.entry(1).note == "covers too few"
    session.undo()
    session.redo()
    assert session.version == first  # redo goes where one came from
    session.jump(LEARNED)
    assert session.version == session.learned.version


def test_undo_and_redo_have_ends() -> None:
    session = random_case(1).session
    with pytest.raises(EditError, match="nothing to undo"):
        session.undo()
    with pytest.raises(EditError, match="nothing to redo"):
        session.redo()
    with pytest.raises(EditError, match="no entry 4"):
        session.jump(4)


def test_undo_of_a_lock() -> None:
    session = random_case(1).session
    session.apply(LockRule("r1"))
    with pytest.raises(LockedRuleError):
        session.apply(DeleteRule("r1"))
    session.undo()
    session.redo()
    with pytest.raises(LockedRuleError):
        session.apply(DeleteRule("r1"))
    session.undo()
    session.apply(DeleteRule("r1"))
    assert "r1" not in session.version.ids


def test_checkpoints() -> None:
    session = random_case(1).session
    session.checkpoint("start")
    session.apply(DeleteRule("r1"))
    session.checkpoint("less")
    assert session.history.checkpoints == {"start": 0, "less": 1}
    session.jump(session.history.at("start"))
    assert session.version == session.learned.version
    with pytest.raises(EditError, match=r"no checkpoint 'les'\. Checkpoints: start, less\. Did you mean 'less'"):
        session.history.at("les")
    with pytest.raises(EditError, match="no name"):
        session.checkpoint(" ")
    session.apply(DeleteRule("r2"))
    session.checkpoint("start")  # a name that is there moves
    assert session.history.checkpoints == {"start": 2, "less": 1}
    assert session.jump(session.history.at("less")).version.ids == ("r2", "r3")


def test_entries_tell_bits_and_auc() -> None:
    case = random_case(1)
    case.session.apply(DeleteRule("r1"))
    entry = case.session.history.entry(1)
    fresh = case.from_scratch(case.session.version).headline
    assert fresh.evaluation is not None
    assert (entry.total_bits, entry.auc, entry.validation_auc) == (
        fresh.total_bits,
        fresh.training.auc,
        fresh.evaluation.auc,
    )
    assert entry.time.endswith("+00:00")


def test_comparison_of_two_entries() -> None:
    session = random_case(1).session
    session.apply(DeleteRule("r1"))
    session.apply(DuplicateRule("r2"))
    whole = session.compare(LEARNED)
    assert [change.id for change in whole.rules] == ["r1", "r4"]
    assert whole.description == "From the learned rules to edit 2"
    back = session.compare(2, 1)
    assert back.bits_change == -session.compare(1, 2).bits_change


def test_following_a_colleague() -> None:
    mine, theirs = random_case(1).session, random_case(1).session
    theirs.journal = mine.follow
    theirs.apply(DeleteRule("r1"))
    theirs.undo()
    theirs.redo()
    theirs.checkpoint("done")
    assert mine.history == theirs.history
    assert mine.state.score == theirs.state.score
    stranger = Entry(9, 1, DeleteRule("r2"), "", total_bits=0.0)
    with pytest.raises(EditError, match="an entry is missing"):
        mine.follow(stranger)
    assert mine.history == theirs.history


def test_replay_on_the_same_rows_gives_the_same_bits() -> None:
    case = random_case(2)
    rng = np.random.default_rng(2)
    for _ in range(30):
        try:
            case.session.apply(random_edit(rng, case.session.version))
        except TursError:
            continue
    part = case.session.learned
    assert part.validation is not None
    again, skipped = replay(case.session.history.path(), part.rule_set, part.training.rows, part.validation.rows)
    assert skipped == ()
    assert again.version == case.session.version
    assert again.state.score == case.session.state.score
    assert [entry.total_bits for entry in again.history.entries] == [
        entry.total_bits for entry in case.session.history.path()
    ]


def test_replay_on_new_rows_tells_what_no_longer_applies() -> None:
    case = random_case(3)
    case.session.apply(AddRule((LevelSet("ward", ("ü",)),)))
    case.session.apply(AddRule((Interval("age", low=61.5),)))
    case.session.apply(AttachNote("r4", "ward of the study"))
    rng = np.random.default_rng(9)
    table = random_frame(rng, 80, 2)
    table = table[table["ward"] != "ü"]
    fresh = learning_data(table, "y", kinds={"admitted": "date"}, n_cuts=6)
    kept = tuple(
        rule for rule in case.session.learned.rule_set.rules if "ward" not in {p.feature for p in rule.literals}
    )
    known = RuleSet(fresh.schema, tuple(_on(rule, fresh.schema.feature("age").cuts[0]) for rule in kept))
    session, skipped = replay(case.session.history.path(), known, rows_of(fresh, table))
    assert [skip.entry.number for skip in skipped] == [1, 3]
    assert "has no level 'ü'" in skipped[0].reason
    assert session.version.rule("r5").literals == (Interval("age", low=61.5),)
    assert session.state.score.rules[-1].coverage == int((table["age"] >= 61.5).sum())


def test_replay_where_another_rule_has_the_id_of_a_new_one() -> None:
    case = random_case(3)
    literals, other = (Interval("age", low=61.5),), (Interval("dose (mg)", high=1.5),)
    case.session.apply(AddRule(literals))
    case.session.apply(DuplicateRule("r4"))
    case.session.apply(MoveCut("r4", "age", low=64.5))
    case.session.apply(MergeRules("r5", "r4"))
    learned = case.session.learned
    more = RuleSet(learned.rule_set.schema, (*learned.rule_set.rules, Rule("r4", other)))
    session, skipped = replay(case.session.history.path(), more, learned.training.rows)
    assert skipped == ()
    assert session.version.rule("r4").literals == other
    assert session.version.ids == ("r1", "r2", "r3", "r4", "r6")
    assert session.version.rule("r6").literals == literals
    case.session.apply(AcceptRules((Rule("r4", literals),)))
    case.session.apply(MoveCut("r4", "age", low=70.5))
    session, skipped = replay(case.session.history.path(), more, learned.training.rows)
    assert skipped == ()
    assert session.version.rules == (Rule("r4", (Interval("age", low=70.5),)),)


def test_replay_never_edits_another_rule_of_that_id() -> None:
    case = random_case(3)
    case.session.apply(AddRule((LevelSet("ward", ("ü",)),)))
    case.session.apply(DeleteRule("r4"))
    case.session.apply(AddRule((Interval("age", low=61.5),), new_id="r4"))
    case.session.apply(LockRule("r4"))
    table = random_frame(np.random.default_rng(9), 80, 2)
    table["ward"] = table["ward"].replace("ü", "A")
    fresh = learning_data(table, "y", kinds={"admitted": "date"}, n_cuts=6)
    start = RuleSet(fresh.schema, (Rule("r4", (LevelSet("ward", ("A",)),)),))
    session, skipped = replay(case.session.history.path(), start, rows_of(fresh, table))
    assert [skip.entry.number for skip in skipped] == [1, 2]
    assert skipped[1].reason == "Rule r4 was to be made here: Add r4: IF ward in {ü}. It was not."
    assert session.version.ids == ("r4", "r5")
    assert session.version.locked == {"r5"}


def test_replay_on_a_table_with_other_columns_and_classes() -> None:
    """What is left of the edits is what the new table knows."""
    case = random_case(3)
    smokes = LevelSet("smoker", case.data.schema.feature("smoker").levels[1:])
    case.session.apply(AddRule((Interval("dose (mg)", low=1.25),)))
    case.session.apply(AddRule((Interval("age", low=61.5),)))
    case.session.apply(AddLiteral("r5", smokes))
    table = random_frame(np.random.default_rng(9), 80, 4).drop(columns="dose (mg)").rename(columns={"y": "outcome"})
    fresh = learning_data(table, "outcome", kinds={"admitted": "date"}, n_cuts=6)
    session, skipped = replay(case.session.history.path(), RuleSet(fresh.schema), rows_of(fresh, table))
    assert ["There is no feature 'dose (mg)'." in skip.reason for skip in skipped] == [True]
    assert session.version.rule("r5").literals == (Interval("age", low=61.5), smokes)
    covered = (table["age"] >= 61.5) & table["smoker"]
    assert sum(session.state.score.rules[0].counts) == int(covered.sum())
    assert len(session.state.score.rules[0].counts) == 4


def _on(rule: Rule, cut: float) -> Rule:
    return Rule(rule.id, (Interval("age", low=cut),))


def test_memory_of_a_session() -> None:
    """At most 2 bytes a row and rule, and 64 bytes a row, beside the table itself; history copies no rows."""
    n, n_rules = 40_000, 30
    _worked_session(random_frame(np.random.default_rng(0), 500, 3), n_rules)  # compiles the kernels
    table = random_frame(np.random.default_rng(0), n, 3)
    session, held = _worked_session(table, n_rules)
    assert len(session.history.entries) == 61
    assert held < (2 * n_rules + 64) * n


def _worked_session(table: pd.DataFrame, n_rules: int) -> tuple[Session, int]:
    """Return a session after much that people do, and the bytes that it holds beside the table and its bins."""
    data = learning_data(table, "y", kinds={"admitted": "date"})
    ages, doses = data.schema.feature("age").cuts, data.schema.feature("dose (mg)").cuts
    rules = tuple(
        Rule(f"r{k + 1}", (Interval("age", low=ages[k % len(ages)]), Interval("dose (mg)", high=doses[-1 - k % 9])))
        for k in range(n_rules)
    )
    tracemalloc.start()
    session = Session(RuleSet(data.schema, rules), rows_of(data, table))
    session.findings()
    for k in range(60):
        session.apply(MoveCut(f"r{1 + k % n_rules}", "age", low=20.25 + k))
        session.preview(MoveCut("r1", "dose (mg)", high=1.0 + 0.03 * k)).training.auc_change(n_samples=5)
        scan(session.state, "r2", cut_literals(session.state, "r2", "dose (mg)", "high", doses))
    session.checkpoint("all moved")
    session.jump(30)
    session.apply(DeleteRule("r3"))  # a branch
    session.jump(60)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return session, held


@given(seeds)
def test_edits_survive_json(seed: int) -> None:
    rng = np.random.default_rng(seed)
    version = random_case(seed % 20).session.version
    edit = random_edit(rng, version)
    entry = Entry(1, 0, edit, "ü\n", "A. Nonym", "2026-01-02T03:04:05+00:00", "why", 12.25, 0.5, None)
    for step in (entry, Moved(3), Named("x", 2)):
        assert read_step(json.loads(json.dumps(step_document(step)))) == step


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"step": "jump"}, 'step is "jump": edit, move or name was expected'),
        ({"step": "move", "to": "x"}, 'to is "x": a whole number was expected'),
        ({"step": "name", "name": "x"}, 'has no key "at"'),
        ([], "the document is a list: an object was expected"),
    ],
)
def test_a_broken_step_is_refused(document: object, message: str) -> None:
    with pytest.raises(ModelError) as error:
        read_step(document, "line 3")
    assert str(error.value).startswith("line 3: ")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"kind": "explode"}, "knows no such edit"),
        ({"kind": "move_cut", "rule": "r1", "feature": "x", "low": "1"}, 'low is "1": a number was expected'),
        ({"kind": "add_rule", "literals": [{"low": 1}]}, 'literals[0] has no key "feature"'),
        ({"kind": "delete_rule"}, 'has no key "rule"'),
    ],
)
def test_a_broken_edit_is_refused(document: object, message: str) -> None:
    with pytest.raises(ModelError) as error:
        read_edit(document)
    assert message in str(error.value)


@given(st.lists(st.tuples(st.sampled_from(["edit", "undo", "redo", "jump"]), st.integers(0, 30)), max_size=40))
def test_undo_then_redo_is_the_identity(steps: list[tuple[str, int]]) -> None:
    history = History()
    for action, number in steps:
        if action == "edit":
            history = history.after(Entry(len(history.entries) + 1, history.cursor, DeleteRule("r1"), ""))
        elif action == "undo" and history.can_undo:
            back = history.after(Moved(history.parent(history.cursor)))
            assert back.redone == history.cursor
            history = back
        elif action == "redo" and history.can_redo:
            history = history.after(Moved(history.redone))
        elif action == "jump":
            history = history.after(Moved(number % (len(history.entries) + 1)))
        assert history.can_undo == (history.cursor != LEARNED)
    assert len(history.path()) <= len(history.entries)
    assert history_of(history.entries).entries == history.entries
