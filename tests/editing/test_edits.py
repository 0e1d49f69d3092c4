"""Each edit: what it does, how it describes itself, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from turs.editing import (
    AcceptRules,
    AddLiteral,
    AddRule,
    AttachNote,
    ChangeLevels,
    DeleteRule,
    DuplicateRule,
    Edit,
    LockRule,
    MergeRules,
    MoveCut,
    RemoveLiteral,
    ReorderLiterals,
    ReplaceCondition,
    ReplaceLiteral,
    SplitRule,
    UnlockRule,
    Version,
    first_version,
)
from turs.errors import EditError, LockedRuleError, RuleError, TursError
from turs.rules import Feature, Interval, Kind, LevelSet, Missingness, Rule, RuleSet, Schema, format_condition

SCHEMA = Schema(
    "readmitted",
    ("no", "yes"),
    (
        Feature("age", Kind.NUMERIC, cuts=(40.0, 60.0, 75.0), has_missing=True),
        Feature("bp", Kind.NUMERIC, cuts=(80.0, 90.0, 120.0)),
        Feature("ward", Kind.CATEGORICAL, levels=("A", "B 2", "C"), has_missing=True),
        Feature("admitted", Kind.DATE, cuts=(1704067200.0,)),
    ),
)


def version() -> Version:
    return first_version(
        RuleSet(
            SCHEMA,
            (
                Rule("r1", (Interval("age", low=60.0), Interval("bp", high=90.0))),
                Rule("r2", (Interval("age", 40.0, 75.0), LevelSet("ward", ("A", "C")))),
                Rule("r4", (Missingness("age", True),)),
            ),
        )
    )


def text(after: Version, rule_id: str) -> str:
    return format_condition(after.rule(rule_id).literals, after.rule_set.schema)


@pytest.mark.parametrize(
    ("edit", "rule_id", "condition", "description"),
    [
        (
            MoveCut("r1", "age", low=65),
            "r1",
            "age >= 65 AND bp < 90",
            "In r1, move the lower cut of age from 60 to 65",
        ),
        (
            MoveCut("r2", "age", 50.0, 70.0),
            "r2",
            "50 <= age < 70 AND ward in {A, C}",
            "In r2, move the lower cut of age from 40 to 50 and the upper cut of age from 75 to 70",
        ),
        (
            ReplaceLiteral("r1", "bp", Interval("bp", 80.0, 120.0)),
            "r1",
            "age >= 60 AND 80 <= bp < 120",
            "In r1, replace bp < 90 by 80 ≤ bp < 120",
        ),
        (
            ReplaceLiteral("r1", "age", LevelSet("ward", ("C", "A"))),
            "r1",
            "ward in {A, C} AND bp < 90",
            "In r1, replace age ≥ 60 by ward in {C, A}",
        ),
        (
            AddLiteral("r4", Interval("admitted", low=1704067200.0)),
            "r4",
            "age is missing AND admitted >= 2024-01-01",
            "In r4, add admitted ≥ 2024-01-01",
        ),
        (RemoveLiteral("r1", "age"), "r1", "bp < 90", "In r1, remove age ≥ 60"),
        (
            ChangeLevels("r2", "ward", ("B 2", "A")),
            "r2",
            '40 <= age < 75 AND ward in {A, "B 2"}',
            "In r2, among the levels of ward, add B 2 and take out C",
        ),
        (
            ReorderLiterals("r1", ("bp", "age")),
            "r1",
            "bp < 90 AND age >= 60",
            "In r1, put the literals in the order bp, age",
        ),
        (AddRule((Interval("bp", low=120.0),)), "r5", "bp >= 120", "Add r5: IF bp ≥ 120"),
        (
            ReplaceCondition("r1", (Interval("bp", high=95.0), LevelSet("ward", ("C", "A")))),
            "r1",
            "bp < 95 AND ward in {A, C}",
            "Rewrite r1 from age ≥ 60 AND bp < 90 to bp < 95 AND ward in {C, A}",
        ),
        (DuplicateRule("r4"), "r5", "age is missing", "Duplicate r4 as r5"),
        (
            SplitRule("r1", "age", 70.0),
            "r1",
            "60 <= age < 70 AND bp < 90",
            "Split r1 at age = 70; the part from there on becomes r5",
        ),
        (SplitRule("r1", "age", 70.0), "r5", "age >= 70 AND bp < 90", None),
        (SplitRule("r2", "bp", 100.0), "r5", "40 <= age < 75 AND ward in {A, C} AND bp >= 100", None),
        (MergeRules("r1", "r2"), "r1", "age >= 40", "Merge r2 into r1: IF age ≥ 40"),
        (AttachNote("r1", "not the\n clinical cut"), "r1", None, "Note on r1: not the clinical cut"),
        (LockRule("r2"), "r2", None, "Lock r2"),
        (UnlockRule("r2"), "r2", None, "Unlock r2"),
    ],
)
def test_what_an_edit_does_and_says(edit: Edit, rule_id: str, condition: str | None, description: str | None) -> None:
    before = version()
    after = edit.apply(before)
    assert text(after, rule_id) == (condition or text(before, rule_id))
    if description is not None:
        assert edit.describe(before) == description


def test_delete_and_accept() -> None:
    before = version()
    assert DeleteRule("r2").apply(before).ids == ("r1", "r4")
    assert DeleteRule("r4").describe(before) == "Delete r4: IF age is missing"
    taken = AcceptRules((before.rule("r4"), Rule("r7", (Interval("bp", low=80.0),))))
    after = taken.apply(before)
    assert after.ids == ("r4", "r7")
    assert after.next_id == "r8"
    assert taken.describe(before) == "Take over 2 relearned rules, 1 of them as they were"


def test_ids_are_never_given_twice() -> None:
    after = DeleteRule("r4").apply(version())
    assert AddRule((Interval("bp", low=80.0),)).apply(after).ids == ("r1", "r2", "r5")
    pinned = AddRule((Interval("bp", low=80.0),)).pinned(after)
    assert pinned.new_id == "r5"
    with pytest.raises(EditError, match="There is a rule r5 already"):
        pinned.apply(pinned.apply(after))


def test_a_typed_cut_is_a_candidate_only_while_a_rule_has_it() -> None:
    typed = MoveCut("r1", "age", low=65.0).apply(version())
    assert typed.rule_set.schema.feature("age").cuts == (40.0, 60.0, 65.0, 75.0)
    back = MoveCut("r1", "age", low=60.0).apply(typed)
    assert back.rule_set == version().rule_set


def test_an_empty_note_takes_the_notes_off_a_rule() -> None:
    noted = AttachNote("r1", "ask the ward").apply(AttachNote("r2", "stays").apply(version()))
    assert noted.note_on("r1") == "ask the ward"
    bare = AttachNote("r1", " ").apply(noted)
    assert (bare.note_on("r1"), bare.note_on("r2")) == ("", "stays")
    assert AttachNote("r1", " ").describe(noted) == "Take the note off r1"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (MoveCut("r9", "age", low=1.0), "There is no rule 'r9'. Rules: r1, r2, r4."),
        (MoveCut("r3", "age", low=1.0), "Rule r3 is not there any more"),
        (DeleteRule(3), "There is no rule '3'. Rules: r1, r2, r4."),
        (DeleteRule(["r1"]), "There is no rule '['r1']'. Rules: r1, r2, r4."),
        (DeleteRule("r" + "9" * 5000), "There is no rule 'r999"),
        (MoveCut(None, "age", low=1.0), "There is no rule 'None'"),
        (MoveCut("r1", None, low=1.0), "There is no feature 'None'"),
        (RemoveLiteral("r1", ["age"]), "There is no feature '['age']'. Did you mean 'age'"),
        (MoveCut("r1", "age", low=10**400), "of 'age' is not a number"),
        (AddRule("age >= 60"), "'age >= 60' is no tuple of literals: read a text with parse_condition"),
        (AddRule(Interval("age", low=60.0)), "is no tuple of literals"),
        (AddRule((Interval("age", low=60.0),), new_id=7), "7 is no id of a rule: give a text such as r5"),
        (AddRule((Interval("age", low=60.0),), new_id=" "), "' ' is no id of a rule"),
        (AddRule((Interval(60.0, low=60.0),)), "There is no feature '60.0'"),
        (ReplaceCondition("r1", None), "None is no tuple of literals"),
        (ReplaceLiteral("r1", "age", None), "None is no literal"),
        (ChangeLevels("r2", "ward", "AC"), "The levels of 'ward' are 'AC': give a tuple of texts"),
        (ChangeLevels("r2", "ward", (None,)), "'ward' has no level 'None'"),
        (AddLiteral("r1", Missingness("ward", "no")), "Say True (is missing) or False (is known)"),
        (ReorderLiterals("r1", None), "names each of its features once: age, bp"),
        (ReorderLiterals("r1", (1, 2)), "names each of its features once: age, bp"),
        (AttachNote("r1", 3), "The note is 3: write a text"),
        (AcceptRules(("r1",)), "'r1' is no rule: build one from an id and literals"),
        (AcceptRules(Rule("r1", ())), "give a tuple of rules"),
        (AcceptRules((Rule(1, (Interval("bp", low=80.0),)),)), "1 is no id of a rule"),
        (DeleteRule("r01"), "There is no rule 'r01'. Rules: r1, r2, r4. Did you mean 'r1'"),
        (AddRule(("age >= 60",)), "'age >= 60' is no literal: build one, or read a condition as text"),
        (AddLiteral("r1", "ward in {A}"), "'ward in {A}' is no literal"),
        (MoveCut("r1", "agee", low=1.0), "There is no feature 'agee'. Did you mean 'age'"),
        (MoveCut("r1", "ward", low=1.0), "Rule r1 has no literal on 'ward'. It has: age, bp."),
        (MoveCut("r1", "age", high=70.0), "has no upper cut: replace it by one with <"),
        (MoveCut("r1", "age"), "No new cut of 'age' is given"),
        (MoveCut("r4", "age", low=60.0), "has no cut to move"),
        (MoveCut("r1", "age", low=float("nan")), "The cut nan of 'age' is not a number"),
        (MoveCut("r1", "age", low="sixty"), "The cut 'sixty' of 'age' is not a number"),
        (MoveCut("r2", "age", low=80.0), "is empty: its lower cut is not below its upper"),
        (SplitRule("r1", "age", "sixty"), "The cut 'sixty' of 'age' is not a number"),
        (SplitRule("r1", "age", None), "The cut None of 'age' is not a number"),
        (SplitRule("r1", "age", True), "The cut True of 'age' is not a number"),
        (AddRule((Interval("age", low="sixty"),)), "A cut of 'age' is sixty: a cut is a finite number"),
        (ReplaceLiteral("r1", "bp", Interval("bp", high=float("inf"))), "A cut of 'bp' is inf"),
        (ReplaceLiteral("r2", "age", LevelSet("ward", ("A",))), "has two literals on 'ward'"),
        (ReplaceLiteral("r1", "age", Interval("age")), "has no side"),
        (AddLiteral("r1", Interval("age", low=3.0)), "has two literals on 'age'"),
        (AddLiteral("r1", LevelSet("ward", ())), "is empty: name at least one level"),
        (AddLiteral("r1", LevelSet("ward", ("D",))), "has no level 'D'"),
        (AddLiteral("r1", LevelSet("age", ("D",))), "compare it with a number"),
        (RemoveLiteral("r4", "age"), "the only literal of r4: delete the rule"),
        (ChangeLevels("r1", "age", ("A",)), "is no set of levels"),
        (ChangeLevels("r2", "ward", ()), "is empty: name at least one level"),
        (ReorderLiterals("r1", ("bp",)), "names each of its features once: age, bp"),
        (SplitRule("r1", "age", 60.0), "lies outside of r1's interval"),
        (SplitRule("r2", "ward", 60.0), "is categorical and has no cut"),
        (SplitRule("r4", "age", 60.0), "there is nothing to split"),
        (MergeRules("r1", "r1"), "cannot be merged with itself"),
        (MergeRules("r1", "r4"), "have no condition in common"),
        (AttachNote("r1", " \n"), "The note is empty"),
        (AddRule(()), "has no literal"),
        (AcceptRules((Rule("r1", (Interval("bp", low=80.0),)),) * 2), "have the same id"),
    ],
)
def test_what_cannot_be_done_says_why(edit: Edit, message: str) -> None:
    with pytest.raises(TursError) as error:
        edit.apply(version()).rule_set  # noqa: B018  # too many cuts would show here
    assert message in str(error.value)


def test_cuts_may_be_any_kind_of_number() -> None:
    plain = MoveCut("r1", "age", low=65.0).apply(version())
    for number in (65, np.int64(65), np.float32(65.0)):
        moved = MoveCut("r1", "age", low=number).apply(version())
        replaced = ReplaceLiteral("r1", "age", Interval("age", low=number)).apply(version())  # type: ignore[arg-type]  # as people type
        assert moved == replaced == plain
        assert type(moved.rule("r1").literals[0].low) is type(replaced.rule("r1").literals[0].low) is float  # type: ignore[union-attr]  # an interval


def test_there_is_one_zero() -> None:
    for literal in (Interval("bp", low=-0.0), Interval("bp", low=0.0)):
        after = AddRule((literal,)).apply(version())
        assert repr(after.rule("r5").literals) == "(Interval(feature='bp', low=0.0, high=None),)"


def test_a_typed_cut_that_is_a_candidate_already_adds_none() -> None:
    assert MoveCut("r1", "age", low=40).apply(version()).rule_set.schema == SCHEMA


def test_a_feature_has_room_for_so_many_cuts_only() -> None:
    full = Feature("x", Kind.NUMERIC, cuts=tuple(float(c) for c in range(253)))
    schema = Schema("y", ("a", "b"), (full,))
    before = first_version(RuleSet(schema, (Rule("r1", (Interval("x", low=3.0),)),)))
    with pytest.raises(RuleError, match="the most it can have"):
        MoveCut("r1", "x", low=3.5).apply(before).rule_set  # noqa: B018  # the schema is made when looked at


@pytest.mark.parametrize(
    "edit",
    [
        MoveCut("r1", "age", low=65.0),
        RemoveLiteral("r1", "age"),
        AddLiteral("r1", LevelSet("ward", ("A",))),
        ReorderLiterals("r1", ("bp", "age")),
        ReplaceLiteral("r1", "age", Interval("age", low=65.0)),
        ReplaceCondition("r1", (Interval("age", low=60.0),)),
        DeleteRule("r1"),
        SplitRule("r1", "age", 70.0),
        MergeRules("r2", "r1"),
        MergeRules("r1", "r2"),
        AcceptRules(()),
        AcceptRules((Rule("r1", (Interval("age", low=60.0),)),)),
        AcceptRules((Rule("r9", (Interval("age", low=60.0), Interval("bp", high=90.0))),)),
        SplitRule("r1", "bp", 80.0),
    ],
)
def test_a_locked_rule_is_changed_by_nobody_but_an_unlock(edit: Edit) -> None:
    locked = LockRule("r1").apply(version())
    with pytest.raises(LockedRuleError):
        edit.apply(locked)
    assert edit.apply(UnlockRule("r1").apply(locked)) == edit.apply(version())


def test_what_a_lock_lets_through() -> None:
    locked = LockRule("r1").apply(version())
    assert DuplicateRule("r1").apply(locked).rule("r5").literals == locked.rule("r1").literals
    assert AttachNote("r1", "checked").apply(locked).notes[-1].text == "checked"
    kept = AcceptRules((locked.rule("r1"),)).apply(locked)
    assert kept.ids == ("r1",)
    assert kept.locked == {"r1"}


def test_merging_keeps_what_both_demand() -> None:
    rules = (
        Rule("r1", (LevelSet("ward", ("A",)), Interval("age", 40.0, 60.0), Interval("bp", low=80.0))),
        Rule("r2", (Interval("age", 60.0, 75.0), LevelSet("ward", ("C",)), Interval("bp", high=90.0))),
        Rule("r3", (LevelSet("ward", ("B 2", "C")), Missingness("age", False))),
    )
    before = first_version(RuleSet(SCHEMA, rules))
    assert text(MergeRules("r1", "r2").apply(before), "r1") == "ward in {A, C} AND 40 <= age < 75"
    assert text(MergeRules("r1", "r3").apply(before), "r1") == "ward is known AND age is known"
