"""Tables in text files: CSV, TSV and their relatives.

The encoding and the delimiter are found by looking. All columns are parsed as text first, a block at a time, and
become numbers where every known value is one; so a code such as `007` survives, and the file is never in memory as
a whole.
"""

from __future__ import annotations

import codecs
import csv
import io
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow ships no types
import pyarrow.compute as pc  # type: ignore[import-untyped]  # pyarrow ships no types
import pyarrow.csv as pa_csv  # type: ignore[import-untyped]  # pyarrow ships no types

from turs.data.names import listed, unique_names
from turs.data.number_buffer import NumberBuffer
from turs.data.numerals import numeral_mask, parse_numerals
from turs.data.source import Source
from turs.errors import DataError

MISSING_MARKERS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "?")
"""Cells that mean "not known" in a text file or a workbook."""

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 1 << 20
_BLOCK = 1 << 20
_SNIFFED_ROWS = 200
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\x1a\x1b")
_ENCODING_NAMES = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}


@dataclass(frozen=True)
class _Layout:
    """How a text file is laid out: what has to be known before its rows are parsed."""

    encoding: str
    delimiter: str
    names: tuple[str, ...]
    header_lines: int
    block_size: int


def read_delimited(source: Source, text: Collection[str] = ()) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a text file with a header line and a delimiter.

    Parameters
    ----------
    source : Source
        The open file.
    text : collection of str
        Columns to leave as text whatever they hold.

    Returns
    -------
    DataFrame
        int64 (Int64 where values are missing), float64, bool (boolean) and text columns.
    tuple of str
        What had to be decided: encoding, decimal commas, changed names.
    """
    encoding, notes = _encoding(source)
    layout, name_notes = _layout(source, encoding)
    try:
        columns, with_comma = _columns(source, layout, text)
    except pa.ArrowInvalid as error:
        raise _parse_error(source, layout, error) from None
    if with_comma:
        notes += (f"Numbers with a decimal comma were read in {listed(with_comma)}.",)
    return pd.DataFrame(columns, copy=False), notes + name_notes


def read_cells(source: Source) -> pd.DataFrame:
    """Return the cells of a text file as text, exactly as they stand there; names are unique."""
    encoding, _ = _encoding(source)
    layout, _ = _layout(source, encoding)
    try:
        table = pa.Table.from_batches(list(_blocks(source, layout, layout.names, markers=())))
    except pa.ArrowInvalid as error:
        raise _parse_error(source, layout, error) from None
    return pd.DataFrame(table.to_pandas())


def _encoding(source: Source) -> tuple[str, tuple[str, ...]]:
    """Return the encoding of a text file, with a note where it is a guess."""
    head = source.stream.read(512)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        if not _decodes(source, "utf-16"):
            raise _not_text(source)
        return "utf-16", ()
    if head.lstrip(codecs.BOM_UTF8).lstrip().lower().startswith((b"<!doctype html", b"<html", b"%pdf")):
        raise _not_text(source)
    if any(b"\0" in chunk for chunk in _chunks(source)):
        raise _not_text(source)
    if _decodes(source, "utf-8"):
        return "utf-8", ()
    if _holds(source, _CONTROLS):
        raise _not_text(source)
    encoding = "cp1252" if _decodes(source, "cp1252") else "latin-1"
    note = f"'{source.name}' is not in UTF-8; it was read as {_ENCODING_NAMES[encoding]}: check accented letters."
    return encoding, (note,)


def _not_text(source: Source) -> DataError:
    """Return the error of a file that holds no text table."""
    return DataError(f"'{source.name}' is not a text file with a table: save the table as CSV in UTF-8.")


def _chunks(source: Source) -> Iterator[bytes]:
    """Yield the content of a file from its beginning."""
    source.stream.seek(0)
    while chunk := source.stream.read(_SAMPLE):
        yield chunk


def _holds(source: Source, codes: bytes) -> bool:
    """Say whether a file holds one of the byte `codes`."""
    return any(len(chunk.translate(None, codes)) < len(chunk) for chunk in _chunks(source))


def _decodes(source: Source, encoding: str) -> bool:
    """Say whether the whole file is valid in `encoding`."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for chunk in _chunks(source):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _layout(source: Source, encoding: str) -> tuple[_Layout, tuple[str, ...]]:
    """Return delimiter and column names, with notes on changed names."""
    sample = _sample(source, encoding)
    if not sample.strip():
        raise DataError(f"'{source.name}' is empty.")
    delimiter = _delimiter(sample)
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        header = next(row for row in reader if row)
        header_lines = reader.line_num
    except csv.Error as error:
        raise DataError(f"'{source.name}' cannot be read as CSV: {error}.") from None
    try:
        has_rows = next((True for row in reader if row), False)
    except csv.Error:  # a very long field, which the parser proper can read
        has_rows = True
    names, notes = unique_names(header)
    if not has_rows:
        raise DataError(f"'{source.name}' has a header but no rows: add rows below it.")
    if numeral_mask(header).all():
        notes += (f"The first line of '{source.name}' holds only numbers; it was taken as column names.",)
    # Small blocks are quick and lean, but a block has to hold some rows.
    block_size = max(_BLOCK, 32 * max(map(len, sample.splitlines())))
    return _Layout(encoding, delimiter, names, header_lines, block_size), notes


