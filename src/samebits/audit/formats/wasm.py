"""WebAssembly modules: every instruction is walked, since lengths vary.

Opcodes and immediates after "WebAssembly Core Specification 2.0", chapter 5, and the proposals for
relaxed SIMD, threads, tail calls and exceptions.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from samebits.audit.decode.words import Hit
from samebits.audit.errors import UnreadableBinary

_MOST_FUNCTIONS = 1_000_000
_RELAXED = (
    "i8x16.relaxed_swizzle", "i32x4.relaxed_trunc_f32x4_s", "i32x4.relaxed_trunc_f32x4_u",
    "i32x4.relaxed_trunc_f64x2_s_zero", "i32x4.relaxed_trunc_f64x2_u_zero",
    "f32x4.relaxed_madd", "f32x4.relaxed_nmadd", "f64x2.relaxed_madd", "f64x2.relaxed_nmadd",
    "i8x16.relaxed_laneselect", "i16x8.relaxed_laneselect", "i32x4.relaxed_laneselect",
    "i64x2.relaxed_laneselect", "f32x4.relaxed_min", "f32x4.relaxed_max", "f64x2.relaxed_min",
    "f64x2.relaxed_max", "i16x8.relaxed_q15mulr_s", "i16x8.relaxed_dot_i8x16_i7x16_s",
    "i32x4.relaxed_dot_i8x16_i7x16_add_s",
)  # fmt: skip
"""From 0xfd 0x100 on."""

_NONE = frozenset(
    {0x00, 0x01, 0x05, 0x0A, 0x0B, 0x0F, 0x19, 0x1A, 0x1B, *range(0x45, 0xC5), 0xD1, 0xD3, 0xD4}
)
_ONE = frozenset(
    {0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0C, 0x0D, 0x10, 0x12, 0x14, 0x15, 0x18,
     *range(0x20, 0x27), 0x3F, 0x40, 0x41, 0x42, 0xD0, 0xD2, 0xD5, 0xD6}
)  # fmt: skip
"""Opcodes with one number."""
_TWO = frozenset({0x11, 0x13, *range(0x28, 0x3F)})
_PREFIXED_ONE = frozenset({9, 11, 13, 15, 16, 17})
_PREFIXED_TWO = frozenset({8, 10, 12, 14})


@dataclass(slots=True)
class WasmModule:
    """What an audit reads of a module."""

    imports: dict[str, str] = field(default_factory=dict[str, str])
    names: dict[int, str] = field(default_factory=dict[int, str])
    bodies: list[tuple[int, memoryview]] = field(default_factory=list[tuple[int, memoryview]])
    """Code of each function without its locals, and its offset in the file."""
    imported: int = 0
    producers: tuple[str, ...] = ()
    code: int = 0
    """Offset of the code section, from which DWARF counts."""
    debug: dict[str, memoryview] = field(default_factory=dict[str, memoryview])
    is_object: bool = False


class _Reader:
    """Numbers and runs of bytes from a view. Raises UnreadableBinary at its end."""

    def __init__(self, data: memoryview, at: int = 0) -> None:
        self.data = data
        self.at = at

    def byte(self) -> int:
        if self.at >= len(self.data):
            raise UnreadableBinary("its WebAssembly is cut off")
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """A LEB128 number of up to ten bytes; signed ones are skipped as well by it."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise UnreadableBinary("a number in its WebAssembly is too long")

    def run(self, size: int) -> memoryview:
        if size > len(self.data) - self.at:
            raise UnreadableBinary("its WebAssembly is cut off")
        self.at += size
        return self.data[self.at - size : self.at]

    def text(self) -> str:
        return bytes(self.run(self.number())).decode("utf-8", "replace")


def read_module(data: memoryview) -> WasmModule:
    """The imports, names and bodies of a module. Raises UnreadableBinary."""
    reader = _Reader(data)
    if bytes(reader.run(8))[:4] != b"\0asm":
        raise UnreadableBinary("it is no WebAssembly module")
    if bytes(data[4:8]) != b"\1\0\0\0":
        raise UnreadableBinary("it is a WebAssembly component: audit the modules within")
    module = WasmModule()
    while reader.at < len(data):
        section = reader.byte()
        size = reader.number()
        start = reader.at
        part = _Reader(reader.run(size))
        if section == 2:
            _imports(part, module)
        elif section == 10:
            module.code = start
            for _ in range(min(part.number(), _MOST_FUNCTIONS)):
                length = part.number()
                code = _without_locals(part.run(length))
                module.bodies.append((start + part.at - len(code), code))
        elif section == 0:
            with suppress(UnreadableBinary):  # what a damaged name costs is the name
                _custom(part, module)
    return module


