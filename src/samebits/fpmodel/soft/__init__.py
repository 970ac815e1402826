"""Foreign arithmetic in software: x87, other precisions, rounding directions and flushing rules.

Kernels in integers alone, so that a simulation whose operations they replace gives the foreign
bits on every target. The reference is `samebits.fpmodel.evaluate`, but for the payloads of
NaNs: there is one NaN here. Operands and results are wide values (`soft.wide`), three scalars
each. Where inputs are flushed, `flushed_input` prepares each operand.

An entry with many of them is best compiled for "compile_time" or "size": for "speed" they are put
in line at every call, which of a hundred takes seconds to compile and saves a third of their time.
"""

from __future__ import annotations

from collections.abc import Mapping

from samebits.fpmodel.soft import arithmetic, conversions, division, estimates, wide
from samebits.fpmodel.softfloat import Flush, Format, Rounding
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
    "frecpe": estimates.arm_reciprocal,
    "frsqrte": estimates.arm_root,
    "rcp12": estimates.short_reciprocal,
    "rsqrt12": estimates.short_root,
}
"""What lowering calls, by the tree's name of the operation or of the estimate."""


def parameters(
    form: Format, rounding: Rounding = "nearest", flush: Flush = "no"
) -> tuple[int, int, int, int, int]:
    """precision, least, most, rounding and flush of operations that round to a format.

    `to_float32` and `to_float64` take the last two where the working format is not that of the
    result; where it is, a value of it is stored as it stands, with 0 and 0.
    """
    return (
        form.precision,
        form.smallest_normal,
        form.limit - 1,
        ROUNDINGS[rounding],
        FLUSHES[flush],
    )
