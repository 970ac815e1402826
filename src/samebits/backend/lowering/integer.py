"""Integer and bool arithmetic: wrapping, flooring division, guarded shifts, checked weak ints.

No instruction here has undefined behaviour for any operand.
"""

from __future__ import annotations

from collections.abc import Callable

from samebits.backend.lowering.int64 import (
    signed_quotient,
    signed_remainder,
    unsigned_quotient,
    unsigned_remainder,
)
from samebits.backend.text.types import scalar
from samebits.backend.text.writer import FunctionWriter
from samebits.ir.grammar import Op, Value
from samebits.types import Kind, ScalarType

Lowering = Callable[[FunctionWriter, Op], None]


def scalar_type(value: Value) -> ScalarType:
    """The type of a value that the IR's rules make a scalar."""
    t = value.type
    assert isinstance(t, ScalarType)
    return t


def _checked(op: Op) -> bool:
    return scalar_type(op.args[0]).weak and not op.unchecked


def _with_overflow(f: FunctionWriter, op: Op, name: str, a: str, b: str) -> None:
    """`a name b` on i64, trapping where the result leaves int64."""
    callee, convention = f"@llvm.s{name}.with.overflow.i64", ""
    if name == "mul" and not f.target.has_high_multiply:
        callee = f.module.helper("smulo.i64")
        convention = f.target.convention
    pair = f.emit(f"call {convention}{{ i64, i1 }} {callee}(i64 {a}, i64 {b})")
    f.trap_if(f.emit(f"extractvalue {{ i64, i1 }} {pair}, 1"), op, "overflow")
    f.define(op.result, f.emit(f"extractvalue {{ i64, i1 }} {pair}, 0"))


def _arithmetic(name: str) -> Lowering:
    def lower(f: FunctionWriter, op: Op) -> None:
        t = scalar_type(op.result)
        a, b = map(f.operand, op.args)
        if _checked(op):
            _with_overflow(f, op, name, a, b)
        else:
            wrap = " nsw" if t.weak else ""
            f.define(op.result, f.emit(f"{name}{wrap} {scalar(t)} {a}, {b}"))

    return lower


def _neg(f: FunctionWriter, op: Op) -> None:
    t, a = scalar_type(op.result), f.operand(op.args[0])
    if _checked(op):
        _with_overflow(f, op, "sub", "0", a)
    else:
        f.define(op.result, f.emit(f"sub {scalar(t)} 0, {a}"))


def _abs(f: FunctionWriter, op: Op) -> None:
    t, a = scalar_type(op.result), f.operand(op.args[0])
    if not t.is_signed:
        f.define(op.result, a)
        return
    if _checked(op):
        f.trap_if(f.emit(f"icmp eq i64 {a}, {t.minimum}"), op, "overflow")
    name = scalar(t)
    f.define(op.result, f.emit(f"call {name} @llvm.abs.{name}({name} {a}, i1 false)"))


def _divide(want_quotient: bool) -> Lowering:
    def lower(f: FunctionWriter, op: Op) -> None:
        t, name = scalar_type(op.result), scalar(scalar_type(op.result))
        a, b = map(f.operand, op.args)
        if not op.unchecked:
            f.trap_if(f.emit(f"icmp eq {name} {b}, 0"), op, "zero")
        if t.is_signed:
            _signed_divide(f, op, want_quotient, a, b)
        else:
            divided = unsigned_quotient if want_quotient else unsigned_remainder
            f.define(op.result, divided(f, t.bits, a, b))

    return lower


def _signed_divide(f: FunctionWriter, op: Op, want_quotient: bool, a: str, b: str) -> None:
    """Flooring division from a truncating one. Division by -1 is negation, since MIN/-1 has no
    quotient: it wraps, or traps in weak int."""
    t, name = scalar_type(op.result), scalar(scalar_type(op.result))
    negates, divisor = "false", b
    literal = b.lstrip("-").isdigit()
    if not literal or b == "-1":
        negates = f.emit(f"icmp eq {name} {b}, -1")
        divisor = f.emit(f"select i1 {negates}, {name} 1, {name} {b}")
    if want_quotient and _checked(op) and negates != "false":
        least = f.emit(f"icmp eq {name} {a}, {t.minimum}")
        f.trap_if(f.emit(f"and i1 {least}, {negates}"), op, "overflow")
    remainder = signed_remainder(f, t.bits, a, divisor)
    inexact = f.emit(f"icmp ne {name} {remainder}, 0")
    signs = f.emit(f"xor {name} {remainder}, {divisor}")
    lower = f.emit(f"and i1 {inexact}, {f.emit(f'icmp slt {name} {signs}, 0')}")
    if not want_quotient:
        shifted = f.emit(f"select i1 {lower}, {name} {divisor}, {name} 0")
        f.define(op.result, f.emit(f"add {name} {remainder}, {shifted}"))
        return
    quotient = signed_quotient(f, t.bits, a, divisor)
    quotient = f.emit(f"add {name} {quotient}, {f.emit(f'sext i1 {lower} to {name}')}")
    negated = f.emit(f"sub {name} 0, {a}")
    f.define(op.result, f.emit(f"select i1 {negates}, {name} {negated}, {name} {quotient}"))


