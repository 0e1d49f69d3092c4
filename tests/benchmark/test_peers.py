"""The contract of every peer, on whatever is installed; CART always runs."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from turs.benchmark import peer as interface
from turs.benchmark import peers
from turs.benchmark.peer import FloatArray, IntArray, Learned, Peer
from turs.benchmark.peers import PEERS, peer
from turs.errors import PeerError, SettingsError, TursError

N_CLASSES = 4  # of which class 2 never occurs


def _two_classes() -> tuple[FloatArray, IntArray]:
    """Rows of a binary and a numeric column: few, because BRS tries all sets of columns; classes 1 and 3 of four."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(0, 2, 160), rng.random(160)]).astype(np.float64)
    return X, np.where((X[:, 0] == 1) & (X[:, 1] > 0.4), 3, 1).astype(np.int64)


def _three_classes() -> tuple[FloatArray, IntArray]:
    """The rows of `_two_classes` with class 0 beside 1 and 3, a constant column, and rows of the last class first."""
    X, y = _two_classes()
    X = np.column_stack([X, np.random.default_rng(6).normal(size=len(X)), np.ones(len(X))])
    y = np.where((y == 1) & (X[:, 2] > 0.5), 0, y)
    order = np.argsort(-y, kind="stable")
    return X[order], y[order]


def _runnable(learner: Peer) -> Peer:
    """Return the peer, or skip the test with the reason why it cannot run."""
    reason = learner.available()
    if reason is not None:
        pytest.skip(reason)
    return learner


each_peer = pytest.mark.parametrize("learner", PEERS, ids=[learner.name for learner in PEERS])


