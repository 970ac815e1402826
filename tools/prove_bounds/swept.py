"""Proof of what a dry run computes for each check, at full width.

Where it notes nothing, nothing traps, and its result is the operation's.

Integers are vectors of their own bits. Each operation on floats is assumed to be off by at most one
part in 2^53, which is what IEEE 754 says where nothing underflows.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, cast

import z3
from tools.prove_bounds.formulas import Proofs, show
from tools.prove_bounds.operations import SPAN

from samebits.ir.grammar import Op, Region, Value
from samebits.ir.rewrite import ValueWriter
from samebits.passes.bounds import dry_run
from samebits.types import (
    BOOL,
    FLOAT64,
    INT,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    ScalarType,
)

EXACT = 192
ULP = z3.Q(1, 1 << 53)
FIXED = (INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64)
EXACTLY: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: -a,
    "abs": lambda a: z3.If(a < 0, -a, a),
    "narrow": lambda a: a,
}


class _Iteration:
    """As much of a `DryRun` as its checks ask: a body of one operation on numbers from outside."""

    def value(self, value: Value) -> Value:
        return value

    def made_by(self, value: Value) -> Op | None:
        return None

    def sum_size(self, op: Op, w: ValueWriter) -> Value | None:
        return None

    def size(self, value: Value, w: ValueWriter) -> Value:
        return w.op("convert", FLOAT64, value)


def _scalar(v: Value) -> ScalarType:
    assert isinstance(v.type, ScalarType)
    return v.type


def _resized(e: Any, source: ScalarType, bits: int) -> Any:
    if bits <= source.bits:
        return z3.Extract(bits - 1, 0, e)
    return (z3.SignExt if source.is_signed else z3.ZeroExt)(bits - source.bits, e)


def _vector(op: Op, values: dict[int, Any]) -> Any:
    args = [values[v.op] for v in op.args]
    t = _scalar(op.result)
    signed = bool(op.args) and _scalar(op.args[0]).is_signed
    match op.opcode:
        case "const":
            return z3.BitVecVal(op.attr, t.bits)
        case "convert":
            return _resized(args[0], _scalar(op.args[0]), t.bits)
        case "add":
            return args[0] + args[1]
        case "sub":
            return args[0] - args[1]
        case "neg":
            return -args[0]
        case "abs":
            return z3.If(args[0] < 0, -args[0], args[0])
        case "xor":
            return args[0] ^ args[1]
        case "and":
            return args[0] & args[1]
        case "eq":
            return args[0] == args[1]
        case "lt" if signed:
            return args[0] < args[1]
        case "shr" if not signed:
            return z3.LShR(args[0], args[1])
        case _:
            raise NotImplementedError(op.opcode)


def _checked(opcode: str, types: int, result: ScalarType) -> tuple[Region, Value, Value | None]:
    args = tuple(Value(i, 0, INT) for i in range(types))
    op = Op(9, opcode, args, None, (Value(9, 0, result),), SPAN)
    out: Region = []
    writer = ValueWriter(out, SPAN, iter(count(10)))
    fails, value = dry_run.CHECKS[opcode](cast(dry_run.DryRun, _Iteration()), writer, op)
    return out, fails, value


def integers() -> Proofs:
    """Sums, differences, what is less 0, magnitudes, and `narrow` to every width."""
    proofs = Proofs()
    cases = [("add", 2, INT), ("sub", 2, INT), ("neg", 1, INT), ("abs", 1, INT)]
    cases += [("narrow", 1, t) for t in FIXED]
    for opcode, n, t in cases:
        out, fails, value = _checked(opcode, n, t)
        operands = [z3.BitVec(f"x{i}", 64) for i in range(n)]
        values: dict[int, Any] = dict(enumerate(operands))
        for op in out:
            assert isinstance(op, Op)
            values[op.id] = _vector(op, values)
        exact = EXACTLY[opcode](*[z3.SignExt(EXACT - 64, x) for x in operands])
        fits = z3.And(exact >= t.minimum, exact <= t.maximum)
        noted = values[fails.op] if fails.type == BOOL else values[fails.op] != 0
        assert value is not None
        same = _resized(values[value.op], _scalar(value), EXACT) == exact
        show([z3.Not(noted)], z3.And(fits, same), f"a dry run's {opcode} to {t}")
        proofs.lemmas += 1
    return proofs


def products() -> Proofs:
    """Of a product of ints, that it fits where no size is said to be large."""
    out, fails, _ = _checked("mul", 2, INT)
    premises: list[Any] = []
    sizes = [z3.Real("a"), z3.Real("b")]  # the magnitudes of the operands
    premises += [z3.And(s >= 0, s <= 1 << 63) for s in sizes]
    values: dict[int, Any] = dict(enumerate(sizes))
    for op in out:
        assert isinstance(op, Op)
        t = _scalar(op.result)
        if t not in (FLOAT64, BOOL):
            continue
        args = [values[v.op] for v in op.args]
        if op.opcode == "const":
            assert isinstance(op.attr, float)
            values[op.id] = z3.Q(*op.attr.as_integer_ratio())
        elif op.opcode == "ge":
            values[op.id] = args[0] >= args[1]
        elif op.opcode == "abs":
            values[op.id] = args[0]  # they are magnitudes
        else:
            exact = {"convert": lambda a: a, "mul": lambda a, b: a * b}[op.opcode](*args)
            r = z3.Real(f"r{op.id}")
            premises += [r >= exact * (1 - ULP), r <= exact * (1 + ULP)]
            values[op.id] = r
    a, b = sizes
    show([*premises, z3.Not(values[fails.op])], a * b < 1 << 63, "a dry run's mul")
    return Proofs(1)
