"""Unions that are counted in bits, against sums over every pair of patterns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import seeds
from turs.cover import patterns as patterns_module
from turs.cover.patterns import Patterns, packed
from turs.cover.unions import add_unions, bit_sums, exclusive_bit_sums

slow = settings(deadline=None, max_examples=80)


def naive_sums(sets: np.ndarray, members: np.ndarray, counts: np.ndarray) -> list[list[int]]:
    """Return the sums pair by pair."""
    found = []
    for rules in sets:
        met = [p for p, pattern in enumerate(members) if (rules & pattern).any()]
        found.append([sum(int(counts[p, c]) for p in met) for c in range(counts.shape[1])])
    return found


@slow
@given(seeds, st.integers(0, 140), st.integers(1, 150), st.integers(1, 5))
def test_bits_give_the_sums_of_all_pairs(seed: int, n_rules: int, n_patterns: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    members = rng.random((n_patterns, n_rules)) < rng.choice([0.02, 0.3, 0.9])
    counts = rng.integers(0, rng.choice([1, 2, 5, 10_000, 2**40]), (n_patterns, n_classes))
    sets = np.concatenate((members, rng.random((9, n_rules)) < 0.2))
    found = bit_sums(packed(sets), packed(members), counts)
    assert found.tolist() == naive_sums(sets, members, counts)


def test_nothing_to_sum_up() -> None:
    assert bit_sums(packed(np.zeros((2, 3), bool)), packed(np.ones((4, 3), bool)), np.ones((4, 2), int)).tolist() == [
        [0, 0],
        [0, 0],
    ]
    assert bit_sums(packed(np.ones((2, 3), bool)), packed(np.ones((4, 3), bool)), np.zeros((4, 1), int)).tolist() == [
        [0],
        [0],
    ]


def test_the_kernel_counts_the_bits_of_unions() -> None:
    holders = np.array([[0b0011], [0b0110], [0b1000]], dtype=np.uint64)
    digits = np.array([[0b0111], [2**64 - 1]], dtype=np.uint64)
    sums = np.zeros((3, 2), dtype=np.int64)
    sets = np.array([[1, 1, 0], [0, 0, 0], [1, 0, 1]], dtype=np.bool_)
    add_unions(sets, holders, digits, np.array([0, 1]), np.array([1, 4]), sums)
    assert sums.tolist() == [[3, 12], [0, 0], [2, 12]]


def test_many_patterns_take_the_way_of_bits_and_no_table_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    members = np.unique(np.concatenate((np.zeros((1, 70), bool), rng.random((1_500, 70)) < 0.2)), axis=0)
    counts = rng.integers(0, 4, (len(members), 3))
    with monkeypatch.context() as patch:
        patch.setattr(patterns_module, "MANY", 10**9)
        expected = Patterns(members, counts).union_counts
    monkeypatch.setattr(patterns_module, "meeting_words", lambda *_: pytest.fail("every pair was looked at"))
    assert Patterns(members, counts).union_counts.tolist() == expected.tolist()


@slow
@given(seeds, st.integers(1, 140), st.integers(1, 150))
def test_bits_give_what_each_rule_adds_alone(seed: int, n_rules: int, n_patterns: int) -> None:
    rng = np.random.default_rng(seed)
    members = rng.random((n_patterns, n_rules)) < rng.choice([0.02, 0.3, 0.9])
    counts = rng.integers(0, rng.choice([1, 5, 10_000]), (n_patterns, 3))
    sets = rng.random((9, n_rules)) < 0.2
    lines, rules = np.nonzero(sets)
    found = exclusive_bit_sums(np.searchsorted(lines, np.arange(10)), rules, packed(members), counts)
    for line, rule, sums in zip(lines, rules, found.tolist(), strict=True):
        alone = [p for p, pattern in enumerate(members) if pattern[rule] and (pattern & sets[line]).sum() == 1]
        assert sums == [sum(int(counts[p, c]) for p in alone) for c in range(3)]
