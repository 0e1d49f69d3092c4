"""A model as one SQL statement that runs on SQLite, PostgreSQL and DuckDB and predicts what the engine predicts.

A prediction depends on a row only through the rules that fired, so the statement has two halves: it finds the rules of
every row, and then, once for each combination that occurs, sums the training rows of the stored patterns that share a
rule with it. The combination itself need not be stored, and the statement grows with rules and patterns only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

from turs import __version__
from turs.export.lines import condition_of, one_line, title_of, used_features
from turs.export.quoting import double, identifier, literal
from turs.export.sql_values import WHITE_SPACE, value_expression
from turs.predict import patterns_of
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.model import Model
from turs.rules.rule import RuleSet
from turs.rules.schema import Schema

DEFAULT_TABLE = "data"
"""Name of the table, unless the caller says otherwise."""

_HEAD = """\
-- {title}. Written by TURS Studio {version} for SQLite, PostgreSQL and DuckDB.
-- For each row of the table: predicted class, class probabilities, the rules that fired, and the row's own columns.
-- The statement cannot see which columns the table has. The names that it adds are {names}.
-- A table that has a column of such a name itself gets two of that name, its own one further right, which SQLite and
-- DuckDB may rename; PostgreSQL refuses a second {rules}. (`turs predict` sees the table and numbers the column that it
-- adds, such as "rules (2)".) Rename such a column first, or read the table through a view that does.
-- Numbers are compared as double precision. Dates are columns of dates or timestamps, or ISO text (which SQLite needs);
-- without an offset they are in UTC. Categories are compared as text without the white space around it: 1.0 is the
-- same as 1, TRUE the same as true. Where the only levels are true and false, or yes and no, y and n, t and f, on and
-- off, the column may be one of booleans (1 and 0 in SQLite).
-- NULL, NaN and blank text are missing, and so are the texts NA, N/A, n/a, #N/A, <NA>, NaN, nan, null, NULL, None and ?
-- with or without white space around them, as they are in a text file that `turs predict` reads; one that is a level of
-- a column of categories is that level. In Parquet files and data frames, where missing values need no marker, TURS
-- takes such a text in a column of categories for a level.
-- Texts are standard SQL: a backslash is an ordinary character.
"""

_BODY = """\
WITH
{turs}_blank(characters) AS (VALUES ({white_space})),
{turs}_fired AS (
  SELECT {fired} AS {rules}, t.*
  FROM {table} AS t
),
{turs}_class(class, label, n) AS (VALUES
  {classes}
),
{turs}_member(pattern, rule) AS (VALUES
  {members}
),
{turs}_training(pattern, class, n) AS (VALUES
  {training}
),
{turs}_pattern AS (
  SELECT DISTINCT f.{rules} AS rules FROM {turs}_fired AS f
),
{turs}_rule AS (
  SELECT DISTINCT m.rule FROM {turs}_member AS m
),
{turs}_holds AS (
  SELECT DISTINCT p.rules, r.rule
  FROM {turs}_pattern AS p
  JOIN {turs}_rule AS r ON REPLACE(' ' || p.rules || ' ', ' ' || r.rule || ' ', '') <> ' ' || p.rules || ' '
),
{turs}_met AS (
  SELECT DISTINCT h.rules, m.pattern
  FROM {turs}_holds AS h
  JOIN {turs}_member AS m ON m.rule = h.rule
),
{turs}_union AS (
  SELECT m.rules, n.class, SUM(n.n) AS n
  FROM {turs}_met AS m
  JOIN {turs}_training AS n ON n.pattern = m.pattern
  GROUP BY m.rules, n.class
),
{turs}_total AS (
  SELECT u.rules, SUM(u.n) AS n FROM {turs}_union AS u GROUP BY u.rules
),
{turs}_share AS (
  SELECT p.rules, c.class, c.label,
    CASE
      WHEN s.n > 0 THEN CAST(COALESCE(u.n, 0) AS DOUBLE PRECISION) / CAST(s.n AS DOUBLE PRECISION)
      ELSE CAST(c.n AS DOUBLE PRECISION) / {n_rows}
    END AS p
  FROM {turs}_pattern AS p
  CROSS JOIN {turs}_class AS c
  LEFT JOIN {turs}_total AS s ON s.rules = p.rules
  LEFT JOIN {turs}_union AS u ON u.rules = p.rules AND u.class = c.class
),
{turs}_ordered AS (
  SELECT s.rules, s.class, s.label, s.p, ROW_NUMBER() OVER (PARTITION BY s.rules ORDER BY s.p DESC, s.class) AS place
  FROM {turs}_share AS s
),
{turs}_prediction AS (
  SELECT o.rules,
    MAX(CASE WHEN o.place = 1 THEN o.label END) AS label,
    {pivot}
  FROM {turs}_ordered AS o
  GROUP BY o.rules
)
SELECT
  p.label AS {predicted},
  {probabilities},
  f.*
