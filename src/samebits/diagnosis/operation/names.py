"""What a value of the IR is called in the source, where it has a name there.

Knows the typed IR alone.
"""

from __future__ import annotations

from samebits.ir.grammar import Function, Op, Value, walk
from samebits.types import RefType, VectorType

_THROUGH = frozenset({"convert", "narrow", "row", "view"})
"""Operations whose result goes by their operand's name."""


_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_LONGEST = 60


class Names:
    """The names of one function's values, or the expressions that make them."""

    def __init__(self, function: Function) -> None:
        self._made = {s.id: s for s in walk(function.body) if isinstance(s, Op)}

    def of(self, value: Value) -> str:
        """`body.vel.x`, `items[k]`, `2.0`, `(a * b)`; empty for what is too long or has no name."""
        op = self._made.get(value.op)
        name = "" if op is None else self._of(op)
        return name if len(name) <= _LONGEST else ""

    def _of(self, op: Op) -> str:
        match op.opcode:
            case "get" | "local" | "table":
                return str(op.attr).rpartition("$")[2]
            case "const":
                return repr(op.attr)
            case "load":
                return self.of(op.args[0])
            case "field":
                return self._after(op, f".{op.attr}")
            case "component":
                assert isinstance(op.attr, int)
                memory = op.args[0].type
                assert isinstance(memory, RefType)
                assert isinstance(memory.target, VectorType)
                return self._after(op, f".{memory.target.components[op.attr]}")
            case "element":
                indices = [self.of(index) or "…" for index in op.args[1:]]
                return self._after(op, f"[{', '.join(indices)}]")
            case "neg":
                return f"-{inner}" if (inner := self.of(op.args[0])) else ""
            case opcode if opcode in _INFIX:
                left, right = (self.of(arg) for arg in op.args)
                return f"({left} {_INFIX[opcode]} {right})" if left and right else ""
            case opcode if opcode in _THROUGH:
                return self.of(op.args[0])
            case _:
                return ""

    def _after(self, op: Op, end: str) -> str:
        start = self.of(op.args[0])
        return start + end if start else ""
