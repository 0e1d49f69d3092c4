"""The numbers of one column while its file is read, a block at a time."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow ships no types
from numpy.typing import NDArray

_LONG = 1 << 17
"""Numbers from which on a column has memory of its own from the operating system, which gets it back at once."""
_PRIVATE = {"flags": mmap.MAP_PRIVATE} if hasattr(mmap, "MAP_PRIVATE") else {}
"""Mapped memory is not shared with processes that are forked: there, as elsewhere, what they change is their own."""


class NumberBuffer:
    """Room for the numbers of a column, filled from its beginning.

    Blocks that are kept as they are and joined at the end lie between those of other columns: none can be given back
    before all are joined, and a table takes twice its memory. Room that is not written to takes none.

    Parameters
    ----------
    most : int
        Numbers that there can be at most.
    """

    def __init__(self, most: int) -> None:
        self._values = _room(most, np.int64)
        self._missing: NDArray[np.bool_] | None = None
        self._size = 0

    def append(self, numbers: Any) -> None:
        """Add an int64 or float64 array of pyarrow; a null is missing."""
        here = slice(self._size, self._size + len(numbers))
        if pa.types.is_floating(numbers.type) and np.issubdtype(self._values.dtype, np.integer):
            integers = self._values[: self._size]
            self._values = _room(self._values.size, np.float64)
            self._values[: self._size] = integers
        if numbers.null_count:
            if self._missing is None:
                self._missing = np.zeros(self._values.size, dtype=np.bool_)
            self._missing[here] = numbers.is_null().to_numpy(zero_copy_only=False)
            numbers = numbers.fill_null(0)
        self._values[here] = numbers.to_numpy()
        self._size = here.stop

    def series(self) -> pd.Series:
        """Return the column: int64, Int64 where values are missing, or float64."""
        values = self._values[: self._size]
        if self._missing is None:
            return pd.Series(values, copy=False)
        missing = self._missing[: self._size]
        if np.issubdtype(values.dtype, np.integer):
            return pd.Series(pd.arrays.IntegerArray(values, missing), copy=False)
        values[missing] = np.nan
        return pd.Series(values, copy=False)


def _room(most: int, dtype: type[np.int64 | np.float64]) -> NDArray[Any]:
    """Return an array that takes memory where it is written to."""
    if most < _LONG:
        return np.empty(most, dtype=dtype)
    return np.frombuffer(mmap.mmap(-1, most * np.dtype(dtype).itemsize, **_PRIVATE), dtype=dtype)
