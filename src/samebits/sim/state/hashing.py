"""The state hash as IR: canonical bytes packed into words, and XXH64 over them.

Owns code that computes `bits.xxh64(bits.to_canonical(t, memory))` on every target. Loops over fixed
arrays stay loops; no operation here can trap, because every index follows from the layout.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from itertools import count

from samebits.bits import CANONICAL_NAN, INFINITY, canonical_size
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Value, ValueType
from samebits.types import (
    BOOL,
    FLOAT16,
    INT,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

PACK = "samebits.pack"
XXH64 = "samebits.xxh64"
HASH = "samebits.hash"
FILE = "samebits/sim/state/hashing.py"

UNSIGNED = {1: UINT8, 2: UINT16, 4: UINT32, 8: UINT64}
_STATE, _WORDS = "state", "words"

# Yann Collet, xxHash fast digest algorithm, specification 0.1.1, "XXH64 algorithm description".
PRIME_1 = 0x9E3779B185EBCA87
PRIME_2 = 0xC2B2AE3D27D4EB4F
PRIME_3 = 0x165667B19E3779F9
PRIME_4 = 0x85EBCA77C2B2AE63
PRIME_5 = 0x27D4EB2F165667C5
STRIPE = 32
LANES = ("lane0", "lane1", "lane2", "lane3")
_MASK = (1 << 64) - 1


def word_type(t: MemoryType) -> ScalarType:
    """The widest unsigned integer that every scalar in `t` is a whole number of."""
    return UNSIGNED[_least_size(t)]


def _least_size(t: MemoryType) -> int:
    match t:
        case ScalarType():
            return t.size
        case VectorType() | FixedArrayType():
            return _least_size(t.element)
        case StructType():
            return min(_least_size(field_type) for _, field_type in t.fields)


def word_count(t: MemoryType) -> int:
    """The number of words of `word_type(t)` in the canonical bytes of `t`."""
    return canonical_size(t) // word_type(t).size


def hash_functions(
    t: StructType, memory: StructType | None = None
) -> tuple[Function, Function, Function]:
    """`pack(state, words)`, `xxh64(words)` and `hash(state, words)`, in calling order.

    `words` is scratch memory of `word_count(t)` elements. `memory` is the struct in memory, if it
    has more than the fields of `t`: the others come after them and are left out.
    """
    words = word_type(t)
    memory = memory or t
    pack = _Pack(t, memory, words).function()
    digest = _Xxh64(canonical_size(t), words).function()
    array = ArrayType(words, 1)
    b = Builder(HASH, {_STATE: RefType(memory), _WORDS: array}, (UINT64,), file=FILE)
    b.call(pack, b.get(_STATE), b.get(_WORDS))
    return pack, digest, b.ret(*b.call(digest, b.get(_WORDS)))


class Words:
    """Builds a function over the array `words`, whose positions are `base` plus a constant."""

    def __init__(self, builder: Builder, word: ScalarType) -> None:
        self.b = builder
        self.word = word
        self.array = builder.get(_WORDS)
        self._loops = count()

    def int(self, value: int) -> Value:
        return self.b.const(INT, value)

    def at(self, base: Value | None, offset: int) -> Value:
        """The position `base + offset`, in words."""
        if base is None:
            return self.int(offset)
        return self._exact("add", base, self.int(offset)) if offset else base

    def times(self, a: Value, factor: int) -> Value:
        return self._exact("mul", a, self.int(factor))

    def plus(self, a: Value, b: Value) -> Value:
        return self._exact("add", a, b)

    def _exact(self, opcode: str, a: Value, b: Value) -> Value:
        """Weak int arithmetic on positions in memory, which cannot overflow."""
        return self.b.emit(opcode, a, b, types=[INT], unchecked=True).result

    def shifted(self, opcode: str, value: Value, amount: int) -> Value:
        t = value.type
        assert isinstance(t, ScalarType)
        return self.b.op(opcode, value, self.b.const(t, amount)) if amount else value

    def half(self, word: Value) -> Value:
        """The bits of a half, those of the canonical NaN for any NaN."""
        size = self.b.op("and", word, self.b.const(UINT16, 0x7FFF))
        is_nan = self.b.op("gt", size, self.b.const(UINT16, INFINITY[16]))
        return self.b.op("select", is_nan, self.b.const(UINT16, CANONICAL_NAN[16]), word)

    @contextmanager
    def loop(self, count: int | Value) -> Generator[Value]:
        """Build a loop over 0 … count-1; yields the counter's value."""
        slot = f"i{next(self._loops)}"
        self.b.function.slots[slot] = INT
        stop = self.int(count) if isinstance(count, int) else count
        statement = self.b.for_(slot, self.int(0), stop)
        with self.b.into(statement.body):
            yield self.b.get(slot)

    def elements(
        self, t: FixedArrayType, base: Value | None
    ) -> Generator[tuple[tuple[Value, ...], Value]]:
        """Build loops over a fixed array; yields an element's index and position from `base`."""
        stride = canonical_size(t.element) // self.word.size
        with ExitStack() as loops:
            index = [loops.enter_context(self.loop(t.shape[0]))]
            flat = index[0]
            for length in t.shape[1:]:
                index.append(loops.enter_context(self.loop(length)))
                flat = self.plus(self.times(flat, length), index[-1])
            yield tuple(index), self._place(flat, stride, base)

    def _place(self, flat: Value, stride: int, base: Value | None) -> Value:
        within = self.times(flat, stride)
        return within if base is None else self.plus(base, within)


