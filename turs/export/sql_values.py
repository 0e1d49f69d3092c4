"""The value of a feature as an SQL expression, for SQLite, PostgreSQL and DuckDB alike.

None of the three says in portable SQL which type a column has, so the expressions look at the text of a value first:
`text` below is the value cast to text, without white space around it. Numbers become doubles, dates seconds since 1970
in UTC, categories the text of their level; what is missing becomes NULL.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from turs.data.delimited import MISSING_MARKERS
from turs.export.conversion import CODE, NUMERAL, spelling
from turs.export.quoting import identifier, literal
from turs.rules.schema import Feature, Kind

WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The characters that are taken off the ends of a text, as Python does it."""

_TRUTH_WORDS = {"true": ("true", "yes", "y", "t", "on"), "false": ("false", "no", "n", "f", "off")}
"""Words that some databases turn into booleans while they read a file."""

_STORED_TRUTH = {"true": "1", "false": "0"}
"""How SQLite, which has no booleans, stores them."""

_DAYS_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_DAYS_BEFORE_1970 = 719_162


def value_expression(feature: Feature, text: str, used_levels: Iterable[str]) -> str:
    """Return the value of a feature in the row `t`.

    Parameters
    ----------
    feature : Feature
        The feature.
    text : str
        The expression of the value's text.
    used_levels : iterable of str
        The levels that some rule asks for.
    """
    if feature.kind is Kind.NUMERIC:
        number = f"CAST(t.{identifier(feature.name)} AS DOUBLE PRECISION)"
        return _known(text, MISSING_MARKERS, number)
    return _seconds(text) if feature.kind is Kind.DATE else _level(feature, text, used_levels)


def _known(text: str, markers: Iterable[str], value: str | None = None) -> str:
    """Return a value, its text unless said otherwise, that is NULL where the text marks a missing one."""
    return f"CASE WHEN {text} IN ({', '.join(map(literal, markers))}) THEN NULL ELSE {value or text} END"


def _level(feature: Feature, text: str, used_levels: Iterable[str]) -> str:
    """Return the text of a level; other spellings of a number or truth value become that of the level.

    A text that marks a missing value in a file is missing here too, unless it is a level.
    """
    known = _known(text, [marker for marker in MISSING_MARKERS if not marker or marker not in feature.levels])
    spellings = [spelling(level) for level in feature.levels]
    level_of = {
        other: level
        for level in used_levels
        if spellings.count(spelling(level)) == 1
        for other in sorted(_number_spellings(spelling(level)) | _truth_spellings(level, feature.levels))
    }
    if not level_of:
        return known
    has_point = (
        f"LENGTH({text}) = LENGTH(REPLACE({text}, '.', '')) + 1 AND REPLACE(LOWER({text}), 'e', '') = LOWER({text})"
    )
    plain = f"CASE WHEN {has_point} THEN RTRIM(RTRIM({text}, '0'), '.') ELSE LOWER({text}) END"
    cases = " ".join(f"WHEN {literal(other)} THEN {literal(level)}" for other, level in level_of.items())
    return f"CASE {plain} {cases} ELSE {known} END"


def _truth_spellings(level: str, levels: tuple[str, ...]) -> set[str]:
    """Return how engines print a truth value; a column of two truth words may have become booleans."""
    same = {spelling(level)} & set(_TRUTH_WORDS)
    for value, words in _TRUTH_WORDS.items():
        others = [other for other in levels if other.casefold() in words]
        rest = [other for other in levels if other not in others]
        if others == [level] and len(rest) <= 1 and all(_is_truth_word(other) for other in rest):
            same |= {value, _STORED_TRUTH[value]}
    return same


def _is_truth_word(text: str) -> bool:
    """Say whether a text is one of the words for true and false."""
    return any(text.casefold() in words for words in _TRUTH_WORDS.values())


