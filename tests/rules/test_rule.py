"""Schema, literals, rules and rule sets as values."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import rule_sets, rules
from turs.errors import RuleError, TursError, nearest
from turs.rules import (
    MAX_BINS,
    Feature,
    Interval,
    Kind,
    LevelSet,
    Literal,
    Missingness,
    Rule,
    RuleSet,
    Schema,
    check_literal,
    check_rule,
)

AGE = Feature("age", Kind.NUMERIC, cuts=(60.0, 75.0))
WARD = Feature("ward", Kind.CATEGORICAL, levels=("A", "B", "C"), has_missing=True)
ADMITTED = Feature("admitted", Kind.DATE, cuts=(0.0,))
SCHEMA = Schema("readmitted", ("no", "yes"), (AGE, WARD, ADMITTED))
OLD = Rule("r1", (Interval("age", low=60.0),))
IN_A = Rule("r3", (LevelSet("ward", ("A",)), Interval("age", high=75.0)))
RULES = RuleSet(SCHEMA, (OLD, IN_A))


class TestSchema:
    @pytest.mark.parametrize(("feature", "n_bins"), [(AGE, 3), (WARD, 3), (ADMITTED, 2), (Feature("x", Kind.DATE), 1)])
    def test_bins(self, feature: Feature, n_bins: int) -> None:
        assert feature.n_bins == n_bins
        assert feature.other_bin == n_bins
        assert feature.missing_bin == n_bins + 1

    def test_only_categorical_features_have_level_sets(self) -> None:
        assert [feature.is_categorical for feature in SCHEMA.features] == [False, True, False]

    def test_with_cut_keeps_the_order(self) -> None:
        assert AGE.with_cut(70.0).cuts == (60.0, 70.0, 75.0)
        assert AGE.cuts == (60.0, 75.0)

    def test_with_a_cut_that_is_there(self) -> None:
        assert AGE.with_cut(60.0) is AGE

    def test_most_cuts(self) -> None:
        nearly_full = Feature("x", Kind.NUMERIC, cuts=tuple(map(float, range(MAX_BINS - 2))))
        full = nearly_full.with_cut(0.5)
        assert full.n_bins == MAX_BINS
        assert full.missing_bin <= 255
        with pytest.raises(RuleError, match="'x' has 253 candidate cuts already"):
            full.with_cut(1.5)

    def test_lookup(self) -> None:
        assert SCHEMA.index("ward") == 1
        assert SCHEMA.feature("ward") is WARD

    def test_unknown_feature(self) -> None:
        with pytest.raises(RuleError, match=r"There is no feature 'Wards'\. Did you mean 'ward'"):
            SCHEMA.feature("Wards")

    def test_with_feature(self) -> None:
        wider = AGE.with_cut(70.0)
        assert SCHEMA.with_feature(wider).features == (wider, WARD, ADMITTED)
        with pytest.raises(RuleError, match="There is no feature 'x'"):
            SCHEMA.with_feature(Feature("x", Kind.NUMERIC))


class TestLiteral:
    @pytest.mark.parametrize(
        ("literal", "feature"),
        [
            (Interval("age", 60.0, 75.0), AGE),
            (Interval("age", high=61.0), AGE),
            (Interval("admitted", low=0.0), ADMITTED),
            (LevelSet("ward", ("A", "C")), WARD),
            (Missingness("ward", True), WARD),
            (Missingness("age", False), AGE),
        ],
    )
    def test_sound(self, literal: Literal, feature: Feature) -> None:
        check_literal(literal, feature)
        assert literal.feature == feature.name

    @pytest.mark.parametrize(
        ("literal", "feature", "message"),
        [
            (LevelSet("age", ("A",)), AGE, "'age' is numeric: compare it with a number"),
            (LevelSet("admitted", ("A",)), ADMITTED, "'admitted' is date"),
            (LevelSet("ward", ()), WARD, "The set of levels of 'ward' is empty"),
            (LevelSet("ward", ("A", "a")), WARD, "'ward' has no level 'a'. Did you mean 'A'"),
            (Interval("ward", low=1.0), WARD, "'ward' is categorical: use a set of levels, such as ward in {A}"),
            (Interval("age"), AGE, "The interval of 'age' has no side"),
            (Interval("age", low=math.nan), AGE, "A cut of 'age' is nan"),
            (Interval("age", high=math.inf), AGE, "A cut of 'age' is inf"),
            (Interval("age", 75.0, 60.0), AGE, "The interval 75 <= age < 60 is empty"),
            (Interval("age", 60.0, 60.0), AGE, "The interval 60 <= age < 60 is empty"),
        ],
    )
    def test_faults(self, literal: Literal, feature: Feature, message: str) -> None:
        with pytest.raises(RuleError) as caught:
            check_literal(literal, feature)
        assert message in str(caught.value)


class TestRule:
    def test_without_literals(self) -> None:
        with pytest.raises(RuleError, match="Rule r1 has no literal"):
            check_rule(Rule("r1", ()), SCHEMA)

    def test_two_literals_on_a_feature(self) -> None:
        with pytest.raises(RuleError, match="Rule r1 has two literals on 'age': join them"):
            check_rule(Rule("r1", (Interval("age", low=60.0), Missingness("age", False))), SCHEMA)

    def test_unknown_feature(self) -> None:
        with pytest.raises(RuleError, match="There is no feature 'agee'"):
            check_rule(Rule("r1", (Interval("agee", low=60.0),)), SCHEMA)

    def test_literal_that_cannot_stand(self) -> None:
        with pytest.raises(RuleError, match="'ward' has no level 'D'"):
            check_rule(Rule("r1", (LevelSet("ward", ("D",)),)), SCHEMA)

    def test_values_do_not_change(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            OLD.id = "r2"  # type: ignore[misc] # that it is refused is what is tested

    def test_literal_order_is_part_of_a_rule(self) -> None:
        assert Rule("r3", IN_A.literals[::-1]) != IN_A


class TestRuleSet:
    def test_counts_literals(self) -> None:
        assert RULES.n_literals == 3
        assert RuleSet(SCHEMA).n_literals == 0

    def test_rule_by_id(self) -> None:
        assert RULES.rule("r3") is IN_A

    def test_unknown_rule(self) -> None:
        with pytest.raises(RuleError, match=r"There is no rule 'r2'\. Rules: r1, r3\."):
            RULES.rule("r2")
        with pytest.raises(RuleError, match="Rules: none"):
            RuleSet(SCHEMA).rule("r2")

    def test_next_id_is_above_all(self) -> None:
        assert RULES.next_id() == "r4"
        assert RuleSet(SCHEMA).next_id() == "r1"
        assert RuleSet(SCHEMA, (Rule("mine", OLD.literals), Rule("rx", OLD.literals))).next_id() == "r1"

    def test_with_rule(self) -> None:
        added = Rule("r4", (Missingness("ward", True),))
        assert RULES.with_rule(added).rules == (OLD, IN_A, added)
        assert RULES.rules == (OLD, IN_A)

    def test_with_a_rule_that_is_there(self) -> None:
        with pytest.raises(RuleError, match="There is a rule 'r1' already"):
            RULES.with_rule(Rule("r1", (Missingness("ward", True),)))

    def test_with_an_unsound_rule(self) -> None:
        with pytest.raises(RuleError, match="has no literal"):
            RULES.with_rule(Rule("r4", ()))
        with pytest.raises(RuleError, match="has no literal"):
            RULES.replace_rule(Rule("r1", ()))

    def test_typed_cuts_join_the_schema(self) -> None:
        changed = RULES.replace_rule(Rule("r1", (Interval("age", 61.5, 75.0),)))
        assert changed.schema.feature("age").cuts == (60.0, 61.5, 75.0)
        assert RULES.schema.feature("age").cuts == (60.0, 75.0)
        added = RULES.with_rule(Rule("r4", (Interval("age", 1.0, 2.0),)))
        assert added.schema.feature("age").cuts == (1.0, 2.0, 60.0, 75.0)

    def test_known_cuts_leave_the_schema(self) -> None:
        assert RULES.replace_rule(Rule("r1", (Interval("age", high=75.0),))).schema is SCHEMA

    def test_replace_keeps_the_place(self) -> None:
        changed = Rule("r1", (Missingness("ward", False),))
        assert RULES.replace_rule(changed).rules == (changed, IN_A)
        with pytest.raises(RuleError, match="There is no rule 'r9'"):
            RULES.replace_rule(Rule("r9", OLD.literals))

    def test_without_rule(self) -> None:
        assert RULES.without_rule("r1").rules == (IN_A,)
        with pytest.raises(RuleError, match="There is no rule 'r9'"):
            RULES.without_rule("r9")

    @given(st.data(), rule_sets())
    def test_adding_then_deleting_is_the_identity(self, data: st.DataObject, rule_set: RuleSet) -> None:
        rule = data.draw(rules(rule_set.schema, rule_set.next_id()))
        assert rule_set.with_rule(rule).rule(rule.id) is rule
        assert rule_set.with_rule(rule).without_rule(rule.id) == rule_set

    @given(st.data(), rule_sets().filter(lambda rule_set: rule_set.rules))
    def test_replacing_back_is_the_identity(self, data: st.DataObject, rule_set: RuleSet) -> None:
        old = data.draw(st.sampled_from(rule_set.rules))
        new = data.draw(rules(rule_set.schema, old.id))
        assert rule_set.replace_rule(new).replace_rule(old) == rule_set


class TestErrors:
    def test_user_errors_are_value_errors(self) -> None:
        assert issubclass(RuleError, TursError)
        assert issubclass(TursError, ValueError)

    def test_nearest(self) -> None:
        assert nearest("WARD", ["age", "ward"]) == " Did you mean 'ward'?"
        assert nearest("zzz", ["age", "ward"]) == ""
        assert nearest("x", []) == ""