def _without_locals(body: memoryview) -> memoryview:
    reader = _Reader(body)
    for _ in range(reader.number()):
        reader.number()
        reader.number()
    return body[reader.at :]


def _imports(part: _Reader, module: WasmModule) -> None:
    for _ in range(part.number()):
        library, name, kind = part.text(), part.text(), part.byte()
        if kind == 0:
            part.number()
            module.names[module.imported] = name
            module.imports[name] = library
            module.imported += 1
        elif kind == 1:
            part.byte()
            _limits(part)
        elif kind == 2:
            _limits(part)
        elif kind == 3:
            part.run(2)
        elif kind == 4:
            part.byte()
            part.number()
        else:
            raise UnreadableBinary("it has an import of an unknown kind")


def _limits(part: _Reader) -> None:
    flags = part.byte()
    part.number()
    if flags & 1:
        part.number()


def _custom(part: _Reader, module: WasmModule) -> None:
    name = part.text()
    if name == "name":
        while part.at < len(part.data):
            kind = part.byte()
            inner = _Reader(part.run(part.number()))
            if kind == 1:
                for _ in range(inner.number()):
                    index = inner.number()
                    module.names[index] = inner.text()
    elif name == "linking":
        module.is_object = True
    elif name.startswith(".debug_"):
        module.debug[name] = part.data[part.at :]
    elif name == "producers":
        found: list[str] = []
        for _ in range(part.number()):
            field_name = part.text()
            for _ in range(part.number()):
                tool, version = part.text(), part.text()
                if field_name == "processed-by":
                    found.append(f"{tool} {version}")
        module.producers = tuple(found)


def hits(body: memoryview) -> tuple[list[Hit], int]:
    """Relaxed instructions of a body, and the number of all. Raises UnreadableBinary."""
    reader = _Reader(body)
    found: list[Hit] = []
    count = 0
    while reader.at < len(body):
        start = reader.at
        count += 1
        opcode = reader.byte()
        if opcode in _NONE:
            continue
        if opcode in _ONE:
            reader.number()
        elif opcode in _TWO:
            _two(reader, opcode)
        elif opcode == 0xFD:
            name = _simd(reader)
            if name:
                found.append(Hit(start, "AU105", name))
        else:
            _rare(reader, opcode)
    return found, count


def _two(reader: _Reader, opcode: int) -> None:
    align = reader.number()
    if opcode >= 0x28 and align & 0x40:  # with a memory's number
        reader.number()
    reader.number()


def _rare(reader: _Reader, opcode: int) -> None:
    if opcode == 0x43:
        reader.run(4)
    elif opcode == 0x44:
        reader.run(8)
    elif opcode == 0x0E:
        for _ in range(reader.number() + 1):
            reader.number()
    elif opcode == 0x1C:
        for _ in range(reader.number()):
            reader.number()
    elif opcode == 0x1F:
        _try_table(reader)
    elif opcode == 0xFC:
        operation = reader.number()
        numbers = 2 if operation in _PREFIXED_TWO else 1 if operation in _PREFIXED_ONE else 0
        for _ in range(numbers):
            reader.number()
    elif opcode == 0xFE:
        if reader.number() == 3:
            reader.byte()
        else:
            _two(reader, 0x28)
    else:
        raise UnreadableBinary(f"it has the WebAssembly instruction 0x{opcode:02x}, unknown here")


def _try_table(reader: _Reader) -> None:
    reader.number()
    for _ in range(reader.number()):
        kind = reader.byte()
        if kind < 2:
            reader.number()
        reader.number()


def _simd(reader: _Reader) -> str:
    """The name of a relaxed instruction; empty for others."""
    operation = reader.number()
    if operation <= 11 or operation in (92, 93):
        _two(reader, 0x28)
    elif operation in (12, 13):
        reader.run(16)
    elif 21 <= operation <= 34:
        reader.byte()
    elif 84 <= operation <= 91:
        _two(reader, 0x28)
        reader.byte()
    index = operation - 0x100
    return _RELAXED[index] if 0 <= index < len(_RELAXED) else ""
