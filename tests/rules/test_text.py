"""Text of rules: what is printed parses back, what people type is understood, faults are explained."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.strategies import AWKWARD_TEXTS, date_cuts, finite_floats, rule_sets, rules, schemas
from turs.errors import RuleError, RuleSyntaxError
from turs.rules import (
    Feature,
    Interval,
    Kind,
    LevelSet,
    Missingness,
    Rule,
    RuleSet,
    Schema,
    format_condition,
    format_literal,
    format_number,
    format_rule,
    parse_condition,
    parse_literal,
    parse_number,
    parse_rule,
)
from turs.rules.text import told_condition, told_number

AGE = Feature("age", Kind.NUMERIC, cuts=(60.0, 75.0))
ADMITTED = Feature("admitted", Kind.DATE)
SCHEMA = Schema(
    target="readmitted",
    classes=("no", "yes"),
    features=(
        AGE,
        Feature("bp", Kind.NUMERIC),
        Feature("ward", Kind.CATEGORICAL, levels=("A", "B 2", "C", "1", "2")),
        ADMITTED,
        Feature("length of stay", Kind.NUMERIC),
        Feature("length", Kind.NUMERIC),
        Feature("days in hospital", Kind.NUMERIC),
        Feature("2nd visit", Kind.NUMERIC),
        Feature("empty", Kind.CATEGORICAL),
    ),
)
DAY = 86_400.0
JAN_5 = 1_704_412_800.0
PIECES = (
    "age",
    "ward",
    "60",
    "75",
    "<=",
    "<",
    ">=",
    "in",
    "{A}",
    "{C, A}",
    "is",
    "missing",
    "AND",
    "IF",
    "=",
    "A",
    '"',
)


def one_feature(name: str) -> Schema:
    """Return a schema with one numeric feature."""
    return Schema("y", ("no", "yes"), (Feature(name, Kind.NUMERIC),))


def fault(text: str) -> RuleSyntaxError:
    """Return the error that parsing `text` gives."""
    with pytest.raises(RuleSyntaxError) as caught:
        parse_condition(text, SCHEMA)
    return caught.value


class TestNumbers:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (60.0, "60"),
            (2.4, "2.4"),
            (-0.5, "-0.5"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-07, "1e-07"),
            (1e300, "1e+300"),
            (5e-324, "5e-324"),
        ],
    )
    def test_shortest(self, value: float, text: str) -> None:
        assert format_number(value, AGE) == text
        assert parse_number(text, AGE) == value

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0.0, "1970-01-01"),
            (-0.0, "1970-01-01"),
            (JAN_5, "2024-01-05"),
            (JAN_5 + 48_600, "2024-01-05T13:30:00"),
            (JAN_5 + 0.5, "2024-01-05T00:00:00.5"),
            (-0.25, "1969-12-31T23:59:59.75"),
            (-62_135_596_800.0, "0001-01-01"),
            (253_402_300_799.0, "9999-12-31T23:59:59"),
            (253_402_300_800.0, "253402300800s"),
            (1e300, "1e+300s"),
            (1e-12, "1e-12s"),
        ],
    )
    def test_dates(self, value: float, text: str) -> None:
        assert format_number(value, ADMITTED) == text
        assert parse_number(text, ADMITTED) == value

    @given(finite_floats)
    def test_number_round_trip(self, value: float) -> None:
        assert parse_number(format_number(value, AGE), AGE) == value

    @given(date_cuts)
    @example(JAN_5 + 1e-6)
    def test_date_round_trip(self, value: float) -> None:
        assert parse_number(format_number(value, ADMITTED), ADMITTED) == value

    @pytest.mark.parametrize("text", ["2024-01-05T13:30", "2024-01-05 13:30", "2024-01-05t13:30:00.000Z"])
    def test_typed_times(self, text: str) -> None:
        assert parse_number(text, ADMITTED) == JAN_5 + 48_600

    @pytest.mark.parametrize("text", ["60", "2024", "2024-1-5", "soon", ""])
    def test_no_date(self, text: str) -> None:
        with pytest.raises(RuleSyntaxError, match="Expected a date such as 2024-01-05"):
            parse_number(text, ADMITTED)

    @pytest.mark.parametrize("text", ["2024-02-30", "2024-01-05T25:00"])
    def test_no_calendar_date(self, text: str) -> None:
        with pytest.raises(RuleSyntaxError, match="not a date of the calendar"):
            parse_number(text, ADMITTED)

    @pytest.mark.parametrize("text", ["nan", "inf", "sixty", "2024-01-05", "6_0", "1e", "٣", "5s", '"60"', ""])
    def test_no_number(self, text: str) -> None:
        with pytest.raises(RuleSyntaxError, match="Expected a number"):
            parse_number(text, AGE)

    @pytest.mark.parametrize(("text", "feature"), [("1e999", AGE), ("-1e999s", ADMITTED)])
    def test_too_large(self, text: str, feature: Feature) -> None:
        with pytest.raises(RuleSyntaxError, match="is too large: a cut is a finite number"):
            parse_number(text, feature)

    def test_more_than_a_number(self) -> None:
        with pytest.raises(RuleSyntaxError, match="Expected the end of the text, found 61"):
            parse_number("60 61", AGE)


class TestPrinting:
    @pytest.mark.parametrize(
        ("literal", "text"),
        [
            (Interval("age", low=60.0), "age >= 60"),
            (Interval("age", high=60.0), "age < 60"),
            (Interval("age", 60.0, 75.0), "60 <= age < 75"),
            (Interval("length of stay", high=2.4), '"length of stay" < 2.4'),
            (Interval("admitted", low=JAN_5), "admitted >= 2024-01-05"),
            (Interval("admitted", JAN_5, JAN_5 + DAY), "2024-01-05 <= admitted < 2024-01-06"),
            (LevelSet("ward", ("A", "B 2")), 'ward in {A, "B 2"}'),
            (LevelSet("ward", ("1", "2")), "ward in {1, 2}"),
            (Missingness("age", True), "age is missing"),
            (Missingness("age", False), "age is known"),
        ],
    )
    def test_literal(self, literal: Interval, text: str) -> None:
        assert format_literal(literal, SCHEMA) == text
        assert parse_literal(text, SCHEMA) == literal

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("größe", "größe"),
            ("a.b-c_1", "a.b-c_1"),
            ("", '""'),
            ("60", '"60"'),
            ("-x", '"-x"'),
            ("x-", '"x-"'),
            ("Missing", '"Missing"'),
            ('say "hi"', '"say \\"hi\\""'),
            ("a\\b", '"a\\\\b"'),
            ("a\nb\tc\rd\x00", '"a\\nb\\tc\\u000dd\\u0000"'),
            ("\ud800", '"\\ud800"'),
            ("🙂", '"🙂"'),
        ],
    )
    def test_names(self, name: str, shown: str) -> None:
        assert format_literal(Interval(name, low=1.0), one_feature(name)) == f"{shown} >= 1"

    @pytest.mark.parametrize("level", ["if", "Else", "a b", "", "}", "a,b", "1e+5"])
    def test_quoted_levels(self, level: str) -> None:
        schema = Schema("y", ("a", "b"), (Feature("x", Kind.CATEGORICAL, levels=(level,)),))
        assert format_literal(LevelSet("x", (level,)), schema) == f'x in {{"{level}"}}'

    def test_rule(self) -> None:
        rule = Rule("r2", (Interval("age", low=60.0), LevelSet("ward", ("A",))))
        assert format_rule(rule, SCHEMA) == "IF age >= 60 AND ward in {A}"
        assert format_rule(rule, SCHEMA, with_id=True) == "r2: IF age >= 60 AND ward in {A}"
        assert format_rule(rule, SCHEMA, (0.69, 0.31)) == "IF age >= 60 AND ward in {A} THEN yes: 0.31"

    def test_many_classes(self) -> None:
        schema = Schema("y", ("0", "not so", "then"), SCHEMA.features)
        rule = Rule("r1", (Interval("age", low=60.0),))
        text = format_rule(rule, schema, (0.2, 0.3, 0.5))
        assert text == 'IF age >= 60 THEN 0: 0.20, "not so": 0.30, "then": 0.50'
        assert parse_rule(text, schema, "r1") == rule

    @pytest.mark.parametrize(
        ("probability", "shown"),
        [
            (0.0, "0.00"),
            (1.0, "1.00"),
            (0.314, "0.31"),
            (0.004, "0.004"),
            (0.996, "0.996"),
            (0.0004, "0.0004"),
            (0.99996, "0.99996"),
            (1 - 2**-53, "0.9999999999999999"),
            (3e-40, "3e-40"),
        ],
    )
    def test_probabilities(self, probability: float, shown: str) -> None:
        rule = Rule("r1", (Interval("age", low=60.0),))
        text = format_rule(rule, SCHEMA, (1 - probability, probability))
        assert text == f"IF age >= 60 THEN yes: {shown}"
        assert parse_rule(text, SCHEMA, "r1") == rule

    def test_wrong_number_of_probabilities(self) -> None:
        with pytest.raises(ValueError, match="argument 2 is longer"):
            format_rule(Rule("r1", (Interval("age", low=60.0),)), SCHEMA, (0.1, 0.2, 0.7))


class TestRoundTrip:
    @given(rule_sets())
    def test_print_then_parse_is_the_identity(self, rule_set: RuleSet) -> None:
        for rule in rule_set.rules:
            text = format_rule(rule, rule_set.schema, with_id=True)
            assert parse_rule(text, rule_set.schema, rule.id) == rule
            assert parse_condition(format_condition(rule.literals, rule_set.schema), rule_set.schema) == rule.literals
            for literal in rule.literals:
                assert parse_literal(format_literal(literal, rule_set.schema), rule_set.schema) == literal

    @given(st.data(), schemas())
    def test_with_probabilities(self, data: st.DataObject, schema: Schema) -> None:
        rule = data.draw(rules(schema))
        n_classes = len(schema.classes)
        shares = data.draw(st.lists(st.floats(0, 1), min_size=n_classes, max_size=n_classes))
        assert parse_rule(format_rule(rule, schema, shares, with_id=True), schema, "r1") == rule

    @pytest.mark.parametrize("name", AWKWARD_TEXTS)
    @pytest.mark.parametrize("literal", [Interval("", 1.0, 2.0), Interval("", low=1.0), Missingness("", True)])
    def test_every_awkward_name_among_all_others(self, name: str, literal: Interval) -> None:
        schema = Schema("y", ("a", "b"), tuple(Feature(other, Kind.NUMERIC) for other in AWKWARD_TEXTS))
        named = type(literal)(name, *list(vars(literal).values())[1:])
        after = Interval("bp" if name != "bp" else "age", low=60.0)
        assert parse_condition(format_condition((named, after), schema), schema) == (named, after)

    @given(st.text(st.characters(codec=None)))
    def test_any_name(self, name: str) -> None:
        literal = Interval(name, low=1.0)
        assert parse_literal(format_literal(literal, one_feature(name)), one_feature(name)) == literal

    @given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join)))
    def test_any_text_parses_or_says_why(self, text: str) -> None:
        position = 0
        parsed = ()
        reason = "none needed"
        try:
            parsed = parse_condition(text, SCHEMA)
        except RuleSyntaxError as error:
            position = error.position
        except RuleError as error:  # it parses, but a literal cannot stand on its feature
            reason = str(error)
        assert reason
        assert 0 <= position <= len(text)
        assert not parsed or parse_condition(format_condition(parsed, SCHEMA), SCHEMA) == parsed


class TestTypedText:
    @pytest.mark.parametrize(
        "text",
        [
            "age>=60",
            "  age  >=  60  ",
            "if age >= 60",
            "r2: age >= 60",
            "r12 : If age ≥ 60.0",
            '"age" >= 6e1',
            "60 <= age",
            "60 ≤ age",
            "age >= +60 then yes: 0.5",
            "IF age >= 60 THEN no: 0.5, yes: .5",
            'IF age >= 60 THEN "yes" : 1',
        ],
    )
    def test_spellings_of_a_lower_cut(self, text: str) -> None:
        assert parse_condition(text, SCHEMA) == (Interval("age", low=60.0),)

    @pytest.mark.parametrize(
        "text",
        [
            'ward in {A, "B 2"}',
            "ward IN {A,B 2}",
            'ward ∈ { "B 2" , A }',
            "ward in {A, B 2, A}",
        ],
    )
    def test_level_sets_are_in_schema_order(self, text: str) -> None:
        assert parse_literal(text, SCHEMA) == LevelSet("ward", ("A", "B 2"))

    @pytest.mark.parametrize("text", ["ward = B 2", 'ward == "B 2"', "ward=B 2"])
    def test_equals_a_level(self, text: str) -> None:
        assert parse_condition(f"{text} AND age < 60", SCHEMA) == (
            LevelSet("ward", ("B 2",)),
            Interval("age", high=60.0),
        )

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("length of stay < 2.4", "length of stay"),
            ("length < 2.4", "length"),
            ("days in hospital < 2.4", "days in hospital"),
            ("2nd visit < 2.4", "2nd visit"),
        ],
    )
    def test_names_without_quotes(self, text: str, name: str) -> None:
        assert parse_literal(text, SCHEMA) == Interval(name, high=2.4)

    @pytest.mark.parametrize("text", ["bp IS Missing ∧ age >= 60", "bp is missing and age>=60"])
    def test_missingness_and_signs(self, text: str) -> None:
        assert parse_condition(text, SCHEMA) == (Missingness("bp", True), Interval("age", low=60.0))

    @pytest.mark.parametrize(
        "text",
        [
            "age >= 60 AND bp < 90 AND age < 75",
            "age < 75 AND bp < 90 AND age >= 60",
            "60 <= age < 75 AND bp < 90",
        ],
    )
    def test_two_sides_become_one_interval(self, text: str) -> None:
        assert parse_condition(text, SCHEMA) == (Interval("age", 60.0, 75.0), Interval("bp", high=90.0))

    def test_rule_takes_the_given_id(self) -> None:
        assert parse_rule("r2: IF age >= 60", SCHEMA, "r7") == Rule("r7", (Interval("age", low=60.0),))

    def test_dates(self) -> None:
        text = "2024-01-05 <= admitted < 2024-01-06 00:00 AND age >= 60"
        assert parse_condition(text, SCHEMA)[0] == Interval("admitted", JAN_5, JAN_5 + DAY)


class TestFaults:
    @pytest.mark.parametrize(
        ("text", "message", "position"),
        [
            ("", "Expected the name of a feature, found the end", 0),
            ("IF ", "Expected the name of a feature, found the end", 3),
            (">= 60", "Expected the name of a feature, found >", 0),
            ("age", "Expected '>=', '<' or 'is' after the feature 'age', found the end", 3),
            ("age 60", "Expected '>=', '<' or 'is' after the feature 'age', found 60", 4),
            ("ward A", "Expected 'in' or 'is' after the feature 'ward', found A", 5),
            ("age >=", "Expected a number, found the end", 6),
            ("age >= sixty", "Expected a number, found sixty", 7),
            ("age >= 60,5", "Write 60.5 with a point", 7),
            ("age < -0,889", "Write -0.889 with a point (", 6),
            ("age >= 1,250", "Write 1.250 with a point, or 1250 for thousands", 7),
            ("age >= 60 bp < 90", "Expected AND, THEN or the end of the rule, found bp", 10),
            ("age >= 60 AND", "Expected the name of a feature, found the end", 13),
            ("age >= 60 OR bp < 90", "Expected AND, THEN or the end of the rule, found OR", 10),
            ("age > 60", "'>' is not possible here: use '>=' (the cut and above) or '<' (below the cut)", 4),
            ("age <= 60", "'<=' is not possible here: use '>='", 4),
            ("age ≤ 60", "'≤' is not possible here: use '>='", 4),
            ("60 <= age <= 75", "'<=' is not possible here: use '>='", 10),
            ("60 < age < 75", "'<' cannot follow a cut: write 60 <= age < 75", 3),
            ("75 > age", "'>' cannot follow a cut", 3),
            ("age = 60", "'age' is numeric: use '>=' or '<' with a cut, or an interval", 4),
            ("age != 60", "'age' is numeric: use '>=' or '<' with a cut", 4),
            ("ward != A", "'ward' is categorical: name the levels that it may have, such as ward in {A}", 5),
            ("ward >= 60", "'ward' is categorical: use a set of levels, such as ward in {A}", 5),
            ("60 <= ward", "'ward' is categorical: use a set of levels, such as ward in {A}", 0),
            ("empty < 60", "'empty' is categorical: use a set of levels, such as empty in {A}", 6),
            ("age in {A}", "'age' is numeric: compare it with a cut by '>=' or '<'", 7),
            ("admitted >= 60", "Expected a date such as 2024-01-05", 12),
            ("60 <= admitted", "Expected a date such as 2024-01-05", 0),
            ("ward in A", "Expected '{' and the levels, such as {A, B}, found A", 8),
            ("ward in {}", "Expected a level, found }", 9),
            ("ward in {A,}", "Expected a level, found }", 11),
            ("ward in {A, B 2 AND age < 60", "Expected ',' or '}' in the set of levels, found the end", 28),
            ("ward =", "Expected a level of 'ward', found the end", 6),
            ("age is 60", "Expected 'missing' or 'known' after 'is', found 60", 7),
            ('"age >= 60', "The quoted text has no end", 0),
            ('ward in {"A\\x"}', "'\\x' is no escape: use", 11),
            ('ward in {"\\u12"}', "'\\u' is no escape: use", 10),
            ("agee >= 60", "There is no feature 'agee'. Did you mean 'age'", 0),
            ("lenght of stay < 2", "There is no feature 'lenght of stay'. Did you mean 'length of stay'", 0),
            ('age < 3 AND "x y" < 2', "There is no feature 'x y'.", 12),
            ("age >= 60 AND age >= 70", "There is a literal on 'age' already", 14),
            ("60 <= age < 75 AND age < 70", "There is a literal on 'age' already", 19),
            ("age < 75 AND age < 60", "There is a literal on 'age' already", 13),
            ("age < 75 AND 60 <= age < 70", "There is a literal on 'age' already", 13),
            ("age >= 60 AND age is known", "There is a literal on 'age' already", 14),
            ("ward = A AND ward = C", "There is a literal on 'ward' already", 13),
            ("age >= 60 THEN", "Expected a class after THEN or ',', found the end", 14),
            ("age >= 60 THEN yes", "Expected ':' and a probability after the class, found the end", 18),
            ("age >= 60 THEN yes: much", "Expected a probability, found much", 20),
            ("age >= 60 THEN yes: 1.5", "1.5 is not a probability: it lies between 0 and 1", 20),
            ("age >= 60 THEN yess: 0.5", "There is no class 'yess'. Did you mean 'yes'", 15),
            ("age >= 60 THEN yes: 0.5 AND", "Expected ',' or the end of the rule, found AND", 24),
        ],
    )
    def test_message_and_position(self, text: str, message: str, position: int) -> None:
        error = fault(text)
        assert message in str(error)
        assert error.position == position
        assert error.text == text

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("ward in {A, D}", "'ward' has no level 'D'"),
            ("ward = D", "'ward' has no level 'D'"),
            ("75 <= age < 60", "is empty: its lower cut is not below its upper"),
            ("age >= 75 AND age < 75", "is empty: its lower cut is not below its upper"),
        ],
    )
    def test_literals_that_cannot_stand(self, text: str, message: str) -> None:
        with pytest.raises(RuleError, match=message):
            parse_condition(text, SCHEMA)

    def test_one_literal_only(self) -> None:
        with pytest.raises(RuleSyntaxError, match="Expected the end of the literal, found AND"):
            parse_literal("age >= 60 AND bp < 90", SCHEMA)

    def test_printing_an_unknown_feature(self) -> None:
        with pytest.raises(RuleError, match="There is no feature 'agee'"):
            format_literal(Interval("agee", low=1.0), SCHEMA)


def test_what_people_read_has_no_quotes_and_plain_dates() -> None:
    noon = parse_number("2023-05-25T12:00:00", ADMITTED)
    literals = (
        Interval("length of stay", low=2.0),
        Interval("age", low=60.0, high=75.0),
        LevelSet("ward", ("A", "B 2")),
        Interval("admitted", low=noon),
        Missingness("bp", missing=False),
    )
    read = "length of stay ≥ 2 AND 60 ≤ age < 75 AND ward in {A, B 2} AND admitted ≥ 2023-05-25 12:00 AND bp is known"
    assert told_condition(literals, SCHEMA) == read


@given(date_cuts)
def test_a_date_that_people_read_parses_back(cut: float) -> None:
    assert parse_number(told_number(cut, ADMITTED), ADMITTED) == cut
