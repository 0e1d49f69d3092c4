"""The search for one rule: what it returns, when it ends, and which base rules it grows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.learn.stage import LIMITS, random_stage
from tests.strategies import seeds
from turs.learn import single_rule
from turs.learn.beam import Level, grow_level
from turs.learn.candidate import EMPTY, Candidate, rule_of
from turs.learn.single_rule import learn_rule

WIDTH = 4
stages = st.builds(
    random_stage,
    seeds,
    n_rows=st.integers(5, 80),
    n_classes=st.integers(2, 4),
    n_rules=st.integers(0, 3),
    n_bases=st.just(0),
    limits=st.builds(LIMITS._replace, diverse=st.booleans(), local_test=st.booleans()),
)


def learned(stage, *, on_level=lambda level, found: False, patience=2):
    """Return the candidates for one rule on a stage."""
    return learn_rule(
        stage.rows, stage.features, stage.limits, stage.present, width=WIDTH, patience=patience, on_level=on_level
    )


@settings(deadline=None, max_examples=30)
@given(stages)
def test_the_main_beams_of_all_levels_are_returned_with_their_true_gains(stage):
    seen: list[Candidate] = []

    def recorded(*arguments):
        level = grow_level(*arguments)
        seen.extend(level.main)
        return level

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(single_rule, "grow_level", recorded)
        found_ones = learned(stage)
    assert [id(found) for found in found_ones] == [id(found) for found in seen]
    rules = stage.naive[0].rules
    before = naive.score(rules, stage.data).total
    for found in found_ones:
        after = (*rules, rule_of(found, "new", stage.data.schema))
        assert found.gain == pytest.approx(before - naive.score(after, stage.data).total, abs=1e-7)


def scripted(monkeypatch, main, auxiliary=()):
    """Let every level give one new candidate with the next of these scores; return the base rules of each level."""
    grown: list[list[Candidate]] = []

    def level(rows, features, limits, present, bases, *_):
        grown.append(list(bases))
        at = len(grown) - 1

        def beam(scores, feature):
            if at >= len(scores):
                return ()
            holds = np.zeros((1, 256), dtype=np.bool_)
            return (Candidate((feature,), holds, score=scores[at], gain=1.0, newly=1, key=feature + 1),)

        return Level(beam(main, 2 * at), beam(auxiliary, 2 * at + 1))

    monkeypatch.setattr(single_rule, "grow_level", level)
    return grown


@pytest.mark.parametrize(
    ("main", "auxiliary", "patience", "n_levels"),
    [
        ([5, 4, 3, 2, 1], [], 1, 2),
        ([5, 4, 3, 2, 1], [], 2, 3),
        ([5, 4, 6, 2, 1], [], 2, 5),
        ([5, 5, 5, 5, 5], [], 2, 3),
        ([5, 4, 3, 2, 1], [1, 2, 3, 2, 1], 2, 5),
        ([1, 2, 3], [], 1, 4),
    ],
)
def test_it_ends_after_levels_without_a_better_score_in_both_beams(monkeypatch, main, auxiliary, patience, n_levels):
    grown = scripted(monkeypatch, main, auxiliary)
    learned(random_stage(0), patience=patience)
    assert len(grown) == n_levels


def test_both_beams_are_grown_further(monkeypatch):
    grown = scripted(monkeypatch, [1, 2, 3], [3, 2])
    learned(random_stage(0))
    assert [[base.feature for base in bases] for bases in grown] == [[()], [(0,), (1,)], [(2,), (3,)], [(4,)]]
    assert grown[0] == [EMPTY]


def test_no_condition_is_grown_twice(monkeypatch):
    same = Candidate((0,), np.ones((1, 256), dtype=np.bool_), score=1.0, gain=1.0, newly=1, key=5)
    calls = []

    def level(*arguments):
        calls.append(arguments)
        return Level((same,), (same,))

    monkeypatch.setattr(single_rule, "grow_level", level)
    assert learned(random_stage(0), patience=9)[0] is same
    assert [len(arguments[4]) for arguments in calls] == [1, 1]


def test_the_first_level_can_be_wider(monkeypatch):
    widths = []

    def level(rows, features, limits, present, bases, width, *_):
        widths.append(width)
        return grow_level(rows, features, limits, present, bases, width)

    monkeypatch.setattr(single_rule, "grow_level", level)
    stage = random_stage(3)
    options = {"width": WIDTH, "patience": 2, "on_level": lambda *_: False}
    learn_rule(stage.rows, stage.features, stage.limits, stage.present, first_width=9, **options)
    assert len(widths) > 1
    assert widths == [9, *[WIDTH] * (len(widths) - 1)]


def test_levels_are_told_and_can_end_the_search(monkeypatch):
    scripted(monkeypatch, [1, 2, 3, 4, 5])
    told = []

    def on_level(level, found):
        told.append((level, [one.score for one in found]))
        return level == 3

    found = learned(random_stage(0), on_level=on_level)
    assert told == [(1, [1]), (2, [1, 2]), (3, [1, 2, 3])]
    assert [one.score for one in found] == [1, 2, 3]


def test_nothing_to_find():
    assert learned(random_stage(0, limits=LIMITS._replace(most_literals=0))) == []
