"""The text that the trap of an operation says of its operands, with places for them."""

from __future__ import annotations

from samebits.errors import TRAP_MESSAGES
from samebits.ir.grammar import Op, Value
from samebits.types import ArrayType, ScalarType
from samebits.value_text import array_text, escaped, outline, said_text

WITH_VALUES = ("assert", "overflow")
"""Opcodes whose operands after the first are the values that the attribute has places for."""


def named(op: Op) -> tuple[Value, ...]:
    """The operands that the text of a trap of `op` has places for, the last ones that it has."""
    if op.opcode in WITH_VALUES or (op.opcode == "index" and isinstance(op.attr, str)):
        return op.args[1:]
    return op.args


STEPS = "steps"
"""The attribute of operations on the integers that fixed-point numbers are, which no trap names."""
UNNAMED = ("floordiv", "mod", "narrow")
"""The opcodes that may have it."""


def message(op: Op) -> str | None:
    """The message of an assertion, without the values."""
    if not isinstance(op.attr, str):
        return None
    return outline(op.attr) if len(op.args) > 1 else op.attr


def operand_text(op: Op, kind: str) -> str | None:
    """The text of the trap `kind` at `op`, with a place for each operand that it names; None if it
    names none."""
    if op.opcode in WITH_VALUES:
        head = f"{TRAP_MESSAGES['assert']}: " if op.opcode == "assert" else ""
        return head + str(op.attr) if len(op.args) > 1 else None
    if op.opcode == "allocate":
        t = op.result.type
        assert isinstance(t, ArrayType)
        assert isinstance(op.attr, int)
        return array_text(kind, t.element, t.element.size, t.ndim, op.attr)
    if op.attr == STEPS and op.opcode in UNNAMED:
        return None
    if op.opcode == "index" and isinstance(op.attr, str):
        return op.attr
    types = [v.type for v in op.args if isinstance(v.type, ScalarType)]
    if op.opcode == "index" and op.attr is not None:
        return said_text(kind, "axis", *types, more=op.attr)
    if op.opcode == "bound":
        return said_text(kind, op.opcode, *types, more=escaped(str(op.attr)))
    if op.opcode == "narrow":
        return said_text(kind, op.opcode, *types, more=op.result.type)
    return said_text(kind, op.opcode, *types)
