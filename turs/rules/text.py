"""Rules as text: the one place where literals, conditions and rules are printed and parsed.

    IF 60 <= age < 75 AND ward in {A, "B 2"} AND bp is known AND admitted >= 2024-01-05 THEN readmitted: 0.31

What is printed parses back to the same value. Names, levels and class labels stand bare where they are simple words
and in double quotes otherwise; numbers have as few digits as give the same float; dates are ISO dates in UTC.
Parsing also takes what people type: keywords in any case, the signs ≥ ∧ ∈, `ward = A`, feature names with spaces
and without quotes, the minus of print, and two one-sided literals on one feature. Class probabilities in the
text are checked for form and then ignored, because they come from the data.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from turs.errors import RuleSyntaxError, nearest
from turs.rules.literal import Interval, LevelSet, Literal, Missingness, checked_literal
from turs.rules.rule import Rule, check_rule
from turs.rules.scanner import WORD, Scanner, is_keyword, quote
from turs.rules.schema import Feature, Kind, Schema

_EPOCH = datetime(1970, 1, 1)
_FIRST_SECOND = (datetime.min - _EPOCH) // timedelta(seconds=1)
_LAST_SECOND = (datetime.max - _EPOCH) // timedelta(seconds=1)
_DATE_DIGITS = 9
_PROBABILITY_DIGITS = 17

_SIMPLE_NAME = re.compile(r"[^\W\d](?:[\w.-]*\w)?")
_SIMPLE_LEVEL = re.compile(r"-?\w(?:[\w.-]*\w)?")

_NUMBER_FORM = r"[+\u2212-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_DATE_FORM = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?[Zz]?)?"
_SECONDS_FORM = _NUMBER_FORM + "s"
_WORD_ENDS = r"(?![\w.:-])"
_NUMBER = re.compile(_NUMBER_FORM + _WORD_ENDS)
_DECIMAL_COMMA = re.compile(r"(?P<whole>[+-]?[0-9]+),(?P<part>[0-9]+)" + _WORD_ENDS)
_DATE = re.compile(f"(?:(?P<iso>{_DATE_FORM})|(?P<seconds>{_SECONDS_FORM})){_WORD_ENDS}")
_OPERATOR_FORM = r">=|≥|<=|≤|==|=|!=|<>|≠|>|<"
_OPERATOR = re.compile(_OPERATOR_FORM)
_LOWER_CUT = re.compile(rf"(?:{_DATE_FORM}|{_NUMBER_FORM}s?){_WORD_ENDS}\s*(?P<operator>{_OPERATOR_FORM})")
_RULE_ID = re.compile(r"[^\W\d][\w.-]*\s*:")
_BARE_LEVEL = re.compile(r'[^,{}"]*[^,{}"\s]')
_BARE_LABEL = re.compile(r'[^:,"]*[^:,"\s]')
_UP_TO_OPERATOR = re.compile(r'[^<>=≤≥≠∈!{}"]+?(?=\s*(?:[<>=≤≥≠∈!{}"]|\s(?:in|is)\s|$))', re.IGNORECASE)


def format_number(value: float, feature: Feature) -> str:
    """Print a cut of `feature` so that it parses back to the same float.

    Parameters
    ----------
    value : float
        The cut; of a date feature, seconds since 1970-01-01 UTC.
    feature : Feature
        The feature that the cut belongs to.

    Returns
    -------
    str
        `60`, `2.4`, `1e-07`; of a date feature `2024-01-05` or `2024-01-05T13:30:00.5`, and seconds such as
        `1e+300s` where no calendar date is that exact or that far away.
    """
    value = float(value) + 0.0  # no negative zero
    return _format_date(value) if feature.kind is Kind.DATE else _shortest(value)


def told_number(value: float, feature: Feature) -> str:
    """Return a cut of `feature` as people read it; it parses back as well.

    Returns
    -------
    str
        As `format_number`, but of a date feature `2024-01-05 13:30`.
    """
    text = format_number(value, feature)
    return text.replace("T", " ").removesuffix(":00") if feature.kind is Kind.DATE else text


def told_literal(literal: Literal, schema: Schema) -> str:
    """Return a literal as people read it, such as `60 ≤ age < 75`: names and levels stand as they are, without quotes.

    It need not parse back: a name or a level may hold a sign that means something else in a condition.
    """
    feature = schema.feature(literal.feature)
    if isinstance(literal, Missingness):
        return f"{feature.name} is {'missing' if literal.missing else 'known'}"
    if isinstance(literal, LevelSet):
        return f"{feature.name} in {{{', '.join(literal.levels)}}}"
    if literal.low is None:
        return feature.name if literal.high is None else f"{feature.name} < {told_number(literal.high, feature)}"
    if literal.high is None:
        return f"{feature.name} ≥ {told_number(literal.low, feature)}"
    return f"{told_number(literal.low, feature)} ≤ {feature.name} < {told_number(literal.high, feature)}"


def told_condition(literals: Iterable[Literal], schema: Schema) -> str:
    """Return literals as people read them, joined by AND."""
    return " AND ".join(told_literal(literal, schema) for literal in literals)


def format_literal(literal: Literal, schema: Schema) -> str:
    """Print one literal, such as `60 <= age < 75`, `ward in {A, "B 2"}` or `bp is missing`."""
    feature = schema.feature(literal.feature)
    name = _format_name(feature.name)
    if isinstance(literal, Missingness):
        return f"{name} is {'missing' if literal.missing else 'known'}"
    if isinstance(literal, LevelSet):
        return f"{name} in {{{', '.join(_format_level(level) for level in literal.levels)}}}"
    if literal.low is None:
        return name if literal.high is None else f"{name} < {format_number(literal.high, feature)}"
    if literal.high is None:
        return f"{name} >= {format_number(literal.low, feature)}"
    return f"{format_number(literal.low, feature)} <= {name} < {format_number(literal.high, feature)}"


def format_condition(literals: Iterable[Literal], schema: Schema) -> str:
    """Print literals joined by AND."""
    return " AND ".join(format_literal(literal, schema) for literal in literals)


def format_rule(rule: Rule, schema: Schema, probabilities: Sequence[float] | None = None, with_id: bool = False) -> str:
    """Print a rule.

    Parameters
    ----------
    rule : Rule
        The rule.
    schema : Schema
        Features and classes that the rule speaks about.
    probabilities : sequence of float, optional
        Class probabilities in the order of `schema.classes`; without them there is no THEN part. Of two classes
        only the last is named.
    with_id : bool
        Whether the text begins with the id, as in `r2: IF ...`.

    Returns
    -------
    str
        One line, such as `IF age >= 60 THEN readmitted: 0.31`.
    """
    text = f"IF {format_condition(rule.literals, schema)}"
    if with_id:
        text = f"{rule.id}: {text}"
    if probabilities is None:
        return text
    named = list(zip(schema.classes, probabilities, strict=True))
    shown = named[-1:] if len(named) == 2 else named
    outcome = ", ".join(f"{_format_level(label)}: {_format_probability(p)}" for label, p in shown)
    return f"{text} THEN {outcome}"


def parse_number(text: str, feature: Feature) -> float:
    """Parse a cut of `feature`, as `format_number` prints it.

    Raises
    ------
    RuleSyntaxError
        Where `text` is not one number, or of a date feature not one ISO date.
    """
    scanner = Scanner(text)
    value = _read_number(scanner, feature)
    scanner.expect_end("the end of the text")
    return value


def parse_literal(text: str, schema: Schema) -> Literal:
    """Parse one literal.

    Raises
    ------
    RuleSyntaxError
        Where the text does not parse; it knows the position.
    RuleError
        Where the literal cannot stand on its feature.
    """
    scanner = Scanner(text)
    literal = _read_literal(scanner, schema)
    scanner.expect_end("the end of the literal")
    return checked_literal(literal, schema.feature(literal.feature))


def parse_condition(text: str, schema: Schema) -> tuple[Literal, ...]:
    """Parse literals joined by AND, with or without `r2:`, `IF` and a THEN part around them.

    A lower and an upper cut of one feature (`age >= 60 AND age < 75`) become one interval, at the place of the first.

    Parameters
    ----------
    text : str
        The text, such as `IF age >= 60 AND ward in {A, B} THEN readmitted: 0.31`.
    schema : Schema
        Features and classes that the text may name.

    Returns
    -------
    tuple of Literal
        One a feature, in the order of the text; levels in the order of the schema.

    Raises
    ------
    RuleSyntaxError
        Where the text does not parse; it knows the position.
    RuleError
        Where a literal cannot stand on its feature.
    """
    scanner = Scanner(text)
    scanner.take(_RULE_ID)
    scanner.keyword("IF")
    literals: dict[str, Literal] = {}
    while True:
        scanner.skip_space()
        start = scanner.position
        literal = _read_literal(scanner, schema)
        before = literals.get(literal.feature)
        literals[literal.feature] = literal if before is None else _merge(before, literal, text, start)
        if not (scanner.keyword("AND") or scanner.sign("∧")):
            break
    if scanner.keyword("THEN"):
        _read_outcome(scanner, schema)
        scanner.expect_end("',' or the end of the rule")
    else:
        scanner.expect_end("AND, THEN or the end of the rule")
    return tuple(checked_literal(literal, schema.feature(literal.feature)) for literal in literals.values())


def parse_rule(text: str, schema: Schema, rule_id: str) -> Rule:
    """Parse a rule and name it `rule_id`, whatever id the text begins with.

    Raises
    ------
    RuleSyntaxError
        Where the text does not parse; it knows the position.
    RuleError
        Where the rule cannot stand on `schema`.
    """
    rule = Rule(rule_id, parse_condition(text, schema))
    check_rule(rule, schema)
    return rule


def _shortest(value: float) -> str:
    """Print a float with as few digits as give it back."""
    return repr(value).removesuffix(".0")


def _format_date(seconds: float) -> str:
    """Print seconds since 1970 as an ISO date, with the time of day where it is not midnight."""
    if not _FIRST_SECOND <= seconds < _LAST_SECOND + 1:
        return f"{_shortest(seconds)}s"
    exact = Decimal(repr(seconds))
    if exact != round(exact, _DATE_DIGITS):
        return f"{_shortest(seconds)}s"
    whole = math.floor(exact)
    fraction = f"{exact - whole:f}".removeprefix("0").rstrip("0").rstrip(".")
    moment = _EPOCH + timedelta(seconds=whole)
    if whole % 86_400 == 0 and not fraction:
        return moment.date().isoformat()
    return moment.isoformat() + fraction


def _format_probability(probability: float) -> str:
    """Print with two decimals, or more where these would say a wrong 0 or 1."""
    for digits in range(2, _PROBABILITY_DIGITS + 1):
        text = f"{probability:.{digits}f}"
        if float(text) not in (0.0, 1.0) or float(text) == probability:
            return text
    return f"{probability:.1g}"


def _format_name(name: str) -> str:
    """Print a feature name, quoted unless it is a simple word."""
    return name if _SIMPLE_NAME.fullmatch(name) and not is_keyword(name) else quote(name)


def _format_level(level: str) -> str:
    """Print a level or class label, quoted unless it is a simple word or looks like a number."""
    return level if _SIMPLE_LEVEL.fullmatch(level) and not is_keyword(level) else quote(level)


def _read_literal(scanner: Scanner, schema: Schema) -> Literal:
    """Read one literal of any form."""
    lower_cut = scanner.take(_LOWER_CUT)
    if lower_cut:
        return _read_from_lower_cut(scanner, schema, lower_cut)
    feature = _read_feature(scanner, schema)
    if scanner.keyword("IS"):
        return _read_missingness(scanner, feature)
    if scanner.keyword("IN") or scanner.sign("∈"):
        return _read_level_set(scanner, feature)
    return _read_comparison(scanner, feature)


def _read_from_lower_cut(scanner: Scanner, schema: Schema, lower_cut: re.Match[str]) -> Interval:
    """Read the rest of `60 <= age < 75` or `60 <= age`, whose lower cut and first operator are read."""
    if lower_cut["operator"] not in ("<=", "≤"):
        message = f"'{lower_cut['operator']}' cannot follow a cut: write 60 <= age < 75, age >= 60 or age < 75"
        raise scanner.fault(message, lower_cut.start("operator"))
    feature = _read_feature(scanner, schema)
    _refuse_categorical(scanner, feature, lower_cut.start())
    behind_feature = scanner.position
    scanner.position = lower_cut.start()  # only the feature says whether the cut is a number or a date
    low = _read_number(scanner, feature)
    scanner.position = behind_feature
    operator = scanner.take(_OPERATOR)
    if not operator:
        return Interval(feature.name, low=low)
    if operator[0] != "<":
        raise _refused_operator(scanner, operator, feature)
    return Interval(feature.name, low=low, high=_read_number(scanner, feature))


def _read_feature(scanner: Scanner, schema: Schema) -> Feature:
    """Read the name of a feature, quoted or bare."""
    scanner.skip_space()
    start = scanner.position
    names = [feature.name for feature in schema.features]
    name = scanner.quoted()
    if name is None:
        name = scanner.longest(names)
    if name is None:
        typed = scanner.take(_UP_TO_OPERATOR)
        if not typed:
            raise scanner.unexpected("the name of a feature")
        name = typed[0]
    if name not in names:
        raise scanner.fault(f"There is no feature '{name}'.{nearest(name, names)}", start)
    return schema.feature(name)


def _read_missingness(scanner: Scanner, feature: Feature) -> Missingness:
    """Read what follows IS."""
    if scanner.keyword("MISSING"):
        return Missingness(feature.name, True)
    if scanner.keyword("KNOWN"):
        return Missingness(feature.name, False)
    raise scanner.unexpected("'missing' or 'known' after 'is'")


def _read_level_set(scanner: Scanner, feature: Feature) -> LevelSet:
    """Read what follows IN."""
    scanner.skip_space()
    if not feature.is_categorical:
        message = f"'{feature.name}' is {feature.kind}: compare it with a cut by '>=' or '<', not with a set of levels"
        raise scanner.fault(message)
    if not scanner.sign("{"):
        raise scanner.unexpected("'{' and the levels, such as {A, B}")
    levels = [_read_level(scanner)]
    while scanner.sign(","):
        levels.append(_read_level(scanner))
    if not scanner.sign("}"):
        raise scanner.unexpected("',' or '}' in the set of levels")
    return LevelSet(feature.name, tuple(levels))


def _read_level(scanner: Scanner) -> str:
    """Read a level inside braces: quoted, or whatever stands before the next comma or brace."""
    quoted = scanner.quoted()
    if quoted is not None:
        return quoted
    bare = scanner.take(_BARE_LEVEL)
    if not bare:
        raise scanner.unexpected("a level")
    return bare[0]


def _read_comparison(scanner: Scanner, feature: Feature) -> Literal:
    """Read an operator and what it compares with."""
    operator = scanner.take(_OPERATOR)
    if not operator:
        wanted = "'in' or 'is'" if feature.is_categorical else "'>=', '<' or 'is'"
        raise scanner.unexpected(f"{wanted} after the feature '{feature.name}'")
    if operator[0] in ("=", "==") and feature.is_categorical:
        return LevelSet(feature.name, (_read_single_level(scanner, feature),))
    if operator[0] not in (">=", "≥", "<"):
        raise _refused_operator(scanner, operator, feature)
    _refuse_categorical(scanner, feature, operator.start())
    value = _read_number(scanner, feature)
    return Interval(feature.name, high=value) if operator[0] == "<" else Interval(feature.name, low=value)


def _read_single_level(scanner: Scanner, feature: Feature) -> str:
    """Read the level that follows an equals sign."""
    level = scanner.quoted()
    if level is None:
        level = scanner.longest(feature.levels)
    if level is None:
        word = scanner.take(WORD)
        if not word:
            raise scanner.unexpected(f"a level of '{feature.name}'")
        level = word[0]
    return level


def _refuse_categorical(scanner: Scanner, feature: Feature, position: int) -> None:
    """Raise where a cut is compared with a categorical feature."""
    if feature.is_categorical:
        raise scanner.fault(
            f"'{feature.name}' is categorical: use a set of levels, {_level_example(feature)}", position
        )


def _refused_operator(scanner: Scanner, operator: re.Match[str], feature: Feature) -> RuleSyntaxError:
    """Return an error that says what to write in place of an operator that is not in the language."""
    sign = operator[0]
    if feature.is_categorical:
        advice = f"'{feature.name}' is categorical: name the levels that it may have, {_level_example(feature)}"
    elif sign in ("=", "==", "!=", "<>", "≠"):
        advice = (
            f"'{feature.name}' is {feature.kind}: use '>=' or '<' with a cut, or an interval such as 60 <= age < 61"
        )
    else:
        advice = "use '>=' (the cut and above) or '<' (below the cut)"
    return scanner.fault(f"'{sign}' is not possible here: {advice}", operator.start())


def _level_example(feature: Feature) -> str:
    """Return an example of a level set on `feature`."""
    level = feature.levels[0] if feature.levels else "A"
    return f"such as {_format_name(feature.name)} in {{{_format_level(level)}}}"


def _read_number(scanner: Scanner, feature: Feature) -> float:
    """Read a cut of `feature`."""
    if feature.kind is Kind.DATE:
        return _read_date(scanner)
    comma = scanner.take(_DECIMAL_COMMA)
    if comma:
        raise scanner.fault(_point_advice(comma), comma.start())
    number = scanner.take(_NUMBER)
    if not number:
        raise scanner.unexpected("a number")
    return _finite(scanner, number[0], number.start())


def _point_advice(comma: re.Match[str]) -> str:
    """Return what to write in place of a number with a comma; three digits after it may also be thousands."""
    whole, part = comma["whole"], comma["part"]
    is_clear = len(part) != 3 or whole.lstrip("+-").startswith("0")
    thousands = "" if is_clear else f", or {whole}{part} for thousands"
    return f"Write {whole}.{part} with a point{thousands}"


def _read_date(scanner: Scanner) -> float:
    """Read an ISO date, or seconds since 1970 such as 1e+300s."""
    found = scanner.take(_DATE)
    if not found:
        raise scanner.unexpected("a date such as 2024-01-05 or 2024-01-05T13:30:00")
    if found["seconds"]:
        return _finite(scanner, found[0][:-1], found.start())
    moment, _, fraction = found[0].upper().removesuffix("Z").partition(".")
    try:
        whole = (datetime.fromisoformat(moment) - _EPOCH) // timedelta(seconds=1)
    except ValueError:
        raise scanner.fault(f"{found[0]} is not a date of the calendar", found.start()) from None
    return float(Decimal(whole) + Decimal(f"0.{fraction or 0}"))


def _finite(scanner: Scanner, digits: str, position: int) -> float:
    """Return the float that `digits` say, which has to be finite."""
    value = _float(digits)
    if not math.isfinite(value):
        raise scanner.fault(f"{digits} is too large: a cut is a finite number", position)
    return value


def _float(digits: str) -> float:
    """Return the float that `digits` say; their minus may be the one of the keyboard or the one of print."""
    return float(digits.replace("\N{MINUS SIGN}", "-"))


def _read_outcome(scanner: Scanner, schema: Schema) -> None:
    """Read what follows THEN: class labels with probabilities."""
    while True:
        _read_label(scanner, schema)
        if not scanner.sign(":"):
            raise scanner.unexpected("':' and a probability after the class")
        number = scanner.take(_NUMBER)
        if not number:
            raise scanner.unexpected("a probability")
        if not 0.0 <= _float(number[0]) <= 1.0:
            raise scanner.fault(f"{number[0]} is not a probability: it lies between 0 and 1", number.start())
        if not scanner.sign(","):
            return


def _read_label(scanner: Scanner, schema: Schema) -> None:
    """Read a class label that the schema knows."""
    scanner.skip_space()
    start = scanner.position
    label = scanner.quoted()
    if label is None:
        bare = scanner.take(_BARE_LABEL)
        if not bare:
            raise scanner.unexpected("a class after THEN or ','")
        label = bare[0]
    if label not in schema.classes:
        raise scanner.fault(f"There is no class '{label}'.{nearest(label, schema.classes)}", start)


def _merge(first: Literal, second: Literal, text: str, position: int) -> Interval:
    """Join a lower and an upper cut of one feature; `position` is where the second literal begins."""
    if isinstance(first, Interval) and isinstance(second, Interval):
        if first.high is None and second.low is None:
            return Interval(first.feature, first.low, second.high)
        if first.low is None and second.high is None:
            return Interval(first.feature, second.low, first.high)
    message = f"There is a literal on '{first.feature}' already: a rule has one a feature, so join the two into one"
    raise RuleSyntaxError(message, text, position)
