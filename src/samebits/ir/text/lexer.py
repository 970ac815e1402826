"""The lines and words of IR text, and the error that names the line and what was expected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import NoReturn, TypeVar

from samebits.errors import IRError

_WORD = re.compile(
    r"""[ ]*(?:
    (?P<string>"(?:[^"\\]|\\.)*")
    |(?P<float>-?0x[01](?:\.[0-9a-f]{1,13})?p[+-][0-9]{1,4}|-?inf\b|nan\b)
    |(?P<int>-?[0-9]{1,20}(?![0-9a-z]))
    |(?P<value>%[0-9]{1,10}(?:\.[0-9]{1,4})?)
    |(?P<span>@(?:[0-9]{1,6}!)?[0-9]{1,10}:[0-9]{1,10}-(?:[0-9]{1,10}:)?[0-9]{1,10})
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<mark>[=:,!<>\[\]#])
    )""",
    re.VERBOSE | re.ASCII,
)
T = TypeVar("T")
_NAMES = {"string": "a quoted name", "value": "a value such as %3", "span": "a span such as @2:0-5"}
_SHOWN = 40


class Line:
    """One line of IR text, read word by word, none of which is kept: a line may have any length.
    Raises IRError at an unexpected word."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.indent = len(text) - len(text.lstrip(" "))
        self._text = text
        self._at, self._end = self.indent, len(text.rstrip(" "))
        self.kind = ""
        """The kind of the word that comes next: a group of the lexer's pattern, or `end`."""
        self.word = ""
        """Its text."""
        self.next()

    def fail(self, expected: str, found: str | None = None) -> NoReturn:
        found = self.word if found is None else found
        shown = repr(found[:_SHOWN]) if found else "the end of the line"
        raise IRError(f"IR text, line {self.number}: expected {expected}, found {shown}")

    def next(self) -> None:
        """Advance to the next word."""
        match = _WORD.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
            kind = match.lastgroup
            assert kind is not None
            self.kind, self.word = kind, match[kind]
        elif self._at < self._end:
            self.fail("a word of IR text", self._text[self._at : self._at + _SHOWN].strip())
        else:
            self.kind, self.word = "end", ""

    def accept(self, *texts: str) -> str | None:
        """The text of the next word, which is then read, if it is one of `texts` and no string."""
        word = self.word
        if word not in texts or self.kind == "string":
            return None
        self.next()
        return word

    def expect(self, *texts: str) -> str:
        """The text of the next word, as `accept`; it must be one of them."""
        return self.accept(*texts) or self.fail(" or ".join(texts))

    def take(self, kind: str) -> str:
        """The text of the next word, which must be of this kind."""
        word = self.word
        if self.kind != kind:
            self.fail(_NAMES.get(kind, f"a {kind}"))
        self.next()
        return word

    def listed(self, read: Callable[[], T]) -> list[T]:
        """The items that `read` reads, one or more, with commas between."""
        found = [read()]
        while self.accept(","):
            found.append(read())
        return found

    def string(self) -> str:
        text = self.take("string")
        try:
            return json.loads(text)
        except ValueError:
            self.fail("a JSON string", text)

    def integer(self, least: int, greatest: int) -> int:
        text = self.take("int")
        if not least <= int(text) <= greatest:
            self.fail(f"an integer from {least} to {greatest}", text)
        return int(text)

    def end(self) -> None:
        if self.kind != "end":
            self.fail("the end of the line")
