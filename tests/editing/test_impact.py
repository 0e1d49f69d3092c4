"""The impact of an edit against what the rows themselves say."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import naive_editing
from tests.editing.cases import random_case, random_edit
from tests.strategies import seeds
from turs.data.dataset import labelled_data
from turs.editing import (
    AddRule,
    DeleteRule,
    Impact,
    LockRule,
    MergeRules,
    MoveCut,
    SideImpact,
    SplitRule,
    State,
    session_on,
)
from turs.editing.impact import farthest
from turs.editing.movement import compare_lines, count_pairs
from turs.errors import EditError, TursError
from turs.evaluate.evaluation import evaluate
from turs.evaluate.loss import log_loss
from turs.evaluate.plain import plain
from turs.predict import predict
from turs.rules import Interval


def rules_of_rows(state: State, validation: bool) -> list[frozenset[str]]:
    part = state.validation if validation else state.training
    assert part is not None
    lines = [frozenset(np.array(state.version.ids)[line].tolist()) for line in part.patterns.members]
    return [lines[p] for p in part.row_pattern.tolist()]


def probabilities_of_rows(state: State, validation: bool) -> np.ndarray:
    part = state.validation if validation else state.training
    assert part is not None
    forecast = state.evaluation.evaluation if validation else state.evaluation.training
    assert forecast is not None
    return np.asarray(forecast.probabilities[part.row_pattern])


def random_impact(seed: int, n_classes: int) -> tuple[Impact, np.random.Generator]:
    case = random_case(seed, n_rows=60, n_classes=n_classes, n_rules=3)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        try:
            case.session.apply(random_edit(rng, case.session.version))
        except TursError:
            continue
    try:
        return case.session.preview(random_edit(rng, case.session.version)), rng
    except TursError:
        assume(False)
        raise


@given(seeds, st.integers(2, 4), st.booleans())
@settings(max_examples=150)
def test_numbers_of_rows_that_change(seed: int, n_classes: int, validation: bool) -> None:
    impact, _ = random_impact(seed, n_classes)
    side = impact.validation if validation else impact.training
    assert side is not None
    before, after = (rules_of_rows(state, validation) for state in (impact.before, impact.after))
    p_before, p_after = (probabilities_of_rows(state, validation) for state in (impact.before, impact.after))
    other_rules = [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    other_probabilities = np.flatnonzero((np.abs(p_before - p_after) > 1e-12).any(axis=1)).tolist()
    other_class = np.flatnonzero(p_before.argmax(axis=1) != p_after.argmax(axis=1)).tolist()
    assert side.n_pattern_changed == len(other_rules)
    assert side.n_probability_changed == len(other_probabilities)
    assert side.n_class_changed == len(other_class)
    assert impact.changed_rows("pattern", validation=validation).tolist() == other_rules
    assert impact.changed_rows("probability", validation=validation).tolist() == other_probabilities
    assert impact.changed_rows("class", validation=validation).tolist() == other_class


@given(seeds, st.integers(2, 4), st.booleans())
@settings(max_examples=150)
def test_overlaps_and_else_rule(seed: int, n_classes: int, validation: bool) -> None:
    impact, _ = random_impact(seed, n_classes)
    side = impact.validation if validation else impact.training
    part = impact.before.validation if validation else impact.before.training
    assert side is not None
    assert part is not None
    labels = part.rows.data.labels.tolist()
    before, after = (rules_of_rows(state, validation) for state in (impact.before, impact.after))
    pairs = naive_editing.moved_pairs(before, after, labels)
    found = {frozenset(change.rules): change for change in side.overlaps}
    for rules in {*before, *after}:
        n_before, n_after = before.count(rules), after.count(rules)
        if len(rules) > 1 and n_before != n_after:
            change = found.pop(rules)
            assert (change.rows_before, change.rows_after) == (n_before, n_after)
            kind = "appears" if not n_before else "vanishes" if not n_after else None
            assert change.change == (kind or ("grows" if n_after > n_before else "shrinks"))
    assert not found
    nobody: frozenset[str] = frozenset()
    entered, left = [0] * n_classes, [0] * n_classes
    for (old, new, label), n in pairs.items():
        entered[label] += n if new == nobody != old else 0
        left[label] += n if old == nobody != new else 0
    assert (side.otherwise.entered, side.otherwise.left) == (tuple(entered), tuple(left))
    positions = part.rows.data.rows.tolist()
    ways = list(zip(positions, before, after, strict=True))
    enter = [row for row, old, new in ways if new == nobody != old]
    leave = [row for row, old, new in ways if old == nobody != new]
    assert impact.changed_rows("enters else", validation=validation).tolist() == enter
    assert impact.changed_rows("leaves else", validation=validation).tolist() == leave


@given(seeds, st.integers(2, 4))
@settings(max_examples=50)
def test_distances_are_those_of_the_rules(seed: int, n_classes: int) -> None:
    impact, _ = random_impact(seed, n_classes)
    for change in impact.training.overlaps:
        for state, distance in ((impact.before, change.distance_before), (impact.after, change.distance_after)):
            own = dict(zip(state.version.ids, state.evaluation.training.rule_probabilities, strict=True))
            if any(rule not in own for rule in change.rules):
                assert distance is None
                continue
            apart = max(
                0.5 * np.abs(own[a] - own[b]).sum() for a in change.rules for b in change.rules if a < b or a > b
            )
            assert distance == pytest.approx(apart, abs=1e-12)


def test_log_loss_and_bits_are_those_of_the_states() -> None:
    case = random_case(5, n_rules=3)
    impact = case.session.preview(DeleteRule("r2"))
    fresh = case.from_scratch(impact.after.version)
    assert impact.score_after == fresh.score
    assert impact.bits_change == impact.score_after.total_bits - impact.score_before.total_bits
    assert impact.training.log_loss[1] == log_loss(fresh.training.probabilities, fresh.training.rows.counts)
    (change,) = impact.rules
    assert change.id == "r2"
    assert change.before is not None
    assert change.after is None


def test_a_lock_changes_no_number() -> None:
    impact = random_case(5).session.preview(LockRule("r1"))
    assert impact.bits_change == 0.0
    assert impact.rules == ()
    assert impact.training.n_probability_changed == 0
    assert impact.training.auc_change() == type(impact.training.auc_change())(0.0, 0.0, 0.0)


def _bootstrap(side: SideImpact, p_before: np.ndarray, p_after: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Differences of AUC over rows drawn within each class, from the rows themselves."""
    rng = np.random.default_rng(1)
    classes = [np.flatnonzero(labels == c) for c in range(2)]
    differences = []
    for _ in range(1500):
        drawn = [rng.choice(rows, len(rows)) for rows in classes]
        aucs = []
        for p in (p_before[:, 1], p_after[:, 1]):
            above, below = p[drawn[1]][:, None], p[drawn[0]][None, :]
            aucs.append(((above > below) + 0.5 * (above == below)).mean())
        differences.append(aucs[1] - aucs[0])
    return np.array(differences)