def _extreme(is_min: bool) -> Lowering:
    def lower(f: FunctionWriter, op: Op) -> None:
        t, name = scalar_type(op.result), scalar(scalar_type(op.result))
        a, b = map(f.operand, op.args)
        which = ("s" if t.is_signed else "u") + ("min" if is_min else "max")
        f.define(op.result, f.emit(f"call {name} @llvm.{which}.{name}({name} {a}, {name} {b})"))

    return lower


def _bitwise(name: str) -> Lowering:
    def lower(f: FunctionWriter, op: Op) -> None:
        a, b = map(f.operand, op.args)
        f.define(op.result, f.emit(f"{name} {scalar(scalar_type(op.result))} {a}, {b}"))

    return lower


def _not(f: FunctionWriter, op: Op) -> None:
    t = scalar_type(op.result)
    ones = "true" if t.kind is Kind.BOOL else "-1"
    f.define(op.result, f.emit(f"xor {scalar(t)} {f.operand(op.args[0])}, {ones}"))


def _shift_left(f: FunctionWriter, op: Op) -> None:
    t, name = scalar_type(op.result), scalar(scalar_type(op.result))
    a, b = map(f.operand, op.args)
    if _checked(op):
        f.trap_if(f.emit(f"icmp slt i64 {b}, 0"), op, "shift")
    fits = f.emit(f"icmp ult {name} {b}, {t.bits}")
    count = f.emit(f"select i1 {fits}, {name} {b}, {name} 0")
    shifted = f.emit(f"shl {name} {a}, {count}")
    if _checked(op):
        back = f.emit(f"ashr i64 {shifted}, {count}")
        same = f.emit(f"and i1 {fits}, {f.emit(f'icmp eq i64 {back}, {a}')}")
        fine = f.emit(f"or i1 {same}, {f.emit(f'icmp eq i64 {a}, 0')}")
        f.trap_if(f.emit(f"xor i1 {fine}, true"), op, "overflow")
    f.define(op.result, f.emit(f"select i1 {fits}, {name} {shifted}, {name} 0"))


def _shift_right(f: FunctionWriter, op: Op) -> None:
    t, name = scalar_type(op.result), scalar(scalar_type(op.result))
    a, b = map(f.operand, op.args)
    if _checked(op):
        f.trap_if(f.emit(f"icmp slt i64 {b}, 0"), op, "shift")
    fits = f.emit(f"icmp ult {name} {b}, {t.bits}")
    if t.is_signed:
        count = f.emit(f"select i1 {fits}, {name} {b}, {name} {t.bits - 1}")
        f.define(op.result, f.emit(f"ashr {name} {a}, {count}"))
        return
    count = f.emit(f"select i1 {fits}, {name} {b}, {name} 0")
    shifted = f.emit(f"lshr {name} {a}, {count}")
    f.define(op.result, f.emit(f"select i1 {fits}, {name} {shifted}, {name} 0"))


def _count(intrinsic: str, extra: str) -> Lowering:
    def lower(f: FunctionWriter, op: Op) -> None:
        name, a = scalar(scalar_type(op.result)), f.operand(op.args[0])
        f.define(op.result, f.emit(f"call {name} @llvm.{intrinsic}.{name}({name} {a}{extra})"))

    return lower


def _rotate(intrinsic: str) -> Lowering:
    def lower(f: FunctionWriter, op: Op) -> None:
        name = scalar(scalar_type(op.result))
        a, b = map(f.operand, op.args)
        f.define(
            op.result,
            f.emit(f"call {name} @llvm.{intrinsic}.{name}({name} {a}, {name} {a}, {name} {b})"),
        )

    return lower


def _compare(predicate: str) -> Lowering:
    def lower(f: FunctionWriter, op: Op) -> None:
        t = scalar_type(op.args[0])
        sign = "" if predicate in ("eq", "ne") else "s" if t.is_signed else "u"
        a, b = map(f.operand, op.args)
        f.define(op.result, f.emit(f"icmp {sign}{predicate} {scalar(t)} {a}, {b}"))

    return lower


INTEGER_LOWERINGS: dict[str, Lowering] = {
    "add": _arithmetic("add"),
    "sub": _arithmetic("sub"),
    "mul": _arithmetic("mul"),
    "neg": _neg,
    "abs": _abs,
    "floordiv": _divide(True),
    "mod": _divide(False),
    "min": _extreme(True),
    "max": _extreme(False),
    "and": _bitwise("and"),
    "or": _bitwise("or"),
    "xor": _bitwise("xor"),
    "not": _not,
    "shl": _shift_left,
    "shr": _shift_right,
    "popcount": _count("ctpop", ""),
    "clz": _count("ctlz", ", i1 false"),
    "ctz": _count("cttz", ", i1 false"),
    "rotl": _rotate("fshl"),
    "rotr": _rotate("fshr"),
    "eq": _compare("eq"),
    "ne": _compare("ne"),
    "lt": _compare("lt"),
    "le": _compare("le"),
    "gt": _compare("gt"),
    "ge": _compare("ge"),
}
