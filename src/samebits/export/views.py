"""JavaScript classes that view structs in a module's memory, and their TypeScript declarations."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.export.interface import Interface
from samebits.types import (
    FLOAT16,
    FixedArrayType,
    Kind,
    MatrixType,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)

_ARRAYS = {
    "bool": "Uint8Array", "int8": "Int8Array", "int16": "Int16Array", "int32": "Int32Array",
    "int64": "BigInt64Array", "uint8": "Uint8Array", "uint16": "Uint16Array",
    "uint32": "Uint32Array", "uint64": "BigUint64Array", "float32": "Float32Array",
    "float64": "Float64Array",
}  # fmt: skip


_BITS = ", as the bits of a binary16"
"""A view's note on halves, for which few JavaScript engines have an array."""


def view_name(interface: Interface, t: StructType) -> str:
    """The class of a struct's views."""
    return f"{interface.structs[t]}View"


def views_text(interface: Interface) -> str:
    """A class for each struct type."""
    return "\n".join(line for t in interface.structs for line in _class(interface, t))


def declarations_text(interface: Interface) -> str:
    """A TypeScript interface for each struct type."""
    return "\n".join(line for t in interface.structs for line in _interface(interface, t))


def _class(interface: Interface, t: StructType) -> Iterator[str]:
    members = interface.members(t)
    yield f"class {view_name(interface, t)} {{"
    yield "  #view;"
    yield "  #at;"
    yield "  #parts = {};"
    yield ""
    yield "  constructor(view, at) {"
    yield "    this.#view = view;"
    yield "    this.#at = at;"
    yield "  }"
    for name, field_type in t.fields:
        yield ""
        yield from _accessors(interface, members[name], field_type, t.offsets[name])
    yield "}"
    yield ""


def _accessors(interface: Interface, member: str, t: MemoryType, offset: int) -> Iterator[str]:
    place = f"this.#at + {offset}"
    if isinstance(t, ScalarType):
        method = _ARRAYS[t.storage.name].removesuffix("Array")
        read = f"this.#view.get{method}({place}, true)"
        value = "value"
        if t.kind is Kind.BOOL:
            read, value = f"{read} !== 0", "value ? 1 : 0"
        yield f"  get {member}() {{"
        yield f"    return {read};"
        yield "  }"
        yield f"  set {member}(value) {{"
        yield f"    this.#view.set{method}({place}, {value}, true);"
        yield "  }"
        return
    element, count = _flat(t)
    if isinstance(element, ScalarType):
        made = f"new {_ARRAYS[element.storage.name]}(this.#view.buffer, {place}, {count})"
    else:
        view = view_name(interface, element)
        made = f"new {view}(this.#view, {place})"
        if isinstance(t, FixedArrayType):
            one = f"new {view}(this.#view, {place} + i * {element.size})"
            made = f"Object.freeze(Array.from({{ length: {count} }}, (_, i) => {one}))"
    yield f"  get {member}() {{"
    yield f"    return (this.#parts.{member} ??= {made});"
    yield "  }"
    if isinstance(element, ScalarType):
        yield f"  set {member}(values) {{"
        yield f"    this.{member}.set(values);"
        yield "  }"


def _flat(t: MemoryType) -> tuple[ScalarType | StructType, int]:
    """The innermost element of an array or a vector, and how many there are."""
    match t:
        case ScalarType() | StructType():
            return t, 1
        case VectorType():
            return t.element, t.length
        case FixedArrayType():
            element, count = _flat(t.element)
            return element, count * t.count


def _interface(interface: Interface, t: StructType) -> Iterator[str]:
    members = interface.members(t)
    yield f"/** A view of {t.size} bytes in the module's memory. */"
    yield f"export interface {view_name(interface, t)} {{"
    for name, field_type in t.fields:
        yield from _declaration(interface, members[name], field_type)
    yield "}"
    yield ""


def _declaration(interface: Interface, member: str, t: MemoryType) -> Iterator[str]:
    if isinstance(t, ScalarType):
        kind = {"bool": "boolean", "int64": "bigint", "uint64": "bigint"}.get(
            t.storage.name, "number"
        )
        yield f"  /** {t}{_BITS if t == FLOAT16 else ''} */"
        yield f"  {member}: {kind};"
        return
    element, count = _flat(t)
    if isinstance(element, ScalarType):
        array = _ARRAYS[element.storage.name]
        one = "bigint" if array.startswith("Big") else "number"
        order = ", row after row" if isinstance(t, FixedArrayType) and len(t.shape) > 1 else ""
        if isinstance(t.element if isinstance(t, FixedArrayType) else t, MatrixType):
            order += ", column after column"
        order += _BITS if element == FLOAT16 else ""
        yield f"  /** {t}: {count} values{order}; assigning copies into it */"
        yield f"  get {member}(): {array};"
        yield f"  set {member}(values: ArrayLike<{one}>);"
        return
    many = "readonly " if isinstance(t, FixedArrayType) else ""
    brackets = "[]" if many else ""
    yield f"  /** {t} */"
    yield f"  readonly {member}: {many}{view_name(interface, element)}{brackets};"
