"""Generated tables with known rules, and the measurements on tiny ones."""

from __future__ import annotations

import numpy as np
import pytest

from turs.benchmark.edits import CLASSES, edit_table, from_scratch, opened_anew, run_edits, thirty_rules
from turs.benchmark.every_edit import every_edit, with_levels
from turs.benchmark.generate import generate, true_rules
from turs.benchmark.learners import DEFAULT, PAPER
from turs.benchmark.scale import TWO_THREADS, Size, exponent, planned_sizes, run_scale
from turs.cover.covers import rule_cover
from turs.data import learning_data
from turs.editing import Session
from turs.editing.document import KINDS
from turs.learn.learner import learn
from turs.learn.settings import Settings


def test_generated_tables_are_seeded_and_follow_their_rules():
    table = generate(5_000, 10, 3, 6, seed=4)
    assert table.frame.shape == (5_000, 11)
    assert table.frame.equals(generate(5_000, 10, 3, 6, seed=4).frame)
    assert not table.frame.equals(generate(5_000, 10, 3, 6, seed=5).frame)
    assert table.rules == true_rules(10, 3, 6, seed=4)
    labels = table.frame["class"].to_numpy()
    for rule, cover in zip(table.rules, table.covers, strict=True):
        expected = np.ones(5_000, dtype=bool)
        for feature, low, high in rule.intervals:
            values = table.frame[f"x{feature + 1}"].to_numpy()
            expected &= (values >= low) & (values < high)
        np.testing.assert_array_equal(cover, expected)
        shares = np.bincount(labels[cover], minlength=3) / cover.sum()
        np.testing.assert_allclose(shares, rule.probabilities, atol=0.06)
    assert (table.covers.sum(axis=0) > 1).any()


def test_rules_that_overlap_agree():
    table = generate(4_000, 12, 4, 12, seed=1)
    for first, rule in enumerate(table.rules):
        for second in range(first):
            if (table.covers[first] & table.covers[second]).any():
                assert table.rules[second].probabilities == rule.probabilities


def test_the_true_rules_are_found():
    table = generate(20_000, 10, 2, 3, seed=2)
    found = learn(learning_data(table.frame, "class"), Settings(search="paper")).rule_set
    assert {literal.feature for rule in found.rules for literal in rule.literals} == {
        f"x{feature + 1}" for rule in table.rules for feature, _, _ in rule.intervals
    }


def test_exponents():
    assert exponent([10, 100, 1000], [2.0, 20.0, 200.0]) == pytest.approx(1.0)
    assert exponent([10, 100], [1.0, 100.0]) == pytest.approx(2.0)
    assert exponent([10], [1.0]) is None


def test_sizes_vary_one_thing_at_a_time():
    sizes = planned_sizes([100, 1_000, 10_000])
    assert [size.rows for axis, size in sizes if axis == "rows"] == [100, 1_000, 10_000]
    assert all(size.rows == 1_000 for axis, size in sizes if axis != "rows")
    assert len({size.features for axis, size in sizes if axis == "features"}) == 3


def test_edits_are_timed_on_a_tiny_table():
    rows = run_edits([400], seed=2, limit=120.0)
    assert [(row["classes"], row["status"]) for row in rows] == [(4, "ok"), (8, "ok")], rows
    table = edit_table(rows[:1])
    lines = [dict(zip(table.columns, line, strict=True)) for line in table.rows]
    edits = {line["edit"]: line for line in lines if line["from scratch ms"] is not None}
    kinds = {name: {type(edit(n)) for n in range(10)} for name, edit in every_edit(levelled_session())}
    assert list(edits) == list(kinds)
    assert len(set().union(*kinds.values())) == len(KINDS) - 1  # all but the unlock
    for line in edits.values():
        for way in ("from scratch", "opened anew"):
            assert line[f"{way} / edit"] == pytest.approx(line[f"{way} ms"] / line["edit ms"])
    assert edit_table([{"rows": 400, "classes": 4, "status": "timeout"}]).rows[0][4] == "timeout"


def levelled_session() -> Session:
    session, _, _ = thirty_rules(400, 8, 2)
    with_levels(session)
    return session


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("n_classes", CLASSES)
def test_every_edit_can_be_made_and_is_another_one_each_time(seed, n_classes):
    session, _, _ = thirty_rules(300, n_classes, seed)
    with_levels(session)
    for name, edit in every_edit(session):
        made = [edit(n) for n in range(6)]
        assert len(set(made)) == 6, name
        for one in made:
            session.preview(one)


def test_from_scratch_is_what_the_edit_gives():
    session = levelled_session()
    for name, edit in every_edit(session):
        state = session.preview(edit(1)).after
        for way in (from_scratch, opened_anew):
            evaluation, seconds = way(state)
            assert seconds > 0
            assert evaluation is not state.evaluation
            assert evaluation.score == state.score, name
            assert evaluation.headline == state.evaluation.headline


def test_the_session_that_is_timed_has_the_true_rules():
    session, data, validation = thirty_rules(2_000, 4, 3)
    table = generate(2_000, 20, 4, 30, seed=3)
    for rule, cover in zip(session.version.rules, table.covers, strict=True):
        np.testing.assert_array_equal(rule_cover(rule, data.schema, data.bins), cover)
    assert validation.n_rows == 500


def test_measurements_on_tiny_tables(monkeypatch):
    monkeypatch.setattr("turs.benchmark.scale.planned_sizes", lambda rows: [("rows", Size(rows[0]))])
    seen = []
    rows = run_scale([500], seed=2, limit=120.0, on_done=lambda row, done, total: seen.append((done, total)))
    assert {row["learner"] for row in rows} == {PAPER, DEFAULT, TWO_THREADS}
    for row in rows:
        assert row["status"] == "ok", row
        assert row["fit_s"] > 0
        assert row["peak_mb"] >= row["before_mb"] > 0
    assert seen[-1][0] == seen[-1][1]
    one = next(row for row in rows if row["learner"] == PAPER and row["varied"] == "rows")
    two = next(row for row in rows if row["learner"] == TWO_THREADS)
    assert one["total_bits"] == two["total_bits"]
