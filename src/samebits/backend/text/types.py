"""The language's types, constants and names in LLVM text."""

from __future__ import annotations

import re
import struct

from samebits.backend.objects import LENGTH_LIMIT
from samebits.backend.targets.table import Target
from samebits.ir.grammar import Attribute, Function, ValueType
from samebits.types import (
    ArrayType,
    FixedArrayType,
    Kind,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

_PLAIN = re.compile(r"[ !#-\[\]-~]*")
"""Names that need no escapes in LLVM text: printable ASCII without quotes and backslashes."""

LENGTH_RANGE = f"range(i64 0, {LENGTH_LIMIT})"


def quoted(name: str) -> str:
    """`name` as LLVM spells names with arbitrary characters."""
    if _PLAIN.fullmatch(name):
        return f'"{name}"'
    safe = "".join(
        c if c.isascii() and c.isprintable() and c not in '"\\' else
        "".join(f"\\{byte:02X}" for byte in c.encode())
        for c in name
    )  # fmt: skip
    return f'"{safe}"'


def function_symbol(name: str) -> str:
    """The symbol of a kernel; the prefix keeps it distinct from a C library's names."""
    return f"@{quoted('k:' + name)}"


def table_symbol(name: str) -> str:
    """The symbol of a constant table."""
    return f"@{quoted('t:' + name)}"


def scalar(t: ScalarType) -> str:
    """The LLVM type of a scalar in a register."""
    if t.is_float:
        return "float" if t.bits == 32 else "double"
    return f"i{t.bits}"


def memory_scalar(t: ScalarType) -> str:
    """The LLVM type of a scalar in memory: a bool takes a byte."""
    return "i8" if t.kind is Kind.BOOL else scalar(t)


def memory(t: MemoryType) -> str:
    """An LLVM type of `t`'s size, for address arithmetic."""
    match t:
        case ScalarType():
            return memory_scalar(t)
        case VectorType():
            return f"[{t.length} x {memory_scalar(t.element)}]"
        case FixedArrayType() | StructType():
            return f"[{t.size} x i8]"


def parts(t: ValueType) -> tuple[str, ...]:
    """The LLVM types of the registers that hold a value of type `t`."""
    match t:
        case ScalarType():
            return (scalar(t),)
        case RefType():
            return ("ptr",)
        case ArrayType():
            return ("ptr", *("i64",) * t.ndim)


def parameter_parts(t: ValueType) -> tuple[str, ...]:
    """`parts`, with parameter attributes."""
    match t:
        case ArrayType():
            return ("ptr noundef", *(f"i64 noundef {LENGTH_RANGE}",) * t.ndim)
        case _:
            return tuple(f"{part} noundef" for part in parts(t))


def float_constant(value: float) -> str:
    """A float's exact spelling: a binary64 pattern, for binary32 too."""
    if value != value:
        return "0x7FF8000000000000"
    return f"0x{struct.pack('>d', value).hex().upper()}"


def constant(t: ScalarType, value: Attribute) -> str:
    """The spelling of a constant of type `t`; integers are taken modulo the type's range."""
    if value is None or isinstance(value, str):
        raise TypeError(f"a constant of type {t} needs a number, not {value!r}")
    if t.is_float:
        return float_constant(float(value))
    if t.kind is Kind.BOOL:
        return "true" if value else "false"
    return str(int(value))


def memory_constant(t: ScalarType, value: Attribute) -> str:
    """`constant`, for a constant in memory."""
    if t.kind is Kind.BOOL:
        return "1" if value else "0"
    return constant(t, value)


_X87_RESULTS = 2


def returned(function: Function, traps: bool, target: Target) -> list[str]:
    """The types that the LLVM function returns: the status, if it can trap, then the results, then
    padding that keeps them out of x87 registers."""
    items = ["i32"] * traps + [scalar(t) for t in function.results]
    over = sum(t.is_float for t in function.results) - target.float_results
    if target.float_results and 0 < over <= _X87_RESULTS:
        items += ["float"] * (_X87_RESULTS + 1 - over)
    return items


def return_type(function: Function, traps: bool, target: Target) -> str:
    """The return type of the LLVM function."""
    items = returned(function, traps, target)
    if not items:
        return "void"
    return items[0] if len(items) == 1 else "{ " + ", ".join(items) + " }"
