"""The table of lowerings: the function that lowers each opcode to LLVM text."""

from __future__ import annotations

from samebits.backend.lowering.control import MIXED_LOWERINGS
from samebits.backend.lowering.float import FLOAT_LOWERINGS
from samebits.backend.lowering.integer import INTEGER_LOWERINGS
from samebits.backend.lowering.memory import MEMORY_LOWERINGS
from samebits.backend.lowering.muladd import PRODUCT_LOWERINGS
from samebits.backend.lowering.output import OUTPUT_LOWERINGS
from samebits.backend.text.writer import FunctionWriter, Lowering
from samebits.ir.grammar import Op
from samebits.types import ScalarType


def _by_type(integer: Lowering, floating: Lowering) -> Lowering:
    """A lowering that depends on the type of the first operand."""

    def lower(f: FunctionWriter, op: Op) -> None:
        t = op.args[0].type
        (floating if isinstance(t, ScalarType) and t.is_float else integer)(f, op)

    return lower


_TYPED = INTEGER_LOWERINGS | FLOAT_LOWERINGS
LOWERINGS = MEMORY_LOWERINGS | MIXED_LOWERINGS | PRODUCT_LOWERINGS | OUTPUT_LOWERINGS | _TYPED | {
    opcode: _by_type(INTEGER_LOWERINGS[opcode], FLOAT_LOWERINGS[opcode])
    for opcode in INTEGER_LOWERINGS.keys() & FLOAT_LOWERINGS.keys()
}  # fmt: skip
