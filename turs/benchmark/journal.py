"""The journal of a benchmark: one JSON line a finished task, on disk before the next one is reported.

A run that is interrupted loses the tasks in progress and nothing else. A line that was cut off is left out.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from turs.errors import SettingsError

Row = dict[str, Any]


class Journal:
    """Finished tasks by key; a context manager that holds the file for itself.

    Parameters
    ----------
    path : Path
        The file, made where there is none.
    fresh : bool
        Whether to forget what it holds.
    """

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self._path = path
        self._fresh = fresh
        self._file: IO[bytes] | None = None
        self.rows: dict[str, Row] = {}

    def __enter__(self) -> Self:
        """Open the file and read what is there."""
        file = self._path.open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise SettingsError(f"Another run writes to {self._path}: wait for it, or name another --out.") from None
        if self._fresh:
            file.truncate(0)
        file.seek(0)
        text = file.read()
        if text and not text.endswith(b"\n"):
            file.write(b"\n")
        for line in text.splitlines():
            row = _row(line)
            if row is not None:
                self.rows[row["key"]] = row
        self._file = file
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def append(self, row: Row) -> None:
        """Write a finished task; it is on disk when this returns."""
        assert self._file is not None, "a journal is used inside a with statement"
        self._file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.rows[row["key"]] = row

    def finished(self, key: str, limit: float) -> Row | None:
        """Return what came of a task, or None where it has to be done.

        A crash or a file that could not be read may have been an accident and is tried again; a timeout is tried again
        with a higher limit.
        """
        row = self.rows.get(key)
        if row is None or row["status"] in ("crashed", "unreadable"):
            return None
        return None if row["status"] == "timeout" and float(row["limit"]) < limit else row


def _row(line: bytes) -> Row | None:
    """Return the row of a line, or None where the line is not whole."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and "key" in row and "status" in row else None
