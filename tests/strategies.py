"""Hypothesis strategies for schemas, rule sets and models, with the names that spreadsheets hold; random tables."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from turs.data.dataset import DataSet
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
    counts = st.lists(
        st.integers(0, 2**50),  # all together are counted in 63 bits
        min_size=n_classes,
        max_size=n_classes,
    ).map(tuple)
    patterns = tuple(Pattern(tuple(i for i in ids if i in members), draw(counts)) for members in chosen)
    return Model(rule_set, patterns, draw(st.dictionaries(texts, plain_values, max_size=3)))


plain_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), finite_floats, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
"""Plain JSON values."""


FEATURE_SHAPES = (
    (Kind.NUMERIC, 0),
    (Kind.NUMERIC, 1),
    (Kind.NUMERIC, 2),
    (Kind.NUMERIC, 4),
    (Kind.DATE, 11),
    (Kind.CATEGORICAL, 1),
    (Kind.CATEGORICAL, 2),
    (Kind.CATEGORICAL, 3),
    (Kind.CATEGORICAL, 8),
)
"""Kinds of features of a random table, with their number of cuts or levels."""


def random_feature(rng: np.random.Generator, name: str) -> Feature:
    """Return a feature of any shape; one with a single bin is of use only because it has missing values."""
    kind, size = FEATURE_SHAPES[rng.integers(len(FEATURE_SHAPES))]
    single_bin = size == (kind is Kind.CATEGORICAL)
    has_missing = single_bin or bool(rng.random() < 0.4)
    if kind is Kind.CATEGORICAL:
        return Feature(name, kind, levels=tuple(f"{name}-{v}" for v in range(size)), has_missing=has_missing)
    cuts = np.cumsum(rng.integers(1, 9, size)).astype(np.float64)
    return Feature(name, kind, cuts=tuple(cuts.tolist()), has_missing=has_missing)


def random_column(rng: np.random.Generator, feature: Feature, n_rows: int) -> NDArray[np.uint8]:
    """Return bins of a feature: some never occur, levels may be unknown, and values missing if the schema says so."""
    weights = rng.random(feature.n_bins) * (rng.random(feature.n_bins) < 0.8)
    weights[rng.integers(feature.n_bins)] += 0.3
    bins = rng.choice(feature.n_bins, size=n_rows, p=weights / weights.sum())
    if feature.is_categorical and rng.random() < 0.3:
        bins[rng.random(n_rows) < 0.15] = feature.other_bin
    if feature.has_missing:
        bins[rng.random(n_rows) < 0.25] = feature.missing_bin
    return bins.astype(np.uint8)


def random_data(
    rng: np.random.Generator, n_rows: int, n_classes: int, features: tuple[Feature, ...], n_causes: int = 2
) -> DataSet:
    """Return rows whose classes depend on some of the features, so that there are rules to be found."""
    bins = np.array([random_column(rng, feature, n_rows) for feature in features]).reshape(len(features), n_rows)
    strength = sum(rng.normal(0, 1.5, (256, n_classes))[bins[f]] for f in rng.integers(len(features), size=n_causes))
    labels = (strength + rng.gumbel(size=(n_rows, n_classes))).argmax(axis=1).astype(np.int16)
    schema = Schema("y", tuple(f"class {c}" for c in range(n_classes)), features)
    return DataSet(schema, bins, labels, (), np.arange(n_rows))


def random_literal(rng: np.random.Generator, feature: Feature) -> Literal:
    """Return a literal that the learner could have found on a feature."""
    if feature.has_missing and (feature.n_bins == 1 or rng.random() < 0.3):
        return Missingness(feature.name, bool(rng.random() < 0.5))
    if feature.is_categorical:
        size = int(rng.integers(1, max(2, feature.n_bins)))
        return LevelSet(feature.name, tuple(feature.levels[v] for v in sorted(rng.permutation(feature.n_bins)[:size])))
    cuts = sorted(rng.choice(feature.cuts, size=min(2, len(feature.cuts)), replace=False).tolist())
    low, high = (None, *cuts)[rng.integers(2)], cuts[-1]
    return Interval(feature.name, low, high) if low != high and rng.random() < 0.7 else Interval(feature.name, low=high)


def random_rule(rng: np.random.Generator, schema: Schema, rule_id: str, most_literals: int = 3) -> Rule:
    """Return a rule with up to three literals in any order of features."""
    size = min(int(rng.integers(1, most_literals + 1)), len(schema.features))
    chosen = rng.permutation(len(schema.features))[:size]
    return Rule(rule_id, tuple(random_literal(rng, schema.features[f]) for f in chosen))


def random_rules(rng: np.random.Generator, schema: Schema, n_rules: int) -> tuple[Rule, ...]:
    """Return rules of which some overlap and that leave rows to the else rule more often than not."""
    return tuple(random_rule(rng, schema, f"r{k + 1}", most_literals=2 + k % 2) for k in range(n_rules))


def random_table(
    seed: int, n_rows: int = 80, n_classes: int = 2, n_features: int = 4, n_rules: int = 3
) -> tuple[DataSet, RuleSet]:
    """Return a random data set and a rule set on it."""
    rng = np.random.default_rng(seed)
    data = random_data(rng, n_rows, n_classes, tuple(random_feature(rng, f"x{f + 1}") for f in range(n_features)))
    return data, RuleSet(data.schema, random_rules(rng, data.schema, n_rules))


seeds = st.integers(0, 2**32 - 1)
"""Seeds of random tables."""


def tables(max_rows: int = 60, max_rules: int = 4) -> st.SearchStrategy[tuple[DataSet, RuleSet]]:
    """Draw a data set and a rule set on it, from the empty one to overlapping rules."""
    return st.builds(
        random_table,
        seeds,
        n_rows=st.integers(1, max_rows),
        n_classes=st.integers(2, 5),
        n_features=st.integers(1, 5),
        n_rules=st.integers(0, max_rules),
    )
