"""From a frame to a file: CSV, TSV, Excel and Parquet, each also with gzip, written as a whole or not at all.

Text stays text: nothing that begins with `=` becomes a formula in a workbook.
"""

from __future__ import annotations

import datetime
import gzip
import io
import os
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, BinaryIO, cast

import numpy as np
import pandas as pd

from turs.errors import DataError, SettingsError
from turs.files import replacing

_ENDINGS = (".csv", ".tsv", ".xlsx", ".parquet")
_MOST_SHEET_ROWS = 1_048_576


def check_ending(path: str | os.PathLike[str]) -> str:
    """Return the ending of `path` without .gz, or raise an error where no table is written under that ending."""
    name = PurePath(path).name.casefold().removesuffix(".gz")
    ending = PurePath(name).suffix
    if ending not in _ENDINGS:
        raise SettingsError(
            f"'{PurePath(path).name}' has to end in {', '.join(_ENDINGS)}, or in one of these with .gz."
        )
    return ending


def write_table(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table to a file, whose ending tells the format.

    Parameters
    ----------
    frame : DataFrame
        The table; column names are unique text.
    path : str or path-like
        The file; what is there is replaced in one step, and stays where writing fails.

    Raises
    ------
    SettingsError
        Where the ending is not one of a table.
    DataError
        Where the file cannot be written.
    """
    ending = check_ending(path)
    if ending == ".xlsx" and len(frame) >= _MOST_SHEET_ROWS:
        raise DataError(f"{len(frame):,} rows do not fit into a sheet of a workbook: write CSV or Parquet.")
    try:
        with replacing(path) as file:
            if PurePath(path).suffix.casefold() == ".gz":
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                    _write(frame, cast(BinaryIO, packed), ending)
            else:
                _write(frame, file, ending)
    except OSError as error:
        raise DataError(f"'{os.fspath(path)}' cannot be written: {error.strerror or error}.") from error


def _write(frame: pd.DataFrame, file: BinaryIO, ending: str) -> None:
    """Write a table to an open file."""
    if ending in (".xlsx", ".parquet"):
        content = io.BytesIO()  # both formats have to go back in their file, which gzip does not let them
        if ending == ".xlsx":
            _write_sheet(frame, content)
        else:
            _of_one_type(frame).to_parquet(content, index=False)
        file.write(content.getbuffer())
    else:
        frame.to_csv(file, index=False, sep="," if ending == ".csv" else "\t", lineterminator="\n")


def _of_one_type(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which columns of mixed values are text."""
    table = frame.copy(deep=False)
    for name in frame.columns:
        if frame[name].dtype == object and len({type(value) for value in frame[name].dropna()}) > 1:
            table[name] = frame[name].map(str, na_action="ignore")
    return table


def _write_sheet(frame: pd.DataFrame, file: BinaryIO) -> None:
    """Write a table as the only sheet of a workbook."""
    # Loaded here because few tables become workbooks and the library is slow to load; it ships no types.
    from openpyxl import Workbook  # type: ignore[import-untyped]
    from openpyxl.cell import WriteOnlyCell  # type: ignore[import-untyped]
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE  # type: ignore[import-untyped]

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Table")

    def cells(values: Iterable[Any]) -> list[Any]:
        line: list[Any] = []
        for value in values:
            plain = _plain(value)
            if isinstance(plain, str):
                cell = WriteOnlyCell(sheet, value=ILLEGAL_CHARACTERS_RE.sub("\ufffd", plain))
                cell.data_type = "s"
                line.append(cell)
            else:
                line.append(plain)
        return line

    sheet.append(cells(frame.columns))
    for row in frame.itertuples(index=False, name=None):
        sheet.append(cells(row))
    book.save(file)


def _plain(value: Any) -> Any:
    """Return a value that a workbook can hold: a number, a truth value, a date without time zone, text or nothing."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ") if value.tzinfo else pd.Timestamp(value).to_pydatetime()
    if isinstance(value, bool | int | float | datetime.date | datetime.time):
        return value
    return str(value)
