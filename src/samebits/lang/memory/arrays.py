"""Arrays in CPython: views of host memory with checked indices, and fresh local arrays.

Owns indexing, its traps, and what an ndarray must be to be viewed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, cast

import numpy as np

from samebits.errors import ArgumentError, CompileError, SamebitsError, Trap, folding, hide
from samebits.lang.annotations import Array as Array
from samebits.lang.annotations import Array2D as Array2D
from samebits.lang.annotations import Array3D as Array3D
from samebits.lang.annotations import Array4D as Array4D
from samebits.lang.annotations import FixedArray as FixedArray
from samebits.lang.annotations import ReadOnly as ReadOnly
from samebits.lang.annotations import ReadOnly2D as ReadOnly2D
from samebits.lang.annotations import ReadOnly3D as ReadOnly3D
from samebits.lang.annotations import ReadOnly4D as ReadOnly4D
from samebits.lang.annotations import WriteOnly as WriteOnly
from samebits.lang.annotations import WriteOnly2D as WriteOnly2D
from samebits.lang.annotations import WriteOnly3D as WriteOnly3D
from samebits.lang.annotations import WriteOnly4D as WriteOnly4D
from samebits.lang.annotations import class_of_type, field_type
from samebits.lang.memory import slices
from samebits.lang.memory.namesakes import namesakes
from samebits.lang.memory.slices import INDEX_TYPES as _INDEX_TYPES
from samebits.lang.memory.slices import Slice, from_start
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.scalars import MAKERS, RAW_OF
from samebits.lang.values.storage import (
    Buffer,
    array_over,
    bytes_of,
    describe,
    format_letter,
    implicit,
    loader,
    place_table,
    read_only,
    storer,
)
from samebits.lang.values.thread_state import running
from samebits.lang.values.weak import FromEnd, Int
from samebits.types import (
    INT64,
    MOST_DIMENSIONS,
    ArrayType,
    FixedArrayType,
    FixedPointType,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)
from samebits.value_text import trapped

Load = Callable[[int], Any]
Store = Callable[[int, Any], None]
Bind = Callable[[Buffer, int, int], tuple[Load, Store]]
"""From a buffer, a byte offset and a count of elements to how element i is read and written."""

_PLACE = "the element"


class ManagedArray:
    """A C-order array over memory that it does not own.

    Elements are scalars, vectors or structs; struct elements are views. In a kernel an index below
    zero or past the end raises Trap "index", and a negative constant counts from the end; Python
    code indexes as it does a list.
    """

    __slots__ = ("_bind", "_buffer", "_load", "_offset", "_shape", "_store", "element")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        buffer: Buffer,
        offset: int,
        element: MemoryType,
        shape: tuple[int, ...],
        bind: Bind | None = None,
    ) -> None:
        self._buffer = buffer
        self._offset = offset
        self._shape = shape
        self.element = element
        self._bind = bind or binder(element)
        self._load, self._store = self._bind(buffer, offset, math.prod(shape))

    def __getitem__(self, index: Any) -> Any:
        try:
            if type(index) in _INDEX_TYPES and len(self._shape) == 1:
                i = int(index)
                if 0 <= i < self._shape[0]:
                    return self._load(i)
            if not running.managed:
                index = from_start(index, self._shape)
            parts = cast("tuple[Any, ...]", index) if isinstance(index, tuple) else (index,)
            if len(parts) < len(self._shape) or any(map(Slice.of, parts)):
                return self._part(parts)
            return self._load(self._flat(index))
        except (SamebitsError, IndexError) as error:
            hide(error)
            raise

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            if type(index) in _INDEX_TYPES and len(self._shape) == 1:
                i = int(index)
                if 0 <= i < self._shape[0]:
                    self._store(i, value)
                    return
            if not running.managed:
                index = from_start(index, self._shape)
            parts = cast("tuple[Any, ...]", index) if isinstance(index, tuple) else (index,)
            if len(parts) < len(self._shape) or any(map(Slice.of, parts)):
                raise ArgumentError(
                    "a part cannot be assigned", fix="assign its elements in a loop"
                )
            self._store(self._flat(index), value)
        except (SamebitsError, IndexError) as error:
            hide(error)
            raise

    def _flat(self, index: Any) -> int:
        indices = cast("tuple[Any, ...]", index) if isinstance(index, tuple) else (index,)
        if len(indices) != len(self._shape):
            raise _wrong_count(self._shape, len(indices))
        flat = 0
        for axis, (item, length) in enumerate(zip(indices, self._shape, strict=True)):
            flat = flat * length + checked_index(item, length, self._axis(axis))
        return flat

    def check(self, index: Any) -> None:
        """Raise Trap "index" where the indices of `a[index]` would, before its slices."""
        indices = cast("tuple[Any, ...]", index) if isinstance(index, tuple) else (index,)
        for axis, (item, length) in enumerate(zip(indices, self._shape, strict=False)):
            if Slice.of(item) is not None:
                return
            checked_index(item, length, self._axis(axis))

    def _axis(self, axis: int) -> int | None:
        """The axis that a trap names: none of an array of one."""
        return axis if len(self._shape) > 1 else None

    def _part(self, parts: tuple[Any, ...]) -> ManagedArray:
        """`a[...]` of fewer indices than dimensions, or with slices."""
        shape = self._shape
        found = [Slice.of(part) for part in parts]
        rest = [part for part in found if part is not None]
        count = len(found) - len(rest)
        if len(parts) > len(shape):
            raise _wrong_count(shape, len(parts))
        if any(found[:count]) or not all(part.is_whole for part in rest[1:]):
            message, fix = slices.no_row_of_columns("the array")
            raise ArgumentError(message, fix=fix)
        flat = 0
        for axis, (item, length) in enumerate(zip(parts[:count], shape, strict=False)):
            flat = flat * length + checked_index(item, length, self._axis(axis))
        inner = shape[count:]
        flat *= math.prod(inner)
        if rest:
            start, length = rest[0].within(inner[0])
            flat += start * math.prod(inner[1:])
            inner = (length, *inner[1:])
        offset = self._offset + flat * self.element.size
        return ManagedArray(self._buffer, offset, self.element, inner, self._bind)

    def __len__(self) -> int:
        return self._shape[0]

    def __iter__(self) -> Iterator[Any]:
        if len(self._shape) != 1:
            return (self._part((k,)) for k in range(self._shape[0]))
        return map(self._load, range(self._shape[0]))

    @property
    def shape(self) -> tuple[Int, ...]:
        """The length along each dimension."""
        return tuple(map(Int, self._shape))

    @property
    def memory(self) -> np.ndarray[Any, Any]:
        """An ndarray over the same memory; a vector element adds a last dimension."""
        return array_over(self._buffer, self._offset, self.element, self._shape)

    @property
    def readonly(self) -> bool:
        """Whether stores are refused."""
        return self._buffer.readonly

    def as_readonly(self) -> ManagedArray:
        """The same memory, with stores refused."""
        return ManagedArray(self._buffer.toreadonly(), self._offset, self.element, self._shape)

    @property
    def fixed_type(self) -> FixedArrayType:
        """The fixed array type with this element and shape."""
        return FixedArrayType(self.element, self._shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.memory, dtype, copy=copy)

    @folding
    def __eq__(self, other: object) -> NoReturn:
        raise ArgumentError("arrays are not compared", fix="compare their elements in a loop")

    def __repr__(self) -> str:
        head = "ReadOnly" if self.readonly else "Array"
        return f"{head}[{self.element}, shape={self._shape}]"


def _outside(i: int, length: int, axis: int | None = None) -> Trap:
    """The trap of an index, which an int64 holds in every execution."""
    i = i - (1 << 64) if i > INT64.maximum else i
    return trapped("index", "index" if axis is None else "axis", i, length, axis)


def _wrong_count(shape: tuple[int, ...], count: int) -> ArgumentError:
    return ArgumentError(
        f"an array of {len(shape)} dimensions takes as many indices, got {count}",
        fix=f"write a[{', '.join('ijkl'[: len(shape)])}]",
    )


def checked_index(index: Any, length: int, axis: int | None = None) -> int:
    """An index of a kernel, counted from 0. Raises Trap "index" outside the length."""
    if type(index) is FromEnd:
        i = index.of(max(length, 0))  # a length that a struct says may be anything
    elif type(index) in _INDEX_TYPES:
        i = int(index)
    else:
        raise ArgumentError(
            f"an index is an integer, got {describe(index)}", fix="convert it: a[int32(i)]"
        )
    if not 0 <= i < length:
        raise _outside(int(index) if type(index) is FromEnd else i, length, axis)
    return i


def binder(element: MemoryType) -> Bind:
    """The reader and writer of elements of one type in memory, by flat index."""
    size = element.size
    match element:
        case ScalarType():
            return _scalar_binder(element)
        case VectorType():
            load, store = loader(element), storer(element, _PLACE)
            return lambda buffer, offset, count: (
                lambda i: load(buffer, offset + i * size),
                lambda i, value: store(buffer, offset + i * size, value),
            )
        case StructType():
            cls: Any = class_of_type(element)
            return lambda buffer, offset, count: (
                lambda i: cls.__sb_view__(buffer, offset + i * size),
                lambda i, value: copy_into(buffer, offset + i * size, element, value),
            )
        case FixedArrayType():
            raise ArgumentError("an array's element cannot be a fixed array")


def _scalar_binder(t: ScalarType) -> Bind:
    make, raw, rules = MAKERS[t], RAW_OF[t], place_table(t)
    letter, size = format_letter(t), t.size

    def bind(buffer: Any, offset: int, count: int) -> tuple[Load, Store]:
        cells = buffer[offset : offset + count * size].cast(letter)

        def load(i: int) -> Any:
            return make(cells[i])

        def store(i: int, value: Any) -> None:
            rule = rules.get(kind_of(value))
            value = implicit(value, t, _PLACE) if rule is None else rule(value)
            try:
                cells[i] = raw(value)
            except TypeError:
                raise read_only(_PLACE, buffer) from None

        return load, store

    return bind


def copy_into(buffer: Buffer, offset: int, t: MemoryType, value: Any, place: str = _PLACE) -> None:
    """Copy a struct or fixed array of type `t` into memory.

    Raises ArgumentError where the value has another type or the memory is read-only.
    """
    if isinstance(value, ManagedArray):
        found: Any = value.fixed_type
    else:
        found = getattr(value, "__sb_type__", None)
    if found != t or isinstance(value, type):
        value = _container(t, value, place)
    source = bytes_of(value.memory)
    try:
        buffer[offset : offset + t.size] = bytes(source)
    except TypeError:
        raise read_only(place, buffer) from None


def _container(t: MemoryType, value: Any, place: str) -> Any:
    """The container of what Python has in its place: of a list, dict or set. Raises ArgumentError
    of anything else, in a kernel, and where that does not fit."""
    cls: Any = class_of_type(t) if isinstance(t, StructType) else None
    if running.managed or not isinstance(value, getattr(cls, "__sb_plain__", ())):
        two = None if cls is None else namesakes(cls, value.__class__)
        if two is None:
            raise ArgumentError(f"{place} is {t}; got {describe(value)}")
        raise ArgumentError(f"{place} is {two.wanted}; got {two.found}", note=two.note, fix=two.fix)
    try:
        return cls(value)
    except (ArgumentError, Trap) as error:
        raise ArgumentError(f"{place}: {error.message}", note=error.note, fix=error.fix) from None


@folding
def zeros(shape: Any, dtype: Any) -> ManagedArray:
    """A fresh array of zeros: `zeros(16, float32)`, `zeros((4, n), float32)`.

    In a kernel one of constant lengths lies on the stack, any other in the arena of the call, which
    has as many bytes as the kernel's option `arena` says. Raises Trap "length" for a negative
    length, "arena" where there is no room.
    """
    lengths = cast("tuple[Any, ...]", shape) if isinstance(shape, tuple) else (shape,)
    try:
        sizes = tuple(operator.index(n) for n in lengths)
    except TypeError:
        sizes = ()
    if not 1 <= len(sizes) <= MOST_DIMENSIONS or min(sizes) < 1:
        raise ArgumentError(
            f"zeros takes one to four positive lengths, got {shape!r}",
            fix="write zeros(16, float32)",
        )
    element = element_type(dtype)
    memory = np.zeros(sizes, element.dtype)
    return ManagedArray(bytes_of(memory), 0, element, tuple(map(int, sizes)))


def items_of(value: Any) -> Any:
    """The items of a struct that has them, as an array; anything else itself."""
    items = getattr(value, "__sb_items__", None)
    return value if items is None else items()


def element_type(dtype: Any) -> MemoryType:
    """The element type that `zeros` is given. Raises ArgumentError."""
    try:
        return field_type(dtype, "the element of zeros")
    except CompileError as error:
        raise ArgumentError(error.message, fix=error.fix) from None


def view_array(array: np.ndarray[Any, Any], t: ArrayType) -> ManagedArray:
    """The managed view of an ndarray that `check_array` accepts."""
    buffer = bytes_of(array)
    return ManagedArray(
        buffer.toreadonly() if t.readonly else buffer, 0, t.element, array.shape[: t.ndim]
    )


# What an ndarray must be -------------------------------------------------------------------


def dtype_name(t: MemoryType) -> str:
    """The element's dtype as a host writes it."""
    if isinstance(t, StructType):
        return f"{t.name}.dtype"
    scalar = t.element if isinstance(t, VectorType) else t
    if isinstance(scalar, FixedPointType):
        return f"np.{scalar.dtype}"
    return "bool" if str(scalar) == "bool" else f"np.{scalar}"


