"""A compiled entry as a Python callable: checks and packs arguments, makes results, raises traps.

The fast path recognises exact types in compiled code; everything else takes the slow path, which
converts or raises the exact ArgumentError. No address is passed unchecked on either path.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from samebits.backend.objects import LENGTH_LIMIT
from samebits.errors import ArgumentError
from samebits.lang.annotations import class_of_type
from samebits.lang.executions import executions
from samebits.lang.memory.strided import originals
from samebits.lang.memory.structs import Struct
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.lang.values.lazy import lazily
from samebits.lang.values.scalars import RAW_OF, result_maker
from samebits.lang.values.storage import format_letter
from samebits.lang.values.vectors import components, vector
from samebits.runtime.calls import packing
from samebits.runtime.native import NativeEntry
from samebits.runtime.pending_jobs import PENDING
from samebits.types import (
    NONE,
    ArrayType,
    MatrixType,
    MemoryType,
    NoneType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)

if TYPE_CHECKING:
    from typing import Protocol

    from samebits.runtime.calls.direct_calls import Prepared
    from samebits.runtime.memory_claims import CallMemory

    class Entry(Protocol):
        """A function of a ctypes array of slots that returns a status, and the trap behind one."""

        @property
        def function(self) -> Callable[[Any], int]: ...
        def trap(self, status: int) -> BaseException: ...


Put = Callable[[Any, Any], Any]
"""Writes a wrapped argument to the slots; returns what must stay alive during the call."""
_NDARRAY: Any = np.ndarray


def slot_count(t: Type) -> int:
    """The number of slots that an argument of type `t` takes."""
    match t:
        case ArrayType():
            return 1 + t.ndim
        case VectorType():
            return t.length
        case _:
            return 1


def _slot_format(t: ScalarType) -> str:
    """The `struct` format of a scalar in the low bytes of an 8-byte slot, in this byte order."""
    padding = f"{8 - t.size}x" if t.size < 8 else ""
    letter = format_letter(t)
    return letter + padding if sys.byteorder == "little" else padding + letter


def native_callable(
    entry: Entry,
    params: Sequence[tuple[str, Type]],
    result: Type = NONE,
    name: str = "kernel",
) -> NativeCall:
    """A function of exactly `params`, in order, that runs `entry`.

    `params` and `result` are the kernel's own types; the entry's IR has vectors split, and one
    leading reference for each struct in the result. The function raises ArgumentError if an
    argument does not fit, and Trap.
    """
    return NativeCall(entry, params, result, name)


class Packer:
    """Packs arguments for `params` into slots, from `first` on to `end`, exclusive; made once."""

    def __init__(self, params: Sequence[tuple[str, Type]], first: int = 0) -> None:
        self.params = tuple(params)
        self.slots = tuple(accumulate((slot_count(t) for _, t in params), initial=first))
        """The first slot of each parameter, and `end`."""
        self.end = self.slots[-1]
        rows = [(name, t, slot) for (name, t), slot in zip(params, self.slots, strict=False)]
        self._puts = [_put(t, slot, name) for name, t, slot in rows]
        self._exact = [
            class_of_type(t) if isinstance(t, StructType | VectorType) else None for _, t, _ in rows
        ]
        """The classes whose instances need no conversion where Python code packs them."""
        self.steps = [_step(t, slot) for _, t, slot in rows]
        self.by_hand = tuple(k for k, step in enumerate(self.steps) if step.kind == packing.SKIP)
        self.table = packing.table(self.steps)
        self.count = len(self.steps)
        routine = packing.routine()
        self.routine = routine[0] if routine else None

    def fill(self, args: tuple[Any, ...], slots: Any) -> list[Any]:
        """Fill the slots argument by argument; returns what must stay alive with `args` while they
        are used. Raises ArgumentError. The floating-point environment must be pinned."""
        from samebits.lang.arguments import wrap

        if len(args) != self.count:
            raise ArgumentError(f"{self.count} arguments are needed; got {len(args)}")
        routine = self.routine
        quick = routine is not None and not routine(args, self.table, self.count, slots)
        keep: list[Any] = []
        for position in self.by_hand if quick else range(self.count):
            name, t = self.params[position]
            value: Any = args[position]
            if type(value) is not self._exact[position]:
                if _is_plain_subclass(value):
                    value = _NDARRAY.view(value, _NDARRAY)  # a subclass may override its attributes
                value = wrap(value, t, name)
            keep.append((value, self._puts[position](slots, value)))
        return keep


def _step(t: Type, slot: int) -> packing.PackingStep:
    match t:
        case ArrayType() if not isinstance(t.element, MatrixType):
            return packing.array_step(t, slot)
        case ScalarType():
            return packing.scalar_step(t, slot)
        case StructType():
            return packing.struct_step(t, slot)
        case VectorType():
            return packing.vector_step(t, slot)
        case _:
            return packing.PackingStep(packing.SKIP, slot)


class NativeCall:
    """The prepared call of an entry."""

    def __init__(
        self, entry: Entry, params: Sequence[tuple[str, Type]], result: Type, name: str
    ) -> None:
        self._entry = entry
        self._name = name
        self.is_called_again = False
        """Whether it was called a second time, and the way to it made as short as it can be."""
        self._function = entry.function
        items = result.items if isinstance(result, TupleType) else (result,)
        self._made = [
            (slot, class_of_type(t))
            for slot, t in enumerate(t for t in items if isinstance(t, StructType))
        ]
        self._packer = Packer(params, len(self._made))
        self._read, results = _reader(items, self._packer.end)
        self._single = not isinstance(result, TupleType)
        self._slots: Any = ctypes.c_uint64 * max(1, self._packer.end + results)
        self._table, self._count = self._packer.table, self._packer.count
        self._pack = self._packer.routine
        self._simple = not self._packer.by_hand and not self._made
        self._results = items
        self._nothing = isinstance(result, NoneType)

    def __call__(self, *args: Any) -> Any:
        slots = self._slots()
        if (
            not self._simple
            or self._pack is None
            or len(args) != self._count
            or self._pack(args, self._table, self._count, slots)
        ):
            from samebits.lang.arguments import naming
            from samebits.lang.calls.copied_arguments import are_copied

            if are_copied(args, [t for _, t in self._packer.params]):
                return self._with_copies(args)

            # The pack routine also returns here if the floating-point environment is not the
            # default: CPython's own conversions of arguments and results must be pinned too.
            with executions.pinned():
                with naming(self._name):
                    keep = self._packer.fill(args, slots)
                if PENDING:
                    self._check(slots)
                made = self._make(slots) if self._made else ()
                values = self._run(slots, made)
                del keep
                return values
        if PENDING:
            self._check(slots)
        return self._run(slots, ())

    def prepared(self) -> Prepared | None:
        """The call for `direct_calls`, where the entry is of this process and prints nothing."""
        if not isinstance(self._entry, NativeEntry) or self._entry.prints:
            return None
        from samebits.runtime.calls.direct_calls import Prepared

        address, trap, packer = self._entry.address, self._entry.trap, self._packer
        slots = len(self._slots())
        return Prepared(address, packer.steps, packer.end, slots, self._results, self._single, trap)

    def _with_copies(self, args: tuple[Any, ...]) -> Any:
        """The call with copies of some arguments, which are written back."""
        from samebits.lang.calls.copied_arguments import around

        names, types = zip(*self._packer.params, strict=True)
        if PENDING:
            from samebits.runtime.memory_claims import check_memory

            writes = [not getattr(t, "readonly", False) for t in types]
            check_memory(self._name, zip(names, originals(args), writes, strict=False))
        if len(args) != self._count:
            raise ArgumentError(f"{self._count} arguments are needed; got {len(args)}")
        return around(self, args, types, names, self._name)

    def _check(self, slots: Any) -> None:
        """Raise ArgumentError if a scheduled job has claimed the call's memory."""
        from samebits.runtime.memory_claims import check_call

        check_call(self._name, self._uses, slots)

    @lazily
    def _uses(self) -> CallMemory:
        from samebits.runtime.memory_claims import call_memory

        return call_memory(self._packer.params, self._packer.slots)

    def _run(self, slots: Any, made: Sequence[Any]) -> Any:
        status = self._function(slots)
        if status:
            raise self._entry.trap(status)
        if self._nothing:
            return None
        values = self._read(slots, made)
        return values[0] if self._single else values

    def _make(self, slots: Any) -> list[Any]:
        """Make structs for the results and write their addresses to the first slots."""
        made: list[Any] = []
        for slot, cls in self._made:
            value: Any = cls()
            slots[slot] = _address(value.memory)
            made.append(value)
        return made


