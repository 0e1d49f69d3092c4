"""Where a table comes from: a path or an open binary file, unpacked, and told apart by its first bytes.

Everything here is defensive: a compressed file is unpacked up to `MAX_BYTES` only, and a file whose content is not
what its name says is refused with the name of what it is.
"""

from __future__ import annotations

import gzip
import io
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath
from typing import BinaryIO, cast

from turs.errors import DataError

MAX_BYTES = 2 * 1024**3
"""Most bytes that a compressed file may unpack to."""

_CHUNK = 1 << 20
_IN_MEMORY = 64 << 20
_TRUSTED = 256 << 20
_MOST_TIMES = 100
"""Beyond so many bytes, a file that becomes so many times as large is no table but made to fill a disk."""


class Form(StrEnum):
    """How a table is written in a file."""

    TEXT = "text"
    EXCEL = "an Excel workbook"
    PARQUET = "a Parquet file"


_FORM_OF_ENDING = {
    ".csv": Form.TEXT,
    ".tsv": Form.TEXT,
    ".tab": Form.TEXT,
    ".txt": Form.TEXT,
    ".dat": Form.TEXT,
    ".data": Form.TEXT,
    ".xlsx": Form.EXCEL,
    ".xlsm": Form.EXCEL,
    ".parquet": Form.PARQUET,
    ".pq": Form.PARQUET,
}
_ENDING_OF_FORM = {Form.TEXT: ".csv", Form.EXCEL: ".xlsx", Form.PARQUET: ".parquet"}
_READABLE = "Tables are read from CSV, TSV, Excel (.xlsx) and Parquet files, and from these with .gz"


@dataclass(frozen=True)
class Source:
    """An open, unpacked, seekable file with a table.

    Parameters
    ----------
    stream : BinaryIO
        The content, at its beginning.
    name : str
        What messages call the file.
    form : Form
        How the table is written.
    """

    stream: BinaryIO
    name: str
    form: Form


@contextmanager
def open_source(path: str | Path | BinaryIO, name: str | None = None) -> Iterator[Source]:
    """Open a file with a table; close what was opened here when done.

    Parameters
    ----------
    path : str, Path or BinaryIO
        The file. An open file is read from its beginning and left open.
    name : str, optional
        Name of the file where `path` is an open one.
    """
    with ExitStack() as stack:
        if isinstance(path, str | Path):
            label = name or PurePath(path).name
            stream = cast(BinaryIO, stack.enter_context(_opened(path)))
        else:
            label = name or PurePath(str(getattr(path, "name", "") or "table")).name
            stream = path
        if not stream.seekable():
            stream = stack.enter_context(_copied(stream, label))
        if _head(stream)[:2] == b"\x1f\x8b":
            stream = stack.enter_context(_unpacked(stream, label))
        elif label.casefold().endswith(".gz"):
            raise DataError(f"'{label}' ends in .gz but is not a gzip file: give it its right ending.")
        yield Source(stream, label, _form(stream, label))


@contextmanager
def rereadable(path: Path) -> Iterator[Path | BinaryIO]:
    """Give a file that can be opened more than once: `path`, or a copy of a pipe that was read to its end.

    Parameters
    ----------
    path : Path
        The file.
    """
    if path.is_file() or not path.exists():
        yield path
        return
    with _opened(path) as stream:
        if stream.seekable():
            yield path
            return
        with _copied(cast(BinaryIO, stream), path.name) as copy:
            yield copy


def _opened(path: str | Path) -> io.BufferedReader:
    """Open the file at `path`."""
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise DataError(f"There is no file '{path}'.") from None
    except OSError as error:
        raise DataError(f"'{path}' cannot be opened: {error.strerror or error}.") from None


def _spool() -> BinaryIO:
    """Return a temporary file that moves to disk when it grows."""
    return cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY))


def _copied(stream: BinaryIO, name: str) -> BinaryIO:
    """Return a stream that cannot be read twice as a seekable file; it may have no end."""
    copy = _spool()
    size = 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        if size > MAX_BYTES:
            copy.close()
            raise DataError(
                f"'{name}' gives more than {MAX_BYTES / 1024**3:.2g} GiB: give a smaller table, or write it to a file."
            )
        copy.write(chunk)
    return copy


def _unpacked(stream: BinaryIO, name: str) -> BinaryIO:
    """Return the content of a gzip file as a seekable file, up to what a table may unpack to."""
    target = _spool()
    size, packed_size = 0, stream.seek(0, io.SEEK_END)
    stream.seek(0)
    most = min(MAX_BYTES, max(_TRUSTED, _MOST_TIMES * packed_size))
    try:
        with gzip.GzipFile(fileobj=stream, mode="rb") as packed:
            while chunk := packed.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    target.close()
                    raise too_large(name, most)
                target.write(chunk)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        target.close()
        raise DataError(f"'{name}' is a broken or cut-off gzip file: copy or compress it again.") from None
    target.seek(0)
    return target


def too_large(name: str, most: int | None = None) -> DataError:
    """Return the error of a compressed file that unpacks to too much."""
    limit = (MAX_BYTES if most is None else most) / 1024**3
    return DataError(f"'{name}' unpacks to more than {limit:.2g} GiB: give a smaller table, or unpack it.")


def broken(source: Source, what: str) -> DataError:
    """Return the error of a file that its own format's reader refuses."""
    return DataError(f"'{source.name}' cannot be read as {what}: it is broken or cut off. Save or copy it again.")


def _head(stream: BinaryIO, size: int = 512) -> bytes:
    """Return the first bytes of a file and stand at its beginning again."""
    stream.seek(0)
    head = stream.read(size)
    stream.seek(0)
    return head


def _form(stream: BinaryIO, name: str) -> Form:
    """Return how the table is written, by content, checked against the ending of the name."""
    ending = _ending(name)
    head = _head(stream)
    if not head:
        raise DataError(f"'{name}' is empty.")
    if head.startswith(b"\xd0\xcf\x11\xe0") or ending == ".xls":
        raise DataError(
            f"'{name}' is an old Excel file (.xls) or protected by a password: save it as .xlsx without a password."
        )
    found = _form_of_content(head)
    expected = _FORM_OF_ENDING.get(ending, found) if ending else found
    if ending and ending not in _FORM_OF_ENDING and found is Form.TEXT:
        raise DataError(f"'{name}' ends in {ending}. {_READABLE}.")
    if found is expected:
        return found
    if found is Form.TEXT:
        raise DataError(f"'{name}' is broken or not {expected}: save it again, or give it its right ending.")
    raise DataError(f"'{name}' is {found}, not {expected}: give it the ending {_ENDING_OF_FORM[found]}.")


def _form_of_content(head: bytes) -> Form:
    """Return the form that the first bytes of a file tell."""
    if head.startswith(b"PK\x03\x04"):
        return Form.EXCEL
    if head.startswith((b"PAR1", b"PARE")):
        return Form.PARQUET
    return Form.TEXT


def _ending(name: str) -> str:
    """Return the lower-case ending of a file name, without .gz; empty where it has none."""
    path = PurePath(name.casefold())
    return PurePath(path.stem).suffix if path.suffix == ".gz" else path.suffix
