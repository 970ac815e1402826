"""An upper bound of the stack bytes of one call of a function, the same for every target.

From the IR alone: local memory, and every slot and value as if each lay on the stack, which is so
in code without optimisation; with it those of loops may be as wide as the widest vector.
"""

from __future__ import annotations

from collections.abc import Callable

from samebits.ir.analysis.carried import local_bytes
from samebits.ir.grammar import CALLS, For, Function, Op, Region, ValueType, While, regions, walk
from samebits.types import ArrayType

RECURSION_BYTES = 1 << 19
"""Most bytes of stack of all calls of a recursive function that may be inside one another. The
smallest stack that code runs on is WebAssembly's in a browser, about twice as large."""

Called = Callable[[str], Function | None]
"""The function of a name, as far as it is known."""

_CALL = 192
"""Bytes of a call besides its values: the return address, saved registers, alignment."""
_WORD = 8
_VECTOR = 64
_COPIES = 2
"""How often a value may be there: loops without checks are copies of others."""
_SMALL = 256
"""Most statements of a function that is inlined wherever it is called, also without optimisation;
larger ones share what they take."""


def frame_bytes(function: Function, called: Called) -> int:
    """Bytes of one call of `function`, those of functions included that may be inlined in it."""
    return _CALL + _Frames(called).of(function)


class _Frames:
    def __init__(self, called: Called) -> None:
        self._called = called
        self._known: dict[str, int] = {}

    def of(self, function: Function) -> int:
        slots = (*(t for _, t in function.params), *function.slots.values())
        total = local_bytes(function) + sum(map(_size, slots))
        total += max(_COPIES * _values(function.body, _WORD), _values(function.body, 0, _VECTOR))
        largest = 0
        for statement in walk(function.body):
            if isinstance(statement, Op) and statement.opcode in CALLS:
                callee = self._called(str(statement.attr))
                if callee is None or callee.recursion or callee.cold:
                    continue  # which are never inlined
                if callee.name not in self._known:
                    self._known[callee.name] = self.of(callee)
                size = self._known[callee.name]
                if sum(1 for _ in walk(callee.body)) <= _SMALL:
                    total += size
                else:
                    largest = max(largest, size)
        return total + largest


def _values(region: Region, word: int, loop: int | None = None) -> int:
    """Bytes of the values of a region, `word` for each, and in loops `loop`."""
    total = 0
    for statement in region:
        if isinstance(statement, Op):
            if statement.opcode != "const":
                total += sum(_size(v.type) * word // _WORD for v in statement.results)
            continue
        inside = loop if loop is not None and isinstance(statement, For | While) else word
        total += sum(_values(inner, inside, loop) for inner in regions(statement))
    return total


def _size(t: ValueType) -> int:
    return _WORD * (1 + t.ndim if isinstance(t, ArrayType) else 1)
