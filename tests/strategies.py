"""Hypothesis strategies for schemas, rule sets and models, with the names that spreadsheets hold."""

from __future__ import annotations

from hypothesis import strategies as st

from turs.rules import Feature, Interval, Kind, LevelSet, Literal, Missingness, Model, Pattern, Rule, RuleSet, Schema

AWKWARD_TEXTS = (
    "",
    " ",
    "age",
    "age ",
    "age is",
    "age in",
    "age is missing",
    "age >= 60 AND bp",
    "bp",
    "length of stay",
    "days in hospital",
    "days",
    "IF",
    "and",
    "Then x",
    "is",
    "KNOWN",
    "\u0131s",
    "60",
    "-3",
    "1e5",
    "60 <= age",
    "2024-01-05",
    "2024-01-05 <= x",
    "r2: x",
    "r2",
    "a.b-c",
    "a-",
    ".",
    'say "hi"',
    "back\\slash",
    "\\u0041",
    "}",
    "{a, b}",
    ", ",
    ":",
    "line\nbreak\ttab\r\x00\x85\u2028",
    "\u00a0",
    "größe",
    "Größe (cm)",
    "cafe\u0301",
    "年齢",
    "👩\u200d👩\u200d👧",
    "∧",
    "x ∈ y",
)
"""Texts that a printer or a parser could stumble over."""

texts = st.one_of(st.sampled_from(AWKWARD_TEXTS), st.text(max_size=8))
"""Names, levels and class labels of any kind."""

finite_floats = st.floats(allow_nan=False, allow_infinity=False)
numeric_cuts = st.one_of(st.integers(-1000, 1000).map(float), finite_floats)
date_cuts = st.one_of(
    st.integers(-300_000, 300_000).map(lambda days: days * 86_400.0),
    st.floats(-1e11, 1e11),
    st.floats(0.0, 2e9).map(lambda seconds: round(seconds, 3)),
    finite_floats,
)


@st.composite
def features(draw: st.DrawFn, name: str) -> Feature:
    """Draw a feature of any kind that is called `name`."""
    kind = draw(st.sampled_from(Kind))
    has_missing = draw(st.booleans())
    if kind is Kind.CATEGORICAL:
        levels = draw(st.lists(texts, unique=True, max_size=5))
        return Feature(name, kind, levels=tuple(levels), has_missing=has_missing)
    cuts = draw(st.lists(date_cuts if kind is Kind.DATE else numeric_cuts, unique=True, max_size=5))
    return Feature(name, kind, cuts=tuple(sorted(cuts)), has_missing=has_missing)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Draw a schema with one to five features and up to four classes."""
    names = draw(st.lists(texts, unique=True, min_size=1, max_size=5))
    classes = draw(st.lists(texts, unique=True, min_size=1, max_size=4))
    return Schema(draw(texts), tuple(classes), tuple(draw(features(name)) for name in names))


@st.composite
def literals(draw: st.DrawFn, feature: Feature) -> Literal:
    """Draw a literal on `feature` that uses its cuts or levels."""
    values = feature.levels if feature.is_categorical else feature.cuts
    if not values or draw(st.integers(0, 4)) == 0:
        return Missingness(feature.name, draw(st.booleans()))
    if feature.is_categorical:
        chosen = draw(st.sets(st.sampled_from(feature.levels), min_size=1))
        return LevelSet(feature.name, tuple(level for level in feature.levels if level in chosen))
    cuts = sorted(draw(st.sets(st.sampled_from(feature.cuts), min_size=1, max_size=2)))
    if len(cuts) == 2:
        return Interval(feature.name, *cuts)
    return draw(st.sampled_from((Interval(feature.name, low=cuts[0]), Interval(feature.name, high=cuts[0]))))


@st.composite
def rules(draw: st.DrawFn, schema: Schema, rule_id: str = "r1") -> Rule:
    """Draw a rule on `schema`, its literals in any order."""
    chosen = draw(st.lists(st.sampled_from(schema.features), unique=True, min_size=1))
    return Rule(rule_id, tuple(draw(literals(feature)) for feature in chosen))


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Draw a rule set of up to four rules whose ids have gaps and no order."""
    schema = draw(schemas())
    numbers = draw(st.lists(st.integers(1, 20), unique=True, max_size=4))
    return RuleSet(schema, tuple(draw(rules(schema, f"r{number}")) for number in numbers))


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Draw a model: a rule set, some of its patterns with counts, and plain information beside it."""
    rule_set = draw(rule_sets())
    ids = [rule.id for rule in rule_set.rules]
    members = st.sets(st.sampled_from(ids)) if ids else st.just(set())
    chosen = draw(st.lists(members.map(frozenset), unique=True, max_size=6))
    n_classes = len(rule_set.schema.classes)
    counts = st.lists(st.integers(0, 2**63 - 1), min_size=n_classes, max_size=n_classes).map(tuple)
    patterns = tuple(Pattern(tuple(i for i in ids if i in members), draw(counts)) for members in chosen)
    return Model(rule_set, patterns, draw(st.dictionaries(texts, plain_values, max_size=3)))


plain_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), finite_floats, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
"""Plain JSON values."""
