"""Candidate literals and the bits of the rules they make, against the twin's list of all splits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.learn.stage import Stage, place, random_stage
from tests.strategies import seeds
from turs.cover.covers import N_CODES
from turs.data.dataset import DataSet
from turs.learn.arrays import make_scratch
from turs.learn.candidate import Candidate, rule_of
from turs.learn.local_test import bin_sizes
from turs.learn.sweeps import all_literal_bits, literal_key, make_sweeps, own_literal, sweep_bits, write_bins
from turs.rules.literal import Interval, Missingness
from turs.rules.schema import Feature, Kind, Schema

slow = settings(deadline=None, max_examples=50)
stages = st.builds(
    random_stage,
    seeds,
    n_rows=st.integers(1, 60),
    n_classes=st.integers(2, 5),
    n_features=st.integers(1, 5),
    n_rules=st.integers(0, 2),
    n_bases=st.integers(1, 5),
)


class Walk:
    """All sweeps of one feature of a base rule, as the kernels give them."""

    def __init__(self, stage: Stage, b: int, f: int) -> None:
        self.features, self.base = stage.features, stage.base(b)
        self.scratch = make_scratch(self.features)
        self.f, self.own = f, own_literal(self.base.feature, f)
        self.counts = self.base.by_bin[self.features.slot_start[f] : self.features.slot_start[f + 1]]
        self.allowed = self.scratch.every if self.own < 0 else self.base.holds[self.own]
        self.range = bin_sizes(self.features.n_bins[f], self.counts, self.scratch.rows_at)

    def sweeps(self) -> list[np.ndarray]:
        """Return the bins of every sweep."""
        sequence, start = self.scratch.sequence, self.scratch.sweep_start
        about = (self.features.kind[self.f], self.features.n_bins[self.f], self.features.has_missing[self.f])
        n_sweeps = make_sweeps(*about, self.counts, self.allowed, sequence, start)
        return [sequence[start[s] : start[s + 1]].copy() for s in range(n_sweeps)]

    def bits(self, sweep: np.ndarray) -> np.ndarray:
        """Return the model bits of the candidates of a sweep."""
        bits = np.full((sweep.size, 2), np.nan)
        literal_bits = all_literal_bits(self.features, self.base)
        sweep_bits(self.features, self.base, literal_bits, self.f, self.own, *self.range, sweep, bits)
        return bits

    def holds(self, sweep: int, position: int, side: int) -> tuple[np.ndarray, int]:
        """Return the bins of a candidate's literal, and the literal that it replaces."""
        holds = np.ones(N_CODES, dtype=np.bool_)
        own = write_bins(self.features, self.base, self.scratch, self.f, sweep, position, side, holds)
        return holds, own


def each_feature(stage: Stage):
    """Return every base rule and feature with its walk and its candidates from the twin."""
    for b in range(len(stage.bases)):
        growths = stage.growths(b)
        for f in range(len(stage.data.schema.features)):
            yield b, Walk(stage, b, f), [growth for growth in growths if growth.feature == f]


@slow
@given(stages)
def test_prefixes_of_sweeps_are_the_splits_of_the_twin(stage):
    for b, walk, _ in each_feature(stage):
        found = {
            (s, t): frozenset(sweep[: t + 1].tolist())
            for s, sweep in enumerate(walk.sweeps())
            for t in range(max(sweep.size - 1, 1))
        }
        assert found == {(split.sweep, split.position): split.prefix for split in stage.naive[b].splits(walk.f)}


@slow
@given(stages)
def test_candidates_write_the_bins_and_make_the_rules_of_the_twin(stage):
    for b, walk, growths in each_feature(stage):
        for growth in growths:
            holds, own = walk.holds(growth.sweep, growth.position, growth.side)
            assert frozenset(np.flatnonzero(holds).tolist()) == growth.bins
            assert own == walk.own
            grown = Candidate(*stage.bases[b].with_literal(growth.feature, own, holds))
            assert rule_of(grown, "grown", stage.data.schema) == growth.rule


