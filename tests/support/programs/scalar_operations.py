"""Every scalar operation at every type as a function of IR: operands at all edges, and results."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from samebits.bits import bits_to_float
from samebits.errors import Trap
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function
from samebits.ir.interp.semantics import SEMANTICS
from samebits.types import BOOL, FLOAT32, FLOAT64, INT, SCALARS, ArrayType, Kind, ScalarType
from tests.support.programs.compiled_kernels import as_bits, to_word

VALUE_TYPES = [t for t in SCALARS.values() if t.storage is t]
"""Those of values in IR, where a fixed-point number is an integer."""

INT_UNARY = ["neg", "abs", "not", "popcount", "clz", "ctz"]

INT_BINARY = [
    "add", "sub", "mul", "floordiv", "mod", "min", "max", "and", "or", "xor", "shl", "shr",
    "rotl", "rotr", "eq", "ne", "lt", "le", "gt", "ge",
]  # fmt: skip

FLOAT_UNARY = ["neg", "abs", "sqrt", "floor", "ceil", "trunc", "round", "flush"]

FLOAT_BINARY = [
    "add", "sub", "mul", "div", "min", "max", "copysign", "eq", "ne", "lt", "le", "gt", "ge",
]  # fmt: skip

BOOL_BINARY = ["and", "or", "xor", "eq", "ne"]

SAME_SIZE = {
    1: ["int8", "uint8"], 2: ["int16", "uint16"], 4: ["int32", "uint32", "float32"],
    8: ["int64", "uint64", "float64", "int", "float"],
}  # fmt: skip


def float_patterns(bits: int) -> list[int]:
    """Zeros, subnormals, ones, halves, integral bounds, extremes, infinities, several NaNs."""
    mantissa = 23 if bits == 32 else 52
    one = (1 << (bits - 2)) - (1 << mantissa)
    infinity = ((1 << (bits - 1 - mantissa)) - 1) << mantissa
    integral = one + (mantissa << mantissa)
    positive = [
        0, 1, (1 << mantissa) - 1, 1 << mantissa, one - 1, one, one + 1,
        one - (1 << mantissa), one - (1 << mantissa) - 1, one + (1 << (mantissa - 1)),
        one + (1 << mantissa) + (1 << (mantissa - 2)), integral - 1, integral, integral + 1,
        integral - (1 << mantissa) + 1, one + (31 << mantissa), one + (63 << mantissa),
        one + (31 << mantissa) - 1, infinity - 1, infinity,
    ]  # fmt: skip
    nans = [infinity + 1, infinity + (1 << (mantissa - 1)), infinity + (3 << (mantissa - 2))]
    return [p | s for p in (*positive, *nans) for s in (0, 1 << (bits - 1))]


def samples(t: ScalarType) -> list[Any]:
    if t.kind is Kind.BOOL:
        return [False, True]
    if t.is_float:
        return [bits_to_float(p, t.bits) for p in float_patterns(t.bits)]
    near = [t.minimum, t.minimum + 1, t.maximum, t.maximum - 1, t.maximum // 2 + 1]
    small = [0, 1, 2, 3, 7, t.bits - 1, t.bits, t.bits + 1, 100, -1, -2, -3, -7, -t.bits]
    return sorted({v for v in (*near, *small) if t.minimum <= v <= t.maximum})


def raw_words(t: ScalarType) -> list[int]:
    """The samples as slots, NaNs with payloads and signs that must not show."""
    return float_patterns(t.bits) if t.is_float else [to_word(t, v) for v in samples(t)]


def unary(opcode: str, t: ScalarType, result: ScalarType | None = None) -> Function:
    b = Builder(f"{opcode}.{t}.{result}", {"a": t}, [result or t])
    a = b.get("a")
    return b.ret(b.to(result, a, opcode) if result else b.op(opcode, a))


def binary(opcode: str, t: ScalarType) -> Function:
    compares = opcode in ("eq", "ne", "lt", "le", "gt", "ge")
    b = Builder(f"{opcode}.{t}", {"a": t, "b": t}, [BOOL if compares else t])
    return b.ret(b.op(opcode, b.get("a"), b.get("b")))


def functions_of(t: ScalarType) -> list[Function]:
    result: list[Function] = []
    if t.kind is Kind.BOOL:
        result += [unary("not", t)] + [binary(o, t) for o in BOOL_BINARY]
    else:
        result += [unary(o, t) for o in (FLOAT_UNARY if t.is_float else INT_UNARY)]
        result += [binary(o, t) for o in (FLOAT_BINARY if t.is_float else INT_BINARY)]
    result += [unary("convert", t, to) for to in VALUE_TYPES if to is not BOOL or t is BOOL]
    result += [
        unary("bitcast", t, SCALARS[name]) for name in SAME_SIZE[t.size] if t.kind is not Kind.BOOL
    ]
    if t is INT:
        result += [unary("narrow", t, to) for to in VALUE_TYPES if to.is_int and not to.weak]
    return result


def expected(function: Function, args: tuple[Any, ...]) -> Any:
    op = next(op for op in reversed(function.body[:-1]))
    try:
        value = SEMANTICS[op.opcode](function.results[0], *args)  # type: ignore[union-attr]
    except Trap as trap:
        return trap.kind
    return as_bits(function.results[0], value)


def loop(opcode: str, t: ScalarType, arity: int) -> Function:
    """out[i] = op(a[i], …) with no checks, so that LLVM vectorises it."""
    array = ArrayType(t, 1)
    names = ["a", "b", "c"][:arity]
    params: Any = {"out": array, **{name: array for name in names}}
    b = Builder(f"loop.{opcode}.{t}", params, [], {"i": INT})
    out, sources = b.get("out"), [b.get(name) for name in names]
    loop = b.for_("i", b.const(INT, 0), b.length(out))
    with b.into(loop.body):
        i = b.get("i")
        b.store(b.element(out, i), b.op(opcode, *(b.load(b.element(s, i)) for s in sources)))
    return b.ret()


LOOPS = [
    *((o, t, 1) for o in FLOAT_UNARY for t in (FLOAT32, FLOAT64)),
    *((o, t, 2) for o in FLOAT_BINARY[:7] for t in (FLOAT32, FLOAT64)),
    *((o, SCALARS[n], 2) for o in ("add", "mul", "min", "max", "shl", "shr", "rotl")
      for n in ("int8", "int32", "uint32", "int64", "uint64")),
]  # fmt: skip


def hard_triples(t: ScalarType, count: int) -> list[tuple[int, int, int]]:
    """Addends near the negated product, ties, subnormal and overflowing results."""
    rng = np.random.default_rng(7)
    mantissa, code = (23, "<f") if t.bits == 32 else (52, "<d")
    bias = (1 << (t.bits - 2 - mantissa)) - 1
    result: list[tuple[int, int, int]] = []
    while len(result) < count:
        ea, eb = (int(e) for e in rng.integers(1, 2 * bias + 1, 2))
        kind = int(rng.integers(0, 5))
        if kind == 1:  # near the subnormal range
            eb = max(0, min(2 * bias, bias - ea + int(rng.integers(-mantissa - 3, 4))))
        if kind == 2:  # near overflow
            eb = max(0, min(2 * bias, 3 * bias - ea + int(rng.integers(-2, 2))))
        fractions = [int(f) for f in rng.integers(0, 1 << mantissa, 2)]
        if kind >= 3:  # few bits: ties and exact results
            fractions = [f & -(1 << int(rng.integers(0, mantissa))) for f in fractions]
        signs = [int(s) << (t.bits - 1) for s in rng.integers(0, 2, 2)]
        a = signs[0] | ea << mantissa | fractions[0]
        b = signs[1] | eb << mantissa | fractions[1]
        product = bits_to_float(a, t.bits) * bits_to_float(b, t.bits)
        try:
            near = struct.pack(code, -product)
        except OverflowError:
            near = struct.pack(code, float("inf"))
        c = int.from_bytes(near, "little") + int(rng.integers(-3, 4))
        shift = int(rng.integers(-mantissa - 2, mantissa + 3)) if rng.integers(0, 2) else 0
        c = (c + (shift << mantissa)) & ((1 << t.bits) - 1)
        result.append((a, b, c))
    return result
