"""The results that something from outside can get into, and how it does."""

from __future__ import annotations

from samebits.hazards.edit.draft import Draft, own_functions
from samebits.ir.analysis.loops import deciding, endless
from samebits.ir.grammar import Module, Op, Value, walk
from samebits.ir.refs import Place
from samebits.types import UINT8, UINT16, UINT32, UINT64, ScalarType

_FLOATS = frozenset({
    "add", "sub", "mul", "div", "sqrt", "fma", "muladd", "min", "max", "load", "convert",
})  # fmt: skip
_INTEGERS = frozenset({"add", "sub", "mul", "xor"})
_UNSIGNED = {8: UINT8, 16: UINT16, 32: UINT32, 64: UINT64}


def results(module: Module) -> list[Place]:
    """Floats and fixed-width integers that the user's functions compute, in source order.

    Not what decides how often a loop turns.
    """
    return [
        Place(function.name, op.id)
        for function in own_functions(module)
        if function.name not in endless(module)
        for deciders in [deciding(function)]
        for op in walk(function.body)
        if isinstance(op, Op) and op.id not in deciders and _is_open(op)
    ]


def _is_open(op: Op) -> bool:
    if len(op.results) != 1 or op.unchecked:
        return False
    t = op.result.type
    if not isinstance(t, ScalarType):
        return False
    return op.opcode in (_FLOATS if t.is_float else _INTEGERS) and (t.is_float or _is_fixed(t))


def _is_fixed(t: ScalarType) -> bool:
    return t.is_int and not t.weak


def mixed(draft: Draft, op: Op, noise: Value) -> None:
    """`op`, with the bits of `noise`, a uint64, exclusive-or'ed into the bits of its result."""
    t = op.result.type
    assert isinstance(t, ScalarType)
    pattern = _UNSIGNED[t.bits]
    value = draft.again(op)
    bits = value if t == pattern else draft.to(pattern, value, "bitcast")
    narrow = noise if pattern is UINT64 else draft.to(pattern, noise)
    if t == pattern:
        draft.give(op.id, "xor", bits, narrow, type=t)
    else:
        draft.give(op.id, "bitcast", draft.op("xor", bits, narrow), type=t)
