"""Loops that carry a sum of floats from iteration to iteration.

Such a sum stays in source order, so that lanes can share only the rest of an iteration's work: they
pay where there is much of it. Errs on the side of finding no sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from samebits.ir.analysis.independence import read_first
from samebits.ir.grammar import CALLS, For, Function, Op, Region, Value, While, walk
from samebits.types import ScalarType

LEAST_WORK = 10
"""Least work of an iteration, in additions, for each sum that it carries, with which lanes are
faster. Measured on x86-64 (AVX-512, 1,000 elements): sums of products take 1.5 times as long in
lanes, with eight operations more as long as without, with 24 more 0.37 of the time."""
_LONG: Mapping[str, int] = {"div": 8, "sqrt": 8}
"""Operations of floats that take longer than an addition, in additions."""
_FREE = {"get", "set", "load", "store", "const", "bitcast"}
"""Operations of floats that compute nothing."""
_SUMS = ("add", "sub")


def running_sums(loop: For | While) -> int:
    """How many sums of floats the innermost `loop` carries, in slots or in memory."""
    ops = {op.id: op for op in walk(loop.body) if isinstance(op, Op)}
    carried = read_first(loop.body, {loop.slot} if isinstance(loop, For) else set())
    slots = {str(op.attr) for op in ops.values() if op.opcode == "set" and _is_sum(op, ops)}
    places = {op.args[0] for op in ops.values() if op.opcode == "store" and _is_sum(op, ops)}
    return len(slots & carried) + len(places)


def work(region: Region, callee: Callable[[str], Function]) -> int:
    """The work of `region` and of the functions that it calls, in additions."""
    return _work(region, callee, {})


def _work(region: Region, callee: Callable[[str], Function], known: dict[str, int]) -> int:
    total = 0
    for op in walk(region):
        if not isinstance(op, Op):
            continue
        if op.opcode in CALLS:
            name = str(op.attr)
            if name not in known:
                known[name] = 0  # of a function that calls itself
                known[name] = _work(callee(name).body, callee, known)
            total += known[name]
        elif op.opcode not in _FREE and any(map(_is_float, (*op.args, *op.results))):
            total += _LONG.get(op.opcode, 1)
    return total


def _is_sum(op: Op, ops: Mapping[int, Op]) -> bool:
    """Whether `op` sets a slot, or stores into a place, what was there and something added."""
    value = op.args[-1]
    if not _is_float(value):
        return False
    while (made := ops.get(value.op)) is not None and made.opcode in _SUMS:
        if any(_is_old(arg, op, ops) for arg in made.args):
            return True
        value = made.args[0]
    return False


def _is_old(value: Value, op: Op, ops: Mapping[int, Op]) -> bool:
    made = ops.get(value.op)
    if made is None:
        return False
    if op.opcode == "set":
        return made.opcode == "get" and made.attr == op.attr
    return made.opcode == "load" and made.args[0] == op.args[0] and _stays(op.args[0], ops)


def _stays(place: Value, ops: Mapping[int, Op]) -> bool:
    """Whether a place is the same one in each iteration: no element, whose index may change."""
    made = ops.get(place.op)
    while made is not None and made.opcode in ("field", "component"):
        made = ops.get(made.args[0].op)
    return made is None or made.opcode in ("local", "get")


def _is_float(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.is_float