@each_peer
def test_contract(learner: Peer) -> None:
    _runnable(learner)
    X, y = _two_classes() if learner.most_classes == 2 else _three_classes()
    fitted = learner.fit(learner.prepare(X, y, N_CLASSES), seed=3)
    probabilities = fitted.predict_proba(X)
    assert probabilities.shape == (len(X), N_CLASSES)
    assert probabilities.dtype == np.float64
    assert np.all(probabilities >= 0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    assert np.all(probabilities[:, np.setdiff1d(np.arange(N_CLASSES), y)] == 0)
    assert np.mean(probabilities.argmax(axis=1) == y) > 0.85
    assert (fitted.n_rules is None) == (fitted.n_literals is None)
    if fitted.n_rules is not None and fitted.n_literals is not None:
        assert 1 <= fitted.n_rules <= len(X)
        assert fitted.n_literals >= fitted.n_rules
    covers = fitted.covers(X)
    if covers is not None:
        assert covers.shape == (fitted.n_rules, len(X))
        assert covers.any(axis=1).all()
    assert "missing" not in learner.version()


@each_peer
def test_same_seed_same_model(learner: Peer) -> None:
    _runnable(learner)
    X, y = _two_classes()
    prepared = learner.prepare(X, y, N_CLASSES)
    first, second = (learner.fit(prepared, seed=3).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@each_peer
def test_a_missing_package_is_a_reason(learner: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, learner.modules[0], None)
    reason = learner.available()
    assert reason is not None
    assert f"pip install {learner.package}" in reason
    assert "\n" not in reason


@each_peer
def test_a_broken_package_is_a_reason(learner: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(module: str) -> None:
        raise AttributeError(f"module 'numpy' has no attribute 'float'\nwhile importing {module}")

    monkeypatch.setattr(interface, "load", fail)
    reason = learner.available()
    assert reason is not None
    assert "AttributeError" in reason
    assert learner.package in reason
    assert "\n" not in reason


def test_version_of_a_missing_package() -> None:
    absent = peers._python_peer("Absent", "turs-no-such-package", "turs_no_such_module", peers._learn_cart)
    assert absent.version() == "turs-no-such-package missing"
    assert "pip install turs-no-such-package" in str(absent.available())


def test_missing_java_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing() -> str:
        raise FileNotFoundError("No JVM shared library file (libjvm.so) found.")

    jpype = SimpleNamespace(getDefaultJVMPath=find_nothing, JVMNotFoundException=FileNotFoundError)
    monkeypatch.setattr(peers, "load", lambda module: jpype)
    monkeypatch.setattr(interface, "load", lambda module: jpype)
    reason = peer("JRip").available()
    assert reason is not None
    assert "Java 11" in reason
    assert "python-weka-wrapper3" in reason


def test_new_pandas_keeps_rulelist_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "load", lambda module: SimpleNamespace(DataFrame=object))
    monkeypatch.setattr(interface, "load", lambda module: None)
    assert "pandas<2" in str(peer("CLASSY").available())


@pytest.mark.parametrize("stage", ["learning", "predicting", "preparing the data"])
def test_what_a_library_raises_becomes_one_error(stage: str) -> None:
    def fail(*_: object) -> Learned:
        warnings.warn("noise of a library", stacklevel=1)
        raise KeyError("no such thing")

    cart = peer("CART")
    broken = {
        "preparing the data": replace(cart, convert=fail),
        "learning": replace(cart, learn=fail),
        "predicting": replace(cart, learn=lambda table, seed: Learned(fail)),  # type: ignore[arg-type] # it only raises
    }[stage]
    X, y = _two_classes()
    with pytest.raises(PeerError, match=f"CART failed while {stage}: KeyError: 'no such thing'") as caught:
        broken.fit(broken.prepare(X, y, N_CLASSES), seed=0).predict_proba(X)
    assert isinstance(caught.value, TursError)
    assert isinstance(caught.value.__cause__, KeyError)


def test_data_that_a_peer_cannot_take() -> None:
    X, y = _three_classes()
    with pytest.raises(PeerError, match="BRS learns 2 classes, the training rows have 3"):
        peer("BRS").prepare(X, y, N_CLASSES)
    with pytest.raises(PeerError, match="two classes or more, the training rows have 1"):
        peer("CART").prepare(X, np.zeros_like(y), N_CLASSES)
    other = replace(peer("CART"), name="other")
    with pytest.raises(PeerError, match="prepared for other: prepare them for CART"):
        peer("CART").fit(other.prepare(X, y, N_CLASSES), seed=0)


def test_names() -> None:
    names = [learner.name for learner in PEERS]
    assert len(set(names)) == len(names)
    assert peer("CN2").package == "Orange3"
    with pytest.raises(SettingsError, match=r"'JRipp'.*Did you mean 'JRip'"):
        peer("JRipp")


def test_cart_counts_leaves_and_their_depths() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).repeat(3, axis=0)
    y = np.array([0, 0, 1, 2]).repeat(3)
    fitted = peer("CART").fit(peer("CART").prepare(X, y, 3), seed=0)
    assert (fitted.n_rules, fitted.n_literals) == (3, 5)
    covers = fitted.covers(X)
    assert covers is not None
    assert sorted(covers.sum(axis=1).tolist()) == [3, 3, 6]
    assert np.all(covers.sum(axis=0) == 1)


def test_j48_leaf_depths_from_the_printed_tree() -> None:
    text = """J48 pruned tree
------------------

x3 <= 0.6: c0 (40.0)
x3 > 0.6
|   x3 <= 1.7
|   |   x2 <= 4.9: c1 (38.0/1.0)
|   |   x2 > 4.9: c2 (4.0/1.0)
|   x3 > 1.7
|   |   x0 = 0: c10 (0.0)
|   |   x0 = 1: c2 (38.0/1.0)

Number of Leaves  : \t5

Size of the tree : \t9
"""
    assert peers._j48_leaf_depths(text) == [1, 3, 3, 3, 3]
    assert peers._j48_leaf_depths(
        "J48 pruned tree\n------------------\n: c1 (12.0/3.0)\n\nNumber of Leaves  : \t1\n"
    ) == [0]


def test_nominal_columns_have_the_values_0_and_1_only() -> None:
    X = np.array([[0, 0, 0.5, 1, 0], [1, 2, 1.0, 1, np.nan], [0, 1, 0.0, 1, 1]], dtype=np.float64)
    nominal = interface.nominal_columns(X)
    assert nominal.tolist() == [True, False, False, True, True]
    unseen = np.array([[3.0, 3.0, 3.0, 3.0, np.nan]])
    np.testing.assert_array_equal(interface.with_levels(unseen, nominal), [[np.nan, 3.0, 3.0, np.nan, np.nan]])


def test_binary_rows_cut_numeric_columns_at_their_quartiles() -> None:
    X = np.column_stack([np.arange(9), np.arange(9) % 2, np.ones(9)]).astype(np.float64)
    rows = peers._to_binary(X, np.zeros(9, dtype=np.int64))
    assert rows.cuts == ((0, 2.0), (0, 4.0), (0, 6.0), (1, 0.5))
    np.testing.assert_array_equal(rows.X[5], [1, 1, 0, 1])
