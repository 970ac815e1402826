"""An upper bound of the stack bytes of one call of a function, the same for every target.

From the IR alone. Without optimisation every slot and value lies on the stack, and no function is
inlined; with it those that live at once do, in loops as wide as the widest vector, and functions
are inlined. `tests/fuzz/frames.py` compares it with the frames that LLVM makes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from samebits.ir.analysis.carried import local_bytes
from samebits.ir.analysis.live_bytes import WORD, value_bytes, words
from samebits.ir.grammar import CALLS, Function, Op, walk

RECURSION_BYTES = 1 << 19
"""Most bytes of stack of all calls of a recursive function that may be inside one another. The
smallest stack that code runs on is WebAssembly's in a browser, about twice as large."""

Called = Callable[[str], Function | None]
"""The function of a name, as far as it is known."""

_CALL = 192
"""Bytes of a call besides its values: the return address, saved registers, alignment."""
_VECTOR = 64
_COPIES = 2
"""How often a value may be there: loops without checks are copies of others."""
_CALLED = 4
"""Words of a call of another function, without optimisation: its status, and results together."""
_SMALL = 256
"""Most statements of a function that is inlined wherever it is called; larger ones share what they
take."""


class _Inlined(NamedTuple):
    """What a function takes where it is inlined, the functions included that are inlined in it."""

    local: int
    """Bytes of local memory: of every place that it is inlined at."""
    live: int
    """Bytes of values that live at once: those of callees do so in turn."""


def frame_bytes(function: Function, called: Called) -> int:
    """Bytes of one call of `function`, those of functions included that may be inlined in it."""
    found = _Frames(called).of(function)
    return _CALL + found.local + max(found.live, _unoptimised(function, called))


def _unoptimised(function: Function, called: Called) -> int:
    """Bytes of all values and calls of a function."""
    slots = (*(t for _, t in function.params), *function.slots.values())
    total = sum(map(words, slots))
    for op in walk(function.body):
        if isinstance(op, Op) and op.opcode != "const":
            total += _COPIES * sum(words(value.type) for value in op.results)
            total += _CALLED * (op.opcode in CALLS and _other(op, called) is not None)
    return WORD * total


def _other(op: Op, called: Called) -> Function | None:
    """The function that an operation calls, unless that recurses or is cold."""
    callee = called(str(op.attr))
    return None if callee is None or callee.recursion or callee.cold else callee


class _Frames:
    def __init__(self, called: Called) -> None:
        self._called = called
        self._known: dict[str, _Inlined] = {}

    def of(self, function: Function) -> _Inlined:
        local, large, live = local_bytes(function), 0, 0
        for op in walk(function.body):
            callee = _other(op, self._called) if isinstance(op, Op) and op.opcode in CALLS else None
            if callee is None:
                continue  # recursive and cold functions are never inlined
            if callee.name not in self._known:
                self._known[callee.name] = self.of(callee)
            inside = self._known[callee.name]
            live = max(live, inside.live)
            if sum(1 for _ in walk(callee.body)) <= _SMALL:
                local += inside.local
            else:
                large = max(large, inside.local)
        given = WORD * sum(words(t) for _, t in function.params)
        return _Inlined(local + large, given + value_bytes(function, _VECTOR) + live)
