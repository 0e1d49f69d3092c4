"""From a file to a frame: CSV, TSV, Excel and Parquet, each also with gzip.

A file that cannot be read ends in one `DataError` that says what is wrong with it. Nothing in a file is ever
executed: no pickle, no formulas.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow ships no types
import pyarrow.parquet as pa_parquet  # type: ignore[import-untyped]  # pyarrow ships no types

from turs.data import source as sources
from turs.data.delimited import MISSING_MARKERS, read_delimited
from turs.data.delimited import read_cells as read_delimited_cells
from turs.data.names import listed, unique_names
from turs.data.source import Form, Source, open_source
from turs.errors import DataError, nearest


@dataclass(frozen=True)
class Table:
    """What a file holds.

    Parameters
    ----------
    frame : DataFrame
        The rows; column names are unique text.
    notes : tuple of str
        What the reader had to decide, for the user to check.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()


def read_table(
    path: str | Path | BinaryIO, *, name: str | None = None, sheet: str | int = 0, text: Collection[str] = ()
) -> Table:
    """Read a table from a CSV, TSV, Excel or Parquet file, gzipped or not.

    Parameters
    ----------
    path : str, Path or BinaryIO
        The file, or an open binary file.
    name : str, optional
        Name of an open file; its ending tells the format, otherwise the content does.
    sheet : str or int
        Sheet of an Excel workbook, by name or position.
    text : collection of str
        Columns of a text file that stay text whatever they hold.

    Returns
    -------
    Table
        The frame, and notes on what had to be decided (encoding, decimal commas, changed names).

    Raises
    ------
    DataError
        Where the file is missing, empty, broken, not a table, or unpacks to more than `source.MAX_BYTES`.
    """
    with open_source(path, name) as source:
        if source.form is Form.TEXT:
            frame, notes = read_delimited(source, text)
        elif source.form is Form.EXCEL:
            frame, notes = _read_excel(source, sheet)
        else:
            frame, notes = _read_parquet(source)
    if frame.shape[1] == 0:
        raise DataError(f"'{source.name}' has no columns.")
    if frame.shape[0] == 0:
        raise DataError(f"'{source.name}' has a header but no rows: add rows below it.")
    return Table(frame, notes)


def read_cells(path: str | Path | BinaryIO, *, name: str | None = None, sheet: str | int = 0) -> pd.DataFrame:
    """Read a table as its file shows it, to be written back: cells of a text file stay the text that they are.

    Rows and names are those of `read_table`.

    Parameters
    ----------
    path : str, Path or BinaryIO
        The file, or an open binary file.
    name : str, optional
        Name of an open file.
    sheet : str or int
        Sheet of an Excel workbook, by name or position.
    """
    with open_source(path, name) as source:
        if source.form is Form.TEXT:
            return read_delimited_cells(source)
        if source.form is Form.EXCEL:
            return _read_excel(source, sheet, as_shown=True)[0]
        return _read_parquet(source)[0]


def _read_excel(source: Source, sheet: str | int, *, as_shown: bool = False) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read one sheet of a workbook; its first row that is not blank is the header.

    Markers of missing values stay text where cells are wanted `as_shown`.
    """
    _check_workbook(source)
    try:
        with pd.ExcelFile(source.stream, engine="openpyxl") as book:
            sheet_name = _sheet_name(book, sheet, source.name)
            shown = pd.read_excel(
                book, sheet_name=sheet_name, header=None, dtype=object, na_values=[""], keep_default_na=False
            )
    except DataError:
        raise
    except Exception as error:  # openpyxl raises whatever its XML and zip layers raise
        raise _broken(source, "an Excel workbook") from error
    cells = shown.mask(shown.isin(MISSING_MARKERS))
    cells = cells[cells.notna().any(axis="columns")]
    if cells.empty:
        raise DataError(f"Sheet '{sheet_name}' of '{source.name}' is empty.")
    header, body = cells.iloc[0], cells.iloc[1:]
    used = (header.notna() | body.notna().any()).to_numpy()
    names, notes = unique_names(header[used])
    wanted = shown.loc[body.index] if as_shown else body
    frame = wanted.loc[:, used].reset_index(drop=True).infer_objects()
    frame.columns = pd.Index(names)
    if len(book.sheet_names) > 1 and sheet == 0:
        notes += (f"'{source.name}' has {len(book.sheet_names)} sheets; '{sheet_name}' was read.",)
    return frame, notes


def _check_workbook(source: Source) -> None:
    """Refuse a broken zip file, one that is no workbook, and one that unpacks to too much."""
    try:
        with zipfile.ZipFile(source.stream) as archive:
            size = sum(member.file_size for member in archive.infolist())
            is_workbook = any(member.startswith("xl/workbook") for member in archive.namelist())
    except zipfile.BadZipFile as error:
        raise _broken(source, "an Excel workbook") from error
    if not is_workbook:
        raise DataError(f"'{source.name}' is a zip archive without an Excel workbook: unpack it and give the table.")
    if size > sources.MAX_BYTES:
        raise sources.too_large(source.name)
    source.stream.seek(0)


def _sheet_name(book: pd.ExcelFile, sheet: str | int, file_name: str) -> str:
    """Return the name of the wanted sheet."""
    names = [str(name) for name in book.sheet_names]
    if isinstance(sheet, str):
        if sheet not in names:
            hint = nearest(sheet, names) or f" Sheets: {listed(names)}."
            raise DataError(f"'{file_name}' has no sheet '{sheet}'.{hint}")
        return sheet
    if not 0 <= sheet < len(names):
        raise DataError(f"'{file_name}' has no sheet number {sheet + 1}. Sheets: {listed(names)}.")
    return names[sheet]


def _read_parquet(source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a Parquet file; an unnamed pandas index that was stored with it is dropped."""
    try:
        file = pa_parquet.ParquetFile(source.stream)
        described = file.metadata
        packed = sum(described.row_group(group).total_byte_size for group in range(described.num_row_groups))
        if max(packed, described.num_rows * described.num_columns) > sources.MAX_BYTES:
            raise sources.too_large(source.name)
        table = file.read()
        names = list(table.column_names)
        table = table.rename_columns([str(position) for position in range(len(names))])
        frame = table.to_pandas(ignore_metadata=True, date_as_object=False, split_blocks=True, self_destruct=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise _broken(source, "a Parquet file") from error
    kept = [not re.fullmatch(r"__index_level_\d+__", name) for name in names]
    unique, notes = unique_names(name for name, keep in zip(names, kept, strict=True) if keep)
    frame = frame.loc[:, kept]
    frame.columns = pd.Index(unique)
    return frame, notes


def _broken(source: Source, what: str) -> DataError:
    """Return the error of a file that its own format's reader refuses."""
    return DataError(f"'{source.name}' cannot be read as {what}: it is broken or cut off. Save or copy it again.")