def _sample(source: Source, encoding: str) -> str:
    """Return the beginning of the file as text."""
    source.stream.seek(0)
    data = source.stream.read(_SAMPLE)
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)()
    return decoder.decode(data)


def _delimiter(sample: str) -> str:
    """Return the delimiter that gives most rows the width of the header; of several, the one with most columns."""
    best, best_score = _DELIMITERS[0], (0.0, 0)
    for delimiter in _DELIMITERS:
        widths = _widths(sample, delimiter)
        if widths and widths[0] > 1:
            score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
            if score > best_score:
                best, best_score = delimiter, score
    return best


def _widths(sample: str, delimiter: str) -> list[int]:
    """Return the number of fields of the first rows."""
    widths: list[int] = []
    # The last line of a full sample may be cut off.
    lines = io.StringIO(
        sample if len(sample) < _SAMPLE // 4 else sample[: sample.rfind("\n") + 1] or sample, newline=""
    )
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if row:
                widths.append(len(row))
            if len(widths) == _SNIFFED_ROWS:
                break
    except csv.Error:
        return widths
    return widths


@contextmanager
def _native(source: Source, encoding: str) -> Iterator[Any]:
    """Open the content in UTF-8 as a file of pyarrow's own.

    A thread of pyarrow that reads ahead may hold a file longer than its reader does. If that is a Python object and the
    process ends in this moment, letting go of it aborts the process.
    """
    with ExitStack() as stack:
        stream = source.stream
        if encoding != "utf-8":
            stream = stack.enter_context(tempfile.TemporaryFile())
            decoder = codecs.getincrementaldecoder(encoding)()
            for chunk in _chunks(source):
                stream.write(decoder.decode(chunk).encode())
        yield _reopened(stream)


def _reopened(stream: BinaryIO) -> Any:
    """Return a file of pyarrow's own with the content of a file: the same on disk, or a copy of what is in memory."""
    try:
        path = f"/dev/fd/{stream.fileno()}"
    except OSError:  # it is in memory
        path = ""
    if path and Path(path).exists():
        stream.flush()
        return pa.OSFile(path)
    copy = pa.BufferOutputStream()
    stream.seek(0)
    while chunk := stream.read(_SAMPLE):
        copy.write(chunk)
    return pa.BufferReader(copy.getvalue())


def _blocks(
    source: Source, layout: _Layout, names: Sequence[str], markers: Sequence[str] = MISSING_MARKERS
) -> Iterator[Any]:
    """Yield record batches with the text of the columns `names`; cells that are among `markers` are null."""
    read_options = pa_csv.ReadOptions(
        column_names=layout.names, skip_rows=layout.header_lines, block_size=layout.block_size
    )
    convert_options = pa_csv.ConvertOptions(
        column_types={name: pa.string() for name in layout.names},
        include_columns=list(names),
        null_values=list(markers),
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
    )
    parse_options = pa_csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True)
    with (
        _native(source, layout.encoding) as file,
        pa_csv.open_csv(
            file, read_options=read_options, parse_options=parse_options, convert_options=convert_options
        ) as reader,
    ):
        yield from reader


