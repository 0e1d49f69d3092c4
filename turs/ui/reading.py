"""A file that is read in a thread of its own: no Streamlit here, the page asks whether it is done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any


class Reading:
    """One file on its way to a table. Results are set before `done` turns true.

    Parameters
    ----------
    name : str
        Of the file.
    read : callable
        Reads it and returns the parts of the state that follow.
    keep : callable
        Puts it into the store and returns the parts as they are then; a file that was dropped is not kept.
    """

    def __init__(
        self,
        name: str,
        read: Callable[[], dict[str, Any]],
        keep: Callable[[dict[str, Any]], dict[str, Any]] = lambda parts: parts,
    ) -> None:
        self.name = name
        self.parts: dict[str, Any] = {}
        self.error: Exception | None = None
        self._began = time.monotonic()
        self._done = threading.Event()
        self._dropped = threading.Event()
        threading.Thread(target=self._run, args=(read, keep), name="reading", daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended its work."""
        return self._done.is_set()

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._began

    def wait(self, seconds: float) -> bool:
        """Wait for the end and return whether it came."""
        return self._done.wait(seconds)

    def drop(self) -> None:
        """Do without the file."""
        self._dropped.set()

    def _run(self, read: Callable[[], dict[str, Any]], keep: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Read, and keep what came of it."""
        try:
            parts = read()
            self.parts = parts if self._dropped.is_set() else keep(parts)
        except Exception as error:  # the page shows it; a thread has nobody to raise it to
            self.error = error
        finally:
            self._done.set()
