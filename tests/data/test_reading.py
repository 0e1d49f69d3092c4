"""Reading files: every format gives the same table, and every bad file one clear error."""

import gzip
import io
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from openpyxl import Workbook

from turs.data import delimited, read_table, workbook
from turs.data import source as sources
from turs.errors import DataError


@pytest.fixture
def frame():
    return pd.DataFrame(
        {"age": [30, 41, 55], "weight": [0.1, 70.25, np.nan], "sex": ["f", "m", None], "ill": [True, False, True]}
    )


def written(frame, path):
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    if plain.suffix == ".xlsx":
        frame.to_excel(plain, index=False)
    elif plain.suffix == ".parquet":
        frame.to_parquet(plain, index=False)
    else:
        frame.to_csv(plain, index=False, sep="\t" if plain.suffix == ".tsv" else ",")
    if path != plain:
        path.write_bytes(gzip.compress(plain.read_bytes()))
    return path


def file_of(tmp_path, content, name="table.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt", ".xlsx", ".parquet"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_round_trip(tmp_path, frame, ending, packed):
    table = read_table(written(frame, tmp_path / f"t{ending}{packed}"))
    assert table.notes == ()
    assert list(table.frame.columns) == list(frame.columns)
    assert table.frame["age"].tolist() == [30, 41, 55]
    assert table.frame["age"].dtype == np.int64
    assert table.frame["weight"].tolist()[:2] == [0.1, 70.25]
    assert table.frame["weight"].isna().tolist() == [False, False, True]
    assert table.frame["sex"].tolist()[:2] == ["f", "m"]
    assert table.frame["sex"].isna().tolist() == [False, False, True]
    assert table.frame["ill"].dtype == bool


def test_open_file_is_known_by_content_and_left_open(tmp_path, frame):
    for ending in (".csv", ".xlsx", ".parquet", ".csv.gz"):
        stream = io.BytesIO(written(frame, tmp_path / f"t{ending}").read_bytes())
        assert read_table(stream).frame.shape == (3, 4)
        assert read_table(stream, name=f"t{ending}").frame.shape == (3, 4)
        assert not stream.closed


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_and_quoted_newlines(tmp_path, delimiter):
    text = f'a{delimiter}"b\nb"\n1{delimiter}"x{delimiter}\ny"\n2{delimiter}z\n'
    frame = read_table(file_of(tmp_path, text)).frame
    assert list(frame.columns) == ["a", "b\nb"]
    assert frame["a"].tolist() == [1, 2]
    assert frame.iloc[:, 1].tolist() == [f"x{delimiter}\ny", "z"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path, line_end):
    assert read_table(file_of(tmp_path, line_end.join(["a,b", "1,2", "3,4"]))).frame["b"].tolist() == [2, 4]


def test_decimal_comma_is_said(tmp_path):
    table = read_table(file_of(tmp_path, "a;b;c\n3,5;1;x\n-4;2;y\n"))
    assert table.frame["a"].tolist() == [3.5, -4.0]
    assert table.frame["b"].dtype == np.int64
    assert table.notes == ("Numbers with a decimal comma were read in 'a'.",)


def test_missing_markers(tmp_path):
    table = read_table(file_of(tmp_path, "a,b\n1,x\nNA,N/A\nNaN,null\nNULL,None\n?,?\n, \n2,-\n"))
    assert table.frame["a"].dtype == "Int64"
    assert table.frame["a"].isna().sum() == 5
    assert table.frame["b"].dropna().tolist() == ["x", "-"]


def test_leading_zeros_stay_text(tmp_path):
    frame = read_table(file_of(tmp_path, "zip,hex,share\n01234,0x1F,0.5\n12345,0x20,-0.25\n")).frame
    assert frame["zip"].tolist() == ["01234", "12345"]
    assert frame["hex"].tolist() == ["0x1F", "0x20"]
    assert frame["share"].tolist() == [0.5, -0.25]


def test_columns_asked_for_as_text_stay_text(tmp_path):
    frame = read_table(file_of(tmp_path, "version,n\n1.10,1\n1.1,2\n"), text=["version"]).frame
    assert frame["version"].tolist() == ["1.10", "1.1"]


def test_text_that_shows_up_late(tmp_path):
    rows = [f"{i},{i / 7!r}" for i in range(120_000)]
    rows[-1] = "late,1"
    frame = read_table(file_of(tmp_path, "a,b\n" + "\n".join(rows))).frame
    assert frame["a"].tolist() == [*map(str, range(119_999)), "late"]
    assert frame["b"].tolist() == [i / 7 for i in range(119_999)] + [1.0]


def test_floats_are_exact(tmp_path):
    values = np.random.default_rng(0).normal(size=2000) * 10.0 ** np.arange(-1000, 1000).clip(-300, 300)
    text = "x\n" + "\n".join(map(repr, values.tolist()))
    assert read_table(file_of(tmp_path, text)).frame["x"].tolist() == values.tolist()


@pytest.mark.parametrize(
    ("encoding", "noted"), [("utf-8", False), ("utf-8-sig", False), ("utf-16", False), ("cp1252", True)]
)
def test_encodings(tmp_path, encoding, noted):
    table = read_table(file_of(tmp_path, "größe,b\nµ,1\né,2\n".encode(encoding)))
    assert list(table.frame.columns) == ["größe", "b"]
    assert table.frame["größe"].tolist() == ["µ", "é"]
    assert bool(table.notes) is noted
    assert not noted or "Windows-1252" in table.notes[0]


def test_latin_1_where_windows_does_not_fit(tmp_path):
    assert "Latin-1" in read_table(file_of(tmp_path, b"a,b\n\x81\xe9,1\n")).notes[0]


def test_names_are_made_unique_and_said(tmp_path):
    for name in ("t.csv", "t.xlsx"):
        cells = [["a", "a", None, "a (2)"], [1, 2, 3, 4]]
        if name == "t.csv":
            path = file_of(tmp_path, "a,a,,a (2)\n1,2,3,4\n")
        else:
            path = tmp_path / name
            pd.DataFrame(cells).to_excel(path, index=False, header=False)
        table = read_table(path)
        assert list(table.frame.columns) == ["a", "a (3)", "column 3", "a (2)"]
        assert len(table.notes) == 2


def test_sheets(tmp_path, frame):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        frame.to_excel(book, sheet_name="Patients", index=False)
        frame.head(1).to_excel(book, sheet_name="Other", index=False)
    assert read_table(path, sheet="Other").frame.shape == (1, 4)
    assert "'Patients' was read" in read_table(path).notes[0]
    with pytest.raises(DataError, match="Did you mean 'Patients'"):
        read_table(path, sheet="patient")
    with pytest.raises(DataError, match="no sheet number 3"):
        read_table(path, sheet=2)


def test_an_empty_sheet_names_the_others(tmp_path, frame):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame().to_excel(book, sheet_name="Empty", index=False)
        frame.to_excel(book, sheet_name="Patients", index=False)
    with pytest.raises(DataError, match=r"Sheet 'Empty' of 'book.xlsx' is empty. Other sheets: 'Patients'."):
        read_table(path)


def test_a_pipe_is_read_and_has_a_limit(tmp_path, frame, monkeypatch):
    path, content = tmp_path / "pipe", frame.to_csv(index=False).encode()
    os.mkfifo(path)

    def read():
        with ThreadPoolExecutor(1) as executor:
            executor.submit(path.write_bytes, content)
            return read_table(path).frame

    assert read().shape == frame.shape
    monkeypatch.setattr(sources, "MAX_BYTES", 20)
    with pytest.raises(DataError, match="'pipe' gives more than"):
        read()


def test_excel_dates_and_text(tmp_path):
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"day": pd.to_datetime(["2024-01-01", None]), "code": ["007", "12"]}).to_excel(path, index=False)
    frame = read_table(path).frame
    assert pd.api.types.is_datetime64_any_dtype(frame["day"])
    assert frame["code"].tolist() == ["007", "12"]


