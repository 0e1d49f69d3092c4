"""A table as the bytes of a Parquet file and back, exactly: types, categories and their order, dates, missing values.

What Parquet keeps by itself stays readable for any program. A column of mixed values becomes text with a tag that says
what each value was, categories that are not text become codes, and the file's metadata say so. Nothing is stored that
would not come back as it was.
"""

from __future__ import annotations

import datetime
import io
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow ships no types
import pyarrow.parquet as pa_parquet  # type: ignore[import-untyped]  # pyarrow ships no types

from turs.data.names import shortened
from turs.errors import DataError, StorageError

_KEY = b"turs"


def to_parquet(frame: pd.DataFrame) -> bytes:
    """Return a table as the bytes of a Parquet file.

    Raises
    ------
    DataError
        Where a column could not be read back exactly as it is; it is named.
    """
    names = list(frame.columns)
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise DataError("A table is stored with column names that are text, none of them twice: rename its columns.")
    stored, notes = frame.copy(deep=False), {}
    for name in names:
        coded = _coded(frame[name], name)
        if coded is not None:
            stored[name], notes[name] = coded
    try:
        table = pa.Table.from_pandas(stored)
        metadata = (table.schema.metadata or {}) | {_KEY: json.dumps(notes).encode()}
        sink = io.BytesIO()
        pa_parquet.write_table(table.replace_schema_metadata(metadata), sink, compression="zstd")
        content = sink.getvalue()
        back = from_parquet(content)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"The table cannot be stored: {' '.join(str(error).split())}") from None
    changed = [name for name in names if not _is_same(frame[name], back[name])]
    if changed:
        name = changed[0]
        raise DataError(f"Column '{shortened(name)}' of type {frame[name].dtype} cannot be stored exactly: convert it.")
    return content


def from_parquet(content: bytes) -> pd.DataFrame:
    """Return the table that `to_parquet` wrote.

    Raises
    ------
    StorageError
        Where the bytes are no such file.
    """
    try:
        table = pa_parquet.read_table(io.BytesIO(content))
        notes = json.loads((table.schema.metadata or {}).get(_KEY, b"{}"))
        frame: pd.DataFrame = table.to_pandas()
        for name, note in notes.items():
            frame[name] = _decoded(frame[name], note)
    except (pa.ArrowException, ValueError, TypeError, LookupError, AttributeError, OSError) as error:
        raise StorageError(f"The rows of a data set cannot be read ({error}): put a back-up in place.") from None
    return frame


def _coded(column: pd.Series, name: str) -> tuple[pd.Series, dict[str, Any]] | None:
    """Return a column in a form that Parquet keeps, and how to undo that; None where it keeps the column as it is."""
    dtype = column.dtype
    if pd.api.types.is_object_dtype(dtype):
        tagged = [_tagged(value, name) for value in column]
        return pd.Series(tagged, index=column.index, dtype="str"), {"form": "tagged"}
    if isinstance(dtype, pd.CategoricalDtype) and not isinstance(dtype.categories.dtype, pd.StringDtype):
        note = {
            "form": "codes",
            "categories": [_tagged(value, name) for value in dtype.categories.astype(object)],
            "type": str(dtype.categories.dtype),
            "ordered": bool(dtype.ordered),
        }
        return column.cat.codes.astype("int32"), note
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        return column, {"form": "typed", "type": str(dtype)}  # Parquet knows no seconds
    return None


def _decoded(column: pd.Series, note: dict[str, Any]) -> pd.Series:
    """Undo `_coded`."""
    if note["form"] == "tagged":
        return pd.Series([_untagged(value) for value in column], index=column.index, dtype=object)
    if note["form"] == "typed":
        return column.astype(note["type"])
    values = [_untagged(value) for value in note["categories"]]
    categories = pd.Index(values, dtype=object).astype(note["type"])
    codes = column.to_numpy()
    return pd.Series(
        pd.Categorical.from_codes(codes, categories=categories, ordered=note["ordered"]), index=column.index
    )


def _is_same(column: pd.Series, other: pd.Series) -> bool:
    """Whether two columns are the same to the last value and type."""
    if column.dtype != other.dtype or not column.index.equals(other.index):
        return False
    if pd.api.types.is_object_dtype(column.dtype):
        return [_tagged(value, "") for value in column] == [_tagged(value, "") for value in other]
    return column.equals(other)


_TYPES: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "text": (str, str, str),
    "bool": (bool, bool, bool),
    "int": (int, str, int),
    "float": (float, float.hex, float.fromhex),
    "timestamp": (pd.Timestamp, pd.Timestamp.isoformat, pd.Timestamp),
    "datetime": (datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    "date": (datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "time": (datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    "decimal": (Decimal, str, Decimal),
    "missing": (type(pd.NA), lambda value: None, lambda value: pd.NA),
    "no time": (type(pd.NaT), lambda value: None, lambda value: pd.NaT),
    "none": (type(None), lambda value: None, lambda value: None),
}
"""Values that a column may mix: what they are called, their type, and how they become JSON values and back."""

_TAGS = {found: name for name, (found, _, _) in _TYPES.items()}


def _tagged(value: object, column: str) -> str:
    """Return a value as text that says what it is."""
    if isinstance(value, np.generic):
        return json.dumps(["array", value.dtype.str, _tagged(value.item(), column)])
    tag = _TAGS.get(type(value))
    if tag is None:
        raise DataError(f"Column '{shortened(column)}' holds a value of type {type(value).__name__}: make it text.")
    return json.dumps([tag, _TYPES[tag][1](value)])


def _untagged(text: str) -> Any:
    """Undo `_tagged`."""
    tag, *parts = json.loads(text)
    if tag == "array":
        return np.dtype(parts[0]).type(_untagged(parts[1]))
    return _TYPES[tag][2](parts[0])
