"""The Stability page: random picks as the engine has them, before and after the edits."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.cases import edited, overlapping, shown
from tests.ui.driving import PATIENCE, assert_whole, button_keys, markup
from turs.data import read_table
from turs.editing import AddRule
from turs.evaluate.forecast import Forecast
from turs.evaluate.random_pick import PickDistribution, sample_picks
from turs.rules.text import parse_condition
from turs.shipped import shipped
from turs.ui import numbers, overlap_panel
from turs.ui.overlap_view import Chosen, gravest, shared
from turs.ui.stability_view import (
    N_SAMPLES,
    Picked,
    change_lines,
    change_table,
    class_lines,
    class_table,
    flipping_rows,
    overlap_data,
    overlap_table,
    picks_on,
    sampling_of,
    verdict,
)


@pytest.mark.parametrize("part", ["training", "validation"])
def test_rows_that_could_flip_are_those_the_engine_counts(part: str) -> None:
    model = edited()
    picks = picks_on(model.session.state.evaluation, part)
    assert picks is not None
    frame = flipping_rows(model, part)
    assert len(frame) == picks.n_rows_can_change > 0
    for line in frame.itertuples(index=False):
        answers = {pair.split(": ")[1] for pair in line[2].split(", ")}
        assert answers != {line[1]}
    assert frame["class"].tolist() == model.study.table.frame["class"].iloc[frame["row"] - 1].tolist()


def test_numbers_before_and_after_the_edits() -> None:
    model = edited()
    learned = model.session.learned.evaluation.random_pick_evaluation
    now = model.session.state.evaluation.random_pick_evaluation
    assert learned is not None
    assert now is not None
    lines, tones = change_lines(learned, now)
    assert lines[0][1:3] == (numbers.auc(learned.union.value), numbers.auc(now.union.value))
    assert lines[1][1:3] == (numbers.auc(learned.expected.value), numbers.auc(now.expected.value))
    assert change_table(learned, now)["now"].tolist()[:2] == [now.union.value, now.expected.value]
    better = now.union.value > learned.union.value
    assert tones[0] == ("good" if better else "bad")
    versions = {"now": Picked(now, None), "learned": Picked(learned, None)}
    table = class_table(versions, model.study.schema.classes)
    assert tuple(table["union now"]) == (now.union.value, *now.union.by_class)
    assert tuple(table["random pick learned"]) == (learned.expected.value, *learned.expected.by_class)
    assert overlap_table(now)["part of the difference"].sum() == pytest.approx(now.difference)
    first = overlap_data(now)["lines"][0]
    assert tuple(first["rules"]) == now.overlaps[0].rules
    assert first["cells"][1] == numbers.small(now.overlaps[0].auc_part)


def test_of_two_classes_the_auc_is_shown_once() -> None:
    picks = edited().session.state.evaluation.random_pick_training
    versions = {"now": Picked(picks, None)}
    three = class_table(versions, ("a", "b", "0"))
    assert [line[0] for line in class_lines(three, versions)[1]] == ["all classes", "a", "b", "class 0"]
    assert [line[0] for line in class_lines(three.head(3), versions)[1]] == ["all classes"]


def test_the_verdict_names_the_overlap_to_begin_with() -> None:
    picks = edited().session.state.evaluation.random_pick_training
    first, second = verdict(picks, 100, "training")
    assert numbers.auc(picks.expected.value) in first
    assert f"about {numbers.about(picks.n_rows_expected_to_change)} of 100 rows" in first
    if abs(picks.difference) > 0.005 or picks.n_rows_expected_to_change > 1:
        assert " ∧ ".join(picks.overlaps[0].rules) in second
    else:
        assert "agree" in second
    alone = overlapping(("age < 30", "age >= 60")).session.state.evaluation.random_pick_training
    assert "nothing to pick from" in verdict(alone, 100, "training")[0]


def test_rules_that_are_surely_far_apart_do_not_agree_although_no_class_changes(app: AppTest) -> None:
    frame = read_table(shipped("sample_data") / "readmission.csv").frame.rename(columns={"readmitted": "class"})
    learned = (
        "creatinine >= 1.55",
        '"earlier admissions" >= 1.5 AND age >= 63.5',
        'ward in {oncology} AND "lives alone" in {yes}',
    )
    model = overlapping(learned, frame)
    for part in ("training", "validation"):
        assert gravest(model, part) is None
    shown(app, model, "5_Stability.py")
    assert "can be read on its own" in markup(app)
    model.session.apply(AddRule(parse_condition("age >= 60 AND ward in {oncology}", model.study.schema)))
    far = gravest(model, "validation")
    assert far is not None
    assert far.rules == ("r3", "r4")
    chosen = Chosen(far.rules, True)
    here, there = shared(model, chosen, "training"), shared(model, chosen, "validation")
    assert here is not None
    assert "more than chance explains" in overlap_panel.verdict(model, chosen, here, there)[0]
    app.run()
    assert_whole(app)
    said = f"r3 ∧ r4 are up to {here.distance:.2f} apart, more than chance explains: look at this overlap"
    assert said in markup(app)
    assert "<b>No predicted classes change" in markup(app)
    assert "can be read on its own" not in markup(app)


def test_the_spread_of_each_class_now_and_after_learning(app: AppTest) -> None:
    model = edited()
    shown(app, model, "5_Stability.py")
    evaluation, before = model.session.state.evaluation, model.session.learned.evaluation
    assert evaluation.evaluation is not None
    assert before.evaluation is not None
    for forecast in (evaluation.evaluation, before.evaluation):
        picks = sample_picks(forecast, N_SAMPLES, 0)
        for spread in (picks, *picks.by_class):
            assert f"<td>{numbers.auc(spread.low)} to {numbers.auc(spread.high)}</td>" in markup(app)


def test_many_picks_are_sampled_on_request(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turs.ui.stability_view._QUICK", 0)
    model = edited()
    shown(app, model, "5_Stability.py")
    assert "95 % of picks" not in markup(app)
    app.button(key="sample-picks").click().run()
    assert sampling_of(model, "validation").wait(PATIENCE)
    app.run()
    assert_whole(app)
    assert "95 % of picks" in markup(app)


def test_sampling_shows_how_far_it_is_and_can_be_stopped(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def held(forecast: Forecast, n_samples: int, seed: int, *, on_progress: Any, should_stop: Any) -> PickDistribution:
        def tell(n: int) -> None:
            on_progress(n)
            go_on.wait(PATIENCE)

        return sample_picks(forecast, n_samples, seed, on_progress=tell, should_stop=should_stop)

    monkeypatch.setattr("turs.ui.stability_view._QUICK", 0)
    monkeypatch.setattr("turs.evaluate.random_pick._CELLS", 1)  # one sample at a time
    monkeypatch.setattr("turs.ui.sampling.sample_picks", held)
    model = edited()
    shown(app, model, "5_Stability.py")
    app.button(key="sample-picks").click().run()
    assert_whole(app)
    assert "Picks are being sampled" in app.get("progress")[0].proto.text
    app.button(key="stop-sampling").click().run()
    assert app.button(key="stop-sampling").disabled
    go_on.set()
    sampling = sampling_of(model, "validation")
    assert sampling.wait(PATIENCE)
    assert [len(found.values) for found in sampling.found] == [1, 1]
    app.run()
    assert_whole(app)
    assert "95 % of picks" in markup(app)


def test_rows_and_the_way_to_an_overlap(app: AppTest) -> None:
    model = edited()
    shown(app, model, "5_Stability.py")
    picks = model.session.state.evaluation.random_pick_evaluation
    assert picks is not None
    app.toggle(key="show-flips").set_value(True).run()
    assert len(app.dataframe[0].value) == picks.n_rows_can_change
    rules = picks.overlaps[0].rules
    app.session_state["chosen-overlap"], app.session_state["chosen-leap"] = Chosen(rules, True), True
    app.run()
    assert_whole(app)
    assert f'<div class="t-title">{" ∧ ".join(rules)}' in markup(app)


def test_without_overlaps(app: AppTest) -> None:
    shown(app, overlapping(("age < 30", "age >= 60")), "5_Stability.py")
    assert "nothing to pick from" in markup(app)
    assert "sample-picks" not in button_keys(app)
