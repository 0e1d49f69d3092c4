"""The Explain page: a row is answered as the engine answers it, and borders are where the page says."""

from __future__ import annotations

import html
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.cases import KIND, edited, overlapping, shown, table
from tests.ui.driving import assert_whole, is_there, markup
from turs.cli.predicting import run as predict_file
from turs.data.dataset import unlabelled_bins
from turs.errors import DataError, RuleSyntaxError
from turs.predict import predict
from turs.rules.document import save
from turs.rules.schema import Feature, Kind
from turs.rules.text import parse_number
from turs.ui import numbers
from turs.ui.explained import Border, explain, quantiles_of, value_text, values_of
from turs.ui.opened import OpenModel
from turs.ui.predicted_table import drawn_columns, predicted_table, shown_rows
from turs.ui.row_choice import WAYS, row_at, rows_that
from turs.ui.row_form import fault_words
from turs.ui.table import csv_of


def explained(model: OpenModel, place: int):  # type: ignore[no-untyped-def]
    engine = model.session.model()
    grid = quantiles_of(model.study.training, ("age", "dose", KIND))
    return explain(engine, values_of(model.study.table.frame, place, engine), grid)


def test_every_row_is_answered_as_the_engine_answers() -> None:
    model = edited()
    engine = model.session.model()
    prediction = predict(engine, unlabelled_bins(model.study.table.frame, engine.rule_set.schema))
    fired = prediction.fired(model.session.version.ids)
    for place, probabilities in enumerate(prediction.by_row().tolist()):
        found = explained(model, place)
        assert found.probabilities == tuple(probabilities)
        assert " ".join(found.fired) == fired[place]


def moved(row: dict[str, object], border: Border, inward: bool) -> bool:
    """Say in plain Python whether the row has come into the rule, or out of it."""
    row = row | {step.feature: step.target for step in border.steps}
    age, dose, kind = row["age"], row["dose"], row[KIND]
    covers = {
        "r1": age is not None and age >= 45.5,
        "r2": age is not None and age < 60 and dose is not None and dose < 0,
        "r3": kind in ("=SUM(A1)", "<i>q</i>"),
        "r4": age is not None and 30 <= age < 70 and dose is not None,
        "r5": dose is None,
    }
    return bool(covers[border.rule]) is inward


def test_borders_lead_into_and_out_of_rules_and_no_shorter_way_does() -> None:
    model = edited()
    for place in range(0, len(model.study.table.frame), 7):
        found = explained(model, place)
        assert {border.rule for border in found.near} == set(model.session.version.ids) - set(found.fired)
        for borders, inward in ((found.near, True), (found.leaving, False)):
            for border in borders:
                assert moved(found.values, border, inward)
                assert (border.rule in border.fired) is inward
                for step in border.steps:
                    value = found.values[step.feature]
                    if isinstance(step.target, float) and isinstance(value, float):
                        short = math.nextafter(step.target, value)
                        nearly = Border(border.rule, (type(step)(step.feature, short, 0.0),), (), ())
                        others = [part for part in border.steps if part is not step]
                        assert others or not moved(found.values, nearly, inward)
        assert list(found.near) == sorted(found.near, key=lambda border: (len(border.steps), border.share))


def test_nearness_is_the_share_of_training_rows_between() -> None:
    model = edited()
    ages = model.study.frame_of("training")["age"].to_numpy()
    place = int(np.flatnonzero(model.study.table.frame["age"] == 35)[0])
    border = next(border for border in explained(model, place).near if border.rule == "r1")
    (step,) = border.steps
    assert step.target == 45.5
    assert step.share == pytest.approx(((ages >= 35) & (ages < 45.5)).mean(), abs=0.01)


def test_rows_that_deserve_a_look() -> None:
    model = edited()
    engine = model.session.model()
    frame = model.study.table.frame
    prediction = predict(engine, unlabelled_bins(frame, engine.rule_set.schema))
    classes = np.array(engine.rule_set.schema.classes)
    sizes = prediction.members.sum(axis=1)[prediction.pattern]
    wrong = classes[prediction.by_row().argmax(axis=1)] != frame["class"].to_numpy()
    sealed = np.isin(np.arange(len(frame)), model.study.split.test)
    for way, is_wanted in (
        ("predicted wrongly", wrong),
        ("covered by several rules", sizes > 1),
        ("covered by no rule", sizes == 0),
    ):
        assert rows_that(model, way).tolist() == (np.flatnonzero(is_wanted & ~sealed) + 1).tolist()
    assert set(WAYS) >= {"rules predict different classes"}
    row = row_at(model, int(model.study.split.validation[0]) + 1)
    assert row is not None
    assert (row.part, row.label) == ("validation", frame["class"][row.number - 1])
    assert row_at(model, int(model.study.split.test[0]) + 1) is None


