"""The numbers of a fold against slow, obvious twins."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from turs.benchmark.measure import (
    cover_counts,
    g_score,
    learn_with,
    picked_auc,
    rule_set_numbers,
    with_default_rule,
)
from turs.benchmark.simulation import simulated
from turs.cover.covers import rule_covers
from turs.learn.settings import SEARCHES, Exponents, Search, Settings
from turs.shipped import shipped


def test_g_score_weighs_rules_by_their_training_coverage():
    training = np.array([[30, 10], [5, 5], [1, 1]])
    tested = np.array([[5, 5], [8, 2], [0, 0]])
    assert g_score(training, tested) == pytest.approx((40 * 0.25 + 10 * 0.3) / 50)
    assert math.isnan(g_score(training[:0], tested[:0]))
    assert math.isnan(g_score(training[2:], tested[2:]))


def _g_by_rows(covers, labels, tested_covers, tested_labels, n_classes):
    """Every training row of every rule votes with the difference of that rule; rows of no rule make up one more."""
    votes = []
    for here, there in zip([*covers, ~covers.any(axis=0)], [*tested_covers, ~tested_covers.any(axis=0)], strict=True):
        own, other = labels[here].tolist(), tested_labels[there].tolist()
        if own and other:
            gaps = [abs(own.count(c) / len(own) - other.count(c) / len(other)) for c in range(n_classes)]
            votes += [sum(gaps) / n_classes] * len(own)
    return sum(votes) / len(votes)


@pytest.mark.parametrize("seed", range(5))
def test_g_with_the_default_rule_of_a_peer_is_that_of_its_rows(seed):
    rng = np.random.default_rng(seed)
    covers, tested = rng.random((3, 40)) < 0.3, rng.random((3, 25)) < 0.3
    labels, tested_labels = rng.integers(0, 3, 40), rng.integers(0, 3, 25)
    found = g_score(with_default_rule(covers, labels, 3), with_default_rule(tested, tested_labels, 3))
    assert found == pytest.approx(_g_by_rows(covers, labels, tested, tested_labels, 3))
    none = with_default_rule(covers[:0], labels, 3)
    assert none.tolist() == [np.bincount(labels, minlength=3).tolist()]


def test_picked_auc_is_the_mean_over_all_picks():
    covers = np.array([[1, 1, 0, 0, 1, 0], [0, 1, 1, 0, 1, 0]], dtype=bool)
    training = np.array([[8, 2], [3, 7]])
    labels = np.array([0, 1, 1, 0, 0, 1])
    probabilities = np.tile([0.5, 0.5], (6, 1))
    shares = training / training.sum(axis=1, keepdims=True)
    aucs = []
    for first in (0, 1):
        for second in (0, 1):
            scores = np.array([0, 0, 0, 0.5, 0, 0.5])
            scores[0], scores[2] = shares[0, 1], shares[1, 1]
            scores[1], scores[4] = shares[first, 1], shares[second, 1]
            aucs.append(roc_auc_score(labels, scores))
    assert picked_auc(covers, training, probabilities, np.eye(2)[labels]) == pytest.approx(np.mean(aucs))


def test_cover_counts():
    covers = np.array([[1, 1, 0], [0, 0, 0]], dtype=bool)
    assert cover_counts(covers, np.array([2, 0, 1]), 3).tolist() == [[1, 0, 1], [0, 0, 0]]
    assert cover_counts(covers[:0], np.array([2, 0, 1]), 3).shape == (0, 3)


def test_a_search_without_a_name_is_used_and_forgotten():
    before = dict(SEARCHES)
    search = Search((Exponents(rule=0.5),))
    learned = learn_with(simulated(1, 0, n_rows=600, n_features=5), (Settings(), search))
    assert learned.exponents == Exponents(rule=0.5)
    assert before == SEARCHES


def test_numbers_of_the_simulation():
    train, test = simulated(2, 0), simulated(2, 1)
    numbers = rule_set_numbers(learn_with(train, (Settings(search="paper"), SEARCHES["paper"])), train, test)
    assert (numbers["n_rules"], numbers["n_literals"]) == (1, 1)
    assert numbers["auc"] == numbers["random_pick_auc"] == pytest.approx(0.72, abs=0.03)
    assert numbers["total_bits"] == pytest.approx(2050, abs=150)
    assert numbers["g"] < 0.03
    assert numbers["g_with_else"] < numbers["g"]
    assert numbers["absent_classes"] == []


def test_g_with_else_of_a_rule_set_is_that_of_its_rows():
    train, test = (simulated(3, n, n_rows=500, n_features=5) for n in (0, 1))
    learned = learn_with(train, (Settings(search="paper"), SEARCHES["paper"]))
    covers = [rule_covers(learned.rule_set.rules, data.schema, data.bins) for data in (train, test)]
    found = rule_set_numbers(learned, train, test)["g_with_else"]
    assert found == pytest.approx(_g_by_rows(covers[0], train.labels, covers[1], test.labels, 2))


def test_classes_without_a_test_row_are_named():
    train, test = simulated(3, 0, n_rows=500, n_features=5), simulated(3, 1, n_rows=500, n_features=5)
    ones = np.flatnonzero(test.labels == 1)
    one_class = replace(test, bins=test.bins[:, ones], labels=test.labels[ones], kept=None)
    learned = learn_with(train, (Settings(search="paper"), SEARCHES["paper"]))
    numbers = rule_set_numbers(learned, train, one_class)
    assert numbers["absent_classes"] == ["0"]
    assert math.isnan(numbers["auc"])


def test_simulated_rows_are_seeded_and_have_the_shares_of_the_paper():
    data = simulated(2, 5)
    np.testing.assert_array_equal(data.bins, simulated(2, 5).bins)
    assert not np.array_equal(data.bins, simulated(2, 6).bins)
    assert data.bins.shape == (50, 5_000)
    assert data.bins[0].mean() == pytest.approx(0.2, abs=0.02)
    assert data.bins[1:].mean() == pytest.approx(0.5, abs=0.01)
    assert data.labels[data.bins[0] == 1].mean() == pytest.approx(0.7, abs=0.05)
    assert data.labels[data.bins[0] == 0].mean() == pytest.approx(0.95, abs=0.02)


_LOADED = """
import gc
from numba.core.dispatcher import Dispatcher
from turs.benchmark.measure import warm_up
from turs.data import learning_data, read_table
from turs.learn.learner import learn
from turs.cover.covers import rule_covers
from turs.learn.settings import SEARCHES, Settings

settings = Settings(search={search!r})
def kernels():
    return {{(one.py_func.__name__, len(one.signatures)) for one in gc.get_objects() if isinstance(one, Dispatcher)}}
data = learning_data(read_table({table!r}).frame, "diagnosis")
warm_up((settings, SEARCHES[settings.search]))
before = kernels()
learn(data, settings)
print(sorted(kernels() - before))
"""


@pytest.mark.parametrize("search", ["paper", "portfolio"])
def test_after_warming_up_no_fold_loads_a_kernel(search):
    code = _LOADED.format(search=search, table=str(shipped("sample_data") / "breast_cancer.csv"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
