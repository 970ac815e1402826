"""Kernels over arrays that run one soft operation on each element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import samebits as sb
from samebits import int32, uint64
from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.soft import KERNELS, parameters
from samebits.lang.kernel import Kernel
from tests.support.kernels.soft_operands import Wide

flushed_input = KERNELS["flushed_input"]


def unary(operation: Kernel) -> Kernel:
    @sb.kernel
    def loop(
        a: sb.ReadOnly[uint64], ae: sb.ReadOnly[int32], ak: sb.ReadOnly[int32],
        precision: int32, least: int32, most: int32,
        rounding: sb.ReadOnly[int32], flush: sb.ReadOnly[int32], inputs: sb.ReadOnly[int32],
        out: sb.Array[uint64], oute: sb.Array[int32], outk: sb.Array[int32],
    ) -> None:  # fmt: skip
        for i in range(len(a)):
            am, ax, ac = flushed_input(a[i], ae[i], ak[i], least, inputs[i])
            m, e, k = operation(
                am, ax, ac,
                precision, least, most, rounding[i], flush[i],
            )  # fmt: skip
            out[i] = m
            oute[i] = e
            outk[i] = k

    return loop


def binary(operation: Kernel) -> Kernel:
    @sb.kernel
    def loop(
        a: sb.ReadOnly[uint64], ae: sb.ReadOnly[int32], ak: sb.ReadOnly[int32],
        b: sb.ReadOnly[uint64], be: sb.ReadOnly[int32], bk: sb.ReadOnly[int32],
        precision: int32, least: int32, most: int32,
        rounding: sb.ReadOnly[int32], flush: sb.ReadOnly[int32], inputs: sb.ReadOnly[int32],
        out: sb.Array[uint64], oute: sb.Array[int32], outk: sb.Array[int32],
    ) -> None:  # fmt: skip
        for i in range(len(a)):
            am, ax, ac = flushed_input(a[i], ae[i], ak[i], least, inputs[i])
            bm, bx, bc = flushed_input(b[i], be[i], bk[i], least, inputs[i])
            m, e, k = operation(
                am, ax, ac, bm, bx, bc,
                precision, least, most, rounding[i], flush[i],
            )  # fmt: skip
            out[i] = m
            oute[i] = e
            outk[i] = k

    return loop


def ternary(operation: Kernel) -> Kernel:
    @sb.kernel
    def loop(
        a: sb.ReadOnly[uint64], ae: sb.ReadOnly[int32], ak: sb.ReadOnly[int32],
        b: sb.ReadOnly[uint64], be: sb.ReadOnly[int32], bk: sb.ReadOnly[int32],
        c: sb.ReadOnly[uint64], ce: sb.ReadOnly[int32], ck: sb.ReadOnly[int32],
        precision: int32, least: int32, most: int32,
        rounding: sb.ReadOnly[int32], flush: sb.ReadOnly[int32], inputs: sb.ReadOnly[int32],
        out: sb.Array[uint64], oute: sb.Array[int32], outk: sb.Array[int32],
    ) -> None:  # fmt: skip
        for i in range(len(a)):
            am, ax, ac = flushed_input(a[i], ae[i], ak[i], least, inputs[i])
            bm, bx, bc = flushed_input(b[i], be[i], bk[i], least, inputs[i])
            cm, cx, cc = flushed_input(c[i], ce[i], ck[i], least, inputs[i])
            m, e, k = operation(
                am, ax, ac, bm, bx, bc, cm, cx, cc,
                precision, least, most, rounding[i], flush[i],
            )  # fmt: skip
            out[i] = m
            oute[i] = e
            outk[i] = k

    return loop


LOOPS: dict[str, Kernel] = {
    **{name: binary(KERNELS[name]) for name in ("add", "sub", "mul", "div")},
    "sqrt": unary(KERNELS["sqrt"]),
    "fma": ternary(KERNELS["fma"]),
}


def columns(rows: Sequence[Wide]) -> list[np.ndarray[Any, Any]]:
    """Arrays of the mantissas, exponents and kinds."""
    types = (np.uint64, np.int32, np.int32)
    return [np.array(c, t) for c, t in zip(zip(*rows, strict=True), types, strict=True)]


def results(
    name: str, cases: Sequence[Sequence[Wide]], arithmetics: Sequence[Arithmetic]
) -> list[Wide]:
    """What the operation gives for each case. The arithmetics have one working format."""
    arrays = [a for operand in zip(*cases, strict=True) for a in columns(operand)]
    settings = [(*parameters(a.working, a.rounding, a.flush), a.flush_inputs) for a in arithmetics]
    changing = [np.array(c, np.int32) for c in list(zip(*settings, strict=True))[3:]]
    out = columns([(0, 0, 0)] * len(cases))
    LOOPS[name](*arrays, *settings[0][:3], *changing, *out)
    return list(zip(*(column.tolist() for column in out), strict=True))
