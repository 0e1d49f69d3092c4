"""Standard output and standard error as a command may find them: closed, full, or without letters that a table has."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


def settle() -> None:
    """Give a command streams that take any text; what is written to a closed standard output is an `OSError`."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if isinstance(sys.stdout, io.TextIOWrapper):  # standard error escapes what it cannot show as it is
        sys.stdout.reconfigure(errors="backslashreplace")


@contextmanager
def output() -> Iterator[TextIO]:
    """Give standard output, to be written within; an error names it."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read has enough: no error to tell
        raise
    except OSError as error:
        reason = "it is closed" if error.errno == errno.EBADF else error.strerror
        raise OSError(error.errno, reason, "standard output") from error


def forget_output() -> None:
    """Drop what standard output does not take, which would be tried again, and complained about, at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