def test_bootstrap_interval_is_that_of_drawn_rows() -> None:
    case = random_case(11, n_rows=160, n_rules=3)
    impact = case.session.preview(DeleteRule("r1"))
    side = impact.validation
    assert side is not None
    part = impact.before.validation
    assert part is not None
    p_before, p_after = (probabilities_of_rows(state, True) for state in (impact.before, impact.after))
    naive = _bootstrap(side, p_before, p_after, np.asarray(part.rows.data.labels))
    change = side.auc_change(n_samples=4000)
    low, high = np.quantile(naive, (0.025, 0.975))
    assert change.low <= change.change <= change.high
    width = high - low
    assert width > 0
    assert abs(change.low - low) < 0.12 * width
    assert abs(change.high - high) < 0.12 * width


def test_interval_depends_on_the_seed_alone() -> None:
    side, again = (random_case(11).session.preview(DeleteRule("r1")).training for _ in range(2))
    assert side.auc_change(seed=3) == side.auc_change(seed=3) == again.auc_change(seed=3)
    assert side.auc_change(seed=3) != side.auc_change(seed=4)


def test_what_cannot_be_asked_of_an_impact() -> None:
    impact = random_case(11).session.preview(DeleteRule("r1"))
    for asked in ({"n_samples": 0}, {"seed": -1}):
        with pytest.raises(EditError, match="once at least, from 0 on"):
            impact.training.auc_change(**asked)
    with pytest.raises(EditError, match="'colour' is nothing that changes of a row: use pattern, probability, class"):
        impact.changed_rows("colour")  # type: ignore[arg-type]  # no such thing