def _shape_name(t: ArrayType) -> str:
    lengths = [*"nmkl"[: t.ndim]]
    if isinstance(t.element, VectorType):
        lengths += map(str, t.element.shape)
    return f"({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"


def _dtype_text(dtype: np.dtype[Any]) -> str:
    return "a structured dtype" if dtype.names else str(dtype)


def _converted(name: str, t: MemoryType, found: np.dtype[Any]) -> str:
    """The expression that makes an array of `t` from the array `name` of another dtype."""
    scalar = t.element if isinstance(t, VectorType) else t
    if isinstance(scalar, FixedPointType) and found.kind == "f":
        return f"steps: np.rint({name} * 2.0**{scalar.fraction}).astype({dtype_name(t)})"
    return f"{name}.astype({dtype_name(t)})"


def _array_of(value: Any, t: ArrayType, name: str) -> str:
    """The expression that makes an array of `t` from `value`, which is no array."""
    element = dtype_name(t.element)
    if isinstance(value, bytes | bytearray | memoryview):
        copied = "" if t.readonly else ".copy()"
        return f"np.frombuffer({name}, {element}){copied}"
    if isinstance(value, str):
        return f"np.array([ord(c) for c in {name}], {element})"
    if isinstance(t.element, StructType) and t.ndim == 1:
        cls = class_of_type(t.element)
        if isinstance(value, cls):
            return f"{name}.memory.reshape(1), an array in {name}'s memory"
        items = cast("list[object]", value) if isinstance(value, list | tuple) else ()
        if any(isinstance(item, cls) for item in items):
            copies = "" if t.readonly else ", and read it after: its items are copies"
            return f"np.array([item.memory for item in {name}]){copies}"
    return f"np.array({name}, {element})"


