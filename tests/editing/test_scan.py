"""The scan of a literal against a preview of every version of it."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive_editing
from tests.editing.cases import Case, random_case, random_cut, random_edit
from tests.strategies import seeds
from turs.editing import (
    AddLiteral,
    AddRule,
    Edit,
    ReplaceLiteral,
    UnlockRule,
    cut_literals,
    fine_cuts,
    level_literals,
    round_cuts,
    scan,
)
from turs.editing.scan_kernel import ranges_by_bin, sort_by_bin
from turs.errors import EditError, TursError
from turs.rules.literal import Interval, LevelSet, Literal


def edited_case(seed: int, n_classes: int, with_validation: bool) -> Case:
    """Return a session after a few edits, some with typed cuts."""
    case = random_case(seed, n_rows=60, n_classes=n_classes, n_rules=4, with_validation=with_validation)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        try:
            case.session.apply(random_edit(rng, case.session.version))
        except TursError:
            continue
    for rule in sorted(case.session.version.locked & set(case.session.version.ids)):
        case.session.apply(UnlockRule(rule))
    return case


def check_points(case: Case, rule_id: str, literals: tuple[Literal, ...]) -> None:
    """Compare every point of a scan with a preview."""
    session = case.session
    features = [literal.feature for literal in session.version.rule(rule_id).literals]
    for literal, point in zip(literals, scan(session.state, rule_id, literals), strict=True):
        has = literal.feature in features
        edit: Edit = ReplaceLiteral(rule_id, literal.feature, literal) if has else AddLiteral(rule_id, literal)
        after = session.preview(edit)
        headline = after.headline_after
        assert point.literal == literal
        assert point.total_bits == pytest.approx(headline.total_bits, abs=1e-9)
        assert point.auc == pytest.approx(headline.training.auc, abs=1e-12, nan_ok=True)
        expected = headline.evaluation.auc if headline.evaluation is not None else float("nan")
        assert point.validation_auc == pytest.approx(expected, abs=1e-12, nan_ok=True)
        index = after.after.version.ids.index(rule_id)
        assert point.coverage == after.score_after.rules[index].coverage


@given(seeds, st.integers(2, 4), st.booleans())
@settings(max_examples=15)
def test_every_cut_and_level(seed: int, n_classes: int, with_validation: bool) -> None:
    case = edited_case(seed, n_classes, with_validation)
    rng = np.random.default_rng(seed)
    schema = case.session.state.rule_set.schema
    for rule in case.session.version.rules[:3]:
        for feature in schema.features:
            if feature.is_categorical:
                check_points(case, rule.id, level_literals(case.session.state, rule.id, feature.name))
                continue
            cuts = [*feature.cuts, *(random_cut(rng, feature) for _ in range(3))]
            for side in ("low", "high"):
                check_points(case, rule.id, cut_literals(case.session.state, rule.id, feature.name, side, cuts))


def test_fine_and_round_cuts_are_scanned_too() -> None:
    case = edited_case(12, 3, True)
    state = case.session.state
    for cuts in (fine_cuts(state, "dose (mg)", 30), round_cuts(state, "dose (mg)", 10)):
        assert 3 < len(cuts) <= 30
        check_points(case, state.version.ids[0], cut_literals(state, state.version.ids[0], "dose (mg)", "low", cuts))


def test_more_cuts_than_there_are_bins() -> None:
    case = random_case(8, n_rows=60)
    state = case.session.state
    cuts = np.linspace(0.01, 9.0, 400).round(3).tolist()
    literals = cut_literals(state, "r1", "dose (mg)", "low", cuts)
    assert len(literals) > 300
    points = scan(state, "r1", literals)
    assert [point.literal for point in points] == list(literals)
    some = slice(0, None, 37)
    assert points[some] == scan(state, "r1", literals[some])


def test_round_cuts_are_round() -> None:
    state = random_case(1).session.state
    ages = round_cuts(state, "age", 20)
    assert all(cut % 5 == 0 for cut in ages)
    assert {30.0, 50.0, 65.0} <= set(ages)
    assert len(round_cuts(state, "age", 5)) <= 6


def test_round_dates_begin_calendar_periods() -> None:
    state = random_case(1).session.state
    moments = [datetime.fromtimestamp(cut, UTC) for cut in round_cuts(state, "admitted", 20)]
    assert 5 <= len(moments) <= 20
    assert all((moment.day, moment.hour, moment.minute) == (1, 0, 0) for moment in moments)
    few = [datetime.fromtimestamp(cut, UTC) for cut in round_cuts(state, "admitted", 4)]
    assert [moment.month for moment in few] == [4, 7, 10]


@pytest.mark.parametrize("n_cuts", [0, -3, 2.5])
def test_at_least_one_cut_is_asked_for(n_cuts: int) -> None:
    state = random_case(1).session.state
    for cuts in (round_cuts, fine_cuts):
        with pytest.raises(EditError, match="ask for one at least"):
            cuts(state, "admitted", n_cuts)


def test_levels_go_in_and_out() -> None:
    state = random_case(1).session.state
    sets = level_literals(state, "r1", "smoker")
    assert all(isinstance(literal, LevelSet) and literal.levels for literal in sets)


def test_sides_that_would_meet_are_left_out() -> None:
    case = random_case(2)
    cuts = case.data.schema.feature("age").cuts
    case.session.apply(AddRule((Interval("age", cuts[1], cuts[3]),)))
    state = case.session.state
    assert [part.low for part in cut_literals(state, "r4", "age", "low", cuts)] == list(cuts[:3])
    assert [part.high for part in cut_literals(state, "r4", "age", "high", cuts)] == list(cuts[2:])
    with pytest.raises(EditError, match="no side"):
        cut_literals(state, "r4", "age", "left", cuts)


def test_a_scan_is_about_one_feature() -> None:
    state = random_case(2).session.state
    with pytest.raises(EditError, match="one feature"):
        scan(state, "r1", (Interval("age", low=50.0), Interval("dose (mg)", low=1.0)))
    with pytest.raises(EditError, match="no cuts"):
        fine_cuts(state, "ward")
    assert scan(state, "r1", ()) == ()


@given(seeds)
def test_rows_sorted_by_bin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(0, 60)), 3
    column, covered = rng.integers(0, 256, n).astype(np.uint8), rng.random(n) < 0.6
    row_pattern, labels = rng.integers(0, 5, n).astype(np.uint32), rng.integers(0, n_classes, n).astype(np.int16)
    group = rng.integers(0, 4, 5)
    found = sort_by_bin(column, covered, row_pattern, group, labels, n_classes)
    for v in range(256):
        rows = [i for i in range(n) if covered[i] and column[i] == v]
        expected = [int(group[row_pattern[i]]) * n_classes + int(labels[i]) for i in rows]
        assert found.code[found.start[v] : found.start[v + 1]].tolist() == expected


@given(seeds)
def test_ranges_equal_their_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_known = int(rng.integers(0, 60)), int(rng.integers(1, 8))
    column, other = rng.integers(0, 9, n).astype(np.uint8), rng.integers(0, n_known + 2, n).astype(np.uint8)
    covered = rng.random(n) < 0.6
    low, high = np.empty(256, dtype=np.int16), np.empty(256, dtype=np.int16)
    ranges_by_bin(column, other, n_known, covered, low, high)
    assert (low.tolist(), high.tolist()) == naive_editing.ranges_by_bin(
        column.tolist(), other.tolist(), n_known, covered.tolist()
    )
