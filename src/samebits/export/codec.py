"""C functions that convert values in memory to canonical bytes and back, a pair per struct type.

They work on integers alone, byte by byte, so that they work with either byte order.
"""

from __future__ import annotations

from collections.abc import Iterator

from samebits.bits import CANONICAL_NAN, INFINITY
from samebits.export.header import type_name
from samebits.export.interface import Interface
from samebits.types import (
    FixedArrayType,
    Kind,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)


def codec_text(interface: Interface) -> str:
    """`put_<type>` and `take_<type>` for all that state and input hold."""
    return "\n".join(
        [_SCALARS, *(text for t in interface.structs for text in _struct(interface, t))]
    )


def _struct(interface: Interface, t: StructType) -> Iterator[str]:
    own, members = type_name(interface, t), interface.members(t)
    name = interface.structs[t]
    for verb, head in (
        ("put", f"static uint8_t *put_{name}(uint8_t *to, const {own} *from)"),
        ("take", f"static const uint8_t *take_{name}({own} *to, const uint8_t *from)"),
    ):
        whole = "from" if verb == "put" else "to"
        lines = [
            line
            for field, field_type in t.fields
            for line in _value(interface, verb, field_type, f"{whole}->{members[field]}", 0)
        ]
        done = "to" if verb == "put" else "from"
        yield "\n".join([head, "{", *(f"    {line}" for line in lines), f"    return {done};", "}"])
        yield ""


def _value(interface: Interface, verb: str, t: MemoryType, place: str, depth: int) -> Iterator[str]:
    match t:
        case ScalarType():
            yield _call(verb, _scalar(t), place)
        case VectorType():
            for component in t.components:
                yield _call(verb, _scalar(t.element), f"{place}.{component}")
        case StructType():
            yield _call(verb, interface.structs[t], place)
        case FixedArrayType():
            index = f"i{depth}"
            length, *rest = t.shape
            inner = FixedArrayType(t.element, tuple(rest)) if rest else t.element
            yield f"for (size_t {index} = 0; {index} < {length}; {index}++) {{"
            for line in _value(interface, verb, inner, f"{place}[{index}]", depth + 1):
                yield f"    {line}"
            yield "}"


def _call(verb: str, what: str, place: str) -> str:
    if verb == "put":
        return f"to = put_{what}(to, &{place});"
    return f"from = take_{what}(&{place}, from);"


def _scalar(t: ScalarType) -> str:
    if t.kind is Kind.BOOL:
        return "samebits_bool"
    return f"samebits_{'f' if t.is_ieee else 'u'}{t.bits}"


def _scalar_pair(bits: int, is_ieee: bool) -> str:
    name, size = f"samebits_{'f' if is_ieee else 'u'}{bits}", bits // 8
    nan = ""
    if is_ieee:
        pattern = CANONICAL_NAN[bits]
        infinity = INFINITY[bits]
        nan = (
            f"    if ((v & UINT{bits}_C({(1 << (bits - 1)) - 1:#x})) > "
            f"UINT{bits}_C({infinity:#x})) v = UINT{bits}_C({pattern:#x});\n"
        )
    return f"""\
UNUSED static uint8_t *put_{name}(uint8_t *to, const void *from)
{{
    uint{bits}_t v;
    __builtin_memcpy(&v, from, {size});
{nan}    for (int k = 0; k < {size}; k++) to[k] = (uint8_t)((uint64_t)v >> (8 * k));
    return to + {size};
}}

UNUSED static const uint8_t *take_{name}(void *to, const uint8_t *from)
{{
    uint64_t wide = 0;
    for (int k = 0; k < {size}; k++) wide |= (uint64_t)from[k] << (8 * k);
    uint{bits}_t v = (uint{bits}_t)wide;
{nan}    __builtin_memcpy(to, &v, {size});
    return from + {size};
}}
"""


_SCALARS = """\
#define UNUSED __attribute__((unused))

UNUSED static uint8_t *put_samebits_bool(uint8_t *to, const uint8_t *from)
{
    *to = *from != 0;
    return to + 1;
}

UNUSED static const uint8_t *take_samebits_bool(uint8_t *to, const uint8_t *from)
{
    *to = *from != 0;
    return from + 1;
}

""" + "\n".join(
    [
        *(_scalar_pair(bits, False) for bits in (8, 16, 32, 64)),
        *(_scalar_pair(bits, True) for bits in (16, 32, 64)),
    ]
)