FROM {turs}_fired AS f
JOIN {turs}_prediction AS p ON p.rules = f.{rules};
"""

_LONGEST_NAME = 63
"""Most bytes of a name in PostgreSQL."""

_LONGEST_CHAIN = 100
"""Most terms joined by one chain of `||`: SQLite limits the depth of an expression to 1,000."""


def sql_of(model: Model, table: str = DEFAULT_TABLE) -> str:
    """Return a statement that gives predicted class, class probabilities and fired rules for each row of a table.

    Parameters
    ----------
    model : Model
        The model.
    table : str
        Name of the table, as the database stores it; it is one name, quoted whatever it contains.

    Raises
    ------
    ModelError
        Where a name, a level or a class has a character that SQL cannot hold.
    """
    schema = model.rule_set.schema
    added = [identifier(name) for name in _output_names(schema)]
    predicted, rules, *shares = added
    numbers = range(1, len(schema.classes) + 1)
    patterns = patterns_of(model)
    ids = [rule.id for rule in model.rule_set.rules]
    named = [[name for name, is_in in zip(ids, line, strict=True) if is_in] for line in patterns.members]
    totals = patterns.counts.sum(axis=0).tolist()
    training = [
        (p, c, n)
        for p, counts in enumerate(patterns.counts.tolist())
        for c, n in zip(numbers, counts, strict=True)
        if n
    ]
    body = _BODY.format(
        turs=_prefix(table),
        white_space=literal(WHITE_SPACE),
        fired=_fired(model.rule_set, _prefix(table)),
        rules=rules,
        table=identifier(table),
        classes=_values((c, literal(x), n) for c, x, n in zip(numbers, schema.classes, totals, strict=True)),
        members=_values((p, literal(name)) for p, names in enumerate(named) for name in names or [""]),
        training=_values(training or [(0, 1, 0)]),
        n_rows=max(sum(totals), 1),
        pivot=",\n    ".join(f"MAX(CASE WHEN o.class = {c} THEN o.p END) AS p{c}" for c in numbers),
        predicted=predicted,
        probabilities=",\n  ".join(f"p.p{c} AS {name}" for c, name in zip(numbers, shares, strict=True)),
    )
    names = one_line(", ".join(added))
    return _HEAD.format(title=title_of(model), version=__version__, names=names, rules=one_line(rules)) + body


def _prefix(table: str) -> str:
    """Return how names of intermediate results begin, so that none is that of the table."""
    prefix = "turs"
    while table.casefold().startswith(f"{prefix}_"):
        prefix += "_"
    return prefix


def _output_names(schema: Schema) -> list[str]:
    """Return the names of the columns for the class, the rules and the probabilities, none of them in the model.

    They differ in more than case, and are as short as PostgreSQL needs them.
    """
    taken = {schema.target.casefold(), *(feature.name.casefold() for feature in schema.features)}
    names = []
    for wanted in ("predicted", "rules", *(f"p({label})" for label in schema.classes)):
        for number in count(1):
            end = "" if number == 1 else f" ({number})"
            name = wanted.encode(errors="replace")[: _LONGEST_NAME - len(end)].decode(errors="ignore") + end
            if name.casefold() not in taken:
                break
        taken.add(name.casefold())
        names.append(name)
    return names


def _values(rows: Iterable[Sequence[object]]) -> str:
    """Return the rows of a VALUES list, a line each."""
    return ",\n  ".join(f"({', '.join(map(str, row))})" for row in rows)


def _fired(rule_set: RuleSet, prefix: str) -> str:
    """Return the expression that gives the ids of the rules that cover the row `t`, separated by spaces."""
    if not rule_set.rules:
        return "''"
    features = used_features(rule_set)
    variables = {feature.name: f"x{number}" for number, feature in enumerate(features, start=1)}
    asked = {feature.name: _used_levels(rule_set, feature.name) for feature in features}
    texts = ",\n          ".join(
        f"TRIM(CAST(t.{identifier(name)} AS VARCHAR), b.characters) AS {variable}"
        for name, variable in variables.items()
    )
    values = ",\n        ".join(
        f"{value_expression(feature, f'w.{variables[feature.name]}', asked[feature.name])} AS {variables[feature.name]}"
        for feature in features
    )
    return f"""(
    SELECT TRIM(
      {_chain(_cases(rule_set, variables))}
    )
    FROM (
      SELECT
        {values}
      FROM (
        SELECT
          {texts}
        FROM {prefix}_blank AS b
      ) AS w
    ) AS v
  )"""


def _used_levels(rule_set: RuleSet, name: str) -> list[str]:
    """Return the levels of a feature that some rule asks for."""
    sets = (one for rule in rule_set.rules for one in rule.literals if isinstance(one, LevelSet))
    used = {level for one in sets if one.feature == name for level in one.levels}
    return [level for level in rule_set.schema.feature(name).levels if level in used]


def _cases(rule_set: RuleSet, variables: dict[str, str]) -> list[str]:
    """Return for each rule the expression that gives its id where it covers the row, otherwise nothing."""
    cases = []
    for rule in rule_set.rules:
        tests = " AND ".join(_test(one, f"v.{variables[one.feature]}") for one in rule.literals)
        comment = f"-- {rule.id}: IF {condition_of(rule.literals, rule_set)}"
        cases.append(f"{comment}\n      CASE WHEN {tests} THEN {literal(f' {rule.id}')} ELSE '' END")
    return cases


def _chain(terms: list[str]) -> str:
    """Return texts joined; long chains are made of shorter ones."""
    if len(terms) > _LONGEST_CHAIN:
        starts = range(0, len(terms), _LONGEST_CHAIN)
        terms = [f"(\n      {_chain(terms[start : start + _LONGEST_CHAIN])}\n      )" for start in starts]
    return "\n      ||\n      ".join(terms)


def _test(condition: Literal, value: str) -> str:
    """Return a literal as a condition on the value of its feature."""
    if isinstance(condition, Interval):
        low = [] if condition.low is None else [f"{value} >= {double(condition.low)}"]
        high = [] if condition.high is None else [f"{value} < {double(condition.high)}"]
        return " AND ".join(low + high)
    if isinstance(condition, LevelSet):
        return f"{value} IN ({', '.join(map(literal, condition.levels))})"
    return f"{value} IS {'NULL' if condition.missing else 'NOT NULL'}"
