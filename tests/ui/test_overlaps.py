"""The Overlaps page: its numbers are those of the engine, and it leads to the rules."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.cases import KIND, edited, overlapping, shown
from tests.ui.driving import assert_whole, button_keys, markup, studio
from turs.editing import DeleteRule
from turs.ui import numbers, overlap_view
from turs.ui.overlap_panel import telling
from turs.ui.overlap_view import (
    ORDERS,
    Chosen,
    exists,
    figure_data,
    figure_table,
    figure_words,
    first_chosen,
    ledger_data,
    ledger_of,
    ledger_places,
    ledger_table,
    ledger_words,
    matrix_data,
    matrix_table,
    overlap_name,
    shared,
    shared_rows,
)


def test_shared_rows_are_the_lines_of_the_ledger() -> None:
    model = edited()
    ledger = ledger_of(model)
    assert len(ledger) > 8
    for place in range(len(ledger)):
        line = ledger.tested(place)
        chosen = Chosen(line.rules, True)
        for part, side in (("training", line.training), ("validation", line.evaluation)):
            found = shared(model, chosen, part)
            assert found is not None
            if side is None:
                assert not found.observed.rows
                continue
            assert found.observed == side.observed
            assert found.union == side.union
            assert found.rules == side.rules
            assert found.distance == side.largest_distance
            assert found.p_value == side.p_value
            assert len(shared_rows(model, chosen, part)) == side.observed.rows


def test_a_pair_shares_all_rows_that_both_rules_cover() -> None:
    model = overlapping()
    frame = shared_rows(model, Chosen(("r1", "r2"), False), "training")
    assert ((frame["age"] >= 40) & (frame["age"] < 60) & (frame["dose"] < 0)).all()
    whole = model.study.frame_of("training")
    assert len(frame) == int(((whole["age"] >= 40) & (whole["age"] < 60) & (whole["dose"] < 0)).sum())
    pd.testing.assert_series_equal(
        frame["age"], model.study.table.frame["age"].iloc[frame["row"] - 1], check_index=False, check_names=False
    )
    for pair in matrix_table(model).itertuples(index=False):
        found = shared(model, Chosen((pair.rule, pair[1]), False), "training")
        assert found is not None
        assert found.observed.rows == pair[2]
        assert found.distance == pytest.approx(pair.distance, abs=1e-15)


def test_the_figure_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    model = overlapping()
    rows = np.sort(ledger_of(model).training.observed.sum(axis=1))[::-1]
    drawn = [column["rows"] for column in figure_data(model, None)["columns"]]
    assert drawn == rows[rows > 0].tolist()
    assert figure_words(model).startswith(f"all {len(drawn)} overlaps")
    monkeypatch.setattr(overlap_view, "MOST_COLUMNS", 3)
    words = figure_words(model)
    assert words.startswith(f"3 largest of {len(drawn)} overlaps with training rows; the other {len(drawn) - 3} hold")
    assert f"{int(rows[3:].sum())} rows" in words
    data = figure_data(model, None)
    assert not data["others"]
    assert len(data["columns"]) == 3
    assert {rule for column in data["columns"] for rule in column["rules"]} == set(data["rules"])


def test_the_selected_overlap_and_its_rules_are_in_the_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap_view, "MOST_COLUMNS", 3)
    monkeypatch.setattr(overlap_view, "MOST_RULES", 3)
    model = overlapping()
    for line in ledger_of(model):
        data = figure_data(model, Chosen(line.rules, True))
        (column,) = [column for column in data["columns"] if column["selected"]]
        assert tuple(column["rules"]) == line.rules
        assert column["rows"] == line.training.observed.rows
        assert column["apart"] == (len(data["columns"]) > 3)
        assert len(set(line.rules) & set(data["rules"])) == min(len(line.rules), 3)
        table = figure_table(model, Chosen(line.rules, True))
        assert table["overlap"].tolist() == [" ".join(column["rules"]) for column in data["columns"]]
        assert table["training rows"].tolist() == [column["rows"] for column in data["columns"]]
        assert table["distance"].tolist() == [column["distance"] for column in data["columns"]]


def test_figure_and_ledger_count_alike() -> None:
    model = edited()
    rows = ledger_of(model).training.observed.sum(axis=1)
    n, n_seen = len(rows), int((rows > 0).sum())
    assert f"all {n_seen} overlaps with training rows" in figure_words(model)
    words = ledger_words(model)
    assert words.startswith(f"every overlap: {n_seen} with training rows")
    assert (f", {n - n_seen} with validation rows only" in words) == (n > n_seen)


def test_the_matrix_is_that_of_the_engine() -> None:
    model = overlapping()
    matrix = model.session.state.evaluation.rule_matrix
    data = matrix_data(model, Chosen(("r1", "r3"), False))
    for i, line in enumerate(data["cells"]):
        for j, cell in enumerate(line):
            first, second = matrix.ids.index(data["rules"][i]), matrix.ids.index(data["rules"][j])
            assert cell["rows"] == (0 if i == j else matrix.shared_rows[first][second])
            assert cell["distance"] == matrix.distances[first][second]
            assert cell["selected"] == ({data["rules"][i], data["rules"][j]} == {"r1", "r3"})


@pytest.mark.parametrize("order", ORDERS)
def test_the_ledger_in_every_order(order: str) -> None:
    model = overlapping()
    ledger, side = ledger_of(model), ledger_of(model).training
    keys = {
        "bits lost": side.lost_bits,
        "rows": side.observed.sum(axis=1),
        "distance": side.largest_distance,
        "AUC change": np.abs(side.auc_change),
    }[order]
    places = ledger_places(model, order)
    assert sorted(places) == list(range(len(ledger)))
    assert (np.diff(keys[places]) <= 0).all()
    first, line = ledger_data(model, None, order)["lines"][0], ledger.tested(places[0])
    assert tuple(first["rules"]) == line.rules
    assert line.evaluation is not None
    rows = (line.training.observed.rows, line.evaluation.observed.rows)
    assert first["cells"][0] == " / ".join(map(numbers.count, rows))
    assert first["cells"][1] == numbers.bits(line.training.lost_bits)
    assert first["cells"][4] == numbers.small(line.training.auc_change)
    label = overlap_view.shown_class(line)
    assert first["detail"][2] == f"union {line.training.union.probabilities[label]:.2f},"
    assert numbers.p_value(line.training.p_value) in first["cells"]


def test_the_file_holds_the_whole_ledger() -> None:
    model = edited()
    ledger, found = ledger_of(model), ledger_table(model)
    assert list(found["overlap"]) == [" ".join(line.rules) for line in ledger]
    for place, line in enumerate(ledger):
        assert found["rows training"][place] == line.training.observed.rows
        assert found["bits lost training"][place] == line.training.lost_bits
        assert found["p(mid) union training"][place] == pytest.approx(line.training.union.probabilities[2])
        each = [float(part) for part in found["p(mid) each rule training"][place].split()]
        assert each == pytest.approx([rule.probabilities[2] for rule in line.training.rules], abs=5e-5)


def test_the_page_shows_the_rules_side_by_side_and_leads_to_them(app: AppTest) -> None:
    model = edited()
    line = next(line for line in ledger_of(model) if len(line.rules) == 2 and line.evaluation is not None)
    app.session_state["chosen-overlap"] = Chosen(line.rules, True)
    shown(app, model, "4_Overlaps.py")
    text = markup(app)
    assert " ∧ ".join(line.rules) in text
    for shares in (*line.training.rules, line.training.union, line.training.observed):
        assert any(f"{share:.2f} (" in text for share in shares.probabilities)
        assert f"{shares.rows:,} rows" in text
    assert f"{line.training.largest_distance:.2f} apart" in text
    assert numbers.bits(line.training.lost_bits) in text
    app.toggle(key="overlap-rows").set_value(True).run()
    assert_whole(app)
    assert len(app.dataframe[0].value) == line.training.observed.rows
    app.button(key=f"edit-{line.rules[1]}").click().run()
    assert_whole(app)
    assert studio(app).selection.rule == line.rules[1]
    assert "new-rule" in button_keys(app)


def test_a_repair_is_shown_in_the_workbench_before_it_is_kept(app: AppTest) -> None:
    model = overlapping()
    app.session_state["chosen-overlap"] = Chosen(("r1", "r2"), False)
    shown(app, model, "4_Overlaps.py")
    app.toggle(key="overlap-repairs").set_value(True).run()
    app.button(key="repair-tighten").click().run()
    assert_whole(app)
    assert studio(app).draft is not None
    assert "Not kept yet" in markup(app)
    assert model.number == 0


def test_what_was_selected_and_is_gone_gives_way(app: AppTest) -> None:
    model = overlapping()
    chosen = Chosen(("r1", "r2"), False)
    assert exists(model, chosen)
    app.session_state["chosen-overlap"] = chosen
    model.session.apply(DeleteRule("r2"))
    assert not exists(model, chosen)
    shown(app, model, "4_Overlaps.py")
    first = first_chosen(model)
    assert first is not None
    assert first.name in markup(app)


def test_names_from_data_are_text(app: AppTest) -> None:
    app.session_state["chosen-overlap"] = Chosen(("r1", "r3"), False)
    shown(app, overlapping(), "4_Overlaps.py")
    assert KIND not in markup(app)
    assert "&lt;b&gt;kind&lt;/b&gt;" in markup(app)
    assert "<u>low" not in markup(app)


def test_without_overlaps_the_page_says_so(app: AppTest) -> None:
    shown(app, overlapping(("age < 30", "age >= 60")), "4_Overlaps.py")
    assert "No overlaps" in markup(app)


def test_many_rules_in_one_overlap_are_cut_down_to_those_that_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turs.ui.overlap_view.MOST_RULES", 2)
    monkeypatch.setattr("turs.ui.overlap_panel.MOST_RULES", 2)
    model = overlapping()
    data = figure_data(model, None)
    assert len(data["rules"]) == 2
    for column in data["columns"]:
        assert column["others"] == len(set(column["rules"]) - set(data["rules"]))
    many = next(Chosen(line.rules, True) for line in ledger_of(model) if len(line.rules) > 2)
    here = shared(model, many, "training")
    assert here is not None
    assert len(telling(here)) == 2
    assert overlap_name(("r1", "r2", "r3", "r4", "r5")) == "r1 ∧ r2 ∧ r3 ∧ 2 more"


def test_a_large_overlap_has_no_p_value_in_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turs.ui.overlap_view.MOST_TESTED", 2)
    model = overlapping()
    for place, line in enumerate(ledger_of(model)):
        assert (overlap_view.tested(model, place).training.p_value is None) == (len(line.rules) > 2)
