"""The reach of an integer: the least and the greatest number that it may be.

As far as is seen from the operations that it is made of, in IR as the front end made it; the passes
have bounds of what loops and tests do too.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from samebits.ir.grammar import Function, Op, Value, walk
from samebits.types import BOOL, ScalarType

Reach = tuple[int, int]
_UNKNOWN = -(1 << 64), 1 << 64
_DEEPEST = 12
"""How many operations a reach is followed through."""


def _corners(f: Callable[[int, int], int]) -> Callable[[Reach, Reach], Reach]:
    """Of what is monotonic in each operand."""

    def reach(a: Reach, b: Reach) -> Reach:
        found = [f(x, y) for x, y in product(a, b)]
        return min(found), max(found)

    return reach


def _shifted(f: Callable[[int, int], int]) -> Callable[[Reach, Reach], Reach]:
    corners = _corners(f)
    return lambda a, b: corners(a, b) if 0 <= b[0] <= b[1] < 64 else _UNKNOWN


def _and(a: Reach, b: Reach) -> Reach:
    most = [high for low, high in (a, b) if low >= 0]
    return (0, min(most)) if most else _UNKNOWN


def _or(a: Reach, b: Reach) -> Reach:
    if a[0] < 0 or b[0] < 0:
        return _UNKNOWN
    return 0, (1 << max(a[1], b[1]).bit_length()) - 1


def _quotient(a: Reach, b: Reach) -> Reach:
    return _corners(lambda x, y: x // y)(a, b) if b[0] > 0 else _UNKNOWN


def _remainder(_: Reach, b: Reach) -> Reach:
    return (0, b[1] - 1) if b[0] > 0 else _UNKNOWN


EXACT: dict[str, Callable[[Reach, Reach], Reach]] = {
    "add": _corners(lambda x, y: x + y),
    "sub": _corners(lambda x, y: x - y),
    "mul": _corners(lambda x, y: x * y),
    "shl": _shifted(lambda x, y: x << y),
    "shr": _shifted(lambda x, y: x >> y),
    "floordiv": _quotient,
    "mod": _remainder,
    "and": _and,
    "or": _or,
    "xor": _or,
}
"""The reach of an operation in unbounded integers, by its opcode."""


def reach_of(t: ScalarType) -> Reach:
    """All numbers of an integer type, or of bool."""
    return (0, 1) if t is BOOL else (t.minimum, t.maximum)


class Reaches:
    """The reaches of the integers of a function."""

    def __init__(self, function: Function) -> None:
        self.makers: dict[int, Op] = {}
        """The operations by their numbers."""
        self._given: dict[object, list[Value]] = {name: [] for name, _ in function.params}
        parameters = {name for name, _ in function.params}
        for op in walk(function.body):
            if isinstance(op, Op):
                self.makers[op.id] = op
                if op.opcode == "set" and op.attr not in parameters:
                    self._given.setdefault(op.attr, []).append(op.args[0])

    def of(self, value: Value, depth: int = 0) -> Reach:
        """The reach of an integer or a bool."""
        t = value.type
        assert isinstance(t, ScalarType)
        low, high = self._made(value, depth)
        least, most = reach_of(t)
        return (low, high) if least <= low and high <= most else (least, most)

    def _made(self, value: Value, depth: int) -> Reach:
        op = self.makers.get(value.op)
        if op is None or depth == _DEEPEST:
            return _UNKNOWN
        if op.opcode == "const":
            assert isinstance(op.attr, int)
            return op.attr, op.attr
        if op.opcode == "get":
            given = self._given.get(op.attr, ())
            return self.of(given[0], depth + 1) if len(given) == 1 else _UNKNOWN
        if op.opcode in ("convert", "narrow") and _is_whole(op.args[0]):
            return self.of(op.args[0], depth + 1)
        if op.opcode in EXACT and all(map(_is_whole, op.args)):
            a, b = (self.of(arg, depth + 1) for arg in op.args)
            return EXACT[op.opcode](a, b)
        return _UNKNOWN


def _is_whole(value: Value) -> bool:
    """Whether it is an integer or a bool."""
    t = value.type
    return isinstance(t, ScalarType) and (t.is_int or t is BOOL)
