"""Source locations in LLVM text, for inspection alone: ordinary compiles carry none.

A location's number takes the place of the line, so that LLVM's remarks and listings lead back to
one statement of the typed IR and its whole span. Knows LLVM's debug metadata, not what is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from samebits.errors import Span
from samebits.ir.grammar import Function

FILE = "samebits"
"""The file name in metadata, `.file` directives and LLVM's remarks."""

_FIRST = 1 << 20
"""The first metadata number of locations: loops take the small ones."""
_UNIT, _FILE, _FLAGS, _TYPE = range(_FIRST, _FIRST + 4)
_FIRST_OWN = _FIRST + 4
_MARK = "; at "


@dataclass(frozen=True, slots=True)
class Location:
    """A statement of the IR: the function's name, the statement's id (None for the function itself
    or a statement without id), and the source span."""

    function: str
    statement: int | None
    span: Span


@dataclass(slots=True)
class Locations:
    """The locations of a module that is being emitted, numbered from 1."""

    found: list[Location] = field(default_factory=list[Location])
    _numbers: dict[Location, int] = field(default_factory=dict[Location, int])
    _nodes: dict[str, int] = field(default_factory=dict[str, int])
    _head: int = 0
    _subprogram: int = 0

    def number(self, location: Location) -> int:
        """The number of a location; equal locations have one number."""
        number = self._numbers.get(location)
        if number is None:
            self.found.append(location)
            number = self._numbers[location] = len(self.found)
        return number

    def _node(self, text: str) -> int:
        return self._nodes.setdefault(text, _FIRST_OWN + len(self._nodes))

    def begin(self, function: Function) -> None:
        """Begin the text of `function`, or of an entry of it."""
        head = self._head = self.number(Location(function.name, None, function.span))
        self._subprogram = self._node(
            # A node of its own for each text, though an entry has its function's location.
            f'distinct !DISubprogram(name: "{len(self._nodes)}", file: !{_FILE}, line: {head}, '
            f"type: !{_TYPE}, scopeLine: {head}, spFlags: DISPFlagDefinition, unit: !{_UNIT})"
        )

    def node(self, number: int) -> str:
        """The metadata node of a location in the function begun last."""
        text = f"!DILocation(line: {number}, scope: !{self._subprogram})"
        return f"!{self._node(text)}"

    def attach(self, text: str) -> str:
        """The text begun last, each instruction with the location of the last mark before it, or
        the function's own."""
        lines: list[str] = []
        now = self._head
        for line in text.split("\n"):
            if line.startswith(_MARK):
                now = int(line[len(_MARK) :])
            elif line.startswith("define "):
                lines.append(f"{line[:-1]}!dbg !{self._subprogram} {{")
            elif line.startswith("  "):
                lines.append(f"{line}, !dbg {self.node(now)}")
            else:
                lines.append(line)
        return "\n".join(lines)

    def metadata(self) -> str:
        """The metadata nodes that the attached texts refer to."""
        return "\n".join([
            f"!llvm.dbg.cu = !{{!{_UNIT}}}",
            f"!llvm.module.flags = !{{!{_FLAGS}}}",
            f"!{_UNIT} = distinct !DICompileUnit(language: DW_LANG_C, file: !{_FILE}, "
            "isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)",
            f'!{_FILE} = !DIFile(filename: "{FILE}", directory: "")',
            f'!{_FLAGS} = !{{i32 2, !"Debug Info Version", i32 3}}',
            f"!{_TYPE} = !DISubroutineType(types: !{{}})",
            *(f"!{number} = {text}" for text, number in self._nodes.items()),
        ])  # fmt: skip


def mark(number: int) -> str:
    """The mark before instructions of location `number`."""
    return f"{_MARK}{number}"
