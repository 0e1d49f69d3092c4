"""The data sets of a folder, their encoding and their folds."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from turs.benchmark.datasets import (
    Encoded,
    feature_values,
    fold_rows,
    held_out_data,
    read_encoded,
    sources_in,
    training_data,
)
from turs.errors import DataError, SettingsError

FOLDER = Path(os.environ.get("TURS_DATA_SETS") or Path(__file__).parents[2].parent / "shared" / "data")


def _frame(n_rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.random(n_rows)
    colour = rng.choice(["red", "green", "blue"], n_rows)
    return pd.DataFrame({"x": x, "colour": colour, "kind": np.where(x > 0.5, "yes", "no")})


def test_sources_are_the_csv_files_of_a_folder(tmp_path):
    frame = _frame()
    frame.to_csv(tmp_path / "b.csv", index=False)
    frame.to_csv(tmp_path / "a.csv.gz", index=False)
    (tmp_path / "index.csv").write_text("dataset,rows\na,60\n")
    (tmp_path / "notes.txt").write_text("not a table")
    sources = sources_in(tmp_path)
    assert [source.name for source in sources] == ["a", "b"]
    assert all(len(source.digest) == 64 for source in sources)
    assert [source.name for source in sources_in(tmp_path, ["b"])] == ["b"]
    with pytest.raises(SettingsError, match="no data set 'bb'"):
        sources_in(tmp_path, ["bb"])


def test_two_endings_of_one_name_keep_their_endings(tmp_path):
    for name in ("a.csv", "a.csv.gz"):
        _frame().to_csv(tmp_path / name, index=False)
    assert [source.name for source in sources_in(tmp_path)] == ["a.csv", "a.csv.gz"]


def test_a_folder_without_data_sets_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no CSV file"):
        sources_in(tmp_path)
    with pytest.raises(DataError, match="There is no folder"):
        sources_in(tmp_path / "nowhere")


def test_the_whole_table_is_encoded_and_the_class_is_last(tmp_path):
    path = tmp_path / "a.csv"
    _frame().to_csv(path, index=False)
    table = read_encoded(path)
    assert list(table.frame.columns) == ["x", "colour=blue", "colour=green", "colour=red", "kind"]
    assert (table.target, table.classes) == ("kind", ("no", "yes"))
    assert feature_values(table).shape == (60, 4)
    np.testing.assert_array_equal(table.labels, _frame()["kind"] == "yes")


def test_rows_without_a_class_are_left_out(tmp_path):
    path = tmp_path / "a.csv"
    frame = _frame()
    frame.loc[[3, 5], "kind"] = None
    frame.to_csv(path, index=False)
    table = read_encoded(path)
    assert (len(table.labels), table.n_unlabelled) == (58, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\n1\n2\n", "one column only"),
        ("x,y\n1,a\n2,a\n", "has one class only"),
        ("x,y\n1,a\n2,b\n", "a class for each row"),
        ("x,y\n1,\n2,\n", "has no class"),
        ("", "empty"),
    ],
)
def test_a_table_without_classes_is_an_error(tmp_path, text, message):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_encoded(path)


def test_folds_are_stratified_disjoint_and_seeded():
    labels = np.repeat([0, 1, 2], [50, 25, 10])
    folds = fold_rows(labels, 5, seed=2)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(85))
    for train, test in folds:
        assert not set(train) & set(test)
        np.testing.assert_array_equal(np.bincount(labels[test]), [10, 5, 2])
    again, other = fold_rows(labels, 5, seed=2), fold_rows(labels, 5, seed=3)
    np.testing.assert_array_equal(folds[0][1], again[0][1])
    assert not np.array_equal(folds[0][1], other[0][1])


def test_too_few_rows_for_the_folds_is_an_error():
    with pytest.raises(DataError, match="5 folds"):
        fold_rows(np.array([0, 0, 1, 1]), 5, seed=2)


def test_cuts_come_from_the_training_rows_and_classes_from_the_table():
    labels = np.array([0, 1] * 20 + [2])
    frame = pd.DataFrame({"x": [*np.linspace(0, 1, 40), 9.0], "class": [str(label) for label in labels]})
    table = Encoded(frame, "class", ("0", "1", "2"), labels)
    train, test = np.arange(30), np.arange(30, 41)
    data = training_data(table, train)
    assert data.schema.classes == ("0", "1", "2")
    assert max(data.schema.features[0].cuts) < frame["x"][30]
    held = held_out_data(table, test, data)
    assert held.schema is data.schema
    assert held.labels.tolist() == labels[test].tolist()


def test_the_folds_of_iris_are_those_of_the_paper_tables():
    path = FOLDER / "iris.csv.gz"
    if not path.exists():
        pytest.skip(f"There is no {path}: TURS_DATA_SETS names the folder of the paper's data sets.")
    table = read_encoded(path)
    assert table.frame.shape == (150, 5)
    assert [len(test) for _, test in fold_rows(table.labels, 5, 2)] == [30] * 5
