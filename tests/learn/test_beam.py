"""One level of the search against the twin's candidates, and what must not change it."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.learn.stage import LIMITS, Stage, random_stage
from tests.strategies import seeds
from turs.data.dataset import DataSet
from turs.learn import beam
from turs.learn.arrays import COVERAGE, FEATURE, GAIN, NEWLY
from turs.learn.beam import Level, _best, _empty, _even_batches, _Grown, _joined, _test_batch, grow_level
from turs.learn.candidate import EMPTY, Candidate, rule_of

slow = settings(deadline=None, max_examples=30)
WIDTH = 5
DIVERSE = LIMITS._replace(diverse=True)
stages = st.builds(
    random_stage,
    seeds,
    n_rows=st.integers(5, 60),
    n_classes=st.integers(2, 4),
    n_features=st.integers(2, 4),
    n_rules=st.integers(0, 3),
    n_bases=st.integers(0, 4),
    limits=st.builds(DIVERSE._replace, local_test=st.booleans(), diverse=st.booleans()),
)


def level_of(stage: Stage, **options) -> Level:
    """Grow the base rules of a stage."""
    return grow_level(stage.rows, stage.features, stage.limits, stage.present, stage.bases, WIDTH, **options)


def described(level: Level) -> list[list[tuple]]:
    """Return everything that both beams hold, as plain values."""
    return [
        [(c.feature, c.holds.tobytes(), c.score, c.gain, c.newly, c.coverage) for c in candidates]
        for candidates in (level.main, level.auxiliary)
    ]


def condition(found: Candidate) -> frozenset:
    """Return what a candidate says, whatever the order of its literals."""
    return frozenset(zip(found.feature, map(bytes, found.holds), strict=True))


def grown_by(stage: Stage) -> list[list[Candidate]]:
    """Return all that the kernels chose for the base rules, in the main and in the auxiliary beam."""
    places = range(len(stage.bases))
    arguments = (stage.rows, stage.features, stage.limits, stage.present, stage.bases, places, WIDTH, -np.inf)
    tested = _test_batch(*arguments, threads=1)
    tested.score()
    [grown] = tested.grown
    chosen = (np.flatnonzero(score > -np.inf) for score in grown.chosen.score)
    return [list(grown.candidates(number, places)) for number, places in enumerate(chosen)]


@slow
@given(stages, st.floats(-20, 20))
def test_a_least_score_leaves_the_better_ones_as_they_are(stage, least):
    limits = stage.limits._replace(diverse=False, auxiliary=False)
    arguments = (stage.rows, stage.features, limits, stage.present, stage.bases, WIDTH)
    every, some = grow_level(*arguments), grow_level(*arguments, least=least)
    assert [(one.key, one.score, one.gain) for one in some.main] == [
        (one.key, one.score, one.gain) for one in every.main if one.score > least
    ]
    assert some.auxiliary == ()


@slow
@given(stages)
def test_beams_keep_the_best_of_what_the_base_rules_offer(stage):
    main, auxiliary = grown_by(stage)
    expected = []
    for candidates, sizes in ((main, [c.coverage for c in main]), (auxiliary, [c.newly for c in auxiliary])):
        offers = [
            naive.Offer(c.score, c.coverage, size, condition(c)) for c, size in zip(candidates, sizes, strict=True)
        ]
        expected.append([candidates[i] for i in naive.keep_best(offers, WIDTH, diverse=stage.limits.diverse)])
    assert described(level_of(stage)) == described(Level(*map(tuple, expected)))


@slow
@given(stages)
def test_keys_stand_for_conditions(stage):
    candidates = [found for grown in grown_by(stage) for found in grown]
    conditions = {condition(found) for found in candidates}
    assert len({found.key for found in candidates}) == len(conditions)
    assert len({(found.key, condition(found)) for found in candidates}) == len(conditions)
    assert EMPTY.key not in {found.key for found in candidates}


@slow
@given(stages)
def test_reported_gains_are_those_of_the_written_rules(stage):
    rules = stage.naive[0].rules
    before = naive.score(rules, stage.data).total
    taken = stage.naive[0].taken
    for found in level_of(stage).main:
        rule = rule_of(found, "new", stage.data.schema)
        assert found.gain == pytest.approx(before - naive.score((*rules, rule), stage.data).total, abs=1e-7)
        cover = naive.literals_cover(rule.literals, stage.data.schema, stage.data.bins)
        assert (found.coverage, found.newly) == (len(cover), len(cover - taken))


@slow
@given(stages, st.integers(2, 4))
def test_threads_and_batches_change_nothing(stage, threads):
    alone = described(level_of(stage))
    with ThreadPoolExecutor(threads) as executor, pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam, "_WORTH_THREADS", 0)
        assert described(level_of(stage, threads=threads, executor=executor)) == alone
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam, "_BATCH_CELLS", 1)
        assert described(level_of(stage)) == alone


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=30), st.integers(1, 6))
def test_batches_share_base_rules_evenly(shared_rows, n_batches):
    bases = [EMPTY._replace(coverage=rows + 5, newly=5) for rows in shared_rows]
    n_batches = min(n_batches, len(bases))
    batches = _even_batches(bases, n_batches)
    assert len(batches) == n_batches
    assert sorted(at for batch in batches for at in batch) == list(range(len(bases)))
    work = [sum(beam._WORK_OF_A_BASE + shared_rows[at] for at in batch) for batch in batches]
    last = [beam._WORK_OF_A_BASE + shared_rows[batch[-1]] for batch in batches]
    assert all(own - added <= min(work) for own, added in zip(work, last, strict=True))


@given(st.integers(0, 40), st.integers(1, 4))
def test_pieces_hold_every_base_rule_once_and_shrink(n_bases, threads):
    pieces = beam._pieces(n_bases, threads)
    assert [at for first, last in pieces for at in range(first, last)] == list(range(n_bases))
    sizes = [last - first for first, last in pieces]
    assert sizes == sorted(sizes, reverse=True)
    assert len(pieces) <= (1 if threads == 1 else n_bases)


@given(stages, st.integers(1, 4))
def test_features_are_divided_in_their_order(stage, n_parts):
    usable = [part.usable for part in beam._even_features(stage.features, n_parts)]
    assert len(usable) == n_parts
    np.testing.assert_array_equal(np.sum(usable, axis=0), stage.features.usable)
    order = [f for part in usable for f in np.flatnonzero(part)]
    assert order == sorted(order)


@pytest.mark.parametrize("seed", range(20))
def test_the_features_of_a_single_base_rule_are_shared_by_threads(seed):
    stage = random_stage(seed, n_rows=300, n_features=7, n_bases=1)
    with ThreadPoolExecutor(2) as executor, pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam, "_WORTH_THREADS", 0)
        shared = described(level_of(stage, threads=3, executor=executor))
    assert shared == described(level_of(stage))


def test_no_auxiliary_beam_unless_asked_for():
    assert level_of(random_stage(3)).auxiliary
    assert level_of(random_stage(3, limits=LIMITS._replace(auxiliary=False))).auxiliary == ()


def grown_from(bases: list[Candidate], scores: list[list[float]], coverages: list[list[int]]) -> _Grown:
    """Return chosen candidates with these scores and coverages; candidate w of a base is bin w of feature 0."""
    chosen = _empty(1, len(bases), len(scores[0]))
    chosen.score[0] = scores
    chosen.integers[..., FEATURE] = 0
    chosen.integers[0, :, :, COVERAGE] = coverages
    chosen.integers[..., NEWLY] = 1
    chosen.numbers[0, :, :, GAIN] = scores
    holds = np.zeros((*chosen.score.shape, 256), dtype=np.bool_)
    for b in range(len(bases)):
        for w in range(len(scores[0])):
            holds[0, b, w, 10 * b + w] = True
    keys = np.arange(1, chosen.score.size + 1, dtype=np.uint64).reshape(chosen.score.shape)
    return _Grown(bases, range(len(bases)), chosen, holds, np.full(chosen.score.shape, -1), keys)


def bins_of(candidates: tuple[Candidate, ...]) -> list[int]:
    """Return the bin of each candidate's last literal."""
    return [int(np.flatnonzero(found.holds[-1])[0]) for found in candidates]


