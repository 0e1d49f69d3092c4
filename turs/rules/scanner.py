"""The characters of rules as text: quotes, keywords, and a text that is read from left to right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from turs.errors import RuleSyntaxError

_KEYWORDS = frozenset({"IF", "AND", "THEN", "IN", "IS", "MISSING", "KNOWN", "ELSE"})
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_UNESCAPES = {escape[1]: char for char, escape in _ESCAPES.items()}
_ESCAPED_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_SPACE = re.compile(r"\s*")
WORD = re.compile(r"[\w.-]+")
_CHUNK = re.compile(r'[\w.:+-]+|"[^"]*"?|\S')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)

# A name with one of these inside is only known by its quotes: without them it could swallow a printed literal.
_NEEDS_QUOTES = re.compile(r'[<>=≤≥≠∧∈{}"]|\bis\s+(?:missing|known)\b|\b(?:in|is)$', re.IGNORECASE)


def quote(text: str) -> str:
    """Put `text` into double quotes."""
    return f'"{"".join(map(_escape, text))}"'


def _escape(char: str) -> str:
    """Write one character of a quoted text."""
    if char in _ESCAPES:
        return _ESCAPES[char]
    return f"\\u{ord(char):04x}" if unicodedata.category(char) in _ESCAPED_CATEGORIES else char


def is_keyword(word: str) -> bool:
    """Whether `word` is a keyword in any case."""
    return word.isascii() and word.upper() in _KEYWORDS


class Scanner:
    """A text and the position up to which it is read; every reader first skips white space."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def skip_space(self) -> None:
        """Move to the next character that is not white space."""
        space = _SPACE.match(self.text, self.position)
        self.position = space.end() if space else self.position

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read `pattern` if it is next."""
        self.skip_space()
        found = pattern.match(self.text, self.position)
        if found:
            self.position = found.end()
        return found

    def sign(self, sign: str) -> bool:
        """Read `sign` if it is next."""
        self.skip_space()
        found = self.text.startswith(sign, self.position)
        self.position += len(sign) if found else 0
        return found

    def keyword(self, keyword: str) -> bool:
        """Read a keyword in any case if it is next."""
        self.skip_space()
        word = WORD.match(self.text, self.position)
        if not word or not is_keyword(word[0]) or word[0].upper() != keyword:
            return False
        self.position = word.end()
        return True

    def quoted(self) -> str | None:
        """Read a text in double quotes if one is next."""
        self.skip_space()
        start = self.position
        if not self.text.startswith('"', start):
            return None
        found = self.take(_QUOTED)
        if not found:
            raise self.fault("The quoted text has no end: close it with '\"'", start)
        return _ESCAPE.sub(lambda escape: self._unescape(escape, start + 1), found[1])

    def _unescape(self, escape: re.Match[str], start: int) -> str:
        """Return the character that an escape in the quoted text from `start` on stands for."""
        if escape[1]:
            return chr(int(escape[1], 16))
        if escape[2] not in _UNESCAPES:
            message = f"'{escape[0]}' is no escape: use \\\", \\\\, \\n, \\t or \\u with four hexadecimal digits"
            raise self.fault(message, start + escape.start())
        return _UNESCAPES[escape[2]]

    def longest(self, names: Iterable[str]) -> str | None:
        """Read the longest of `names` that stands next without quotes, as a whole word or words."""
        self.skip_space()
        fitting = [name for name in names if name and self.text.startswith(name, self.position) and self._ends(name)]
        name = max(fitting, key=len, default=None)
        self.position += len(name) if name else 0
        return name

    def _ends(self, name: str) -> bool:
        """Whether `name`, which stands next, ends there and is known without quotes."""
        inside_word = WORD.match(self.text, self.position + len(name))
        return not inside_word and name == name.strip() and not _NEEDS_QUOTES.search(name)

    def fault(self, message: str, position: int | None = None) -> RuleSyntaxError:
        """Return an error with `message` at `position`, by default here."""
        return RuleSyntaxError(message, self.text, self.position if position is None else position)

    def unexpected(self, expected: str) -> RuleSyntaxError:
        """Return an error that says what was expected here and what was found."""
        self.skip_space()
        chunk = _CHUNK.match(self.text, self.position)
        return self.fault(f"Expected {expected}, found {chunk[0] if chunk else 'the end'}")

    def expect_end(self, expected: str) -> None:
        """Raise unless the text ends here."""
        self.skip_space()
        if self.position < len(self.text):
            raise self.unexpected(expected)
