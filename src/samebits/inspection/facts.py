"""The compilation of one kernel for one target, line by line: source, IR, LLVM text, assembly.

Owns the distinction between the user's functions and the library's, and the way from a line of code
to its source. Knows nothing of presentation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from samebits.backend.llvm.compile import listing
from samebits.backend.llvm.listing import CodeLine, assembly_lines, llvm_lines
from samebits.backend.llvm.remarks import Remark, loop_remarks
from samebits.backend.request import Request
from samebits.backend.targets.audit import is_local_label
from samebits.backend.targets.instructions import InstructionKind
from samebits.backend.targets.table import Target
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Function, Module, Op, walk
from samebits.ir.text import print_module
from samebits.lang.executions import executions
from samebits.lang.jobs import JobKernel
from samebits.lang.kernel import Kernel
from samebits.modes import Options
from samebits.passes.semantics.float_modes import Rewrite, first_fast, lower_float_modes, rewrites
from samebits.source_lines import line_of
from samebits.types import Type

JSON_FORMAT = 1
_PACKAGE = str(Path(__file__).resolve().parents[1])
_FUSED = ("fma", "muladd", "product_error")
_OWN_SYMBOLS = ("sb_entry_", "_sb_entry_", "sb.body.", "_sb.body.", "sb_range_", "sb.range.")

SourceLine = tuple[str, int]
"""A file and a line in it."""


@dataclass(frozen=True, slots=True)
class ListedLine:
    """A line of code: its kind, LLVM's comment on it, and the source lines that it comes from,
    innermost first, each followed by its caller."""

    text: str
    kind: str = "other"
    comment: str = ""
    places: tuple[SourceLine, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedBlock:
    """A function, or the text between functions. `is_library` marks samebits' own functions, unless
    they were asked for."""

    name: str
    lines: tuple[ListedLine, ...]
    is_library: bool


@dataclass(frozen=True, slots=True)
class SourceFunction:
    """The text of one kernel; `first` is the number of its first line in `file`."""

    name: str
    file: str
    first: int
    lines: tuple[str, ...]
    is_library: bool


class KernelFacts:
    """Everything about one kernel on one target."""

    def __init__(self, kernel: Kernel, types: tuple[Type, ...], target: Target, opt: int) -> None:
        self.kernel = f"{kernel.function.__module__}.{kernel.__qualname__}"
        self.signature = _signature(kernel, types)
        self.target = target
        self.opt = opt
        self.options: Options = kernel.options
        self._shows_library = is_library(kernel.function.__code__.co_filename)
        self.file = kernel.function.__code__.co_filename
        with executions.pinned():  # constants are folded with this thread's arithmetic
            unit = compile_kernel(kernel, types)
            linked = link(unit)
            self.entry = unit.function.name
            self._rewrites = rewrites(linked)
            self._lowered = lower_float_modes(linked)
            # A job is compiled as the function that a worker runs over a range of indices.
            names = [self.entry]
            self._entries, self._ranges = (
                ([], names) if isinstance(kernel, JobKernel) else (names, [])
            )
            request = Request(self._lowered, self._entries, target, opt, self._ranges)
            self._module = request.optimised
            self._listing = listing(self._module, self._entries, target, opt, ranges=self._ranges)

    @cached_property
    def source(self) -> tuple[SourceFunction, ...]:
        """The kernel and what it calls, the kernel first."""
        found: list[SourceFunction] = []
        seen: set[SourceLine] = set()
        for function in reversed(self._lowered.functions.values()):
            part = _source(function, self._is_library(function.span.file))
            # A parallel range is a function of its own, inside its kernel's lines.
            if part.lines and (part.file, part.first) not in seen:
                found.append(part)
                seen.update((part.file, part.first + k) for k in range(len(part.lines)))
        return tuple(found)

    @cached_property
    def ir(self) -> tuple[ListedBlock, ...]:
        """The typed IR that evaluate runs: after the mode's rewrites, before the passes."""
        return self._ir_blocks(self._lowered)

    @cached_property
    def passes(self) -> tuple[ListedBlock, ...]:
        """The typed IR after the passes, as LLVM receives it."""
        return self._ir_blocks(self._module)

    @cached_property
    def llvm(self) -> tuple[ListedBlock, ...]:
        """LLVM text after its passes."""
        return tuple(self._code_blocks(llvm_lines(self._listing), _LLVM_HEAD))

    @cached_property
    def assembly(self) -> tuple[ListedBlock, ...]:
        """The target's assembly."""
        allow_fma = first_fast(self._module) is None and any(
            isinstance(s, Op) and s.opcode in _FUSED
            for function in self._module.functions.values()
            for s in walk(function.body)
        )
        lines = assembly_lines(self._listing, self.target, allow_fma)
        return tuple(self._code_blocks(lines, _ASSEMBLY_HEAD))

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """The vectoriser's remark on each loop. Raises RunnerError if LLVM's remarks are not
        available."""
        entries, ranges = self._entries, self._ranges
        return tuple(loop_remarks(self._module, entries, self.target, self.opt, ranges=ranges))

    @cached_property
    def rewrites(self) -> tuple[Rewrite, ...]:
        """The rewrites of the float mode, in source order."""
        return tuple(rewrite for done in self._rewrites.values() for rewrite in done)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of instructions of each kind: packed, scalar, forbidden, call, other."""
        return _counts(line for block in self.assembly for line in block.lines)

    @cached_property
    def line_counts(self) -> dict[SourceLine, dict[str, int]]:
        """The same for each source line that is the innermost of the user's own."""
        found: dict[SourceLine, list[ListedLine]] = {}
        for block in self.assembly:
            for line in block.lines:
                place = self.own_place(line)
                if place is not None:
                    found.setdefault(place, []).append(line)
        return {place: _counts(lines) for place, lines in found.items()}

    @property
    def llvm_text(self) -> str:
        """LLVM's own text, whole."""
        return self._listing.llvm

    @property
    def assembly_text(self) -> str:
        """LLVM's own assembly, whole, with its comments."""
        return self._listing.assembly

    @property
    def ir_text(self) -> str:
        """The IR's own text, whole: `parse_module` reads it."""
        return print_module(self._lowered)

    def own_place(self, line: ListedLine) -> SourceLine | None:
        """The innermost source line outside samebits' library."""
        return next((p for p in line.places if not self._is_library(p[0])), None)

    def own_remarks(self) -> tuple[Remark, ...]:
        """The remarks on loops outside samebits' library."""
        return tuple(r for r in self.remarks if not self._is_library(r.span.file))

    def json(self) -> dict[str, Any]:
        """The facts for programs. Lines of code are in blocks, each with its source lines."""
        return {
            "format": JSON_FORMAT,
            "kernel": self.kernel,
            "signature": self.signature,
            "target": self.target.name,
            "optimisation": self.opt,
            "options": _options(self.options),
            "counts": self.counts,
            "source": [asdict(part) for part in self.source],
            **{name: _blocks(getattr(self, name)) for name in ("ir", "passes", "llvm", "assembly")},
            "remarks": [_remark(remark) for remark in self.remarks],
            "rewrites": [
                {"kind": r.kind, "text": r.text, "file": r.span.file, "line": r.span.line}
                for r in self.rewrites
            ],
        }

    def _is_library(self, file: str) -> bool:
        return not self._shows_library and is_library(file)

    def _ir_blocks(self, module: Module) -> tuple[ListedBlock, ...]:
        blocks: list[ListedBlock] = []
        for text in print_module(module).split("\n\n")[1:]:
            lines = text.rstrip("\n").split("\n")
            head = re.match(r'function "((?:[^"\\]|\\.)*)"', lines[0])
            function = module.functions.get(head[1]) if head else None
            file = function.span.file if function else ""
            name = function.name if function else lines[0].split(":")[0]
            # Structs are the user's, tables the library's.
            library = self._is_library(file) if function else lines[0].startswith("table")
            blocks.append(ListedBlock(name, tuple(_ir_lines(lines)), library))
        return tuple(blocks)

    def _code_blocks(
        self, lines: Sequence[CodeLine], head: re.Pattern[str]
    ) -> Iterator[ListedBlock]:
        found = [ListedLine(c.text, c.kind.value, c.comment, _places(c)) for c in lines]
        for name, part in _functions(found, head):
            own = name.startswith(_OWN_SYMBOLS) or any(self.own_place(line) for line in part)
            yield ListedBlock(name, tuple(part), not own)