def test_ties_go_to_coverage_then_base_rule_then_candidate():
    grown = grown_from([EMPTY, EMPTY], [[1.0, 1.0, 2.0], [1.0, 1.0, -np.inf]], [[5, 5, 1], [5, 6, 9]])
    assert bins_of(_best(grown, 0, 9, False)) == [2, 11, 0, 1, 10]
    assert bins_of(_best(grown, 0, 2, False)) == [2, 11]
    first, second = grown_from([EMPTY], [[1.0]], [[5]]), grown_from([EMPTY], [[1.0]], [[5]])
    second.holds[0, 0, 0] = np.roll(second.holds[0, 0, 0], 7)
    second.key[:] = 7
    assert bins_of(_best(_joined([first, second]), 0, 9, False)) == [0, 7]


def test_clusters_of_equal_number_give_their_best():
    grown = grown_from([EMPTY], [[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]], [[60, 50, 40, 30, 20, 10]])
    assert bins_of(_best(grown, 0, 3, True)) == [0, 2, 4]
    assert bins_of(_best(grown, 0, 3, False)) == [0, 1, 2]
    assert bins_of(_best(grown, 0, 6, True)) == [0, 1, 2, 3, 4, 5]


def test_the_same_condition_comes_once():
    twice = grown_from([EMPTY, EMPTY], [[1.0], [2.0]], [[5], [5]])
    twice.holds[0, 1] = twice.holds[0, 0]
    twice.key[0, 1] = twice.key[0, 0]
    found = _best(twice, 0, 9, False)
    assert [c.score for c in found] == [2.0]


def test_duplicate_columns_go_to_the_first():
    stage = random_stage(1, n_features=3)
    schema, bins = stage.data.schema, stage.data.bins
    twins = tuple(replace(feature, name=f"{feature.name} again") for feature in schema.features)
    doubled = DataSet(
        replace(schema, features=(*schema.features, *twins)),
        np.concatenate((bins, bins)),
        stage.data.labels,
        (),
        stage.data.rows,
    )
    level = level_of(Stage(doubled, (), ((),), limits=DIVERSE))
    assert level.main
    assert {found.feature[0] for found in level.main} <= {0, 1, 2}
