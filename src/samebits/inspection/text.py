"""An inspection as plain text, with colours for terminals that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import MappingProxyType

from samebits.backend.llvm.remarks import Remark
from samebits.errors import ArgumentError, RunnerError
from samebits.inspection.facts import KernelFacts, ListedBlock, ListedLine, SourceLine

SECTIONS = ("source", "rewrites", "remarks", "ir", "passes", "llvm", "asm")
"""Every section, in the order in which they are printed."""
DEFAULT = ("source", "rewrites", "remarks", "ir", "llvm", "asm")

Style = Callable[[str, str], str]
"""Styles text by its kind."""

_COLOURS = {
    "packed": "32", "scalar": "33", "forbidden": "1;97;41", "call": "35", "comment": "2",
    "label": "36", "data": "2", "margin": "2", "heading": "1", "good": "32", "bad": "31",
}  # fmt: skip
_MARKS = MappingProxyType({"packed": "P", "scalar": "S", "forbidden": "!", "call": "C"})
_DATA_SHOWN = 4


def plain(_kind: str, text: str) -> str:
    """Text as it is."""
    return text


def _begin(number: str) -> str:
    return f"\x1b[{number}m"


def coloured(kind: str, text: str, begin: Callable[[str], str] = _begin) -> str:
    """Text in a terminal's colours; `begin` returns the escape that starts a colour."""
    colour = _COLOURS.get(kind)
    return f"{begin(colour)}{text}{begin('0')}" if colour and text else text


def check_sections(names: Iterable[str]) -> tuple[str, ...]:
    """The sections of those names; ArgumentError for an unknown one."""
    names = tuple(names)
    for name in names:
        if name not in SECTIONS:
            raise ArgumentError(
                f"there is no section '{name}'", fix=f"choose among {', '.join(SECTIONS)}"
            )
    return names


def render(
    inspection: KernelFacts,
    show: Iterable[str] = DEFAULT,
    style: Style = plain,
    library: bool = False,
) -> str:
    """The sections in `show`; `library` shows samebits' own functions as well.

    An empty section says so if it was asked for, and is left out by default.
    """
    wanted = check_sections(show)
    lines = [*_head(inspection, style)]
    for name in SECTIONS:
        if name in wanted:
            section = list(_SECTIONS[name](inspection, style, library))
            if not section and show is not DEFAULT:
                section = ["none"]
            if section:
                lines += ["", style("heading", f"== {_TITLES[name]} =="), *section]
    return "\n".join(lines)


_TITLES = {
    "source": "source", "rewrites": "rewrites of the mode", "remarks": "loops",
    "ir": "typed IR, as evaluate runs it", "passes": "typed IR after the passes",
    "llvm": "LLVM IR", "asm": "assembly",
}  # fmt: skip


def _head(it: KernelFacts, style: Style) -> Iterator[str]:
    yield style("heading", it.signature)
    yield ", ".join(option_words(it))
    counts = it.counts
    yield (
        "instructions: "
        + ", ".join(style(kind, f"{kind} {counts[kind]}") for kind in ("packed", "scalar"))
        + ", "
        + style("forbidden" if counts["forbidden"] else "plain", f"forbidden {counts['forbidden']}")
        + f", calls {counts['call']}, other {counts['other']}"
    )


def option_words(it: KernelFacts) -> list[str]:
    """The target first, then what the code was compiled with."""
    o = it.options
    extra = [f"denormals={o.denormals}"] if o.denormals != "keep" else []
    extra += ["contract"] if o.contract else []
    extra += ["no bounds checks"] if not o.bounds_check else []
    extra += ["no prints"] if not o.prints else []
    extra += [f"for {o.optimize_for}"] if o.optimize_for != "speed" else []
    return [it.target.name, f"optimisation {it.opt}", o.mode.name, o.precision.name, *extra]


def verdict(remark: Remark) -> str:
    """A remark in a few words."""
    if not remark.vectorised:
        more = f" ({remark.interleave} iterations at once)" if remark.interleave > 1 else ""
        return f"not vectorised: {remark.message}{more}"
    more = f", {remark.interleave} vectors at once" if remark.interleave > 1 else ""
    return f"vectorised: {remark.width} lanes{more}"


def notes(it: KernelFacts) -> dict[SourceLine, list[Remark]]:
    """The remarks on each line, the best first; empty if LLVM's are not available."""
    found: dict[SourceLine, list[Remark]] = {}
    try:
        for remark in it.own_remarks():
            found.setdefault((remark.span.file, remark.span.line), []).append(remark)
    except RunnerError:
        return {}
    return found


