"""The lines and words of IR text, and the error that names the line and what was expected."""

from __future__ import annotations

import json
import re
from typing import NamedTuple, NoReturn

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
_NAMES = {"string": "a quoted name", "value": "a value such as %3", "span": "a span such as @2:0-5"}
_SHOWN = 40


class Word(NamedTuple):
    """A word's kind (a group of the lexer's pattern, or `end`) and its text."""

    kind: str
    text: str


_END = Word("end", "")


class Line:
    """One line of IR text, read word by word, none of which is kept: a line may have any length.
    Raises IRError where a word is not as expected."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.indent = len(text) - len(text.lstrip(" "))
        self._text = text
        self._at, self._end = self.indent, len(text.rstrip(" "))
        self._word: Word | None = None
        """The one that comes next, once it was looked at."""

    def fail(self, expected: str, found: str | None = None) -> NoReturn:
        found = self.peek().text if found is None else found
        shown = repr(found[:_SHOWN]) if found else "the end of the line"
        raise IRError(f"IR text, line {self.number}: expected {expected}, found {shown}")

    def peek(self) -> Word:
        if self._word is not None:
            return self._word
        if self._at >= self._end:
            return _END
        match = _WORD.match(self._text, self._at)
        if match is None:
            self.fail("a word of IR text", self._text[self._at : self._at + _SHOWN].strip())
        assert match.lastgroup is not None
        self._at = match.end()
        self._word = Word(match.lastgroup, match[match.lastgroup])
        return self._word

    def next(self) -> None:
        """Go on behind the word that was looked at."""
        self._word = None

    def accept(self, *texts: str) -> str | None:
        """The next word's text if it is one of `texts` (and no string), which is then read."""
        word = self.peek()
        if word.text not in texts or word.kind == "string":
            return None
        self.next()
        return word.text

    def expect(self, *texts: str) -> str:
        """As `accept`, of words that have to be there."""
        return self.accept(*texts) or self.fail(" or ".join(texts))

    def take(self, kind: str) -> str:
        """The text of the next word, of this kind."""
        word = self.peek()
        if word.kind != kind:
            self.fail(_NAMES.get(kind, f"a {kind}"))
        self.next()
        return word.text

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
        if self.peek().kind != "end":
            self.fail("the end of the line")