def test_a_row_of_the_table_on_screen(app: AppTest) -> None:
    model = edited()
    shown(app, model, "6_Explain.py")
    number = int(model.study.split.training[5]) + 1
    app.number_input(key="row-number").set_value(number).run()
    assert_whole(app)
    found = explained(model, number - 1)
    top = int(np.argmax(found.probabilities))
    text = markup(app)
    assert f"row {number:,}, training" in text
    assert f": {found.probabilities[top]:.2f}</div>" in text
    for rule in found.fired:
        assert f"{rule} alone" in text
    assert KIND not in text
    assert "<u>low" not in text
    sealed = int(model.study.split.test[0]) + 1
    app.number_input(key="row-number").set_value(sealed).run()
    assert_whole(app)
    assert "sealed test part" in markup(app)
    assert 'class="t-answer"' not in markup(app)


@pytest.mark.parametrize("way", list(WAYS))
def test_every_way_to_a_row(way: str, app: AppTest) -> None:
    model = edited()
    shown(app, model, "6_Explain.py")
    app.selectbox(key="row-way").set_value(way).run()
    assert_whole(app)
    found = rows_that(model, way)
    assert (f"row {found[0]:,}," in markup(app)) if found.size else ("No training or validation row" in markup(app))


def test_a_typed_row(app: AppTest) -> None:
    model = edited()
    app.session_state["remembered-explain-what"] = "Type a row"
    shown(app, model, "6_Explain.py")
    fields = {field.label: field for field in app.text_input}
    fields["age"].set_value("44").run()
    dose = next(field for field in app.text_input if field.label == "dose")
    dose.set_value("").run()
    assert_whole(app)
    engine = model.session.model()
    kind = app.selectbox[-1].value
    row = pd.DataFrame({"age": [44.0], "dose": [math.nan], KIND: [kind]})
    expected = predict(engine, unlabelled_bins(row, engine.rule_set.schema)).by_row()[0]
    assert f": {expected.max():.2f}</div>" in markup(app)
    assert "r5 alone" in markup(app)
    for unreadable in ("0,5", "half a <b>pill</b>"):
        dose.set_value(unreadable).run()
        assert_whole(app)
        assert app.error
        assert "<b>" not in app.error[0].value
        assert "character" not in app.error[0].value
        assert "there is no answer yet" in markup(app)
        assert is_there(app, "outdated")
        assert "the answer from before" in markup(app)
        assert f": {expected.max():.2f}</div>" in markup(app)


@pytest.mark.parametrize(
    ("kind", "typed", "told"),
    [
        (Kind.NUMERIC, " sixty ", "'sixty' is not a number"),
        (Kind.NUMERIC, "44 years", "'44 years' is not a number"),
        (Kind.NUMERIC, "0,5", "Write 0.5 with a point"),
        (Kind.DATE, "soon", "'soon' is not a date: write it as 2024-01-05"),
        (Kind.DATE, "2024-02-30", "2024-02-30 is not a date of the calendar"),
    ],
)
def test_what_is_wrong_with_a_value_is_said_for_people(kind: Kind, typed: str, told: str) -> None:
    feature = Feature("f", kind)
    with pytest.raises(RuleSyntaxError) as caught:
        parse_number(typed, feature)
    assert fault_words(caught.value, feature) == told


def test_a_row_that_no_rule_covers_shows_its_values(app: AppTest) -> None:
    model = overlapping(("age < 30",))
    shown(app, model, "6_Explain.py")
    app.selectbox(key="row-way").set_value("covered by no rule").run()
    assert_whole(app)
    row = model.study.table.frame.iloc[rows_that(model, "covered by no rule")[0] - 1]
    text = markup(app)
    assert f"<span>age <b>{row['age']:.0f}</b></span>" in text
    assert "2 other columns of the row" in text
    assert f"<b>{html.escape(row[KIND])}</b>" in text
    assert KIND not in text


