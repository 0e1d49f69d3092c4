"""A value in a JSON document with the path that leads to it: documents are checked through it, value by value.

Reading trusts nothing: what is wrong is said with its place, the value that stands there and what was expected.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from turs.errors import ModelError

_SHOWN_LENGTH = 60


@dataclass(frozen=True)
class Node:
    """A value in a document, with the path that leads to it."""

    value: object
    where: str
    path: str = ""

    def fail(self, problem: str) -> NoReturn:
        """Raise an error about this value; `problem` follows its path."""
        end = "" if problem.endswith("?") else "."
        raise ModelError(f"{self.where}: {self.path or 'the document'} {problem}{end}")

    def wrong(self, expected: str) -> NoReturn:
        """Raise an error that shows this value and says what was expected."""
        self.fail(f"is {shown(self.value)}: {expected} was expected")

    def has(self, key: str) -> bool:
        """Whether this object has `key`."""
        return key in self.object()

    def get(self, key: str) -> Node:
        """Return the value of `key`, which has to be there."""
        members = self.object()
        if key not in members:
            self.fail(f'has no key "{key}"')
        return Node(members[key], self.where, f"{self.path}.{key}" if self.path else key)

    def object(self) -> dict[Any, Any]:
        """Return the value, which has to be an object."""
        return self.value if isinstance(self.value, dict) else self.wrong("an object")

    def items(self) -> Iterator[Node]:
        """Return the items of the value, which has to be a list."""
        values = self.value if isinstance(self.value, list) else self.wrong("a list")
        return (Node(value, self.where, f"{self.path}[{index}]") for index, value in enumerate(values))

    def text(self) -> str:
        """Return the value, which has to be a text."""
        return self.value if isinstance(self.value, str) else self.wrong("a text")

    def flag(self) -> bool:
        """Return the value, which has to be true or false."""
        return self.value if isinstance(self.value, bool) else self.wrong("true or false")

    def whole(self) -> int:
        """Return the value, which has to be a whole number."""
        is_whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        return self.value if isinstance(self.value, int) and is_whole else self.wrong("a whole number")

    def number(self) -> float:
        """Return the value, which has to be a finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.wrong("a number")
        try:
            number = float(self.value)
        except OverflowError:
            number = math.inf
        return number if math.isfinite(number) else self.wrong("a finite number")

    def distinct_texts(self) -> tuple[str, ...]:
        """Return the value, which has to be a list of texts, none of them twice."""
        nodes = list(self.items())
        texts = tuple(node.text() for node in nodes)
        refuse_repeats(nodes)
        return texts


def shown(value: object) -> str:
    """Return a value as an error shows it."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = f"a Python {type(value).__name__}"
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 3] + "..."


def refuse_repeats(nodes: Iterable[Node]) -> None:
    """Raise where two of these texts are the same."""
    seen: set[object] = set()
    for node in nodes:
        if node.value in seen:
            node.fail(f"is {shown(node.value)} a second time: it may be there only once")
        seen.add(node.value)
