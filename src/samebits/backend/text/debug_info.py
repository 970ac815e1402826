"""Debug information in LLVM text, of kernels that ask for it: lines, functions, variables, types.

A debugger steps through the source's lines and reads names where the unoptimised code keeps them.
Knows LLVM's debug metadata, not which debugger reads what becomes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from samebits.backend.text.locations import Location, Locations
from samebits.backend.text.types import quoted
from samebits.ir.grammar import Function, ValueType, plain_name
from samebits.types import (
    INT64,
    ArrayType,
    FixedArrayType,
    Kind,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

_ENCODINGS = {
    Kind.BOOL: "DW_ATE_boolean",
    Kind.SIGNED: "DW_ATE_signed",
    Kind.UNSIGNED: "DW_ATE_unsigned",
    Kind.FLOAT: "DW_ATE_float",
    Kind.FIXED: "DW_ATE_signed",
    Kind.HALF: "DW_ATE_unsigned",
}
"""DWARF's encoding of each kind of scalar; of fixed-point numbers and halves, their integer's."""

_WORD = 64
_HIDDEN = frozenset({"", "return"})
"""Names of slots that no one has written: the compiler's own, and places of struct results."""
_FIELD = "self."
"""What slots of a job's fields begin with; each is a variable of its own."""
_DECLARE = "    #dbg_declare("
_PRODUCER = "clang (LLVM, samebits)"
"""Its first word has GDB read where a prologue ends from the line table, not guess it from code."""
_START = "\nstart:\n"
"""What follows the entry block."""
_FLAGS = '!{i32 7, !"Dwarf Version", i32 4}', '!{i32 2, !"Debug Info Version", i32 3}'
"""Version 4 is what every debugger of the last ten years reads."""


def _written(slot: str) -> str:
    """The name that a slot is a part of; of a job's field `self.name`."""
    if slot.startswith(_FIELD):
        return _FIELD + slot[len(_FIELD) :].partition(".")[0]
    return slot.partition(".")[0]


