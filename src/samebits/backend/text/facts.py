"""Facts of a function from one walk: slots that are set, private locals, floats that are no NaN.

A missing fact costs speed; a wrong one would cost bits.
"""

from __future__ import annotations

from samebits.backend.text.nan_stores import serial_stores
from samebits.ir.grammar import For, Function, Op, Value, ValueType, walk
from samebits.types import ScalarType

_DERIVE = {"field", "component", "element", "view", "row", "slice", "flat"}
_USE = {"load", "zero", "length", "apart"}
_KEEP_NUMBER = {"abs", "neg", "min", "max", "floor", "ceil", "trunc", "round", "flush"}


class FunctionFacts:
    """Facts of one function; `slot_types` covers parameters and slots."""

    def __init__(self, function: Function, *, is_fast: bool) -> None:
        self.slot_types: dict[str, ValueType] = {**dict(function.params), **function.slots}
        self.set_slots: set[str] = set()
        self._origin: dict[tuple[int, int], str] = {}
        self._shared: set[str] = set()
        self.is_fast = is_fast
        """Whether NaNs need not be tracked."""
        self._numbers: set[tuple[int, int]] = set()
        for statement in walk(function.body):
            match statement:
                case Op():
                    self._op(statement)
                case For():
                    self.set_slots.add(statement.slot)
                case _:
                    pass
        self.dependent_stores, self.serial_stores = serial_stores(function)

    def is_private(self, reference: Value) -> bool:
        """Whether `reference` points into local memory whose bits only loads can see.

        NaNs in it need not be canonical. Memory that is passed on or copied from is not private.
        """
        origin = self._origin.get((reference.op, reference.index))
        return origin is not None and origin not in self._shared

    def is_number(self, value: Value) -> bool:
        """Whether a float value is known not to be NaN, or NaNs need not be tracked, as in FAST."""
        return self.is_fast or (value.op, value.index) in self._numbers

    def _op(self, op: Op) -> None:
        if op.opcode == "set":
            self.set_slots.add(str(op.attr))
        self._follow(op)
        if op.results and self._gives_number(op):
            self._numbers.add((op.result.op, op.result.index))

    def _follow(self, op: Op) -> None:
        if op.opcode == "local":
            self._origin[op.result.op, op.result.index] = str(op.attr)
            return
        for position, value in enumerate(op.args):
            origin = self._origin.get((value.op, value.index))
            if origin is None:
                continue
            if op.opcode in _DERIVE and position == 0:
                self._origin[op.result.op, op.result.index] = origin
            elif op.opcode in _USE or (op.opcode in ("store", "copy") and position == 0):
                continue
            else:
                self._shared.add(origin)

    def _gives_number(self, op: Op) -> bool:
        t = op.result.type
        if not (isinstance(t, ScalarType) and t.is_float):
            return False
        match op.opcode:
            case "const":
                return op.attr == op.attr
            case "convert":
                source = op.args[0].type
                is_float = isinstance(source, ScalarType) and source.is_float
                return not is_float or self.is_number(op.args[0])
            case "select":
                return self.is_number(op.args[1]) and self.is_number(op.args[2])
            case "copysign":
                return self.is_number(op.args[0])
            case opcode if opcode in _KEEP_NUMBER:
                return all(self.is_number(value) for value in op.args)
            case _:
                return False