def is_library(file: str) -> bool:
    """Whether a file is one of samebits' own."""
    return file.startswith(_PACKAGE)


def _signature(kernel: Kernel, types: tuple[Type, ...]) -> str:
    pairs = zip(kernel.parameters, types, strict=True)
    result = kernel.signature.result_type(types)
    given = getattr(kernel, "kernels", {})
    shown = [f"{name}={value.__name__}" for name, value in given.items()]
    parameters = ", ".join([*shown, *(f"{p.name}: {t}" for p, t in pairs)])
    return f"{kernel.__qualname__}({parameters}){f' -> {result}' if result else ''}"


def _source(function: Function, library: bool) -> SourceFunction:
    """The lines from the decorators to the last statement."""
    span = function.span
    spans = [s.span for s in walk(function.body)]
    mine = [s.end_line for s in spans if (s.file, s.function) == (span.file, span.function)]
    first, last = span.line, max([span.end_line, *mine])
    while first > 1 and line_of(span.file, first - 1).lstrip().startswith("@"):
        first -= 1
    lines = [line_of(span.file, n).rstrip("\n") for n in range(first, last + 1)]
    if not any(lines):
        lines = []
    return SourceFunction(span.function, span.file, first, tuple(lines), library)


_SPAN = re.compile(r" @(?:(\d+)!)?(\d+):\d+-(?:\d+:)?\d+$")
_IR_FLOAT = re.compile(r"\s+%\d+ = (?!(?:get|const|load|call)\b).*: float(?:32|64)? @")
_SOURCE_LINE = re.compile(r'  source ("(?:[^"\\]|\\.)*")')


