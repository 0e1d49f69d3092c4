"""From a file to a frame: CSV, TSV, Excel and Parquet, each also with gzip.

A file that cannot be read ends in one `DataError` that says what is wrong with it. Nothing in a file is ever
executed: no pickle, no formulas.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow ships no types

from turs.data import source as sources
from turs.data.delimited import read_cells as read_delimited_cells
from turs.data.delimited import read_delimited
from turs.data.names import unique_names
from turs.data.source import Form, Source, open_source
from turs.data.workbook import read_workbook
from turs.errors import DataError

_CELL_BYTES = 8  # of a number in memory; a file that repeats one needs next to nothing


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
        if isinstance(sheet, str) and source.form is not Form.EXCEL:
            raise DataError(f"'{source.name}' has no sheet '{sheet}': only an Excel workbook has sheets.")
        if source.form is Form.TEXT:
            frame, notes = read_delimited(source, text)
            pa.default_memory_pool().release_unused()  # what the text took
        elif source.form is Form.EXCEL:
            frame, notes = read_workbook(source, sheet)
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
            return read_workbook(source, sheet, as_shown=True)[0]
        return _read_parquet(source)[0]


def _read_parquet(source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a Parquet file; an unnamed pandas index that was stored with it is dropped."""
    # Only here, because it takes 6 MB and a tenth of the time that a command needs to start.
    import pyarrow.parquet as pa_parquet  # type: ignore[import-untyped]  # pyarrow ships no types

    try:
        file = pa_parquet.ParquetFile(source.stream)
        described = file.metadata
        packed = sum(described.row_group(group).total_byte_size for group in range(described.num_row_groups))
        if max(packed, described.num_rows * described.num_columns * _CELL_BYTES) > sources.MAX_BYTES:
            raise sources.too_large(source.name)
        table = file.read()
        names = list(table.column_names)
        table = table.rename_columns([str(position) for position in range(len(names))])
        frame = table.to_pandas(ignore_metadata=True, date_as_object=False, split_blocks=True, self_destruct=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise sources.broken(source, "a Parquet file") from error
    kept = [not re.fullmatch(r"__index_level_\d+__", name) for name in names]
    unique, notes = unique_names(name for name, keep in zip(names, kept, strict=True) if keep)
    frame = frame.loc[:, kept]
    frame.columns = pd.Index(unique)
    return frame, notes
