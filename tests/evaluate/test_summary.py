"""A summary agrees with the score from scratch, with predictions row by row, and with plain counting."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from turs.data.dataset import DataSet, labelled_data, learning_data
from turs.evaluate.summary import summarise
from turs.mdl.score import patterns_on, score
from turs.predict import model_of, predict
from turs.rules import RuleSet, parse_rule


def make_frame(n_classes: int, n: int = 300, seed: int = 0) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": generator.normal(50, 15, n),
            "ward": generator.choice(["a", "b", "c"], n),
            "bp": np.where(generator.random(n) < 0.1, np.nan, generator.normal(80, 10, n)),
        }
    )
    frame["class"] = (frame["age"] > 55).astype(int) + (n_classes > 2) * (frame["ward"] == "b")
    noise = generator.random(n) < 0.1
    frame.loc[noise, "class"] = generator.integers(0, n_classes, int(noise.sum()))
    return frame


def make_rule_set(data: DataSet) -> RuleSet:
    rule_set = RuleSet(data.schema)
    texts = ("age >= 55", "ward in {b} AND bp is known", "age < 40 AND ward in {a, c}", "bp is missing")
    for number, text in enumerate(texts, start=1):
        rule_set = rule_set.with_rule(parse_rule(text, rule_set.schema, f"r{number}"))
    return rule_set


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"])
def case(request: pytest.FixtureRequest) -> tuple[RuleSet, DataSet, DataSet]:
    frame = make_frame(request.param)
    schema = make_rule_set(learning_data(frame, "class")).schema
    training = labelled_data(frame, schema)
    other = labelled_data(make_frame(request.param, n=120, seed=1), schema)
    return make_rule_set(training), training, other


def test_bits_and_bits_saved_are_those_of_the_score_from_scratch(case: tuple[RuleSet, DataSet, DataSet]) -> None:
    rule_set, data, _ = case
    summary, whole = summarise(rule_set, data), score(rule_set, data)
    assert summary.total_bits == whole.total_bits
    assert (summary.nll_bits, summary.regret_bits, summary.model_bits) == (
        whole.nll_bits,
        whole.regret_bits,
        whole.model_bits,
    )
    for rule in summary.rules:
        without = score(rule_set.without_rule(rule.id), data).total_bits
        assert rule.bits_saved == without - whole.total_bits


def test_one_rule_saves_what_the_else_rule_alone_would_cost_more(case: tuple[RuleSet, DataSet, DataSet]) -> None:
    rule_set, data, _ = case
    alone = RuleSet(rule_set.schema, rule_set.rules[:1])
    summary = summarise(alone, data)
    assert summary.rules[0].bits_saved == score(RuleSet(rule_set.schema), data).total_bits - summary.total_bits


def test_auc_ranks_the_rows_by_the_models_probabilities(case: tuple[RuleSet, DataSet, DataSet]) -> None:
    rule_set, training, other = case
    model = model_of(rule_set, patterns_on(rule_set, training))
    for data in (training, other):
        probabilities = predict(model, data.bins).by_row()
        scores = probabilities[:, 1] if probabilities.shape[1] == 2 else probabilities
        expected = roc_auc_score(data.labels, scores, multi_class="ovr")
        assert summarise(model, data).auc == pytest.approx(expected, abs=1e-12)


def test_a_model_on_its_training_rows_is_its_rule_set(case: tuple[RuleSet, DataSet, DataSet]) -> None:
    rule_set, training, _ = case
    assert summarise(model_of(rule_set, patterns_on(rule_set, training)), training) == summarise(rule_set, training)


def test_shares_are_counted_over_rows(case: tuple[RuleSet, DataSet, DataSet]) -> None:
    rule_set, training, other = case
    model = model_of(rule_set, patterns_on(rule_set, training))
    prediction = predict(model, other.bins)
    n_rules = prediction.members.sum(axis=1)[prediction.pattern]
    summary = summarise(model, other)
    assert summary.coverage == np.mean(n_rules > 0)
    assert summary.overlap_share == np.mean(n_rules > 1)
    assert summary.n_rows == len(n_rules)
    assert sum(summary.else_counts) == int((n_rules == 0).sum())
    assert summary.n_rules == 4
    assert summary.n_literals == 6


def test_probabilities_are_the_models_and_counts_those_of_the_rows(case: tuple[RuleSet, DataSet, DataSet]) -> None:
    rule_set, training, other = case
    model = model_of(rule_set, patterns_on(rule_set, training))
    rules = zip(
        summarise(model, other).rules, score(rule_set, other).rules, score(rule_set, training).rules, strict=True
    )
    for rule, here, there in rules:
        assert rule.counts == here.counts
        assert rule.coverage == here.coverage
        assert rule.probabilities == pytest.approx(there.probabilities)


def test_json_object_survives_json_and_has_null_for_an_auc_that_does_not_exist(
    case: tuple[RuleSet, DataSet, DataSet],
) -> None:
    rule_set, data, _ = case
    document = json.loads(json.dumps(summarise(rule_set, data).to_json_object(), allow_nan=False))
    assert document["rules"][1]["text"].startswith("IF ward in {b} AND bp is known THEN ")
    rows = np.flatnonzero(data.labels == 1)
    one_class = DataSet(data.schema, data.bins[:, rows].copy(), data.labels[rows].copy(), (), rows)
    summary = summarise(rule_set, one_class)
    assert summary.to_json_object()["auc"] is None or len(data.schema.classes) > 2


def test_no_rules(case: tuple[RuleSet, DataSet, DataSet]) -> None:
    rule_set, data, _ = case
    summary = summarise(RuleSet(rule_set.schema), data)
    assert summary.rules == ()
    assert summary.coverage == summary.overlap_share == 0
    assert summary.auc == summary.random_pick_auc == 0.5