def _ir_lines(lines: list[str]) -> Iterator[ListedLine]:
    files = [m[1][1:-1] for m in map(_SOURCE_LINE.match, lines) if m]
    for text in lines:
        found = _SPAN.search(text)
        if found is None:
            yield ListedLine(text)
            continue
        number = int(found[1] or 0)
        places = ((files[number], int(found[2])),) if number < len(files) else ()
        kind = "scalar" if _IR_FLOAT.match(text) else "other"
        yield ListedLine(text[: found.start()], kind, "", places)


def _places(line: CodeLine) -> tuple[SourceLine, ...]:
    places = ((location.span.file, location.span.line) for location in line.place)
    return tuple(dict.fromkeys(places))


_LLVM_HEAD = re.compile(r'define .*?@("[^"]*"|[\w.$]+)\(')
_ASSEMBLY_HEAD = re.compile(r'("(?:[^"\\]|\\.)*"|[A-Za-z_.$][\w.$@]*):')


def _functions(
    lines: Iterable[ListedLine], head: re.Pattern[str]
) -> Iterator[tuple[str, list[ListedLine]]]:
    """The names of functions with their lines, in order."""
    name, part = "", list[ListedLine]()
    for line in lines:
        found = head.match(line.text)
        if found and not is_local_label(line.text):
            if part:
                yield name, part
            name, part = found[1].strip('"'), []
        part.append(line)
        if line.text == "}":  # the end of a function in LLVM's text
            yield name, part
            name, part = "", []
    if part:
        yield name, part


_COUNTED = (
    InstructionKind.PACKED, InstructionKind.SCALAR, InstructionKind.FORBIDDEN,
    InstructionKind.CALL, InstructionKind.OTHER,
)  # fmt: skip


def _counts(lines: Iterable[ListedLine]) -> dict[str, int]:
    found = Counter(line.kind for line in lines)
    return {kind.value: found[kind.value] for kind in _COUNTED}


def _options(options: Options) -> dict[str, Any]:
    return {
        "mode": options.mode.name,
        "precision": options.precision.name,
        "contract": options.contract,
        "denormals": options.denormals,
        "bounds_check": options.bounds_check,
        "optimize_for": options.optimize_for,
    }


def _blocks(blocks: Iterable[ListedBlock]) -> list[dict[str, Any]]:
    return [
        {"name": b.name, "is_library": b.is_library, "lines": [asdict(line) for line in b.lines]}
        for b in blocks
    ]


def _remark(remark: Remark) -> dict[str, Any]:
    return {
        "function": remark.function,
        "file": remark.span.file,
        "line": remark.span.line,
        "vectorised": remark.vectorised,
        "width": remark.width,
        "interleave": remark.interleave,
        "message": remark.message,
        "at": remark.at.line,
    }