def _is_plain_subclass(value: Any) -> bool:
    """Whether an ndarray subclass adds nothing to its elements, unlike a masked array."""
    is_array = isinstance(value, _NDARRAY) and type(value) is not _NDARRAY
    return is_array and not hasattr(value, "mask")


def _reader(
    items: Sequence[Type], first: int
) -> tuple[Callable[[Any, Sequence[Any]], tuple[Any, ...]], int]:
    """The function that makes results from slots, and the number of slots that they take."""
    formats: list[str] = []
    makers: list[Callable[[list[Any], list[Any]], Any]] = []
    for t in items:
        match t:
            case ScalarType():
                formats.append(_slot_format(t))
                make = result_maker(t)
                makers.append(lambda raw, made, make=make: make(raw.pop()))
            case VectorType():
                formats += [_slot_format(t.element)] * t.length
                make, cls, n = result_maker(t.element), COMPOSITE_CLASSES[t], t.length
                makers.append(
                    lambda raw, made, make=make, cls=cls, n=n: vector(
                        cls, tuple(make(raw.pop()) for _ in range(n))
                    )
                )
            case StructType():
                makers.append(lambda raw, made: made.pop())
            case _:
                pass
    unpack = struct.Struct("=" + "".join(formats)).unpack_from
    if len(makers) == 1 and len(formats) == 1:
        (t,) = items
        assert isinstance(t, ScalarType)
        only = result_maker(t)
        return lambda slots, made: (only(unpack(slots, 8 * first)[0]),), 1

    def read(slots: Any, made: Sequence[Any]) -> tuple[Any, ...]:
        raw, left = list(unpack(slots, 8 * first)[::-1]), list(made[::-1])
        return tuple([make(raw, left) for make in makers])

    return read, len(formats)