@pytest.mark.parametrize("n_validation", [1, 6])
def test_validation_rows_of_one_class(n_validation: int) -> None:
    """Without an AUC everything else is there."""
    case = random_case(4, n_rules=2)
    assert case.validation is not None
    one = case.validation[case.validation["y"] == "class 0"].iloc[:n_validation]
    session = session_on(case.session.learned.rule_set, case.training, one)
    impact = session.apply(DeleteRule("r1"))
    assert impact.validation is not None
    assert math.isnan(impact.validation.after.auc)
    assert math.isnan(impact.validation.auc_change().low)
    assert session.history.entry(1).validation_auc is None
    assert "no validation AUC: the rows hold one class only" in str(impact)
    assert sum(impact.validation.movement.n_rows) == n_validation
    assert np.isfinite(impact.validation.log_loss).all()


def test_a_table_of_one_row() -> None:
    case = random_case(4, n_rules=2)
    session = session_on(case.session.learned.rule_set, case.training.iloc[:1])
    literal = Interval("age", low=44.4)
    for edit in (AddRule((literal,)), SplitRule("r3", "age", 60.0), MergeRules("r3", "r4"), DeleteRule("r3")):
        impact = session.apply(edit)
        fresh = evaluate(session.version.rule_set, labelled_data(case.training.iloc[:1], session.state.rule_set.schema))
        assert session.state.score == fresh.score
        assert "no training AUC: the rows hold one class only" in str(impact)
    assert session.version == replace(session.learned.version, last_id=4)


@given(seeds)
def test_pairs_equal_their_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_before, n_after = int(rng.integers(0, 3000)), int(rng.integers(1, 60)), int(rng.integers(1, 60))
    before, after = rng.integers(n_before, size=n).astype(np.uint32), rng.integers(n_after, size=n).astype(np.uint32)
    labels = rng.integers(3, size=n).astype(np.int16)
    first, second, counts = count_pairs(before, after, labels, 3)
    found = {(p, q, c): n for p, q, line in zip(first, second, counts, strict=True) for c, n in enumerate(line) if n}
    expected = naive_editing.moved_pairs(before.tolist(), after.tolist(), labels.tolist())  # type: ignore[arg-type]  # numbers stand for sets of rules
    assert found == dict(expected)
    assert len({*zip(first.tolist(), second.tolist(), strict=True)}) == len(first)


@given(seeds, st.integers(2, 4))
@settings(max_examples=100)
def test_pairs_that_an_edit_leaves_behind_are_those_of_the_rows(seed: int, n_classes: int) -> None:
    impact, _ = random_impact(seed, n_classes)
    for part, side in ((impact.before.training, impact.training), (impact.before.validation, impact.validation)):
        assert part is not None
        assert side is not None
        moved = side.movement
        labels = part.rows.data.labels
        pairs = zip(moved.before.tolist(), moved.after.tolist(), moved.counts.tolist(), strict=True)
        found = {(p, q): line for p, q, line in pairs}
        first, second, counts = count_pairs(moved.row_before, moved.row_after, labels, n_classes)
        assert len(found) == len(moved.before)
        assert found == dict(zip(zip(first.tolist(), second.tolist(), strict=True), counts.tolist(), strict=True))


