"""The data set: classes, missing labels, bad tables, and new rows under an existing schema."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turs.data import labelled_data, learning_data, read_table, unlabelled_bins
from turs.errors import DataError, SettingsError
from turs.rules.text import format_number


@pytest.fixture
def frame():
    n = 60
    return pd.DataFrame(
        {
            "age": np.where(np.arange(n) % 10 == 0, np.nan, np.arange(n) % 13 * 1.0),
            "colour": ["red", "blue", None] * 20,
            "smokes": [True, False] * 30,
            "seen": pd.date_range("2024-01-01", periods=n),
            "code": pd.Series([1.0, 2.0, 3.0] * 20).astype("category"),
            "class": ["yes", "no", "no"] * 20,
        }
    )


def test_data_set(frame):
    data = learning_data(frame, "class", n_cuts=5)
    assert [feature.name for feature in data.schema.features] == ["age", "colour", "smokes", "seen", "code"]
    assert data.schema.classes == ("no", "yes")
    assert [feature.has_missing for feature in data.schema.features] == [True, True, False, False, False]
    assert data.bins.shape == (5, 60)
    assert data.bins.dtype == np.uint8
    assert data.bins.flags.c_contiguous
    assert data.labels.tolist() == [1, 0, 0] * 20
    assert data.labels.dtype == np.int16
    assert data.rows.tolist() == list(range(60))
    assert data.n_rows == 60
    for array in (data.bins, data.labels, data.rows):
        assert not array.flags.writeable
    age = data.schema.features[0]
    for value, code in zip(frame["age"], data.bins[0], strict=True):
        assert code == (age.missing_bin if np.isnan(value) else sum(cut <= value for cut in age.cuts))
    assert data.bins[1].tolist()[:3] == [1, 0, 3]
    assert data.bins[2].tolist()[:2] == [1, 0]


def test_frame_is_not_changed(frame):
    before = frame.copy(deep=True)
    learning_data(frame, "class")
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([10.0, 9.0, 2.5], ("2.5", "9", "10")),
        ([True, False], ("false", "true")),
        ([3, 1], ("1", "3")),
        (["b", "a", "10"], ("10", "a", "b")),
        (pd.Categorical(["x", "y"], categories=["y", "x", "z"]), ("x", "y")),
        (pd.to_datetime(["2024-01-02", "2023-01-01"]), ("2023-01-01", "2024-01-02")),
    ],
)
def test_labels_of_any_type(labels, classes):
    frame = pd.DataFrame({"x": np.arange(12) % 5, "class": list(labels) * (12 // len(labels))})
    data = learning_data(frame, "class")
    assert data.schema.classes == classes
    assert labelled_data(frame, data.schema).labels.tolist() == data.labels.tolist()


def test_rows_without_label_are_left_out_and_said(frame):
    frame["class"] = frame["class"].astype(object)
    frame.loc[[3, 5], "class"] = [None, " "]
    frame.loc[5, "colour"] = "green"
    data = learning_data(frame, "class")
    assert data.notes[0] == "2 rows were left out: no label in 'class'."
    assert data.rows.tolist() == [row for row in range(60) if row not in (3, 5)]
    assert data.schema.feature("colour").levels == ("blue", "red")
    again = labelled_data(frame, data.schema)
    assert again.notes == data.notes
    assert np.array_equal(again.bins, data.bins)
    assert np.array_equal(again.labels, data.labels)


def two_columns(x, y):
    return pd.DataFrame({"x": x, "class": y})


@pytest.mark.parametrize(
    ("frame", "target", "message"),
    [
        (two_columns([], []), "class", "The table has no rows"),
        (two_columns([1, 2, 3], [1, 1, 0]), "Klass", "no target column 'Klass' in the table. Did you mean 'class'"),
        (two_columns([1, 2, 3], [1, 1, 1]), "class", r"one class only \('1'\)"),
        (two_columns([1, 2, 3], [None] * 3), "class", "no known label"),
        (two_columns([1, 2, 1], [1.5, 2.5, 3.5]), "class", r"as many classes as rows \(3\)"),
        (two_columns([*range(16_384), 0], [*range(16_384), 0]), "class", r"has 16,384 classes, at most 16,383 can be"),
        (two_columns([1, 1, 1], [0, 1, 1]), "class", "no usable feature column. Left out 'x': the same value"),
        (two_columns(["a", "b", "c"], [0, 1, 1]), "class", "no usable feature column. Left out 'x': every row has"),
        (pd.DataFrame({"class": [0, 1, 1]}), "class", "no usable feature column"),
    ],
)
def test_bad_tables(frame, target, message):
    with pytest.raises(DataError, match=message):
        learning_data(frame, target)


def test_bad_options(frame):
    with pytest.raises(SettingsError, match="n_cuts is 254"):
        learning_data(frame, "class", n_cuts=254)
    with pytest.raises(SettingsError, match="'class' is the target"):
        learning_data(frame, "class", features=["class"])
    with pytest.raises(DataError, match=r"no feature column 'agee' in the table. Did you mean 'age'"):
        learning_data(frame, "class", features=["agee"])


def test_many_classes_are_remarked():
    frame = two_columns(np.arange(200) % 9, np.append(np.arange(150), np.arange(50)))
    assert "150 classes in 200 rows" in learning_data(frame, "class").notes[0]


def test_duplicate_names():
    frame = pd.DataFrame([[1, 5, 0], [2, 6, 1], [1, 6, 1]], columns=["a", "a", "class"])
    data = learning_data(frame, "class")
    assert [feature.name for feature in data.schema.features] == ["a", "a (2)"]
    assert "'a (2)'" in data.notes[0]
    assert np.array_equal(unlabelled_bins(frame, data.schema), data.bins)


def test_known_rows_get_the_same_bins(frame):
    data = learning_data(frame, "class")
    assert np.array_equal(unlabelled_bins(frame, data.schema), data.bins)
    assert np.array_equal(labelled_data(frame, data.schema).bins, data.bins)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".xlsx", ".parquet"])
def test_bins_do_not_depend_on_the_file_format(tmp_path, frame, ending):
    data = learning_data(frame, "class")
    path = tmp_path / f"t{ending}"
    writer = {".xlsx": frame.to_excel, ".parquet": frame.to_parquet}.get(ending, frame.to_csv)
    writer(path, index=False)
    assert np.array_equal(labelled_data(read_table(path).frame, data.schema).bins, data.bins)


def test_other_spellings_of_levels():
    training = pd.DataFrame({"x": ["True", "False", "maybe", "13.0"] * 5, "class": [0, 1] * 10})
    data = learning_data(training, "class")
    levels = data.schema.features[0].levels
    for value, level in [(True, "True"), (13, "13.0"), ("13", "13.0"), ("maybe", "maybe")]:
        code = unlabelled_bins(pd.DataFrame({"x": [value]}), data.schema)[0, 0]
        assert levels[code] == level


def test_unknown_levels_and_missing_values(frame):
    schema = learning_data(frame, "class").schema
    rows = frame.iloc[:2].assign(colour=["green", None], age=[None, 3.0])
    bins = unlabelled_bins(rows, schema)
    colour = schema.feature("colour")
    assert bins[1].tolist() == [colour.other_bin, colour.missing_bin]
    assert bins[0, 0] == schema.feature("age").missing_bin


def test_only_needed_columns_are_needed(frame):
    schema = learning_data(frame, "class").schema
    bins = unlabelled_bins(frame[["age"]], schema, ["age"])
    assert np.array_equal(bins[0], unlabelled_bins(frame, schema)[0])
    assert set(bins[1]) == {schema.feature("colour").missing_bin}
    with pytest.raises(DataError, match=r"no feature column 'age' in the table. Did you mean 'Age'"):
        unlabelled_bins(frame.rename(columns={"age": "Age"}), schema, ["age"])
    assert unlabelled_bins(frame.iloc[:0], schema).shape == (5, 0)


def test_values_that_do_not_convert(frame):
    schema = learning_data(frame, "class").schema
    with pytest.raises(DataError, match="Column 'age', row 2: 'old' is not a number"):
        unlabelled_bins(frame.iloc[:2].assign(age=["1", "old"]), schema)
    with pytest.raises(DataError, match="Column 'seen', row 1: 'soon' is not a date"):
        unlabelled_bins(frame.iloc[:2].assign(seen=["soon", None]), schema)


def test_unknown_class_labels(frame):
    schema = learning_data(frame, "class").schema
    with pytest.raises(DataError, match=r"does not know: 'maybe'. Its classes: 'no', 'yes'"):
        labelled_data(frame.assign(**{"class": ["maybe", *frame["class"][1:]]}), schema)


@given(st.permutations(range(30)))
def test_row_order_does_not_change_schema_or_bins(order):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=30), "c": rng.choice(["a", "b", "c"], 30), "class": np.arange(30) % 3})
    data = learning_data(frame, "class", n_cuts=6)
    shuffled = learning_data(frame.iloc[order], "class", n_cuts=6)
    assert shuffled.schema == data.schema
    assert np.array_equal(shuffled.bins, data.bins[:, order])
    assert np.array_equal(shuffled.labels, data.labels[order])


def test_cuts_between_whole_days_are_days_and_divide_the_same_rows() -> None:
    days = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-05", "2024-01-08"] * 5)
    frame = pd.DataFrame({"seen": days, "y": ["a", "b"] * 10})
    [feature] = learning_data(frame, "y").schema.features
    assert [format_number(cut, feature) for cut in feature.cuts] == ["2024-01-02", "2024-01-04", "2024-01-07"]
    moments = learning_data(frame.assign(seen=days + pd.Timedelta(hours=1)), "y")
    assert [format_number(cut, feature)[-8:] for cut in moments.schema.features[0].cuts] == ["13:00:00"] * 3
    assert (learning_data(frame, "y").bins == moments.bins).all()


def test_a_date_that_does_not_exist_is_named():
    days = [f"2020-02-{day}" for day in (26, 27, 28, 29, 30)] * 4
    data = learning_data(pd.DataFrame({"seen": days, "y": ["a", "b"] * 10}), "y")
    assert data.notes == ("'seen' is taken as text: there is no date '2020-02-30'.",)


def test_the_kind_of_a_column_is_known_in_any_letter_case():
    frame = pd.DataFrame({"age": [1, 2, 3, 4], "ill": list("abab")})
    assert learning_data(frame, "ill", kinds={"age": "Categorical"}).schema.features[0].kind == "categorical"
    with pytest.raises(SettingsError, match=r"'Numerc' is no kind .* Did you mean 'numeric'\?"):
        learning_data(frame, "ill", kinds={"age": "Numerc"})
