"""Tables are written as they are, by the ending of the name, as a whole or not at all."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from turs.data import read_cells, read_table, write_table
from turs.errors import DataError, SettingsError


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "self": ["007", "=1+2", "NA", ' "q", \n'],
            "number": [1.5, np.nan, 3.0, -2.0],
            "mixed": [1, "x", None, datetime.date(2024, 1, 5)],
            "date": pd.to_datetime(["2024-01-05", None, "2024-01-06 13:30", "2024-01-07"], format="ISO8601"),
        }
    )


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".TSV.GZ"])
def test_text_comes_back_as_it_was(ending: str, frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / f"table{ending}"
    write_table(frame, path)
    cells = read_cells(path)
    assert cells["self"].tolist() == frame["self"].tolist()
    assert cells["number"].tolist() == ["1.5", "", "3.0", "-2.0"]


def test_a_workbook_holds_no_formula(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "table.xlsx"
    frame["bad"] = ["\x00", "a", "b", "c"]
    frame["zone"] = pd.to_datetime(["2024-01-05T00:00:00Z"] * 4)
    write_table(frame, path)
    sheet = openpyxl.load_workbook(path).active
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "d"}
    assert sheet["A3"].value == "=1+2"
    assert sheet["D2"].value == datetime.datetime(2024, 1, 5)
    shown = read_cells(path)
    assert shown["self"].tolist()[:3] == ["007", "=1+2", "NA"]
    assert read_table(path).frame["self"].isna().tolist() == [False, False, True, False]


def test_parquet_takes_mixed_columns_as_text(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    write_table(frame, path)
    back = pd.read_parquet(path)
    assert back["mixed"].tolist()[:2] == ["1", "x"]
    assert back["number"].equals(frame["number"])


def test_failure_leaves_what_was_there(frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv"
    path.write_text("before")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", full)
    with pytest.raises(DataError, match="No space left"):
        write_table(frame, path)
    assert path.read_text() == "before"
    assert [found.name for found in tmp_path.iterdir()] == ["table.csv"]


def test_what_is_no_file_is_written_to_and_not_replaced(frame: pd.DataFrame, tmp_path: Path) -> None:
    link = tmp_path / "null.csv"
    link.symlink_to("/dev/null")
    write_table(frame, link)
    assert Path("/dev/null").is_char_device()
    assert [found.name for found in tmp_path.iterdir()] == ["null.csv"]


@pytest.mark.parametrize("name", ["table", "table.doc", "table.gz", "table.xls"])
def test_other_endings_are_refused(name: str, frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="has to end in"):
        write_table(frame, tmp_path / name)


def test_cells_of_a_text_file_have_the_rows_and_names_of_its_table(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes('a;a;ü\n\n 01 ;?;x\nNA;"";y\n\n'.encode("cp1252"))
    cells, table = read_cells(path), read_table(path)
    assert list(cells.columns) == list(table.frame.columns) == ["a", "a (2)", "ü"]
    assert cells.to_numpy().tolist() == [[" 01 ", "?", "x"], ["NA", "", "y"]]
