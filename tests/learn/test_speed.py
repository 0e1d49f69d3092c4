"""Learning speed of every candidate against scoring the rule set with and without it from scratch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.learn.stage import LIMITS, Stage, chosen_at, place, random_stage
from tests.strategies import seeds
from turs.learn.beam import own_gains
from turs.learn.candidate import rule_of
from turs.learn.speed import _overlap_gain, _rough_gains
from turs.mdl.logs import log2_table

slow = settings(deadline=None, max_examples=40)


def stages(**options):
    """Draw stages with these options."""
    return st.builds(
        random_stage,
        seeds,
        n_rows=st.integers(1, 60),
        n_classes=st.integers(2, 5),
        n_features=st.integers(1, 4),
        n_rules=st.integers(0, 5),
        n_bases=st.integers(0, 2),
        **options,
    )


def check_speeds(stage: Stage) -> int:
    """Compare gain, score, bits and sizes of every candidate that passed with the twin; return their number."""
    passes = stage.tested[0]
    main = stage.speeds(stage.n_candidates)
    n_checked = 0
    for b, base in enumerate(stage.naive):
        found = chosen_at(main, b)
        passed = [growth for growth in stage.growths(b) if passes[b, growth.number]]
        assert set(found) == {place(growth) for growth in passed}
        assert len(passed) == passes[b].sum()
        for growth in passed:
            score, gain, bits, coverage, newly = found[place(growth)]
            assert gain == pytest.approx(base.gain_bits(growth), abs=1e-7)
            assert score == pytest.approx(base.speed(growth), abs=1e-7)
            assert bits == pytest.approx(naive.rule_bits(growth.rule, stage.data.schema, stage.data.bins), abs=1e-9)
            assert (coverage, newly) == (len(base.cover(growth)), base.newly(growth))
        n_checked += len(passed)
    return n_checked


@slow
@given(stages(exponent=st.sampled_from([1.0, 0.5, 0.375])))
def test_every_candidate(stage):
    check_speeds(stage)


@slow
@given(stages(limits=st.just(LIMITS._replace(local_test=True))))
def test_candidates_that_pass_the_local_test(stage):
    check_speeds(stage)


@pytest.mark.parametrize(("seed", "n_rules", "n_patterns"), [(1, 0, 1), (1, 1, 2), (13, 8, 22), (15, 20, 66)])
def test_many_rows_and_patterns(seed, n_rules, n_patterns):
    stage = random_stage(seed, n_rows=400, n_classes=3, n_features=4, n_rules=n_rules, n_bases=1)
    assert len(stage.rows.patterns.members) == n_patterns
    assert check_speeds(stage) > 0


@slow
@given(stages(limits=st.just(LIMITS._replace(diverse=True))), st.integers(1, 12))
def test_main_beam_keeps_the_best_of_each_patience_cluster(stage, width):
    main = stage.speeds(width)
    for b, base in enumerate(stage.naive):
        growths = [growth for growth in stage.growths(b) if base.may_try(growth)]
        speeds = {place(growth): base.speed(growth) for growth in growths}
        clusters = {place(growth): base.cluster(growth, width) for growth in growths}
        best = naive.best_by_cluster((clusters[at], speeds[at]) for at in speeds)
        for w in range(width):
            if w not in best:
                assert main.score[b, w] == -np.inf
                continue
            at = tuple(main.integers[b, w, :4].tolist())
            assert clusters[at] == w
            assert main.score[b, w] == pytest.approx(best[w], abs=1e-7)
            assert speeds[at] == pytest.approx(best[w], abs=1e-7)


@slow
@given(stages())
def test_what_a_rule_saves_as_it_is(stage):
    rules, data = stage.naive[0].rules, stage.data
    before = naive.score(rules, data).total
    gains = own_gains(stage.rows, stage.features, stage.present, stage.bases)
    for gain, base in zip(gains, stage.bases, strict=True):
        after = (*rules, rule_of(base, "new", data.schema))
        assert gain == pytest.approx(before - naive.score(after, data).total, abs=1e-7)
    assert own_gains(stage.rows, stage.features, stage.present, []) == []


@given(seeds, st.integers(1, 5), st.integers(1, 40))
@settings(deadline=None)
def test_rough_gains_are_the_exact_ones_in_another_order(seed, n_classes, n_patterns):
    rng = np.random.default_rng(seed)
    whole, prefix = np.zeros((2, 2 * n_classes + 1, n_patterns), dtype=np.int32)
    for lines in (slice(0, n_classes), slice(n_classes + 1, None)):
        whole[lines] = rng.integers(0, 5, (n_classes, n_patterns))
        prefix[lines] = rng.integers(0, whole[lines] + 1)
    for tally in (whole, prefix):
        tally[n_classes] = tally[:n_classes].sum(axis=0)
    unions = np.zeros((n_classes + 1, n_patterns), dtype=np.int32)
    unions[:n_classes] = rng.integers(5, 9, (n_classes, n_patterns))
    unions[n_classes] = unions[:n_classes].sum(axis=0) + rng.integers(0, 9, n_patterns)
    below, above = rng.integers(5, 20, (2, n_classes))
    label_bits, log2s = rng.random((n_classes, n_patterns)), log2_table(1000)
    sizes, tables = (int(below.sum()), int(above.sum())), (unions, label_bits, log2s)
    sums = np.empty((2, n_patterns), dtype=np.int32)
    rough = _rough_gains(whole, prefix, below, above, *sizes, *tables, sums)
    exact = (
        _overlap_gain(whole, 1, prefix, below, sizes[0], *tables),
        _overlap_gain(whole, -1, prefix, above, sizes[1], *tables),
    )
    assert rough == pytest.approx(exact, abs=1e-9)
