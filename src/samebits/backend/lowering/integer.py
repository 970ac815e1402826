"""Integer and bool arithmetic: wrapping, flooring division, guarded shifts, checked weak ints.

No instruction here has undefined behaviour for any operand.
"""

from __future__ import annotations

from samebits.backend.lowering.int64 import (
    signed_quotient,
    signed_remainder,
    unsigned_quotient,
    unsigned_remainder,
)
from samebits.backend.text.types import scalar
from samebits.backend.text.writer import FunctionWriter, Lowering
from samebits.ir.grammar import Op, Value
from samebits.types import Kind, ScalarType


def scalar_type(value: Value) -> ScalarType:
    """The type of a value that the IR's rules make a scalar."""
    t = value.type
    assert isinstance(t, ScalarType)
    return t


def instruction(text: str) -> Lowering:
    """One instruction: `{t}` is the operands' type and `{bits}` its width, `{a}` and `{b}` are the
    operands, `{sign}` is `s` or `u`, `{fast}` are the function's fast-math flags."""

    def lower(f: FunctionWriter, op: Op) -> None:
        t = scalar_type(op.args[0])
        operands = dict(zip("ab", map(f.operand, op.args), strict=False))
        sign = "s" if t.is_signed else "u"
        given = text.format(t=scalar(t), bits=t.bits, sign=sign, fast=f.fast, **operands)
        f.define(op.result, f.emit(given))

    return lower


def _checked(op: Op) -> bool:
    return scalar_type(op.args[0]).weak and not op.unchecked


def _with_overflow(f: FunctionWriter, op: Op, name: str, a: str, b: str) -> None:
    """`a name b` on i64, trapping where the result leaves int64."""
    callee, convention = f"@llvm.s{name}.with.overflow.i64", ""
    if name == "mul" and not f.target.has_high_multiply:
        callee = f.module.helper("smulo.i64")
        convention = f.target.convention
    pair = f.emit(f"call {convention}{{ i64, i1 }} {callee}(i64 {a}, i64 {b})")
    wrapped = f.emit(f"extractvalue {{ i64, i1 }} {pair}, 0")
    failed = f.emit(f"extractvalue {{ i64, i1 }} {pair}, 1")
    first: list[str] = []
    operands = [f.operand(value) for value in op.args]
    if name != "mul":
        # The first operand from the result, so that the loop need not keep it in a register.
        operands[0] = f.name()
        inverse = f"sub i64 0, {wrapped}" if len(operands) == 1 else (
            f"{'sub' if name == 'add' else 'add'} i64 {wrapped}, {b}"
        )  # fmt: skip
        first.append(f"{operands[0]} = {inverse}")
    f.trap_if(failed, op, "overflow", None, first, operands)
    f.define(op.result, wrapped)


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


INTEGER_LOWERINGS: dict[str, Lowering] = {
    "add": _arithmetic("add"),
    "sub": _arithmetic("sub"),
    "mul": _arithmetic("mul"),
    "neg": _neg,
    "abs": _abs,
    "floordiv": _divide(True),
    "mod": _divide(False),
    "min": instruction("call {t} @llvm.{sign}min.{t}({t} {a}, {t} {b})"),
    "max": instruction("call {t} @llvm.{sign}max.{t}({t} {a}, {t} {b})"),
    "and": instruction("and {t} {a}, {b}"),
    "or": instruction("or {t} {a}, {b}"),
    "xor": instruction("xor {t} {a}, {b}"),
    "not": _not,
    "shl": _shift_left,
    "shr": _shift_right,
    "popcount": instruction("call {t} @llvm.ctpop.{t}({t} {a})"),
    "clz": instruction("call {t} @llvm.ctlz.{t}({t} {a}, i1 false)"),
    "ctz": instruction("call {t} @llvm.cttz.{t}({t} {a}, i1 false)"),
    "rotl": instruction("call {t} @llvm.fshl.{t}({t} {a}, {t} {a}, {t} {b})"),
    "rotr": instruction("call {t} @llvm.fshr.{t}({t} {a}, {t} {a}, {t} {b})"),
    "eq": instruction("icmp eq {t} {a}, {b}"),
    "ne": instruction("icmp ne {t} {a}, {b}"),
    "lt": instruction("icmp {sign}lt {t} {a}, {b}"),
    "le": instruction("icmp {sign}le {t} {a}, {b}"),
    "gt": instruction("icmp {sign}gt {t} {a}, {b}"),
    "ge": instruction("icmp {sign}ge {t} {a}, {b}"),
}