def _number_spellings(text: str) -> set[str]:
    """Return how engines print a number, in lower case, decimals without zeros at their end."""
    if CODE.fullmatch(text) or not NUMERAL.fullmatch(text):
        return set()
    number = float(text)
    digits, e, power = f"{number:.15g}".partition("e")
    sqlite = f"{digits}{'' if '.' in digits else '.0'}{e}{power}"
    forms = {text, repr(number), f"{Decimal(repr(number)):f}", sqlite}
    same = {_plain(form) for form in forms if float(form) == number}
    return same | ({"-0"} if number == 0 else set())


def _plain(text: str) -> str:
    """Return what the expression of `_level` makes of the text of a number."""
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _seconds(text: str) -> str:
    """Return seconds since 1970 in UTC of ISO text: a date, perhaps a time, perhaps an offset.

    Everything is done with text and whole numbers, because the engines have no function on dates in common. The text is
    parted from within: `clock` is padded to microseconds, `ahead` holds the digits of the offset.
    """
    known = f"SELECT {_known(text, MISSING_MARKERS)} AS iso"
    rest = f"SELECT iso, SUBSTR(iso, 12) AS rest, RTRIM(SUBSTR(iso, 12), '0123456789:') AS head FROM ({known}) AS d1"
    sign = f"SELECT iso, rest, head, SUBSTR(head, LENGTH(head), 1) AS sign FROM ({rest}) AS d2"
    parted = (
        "SELECT iso, sign,"
        " CASE WHEN sign IN ('+', '-', 'Z') THEN SUBSTR(head, 1, LENGTH(head) - 1) ELSE rest END AS clock,"
        " CASE WHEN sign IN ('+', '-') THEN REPLACE(SUBSTR(rest, LENGTH(head) + 1), ':', '') ELSE '' END AS ahead"
        f" FROM ({sign}) AS d3"
    )
    padded = (
        "SELECT iso, sign, clock || SUBSTR('00:00:00.000000', LENGTH(clock) + 1) AS clock, ahead || '000000' AS ahead"
        f" FROM ({parted}) AS d4"
    )
    numbers = (
        f"SELECT {_whole('iso', 1, 4)} - 1 AS years, {_whole('iso', 6, 2)} AS month, {_whole('iso', 9, 2)} AS day,"
        f" {_clock_seconds('clock', colons=1)} AS seconds, {_whole('clock', 10, 6)} AS micros,"
        f" CASE WHEN sign = '-' THEN -1 ELSE 1 END * ({_clock_seconds('ahead', colons=0)}) AS ahead"
        f" FROM ({padded}) AS d5"
    )
    leap_days = " ".join(
        f"{sign} CAST((years - years % {every}) / {every} AS BIGINT)"
        for sign, every in (("+", 4), ("-", 100), ("+", 400))
    )
    is_leap = "(years + 1) % 4 = 0 AND ((years + 1) % 100 <> 0 OR (years + 1) % 400 = 0)"
    months = " ".join(f"WHEN {month} THEN {days}" for month, days in enumerate(_DAYS_BEFORE_MONTH, start=1))
    days = (
        f"years * 365 {leap_days} + CASE month {months} END"
        f" + CASE WHEN month > 2 AND {is_leap} THEN 1 ELSE 0 END + day - {_DAYS_BEFORE_1970 + 1}"
    )
    micros = f"(({days}) * 86400 + seconds - ahead) * 1000000 + micros"
    return f"(SELECT CAST({micros} AS DOUBLE PRECISION) / 1000000 FROM ({numbers}) AS d6)"


def _whole(text: str, start: int, length: int) -> str:
    """Return digits of a text as a whole number."""
    return f"CAST(SUBSTR({text}, {start}, {length}) AS BIGINT)"


def _clock_seconds(text: str, colons: int) -> str:
    """Return the seconds of hours, minutes and seconds, two digits each, with or without colons between them."""
    places = ((1, 3600), (3 + colons, 60), (5 + 2 * colons, 1))
    return " + ".join(f"{_whole(text, start, 2)} * {unit}" for start, unit in places)
