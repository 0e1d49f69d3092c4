"""Tables in Parquet: what goes in comes out, to the last type and missing value."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from turs.errors import DataError, StorageError
from turs.storage.parquet import from_parquet, to_parquet

NOON = pd.Timestamp("2020-01-01 12:00")

COLUMNS = {
    "int8": pd.Series([1, 2], dtype="int8"),
    "float32": pd.Series([1.5, np.nan], dtype="float32"),
    "bool": pd.Series([True, False]),
    "text": pd.Series(["a", None]),
    "string": pd.Series(["a", pd.NA], dtype="string"),
    "boolean": pd.Series([True, None], dtype="boolean"),
    "Int64": pd.Series([1, None], dtype="Int64"),
    "arrow": pd.Series([1, None], dtype="int64[pyarrow]"),
    "text as objects": pd.Series(["a", None], dtype=object),
    "text and nan": pd.Series(["a", np.nan], dtype=object),
    "mixed": pd.Series(["1", 1, 1.0, True, None, np.nan, pd.NaT, pd.NA, NOON], dtype=object),
    "mixed dates": pd.Series([datetime.date(2020, 1, 1), datetime.time(12), NOON.to_pydatetime()], dtype=object),
    "numbers of numpy": pd.Series([np.int64(3), np.float32(0.1), 2**80, Decimal("1.10")], dtype=object),
    "categories": pd.Series(["b", "a", None], dtype="category"),
    "ordered": pd.Series(pd.Categorical(["b", None], categories=["c", "b", "a"], ordered=True)),
    "categories of numbers": pd.Series([3, 1, None], dtype="category"),
    "categories of floats": pd.Series([1.5, 2.5, 1.5]).astype("category"),
    "categories of dates": pd.Series([NOON, NOON]).astype("category"),
    "categories of truth": pd.Series([True, False]).astype("category"),
    "categories of objects": pd.Series(pd.Categorical(pd.Series(["b", "a"], dtype=object))),
    "mixed categories": pd.Series(pd.Categorical(pd.Series(["b", 1], dtype=object))),
    "no categories": pd.Series(pd.Categorical([None, None])),
    "seconds": pd.Series([NOON, pd.NaT]).astype("datetime64[s]"),
    "nanoseconds": pd.Series([NOON + pd.Timedelta(1, "ns"), pd.NaT]).astype("datetime64[ns]"),
    "time zone": pd.Series([NOON, pd.NaT]).dt.tz_localize("Europe/Amsterdam"),
    "time zone in seconds": pd.Series([NOON]).astype("datetime64[s]").dt.tz_localize("UTC"),
    "spans": pd.Series(pd.to_timedelta(["1D", None])).astype("timedelta64[s]"),
    "nothing": pd.Series([None, None], dtype=object),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_come_back_as_they_were(name: str) -> None:
    frame = pd.DataFrame({name: COLUMNS[name]})
    back = from_parquet(to_parquet(frame))
    pd.testing.assert_frame_equal(back, frame, check_exact=True, check_column_type=True)
    assert [type(value) for value in back[name]] == [type(value) for value in frame[name]]
    assert to_parquet(back) == to_parquet(frame)  # the same content has the same address


def test_names_may_be_anything_a_spreadsheet_holds() -> None:
    names = ["a b", "'; DROP TABLE turs_journal; --", '"', "Ω\n\t", "\x00", "", "😀", "part"]
    frame = pd.DataFrame([range(len(names))], columns=names)
    pd.testing.assert_frame_equal(from_parquet(to_parquet(frame)), frame)


def test_rows_keep_their_index() -> None:
    frame = pd.DataFrame({"a": [1.5, 2.5, 3.5]}).iloc[[2, 0]]
    pd.testing.assert_frame_equal(from_parquet(to_parquet(frame)), frame)


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (pd.DataFrame({"a": [1j]}), "cannot be stored"),
        (pd.DataFrame({"a": [object()]}), "Column 'a' holds a value of type object"),
        (pd.DataFrame({"a": [[1, 2]]}), "type list"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "none of them twice"),
        (pd.DataFrame([[1]]), "text"),
    ],
)
def test_what_would_not_come_back_is_refused(frame: pd.DataFrame, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        to_parquet(frame)


def test_other_bytes_are_refused() -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        from_parquet(b"not a table")
