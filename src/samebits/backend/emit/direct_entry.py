"""Entries that C calls by its own convention: scalars in, a scalar and what pointers take out.

Unlike the entries of `emit.entry` they take the floating-point environment as it is. Narrow
integers are extended as every C convention of the targets wants it, and NaN results are canonical.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.backend.targets.table import Target
from samebits.backend.text.types import (
    constant,
    function_symbol,
    memory_scalar,
    return_type,
    scalar,
)
from samebits.bits import CANONICAL_NAN
from samebits.errors import IRError
from samebits.ir.grammar import Function
from samebits.types import Kind, ScalarType


@dataclass(frozen=True, slots=True)
class DirectEntry:
    """A C function of a kernel of scalars that cannot trap. The first result is returned, unless
    `all_by_pointer`; pointers after the arguments take the others. A bool is an `int`."""

    symbol: str
    all_by_pointer: bool = False


def direct_entry_text(
    entry: DirectEntry, function: Function, traps: bool, target: Target, attributes: str = ""
) -> str:
    """The definition of `entry` for `function`; `attributes` go before its return type. Raises
    IRError for a kernel that traps or takes more than scalars."""
    types = [t for _, t in function.params if isinstance(t, ScalarType)]
    if traps or len(types) != len(function.params):
        raise IRError(f"{function.name} can be no C function: it traps or takes an array")
    given = [f"{_parameter(t)} %a{n}" for n, t in enumerate(types)]
    passed = ", ".join(f"{scalar(t)} %a{n}" for n, t in enumerate(types))
    results = list(function.results)
    first = 0 if entry.all_by_pointer else 1
    places = [f"ptr %p{n}" for n in range(first, len(results))]
    kind = return_type(function, False, target)
    call = f"call {target.convention}{kind} {function_symbol(function.name)}({passed})"
    lines = [f"  %r = {call}"]
    items = ["%r"]
    if len(results) > 1 or kind.startswith("{"):
        items = [f"%r{n}" for n in range(len(results))]
        lines += [f"  %r{n} = extractvalue {kind} %r, {n}" for n in range(len(results))]
    for n in range(first, len(results)):
        lines += _stored(results[n], items[n], f"%p{n}", n)
    returned = "void"
    if entry.all_by_pointer:
        lines.append("  ret void")
    else:
        # LLVM wants a return type's attribute before it, a parameter's after it.
        returned = " ".join(reversed(_parameter(results[0]).split()))
        lines += _returned(results[0], items[0])
    head = f"define {attributes}{returned} @{entry.symbol}"
    return "\n".join([f"{head}({', '.join([*given, *places])}) #0 {{", "entry:", *lines, "}"])


def _parameter(t: ScalarType) -> str:
    if t.is_float:
        return scalar(t)
    if t.kind is Kind.BOOL or t.bits == 32:
        return "i32 signext"
    raise IRError(f"a C function takes no {t} here")


def _returned(t: ScalarType, value: str) -> list[str]:
    if not t.is_float:
        if t.kind is Kind.BOOL:
            return [f"  %wide = zext i1 {value} to i32", "  ret i32 %wide"]
        return [f"  ret i32 {value}"]
    # A branch that is never taken costs less than a select, which the caller would wait for.
    return [
        f"  %odd = fcmp uno {scalar(t)} {value}, 0.0",
        "  br i1 %odd, label %nan, label %number, !prof !0",
        "number:",
        f"  ret {scalar(t)} {value}",
        "nan:",
        f"  ret {scalar(t)} {constant(t, float('nan'))}",
    ]


def _stored(t: ScalarType, value: str, place: str, n: int) -> list[str]:
    lines: list[str] = []
    kind = memory_scalar(t)
    if t.is_float:
        lines = [
            f"  %odd{n} = fcmp uno {kind} {value}, 0.0",
            f"  %bits{n} = bitcast {kind} {value} to i{t.bits}",
            f"  %kept{n} = select i1 %odd{n}, i{t.bits} {CANONICAL_NAN[t.bits]}, "
            f"i{t.bits} %bits{n}",
        ]
        kind, value = f"i{t.bits}", f"%kept{n}"
    return [*lines, f"  store {kind} {value}, ptr {place}"]
