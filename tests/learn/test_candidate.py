"""Rules while they grow: from a rule to sets of bins and back."""

import numpy as np
from hypothesis import given, settings

from tests.learn.stage import candidate
from tests.strategies import random_rule, random_table, seeds
from turs.cover.covers import literal_bins
from turs.learn.candidate import EMPTY, Candidate, batch_of, half_open, rule_of, shorter
from turs.rules.literal import Interval
from turs.rules.rule import Rule


def random_candidates(seed, n=3):
    """Return a data set, random rules on it and the same rules as candidates."""
    data, _ = random_table(seed, n_rows=5)
    rng = np.random.default_rng(seed)
    rules = [random_rule(rng, data.schema, f"r{k}", most_literals=4) for k in range(n)]
    return data, rules, [candidate(data, rule.literals) for rule in rules]


@given(seeds)
@settings(deadline=None)
def test_rule_to_candidate_and_back_is_the_identity(seed):
    data, rules, candidates = random_candidates(seed)
    assert [rule_of(found, rule.id, data.schema) for rule, found in zip(rules, candidates, strict=True)] == rules


@given(seeds)
@settings(deadline=None)
def test_batch_holds_the_literals_one_rule_after_the_other(seed):
    data, rules, candidates = random_candidates(seed)
    batch = batch_of([candidates[0], EMPTY, *candidates[1:]])
    sizes = [len(rules[0].literals), 0, *(len(rule.literals) for rule in rules[1:])]
    assert np.diff(batch.start).tolist() == sizes
    literals = [literal for rule in rules for literal in rule.literals]
    assert batch.feature.tolist() == [data.schema.index(literal.feature) for literal in literals]
    for literal, holds in zip(literals, batch.holds, strict=True):
        np.testing.assert_array_equal(holds, literal_bins(literal, data.schema.feature(literal.feature)))


def test_growing_adds_a_literal_or_replaces_the_own_one():
    data, rules, (found, *_) = random_candidates(7)
    holds = np.zeros(256, dtype=np.bool_)
    holds[0] = True
    added = Candidate(*found.with_literal(9, -1, holds))
    assert added.feature == (*found.feature, 9)
    np.testing.assert_array_equal(added.holds[:-1], found.holds)
    np.testing.assert_array_equal(added.holds[-1], holds)
    tighter = Candidate(*found.with_literal(found.feature[0], 0, holds))
    assert tighter.feature == found.feature
    np.testing.assert_array_equal(tighter.holds[0], holds)
    np.testing.assert_array_equal(tighter.holds[1:], found.holds[1:])
    assert rule_of(found, "r0", data.schema) == Rule("r0", rules[0].literals)


@given(seeds)
@settings(deadline=None)
def test_without_each_literal_and_without_either_cut(seed):
    data, rules, candidates = random_candidates(seed)
    for rule, found in zip(rules, candidates, strict=True):
        fewer = [rule_of(one, "", data.schema).literals for one in shorter(found)]
        assert fewer == [rule.literals[:j] + rule.literals[j + 1 :] for j in range(len(rule.literals))]
        opened = {
            rule_of(one, "", data.schema).literals for one in half_open(rule_of(found, "", data.schema), data.schema)
        }
        assert opened == {
            (*rule.literals[:j], side, *rule.literals[j + 1 :])
            for j, literal in enumerate(rule.literals)
            if isinstance(literal, Interval) and None not in (literal.low, literal.high)
            for side in (Interval(literal.feature, low=literal.low), Interval(literal.feature, high=literal.high))
        }