def test_what_rules_do_not_know_in_a_table_is_said() -> None:
    new = table().drop(columns="class")
    new.loc[:4, "age"] = np.nan
    new.loc[:2, KIND] = "brand *new*"
    new.loc[3, KIND] = np.nan
    _, notes = predicted_table(overlapping().session.model(), new.to_csv(index=False).encode(), "new.csv")
    said = {note.split("'")[1]: note for note in notes if note.startswith("Column '")}
    assert "5 rows without a value" in said["age"]
    assert f"{int(new['dose'].isna().sum())} rows without a value" in said["dose"]
    assert "1 row without a value and 3 rows with a level that learning did not meet ('brand *new*')" in said[KIND]
    _, notes = predicted_table(overlapping(("age < 30",)).session.model(), b"age\n1\n2\n", "new.csv")
    assert not [note for note in notes if note.startswith("Column '")]


def test_classes_that_are_numbers_and_several_rules_in_a_sentence() -> None:
    assert numbers.label("0") == "class 0"
    assert numbers.label("-1.5") == "class -1.5"
    assert numbers.label("malignant") == "malignant"
    assert numbers.both(("r5", "r19", "r21")) == "r5, r19 and r21"
    assert numbers.both(("r5",)) == "r5"


def test_a_table_is_predicted_as_on_the_command_line(tmp_path: Path) -> None:
    model = edited()
    new = table().drop(columns="class").assign(predicted="=1+1")
    (tmp_path / "new.csv").write_text(new.to_csv(index=False))
    save(model.session.model(), tmp_path / "model.json")
    predict_file(tmp_path / "model.json", tmp_path / "new.csv", tmp_path / "out.csv")
    found, notes = predicted_table(model.session.model(), (tmp_path / "new.csv").read_bytes(), "new.csv")
    assert found.to_csv(index=False, lineterminator="\n") == (tmp_path / "out.csv").read_text()
    assert any("such columns already" in note for note in notes)
    written = csv_of(found).decode()
    assert "'=SUM(A1)" in written
    assert "'=1+1" in written
    assert ",-1." in written  # a negative number is no formula
    assert ",=" not in written


def test_a_predicted_table_on_screen_has_row_numbers_and_names_the_else_rule() -> None:
    model = overlapping(("age < 30",))
    added = len(model.study.schema.classes) + 2
    found, _ = predicted_table(model.session.model(), table().to_csv(index=False).encode(), "new.csv")
    rows = shown_rows(found, added)
    assert rows.index.tolist() == list(range(1, 201))
    assert rows.index.name == "row"
    assert list(rows.columns[:2]) == ["predicted", "p(*high*)"]
    uncovered = (found["rules"] == "").head(200).tolist()
    assert any(uncovered)
    assert rows["rules"].eq("else").tolist() == uncovered
    assert "else" not in found["rules"].tolist()  # the file keeps its format
    columns = drawn_columns(rows, added)
    assert columns["p(*high*)"]["type_config"]["format"] == "%.4f"
    assert {name for name, column in columns.items() if column["alignment"] == "right"} == {"age", "dose"}


def test_tables_that_cannot_be_predicted_are_refused(tmp_path: Path) -> None:
    engine = overlapping().session.model()
    with pytest.raises(DataError, match="age"):
        predicted_table(engine, b"dose,x\n1,2\n3,4\n", "short.csv")
    with pytest.raises(DataError):
        predicted_table(engine, b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 4, "program.csv")


def test_a_table_on_screen(app: AppTest) -> None:
    model = edited()
    app.session_state["remembered-explain-what"] = "A whole table"
    shown(app, model, "6_Explain.py")
    uploader = app.file_uploader(key="predict-file")
    uploader.upload("new.csv", table().to_csv(index=False).encode(), "text/csv").run()
    assert_whole(app)
    found, _ = predicted_table(model.session.model(), table().to_csv(index=False).encode(), "new.csv")
    assert len(app.dataframe[0].value) == 200
    assert f"{int((found['rules'] == '').sum())} of them covered by no rule" in markup(app)
    uploader = app.file_uploader(key="predict-file")
    uploader.upload("bad.csv", b"a,b\n1,2\n", "text/csv").run()
    assert_whole(app)
    assert app.error


def test_values_in_words() -> None:
    model = overlapping()
    schema = model.study.schema
    assert value_text(None, schema.feature("age")) == "missing"
    assert value_text(45.5, schema.feature("age")) == "45.5"
    assert value_text("<i>q</i>", schema.feature(KIND)) == "<i>q</i>"
