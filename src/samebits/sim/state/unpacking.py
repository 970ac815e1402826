"""Canonical bytes back into memory, as IR: the inverse of hashing.py's packing.

Owns code that computes `bits.from_canonical` on every target, so that states and inputs written by
another machine can be read. No operation here can trap.
"""

from __future__ import annotations

from samebits.bits import canonical_size
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Value, ValueType
from samebits.sim.state.hashing import UNSIGNED, Words, word_count, word_type
from samebits.types import (
    BOOL,
    FLOAT16,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

UNPACK = "samebits.unpack"
UNPACK_INPUTS = "samebits.unpack_inputs"
FILE = "samebits/sim/state/unpacking.py"


def unpack_function(t: StructType, memory: StructType | None = None) -> Function:
    """`unpack(memory, words)`: one value of `t` from `word_count(t)` words.

    `memory` is the struct in memory, if it has more fields than `t`: those are left as they are.
    """
    params: dict[str, ValueType] = {
        "memory": RefType(memory or t), "words": ArrayType(word_type(t), 1, readonly=True),
    }  # fmt: skip
    unpack = _Unpack(Builder(UNPACK, params, file=FILE), word_type(t))
    unpack.value(t, unpack.b.get("memory"), None, 0)
    return unpack.b.ret()


def unpack_inputs_function(t: StructType) -> Function:
    """`unpack_inputs(memory, words)`: as many values of `t` as `memory` has elements."""
    params: dict[str, ValueType] = {
        "memory": ArrayType(t, 1), "words": ArrayType(word_type(t), 1, readonly=True),
    }  # fmt: skip
    unpack = _Unpack(Builder(UNPACK_INPUTS, params, file=FILE), word_type(t))
    memory = unpack.b.get("memory")
    with unpack.loop(unpack.b.length(memory)) as i:
        place = unpack.times(i, word_count(t))
        unpack.value(t, unpack.b.element(memory, i), place, 0)
    return unpack.b.ret()


class _Unpack(Words):
    """Builds the reader of canonical words: declared order, no padding, lowest byte first."""

    def value(self, t: MemoryType, ref: Value, base: Value | None, offset: int) -> int:
        """Fill what `ref` refers to from `base + offset`; returns the offset after it."""
        match t:
            case ScalarType():
                self.b.store(ref, self._scalar(t, base, offset))
                return offset + t.size // self.word.size
            case VectorType():
                for i in range(t.length):
                    offset = self.value(t.element, self.b.component(ref, i), base, offset)
                return offset
            case StructType():
                for name, field_type in t.fields:
                    offset = self.value(field_type, self.b.field(ref, name), base, offset)
                return offset
            case FixedArrayType():
                for index, place in self.elements(t, base):
                    self.value(t.element, self.b.element(ref, *index), place, offset)
                return offset + canonical_size(t) // self.word.size

    def _scalar(self, t: ScalarType, base: Value | None, offset: int) -> Value:
        wide = UNSIGNED[t.size]
        pattern: Value | None = None
        for k in range(t.size // self.word.size):
            word = self.b.load(self.b.element(self.array, self.at(base, offset + k)))
            part = word if wide is self.word else self.b.to(wide, word)
            part = self.shifted("shl", part, 8 * self.word.size * k)
            pattern = part if pattern is None else self.b.op("or", pattern, part)
        assert pattern is not None
        if t is BOOL:
            return self.b.op("ne", pattern, self.b.const(wide, 0))
        if t.is_float:
            return self.b.to(t, pattern, "bitcast")
        if t == FLOAT16:
            return self.half(pattern)
        return pattern if t == wide else self.b.to(t.storage, pattern)