@dataclass(slots=True)
class DebugInfo(Locations):
    """The debug information of a module that is being emitted. `pointer_bits` is the target's."""

    pointer_bits: int = 64
    _unit: str = ""
    _function: Function | None = None
    _scopes: dict[str, int] = field(default_factory=dict[str, int])

    def begin(self, function: Function) -> None:
        """Begin the text of `function`."""
        span = function.span
        self._function = function
        self._head = self.number(Location(function.name, None, span))
        file = self._file(span.file)
        unit = self._unit = self._unit or (
            f"distinct !DICompileUnit(language: DW_LANG_C99, file: {file}, producer: "
            f'"{_PRODUCER}", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)'
        )
        nothing = self._reference("!DISubroutineType(types: !{null})")
        # The comment gives each a node of its own: instances of a kernel differ in nothing else.
        self._subprogram = self._node(
            f"distinct !DISubprogram(name: {quoted(plain_name(function))}, scope: {file}, "
            f"file: {file}, line: {span.line}, "
            f"type: {nothing}, scopeLine: {span.line}, spFlags: DISPFlagDefinition, "
            f"unit: {self._reference(unit)}) ; {quoted(function.name)}"
        )
        self._scopes = {span.file: self._subprogram}

    def node(self, number: int) -> str:
        """The metadata node of a location in the function begun last."""
        span = self.found[number - 1].span
        scope = self._scopes.get(span.file)
        if scope is None:
            file = self._file(span.file)
            scope = self._scopes[span.file] = self._node(
                f"!DILexicalBlockFile(scope: !{self._subprogram}, file: {file}, discriminator: 0)"
            )
        return self._reference(
            f"!DILocation(line: {span.line}, column: {span.column + 1}, scope: !{scope})"
        )

    def attach(self, text: str) -> str:
        """The text begun last, each instruction after the entry block with its location: a debugger
        takes what has none for the function's prologue, and stops after it."""
        before, start, after = text.partition(_START)
        head, *lines = before.split("\n")
        located = Locations.attach(self, f"{head}\n}}").split("\n")[0]
        body = Locations.attach(self, after)
        return "\n".join([located, *lines]) + start + body

    def declarations(
        self, slots: Mapping[str, Sequence[str]], memory: Mapping[str, str]
    ) -> list[str]:
        """The records that say where names lie: of the `slots` the addresses of their parts, of
        pieces of local `memory` their address. Names of the compiler's own are left out."""
        function = self._function
        assert function is not None
        types: dict[str, ValueType] = {**dict(function.params), **function.slots}
        variables: dict[str, list[str]] = {}
        for slot in types:
            name = _written(slot)
            if name not in _HIDDEN and slot in slots:
                variables.setdefault(name, []).append(slot)
        every = dict.fromkeys(_written(name) for name, _ in function.params)
        arguments = [name for name in every if name not in _HIDDEN]
        records: list[str] = []
        for name, parts in variables.items():
            argument = arguments.index(name) + 1 if name in arguments else 0
            shown = name.replace(".", "_")
            if parts == [name]:
                records += self._declared(shown, argument, types[name], slots[name])
            else:
                items = [(part[len(name) + 1 :], types[part], slots[part][0]) for part in parts]
                records += self._composite(shown, argument, items)
        for name, place in memory.items():
            if not name.startswith("."):
                t = self._memory(function.locals[name])
                records.append(self._record(place, self._variable(name, 0, t)))
        return records

    def _declared(self, name: str, argument: int, t: ValueType, places: Sequence[str]) -> list[str]:
        match t:
            case ScalarType():
                return [self._record(places[0], self._variable(name, argument, self._memory(t)))]
            case RefType():
                variable = self._variable(name, argument, self._memory(t.target))
                return [self._record(places[0], variable, "DW_OP_deref")]
            case ArrayType():
                variable = self._variable(name, argument, self._array(t))
                sizes = [self.pointer_bits, *[_WORD] * t.ndim]
                offsets = [0, *(_WORD * (k + 1) for k in range(t.ndim))]
                return [
                    self._record(place, variable, f"DW_OP_LLVM_fragment, {offset}, {size}")
                    for place, offset, size in zip(places, offsets, sizes, strict=True)
                ]

    def _composite(
        self, name: str, argument: int, items: Sequence[tuple[str, ValueType, str]]
    ) -> list[str]:
        """The records of a vector or matrix, whose components have a slot each."""
        members: list[tuple[str, str, int, int]] = []
        at = 0
        for path, t, _ in items:
            assert isinstance(t, ScalarType)
            size = 8 * t.size
            members.append((path.replace(".", "_"), self._memory(t), at, size))
            at += size
        variable = self._variable(name, argument, self._structure("", members, at))
        return [
            self._record(place, variable, f"DW_OP_LLVM_fragment, {offset}, {size}")
            for (_, _, place), (_, _, offset, size) in zip(items, members, strict=True)
        ]

    # -- nodes --------------------------------------------------------------------------------

    def _reference(self, text: str) -> str:
        return f"!{self._node(text)}"

    def _file(self, name: str) -> str:
        return self._reference(f'!DIFile(filename: {quoted(name)}, directory: "")')

    def _record(self, place: str, variable: str, expression: str = "") -> str:
        location = self.node(self._head)
        return f"{_DECLARE}ptr {place}, {variable}, !DIExpression({expression}), {location})"

    def _variable(self, name: str, argument: int, t: str) -> str:
        assert self._function is not None
        span = self._function.span
        position = f"arg: {argument}, " if argument else ""
        return self._reference(
            f"!DILocalVariable(name: {quoted(name)}, {position}scope: !{self._subprogram}, "
            f"file: {self._file(span.file)}, line: {span.line}, type: {t})"
        )

    def _memory(self, t: MemoryType) -> str:
        match t:
            case ScalarType():
                return self._reference(
                    f"!DIBasicType(name: {quoted(t.name)}, size: {8 * t.size}, "
                    f"encoding: {_ENCODINGS[t.kind]})"
                )
            case VectorType():
                size = 8 * t.element.size
                of = self._memory(t.element)
                paths = [path.replace(".", "_") for path in t.components]
                members = [(path, of, k * size, size) for k, path in enumerate(paths)]
                return self._structure(t.name, members, 8 * t.size)
            case FixedArrayType():
                return self._elements(t.element, t.shape, 8 * t.size)
            case StructType():
                members = [
                    (name, self._memory(inner), 8 * t.offsets[name], 8 * inner.size)
                    for name, inner in t.fields
                ]
                return self._structure(t.name, members, 8 * t.size)

    def _elements(self, element: MemoryType, shape: Sequence[int], size: int) -> str:
        counts = ", ".join(self._reference(f"!DISubrange(count: {n})") for n in shape)
        return self._reference(
            f"!DICompositeType(tag: DW_TAG_array_type, baseType: {self._memory(element)}, "
            f"size: {size}, elements: !{{{counts}}})"
        )

    def _structure(self, name: str, members: Sequence[tuple[str, str, int, int]], size: int) -> str:
        """A structure of members: name, type, offset and size in bits."""
        nodes = ", ".join(
            self._reference(
                f"!DIDerivedType(tag: DW_TAG_member, name: {quoted(member)}, baseType: {t}, "
                f"size: {bits}, offset: {offset})"
            )
            for member, t, offset, bits in members
        )
        named = f"name: {quoted(name)}, " if name else ""
        return self._reference(
            f"!DICompositeType(tag: DW_TAG_structure_type, {named}size: {size}, "
            f"elements: !{{{nodes}}})"
        )

    def _array(self, t: ArrayType) -> str:
        """An array: the address of its elements, and its lengths."""
        data = self._reference(
            f"!DIDerivedType(tag: DW_TAG_pointer_type, baseType: {self._memory(t.element)}, "
            f"size: {self.pointer_bits})"
        )
        bits = _WORD * t.ndim
        shape = self._elements(INT64, (t.ndim,), bits)
        members = [("data", data, 0, self.pointer_bits), ("shape", shape, _WORD, bits)]
        return self._structure(str(t), members, _WORD + bits)

    def metadata(self) -> str:
        """The metadata nodes that the attached texts refer to."""
        unit = self._reference(self._unit)
        flags = ", ".join(map(self._reference, _FLAGS))
        return "\n".join([
            f"!llvm.dbg.cu = !{{{unit}}}",
            f"!llvm.module.flags = !{{{flags}}}",
            *(f"!{number} = {text}" for text, number in self._nodes.items()),
        ])  # fmt: skip
