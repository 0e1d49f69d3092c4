"""The score of a rule set against the formulas on rows, its parts, and what must not change it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from tests import naive
from tests.strategies import random_table, seeds, tables
from turs.data.dataset import DataSet
from turs.mdl.logs import log2_table
from turs.mdl.score import condition_bits, patterns_on, rule_bits, score, total_bits
from turs.rules.rule import RuleSet

slow = settings(deadline=None, max_examples=60)


def permuted(data: DataSet, order: np.ndarray) -> DataSet:
    """Return the same rows in another order."""
    return replace(data, bins=np.ascontiguousarray(data.bins[:, order]), labels=data.labels[order])


@slow
@given(tables())
def test_equals_the_formulas_on_rows(table):
    data, rule_set = table
    found, twin = score(rule_set, data), naive.score(rule_set.rules, data)
    assert found.nll_bits == pytest.approx(twin.nll, abs=1e-9)
    assert found.regret_bits == pytest.approx(twin.regret, abs=1e-9)
    assert found.model_bits == pytest.approx(twin.model, abs=1e-9)
    assert found.total_bits == pytest.approx(twin.total, abs=1e-9)


@slow
@given(tables())
def test_the_total_alone_is_the_same_to_the_last_digit(table):
    data, rule_set = table
    found = total_bits(patterns_on(rule_set, data), condition_bits(rule_set, data), log2_table(data.n_rows))
    assert found == score(rule_set, data).total_bits


@slow
@given(tables())
def test_each_rule_holds_and_costs_what_its_rows_say(table):
    data, rule_set = table
    found = score(rule_set, data)
    labels, n_classes = data.labels.tolist(), len(data.schema.classes)
    covers = naive.rule_covers(rule_set.rules, data.schema, data.bins)
    for k, (rule, part) in enumerate(zip(rule_set.rules, found.rules, strict=True)):
        counts = naive.class_counts(covers[k], labels, n_classes)
        alone = covers[k].difference(*covers[:k], *covers[k + 1 :])
        assert part.id == rule.id
        assert part.counts == tuple(counts)
        assert part.coverage == len(covers[k])
        assert part.probabilities == tuple(count / max(sum(counts), 1) for count in counts)
        assert part.nll_bits == pytest.approx(label_bits(alone, counts, labels), abs=1e-9)
        assert part.regret_bits == pytest.approx(math.log2(naive.regret(len(covers[k]), n_classes)), abs=1e-9)
        assert part.model_bits == pytest.approx(naive.rule_bits(rule, data.schema, data.bins), abs=1e-9)
    otherwise = naive.union_rows(covers, (), data.n_rows)
    counts = naive.class_counts(otherwise, labels, n_classes)
    assert found.otherwise.counts == tuple(counts)
    assert found.otherwise.nll_bits == pytest.approx(label_bits(otherwise, counts, labels), abs=1e-9)
    assert found.otherwise.model_bits == 0.0


def label_bits(rows, counts, labels) -> float:
    """Return the bits of the labels of rows under the shares of class counts."""
    return -math.fsum(math.log2(counts[labels[i]] / sum(counts)) for i in rows)


@slow
@given(tables())
def test_each_overlap_costs_what_its_rows_say(table):
    data, rule_set = table
    labels, n_classes = data.labels.tolist(), len(data.schema.classes)
    covers = naive.rule_covers(rule_set.rules, data.schema, data.bins)
    expected = {
        tuple(rule_set.rules[k].id for k in sorted(pattern)): (pattern, rows)
        for pattern, rows in naive.pattern_rows(covers, data.n_rows).items()
        if len(pattern) > 1
    }
    overlaps = score(rule_set, data).overlaps
    assert {overlap.rules for overlap in overlaps} == set(expected)
    assert len(overlaps) == len(expected)
    for overlap in overlaps:
        pattern, rows = expected[overlap.rules]
        union = naive.class_counts(naive.union_rows(covers, pattern, data.n_rows), labels, n_classes)
        assert overlap.counts == tuple(naive.class_counts(rows, labels, n_classes))
        assert overlap.nll_bits == pytest.approx(label_bits(rows, union, labels), abs=1e-9)


@slow
@given(tables())
def test_parts_add_up(table):
    data, rule_set = table
    found = score(rule_set, data)
    rules = (*found.rules, found.otherwise)
    nll = math.fsum([*(rule.nll_bits for rule in rules), *(overlap.nll_bits for overlap in found.overlaps)])
    assert found.nll_bits == nll
    assert found.regret_bits == math.fsum(rule.regret_bits for rule in rules)
    assert found.model_bits == math.fsum([*(rule.model_bits for rule in rules), found.set_bits])
    assert found.total_bits == math.fsum((found.nll_bits, found.regret_bits, found.model_bits))


@slow
@given(tables(), seeds)
def test_order_of_rules_and_rows_changes_no_digit(table, seed):
    data, rule_set = table
    rng = np.random.default_rng(seed)
    found = score(rule_set, data)
    shuffled = RuleSet(data.schema, tuple(rule_set.rules[k] for k in rng.permutation(len(rule_set.rules))))
    again = score(shuffled, permuted(data, rng.permutation(data.n_rows)))
    for part in ("nll_bits", "regret_bits", "model_bits", "total_bits", "set_bits"):
        assert getattr(again, part) == getattr(found, part)
    assert {rule.id: rule for rule in again.rules} == {rule.id: rule for rule in found.rules}
    assert again.otherwise == found.otherwise
    bits = {frozenset(overlap.rules): overlap.nll_bits for overlap in found.overlaps}
    assert {frozenset(overlap.rules): overlap.nll_bits for overlap in again.overlaps} == bits


def test_many_rules_on_a_larger_table():
    data, rule_set = random_table(11, n_rows=700, n_classes=3, n_features=6, n_rules=70)
    found = score(rule_set, data)
    assert len(found.overlaps) > 64
    assert found.total_bits == pytest.approx(naive.score(rule_set.rules, data).total, abs=1e-8)


def test_no_rules():
    data, _ = random_table(5, n_rows=50, n_classes=3)
    found = score(RuleSet(data.schema), data)
    own = naive.own_bits(range(50), data.labels.tolist(), 3)
    assert found.total_bits == pytest.approx(own, abs=1e-9)
    assert (found.model_bits, found.rules, found.overlaps) == (0.0, (), ())


def test_rule_bits_need_only_the_number_of_cuts():
    data, rule_set = random_table(8)
    for rule in rule_set.rules:
        n_values = naive.value_counts(rule, data.schema, data.bins)
        assert rule_bits(rule, data.schema, n_values) == pytest.approx(
            naive.rule_bits(rule, data.schema, data.bins), abs=1e-9
        )
