"""One-operation functions for tests, and the values that are special for each type."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from samebits.ir.builder import Builder
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import Evaluator
from samebits.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
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

INTEGERS = (INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64)
FLOATS = (FLOAT32, FLOAT64)


@cache
def op_runner(opcode: str, types: tuple[ScalarType, ...], result: ScalarType) -> Evaluator:
    """A module whose function `op` applies one operation to parameters of these types."""
    b = Builder("op", {f"p{i}": t for i, t in enumerate(types)}, [result])
    args = [b.get(f"p{i}") for i in range(len(types))]
    return Evaluator(Module({"op": b.ret(b.emit(opcode, *args, types=[result]).result)}))


def run(opcode: str, types: tuple[ScalarType, ...], result: ScalarType, *args: Any) -> Any:
    """The result of one operation, evaluated."""
    return op_runner(opcode, types, result).run("op", args)[0]


def alike(opcode: str, t: ScalarType, *args: Any, result: ScalarType | None = None) -> Any:
    """`run` for operands of one type, which is the result's too unless given."""
    return run(opcode, (t,) * len(args), result or t, *args)


def integer_samples(t: ScalarType) -> list[int]:
    small = {0, 1, 2, 3, 7, t.bits - 1, t.bits, t.bits + 1, t.maximum, t.maximum - 1}
    wide = {t.minimum, t.minimum + 1, t.maximum // 3, t.minimum // 3, t.maximum // 2 + 1}
    signed = {-1, -2, -3, -7, -t.bits} if t.is_signed else set[int]()
    return sorted(v for v in small | wide | signed if t.minimum <= v <= t.maximum)


def float_samples(t: ScalarType) -> list[float]:
    f = t.dtype.type
    info = np.finfo(t.dtype)
    one_up = np.nextafter(f(1), f(2))
    half_down = np.nextafter(f(0.5), f(0))
    whole = f(2) ** (info.nmant)
    positive = [
        f(0), info.smallest_subnormal, info.smallest_subnormal * 3, f(0.1), half_down, f(0.5),
        np.nextafter(info.smallest_normal, f(0)), info.smallest_normal, f(1), one_up, f(1.5),
        f(2), f(2.5), f(3.5), f(1e6), whole / 2 + f(0.5), whole - 1, whole, whole * 2 + 2,
        f(2) ** 31, f(2) ** 63, info.max / 2, info.max, f(np.inf),
    ]  # fmt: skip
    values = [float(v) for v in positive]
    return [*values, *(-v for v in values), math.nan]


def bits_of(t: ScalarType, value: Any) -> int:
    """The bit pattern of a value of `t`, every NaN the canonical one; not by samebits' code."""
    if t == BOOL:
        return int(value)
    if t.is_float and value != value:
        return {32: 0x7FC00000, 64: 0x7FF8000000000000}[t.bits]
    return int(np.array(value, t.dtype).view(f"u{t.size}"))