def _source(it: KernelFacts, style: Style, library: bool) -> Iterator[str]:
    loops = notes(it)
    for part in it.source:
        if part.is_library and not library:
            continue
        yield style("comment", part.file)
        width = max(map(len, part.lines), default=0)
        for number, text in enumerate(part.lines, part.first):
            place = (part.file, number)
            found = line_notes(it, place, loops)
            said = [style(kind, whole or short) for kind, short, whole in found]
            shown = f"{style('margin', f'{number:5} |')} {text}"
            pad = " " * max(2, min(width, 72) - len(text) + 2)
            yield f"{shown}{pad}{'  '.join(said)}" if said else shown.rstrip()


def line_notes(
    it: KernelFacts, place: SourceLine, loops: dict[SourceLine, list[Remark]]
) -> Iterator[tuple[str, str, str]]:
    """Notes behind a line of the source: their look, a short text, and a longer one."""
    if place in loops:
        best = loops[place][0]
        whole = verdict(best)
        short = f"{best.width} lanes" if best.vectorised else whole.partition(":")[0]
        yield look(best), short, whole
        return
    counts = it.line_counts.get(place, {})
    for kind in ("forbidden", "packed", "scalar"):
        if counts.get(kind):
            yield kind, f"{kind} {counts[kind]}", ""


def look(remark: Remark) -> str:
    """The style of a remark."""
    return "good" if remark.vectorised else "bad"


def elsewhere(remark: Remark) -> str:
    """The line that keeps a loop from being vectorised, if not its own."""
    return "" if remark.vectorised or remark.at == remark.span else f", at line {remark.at.line}"


def _remarks(it: KernelFacts, style: Style, library: bool) -> Iterator[str]:
    try:
        remarks = it.remarks if library else it.own_remarks()
    except RunnerError as error:
        yield f"{error.message}: {error.note}"
        return
    for remark in remarks:
        place = f"{Path(remark.span.file).name}:{remark.span.line}"
        yield f"{place}: " + style(look(remark), f"{verdict(remark)}{elsewhere(remark)}")


def _rewrites(it: KernelFacts, style: Style, library: bool) -> Iterator[str]:
    for rewrite in it.rewrites:
        yield f"{Path(rewrite.span.file).name}:{rewrite.span.line}: {rewrite.text}"


def _blocks(
    it: KernelFacts, blocks: Iterable[ListedBlock], style: Style, library: bool, marked: bool
) -> Iterator[str]:
    hidden: list[str] = []
    for block in blocks:
        if block.is_library and not library:
            hidden.append(block.name)
            continue
        for line in shown_lines(block):
            yield _line(it, line, style, marked) if line else "      |   ..."
    names = [name for name in hidden if name]
    if names:
        yield style("comment", f"not shown: {len(names)} parts of samebits' library (--all)")


def shown_lines(block: ListedBlock) -> Iterator[ListedLine | None]:
    """A block's lines but for directives; None for what is left out of long data."""
    data = 0
    for line in block.lines:
        data = data + 1 if line.kind == "data" else 0
        if data == _DATA_SHOWN + 1:
            yield None
        if data <= _DATA_SHOWN and line.kind != "directive":
            yield line


def _line(it: KernelFacts, line: ListedLine, style: Style, marked: bool) -> str:
    place = it.own_place(line)
    number = f"{place[1]:5}" if place else "     "
    mark = f"{_MARKS.get(line.kind, ' ')} " if marked else ""
    words = " ".join(line.comment.split())
    comment = f"  {style('comment', words)}" if words else ""
    text = style(line.kind, line.text.expandtabs(8))
    return f"{style('margin', f'{number} |')} {mark}{text}{comment}".rstrip()


_SECTIONS: dict[str, Callable[[KernelFacts, Style, bool], Iterator[str]]] = {
    "source": _source,
    "rewrites": _rewrites,
    "remarks": _remarks,
    "ir": lambda it, style, library: _blocks(it, it.ir, style, library, False),
    "passes": lambda it, style, library: _blocks(it, it.passes, style, library, False),
    "llvm": lambda it, style, library: _blocks(it, it.llvm, style, library, True),
    "asm": lambda it, style, library: _blocks(it, it.assembly, style, library, True),
}
