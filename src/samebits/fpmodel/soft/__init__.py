"""Foreign arithmetic in software: x87, other precisions, rounding directions and flushing rules.

Kernels in integers alone, so that a simulation whose operations they replace gives the foreign
bits on every target. The reference is `samebits.fpmodel.evaluate`, but for the payloads of
NaNs: there is one NaN here. Operands and results are wide values (`soft.wide`), three scalars
each.

An entry with many of them is best compiled for "compile_time" or "size": for "speed" they are put
in line at every call, which of a hundred takes seconds to compile and saves a third of their time.
"""

from __future__ import annotations

from collections.abc import Mapping

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.soft import arithmetic, conversions, division, estimates, wide
from samebits.fpmodel.softfloat import Flush, Rounding
from samebits.lang.kernel import Kernel

ROUNDINGS: Mapping[Rounding, int] = {
    "nearest": wide.NEAREST,
    "zero": wide.ZERO,
    "up": wide.UP,
    "down": wide.DOWN,
}
FLUSHES: Mapping[Flush, int] = {
    "no": wide.KEPT,
    "before": wide.FLUSHED_BEFORE,
    "after": wide.FLUSHED_AFTER,
}
KERNELS: Mapping[str, Kernel] = {
    "from_float32": conversions.from_float32,
    "from_float64": conversions.from_float64,
    "to_float32": conversions.to_float32,
    "to_float64": conversions.to_float64,
    "round_wide": wide.round_wide,
    "add": arithmetic.add,
    "sub": arithmetic.sub,
    "mul": arithmetic.mul,
    "div": division.div,
    "sqrt": division.sqrt,
    "fma": arithmetic.fma,
    "neg": wide.neg,
    "abs": wide.abs,
    "compare": wide.compare,
    "flushed_input": wide.flushed_input,
    "frecpe_float32": estimates.frecpe_float32,
    "frecpe_float64": estimates.frecpe_float64,
    "frsqrte_float32": estimates.frsqrte_float32,
    "frsqrte_float64": estimates.frsqrte_float64,
    "rcp12_float32": estimates.rcp12_float32,
    "rcp12_float64": estimates.rcp12_float64,
    "rsqrt12_float32": estimates.rsqrt12_float32,
    "rsqrt12_float64": estimates.rsqrt12_float64,
}
"""What lowering calls, by name: the tree's operation, or an estimate's and a type's."""


def parameters(arithmetic: Arithmetic) -> tuple[int, int, int, int, int, int]:
    """precision, least, most, rounding, flush and flush_inputs of operations of an arithmetic.

    `to_float32` and `to_float64` take the fourth and fifth where the working format is not that of
    the result; where it is, a value of it is stored as it stands, with 0 and 0.
    """
    working = arithmetic.working
    return (
        working.precision,
        working.smallest_normal,
        working.limit - 1,
        ROUNDINGS[arithmetic.rounding],
        FLUSHES[arithmetic.flush],
        int(arithmetic.flush_inputs),
    )