def _put(t: Type, slot: int, name: str) -> Put:
    match t:
        case ScalarType():
            pack, raw = struct.Struct("=" + _slot_format(t)).pack_into, RAW_OF[t]
            return lambda slots, value: pack(slots, 8 * slot, raw(value))
        case VectorType():
            pack = struct.Struct("=" + _slot_format(t.element) * t.length).pack_into
            element = RAW_OF[t.element]
            return lambda slots, value: pack(slots, 8 * slot, *map(element, components(value)))
        case ArrayType():
            return _put_array(t.element, slot, name)
        case StructType():
            return _put_struct(t, slot, name)
        case _:
            raise ArgumentError(f"parameter '{name}': a value of type {t} cannot be passed")


def _address(array: Any) -> int:
    return int(array.ctypes.data)


def _checked_address(array: Any, t: MemoryType, name: str) -> int:
    address = _address(array)
    if address % t.align:
        raise ArgumentError(
            f"parameter '{name}': its memory is not aligned to {t.align} bytes, as {t} needs",
            fix=f"pass {name}.copy()",
        )
    return address


def _put_array(element: MemoryType, slot: int, name: str) -> Put:
    def put(slots: Any, value: Any) -> Any:
        array = value.memory
        lengths = tuple(map(int, value.shape))
        if max(lengths) >= LENGTH_LIMIT:
            raise ArgumentError(
                f"parameter '{name}': a length of {max(lengths):,} is 2^48 or more",
                fix="pass a shorter array",
            )
        slots[slot] = _checked_address(array, element, name)
        for k, length in enumerate(lengths):
            slots[slot + 1 + k] = length
        return array

    return put


def _put_struct(t: StructType, slot: int, name: str) -> Put:
    def put(slots: Any, value: Struct) -> Any:
        array = value.memory
        if not array.flags.writeable:
            raise ArgumentError(
                f"parameter '{name}': expected {t} in writable memory; got read-only memory",
                fix=f"pass {name}.copy()",
            )
        slots[slot] = _checked_address(array, t, name)
        return array

    return put
