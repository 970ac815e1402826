"""An inspection as one self-contained HTML page: source, IR, LLVM IR and assembly side by side.

Related lines are highlighted together.

Owns what is on the page; `page.html` how it looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samebits.errors import RunnerError
from samebits.inspection.facts import (
    KernelFacts,
    ListedBlock,
    ListedLine,
    SourceFunction,
    SourceLine,
)
from samebits.inspection.text import (
    elsewhere,
    line_notes,
    look,
    notes,
    option_words,
    shown_lines,
    verdict,
)
from samebits.pages import filled

_HUES = 8
_IR = re.compile(r"(\s+(?:%\d+ = )?)([a-z]+!?)(.*)")
_LLVM = re.compile(r'(\s+(?:%(?:"[^"]*"|[\w.$-]+) = )?(?:tail |musttail |notail )?)(\w+)(.*)')
_ASSEMBLY = re.compile(r"(\s+)([^\s.][^\s]*)(.*)")
_MNEMONIC = 12
"""Columns of an assembly line's mnemonic: tabs are as wide as the browser likes."""


def page(inspection: KernelFacts) -> str:
    """The page's text."""
    return filled("samebits.inspection", "page.html", **_Page(inspection).values())


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of code: what it comes from, and its text around the word that says what it does."""

    lit: dict[str, Any] | None
    number: int | str = ""
    before: str = ""
    word: str = ""
    kind: str = ""
    after: str = ""
    comment: str = ""
    is_cut: bool = False
    """Whether it stands for lines that are left out."""


class _Page:
    """The values of one page."""

    def __init__(self, inspection: KernelFacts) -> None:
        self.it = inspection
        self._source = [part for part in inspection.source if not part.is_library]
        self._files = {
            file: n for n, file in enumerate(dict.fromkeys(p.file for p in self._source))
        }
        self._loops = notes(inspection)
        lines = {
            p for b in (*inspection.ir, *inspection.assembly) for x in b.lines for p in x.places
        }
        used = sorted(p for p in lines if p[0] in self._files)
        self._hues = {place: n % _HUES for n, place in enumerate(used)}

    def values(self) -> dict[str, Any]:
        """The values that the template names."""
        it = self.it
        total = sum(it.counts.values())
        return {
            "title": f"{it.kernel} on {it.target.name}",
            "signature": it.signature,
            "chips": option_words(it),
            "mix": [(kind, n, 100 * n / (total or 1)) for kind, n in it.counts.items()],
            "source": list(map(self._file, self._source)),
            "loops": list(self._loop_rows()),
            "mode": it.options.mode.name,
            "rewrites": [
                (self._lit([(r.span.file, r.span.line)]), r.span.line, r.text) for r in it.rewrites
            ],
            "ir": list(self._blocks(it.ir, _IR)),
            "passes": list(self._blocks(it.passes, _IR)),
            "llvm": list(self._blocks(it.llvm, _LLVM)),
            "assembly": list(self._blocks(it.assembly, _ASSEMBLY)),
            "llvm_lines": _code_lines(it.llvm),
            "instructions": total,
        }

    def _lit(self, places: Iterable[SourceLine]) -> dict[str, Any] | None:
        """The highlighting of a line: the source lines that it comes from, the first one's
        colour."""
        known = [p for p in places if p in self._hues]
        if not known:
            return None
        tokens = " ".join(f"{self._files[file]}:{line}" for file, line in known)
        return {"tokens": tokens, "hue": self._hues[known[0]]}

    def _file(self, part: SourceFunction) -> dict[str, Any]:
        start = self._start()
        lines: list[dict[str, Any]] = []
        for number, text in enumerate(_coloured(part.lines), part.first):
            place = (part.file, number)
            lines.append({
                "lit": self._lit([place]), "is_start": place == start, "number": number,
                "text": text, "notes": list(line_notes(self.it, place, self._loops)),
            })  # fmt: skip
        return {"name": str(Path(*Path(part.file).parts[-2:])), "lines": lines}

    def _start(self) -> SourceLine | None:
        """The line selected first: the one with most SIMD, or most code."""
        counts = self.it.line_counts
        return max(
            (p for p in counts if p in self._hues),
            key=lambda p: (counts[p]["packed"], sum(counts[p].values())),
            default=None,
        )

    def _loop_rows(self) -> Iterator[tuple[dict[str, Any] | None, int | str, str, str, str]]:
        """The vectoriser's remark on each loop: its line, look, first word and the rest."""
        try:
            remarks = self.it.own_remarks()
        except RunnerError as error:
            yield None, "", "", "", str(error)
            return
        for r in remarks:
            word, _, rest = verdict(r).partition(":")
            lit = self._lit([(r.span.file, r.span.line)])
            yield lit, r.span.line, look(r), word, f":{rest}{elsewhere(r)}"

    def _blocks(
        self, blocks: Iterable[ListedBlock], pattern: re.Pattern[str]
    ) -> Iterator[tuple[str | None, list[_Row]]]:
        """Rows of code, each block's under a title where it is the library's."""
        for block in blocks:
            rows = list(self._rows(block, pattern))
            if rows:
                size = f"{len(block.lines):,} line{'s' * (len(block.lines) != 1)}"
                title = f"{block.name or 'between functions'}, {size}"
                yield title if block.is_library else None, rows

    def _rows(self, block: ListedBlock, pattern: re.Pattern[str]) -> Iterator[_Row]:
        for line in shown_lines(block):
            if line is None:
                yield _Row(None, is_cut=True)
                continue
            place = self.it.own_place(line)
            number = place[1] if place and place in self._hues else ""
            comment = " ".join(line.comment.split())
            yield _Row(self._lit(line.places), number, *_parted(line, pattern), comment=comment)


def _parted(line: ListedLine, pattern: re.Pattern[str]) -> tuple[str, str, str, str]:
    """A line's text before the word that says what it does, that word, its look, and the rest."""
    if line.kind in ("label", "comment"):
        return "", line.text, line.kind, ""
    found = pattern.match(line.text)
    if found is None:
        return line.text, "", "", ""
    before, word, after = found.groups()
    if pattern is _ASSEMBLY:
        before, after = "  ", after.strip()
        after = " " * max(1, _MNEMONIC - len(word)) + after if after else ""
    return before, word, line.kind, after


def _code_lines(blocks: Iterable[ListedBlock]) -> int:
    return sum(line.text.startswith("  ") for b in blocks if not b.is_library for line in b.lines)


def _coloured(lines: Sequence[str]) -> Iterator[Any]:
    """Each line of Python as HTML, in the classes of Pygments' short names."""
    from markupsafe import Markup
    from pygments import highlight, lexers
    from pygments.formatters import HtmlFormatter

    python: Any = lexers.get_lexer_by_name("python", stripnl=False)  # type: ignore[reportUnknownMemberType]
    look = HtmlFormatter[str](nowrap=True, classprefix="py-")
    text = highlight("\n".join(lines), python, look).removesuffix("\n")
    return map(Markup, text.split("\n"))
