"""Results as plain JSON values: dataclasses become objects, sequences lists, and numbers that do not exist null."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class PlainValue:
    """A result that can be written as JSON; meant for dataclasses."""

    def to_json_object(self) -> dict[str, Any]:
        """Return plain JSON values; a number that does not exist (NaN) is null."""
        names: tuple[str, ...] = tuple(getattr(self, "__dataclass_fields__", ()))
        return {name: plain(getattr(self, name)) for name in names}


def plain(value: Any) -> Any:
    """Return a result, or a part of one, as plain JSON values."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, PlainValue):
        return value.to_json_object()
    if isinstance(value, Sequence):
        return [plain(part) for part in value]
    raise TypeError(f"A {type(value).__name__} has no JSON form.")