def test_parquet_index_and_dtypes(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"c": pd.Categorical(["lo", "hi"], categories=["lo", "hi"], ordered=True)}, index=[7, 3])
    frame.to_parquet(path)
    read = read_table(path).frame
    assert list(read.columns) == ["c"]
    assert read["c"].cat.ordered
    assert read["c"].cat.categories.tolist() == ["lo", "hi"]


BAD_FILES = [
    ("t.csv", b"", "is empty"),
    ("t.csv", b"\n\n", "is empty"),
    ("t.csv", b"a,b\n", "no rows"),
    ("t.csv", b"a,b", "no rows"),
    ("t.csv", b"a,b\n1,2\n\n1,2,3\n", "line 4: 3 fields where the header has 2"),
    ("t.csv", b'a,b\n"1\n",2\n1\n', "line 4: 1 field where the header has 2"),
    ("t.csv", b"\x7fELF\x02\x01\x01\0\0\0", "not a text file"),
    ("t.csv", b"MZ\x90\0\x03\0", "not a text file"),
    ("t.csv", b"\x80\x04\x95\x01\x02", "not a text file"),
    ("t.csv", b"<!DOCTYPE html><html></html>", "not a text file"),
    ("t.csv", b"\xff\xfea", "not a text file"),
    ("t.csv", b"PK\x03\x04junk", "is an Excel workbook, not text: give it the ending .xlsx"),
    ("t.csv", b"PAR1junk", "is a Parquet file, not text"),
    ("t.xlsx", b"PK\x03\x04junk", "cannot be read as an Excel workbook"),
    ("t.xlsx", b"a,b\n1,2\n", "broken or not an Excel workbook"),
    ("t.parquet", b"PAR1junk", "cannot be read as a Parquet file"),
    ("t.parquet", b"a,b\n1,2\n", "broken or not a Parquet file"),
    ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "save it as .xlsx"),
    ("t.json", b"[]", "Tables are read from CSV"),
    ("t.csv.gz", b"a,b\n1,2\n", "not a gzip file"),
    ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 1000, mtime=0)[:-20], "cut-off gzip file"),
    ("t.csv.gz", gzip.compress(b"", mtime=0), "is empty"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD_FILES)