@slow
@given(stages)
def test_model_bits_of_every_candidate(stage):
    for b, walk, growths in each_feature(stage):
        sweeps = walk.sweeps()
        for growth in growths:
            found = walk.bits(sweeps[growth.sweep])[growth.position, growth.side]
            twin = naive.rule_bits(growth.rule, stage.data.schema, stage.data.bins)
            assert found == pytest.approx(twin, abs=1e-9), (growth, stage.naive[b].literals)


@slow
@given(stages)
def test_candidates_have_numbers_of_their_own(stage):
    for b in range(len(stage.bases)):
        growths = stage.growths(b)
        assert len({growth.number for growth in growths}) == len(growths)
        assert len({place(growth) for growth in growths}) == len(growths)
        for growth in growths:
            start = stage.features.candidate_start
            assert start[growth.feature] <= growth.number < start[growth.feature + 1]


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("n_levels", [1, 2, 3, 254])
def test_room_for_all_sweeps_of_many_levels(n_classes, n_levels):
    feature = Feature("x", Kind.CATEGORICAL, levels=tuple(map(str, range(n_levels))), has_missing=True)
    schema = Schema("y", tuple(map(str, range(n_classes))), (feature, Feature("z", Kind.NUMERIC, cuts=(1.0,))))
    rng = np.random.default_rng(0)
    bins = np.stack([np.arange(600) % (n_levels + 2), rng.integers(0, 2, 600)]).astype(np.uint8)
    labels = rng.integers(0, n_classes, 600).astype(np.int16)
    stage = Stage(DataSet(schema, bins, labels, (), np.arange(600)), (), ((),))
    walk = Walk(stage, 0, 0)
    sweeps = walk.sweeps()
    n_candidates = 2 * sum(max(sweep.size - 1, 1) for sweep in sweeps)
    assert n_candidates <= stage.features.candidate_start[1]
    assert sum(sweep.size for sweep in sweeps) <= walk.scratch.sequence.size
    assert len(sweeps) < walk.scratch.sweep_start.size


def test_levels_are_ordered_by_the_share_of_the_second_of_two_classes():
    stage = random_stage(4, n_rows=300, n_features=5)
    categorical = [f for f, feature in enumerate(stage.data.schema.features) if feature.n_bins == 8]
    assert categorical
    for f in categorical:
        longest = max(Walk(stage, 0, f).sweeps(), key=len).tolist()
        column, labels = stage.data.bins[f], stage.data.labels
        shares = [labels[column == v].mean() for v in longest]
        assert shares == sorted(shares)
        assert sorted(longest) == sorted(v for v in set(column.tolist()) if v < 8)


def test_a_rule_on_missing_values_has_no_cuts_to_try():
    few = Feature("few", Kind.NUMERIC, cuts=(1.0,), has_missing=True)
    many = Feature("many", Kind.NUMERIC, cuts=tuple(map(float, range(1, 20))))
    schema = Schema("y", ("0", "1"), (many, few, Feature("z", Kind.NUMERIC, cuts=tuple(map(float, range(1, 15))))))
    rng = np.random.default_rng(0)
    bins = np.stack([rng.integers(10, 20, 200), np.full(200, few.missing_bin), rng.integers(0, 15, 200)])
    labels = (bins[2] == 12).astype(np.int16)
    data = DataSet(schema, bins.astype(np.uint8), labels, (), np.arange(200))
    stage = Stage(data, (), ((Interval("many", low=10.0), Missingness("few", missing=True)),))
    passes, wanted, _ = stage.local_tests(10)
    start = stage.features.candidate_start
    assert not passes[0, start[1] : start[2]].any()
    assert wanted[0].tolist() == [True, False, True]


def test_literals_have_keys_of_their_own():
    literals = []
    for f in range(8):
        for cut in range(1, 200):
            below = np.arange(N_CODES) < cut
            literals += [(f, below), (f, ~below)]
    keys = [int(literal_key(f, holds)) for f, holds in literals]
    assert len(set(keys)) == len(keys)
    assert keys == [int(literal_key(f, holds.copy())) for f, holds in literals]
