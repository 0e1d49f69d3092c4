"""Results as plain JSON values: dataclasses become objects, sequences lists, and numbers that do not exist null."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any


class PlainValue:
    """A result that can be written as JSON; meant for dataclasses."""

    def to_json_object(self) -> dict[str, Any]:
        """Return plain JSON values; a number that does not exist (NaN) is null."""
        result: Any = self
        return {field.name: plain(getattr(self, field.name)) for field in fields(result)}


def plain(value: Any) -> Any:
    """Return a result, or a part of one, as plain JSON values."""
    if isinstance(value, PlainValue):
        return value.to_json_object()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