def test_bad_files_get_one_clear_line(tmp_path, name, content, message):
    with pytest.raises(DataError, match=message) as caught:
        read_table(file_of(tmp_path, content, name))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_long_fields(tmp_path):
    frame = read_table(file_of(tmp_path, f'a,b\n"{"y" * 300_000}",1\nz,2\n')).frame
    assert frame["a"].str.len().tolist() == [300_000, 1]


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(DataError, match="There is no file"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="cannot be opened"):
        read_table(tmp_path)


def test_cut_off_workbook_and_parquet(tmp_path, frame):
    for name in ("t.xlsx", "t.parquet"):
        content = written(frame, tmp_path / name).read_bytes()
        with pytest.raises(DataError, match="broken or cut off"):
            read_table(file_of(tmp_path, content[: len(content) // 2], name))


def test_zip_without_workbook(tmp_path):
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "a\n1\n")
    with pytest.raises(DataError, match="without an Excel workbook"):
        read_table(path)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.xlsx", "t.parquet"])
def test_decompression_bombs_are_refused(tmp_path, frame, monkeypatch, name):
    path = written(frame, tmp_path / name)
    monkeypatch.setattr(sources, "MAX_BYTES", 10)
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(path)


def test_a_small_file_that_becomes_a_hundred_times_as_large_is_no_table(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_TRUSTED", 1 << 20)
    content = gzip.compress(b"a,b\n" + b"0,0\n" * (1 << 20))
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(file_of(tmp_path, content, "t.csv.gz"))


def test_a_parquet_file_that_repeats_one_number(tmp_path, monkeypatch):
    path = written(pd.DataFrame({"a": np.zeros(20_000), "b": np.zeros(20_000)}), tmp_path / "t.parquet")
    monkeypatch.setattr(sources, "MAX_BYTES", 300_000)
    assert path.stat().st_size < 10_000
    with pytest.raises(DataError, match="unpacks to more than"):
        read_table(path)


def test_a_cell_at_the_far_end_of_a_sheet_takes_no_room(tmp_path):
    book = Workbook()
    for line in (("a", "b"), (1, "x"), (2.5, None)):
        book.active.append(line)
    book.active.cell(1_048_576, 16_384, "far")
    book.save(tmp_path / "t.xlsx")
    found = read_table(tmp_path / "t.xlsx").frame
    assert found.shape == (3, 3)
    assert found["a"].tolist()[:2] == [1, 2.5]


def test_a_sheet_with_too_many_cells_is_refused_while_it_is_read(tmp_path, frame, monkeypatch):
    monkeypatch.setattr(workbook, "MAX_CELLS", 3)
    with pytest.raises(DataError, match="too large, 3 cells are the most"):
        read_table(written(frame, tmp_path / "t.xlsx"))


def test_cells_of_a_workbook_are_what_they_show(tmp_path):
    book = Workbook()
    for line in (("a", "b", "c", "d"), (1, "", True, "#DIV/0!"), (2.0, "007", False, "=1/0")):
        book.active.append(line)
    book.active["D2"].data_type = "e"
    book.save(tmp_path / "t.xlsx")
    found = read_table(tmp_path / "t.xlsx").frame
    assert found["a"].tolist() == [1, 2]
    assert found["b"].isna().tolist() == [True, False]
    assert found["b"][1] == "007"
    assert found["c"].tolist() == [True, False]
    assert "d" in found.columns
    assert found["d"].isna().all()  # a formula has no value before a spreadsheet has computed it


@pytest.mark.parametrize("kind", ["file", "gzip", "memory", "latin-1", "utf-16"])
def test_pyarrow_is_handed_no_python_object(tmp_path, monkeypatch, kind):
    """Its threads may let go of the file after Python has ended, and a Python object would abort the process."""
    text = "größe,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(40))
    data = text.encode(kind if kind in ("latin-1", "utf-16") else "utf-8")
    path = tmp_path / ("table.csv.gz" if kind == "gzip" else "table.csv")
    path.write_bytes(gzip.compress(data) if kind == "gzip" else data)
    given = []
    really_open = delimited.pa_csv.open_csv
    monkeypatch.setattr(
        delimited.pa_csv, "open_csv", lambda file, **options: given.append(file) or really_open(file, **options)
    )
    table = read_table(io.BytesIO(data) if kind == "memory" else path, name="table.csv" if kind == "memory" else None)
    assert table.frame["größe"].tolist() == list(range(40))
    assert [type(file) for file in given] == [pa.BufferReader if kind == "memory" else pa.OSFile]
