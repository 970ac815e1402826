"""The integers of IR that are halves: loaded from a float16 in memory, or stored to one.

Owns that question alone. In IR a half is the uint16 of its bits; only references know it by name.
"""

from __future__ import annotations

from samebits.ir.grammar import Op, Value
from samebits.types import FLOAT16, RefType, ScalarType


def shown_type(op: Op, value: Value) -> ScalarType | None:
    """The type of an operand or result as shown to people; None if it is no scalar."""
    t = value.type
    if not isinstance(t, ScalarType):
        return None
    if op.opcode in ("load", "store"):
        ref = op.args[0].type
        if isinstance(ref, RefType) and ref.target == FLOAT16:
            return FLOAT16
    return t
