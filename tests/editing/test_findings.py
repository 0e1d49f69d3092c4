"""Logic checks and repairs, on a table small enough to see what is right."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from tests import naive, naive_editing
from tests.editing.cases import random_case, random_literals
from tests.strategies import seeds
from turs.data.dataset import learning_data
from turs.editing import (
    AddLiteral,
    AddRule,
    DeleteRule,
    Edit,
    Finding,
    LockRule,
    MoveCut,
    RemoveLiteral,
    ReplaceLiteral,
    Session,
    find_in_edit,
    find_new,
    repairs,
    rows_of,
)
from turs.editing.telling import finding_line
from turs.rules import Interval, LevelSet, Literal, Rule, RuleSet


def session(*rules: tuple[Literal, ...]) -> Session:
    x, y = np.meshgrid(np.arange(20.0), np.arange(20.0))
    label = np.where((x.ravel() + 20 * y.ravel()) % 10 < np.where(x.ravel() >= 10, 8, 2), "yes", "no")
    ward = np.where(x.ravel() < 10, "A", "B")
    frame = pd.DataFrame({"x": x.ravel(), "y": y.ravel(), "ward": ward, "ill": label})
    data = learning_data(frame, "ill")
    made = tuple(Rule(f"r{k + 1}", literals) for k, literals in enumerate(rules))
    return Session(RuleSet(data.schema, made), rows_of(data, frame))


def found(of: Session, kind: str) -> list[Finding]:
    return [finding for finding in of.findings() if finding.kind == kind]


def test_nothing_is_odd_about_apart_rules() -> None:
    assert session((Interval("x", low=9.5),), (Interval("x", high=4.5),)).findings() == ()


def test_a_rule_that_covers_nothing() -> None:
    of = session((Interval("x", low=9.5), LevelSet("ward", ("A",))))
    (finding,) = of.findings()
    assert finding.kind == "covers nothing"
    assert finding.fixes[0].edit == DeleteRule("r1")


def test_a_literal_that_excludes_nothing() -> None:
    of = session((Interval("x", low=9.5), LevelSet("ward", ("B",)), Interval("y", low=4.5)))
    texts = [finding.text for finding in found(of, "excludes nothing")]
    assert texts == [
        "In r1, x >= 9.5 excludes no training row",
        "In r1, ward in {B} excludes no training row",
    ]
    assert found(of, "excludes nothing")[0].fixes[0].edit == RemoveLiteral("r1", "x")


def test_a_rule_that_covers_everything() -> None:
    of = session((LevelSet("ward", ("A", "B")),))
    (finding,) = of.findings()
    assert finding.text == "r1 covers every training row"
    assert finding.fixes[0].edit == DeleteRule("r1")


def test_contained_and_same_cover() -> None:
    of = session((Interval("x", low=9.5),), (Interval("x", low=14.5),), (LevelSet("ward", ("B",)),))
    assert [f.rules for f in found(of, "contained")] == [("r2", "r1"), ("r2", "r3")]
    (same,) = found(of, "same cover")
    assert same.rules == ("r1", "r3")
    for finding in (same, *found(of, "contained")):
        changes = [of.preview(fix.edit).bits_change for fix in finding.fixes]
        assert len(changes) == 2
        assert changes == sorted(changes)
        assert [fix.bits_change for fix in finding.fixes] == pytest.approx(changes, abs=1e-9)
    of.apply(same.fixes[0].edit)
    assert not found(of, "same cover")


def test_what_an_edit_brings_about() -> None:
    of = session((Interval("x", low=9.5),), (Interval("x", low=14.5), Interval("y", low=4.5)))
    assert [finding.kind for finding in of.findings()] == ["contained", "disagreement"]
    impact = of.preview(MoveCut("r2", "x", low=15.5))
    assert impact.score_after.rules[1].coverage < impact.score_before.rules[1].coverage
    assert find_new(impact.before, impact.after) == ()  # the same about fewer rows
    impact = of.preview(AddLiteral("r2", LevelSet("ward", ("B",))))
    (idle,) = find_new(impact.before, impact.after)
    assert finding_line(idle, impact.after) == (
        "finding: In r2, ward in {B} excludes no training row; repair: remove ward"
    )
    assert find_new(impact.after, impact.before) == ()


def test_a_disagreement_is_told_with_the_repair_of_the_fewest_bits() -> None:
    of = session((Interval("x", low=9.5),))
    impact = of.apply(AddRule((Interval("x", high=14.5), Interval("y", low=9.5))))
    (finding,) = find_new(impact.before, impact.after)
    best = repairs(of.state, "r1", "r2")[0]
    change = best.total_bits - impact.score_after.total_bits
    assert finding_line(finding, impact.after) == (
        f"finding: {finding.text}; repair: {best.description} ({change:+.1f} bits)"
    )
    of.apply(LockRule("r1"))
    of.apply(LockRule("r2"))
    assert finding_line(finding, of.state) == f"finding: {finding.text}"


def test_a_locked_rule_gets_no_fix() -> None:
    of = session((Interval("x", low=9.5), LevelSet("ward", ("A",))))
    of.apply(LockRule("r1"))
    assert of.findings()[0].fixes == ()


def test_a_disagreement_and_its_repairs() -> None:
    of = session((Interval("x", low=9.5),), (Interval("x", high=14.5), Interval("y", low=9.5)))
    (finding,) = of.findings()
    assert finding.kind == "disagreement"
    assert "r1 and r2 share 50 training rows" in finding.text
    offered = repairs(of.state, "r1", "r2")
    assert {repair.name for repair in offered} == {"tighten", "split"}  # merged, they would demand nothing
    assert [repair.total_bits for repair in offered] == sorted(repair.total_bits for repair in offered)
    for repair in offered:
        impact = of.preview(repair.edit)
        assert impact.score_after.total_bits == repair.total_bits
        assert impact.description == repair.description
        if repair.name == "tighten":
            assert not impact.headline_after.training.overlap_share
    best = next(repair for repair in offered if repair.name == "tighten")
    assert best.total_bits < of.state.score.total_bits


def test_two_rules_with_a_condition_in_common_can_be_merged() -> None:
    of = session((Interval("x", 4.5, 11.5),), (Interval("x", 9.5, 14.5), Interval("y", low=9.5)))
    (merge,) = [repair for repair in repairs(of.state, "r1", "r2") if repair.name == "merge"]
    of.apply(merge.edit)
    assert of.version.rules == (Rule("r1", (Interval("x", 4.5, 14.5),)),)


def test_repairs_leave_locked_rules_alone() -> None:
    of = session((Interval("x", low=9.5),), (Interval("x", high=14.5), Interval("y", low=9.5)))
    of.apply(LockRule("r1"))
    offered = repairs(of.state, "r1", "r2")
    assert offered
    assert all(of.preview(repair.edit).after.version.rule("r1") == of.version.rule("r1") for repair in offered)


@pytest.mark.parametrize(
    "edit",
    [
        MoveCut("r1", "x", high=1.5),
        ReplaceLiteral("r1", "x", Interval("x", 4.5, 1.5)),
        AddLiteral("r1", Interval("y", 4.5, 1.5)),
        AddRule((Interval("y", 4.5, 1.5),)),
    ],
)
def test_an_interval_turned_inside_out(edit: Edit) -> None:
    of = session((Interval("x", 4.5, 9.5),))
    (finding,) = find_in_edit(edit, of.version)
    assert finding.kind == "inside out"
    assert "holds nowhere" in finding.text
    of.apply(finding.fixes[0].edit)
    assert not find_in_edit(DeleteRule("r1"), of.version)


@given(seeds)
def test_rows_excluded_equal_their_twin(seed: int) -> None:
    case = random_case(seed % 500, n_rows=40)
    rule = Rule("r1", random_literals(np.random.default_rng(seed), case.data))
    schema = case.data.schema
    covers = [naive.literal_cover(literal, schema, case.data.bins) for literal in rule.literals]
    expected = naive_editing.rows_excluded(covers, case.data.n_rows)
    assert list(case.session.learned.training.rows.excluded(rule, schema)) == expected
