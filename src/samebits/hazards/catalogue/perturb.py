"""Noise by IR operations, different at each iteration, frame and run, and what it can perturb."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from samebits.frontend.operations.parallel_range import START, STOP
from samebits.hazards.edit.frame_count import own_count
from samebits.hazards.edit.function_editor import FunctionEditor, entries, own_functions
from samebits.ir.analysis.enclosing import around
from samebits.ir.analysis.loops import deciding, endless
from samebits.ir.grammar import For, Module, Op, Value, walk
from samebits.ir.refs import OpRef
from samebits.types import UINT8, UINT16, UINT32, UINT64, ScalarType

_SPREAD = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio, odd: Knuth's multiplicative hashing."""


def noise(
    module: Module, place: OpRef, editor: FunctionEditor, values: Sequence[Value], draws: Random
) -> Value:
    """A uint64 hashed from a random number, from scalars, and from the values that identify this
    evaluation of `place`; written where `editor` stands."""
    spread = editor.const(UINT64, _SPREAD)
    mixed = editor.const(UINT64, draws.getrandbits(64))
    for value in (*values, *_identity(module, place, editor)):
        mixed = editor.op("xor", mixed, _bits(editor, value))
        mixed = editor.op("mul", mixed, spread)
        mixed = editor.op("xor", mixed, editor.op("shr", mixed, editor.const(UINT64, 32)))
    return mixed


def _bits(editor: FunctionEditor, value: Value) -> Value:
    """A float's bits, or an integer's value, as a uint64."""
    t = value.type
    assert isinstance(t, ScalarType)
    if t.is_float:
        value = editor.to(UINT32 if t.bits == 32 else UINT64, value, "bitcast")
    return value if value.type == UINT64 else editor.to(UINT64, value)


def _identity(module: Module, place: OpRef, editor: FunctionEditor) -> list[Value]:
    """The values that identify this evaluation: loop counters, integer arguments, the frame
    number if the state counts it."""
    function = module.functions[place.function]
    outer = next(outer for s, outer in around(function) if isinstance(s, Op) and s.id == place.op)
    counters = [loop.slot for loop in outer if isinstance(loop, For)]
    given = [
        name
        for name, t in function.params
        if isinstance(t, ScalarType) and t.is_int and name not in (START, STOP)
    ]
    found = [editor.get(name) for name in (*counters, *given)]
    try:
        _, step = entries(module)
        count = own_count(module)
    except LookupError:
        return found
    state = module.functions[step].params[0][1]
    holder = next((name for name, t in function.params if t == state), None)
    if count is not None and holder is not None:
        found.append(editor.load(editor.field(editor.get(holder), count)))
    return found


_FLOATS = frozenset({
    "add", "sub", "mul", "div", "sqrt", "fma", "muladd", "min", "max", "load", "convert",
})  # fmt: skip
_INTEGERS = frozenset({"add", "sub", "mul", "xor"})
_UNSIGNED = {8: UINT8, 16: UINT16, 32: UINT32, 64: UINT64}


def results(module: Module) -> list[OpRef]:
    """The places that compute floats and fixed-width integers in the user's functions, in source
    order, without those that decide how often a loop iterates."""
    return [
        OpRef(function.name, op.id)
        for function in own_functions(module)
        if function.name not in endless(module)
        for deciders in [deciding(function)]
        for op in walk(function.body)
        if isinstance(op, Op) and op.id not in deciders and _can_be_perturbed(op)
    ]


def _can_be_perturbed(op: Op) -> bool:
    if len(op.results) != 1 or op.unchecked:
        return False
    t = op.result.type
    if not isinstance(t, ScalarType):
        return False
    if t.is_float:
        return op.opcode in _FLOATS
    return op.opcode in _INTEGERS and t.is_int and not t.weak


def mixed(editor: FunctionEditor, op: Op, noise: Value) -> None:
    """Emit `op` with the bits of `noise`, a uint64, exclusive-or'ed into those of its result."""
    t = op.result.type
    assert isinstance(t, ScalarType)
    pattern = _UNSIGNED[t.bits]
    value = editor.again(op)
    bits = value if t == pattern else editor.to(pattern, value, "bitcast")
    narrow = noise if pattern is UINT64 else editor.to(pattern, noise)
    if t == pattern:
        editor.give(op.id, "xor", bits, narrow, type=t)
    else:
        editor.give(op.id, "bitcast", editor.op("xor", bits, narrow), type=t)