@given(seeds)
def test_largest_distances_equal_their_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rules = int(rng.integers(1, 8))
    apart = rng.random((2, n_rules, n_rules)).round(1)
    apart = np.minimum(apart, apart.transpose(0, 2, 1))
    gone = rng.random((2, n_rules)) < 0.15
    apart[gone[:, :, None] | gone[:, None]] = np.nan
    lines = rng.random((10, n_rules)) < 0.6
    largest = np.empty((2, 10))
    farthest(*apart, lines, largest)
    expected = [
        [naive_editing.farthest(part.tolist(), np.flatnonzero(line).tolist()) for line in lines] for part in apart
    ]
    np.testing.assert_array_equal(largest, expected)


@given(seeds)
def test_lines_compared_equal_their_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = (rng.integers(0, 2, (int(rng.integers(1, 5)), 3)) / 2 for _ in range(2))
    n = int(rng.integers(0, 20))
    of_left, of_right = rng.integers(len(left), size=n), rng.integers(len(right), size=n)
    left += rng.choice([0.0, 1e-13], left.shape)
    same = np.empty(n, dtype=np.bool_)
    compare_lines(left, of_left, right, of_right, 1e-12, same)
    expected = [
        all(abs(a - b) <= 1e-12 for a, b in zip(left[p], right[q], strict=True))
        for p, q in zip(of_left, of_right, strict=True)
    ]
    assert same.tolist() == expected


def test_two_versions_compare_as_the_edit_between_them() -> None:
    case = random_case(11, n_rules=3)
    impact = case.session.apply(DeleteRule("r1"))
    case.session.apply(DeleteRule("r2"))
    again = case.session.compare(0, 1)
    assert again.after.training.arrival is not impact.after.training.arrival
    assert again.training.auc_change() == impact.training.auc_change()
    assert tuple(again.training.overlaps) == tuple(impact.training.overlaps)
    assert again.training.n_probability_changed == impact.training.n_probability_changed


def test_overlaps_come_with_the_largest_change_first() -> None:
    case = random_case(7, n_rows=200, n_rules=4)
    changes = case.session.preview(DeleteRule("r1")).training.overlaps
    assert len(changes) > 2
    sizes = [abs(change.rows_after - change.rows_before) for change in changes]
    assert sizes == sorted(sizes, reverse=True)
    assert changes[:2] == (changes[0], changes[1])
    assert changes[-1] == tuple(changes)[-1]
    with pytest.raises(IndexError):
        changes[len(changes)]
    assert [line["rules"] for line in plain(changes)] == [list(change.rules) for change in changes]


def test_a_session_without_validation_rows() -> None:
    case = random_case(4, with_validation=False)
    impact = case.session.preview(DeleteRule("r1"))
    assert impact.validation is None
    assert impact.headline_after.evaluation is None
    assert impact.changed_rows(validation=True).tolist() == []


def test_the_model_of_a_session_predicts_what_the_session_shows() -> None:
    case = random_case(6)
    interval = next(
        (part for rule in case.session.version.rules for part in rule.literals if hasattr(part, "low")), None
    )
    assert interval is not None
    case.session.apply(DeleteRule("r3"))
    model = case.session.model()
    shown = probabilities_of_rows(case.session.state, False)
    np.testing.assert_array_equal(predict(model, case.data.bins).by_row(), shown)
    assert not math.isnan(case.session.state.score.total_bits)
    with pytest.raises(TursError):
        case.session.preview(MoveCut("r3", "age", low=3.0))


def test_forms_for_a_notebook() -> None:
    case = random_case(5, n_rules=3)
    impact = case.session.preview(DeleteRule("r2"))
    lines = str(impact).splitlines()
    assert lines[0] == impact.description
    assert lines[1].startswith(f"bits {impact.score_before.total_bits:,.1f} -> {impact.score_after.total_bits:,.1f}")
    assert impact._repr_html_().count("<li>") == len(lines) - 1
    assert str(impact.score_after).startswith(f"{impact.score_after.total_bits:,.1f} bits = ")
    assert "<td>ELSE</td>" in impact.score_after._repr_html_()
    rule_set = case.session.state.rule_set
    assert len(str(rule_set).splitlines()) == 3
    assert rule_set._repr_html_().count("<tr>") == 4
    assert str(case.session.preview(LockRule("r1"))) == "Lock r1"
