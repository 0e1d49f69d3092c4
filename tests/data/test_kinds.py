"""What a column is taken for, and which columns are left out."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from turs.data import learning_data, level_text
from turs.errors import DataError, SettingsError
from turs.rules.schema import Kind


def learned(column, *, n=40, name="x", **options):
    """Learn from one column of interest beside a plain one; return its feature (None if left out) and the notes."""
    values = column if isinstance(column, pd.Series) else pd.Series(column)
    repeats = -(-n // len(values))
    frame = pd.DataFrame({name: pd.concat([values] * repeats, ignore_index=True)})
    frame["plain"] = np.arange(len(frame)) % 7 / 2
    frame["class"] = np.arange(len(frame)) % 2
    data = learning_data(frame, "class", **options)
    return next((f for f in data.schema.features if f.name == name), None), data.notes


def table(n, **columns):
    return pd.DataFrame({**columns, "plain": np.arange(n) % 7 / 2, "class": np.arange(n) % 2})


def test_numbers():
    for column in (
        [1, 2, 3],
        [1.5, 2.5, None],
        pd.Series([1, None, 3], dtype="Int64"),
        ["1", "2.5", None],
        [1, "2", 3.0],
    ):
        feature, notes = learned(column)
        assert feature.kind is Kind.NUMERIC
        assert notes == ()
    assert learned([decimal.Decimal("1.5"), decimal.Decimal(2)])[0].cuts == (1.75,)
    assert learned(pd.to_timedelta(["1s", "3s"]).to_series())[0].cuts == (2.0,)


def test_booleans_have_lower_case_levels():
    for column in ([True, False], [True, False, None], pd.Series([True, None, False], dtype="boolean")):
        feature, _ = learned(column)
        assert feature.kind is Kind.CATEGORICAL
        assert feature.levels == ("false", "true")


def test_levels_are_ordered():
    assert learned(["b", "a", "C"])[0].levels == ("C", "a", "b")
    assert learned(pd.Series([10, 9, 2.0], dtype="category"))[0].levels == ("2", "9", "10")
    ordered = pd.Categorical(["hi", "lo"], categories=["lo", "mid", "hi"], ordered=True)
    feature, _ = learned(pd.Series(list(ordered) * 20).astype(ordered.dtype))
    assert feature.levels == ("lo", "hi")


def test_leading_zeros_are_levels():
    feature, notes = learned(["007", "012"])
    assert feature.levels == ("007", "012")
    assert notes == ()


def test_dates():
    second_of_may = datetime.datetime(2024, 5, 2, tzinfo=datetime.UTC).timestamp()
    columns = [
        ["2024-05-01", "2024-05-03"],
        ["2024-05-01 00:00", "2024-05-03T00:00:00"],
        [datetime.date(2024, 5, 1), datetime.date(2024, 5, 3)],
        pd.Series(pd.to_datetime(["2024-05-01", "2024-05-03"])),
        pd.Series(pd.to_datetime(["2024-05-01 02:00", "2024-05-03 02:00"])).dt.tz_localize("Europe/Berlin"),
    ]
    for column in columns:
        feature, _ = learned(column)
        assert feature.kind is Kind.DATE
        assert feature.cuts == (second_of_may,)
    assert learned(["2024-02-30", "2024-05-03"])[0].kind is Kind.CATEGORICAL


def test_kinds_are_followed():
    assert learned([1, 2, 3], kinds={"x": "categorical"})[0].levels == ("1", "2", "3")
    assert learned(["007", "009"], kinds={"x": "numeric"})[0].cuts == (8.0,)
    assert learned([True, False], kinds={"x": "numeric"})[0].cuts == (0.5,)
    assert learned(["2024-05-01", "2024-05-03"], kinds={"x": "categorical"})[0].levels == ("2024-05-01", "2024-05-03")


def test_impossible_kinds_name_the_value():
    with pytest.raises(DataError, match="Column 'x', row 2: 'old' is not a number"):
        learned(["1", "old"], kinds={"x": "numeric"})
    with pytest.raises(DataError, match="Column 'x', row 1: '1990' is not a date"):
        learned([1990, 1991], kinds={"x": "date"})
    with pytest.raises(SettingsError, match="'number' is no kind for column 'x'"):
        learned([1, 2], kinds={"x": "number"})
    with pytest.raises(DataError, match="There is no column 'X2'"):
        learned([1, 2], kinds={"X2": "numeric"})


def test_mixed_types():
    feature, notes = learned(["12", "unknown", 13])
    assert feature.levels == ("12", "13", "unknown")
    assert notes == ("'x' mixes numbers with text such as 'unknown': it is taken as categorical.",)
    many = [*map(str, range(100)), "unknown"]
    with pytest.raises(DataError, match="Column 'x', row 101: numbers are mixed with text such as 'unknown'"):
        learned(many, n=400)
    assert learned(many, n=400, kinds={"x": "categorical"})[0].n_bins == 101


@pytest.mark.parametrize("nested", [[1, 2], {"a": 1}, (1, 2)])
def test_nested_values_are_refused(nested):
    values = pd.Series([None] * 40, dtype=object)
    values[3] = nested
    with pytest.raises(DataError, match=f"Column 'x' holds values of type {type(nested).__name__}"):
        learning_data(table(40, x=values), "class")


@pytest.mark.parametrize("column", [[1.0, np.inf], ["1", "-inf"], [None, -np.inf]])
def test_infinite_values(column):
    with pytest.raises(DataError, match="Column 'x', row 2: the value is infinite"):
        learned(column)


def test_rows_in_messages_are_those_of_the_table():
    frame = table(40, x=[1.0] * 39 + [np.inf])
    frame["class"] = frame["class"].astype(object)
    frame.loc[0, "class"] = None
    with pytest.raises(DataError, match="row 40"):
        learning_data(frame, "class")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("anything", np.arange(40)),
        ("anything", np.arange(40)[::-1] * 5 + 100),
        ("patient_id", np.arange(40) ** 2),
        ("PatientID", np.arange(40) ** 2),
        ("Kundennr", np.arange(40) ** 2),
        ("row number", np.arange(40) ** 2),
        ("who", [f"name {i}" for i in range(40)]),
    ],
)
def test_identifiers_are_left_out_unless_named(name, column):
    frame = table(40, **{name: column})
    data = learning_data(frame, "class")
    assert [feature.name for feature in data.schema.features] == ["plain"]
    assert data.notes == (f"Left out '{name}': every row has its own value; say its kind to keep it.",)
    kept = learning_data(frame, "class", features=[name, "plain"])
    assert [feature.name for feature in kept.schema.features] == [name, "plain"]
    assert kept.schema.features[0].n_bins > 1
    assert len(learning_data(frame, "class", kinds={name: "categorical"}).schema.features) == 2


@pytest.mark.parametrize(("name", "column"), [("x_id", np.arange(40) + 0.5), ("humid", np.arange(40) ** 2)])
def test_numbers_that_only_look_like_identifiers_stay(name, column):
    assert len(learning_data(table(40, **{name: column}), "class").schema.features) == 2


def test_small_tables_keep_integer_runs():
    assert len(learning_data(table(10, x=np.arange(10)), "class").schema.features) == 2


def test_constant_and_empty_columns_are_left_out():
    frame = table(40, a=["x"] * 40, b=[1.0] * 40, c=[None] * 40, d=["y", None] * 20)
    data = learning_data(frame, "class")
    assert [feature.name for feature in data.schema.features] == ["d", "plain"]
    assert data.notes == ("Left out 'a', 'b': the same value in every row.", "Left out 'c': no known value.")


def test_long_lists_are_cut():
    frame = table(40, **{f"c{i}": [1] * 40 for i in range(9)})
    assert learning_data(frame, "class").notes == (
        "Left out 'c0', 'c1', 'c2', 'c3', 'c4' and 4 more: the same value in every row.",
    )


def test_many_levels():
    column = np.array([f"l{i % 300:03d}" for i in range(900)] + ["l299"] * 100)
    data = learning_data(table(1000, x=column), "class")
    feature = data.schema.features[0]
    assert len(feature.levels) == 253
    assert "l299" in feature.levels
    assert "l252" not in feature.levels
    assert "300 levels; the 253 most frequent are used" in data.notes[0]
    assert set(data.bins[0][column == "l252"]) == {feature.other_bin}
    assert set(data.bins[0][column == "l299"]) == {252}


def test_70000_levels_are_left_out_unless_named():
    frame = table(150_000, x=[f"l{i % 70_000}" for i in range(150_000)])
    data = learning_data(frame, "class")
    assert [feature.name for feature in data.schema.features] == ["plain"]
    assert "too many levels" in data.notes[0]
    assert len(learning_data(frame, "class", kinds={"x": "categorical"}).schema.feature("x").levels) == 253


def test_level_text():
    values = [1.0, np.float64(2.5), np.int64(3), True, np.bool_(False), " a ", -0.0, decimal.Decimal("4.0"), b"z"]
    assert [level_text(value) for value in values] == ["1", "2.5", "3", "true", "false", "a", "0", "4", "z"]
    assert level_text(pd.Timestamp("2024-05-01")) == "2024-05-01"
    assert level_text(datetime.date(2024, 5, 1)) == "2024-05-01"
    assert level_text(pd.Timestamp("2024-05-01 12:30")) == "2024-05-01 12:30:00"


@pytest.mark.parametrize("text", ["{:02}.01.2024", "{}/1/2024", "01/{:02}/24 10:30"])
def test_dates_in_another_form_are_said(text):
    frame = pd.DataFrame({"day": [text.format(1 + i % 28) for i in range(60)], "class": ["a", "b"] * 30})
    notes = learning_data(frame, "class").notes
    assert any("holds dates such as" in note and "2024-01-31" in note for note in notes)


def test_codes_are_no_dates():
    frame = pd.DataFrame({"code": [f"{i % 7}-x.{i % 3}" for i in range(60)], "class": ["a", "b"] * 30})
    assert not any("dates" in note for note in learning_data(frame, "class").notes)
