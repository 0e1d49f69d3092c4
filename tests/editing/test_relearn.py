"""Learning again around rules that stay."""

from __future__ import annotations

import pytest

from tests.editing.cases import assert_same, random_case
from turs.editing import AddRule, DeleteRule, LockRule, relearn
from turs.errors import EditError
from turs.learn.settings import Constraints, Settings
from turs.rules import Interval


def test_kept_and_locked_rules_stay_and_new_ids_are_new() -> None:
    case = random_case(3, n_rows=300, n_rules=3)
    session = case.session
    session.apply(AddRule((Interval("age", low=63.3),)))
    session.apply(AddRule((Interval("dose (mg)", low=1.0),)))
    session.apply(DeleteRule("r5"))
    session.apply(LockRule("r1"))
    edit = relearn(session.state, keep=["r4"], settings=Settings(search="paper"))
    assert [rule.id for rule in edit.rules[:2]] == ["r1", "r4"]
    assert all(int(rule.id[1:]) > 5 for rule in edit.rules[2:])
    before = session.version
    session.apply(edit)
    assert session.version.rule("r1") == before.rule("r1")
    assert session.version.rule("r4").literals == (Interval("age", low=63.3),)
    assert_same(session.state, case.from_scratch(session.version))


def test_constraints_hold() -> None:
    session = random_case(3, n_rows=300, n_rules=0).session
    edit = relearn(session.state, constraints=Constraints(unused=("age",)))
    assert "age" not in {literal.feature for rule in edit.rules for literal in rule.literals}


def test_a_rule_that_is_not_there_cannot_be_kept() -> None:
    with pytest.raises(EditError, match="There is no rule 'r9'"):
        relearn(random_case(3).session.state, keep=["r9"])
