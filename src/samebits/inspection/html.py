"""An inspection as one self-contained HTML page: source, IR, LLVM IR and assembly side by side,
with related lines highlighted together.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path

from samebits.backend.llvm.remarks import Remark
from samebits.errors import RunnerError
from samebits.inspection.facts import KernelFacts, ListedBlock, ListedLine, SourceFunction
from samebits.inspection.text import notes, option_words, verdict
from samebits.visible import visible

_HUES = 8
_HIDDEN = frozenset({"directive"})
_DATA_SHOWN = 4
_PLACE = re.compile(r"@([A-Z_]+)@")
_SHOWN_KINDS = ("packed", "scalar", "forbidden", "call", "other")


def page(inspection: KernelFacts) -> str:
    """The page's text."""
    template = files("samebits.inspection").joinpath("page.html").read_text("utf-8")
    parts = _Page(inspection).parts()
    return _PLACE.sub(lambda found: visible(parts[found[1]]), template)


class _Page:
    """The parts of one page."""

    def __init__(self, inspection: KernelFacts) -> None:
        self.it = inspection
        shown = [part for part in inspection.source if not part.is_library]
        self._files = {file: n for n, file in enumerate(dict.fromkeys(p.file for p in shown))}
        self._source = shown
        self._loops = notes(inspection)
        lines = {
            p for b in (*inspection.ir, *inspection.assembly) for x in b.lines for p in x.places
        }
        used = sorted(p for p in lines if p[0] in self._files)
        self._hues = {place: n % _HUES for n, place in enumerate(used)}

    def parts(self) -> dict[str, str]:
        """The text of each placeholder of the template."""
        it = self.it
        return {
            "TITLE": escape(f"{it.kernel} on {it.target.name}"),
            "SIGNATURE": escape(it.signature),
            "CHIPS": self._chips(),
            "MIX": self._mix(),
            "SOURCE": "".join(self._source_lines()),
            "NOTES": self._notes(),
            "IR": "".join(self._blocks(it.ir, _ir_text)),
            "PASSES": "".join(self._blocks(it.passes, _ir_text)),
            "LLVM": "".join(self._blocks(it.llvm, _llvm_text)),
            "ASM": "".join(self._blocks(it.assembly, _assembly_text)),
            "LLVM_COUNT": f"{_code_lines(it.llvm):,} lines",
            "ASM_COUNT": f"{sum(it.counts.values()):,} instructions",
        }

    def _chips(self) -> str:
        main, *rest = option_words(self.it)
        return f'<span class="chip main">{escape(main)}</span>' + "".join(
            f'<span class="chip">{escape(word)}</span>' for word in rest
        )

    def _mix(self) -> str:
        counts = self.it.counts
        total = sum(counts.values()) or 1
        bar = "".join(
            f'<i style="width:{100 * counts[k] / total:.2f}%;background:var(--{k})"></i>'
            for k in _SHOWN_KINDS
        )
        words = "".join(
            f'<span><b style="color:var(--{k})"></b>{k} {counts[k]:,}</span>' for k in _SHOWN_KINDS
        )
        return f'<div class="bar">{bar}</div>{words}'

    def _token(self, place: tuple[str, int]) -> str:
        return f"{self._files[place[0]]}:{place[1]}"

    def _attributes(self, places: Iterable[tuple[str, int]]) -> str:
        known = [p for p in places if p in self._hues]
        if not known:
            return ""
        hue = self._hues[known[0]]
        return f' data-p="{" ".join(map(self._token, known))}" style="--hue:var(--h{hue})"'

    def _source_lines(self) -> Iterator[str]:
        start = self._start()
        for part in self._source:
            yield f'<div class="file">{escape(_short(part.file))}</div>'
            for number, (plain, text) in enumerate(_coloured(part), part.first):
                place = (part.file, number)
                said = "".join(self._line_notes(place))
                note = f'<span class="n">{said}</span>' if said else ""
                first = " data-start" if place == start else ""
                yield f'<div class="l"{self._attributes([place])}{first}><i>{number}</i>'
                yield f"<code>{text or plain}</code>{note}</div>"

    def _start(self) -> tuple[str, int] | None:
        """The line selected first: the one with most SIMD, or most code."""
        counts = self.it.line_counts
        best = max(
            (p for p in counts if p in self._hues),
            key=lambda p: (counts[p]["packed"], sum(counts[p].values())),
            default=None,
        )
        return best

    def _line_notes(self, place: tuple[str, int]) -> Iterator[str]:
        if place in self._loops:
            best = self._loops[place][0]
            look = "good" if best.vectorised else "bad"
            words = verdict(best).partition(":")
            short = f"{best.width} lanes" if best.vectorised else words[0]
            yield f'<span class="{look}" title="{escape(verdict(best))}">{short}</span>'
            return
        counts = self.it.line_counts.get(place, {})
        for kind in ("forbidden", "packed", "scalar"):
            if counts.get(kind):
                yield f'<span class="{kind}">{kind} {counts[kind]}</span>'

    def _notes(self) -> str:
        rows = "".join(self._remark_rows())
        text = f"<h3>Loops</h3>{rows}" if rows else ""
        done = "".join(
            f"<p{self._attributes([(r.span.file, r.span.line)])}><i>{r.span.line}</i>"
            f"{escape(r.text)}</p>"
            for r in self.it.rewrites
        )
        text += f"<h3>Rewrites of {self.it.options.mode.name}</h3>{done}" if done else ""
        return f'<div class="notes">{text}</div>' if text else ""

    def _remark_rows(self) -> Iterator[str]:
        try:
            remarks = self.it.own_remarks()
        except RunnerError as error:
            yield f"<p><i></i>{escape(str(error))}</p>"
            return
        for remark in remarks:
            yield self._remark_row(remark)

    def _remark_row(self, remark: Remark) -> str:
        place = (remark.span.file, remark.span.line)
        look = "good" if remark.vectorised else "bad"
        word, _, rest = verdict(remark).partition(":")
        at = "" if remark.vectorised or remark.at == remark.span else f", at line {remark.at.line}"
        return (
            f"<p{self._attributes([place])}><i>{remark.span.line}</i>"
            f'<span class="{look}">{escape(word)}</span>:{escape(rest + at)}</p>'
        )

    def _blocks(self, blocks: Iterable[ListedBlock], text: _Text) -> Iterator[str]:
        for block in blocks:
            rows = "".join(self._rows(block, text))
            if not rows:
                continue
            if block.is_library:
                name = escape(block.name or "between functions")
                size = f"{len(block.lines):,} line{'s' * (len(block.lines) != 1)}"
                yield f"<details><summary>{name}, {size}</summary>{rows}</details>"
            else:
                yield rows

    def _rows(self, block: ListedBlock, text: _Text) -> Iterator[str]:
        data = 0
        for line in block.lines:
            data = data + 1 if line.kind == "data" else 0
            if line.kind in _HIDDEN or data > _DATA_SHOWN + 1:
                continue
            if data == _DATA_SHOWN + 1:
                yield '<div class="l"><i></i><em>…</em></div>'
                continue
            if not line.text and not line.comment:
                yield '<div class="l gap"></div>'
                continue
            place = self.it.own_place(line)
            words = " ".join(line.comment.split())
            comment = f"<em>{escape(words)}</em>" if words else ""
            number = place[1] if place and place in self._hues else ""
            yield f'<div class="l"{self._attributes(line.places)}><i>{number}</i>'
            yield f"<code>{text(line)}</code>{comment}</div>"


