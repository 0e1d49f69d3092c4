"""Random tables as people have them, sessions on them, and random edits, some of which cannot be made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from tests.strategies import random_literal
from turs.data.dataset import DataSet, labelled_data, learning_data
from turs.editing import (
    AcceptRules,
    AddLiteral,
    AddRule,
    AttachNote,
    ChangeLevels,
    DeleteRule,
    DuplicateRule,
    Edit,
    LockRule,
    MergeRules,
    MoveCut,
    RemoveLiteral,
    ReorderLiterals,
    ReplaceCondition,
    ReplaceLiteral,
    Session,
    SplitRule,
    State,
    UnlockRule,
    Version,
    rows_of,
)
from turs.evaluate.evaluation import Evaluation, evaluate
from turs.rules.literal import Interval, LevelSet, Literal
from turs.rules.rule import Rule, RuleSet
from turs.rules.schema import Feature


def random_frame(rng: np.random.Generator, n_rows: int, n_classes: int) -> pd.DataFrame:
    """Return a table with numbers, dates, levels and missing values, and classes that depend on some of them."""
    age = rng.integers(18, 95, n_rows).astype(np.float64)
    dose = np.round(rng.gamma(2.0, 1.5, n_rows), 2)
    ward = np.array(["A", "B 2", "ü", 'say "hi"'], dtype=object)[rng.integers(4, size=n_rows)]
    strength = (age > 60) * 1.5 + (ward == "ü") + rng.normal(0, 1, n_rows)
    edges = np.quantile(strength, np.arange(1, n_classes) / n_classes)
    labels = np.searchsorted(edges, strength)
    labels[: 2 * n_classes] = np.arange(2 * n_classes) % n_classes  # every class is there
    age[rng.random(n_rows) < 0.15] = np.nan
    ward[rng.random(n_rows) < 0.1] = None
    days = rng.integers(0, 300, n_rows).astype("timedelta64[D]")
    return pd.DataFrame(
        {
            "age": age,
            "dose (mg)": dose,
            "ward": ward,
            "smoker": rng.random(n_rows) < 0.3,
            "admitted": np.datetime64("2024-01-01", "s") + days,
            "y": np.array([f"class {c}" for c in range(n_classes)])[labels],
        }
    )


@dataclass(eq=False)
class Case:
    """A session with the raw tables behind it."""

    training: pd.DataFrame
    validation: pd.DataFrame | None
    data: DataSet
    session: Session

    def from_scratch(self, version: Version) -> Evaluation:
        """Return all numbers of a version, from the raw tables."""
        rule_set = version.rule_set
        training = labelled_data(self.training, rule_set.schema)
        validation = None if self.validation is None else labelled_data(self.validation, rule_set.schema)
        return evaluate(rule_set, training, validation)


def random_case(
    seed: int, n_rows: int = 70, n_classes: int = 2, n_rules: int = 3, with_validation: bool = True
) -> Case:
    """Return a session on a random table with random rules."""
    rng = np.random.default_rng(seed)
    training = random_frame(rng, n_rows, n_classes)
    data = learning_data(training, "y", kinds={"admitted": "date"}, n_cuts=6)
    rules = tuple(Rule(f"r{k + 1}", random_literals(rng, data)) for k in range(n_rules))
    rule_set = RuleSet(data.schema, rules)
    validation = random_frame(rng, max(n_rows // 2, 2 * n_classes), n_classes) if with_validation else None
    other = None if validation is None else rows_of(labelled_data(validation, data.schema), validation)
    return Case(training, validation, data, Session(rule_set, rows_of(data, training), other))


def random_literals(rng: np.random.Generator, data: DataSet) -> tuple[Literal, ...]:
    """Return up to three literals on different features."""
    chosen = rng.permutation(len(data.schema.features))[: rng.integers(1, 4)]
    return tuple(random_literal(rng, data.schema.features[f]) for f in chosen)


def random_cut(rng: np.random.Generator, feature: Feature) -> float:
    """Return a cut on the grid, off the grid, or outside of the data."""
    if rng.random() < 0.5 and feature.cuts:
        return float(rng.choice(feature.cuts))
    low, high = (feature.cuts[0], feature.cuts[-1]) if feature.cuts else (0.0, 1.0)
    return float(np.round(rng.uniform(low - 0.3 * (high - low), high + 0.3 * (high - low)), 1))


def random_edit(rng: np.random.Generator, version: Version) -> Edit:
    """Return an edit of any kind; now and then one that cannot be made."""
    schema = version.rule_set.schema
    feature = schema.features[rng.integers(len(schema.features))]
    literal = _off_grid(rng, random_literal(rng, feature), feature)
    ids = [*version.ids, "r99"] if rng.random() < 0.05 or not version.ids else list(version.ids)
    rule_id, other = rng.choice(ids), rng.choice(ids)
    rule = next((rule for rule in version.rules if rule.id == rule_id), Rule(rule_id, (literal,)))
    own = rule.literals[rng.integers(len(rule.literals))]
    names = tuple(part.feature for part in rule.literals)
    edits: list[Edit] = [
        AddLiteral(rule_id, literal),
        RemoveLiteral(rule_id, own.feature),
        ReplaceLiteral(rule_id, own.feature, literal),
        ReorderLiterals(rule_id, tuple(rng.permutation(names).tolist())),
        ReplaceCondition(rule_id, (literal,)),
        AddRule((literal,)),
        AddRule((own, literal)),
        DuplicateRule(rule_id),
        SplitRule(rule_id, feature.name, random_cut(rng, feature)),
        MergeRules(rule_id, other),
        AttachNote(rule_id, "why"),
        LockRule(rule_id),
        UnlockRule(rule_id),
        UnlockRule(rule_id),
    ]
    edits += [DeleteRule(rule_id)] * (1 + 2 * (len(version.rules) > 4))
    if isinstance(own, Interval):
        cut = random_cut(rng, schema.feature(own.feature))
        edits += [MoveCut(rule_id, own.feature, **{"high" if own.low is None else "low": cut})] * 4
    if isinstance(own, LevelSet):
        levels = schema.feature(own.feature).levels
        edits += [ChangeLevels(rule_id, own.feature, tuple(level for level in levels if rng.random() < 0.5))] * 3
    if rng.random() < 0.1:
        edits += [_relearned(rng, version)] * 5
    return edits[rng.integers(len(edits))]


def _relearned(rng: np.random.Generator, version: Version) -> AcceptRules:
    """Return rules of which some stay, some have other literals and some are new, often more than eight."""
    schema, rules = version.rule_set.schema, []
    new = [f"r{version.last_id + k}" for k in range(1, int(rng.integers(2, 13)))]
    for rule_id in (*reversed(version.ids), *new):
        if rule_id in version.ids and rng.random() < 0.5:
            rules.append(version.rule(rule_id))
        elif rule_id in new or rng.random() < 0.4:
            feature = schema.features[rng.integers(len(schema.features))]
            rules.append(Rule(rule_id, (_off_grid(rng, random_literal(rng, feature), feature),)))
    return AcceptRules(tuple(rules))


def _off_grid(rng: np.random.Generator, literal: Literal, feature: Feature) -> Literal:
    """Return the literal, or where it is an interval, now and then one with typed cuts."""
    if not isinstance(literal, Interval) or rng.random() < 0.5:
        return literal
    if literal.low is not None and literal.high is not None:
        low, high = sorted((random_cut(rng, feature), random_cut(rng, feature)))
        return Interval(feature.name, low, high)
    cut = random_cut(rng, feature)
    return Interval(feature.name, high=cut) if literal.low is None else Interval(feature.name, low=cut)


def assert_same(state: State, scratch: Evaluation) -> None:
    """Check that a state has, to the last digit, the numbers of a fresh start."""
    ours = state.evaluation
    assert ours.rule_set == scratch.rule_set
    assert ours.model_bits == scratch.model_bits
    for mine, fresh in ((ours.training, scratch.training), (ours.evaluation, scratch.evaluation)):
        if mine is None or fresh is None:
            assert mine is fresh
            continue
        np.testing.assert_array_equal(mine.rows.members, fresh.rows.members)
        np.testing.assert_array_equal(mine.rows.counts, fresh.rows.counts)
    assert ours.score == scratch.score
    assert repr(ours.headline) == repr(scratch.headline)  # as text, because an AUC may be NaN on both sides