class _Pack(Words):
    """Builds the writer of canonical bytes: declared order, no padding, lowest byte first."""

    def __init__(self, t: StructType, memory: StructType, word: ScalarType) -> None:
        params: dict[str, ValueType] = {_STATE: RefType(memory), _WORDS: ArrayType(word, 1)}
        super().__init__(Builder(PACK, params, file=FILE), word)
        self._type = t

    def function(self) -> Function:
        self._value(self._type, self.b.get(_STATE), None, 0)
        return self.b.ret()

    def _value(self, t: MemoryType, ref: Value, base: Value | None, offset: int) -> int:
        """Pack what `ref` refers to at `base + offset`; returns the offset after it."""
        match t:
            case ScalarType():
                return self._scalar(t, self.b.load(ref), base, offset)
            case VectorType():
                for i in range(t.length):
                    part = self.b.load(self.b.component(ref, i))
                    offset = self._scalar(t.element, part, base, offset)
                return offset
            case StructType():
                for name, field_type in t.fields:
                    offset = self._value(field_type, self.b.field(ref, name), base, offset)
                return offset
            case FixedArrayType():
                for index, place in self.elements(t, base):
                    self._value(t.element, self.b.element(ref, *index), place, offset)
                return offset + canonical_size(t) // self.word.size

    def _scalar(self, t: ScalarType, value: Value, base: Value | None, offset: int) -> int:
        if t.is_float:
            pattern = self.b.to(UNSIGNED[t.size], value, "bitcast")
        elif t == FLOAT16:
            pattern = self.half(value)
        elif t in (BOOL, *UNSIGNED.values()):
            pattern = value if t is not BOOL else self.b.to(UINT8, value)
        else:
            pattern = self.b.to(UNSIGNED[t.size], value)
        for k in range(t.size // self.word.size):
            part = self.shifted("shr", pattern, 8 * self.word.size * k)
            if t.size != self.word.size:
                part = self.b.to(self.word, part)
            self.b.store(self.b.element(self.array, self.at(base, offset + k)), part)
        return offset + t.size // self.word.size


class _Xxh64(Words):
    """Builds XXH64 with seed 0 for a fixed length."""

    def __init__(self, size: int, word: ScalarType) -> None:
        params: dict[str, ValueType] = {_WORDS: ArrayType(word, 1)}
        slots: dict[str, ValueType] = {lane: UINT64 for lane in LANES}
        builder = Builder(XXH64, params, (UINT64,), slots=slots, file=FILE)
        super().__init__(builder, word)
        self._size = size

    def function(self) -> Function:
        b, stripes = self.b, self._size // STRIPE
        h = self._stripes(stripes) if stripes else self._const(PRIME_5)
        h = b.op("add", h, self._const(self._size))
        at = stripes * STRIPE
        for width, mix in ((8, self._mix_8), (4, self._mix_4), (1, self._mix_1)):
            while self._size - at >= width:
                h = mix(h, self._read(at, width))
                at += width
        h = self._avalanche(h, 33, PRIME_2)
        h = self._avalanche(h, 29, PRIME_3)
        return b.ret(b.op("xor", h, self.shifted("shr", h, 32)))

    def _stripes(self, stripes: int) -> Value:
        b = self.b
        starts = (PRIME_1 + PRIME_2, PRIME_2, 0, -PRIME_1)
        for lane, start in zip(LANES, starts, strict=True):
            b.set(lane, self._const(start & _MASK))
        with self.loop(stripes) as i:
            base = self.times(i, STRIPE // self.word.size)
            for k, lane in enumerate(LANES):
                b.set(lane, self._round(b.get(lane), self._load(base, 8 * k, 8)))
        lanes = [b.get(lane) for lane in LANES]
        h = self._rotated(lanes[0], 1)
        for lane, amount in zip(lanes[1:], (7, 12, 18), strict=True):
            h = b.op("add", h, self._rotated(lane, amount))
        for lane in lanes:
            h = b.op("xor", h, self._round(self._const(0), lane))
            h = b.op("add", self._scaled(h, PRIME_1), self._const(PRIME_4))
        return h

    def _const(self, value: int) -> Value:
        return self.b.const(UINT64, value)

    def _scaled(self, value: Value, prime: int) -> Value:
        return self.b.op("mul", value, self._const(prime))

    def _rotated(self, value: Value, amount: int) -> Value:
        return self.b.op("rotl", value, self._const(amount))

    def _round(self, lane: Value, word: Value) -> Value:
        lane = self.b.op("add", lane, self._scaled(word, PRIME_2))
        return self._scaled(self._rotated(lane, 31), PRIME_1)

    def _mix_8(self, h: Value, word: Value) -> Value:
        h = self.b.op("xor", h, self._round(self._const(0), word))
        return self.b.op("add", self._scaled(self._rotated(h, 27), PRIME_1), self._const(PRIME_4))

    def _mix_4(self, h: Value, word: Value) -> Value:
        h = self.b.op("xor", h, self._scaled(word, PRIME_1))
        return self.b.op("add", self._scaled(self._rotated(h, 23), PRIME_2), self._const(PRIME_3))

    def _mix_1(self, h: Value, word: Value) -> Value:
        h = self.b.op("xor", h, self._scaled(word, PRIME_5))
        return self._scaled(self._rotated(h, 11), PRIME_1)

    def _avalanche(self, h: Value, amount: int, prime: int) -> Value:
        return self._scaled(self.b.op("xor", h, self.shifted("shr", h, amount)), prime)

    def _read(self, at: int, width: int) -> Value:
        """`width` bytes at byte `at` as a uint64, also from a wider word."""
        size = self.word.size
        if width >= size:
            return self._load(None, at, width)
        whole = self._load(None, at - at % size, size)
        part = self.shifted("shr", whole, 8 * (at % size))
        return self.b.op("and", part, self._const((1 << (8 * width)) - 1))

    def _load(self, base: Value | None, at: int, width: int) -> Value:
        """Whole words at `base` plus byte `at`, lowest first, as a uint64."""
        b, size = self.b, self.word.size
        result: Value | None = None
        for k in range(width // size):
            word = b.load(b.element(self.array, self.at(base, at // size + k)))
            wide = word if self.word is UINT64 else b.to(UINT64, word)
            part = self.shifted("shl", wide, 8 * size * k)
            result = part if result is None else b.op("or", result, part)
        assert result is not None
        return result
