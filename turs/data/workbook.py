"""One sheet of an Excel workbook as a frame; its first row that is not blank is the header.

Cells are read one row after the other and counted: a workbook is a packed file, and a single cell at the far end of a
sheet makes the sheet as large as Excel allows. Blank rows take no room here.
"""

from __future__ import annotations

import zipfile
from typing import Any

import numpy as np
import pandas as pd

from turs.data import source as sources
from turs.data.delimited import MISSING_MARKERS
from turs.data.names import listed, unique_names
from turs.data.source import Source
from turs.errors import DataError, nearest

MAX_CELLS = 20_000_000
"""Most cells of a sheet, blank rows left out."""

_MAX_BYTES = 512 << 20  # what is unpacked is XML, several bytes a cell; the texts of all cells are in memory at once
_EXCEL_ROWS = 1 << 20
_NUMBER, _FAULT = "n", "e"


def read_workbook(
    source: Source, sheet: str | int = 0, *, as_shown: bool = False
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read one sheet, by name or position; markers of missing values stay text where cells are wanted `as_shown`."""
    from openpyxl import load_workbook  # type: ignore[import-untyped]  # ships no types; few tables need it

    _check(source)
    try:
        book = load_workbook(source.stream, read_only=True, data_only=True, keep_links=False)
        names = [str(found.title) for found in book.worksheets]
        name = _sheet_name(names, sheet, source.name)
        shown = _cells(book, name, source.name)
    except DataError:
        raise
    except Exception as error:  # openpyxl raises whatever its XML and zip layers raise
        raise sources.broken(source, "an Excel workbook") from error
    others = [other for other in names if other != name]
    cells = shown.mask(shown.isin(MISSING_MARKERS))
    cells = cells[cells.notna().any(axis="columns")]
    if cells.empty:
        hint = f" Other sheets: {listed(others)}." if others else ""
        raise DataError(f"Sheet '{name}' of '{source.name}' is empty.{hint}")
    header, body = cells.iloc[0], cells.iloc[1:]
    used = (header.notna() | body.notna().any()).to_numpy()
    columns, notes = unique_names(header[used])
    wanted = shown.loc[body.index] if as_shown else body
    frame = wanted.loc[:, used].reset_index(drop=True).infer_objects()
    frame.columns = pd.Index(columns)
    if len(names) > 1 and sheet == 0:
        notes += (f"'{source.name}' has {len(names)} sheets; '{name}' was read. Other sheets: {listed(others)}.",)
    return frame, notes


def _check(source: Source) -> None:
    """Refuse a broken zip file, one that is no workbook, and one that unpacks to too much."""
    try:
        with zipfile.ZipFile(source.stream) as archive:
            size = sum(member.file_size for member in archive.infolist())
            is_workbook = any(member.startswith("xl/workbook") for member in archive.namelist())
    except zipfile.BadZipFile as error:
        raise sources.broken(source, "an Excel workbook") from error
    if not is_workbook:
        raise DataError(f"'{source.name}' is a zip archive without an Excel workbook: unpack it and give the table.")
    most = min(_MAX_BYTES, sources.MAX_BYTES)
    if size > most:
        raise sources.too_large(source.name, most)
    source.stream.seek(0)


def _sheet_name(names: list[str], sheet: str | int, file_name: str) -> str:
    """Return the name of the wanted sheet."""
    if isinstance(sheet, str):
        if sheet not in names:
            hint = nearest(sheet, names) or f" Sheets: {listed(names)}."
            raise DataError(f"'{file_name}' has no sheet '{sheet}'.{hint}")
        return sheet
    if not 0 <= sheet < len(names):
        raise DataError(f"'{file_name}' has no sheet number {sheet + 1}. Sheets: {listed(names)}.")
    return names[sheet]


def _cells(book: Any, name: str, file_name: str) -> pd.DataFrame:
    """Return the cells of a sheet, NaN where there is nothing; blank rows are left out."""
    sheet = book[name]
    sheet.reset_dimensions()  # what a file says about its size may be wrong
    rows: list[list[object]] = []
    width = 0
    for number, line in enumerate(sheet.rows):
        row = [_value(cell) for cell in line]
        while row and row[-1] is np.nan:
            row.pop()
        if row:
            rows.append(row)
            width = max(width, len(row))
        if len(rows) * width > MAX_CELLS or number >= _EXCEL_ROWS:
            raise DataError(
                f"Sheet '{name}' of '{file_name}' is too large, {MAX_CELLS:,} cells are the most: save the table as CSV"
                " or Parquet."
            )
    return pd.DataFrame([row + [np.nan] * (width - len(row)) for row in rows], dtype=object)


def _value(cell: Any) -> object:
    """Return what a cell holds: whole numbers as such, NaN for nothing and for a formula that failed."""
    value = cell.value
    if value is None or value == "" or cell.data_type == _FAULT:
        return np.nan
    if cell.data_type == _NUMBER:
        return int(value) if int(value) == value else float(value)
    return value
