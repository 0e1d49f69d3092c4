"""Models and rows to export and predict for: awkward names, values on and beside every cut, nulls, other spellings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pandas as pd
from hypothesis import strategies as st

from tests import strategies
from turs.data.dataset import unlabelled_bins
from turs.data.delimited import MISSING_MARKERS
from turs.predict import predict
from turs.rules import Feature, Kind, Model, Pattern, RuleSet, Schema

NASTY_TEXTS = (
    "'; DROP TABLE x; --",
    '"',
    "=cmd|' /C calc'!A0",
    "*/ -- /*",
    "a\n-- b",
    "%s %% :x ?",
    "{turs} {0}",
    "\\'; --",
    "'''\"\"\"",
    "\\",
    "`x` | <b>&amp;",
    "1",
    "1.0",
    "true",
    "False",
    "007",
    "1e+20",
    "NA",
    "predicted",
    "rules",
    "p(1)",
)
"""Texts that would do harm in code, SQL, a comment or a spreadsheet, or are values in disguise."""

texts = st.one_of(st.sampled_from(NASTY_TEXTS), strategies.texts).map(str.strip).filter(lambda t: t and "\x00" not in t)
"""Names and levels that a table can hold: no blank ends, which the reader of a table takes off."""


@dataclass(frozen=True)
class Case:
    """A model and rows under its schema, one value a feature."""

    model: Model
    rows: list[list[object]]

    @property
    def features(self) -> tuple[Feature, ...]:
        return self.model.rule_set.schema.features


def expected(model: Model, frame: pd.DataFrame) -> list[tuple[list[float], str]]:
    """Return for each row what the engine says: class probabilities and the rules that fired."""
    schema = model.rule_set.schema
    used = {literal.feature for rule in model.rule_set.rules for literal in rule.literals}
    prediction = predict(model, unlabelled_bins(frame, schema, used))
    fired = prediction.fired(tuple(rule.id for rule in model.rule_set.rules))
    return list(zip(prediction.by_row().tolist(), fired, strict=True))


def expected_of(case: Case) -> list[tuple[list[float], str]]:
    """Return what the engine says of a case; columns hold Python values, missing where a text file marks them so."""
    columns = {
        feature.name: pd.Series([as_read(row[index], feature) for row in case.rows], dtype=object)
        for index, feature in enumerate(case.features)
    }
    return expected(case.model, pd.DataFrame(columns))


def as_read(value: object, feature: Feature) -> object:
    """Return a value as it comes out of a text file: a marker that is no level of a column of categories is missing."""
    is_marker = isinstance(value, str) and value.strip() in MISSING_MARKERS and value.strip() not in feature.levels
    return None if is_marker and feature.is_categorical else value


def predicted_class(probabilities: list[float], classes: tuple[str, ...]) -> str:
    """Return the first class of those with the highest probability."""
    return classes[probabilities.index(max(probabilities))]


def _numbers(feature: Feature) -> st.SearchStrategy[object]:
    near = [
        side for cut in feature.cuts for side in (cut, math.nextafter(cut, -math.inf), math.nextafter(cut, math.inf))
    ]
    finite = [value for value in near if math.isfinite(value)]
    known = st.one_of(st.sampled_from(finite), strategies.finite_floats) if finite else strategies.finite_floats
    return st.one_of(st.none(), known)


def _moments(feature: Feature) -> st.SearchStrategy[object]:
    first, last = datetime(1, 1, 2), datetime(9999, 12, 30)
    near = []
    for cut in feature.cuts:
        if first.replace(tzinfo=UTC).timestamp() < cut < last.replace(tzinfo=UTC).timestamp():
            moment = datetime(1970, 1, 1) + timedelta(seconds=cut)
            near += [moment + timedelta(microseconds=shift) for shift in (-1, 0, 1)]
    known = st.datetimes(first, last)
    return st.one_of(st.none(), st.sampled_from(near), known) if near else st.one_of(st.none(), known)


def _levels(feature: Feature) -> st.SearchStrategy[object]:
    spellings = ["1", "1.0", "1.00", "true", "TRUE", "False", "007", "7", "1e+20", "v1.0"]
    known = [*feature.levels, *(f" {level}\t" for level in feature.levels)] or ["x"]
    markers = [*MISSING_MARKERS, *(f"\u3000{marker} " for marker in MISSING_MARKERS), "none", "Null", "??"]
    drawn = st.one_of(st.none(), *map(st.sampled_from, (known, markers, spellings)), texts)
    if {level.casefold() for level in feature.levels} <= {
        "true",
        "false",
        "t",
        "f",
        "y",
        "n",
        "yes",
        "no",
        "on",
        "off",
    }:
        # In SQL 1 may stand for true in such a column, because SQLite has no booleans: the engine knows no such level.
        return drawn.filter(lambda value: value is None or value in known or value in markers)
    return drawn


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a model of up to four rules with some patterns, and rows."""
    by_case = {"unique_by": lambda name: name.casefold(), "min_size": 1}  # databases do not tell a from A
    names = draw(st.lists(texts, max_size=4, **by_case))
    features = []
    for name in names:
        feature = draw(strategies.features(name))
        if feature.is_categorical:
            levels = tuple(draw(st.lists(texts, unique=True, min_size=1, max_size=5)))
            feature = Feature(name, Kind.CATEGORICAL, levels=levels, has_missing=feature.has_missing)
        features.append(feature)
    classes = tuple(draw(st.lists(texts, max_size=3, **by_case)))
    schema = Schema(draw(texts), classes, tuple(features))
    ids = draw(st.lists(st.sampled_from(["r1", "r2", "r11", "x.y-z", "größe", "r_"]), unique=True, max_size=5))
    rule_set = RuleSet(schema, tuple(draw(strategies.rules(schema, rule_id)) for rule_id in ids))
    members = st.sets(st.sampled_from(ids)) if ids else st.just(set())
    chosen = draw(st.lists(members.map(frozenset), unique=True, max_size=6))
    counts = st.tuples(*[st.integers(0, 30)] * len(classes))
    patterns = tuple(Pattern(tuple(i for i in ids if i in line), draw(counts)) for line in chosen)
    value_of = {Kind.NUMERIC: _numbers, Kind.DATE: _moments, Kind.CATEGORICAL: _levels}
    row = st.tuples(*[value_of[feature.kind](feature) for feature in features]).map(list)
    return Case(Model(rule_set, patterns), draw(st.lists(row, min_size=1, max_size=8)))
