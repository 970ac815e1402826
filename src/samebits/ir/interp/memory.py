"""References and arrays while IR is evaluated: places in buffers, native byte order.

Owns addressing, loading and storing. Evaluation works in the caller's own memory, so that its
effects are those of the compiled kernel.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from samebits.errors import ArgumentError, IRError, Trap
from samebits.ir.grammar import Op, TableData, ValueType
from samebits.types import (
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

Buffer = memoryview | bytearray
Indices = tuple[int, ...]


class Ref(NamedTuple):
    """The address of a value: byte `offset` in `memory`."""

    memory: Buffer
    offset: int


class ArrayView(NamedTuple):
    """A C-contiguous array that starts at byte `offset` in `memory`."""

    memory: Buffer
    offset: int
    lengths: tuple[int, ...]


def _bytes_of(array: np.ndarray[Any, Any]) -> memoryview:
    if not array.flags.c_contiguous:
        raise ArgumentError("the array is not C-contiguous", fix="pass a contiguous copy")
    if array.nbytes == 0:
        return memoryview(bytearray())
    return array.reshape(-1).view(np.uint8).data


def _require_dtype(array: np.ndarray[Any, Any], t: MemoryType) -> None:
    expected = t.element.dtype if isinstance(t, VectorType) else t.dtype
    if array.dtype != expected or not array.dtype.isnative:
        raise ArgumentError(f"the array holds {array.dtype}, where {t} needs {expected}")


def array_argument(array: np.ndarray[Any, Any], t: ArrayType) -> ArrayView:
    """The view of a NumPy array for a parameter of type `t`; the memory is shared.

    A vector element is a last axis of its length, a matrix two: columns, rows. Raises
    ArgumentError where dtype, shape, contiguity or writability do not fit.
    """
    _require_dtype(array, t.element)
    tail = t.element.shape if isinstance(t.element, VectorType) else ()
    lengths = array.shape[: t.ndim]
    if array.shape != (*lengths, *tail) or len(lengths) != t.ndim:
        raise ArgumentError(f"the array has shape {array.shape}, which does not fit {t}")
    if not t.readonly and not array.flags.writeable:
        raise ArgumentError(f"the array is read-only, where {t} is written", fix="pass a copy")
    return ArrayView(_bytes_of(array), 0, lengths)


def ref_argument(array: np.ndarray[Any, Any], t: MemoryType | None = None) -> Ref:
    """The address of one value that a NumPy array (0-d, or of one element) holds, shared.

    With `t` given, raises ArgumentError unless the array holds exactly one `t`.
    """
    if t is not None:
        holds = FixedArrayType(t.element, t.shape) if isinstance(t, VectorType) else t
        base = holds.element if isinstance(holds, FixedArrayType) else holds
        _require_dtype(array, base)
        if array.nbytes != t.size:
            raise ArgumentError(f"the array has {array.nbytes} bytes, where {t} has {t.size}")
    return Ref(_bytes_of(array), 0)


def fresh(t: MemoryType) -> Ref:
    """New memory for a `t`. Its bytes are not zero, so that a missing `zero` shows."""
    return Ref(bytearray(b"\xa5" * t.size), 0)


ALLOTTED = 16
"""Bytes of which each array in the arena takes a multiple."""


class Arena:
    """How many bytes of local arrays of run-time sizes are in use."""

    __slots__ = ("used",)

    def __init__(self) -> None:
        self.used = 0

    def allocate(self, t: ArrayType, lengths: tuple[int, ...], limit: int) -> ArrayView:
        """A new array of zeros. Raises Trap "length" or "arena"."""
        if min(lengths) < 0:
            raise Trap("length")
        size = math.prod(max(length, 1) for length in lengths) * t.element.size
        if self.used + size > limit:
            raise Trap("arena")
        self.used += -(-size // ALLOTTED) * ALLOTTED
        return ArrayView(bytearray(size), 0, lengths)


_LETTERS = {
    "bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B",
    "uint16": "H", "uint32": "I", "uint64": "Q", "float32": "f", "float64": "d",
    "int": "q", "float": "d",
}  # fmt: skip
_FORMATS = {name: struct.Struct("=" + letter) for name, letter in _LETTERS.items()}
"""Native byte order."""


def table(data: TableData) -> Ref:
    """The address of a constant table, which cannot be written."""
    layout = _FORMATS[data.element.storage.name]
    values = [math.nan if v != v else v for v in data.values]
    return Ref(memoryview(b"".join(map(layout.pack, values))), 0)


def _target(op: Op, operand: int = 0) -> MemoryType:
    t = op.args[operand].type
    assert isinstance(t, RefType)
    return t.target


def _place(t: MemoryType, base: Ref | ArrayView, lengths: tuple[int, ...], at: Indices) -> Ref:
    """Element `at` of an array of `t`. The IR has to check with `index` first, so that an
    element outside is an error of the IR."""
    flat = 0
    for i, length in zip(at, lengths, strict=True):
        if not 0 <= i < length:
            raise IRError(f"element {list(at)} of an array of shape {list(lengths)}")
        flat = flat * length + i
    return Ref(base.memory, base.offset + flat * t.size)


def _element(op: Op) -> Callable[..., Ref]:
    array = op.args[0].type
    if isinstance(array, ArrayType):
        t = array.element

        def of_array(view: ArrayView, *at: int) -> Ref:
            return _place(t, view, view.lengths, at)

        return of_array
    fixed = _target(op)
    assert isinstance(fixed, FixedArrayType)

    def of_fixed(ref: Ref, *at: int) -> Ref:
        return _place(fixed.element, ref, fixed.shape, at)

    return of_fixed


def _row(op: Op) -> Callable[[ArrayView, int], ArrayView]:
    array = op.args[0].type
    assert isinstance(array, ArrayType)

    def row(view: ArrayView, i: int) -> ArrayView:
        height, *rest = view.lengths
        if not 0 <= i < height:
            raise IRError(f"row {i} of an array of shape {list(view.lengths)}")
        size = math.prod(rest) * array.element.size
        return ArrayView(view.memory, view.offset + i * size, tuple(rest))

    return row


def _slice(op: Op) -> Callable[[ArrayView, int, int], ArrayView]:
    array = op.args[0].type
    assert isinstance(array, ArrayType)

    def part(view: ArrayView, start: int, stop: int) -> ArrayView:
        height, *rest = view.lengths
        if not (0 <= start <= height and 0 <= stop <= height):
            raise IRError(f"elements {start} to {stop} of an array of shape {list(view.lengths)}")
        size = math.prod(rest) * array.element.size
        lengths = (max(stop - start, 0), *rest)
        return ArrayView(view.memory, view.offset + start * size, lengths)

    return part


def _view(op: Op) -> Callable[[Ref], ArrayView]:
    fixed = _target(op)
    assert isinstance(fixed, FixedArrayType)
    return lambda ref: ArrayView(ref.memory, ref.offset, fixed.shape)


def _flat(op: Op) -> Callable[[ArrayView], ArrayView]:
    t = op.args[0].type
    assert isinstance(t, ArrayType)
    assert isinstance(t.element, VectorType)
    n = t.element.length
    return lambda view: ArrayView(view.memory, view.offset, (view.lengths[0] * n,))


def _length(op: Op) -> Callable[[ArrayView], int]:
    dimension = op.attr
    assert isinstance(dimension, int)
    return lambda view: view.lengths[dimension]


def _extent(value: Ref | ArrayView, t: ValueType) -> tuple[int, int]:
    """The addresses of the first byte, and of the one after the last."""
    data = np.frombuffer(value.memory, np.uint8)
    start = data.ctypes.data + value.offset
    if isinstance(value, ArrayView):
        assert isinstance(t, ArrayType)
        return start, start + math.prod(value.lengths) * t.element.size
    assert isinstance(t, RefType)
    return start, start + t.target.size


def _apart(op: Op) -> Callable[[Ref | ArrayView, Ref | ArrayView], bool]:
    one, other = (value.type for value in op.args)

    def apart(a: Ref | ArrayView, b: Ref | ArrayView) -> bool:
        (a_start, a_end), (b_start, b_end) = _extent(a, one), _extent(b, other)
        if a_start == a_end or b_start == b_end or a_end <= b_start or b_end <= a_start:
            return True
        rows = [v.lengths[1:] if isinstance(v, ArrayView) else () for v in (a, b)]
        return bool(op.attr) and a_start == b_start and rows[0] == rows[1]

    return apart


def _field(op: Op) -> Callable[[Ref], Ref]:
    t = _target(op)
    assert isinstance(t, StructType)
    offset = t.offsets[str(op.attr)]
    return lambda ref: Ref(ref.memory, ref.offset + offset)


def _component(op: Op) -> Callable[[Ref], Ref]:
    t, i = _target(op), op.attr
    assert isinstance(t, VectorType)
    assert isinstance(i, int)
    return lambda ref: _place(t.element, ref, (t.length,), (i,))


def _load(op: Op) -> Callable[[Ref], Any]:
    t = _target(op)
    assert isinstance(t, ScalarType)
    unpack = _FORMATS[t.storage.name].unpack_from
    return lambda ref: unpack(ref.memory, ref.offset)[0]


def _store(op: Op) -> Callable[[Ref, Any], None]:
    t = _target(op)
    assert isinstance(t, ScalarType)
    pack = _FORMATS[t.storage.name].pack_into

    def store(ref: Ref, value: Any) -> None:
        try:
            pack(ref.memory, ref.offset, math.nan if value != value else value)
        except TypeError:
            raise IRError("a store into read-only memory") from None

    return store


def _move(size: int, target: Ref, source: Ref) -> None:
    data = bytes(source.memory[source.offset : source.offset + size])
    try:
        target.memory[target.offset : target.offset + size] = data
    except TypeError:
        raise IRError("a copy into read-only memory") from None


def _copy(op: Op) -> Callable[[Ref, Ref], None]:
    size = _target(op).size
    return lambda target, source: _move(size, target, source)


def _zero(op: Op) -> Callable[[Ref], None]:
    zeros = bytearray(_target(op).size)
    return lambda ref: _move(len(zeros), ref, Ref(zeros, 0))


MEMORY: dict[str, Callable[[Op], Callable[..., Any]]] = {
    "field": _field,
    "component": _component,
    "element": _element,
    "row": _row,
    "slice": _slice,
    "view": _view,
    "flat": _flat,
    "length": _length,
    "apart": _apart,
    "load": _load,
    "store": _store,
    "copy": _copy,
    "zero": _zero,
}
"""The operations on addresses and memory: from an op to a function of its operands' values."""