def _columns(source: Source, layout: _Layout, text: Collection[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the columns as series, and the names of those with decimal commas.

    A column that begins as numbers and turns out to be text is read a second time.
    """
    texts: dict[str, list[Any]] = {name: [] for name in layout.names if name in text}
    most = _most_rows(source)
    numbers = {name: NumberBuffer(most) for name in layout.names if name not in text}
    reread: list[str] = []
    with_comma: list[str] = []
    is_first = True
    for block in _blocks(source, layout, layout.names):
        for name, array in zip(layout.names, block.columns, strict=True):
            if name in numbers:
                numerals = parse_numerals(array, decimal_comma=layout.delimiter != ",")
                if numerals is not None:
                    numbers[name].append(numerals.array)
                    if numerals.decimal_comma and name not in with_comma:
                        with_comma.append(name)
                    continue
                del numbers[name]
                texts[name] = []
                if not is_first:
                    reread.append(name)
            if name not in reread:
                texts[name].append(array)
        is_first = False
    if reread:
        for block in _blocks(source, layout, reread):
            for name, array in zip(reread, block.columns, strict=True):
                texts[name].append(array)
    columns = {
        name: numbers[name].series() if name in numbers else _text_series(texts.pop(name)) for name in layout.names
    }
    return columns, [name for name in with_comma if name in numbers]


def _most_rows(source: Source) -> int:
    """Return how many rows there can be at most: one for every end of a line, whatever it is, and for the last line."""
    return sum(chunk.count(b"\n") + chunk.count(b"\r") for chunk in _chunks(source)) + 1


def _text_series(pieces: list[Any]) -> Any:
    """Return the blocks of one column of text as a series of text or of booleans."""
    column = _booleans(pa.chunked_array(pieces))
    if pa.types.is_boolean(column.type) and column.null_count:
        return column.to_pandas(types_mapper={column.type: pd.BooleanDtype()}.get)
    return column.to_pandas()


def _booleans(column: Any) -> Any:
    """Return trimmed text, as booleans where all known values are `true` or `false` in any case."""
    column = pc.utf8_trim_whitespace(column)
    missing = pc.is_in(column, value_set=pa.array(MISSING_MARKERS))
    column = pc.if_else(missing, pa.scalar(None, type=column.type), column)
    first = pc.utf8_lower(column.slice(0, 1000))
    if not pc.all(pc.is_in(first, value_set=pa.array(["true", "false", None]))).as_py():
        return column
    lower = pc.utf8_lower(column)
    known = pc.is_in(lower, value_set=pa.array(["true", "false", None]))
    if column.null_count == len(column) or not pc.all(known).as_py():
        return column
    return pc.equal(lower, "true")


def _parse_error(source: Source, layout: _Layout, error: Exception) -> DataError:
    """Return the error of a file that does not parse; it names the first line of a wrong width where there is one."""
    ragged = _first_ragged(source, layout)
    if ragged is None:
        reason = str(error).splitlines()[0][:200]
        return DataError(f"'{source.name}' cannot be read as a table: {reason}")
    line, width = ragged
    fields = "1 field" if width == 1 else f"{width} fields"
    shown = {"\t": "a tab"}.get(layout.delimiter, f"'{layout.delimiter}'")
    return DataError(
        f"'{source.name}', line {line}: {fields} where the header has {len(layout.names)}. Correct the line;"
        f" a field that holds {shown} needs quotes."
    )


def _first_ragged(source: Source, layout: _Layout) -> tuple[int, int] | None:
    """Return line number and width of the first row that is not as wide as the header."""
    with _decoded(source, layout.encoding) as lines:
        reader = csv.reader(lines, delimiter=layout.delimiter)
        try:
            start = 1
            for row in reader:
                if row and len(row) != len(layout.names):
                    return start, len(row)
                start = reader.line_num + 1
        except csv.Error:
            return None
    return None


@contextmanager
def _decoded(source: Source, encoding: str) -> Iterator[io.TextIOWrapper]:
    """Open the file as text, without closing it at the end."""
    source.stream.seek(0)
    wrapper = io.TextIOWrapper(source.stream, encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="")
    try:
        yield wrapper
    finally:
        wrapper.detach()
