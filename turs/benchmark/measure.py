"""One fold of one learner in numbers.

For TURS everything comes from pattern counts. A peer gives probabilities, and some peers tell which rows their rules
cover: then random picks, overlaps and the g score are computed for them in the same way, each rule with the class
shares of the training rows that it covers, and a row without a rule with the peer's own probabilities.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turs.benchmark.datasets import Encoded, feature_values, fold_rows, held_out_data, training_data
from turs.benchmark.peers import peer
from turs.data.dataset import DataSet, learning_data
from turs.evaluate.auc import macro_auc, random_pick_auc, union_auc
from turs.learn.learner import learn
from turs.learn.progress import Learned
from turs.learn.settings import SEARCHES, Search, Settings
from turs.mdl.score import condition_bits, patterns_on, score, score_patterns
from turs.predict import rule_probabilities, union_probabilities
from turs.rules.rule import RuleSet

Started = Callable[[], None]
"""Called when the data are ready and learning begins: from here the time limit counts."""


def measure_turs(
    table: Encoded, fold: tuple[int, int, int], options: tuple[Settings, Search], started: Started
) -> dict[str, Any]:
    """Learn with TURS from the training rows of a fold, score on its test rows.

    Parameters
    ----------
    table : Encoded
        The data set.
    fold : tuple of int
        Number of the fold, number of folds, seed.
    options : tuple of Settings and Search
        How to learn.
    started : callable
        Told when learning begins.
    """
    number, n_folds, seed = fold
    train_rows, test_rows = fold_rows(table.labels, n_folds, seed)[number]
    warm_up(options)
    started()
    clock = Stopwatch()
    train = training_data(table, train_rows)  # candidate cuts are a part of learning
    learned = learn_with(train, options)
    seconds = clock.read()
    numbers = rule_set_numbers(learned, train, held_out_data(table, test_rows, train))
    return {**seconds, "unlabelled_rows": table.n_unlabelled, **numbers}


def measure_rows(train: DataSet, test: DataSet, options: tuple[Settings, Search], started: Started) -> dict[str, Any]:
    """Learn with TURS from rows that are in bins already, score on others."""
    warm_up(options)
    started()
    clock = Stopwatch()
    learned = learn_with(train, options)
    seconds = clock.read()
    return {**seconds, **rule_set_numbers(learned, train, test)}


def measure_peer(table: Encoded, fold: tuple[int, int, int], name: str, started: Started) -> dict[str, Any]:
    """Learn with a peer from the training rows of a fold, score on its test rows."""
    number, n_folds, seed = fold
    train, test = fold_rows(table.labels, n_folds, seed)[number]
    values, labels, n_classes = feature_values(table), table.labels, len(table.classes)
    learner = peer(name)
    learner.available()  # imports the library, which is no part of learning
    prepared = learner.prepare(values[train], labels[train], n_classes)
    started()
    clock = Stopwatch()
    fitted = learner.fit(prepared, seed)
    seconds = clock.read()
    probabilities = fitted.predict_proba(values[test])
    one_hot = np.eye(n_classes)
    numbers: dict[str, Any] = {
        **seconds,
        "rows": len(train),
        "test_rows": len(test),
        "features": values.shape[1],
        "classes": n_classes,
        "unlabelled_rows": table.n_unlabelled,
        "absent_classes": _absent(table.classes, np.bincount(labels[test], minlength=n_classes)),
        "auc": macro_auc(probabilities, one_hot[labels[test]]).value,
        "n_rules": fitted.n_rules,
        "n_literals": fitted.n_literals,
    }
    learned_covers, covers = fitted.covers(values[train]), fitted.covers(values[test])
    if learned_covers is not None and covers is not None:
        counts = cover_counts(learned_covers, labels[train], n_classes)
        tested = cover_counts(covers, labels[test], n_classes)
        numbers["overlap_share"] = float(np.mean(covers.sum(axis=0) > 1))
        numbers["random_pick_auc"] = picked_auc(covers, counts, probabilities, one_hot[labels[test]])
        numbers["g"] = g_score(counts, tested)
        sides = ((learned_covers, labels[train]), (covers, labels[test]))
        numbers["g_with_else"] = g_score(*(with_default_rule(*side, n_classes) for side in sides))
    return numbers


def _absent(classes: Sequence[str], counts: NDArray[np.int64]) -> list[str]:
    """Return the classes that no test row has: the AUC leaves them out."""
    return [label for label, count in zip(classes, counts.tolist(), strict=True) if count == 0]


class Stopwatch:
    """Wall and CPU seconds since it was made; CPU seconds are those of all threads of the process."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        """Return the seconds."""
        return {"fit_cpu_s": time.process_time() - self._cpu, "fit_s": time.perf_counter() - self._wall}


def learn_with(data: DataSet, options: tuple[Settings, Search]) -> Learned:
    """Learn with a portfolio that need not be among the named ones."""
    settings, search = options
    named = SEARCHES[settings.search]
    SEARCHES[settings.search] = search  # settings name their search; a measured one has no name
    try:
        return learn(data, settings)
    finally:
        SEARCHES[settings.search] = named


_warm: set[tuple[Any, ...]] = set()


def warm_up(options: tuple[Settings, Search]) -> None:
    """Learn from a few rows first, once for each set of options, so that no fold is charged with loading kernels."""
    settings, _ = options
    key = (settings.search, settings.diverse, settings.local_test, settings.auxiliary, settings.threads)
    if key in _warm:
        return
    _warm.add(key)
    from turs.benchmark.generate import generate
    from turs.benchmark.simulation import simulated

    for n_features in (4, 6):
        learn_with(simulated(0, 0, n_rows=300, n_features=n_features), options)
    learn_with(learning_data(generate(1000, 4, 4, 8, 0).frame, "class"), options)  # numbers, and rules that overlap


def rule_set_numbers(learned: Learned, train: DataSet, test: DataSet) -> dict[str, Any]:
    """Return bits on the training rows, ranking and overlap on the test rows, size, g score and the path."""
    rules = learned.rule_set
    training, tested = patterns_on(rules, train), patterns_on(rules, test)
    bits = score_patterns(rules, training, condition_bits(rules, train))
    probabilities = union_probabilities(training, tested.members)
    picked = random_pick_auc(tested.members, probabilities, rule_probabilities(training), tested.counts)
    overlapping = tested.members.sum(axis=1) > 1
    covered = int(training.counts[1:].sum())
    first = [0, score(RuleSet(train.schema), train).total_bits, "start"]
    return {
        "rows": train.n_rows,
        "test_rows": test.n_rows,
        "features": len(train.schema.features),
        "classes": len(train.schema.classes),
        "absent_classes": _absent(train.schema.classes, tested.counts.sum(axis=0)),
        "total_bits": bits.total_bits,
        "nll_bits": bits.nll_bits,
        "regret_bits": bits.regret_bits,
        "model_bits": bits.model_bits,
        "auc": union_auc(probabilities, tested.counts).value,
        "random_pick_auc": picked.value,
        "overlap_share": int(tested.counts[overlapping].sum()) / max(test.n_rows, 1),
        "coverage": covered / max(train.n_rows, 1),
        "n_rules": len(rules.rules),
        "n_literals": rules.n_literals,
        "g": g_score(training.rule_counts, tested.rule_counts),
        "g_with_else": g_score(*(np.vstack((side.rule_counts, side.counts[:1])) for side in (training, tested))),
        "path": [first, *([step.covered, step.total_bits, step.action] for step in learned.steps)],
    }


def g_score(training: NDArray[np.int64], tested: NDArray[np.int64]) -> float:
    """Return how far the rules' class probabilities move from training to test rows (the paper's g score).

    The mean absolute difference over classes, averaged over rules with their training coverage as weights. The paper's
    figures count the else rule too: it is one more line of the counts then, and the number is `g_with_else`. A rule
    without test rows has no probabilities there and does not count; NaN where that leaves none.

    Parameters
    ----------
    training, tested : int64 [K, C]
        Class counts of each rule.
    """
    coverage, seen = training.sum(axis=1), tested.sum(axis=1)
    known = (seen > 0) & (coverage > 0)
    if not known.any():
        return math.nan
    distance = np.abs(training[known] / coverage[known, None] - tested[known] / seen[known, None]).mean(axis=1)
    return float(np.average(distance, weights=coverage[known]))


def cover_counts(covers: NDArray[np.bool_], labels: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """Return the class counts of each cover [K, C]; one cover at a time, because a tree may have thousands."""
    counts = [np.bincount(labels[cover], minlength=n_classes) for cover in covers]
    return np.array(counts, dtype=np.int64).reshape(-1, n_classes)


def with_default_rule(covers: NDArray[np.bool_], labels: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """Return the class counts of each cover and, in the last line, of the rows that no rule covers [K + 1, C]."""
    uncovered = ~covers.any(axis=0)
    return cover_counts(np.vstack((covers, uncovered)), labels, n_classes)


def picked_auc(
    covers: NDArray[np.bool_],
    training: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    one_hot: NDArray[np.float64],
) -> float:
    """Return the expected AUC where each row takes the class shares of one of its rules, picked at random.

    Parameters
    ----------
    covers : bool [K, n]
        Which test rows each rule covers.
    training : int64 [K, C]
        Class counts of each rule on the training rows.
    probabilities : float64 [n, C]
        For rows that no rule covers.
    one_hot : float64 [n, C]
        The classes of the test rows.
    """
    size = covers.sum(axis=0)
    shares = training / np.maximum(training.sum(axis=1, keepdims=True), 1)
    share = one_hot / np.maximum(size, 1)[:, None]
    weights = np.array([share[cover].sum(axis=0) for cover in covers]).reshape(-1, one_hot.shape[1])
    alone = size == 0
    groups = np.concatenate((shares, probabilities[alone]))
    return macro_auc(groups, np.concatenate((weights, one_hot[alone]))).value
