"""What a call gave, as comparable bits: trap and place, result scalars, all memory that it saw.

Owns memory for one call and the reading of it; knows nothing of how kernels run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any

import numpy as np

from samebits.bits import CANONICAL_NAN, INFINITY, float_to_bits, leaves
from samebits.errors import Trap
from samebits.types import BOOL, FLOAT16, SCALARS, VECTORS, MemoryType, ScalarType, StructType
from tests.fuzz.inputs import Argument, InputSet

TrapPlace = tuple[str, str | None, str, int, int, int, int]
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Outcome:
    """Bits that must be the same in every execution."""

    trap: TrapPlace | None
    scalars: tuple[int, ...]
    structs: tuple[bytes, ...]
    memory: tuple[bytes, ...]
    left: tuple[str, ...] = ()
    """What was printed and traced, in order."""

    def difference(self, other: Outcome) -> str:
        """The first thing that differs, for a message."""
        if self.trap != other.trap:
            return f"trap {self.trap} != {other.trap}"
        for k, (a, b) in enumerate(zip(self.scalars, other.scalars, strict=True)):
            if a != b:
                return f"result {k}: {a:#x} != {b:#x}"
        for k, (a, b) in enumerate(zip_longest(self.left, other.left)):
            if a != b:
                return f"print {k}: {a!r} != {b!r}"
        for name in ("structs", "memory"):
            for k, (a, b) in enumerate(zip(getattr(self, name), getattr(other, name), strict=True)):
                if a != b:
                    at = next(i for i in range(len(a)) if a[i] != b[i])
                    return f"{name}[{k}] byte {at}: {a.hex()} != {b.hex()}"
        return "nothing"


def trap_place(trap: Trap) -> TrapPlace:
    """Kind, detail and source span of a trap."""
    s = trap.span
    if s is None:
        return (trap.kind, trap.detail, "", 0, 0, 0, 0)
    return (trap.kind, trap.detail, s.function, s.line, s.column, s.end_line, s.end_column)


def trap_words(trap: Trap) -> TrapPlace:
    """Kind, message and source span of a trap: what it says of the values too."""
    kind, _, *place = trap_place(trap)
    # Compiled entries alone, without the runtime, do not know an own range's numbers.
    return (kind, trap.detail if kind == "own" else trap.message, *place)


@cache
def _mask(t: MemoryType) -> bytes:
    """255 for each byte of `t` that is not padding."""
    mask = bytearray(t.size)
    for _, leaf, offset in leaves(t):
        mask[offset : offset + leaf.size] = b"\xff" * leaf.size
    return bytes(mask)


class Memory:
    """Fresh copies of an input set's blobs, 8-byte aligned, and arrays that view them."""

    def __init__(self, inputs: InputSet, struct_type: Callable[[str], StructType]) -> None:
        self.inputs = inputs
        self.struct_type = struct_type
        self.buffers = [_aligned(blob) for blob in inputs.blobs]

    def type_of(self, name: str) -> MemoryType:
        return SCALARS.get(name) or VECTORS.get(name) or self.struct_type(name)

    def view(self, argument: Argument) -> Array:
        """The NumPy array that an array or struct argument stands for."""
        t = self.type_of(argument[1])
        shape = argument[4] if argument[0] == "array" else (1,)
        count = int(np.prod(shape, dtype=np.int64))
        start = argument[3]
        data = self.buffers[argument[2]][start : start + count * t.size]
        base = t.dtype.base if t.dtype.subdtype else t.dtype
        return data.view(base).reshape(*shape, *t.dtype.shape)

    def bytes(self) -> tuple[bytes, ...]:
        """Every blob, padding zeroed."""
        found: list[bytes] = []
        for k, buffer in enumerate(self.buffers):
            mask = np.zeros(len(buffer), np.uint8)
            for argument in self.inputs.args:
                if argument[0] in ("array", "struct") and argument[2] == k:
                    part = np.frombuffer(_mask(self.type_of(argument[1])), np.uint8)
                    start = argument[3]
                    repeats = (len(buffer) - start) // len(part) if len(part) else 0
                    mask[start : start + repeats * len(part)] |= np.tile(part, repeats)
            found.append((buffer & mask).tobytes())
        return tuple(found)


def _aligned(blob: bytes) -> Array:
    memory = np.zeros(len(blob) // 8 + 1, np.uint64).view(np.uint8)[: len(blob)]
    memory[:] = np.frombuffer(blob, np.uint8)
    return memory


def struct_memory(t: StructType) -> Array:
    """Memory of one `t` that a kernel returns through."""
    return _aligned(b"\xa5" * t.size)


def masked(t: StructType, memory: Array) -> bytes:
    """The bytes of one struct, padding zeroed."""
    return (memory & np.frombuffer(_mask(t), np.uint8)).tobytes()


def scalar_value(t: ScalarType, bits: int) -> bool | int | float:
    """The Python value of a scalar's bits."""
    if t == BOOL:
        return bool(bits)
    raw = bits.to_bytes(t.size, sys.byteorder)
    value = np.frombuffer(raw, t.dtype)[0].item()
    return float("nan") if value != value else value


def stored_value(t: ScalarType, bits: int) -> bool | int | float:
    """What a scalar's bits are in IR, which has a half as its integer."""
    value = scalar_value(t, bits)
    return value if t.storage is t else scalar_bits(t, value)


def passed_bits(t: ScalarType, bits: int) -> int:
    """What a caller puts into an argument's slot: a float as it is, since an entry takes any NaN,
    a half with the canonical NaN, since whoever passes one has converted it."""
    return int(stored_value(t, bits)) if t == FLOAT16 else bits


def scalar_bits(t: ScalarType, value: Any) -> int:
    """The bits of a result; a NaN counts as canonical, as every NaN in Python does."""
    if t == BOOL:
        return int(bool(value))
    if t.is_ieee:
        return float_to_bits(float(value), t.bits)
    return int(value) & ((1 << t.bits) - 1)


def slot_scalar(t: ScalarType, slot: int) -> int:
    """The bits of a result that compiled code left in an 8-byte slot."""
    return slot & ((1 << max(8, t.bits)) - 1)


def is_canonical(t: ScalarType, bits: int) -> bool:
    """Whether bits are not a NaN other than the canonical one."""
    if not t.is_ieee:
        return True
    size = bits & ((1 << (t.bits - 1)) - 1)
    return size <= INFINITY[t.bits] or bits == CANONICAL_NAN[t.bits]


def flatten(items: Sequence[Any]) -> tuple[ScalarType, ...]:
    """The scalars that results of these types flatten to, structs left out."""
    flat: list[ScalarType] = []
    for t in items:
        if isinstance(t, ScalarType):
            flat.append(t)
        elif not isinstance(t, StructType):
            flat += [t.element] * t.length
    return tuple(flat)
