"""`NAME.h`: types with their exact layout, constants and functions, for C99 and C++ alike."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.backend.objects import TrapSite
from samebits.export.interface import Interface
from samebits.export.report_facts import report_sizes
from samebits.export.templates import render
from samebits.types import (
    BOOL,
    COMPONENTS,
    FLOAT16,
    FixedArrayType,
    FixedPointType,
    MatrixType,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)

SCALARS = {"float32": "float", "float64": "double", "bool": "uint8_t"}


def scalar_name(t: ScalarType) -> str:
    """A scalar's C type; a bool is a byte, 0 or 1, a fixed-point number its count of steps,
    a half its bits."""
    return SCALARS.get(t.name) or f"{t.storage.name}_t"


def type_name(interface: Interface, t: MemoryType) -> str:
    """The C type of a value, of an array's element for an array."""
    match t:
        case ScalarType():
            return scalar_name(t)
        case VectorType():
            return f"{interface.name}_{t.name}"
        case StructType():
            return f"{interface.name}_{interface.structs[t]}"
        case FixedArrayType():
            return type_name(interface, t.element)


def extents(t: MemoryType) -> str:
    """`[3][4]` behind a declared name; empty where `t` is no array."""
    if not isinstance(t, FixedArrayType):
        return ""
    return "".join(f"[{n}]" for n in t.shape) + extents(t.element)


def places(interface: Interface) -> dict[str, object]:
    """The facts of a simulation that most templates use, by the names of their places."""
    return {
        "NAME": interface.name,
        "GUARD": interface.name.upper(),
        "STATE": type_name(interface, interface.state),
        "INPUT": type_name(interface, interface.input),
        "PLAYERS": interface.players,
        "DIGEST": interface.simulation.digest,
        "TICK_RATE": interface.simulation.tick_rate,
        "STATE_BYTES": interface.state_bytes,
        "INPUT_BYTES": interface.input_bytes,
    }


def header_text(interface: Interface, sites: tuple[TrapSite, ...]) -> str:
    """The whole header, which is the same for every target; `sites` are what statuses stand for."""
    simulation = interface.simulation
    return render(
        "header.h",
        **places(interface),
        SIMULATION=printable(simulation.name),
        VERSION=c_string(simulation.version),
        TRAPS=len(sites),
        **report_sizes(interface, sites),
        TYPES="\n".join(_types(interface)),
        WORDS=-(-interface.state_bytes // 8),
    )


def _types(interface: Interface) -> Iterator[str]:
    for vector in interface.vectors:
        if isinstance(vector, MatrixType):
            columns = ", ".join(f"c{j}" for j in range(vector.columns))
            yield f"typedef struct {type_name(interface, vector)} {{"
            yield f"    {type_name(interface, vector.column)} {columns};"
            yield f"}} {type_name(interface, vector)};\n"
            continue
        items = ", ".join(COMPONENTS[: vector.length])
        element = scalar_name(vector.element)
        aligned = _aligned(interface, vector.element)
        yield f"typedef struct {type_name(interface, vector)} {{"
        if aligned:
            yield f"    {aligned}{element} {COMPONENTS[0]};"
            items = ", ".join(COMPONENTS[1 : vector.length])
        yield f"    {element} {items};"
        yield f"}} {type_name(interface, vector)};\n"
    for struct in interface.structs:
        yield from _struct(interface, struct)


def _struct(interface: Interface, t: StructType) -> Iterator[str]:
    own, prefix = type_name(interface, t), interface.name.upper()
    members = interface.members(t)
    yield f"/* {t.size} bytes, aligned to {t.align}. */"
    yield f"typedef struct {own} {{"
    for name, field_type in t.fields:
        element = _element(field_type)
        scalar = element.element if isinstance(element, VectorType) else element
        aligned = _aligned(interface, element)
        note = "" if members[name] == name else f", `{printable(name)}` in Python"
        if scalar == BOOL:
            note += ", 0 or 1"
        if isinstance(scalar, FixedPointType):
            note += f", in steps of 2^-{scalar.fraction}"
        if scalar == FLOAT16:
            note += ", the bits of a binary16"
        yield (
            f"    {aligned}{type_name(interface, field_type)} {members[name]}"
            f"{extents(field_type)}; /* at {t.offsets[name]}{note} */"
        )
    yield f"}} {own};"
    yield f"{prefix}_ASSERT(sizeof({own}) == {t.size}, size_of_{own});"
    for name, _ in t.fields:
        member = members[name]
        yield (f"{prefix}_ASSERT(offsetof({own}, {member}) == {t.offsets[name]}, {own}_{member});")
    yield ""


def _element(t: MemoryType) -> MemoryType:
    """The innermost element type of arrays."""
    return _element(t.element) if isinstance(t, FixedArrayType) else t


def _aligned(interface: Interface, t: MemoryType) -> str:
    """The macro that forces 8-byte alignment: some 32-bit machines align eight bytes to four."""
    return f"{interface.name.upper()}_ALIGN8 " if isinstance(t, ScalarType) and t.size == 8 else ""


def printable(text: str) -> str:
    """Text that can stand in a C comment."""
    return ascii(text)[1:-1].replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")


def c_string(text: str) -> str:
    """A C string literal of the text's UTF-8 bytes."""
    parts: list[str] = []
    for byte in text.encode("utf-8", "surrogateescape"):
        char = chr(byte)
        plain = 32 <= byte < 127 and char not in '"\\?'
        parts.append(char if plain else f"\\{byte:03o}")
    return '"' + "".join(parts) + '"'