class _Text:
    """Marks the word that says what a line does: an opcode or a mnemonic."""

    def __init__(self, pattern: str, width: int = 0) -> None:
        self._pattern = re.compile(pattern)
        self._width = width

    def __call__(self, line: ListedLine) -> str:
        if line.kind in ("label", "comment"):
            return f'<b class="{line.kind}">{escape(line.text)}</b>'
        found = self._pattern.match(line.text)
        if found is None:
            return escape(line.text)
        before, word, after = found.groups()
        if self._width:  # align by hand: browsers differ in the width of tabs
            before, after = "  ", after.strip()
            after = " " * max(1, self._width - len(word)) + after if after else ""
        return f'{escape(before)}<b class="{line.kind}">{escape(word)}</b>{escape(after)}'


_ir_text = _Text(r"(\s+(?:%\d+ = )?)([a-z]+!?)(.*)")
_llvm_text = _Text(r'(\s+(?:%(?:"[^"]*"|[\w.$-]+) = )?(?:tail |musttail |notail )?)(\w+)(.*)')
_assembly_text = _Text(r"(\s+)([^\s.][^\s]*)(.*)", 12)


def _code_lines(blocks: Iterable[ListedBlock]) -> int:
    return sum(line.text.startswith("  ") for b in blocks if not b.is_library for line in b.lines)


def _short(file: str) -> str:
    return str(Path(*Path(file).parts[-2:]))


def _coloured(part: SourceFunction) -> list[tuple[str, str]]:
    """Each line, plain and with syntax marked up if possible."""
    lines = [escape(line) for line in part.lines]
    marks: dict[int, list[tuple[int, int, str]]] = {}
    indent = len(part.lines[0]) - len(part.lines[0].lstrip())
    text = "\n".join(line[indent:] for line in part.lines) + "\n"
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            look = _look(token)
            (row, start), (end_row, end) = token.start, token.end
            if look and row == end_row:
                marks.setdefault(row - 1, []).append((start + indent, end + indent, look))
    except (tokenize.TokenError, SyntaxError):
        pass  # incomplete source is shown plain
    return [(text, _marked(part.lines[n], marks.get(n, []))) for n, text in enumerate(lines)]


def _look(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME and keyword.iskeyword(token.string):
        return "u"
    return {tokenize.STRING: "q", tokenize.COMMENT: "em"}.get(token.type, "")


def _marked(line: str, marks: list[tuple[int, int, str]]) -> str:
    out, at = "", 0
    for start, end, tag in marks:
        style = ' style="padding:0"' if tag == "em" else ""
        out += f"{escape(line[at:start])}<{tag}{style}>{escape(line[start:end])}</{tag}>"
        at = end
    return out + escape(line[at:])