def check_array(value: Any, t: ArrayType, parameter_name: str) -> None:
    """Raise ArgumentError unless `value` can be viewed as `t` without a copy.

    It must be an ndarray of the element's dtype in native byte order, of the right shape,
    C-contiguous, aligned, and writable unless `t` is read-only.
    """
    name, element = parameter_name, dtype_name(t.element)
    expected = f"parameter '{name}': expected {t}, an ndarray of {element}"
    copied = None if t.readonly else "what is written goes into the copy: keep it"
    if not isinstance(value, np.ndarray):
        made = _array_of(value, t, name)
        raise ArgumentError(
            f"{expected}; got {type(value).__name__}",
            note=None if "memory" in made else copied,
            fix=f"pass {made}",
        )
    array = cast("np.ndarray[Any, Any]", value)
    if hasattr(array, "mask"):
        raise ArgumentError(
            f"{expected}; got {type(array).__name__}, whose mask a kernel can't see",
            fix=f"pass {name}.filled(0), and the mask as an array of bool",
        )
    dtype = t.element.element.dtype if isinstance(t.element, VectorType) else t.element.dtype
    if array.dtype != dtype:
        if array.dtype.newbyteorder("=") == dtype:
            found = "another" if array.dtype.names else array.dtype.str
            raise ArgumentError(
                f"{expected} in native byte order; got {found}",
                note=copied,
                fix=f"pass {name}.astype({element})",
            )
        raise ArgumentError(
            f"{expected}; got {_dtype_text(array.dtype)}",
            note=copied,
            fix=f"pass {_converted(name, t.element, array.dtype)}",
        )
    tail = t.element.shape if isinstance(t.element, VectorType) else ()
    if array.ndim != t.ndim + len(tail) or array.shape[t.ndim :] != tail:
        raise ArgumentError(
            f"{expected} of shape {_shape_name(t)}; got shape {array.shape}",
            fix=f"pass an array of shape {_shape_name(t)}, for example by {name}.reshape(...)",
        )
    if not array.flags.c_contiguous:
        copies = "copies the elements in" + " and back" * (not t.readonly)
        strided = f"a kernel's call takes sb.strided({name}), which {copies}"
        raise ArgumentError(
            f"{expected}, C-contiguous; got strides {array.strides}",
            note=strided if copied is None else f"{copied}; {strided}",
            fix=f"pass np.ascontiguousarray({name})",
        )
    # NumPy asks no alignment of structured dtypes.
    if not array.flags.aligned or array.ctypes.data % t.element.align:
        raise ArgumentError(
            f"{expected}, aligned; got misaligned memory", note=copied, fix=f"pass {name}.copy()"
        )
    if not t.readonly and not array.flags.writeable:
        raise ArgumentError(
            f"{expected}, writable; got a read-only array",
            note=copied,
            fix=f"pass {name}.copy(), or declare ReadOnly{str(t)[5:]}",
        )
