"""Local tests and complementary scores of every candidate against the formulas on rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.learn.stage import LIMITS, Stage, chosen_at, place, random_stage
from tests.strategies import seeds
from turs.learn.arrays import Chosen
from turs.learn.beam import _empty
from turs.learn.local_test import (
    add_bin,
    add_universe,
    bin_sizes,
    left_of_rest,
    local_bits,
    offer,
    take_away,
    two_sides,
)
from turs.learn.settings import Constraints

slow = settings(deadline=None, max_examples=40)
NEAR = 1e-9
"""Differences below this are ties that rounding may decide either way."""


def stages(**options):
    """Draw stages with these options."""
    return st.builds(
        random_stage,
        seeds,
        n_rows=st.integers(1, 70),
        n_classes=st.integers(2, 4),
        n_features=st.integers(1, 4),
        n_rules=st.integers(0, 3),
        n_bases=st.integers(0, 2),
        **options,
    )


local = stages(limits=st.just(LIMITS._replace(local_test=True)))
every_limit = stages(
    limits=st.builds(
        LIMITS._replace,
        local_test=st.booleans(),
        auxiliary=st.booleans(),
        least_coverage=st.integers(1, 12),
        most_literals=st.integers(0, 3),
    ),
    exponent=st.sampled_from([1.0, 0.5, 0.375]),
)


def check_passes(stage: Stage) -> None:
    """Compare which candidates pass with the twin."""
    passes, wanted, _ = stage.tested
    for b, base in enumerate(stage.naive):
        expected = np.zeros(stage.n_candidates, dtype=np.bool_)
        for growth in filter(base.may_try, stage.growths(b)):
            saved = base.test_bits(growth) if stage.limits.local_test else 1.0
            expected[growth.number] = passes[b, growth.number] if abs(saved) < NEAR else saved > 0
        np.testing.assert_array_equal(passes[b], expected)
        start = stage.features.candidate_start
        assert wanted[b].tolist() == [passes[b, start[f] : start[f + 1]].any() for f in range(len(start) - 1)]


@slow
@given(local)
def test_candidates_that_pass(stage):
    check_passes(stage)


@slow
@given(every_limit)
def test_candidates_that_pass_under_other_settings(stage):
    check_passes(stage)


@slow
@given(every_limit)
def test_complementary_scores(stage):
    auxiliary = stage.tested[2]
    for b, base in enumerate(stage.naive):
        found = chosen_at(auxiliary, b)
        uncovered = len(base.rows - base.taken)
        known = set()
        for growth in filter(base.may_try, stage.growths(b)):
            known.add(place(growth))
            saved = base.test_bits(growth, without=base.taken) if stage.limits.local_test else 1.0
            if abs(saved) < NEAR:
                continue
            newly = base.newly(growth)
            expected = stage.limits.auxiliary and newly < uncovered and saved > 0
            assert (place(growth) in found) == expected
            if expected:
                score, gain, bits, coverage, newly_found = found[place(growth)]
                assert gain == pytest.approx(base.gain_bits(growth, without=base.taken), abs=1e-7)
                assert score == pytest.approx(base.speed(growth, without=base.taken), abs=1e-7)
                assert bits == pytest.approx(naive.rule_bits(growth.rule, stage.data.schema, stage.data.bins), abs=1e-9)
                assert (coverage, newly_found) == (len(base.cover(growth)), newly)
        assert set(found) <= known


@slow
@given(stages(limits=st.just(LIMITS._replace(diverse=True))), st.integers(1, 12))
def test_auxiliary_beam_keeps_the_best_of_each_patience_cluster(stage, width):
    auxiliary = stage.local_tests(width)[2]
    for b, base in enumerate(stage.naive):
        growths = [growth for growth in stage.growths(b) if base.may_try(growth)]
        growths = [growth for growth in growths if base.newly(growth) < len(base.rows - base.taken)]
        speeds = {place(growth): base.speed(growth, without=base.taken) for growth in growths}
        clusters = {place(growth): base.cluster(growth, width, without=base.taken) for growth in growths}
        best = naive.best_by_cluster((clusters[at], speeds[at]) for at in speeds)
        for w in range(width):
            if w not in best:
                assert auxiliary.score[b, w] == -np.inf
                continue
            at = tuple(auxiliary.integers[b, w, :4].tolist())
            assert clusters[at] == w
            assert auxiliary.score[b, w] == pytest.approx(best[w], abs=1e-7)
            assert speeds[at] == pytest.approx(best[w], abs=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_constraints(seed):
    plain = random_stage(seed, n_features=4)
    features = plain.data.schema.features
    numeric = [feature.name for feature in features if not feature.is_categorical]
    constraints = Constraints(
        unused=(features[seed % 4].name,), directions={name: (">=", "<")[k % 2] for k, name in enumerate(numeric)}
    )
    check_passes(random_stage(seed, n_features=4, constraints=constraints))


def test_bits_of_class_counts():
    stage = random_stage(2, n_rows=60, n_classes=3)
    log2s, regrets = stage.present.log2s, stage.present.regrets
    rng = np.random.default_rng(0)
    for _ in range(30):
        counts = rng.integers(0, 10, 3)
        part = rng.integers(0, counts + 1)
        whole = counts + rng.integers(0, 9, 3)
        expected = own_bits(counts - part)
        assert local_bits(log2s, regrets, counts, -1, part) == pytest.approx(expected, abs=1e-9)
        assert local_bits(log2s, regrets, part, 1, counts - part) == pytest.approx(own_bits(counts), abs=1e-9)
        assert two_sides(log2s, regrets, counts, part) == pytest.approx((own_bits(part), expected), abs=1e-9)
        assert left_of_rest(log2s, regrets, whole, counts, part) == pytest.approx(
            own_bits(whole - counts + part), abs=1e-9
        )


def own_bits(counts: np.ndarray) -> float:
    """Return the bits of class counts as a model of their own, from the twin."""
    labels = np.repeat(np.arange(counts.size), counts).tolist()
    return naive.own_bits(range(len(labels)), labels, counts.size)


@slow
@given(local)
def test_sizes_and_universes_of_features(stage):
    for b, base in enumerate(stage.naive):
        for f, feature in enumerate(stage.data.schema.features):
            slots = slice(stage.features.slot_start[f], stage.features.slot_start[f + 1])
            counts = stage.base(b).by_bin[slots]
            codes = base.codes(f)
            sizes = np.full(256, -1, dtype=np.int64)
            low, high = bin_sizes(feature.n_bins, counts, sizes)
            assert sizes[: feature.n_bins + 2].tolist() == [codes.count(v) for v in range(feature.n_bins + 2)]
            known = [code for code in codes if code < feature.n_bins]
            assert (low, high) == ((min(known), max(known)) if known else (0, -1))
            allowed = np.random.default_rng(len(codes)).random(256) < 0.5
            column = stage.data.bins[f]
            for is_whole in (False, True):
                rows = {i for i in base.rows if is_whole or (column[i] < feature.n_bins and allowed[column[i]])}
                free, both = np.full((2, base.n_classes), 7)
                add_universe(feature.n_bins, counts, allowed, is_whole, free, both)
                assert both.tolist() == naive.class_counts(rows, base.labels, base.n_classes)
                assert free.tolist() == naive.class_counts(rows - base.taken, base.labels, base.n_classes)


def test_taking_away():
    rest = np.zeros(3, dtype=np.int64)
    take_away(np.array([5, 6, 7]), np.array([1, 0, 7]), rest)
    assert rest.tolist() == [4, 6, 0]


def test_adding_a_bin():
    counts = np.arange(12, dtype=np.int32).reshape(2, 2, 3)
    free, both = np.ones(3, dtype=np.int64), np.ones(3, dtype=np.int64)
    add_bin(counts, 1, free, both)
    assert free.tolist() == [7, 8, 9]
    assert both.tolist() == [1 + 6 + 9, 1 + 7 + 10, 1 + 8 + 11]


def offered(scores, width, cluster=-1) -> Chosen:
    """Offer numbered candidates with these scores."""
    chosen = _empty(1, width)
    for number, score in enumerate(scores):
        described = (number, 1, 2, 3, 4, 5)
        offer(*(part[0] for part in chosen), cluster, float(score), 2.0 * score, 3.0 * score, described)
    return chosen


@given(st.lists(st.integers(-3, 3), max_size=12), st.integers(1, 6))
@settings(deadline=None)
def test_the_best_are_kept_in_order_and_the_first_of_equals_stays(scores, width):
    chosen = offered(scores, width)
    best = sorted(range(len(scores)), key=lambda number: (-scores[number], number))[:width]
    assert chosen.score[0].tolist() == [*(scores[k] for k in best), *[-np.inf] * (width - len(best))]
    assert chosen.integers[0, : len(best)].tolist() == [[k, 1, 2, 3, 4, 5] for k in best]
    assert chosen.numbers[0, : len(best)].tolist() == [[2.0 * scores[k], 3.0 * scores[k]] for k in best]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.integers(0, 2))
@settings(deadline=None)
def test_a_cluster_keeps_the_first_of_its_best(scores, cluster):
    chosen = offered(scores, 3, cluster)
    assert chosen.score[0, cluster] == max(scores)
    assert chosen.integers[0, cluster, 0] == scores.index(max(scores))
    assert np.delete(chosen.score[0], cluster).tolist() == [-np.inf, -np.inf]
