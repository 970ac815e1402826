"""The packing routine: a small compiled function that writes Python arguments to an entry's slots.

It reads fields of CPython and NumPy objects of exact types, and leaves anything else to the slow
path. Its assumptions on object layout are verified at first use, field by field; if that fails, it
is not used.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from samebits.backend.objects import LENGTH_LIMIT
from samebits.lang.annotations import class_of_type
from samebits.lang.memory.structs import Struct
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.lang.values.vectors import Vector, vector
from samebits.lang.values.weak import Int
from samebits.runtime.calls.python_api import (
    HEAD,
    TUPLE_ITEMS,
    addresses,
    declared,
    offset_of,
    word,
)
from samebits.runtime.objects.host import host
from samebits.runtime.objects.loading import load, own_code
from samebits.types import BOOL, FLOAT64, ArrayType, ScalarType, StructType, VectorType, vector_of

if TYPE_CHECKING:
    from samebits.runtime.objects.loading import Loaded

SKIP, ARRAY, READ, FLOAT32, INTEGER, TRUTH, STRUCT, COMPONENTS = range(8)
"""How to pack an argument: not at all; an ndarray's address and lengths; a scalar's bytes; the
same, or a Python float, rounded; the same, or a Python int in range; a Python bool; a struct's
address; a vector's components, each a scalar's bytes."""

ARRAY_FIELDS = {"data": 16, "ndim": 24, "dims": 32, "descr": 56, "flags": 64}
"""Offsets in NumPy's PyArrayObject_fields, which its ABI fixes (ndarraytypes.h)."""

_FLAGS_READ, _FLAGS_WRITE = 0x101, 0x501
"""C-contiguous and aligned; also writeable."""


class PackingStep:
    """A row of the table: `_WORDS` words that the routine reads.

    `types` are the addresses of the accepted exact classes; for arrays the second is a mask of
    address bits that must be 0. `a`, `b`, `c`, `d` are, for arrays: dimensions, last length or -1,
    required flags, the dtype's address; for integers: size, least and greatest value; for other
    scalars: size; for vectors: the components' size and number, their class the second type; for
    structs the second is a mask of address bits that must be 0.
    """

    __slots__ = ("kind", "words")

    def __init__(
        self,
        kind: int,
        slot: int,
        types: tuple[int, int, int] = (0, 0, 0),
        a: int = 0,
        b: int = 0,
        c: int = 0,
        d: int = 0,
    ) -> None:
        self.kind = kind
        self.words = kind, slot, *types, a, b, c, d
        """As the routine reads them."""


_WORDS = 9


def table(steps: Sequence[PackingStep]) -> Any:
    """The routine's table: a step for each argument, in order."""
    words: list[int] = []
    for step in steps:
        words += step.words
    return (ctypes.c_int64 * max(1, len(words)))(*words)


def scalar_step(t: ScalarType, slot: int) -> PackingStep:
    """The step for a scalar parameter."""
    if t is BOOL:
        return PackingStep(TRUTH, slot, (id(True), id(False), 0))
    if t.storage != t:
        return PackingStep(READ, slot, a=t.size)  # accepts no class: always the slow path
    own, numpys = (0, 0) if t.weak else (id(SCALAR_CLASSES[t]), id(t.dtype.type))
    if t.is_int:
        types = (id(int), id(Int) if t.weak else own, numpys)
        top = min(t.maximum, (1 << 63) - 1)
        return PackingStep(INTEGER, slot, types, t.size, t.minimum, top, int(t.weak))
    types = (id(float), own, numpys)
    return (
        PackingStep(FLOAT32, slot, types, 4) if t.bits == 32 else PackingStep(READ, slot, types, 8)
    )


def array_step(t: ArrayType, slot: int) -> PackingStep:
    """The step for an array parameter."""
    element = t.element
    vector = isinstance(element, VectorType)
    dtype = element.element.dtype if vector else element.dtype
    flags = _FLAGS_READ if t.readonly else _FLAGS_WRITE
    last = element.length if vector else -1
    # NumPy requires no alignment of structured dtypes, so its flag says nothing of them.
    types = (id(np.ndarray), element.align - 1, 0)
    return PackingStep(ARRAY, slot, types, t.ndim, last, flags, id(dtype))


def typed(step: PackingStep) -> PackingStep:
    """The step that takes no Python number, which says nothing of a type."""
    kind, slot, _, own, numpys, *rest = step.words
    if kind == TRUTH:
        return PackingStep(SKIP, slot)
    if kind in (READ, FLOAT32, INTEGER):
        return PackingStep(kind, slot, (0, own, numpys), *rest)
    return step


def struct_step(t: StructType, slot: int) -> PackingStep:
    """The step for a struct parameter."""
    return PackingStep(STRUCT, slot, (id(class_of_type(t)), t.align - 1, 0))


def vector_step(t: VectorType, slot: int) -> PackingStep:
    """The step for a vector parameter, or a matrix: its components in memory order."""
    element = t.element
    if element is BOOL or element.storage != element:
        return PackingStep(SKIP, slot)
    types = (id(COMPOSITE_CLASSES[t]), id(SCALAR_CLASSES[element]), 0)
    return PackingStep(COMPONENTS, slot, types, element.size, t.length)


# A Python float becomes a binary32 under the thread's rounding mode: only if that is the default.
PINNED = {
    "mxcsr": """\
  %word = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %word)
  %found = load i32, ptr %word
  %control = and i32 %found, -64
  %pinned = icmp eq i32 %control, 8064""",
    "fpcr": """\
  %found = call i64 @llvm.aarch64.get.fpcr()
  %flags = call i64 @llvm.aarch64.get.fpsr()
  %pinned = icmp eq i64 %found, 0""",
    None: "  %pinned = icmp eq i64 0, 0",
}
# And it raises a sticky flag, which must not reach the caller.
BACK = {
    "mxcsr": "  call void @llvm.x86.sse.ldmxcsr(ptr %word)",
    "fpcr": "  call void @llvm.aarch64.set.fpsr(i64 %flags)",
    None: "",
}
PYTHON = {
    "PyLong_AsLongLongAndOverflow": "i64 (ptr, ptr)",
    "PyObject_GetBuffer": "i32 (ptr, ptr, i32)",
    "PyBuffer_Release": "void (ptr)",
    "PyErr_Clear": "void ()",
}
"""CPython's functions that the routine calls, all of its stable ABI, and their types."""
_VIEW = 80
"""The size of CPython's `Py_buffer`, whose first field is the address."""


def _text(triple: str, fp_control: str | None) -> str:
    f = ARRAY_FIELDS
    buffer, offset, items = (offset_of(*field) for field in _FIELDS)
    return f"""target triple = "{triple}"
{declared(PYTHON)}
define i64 @sb_pack(ptr %items, ptr %table, i64 %count, ptr %slots) {{
entry:
  %overflow = alloca i32
  %view = alloca [{_VIEW} x i8], align 8
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %n.next, %next ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %step, label %done
step:
  %at = mul i64 %n, {_WORDS}
  %row = getelementptr i64, ptr %table, i64 %at
  %kind = load i64, ptr %row
  %slot.p = getelementptr i64, ptr %row, i64 1
  %slot.n = load i64, ptr %slot.p
  %slot = getelementptr i64, ptr %slots, i64 %slot.n
  %t0.p = getelementptr i64, ptr %row, i64 2
  %t0 = load i64, ptr %t0.p
  %t1.p = getelementptr i64, ptr %row, i64 3
  %t1 = load i64, ptr %t1.p
  %t2.p = getelementptr i64, ptr %row, i64 4
  %t2 = load i64, ptr %t2.p
  %a.p = getelementptr i64, ptr %row, i64 5
  %a = load i64, ptr %a.p
  %b.p = getelementptr i64, ptr %row, i64 6
  %b = load i64, ptr %b.p
  %c.p = getelementptr i64, ptr %row, i64 7
  %c = load i64, ptr %c.p
  %d.p = getelementptr i64, ptr %row, i64 8
  %d = load i64, ptr %d.p
  %item.p = getelementptr ptr, ptr %items, i64 %n
  %item = load ptr, ptr %item.p
  %type.p = getelementptr i8, ptr %item, i64 8
  %type = load i64, ptr %type.p
  %is0 = icmp eq i64 %type, %t0
  %is1 = icmp eq i64 %type, %t1
  %is2 = icmp eq i64 %type, %t2
  %is12 = or i1 %is1, %is2
  %value = getelementptr i8, ptr %item, i64 {HEAD}
  switch i64 %kind, label %next [ i64 {ARRAY}, label %array  i64 {READ}, label %read
    i64 {FLOAT32}, label %single  i64 {INTEGER}, label %integer  i64 {TRUTH}, label %truth
    i64 {STRUCT}, label %struct  i64 {COMPONENTS}, label %vector ]

truth:
  %word = ptrtoint ptr %item to i64
  %is.true = icmp eq i64 %word, %t0
  %is.false = icmp eq i64 %word, %t1
  %is.bool = or i1 %is.true, %is.false
  %bit = zext i1 %is.true to i64
  store i64 %bit, ptr %slot
  br i1 %is.bool, label %next, label %slow

read:
  %is.any = or i1 %is0, %is12
  br i1 %is.any, label %bytes, label %slow
bytes:
  %size8 = icmp eq i64 %a, 8
  br i1 %size8, label %bytes8, label %bytes4
bytes8:
  %w8 = load i64, ptr %value
  store i64 %w8, ptr %slot
  br label %next
bytes4:
  %size4 = icmp eq i64 %a, 4
  br i1 %size4, label %load4, label %bytes2
load4:
  %w4 = load i32, ptr %value
  %x4 = zext i32 %w4 to i64
  store i64 %x4, ptr %slot
  br label %next
bytes2:
  %size2 = icmp eq i64 %a, 2
  br i1 %size2, label %load2, label %load1
load2:
  %w2 = load i16, ptr %value
  %x2 = zext i16 %w2 to i64
  store i64 %x2, ptr %slot
  br label %next
load1:
  %w1 = load i8, ptr %value
  %x1 = zext i8 %w1 to i64
  store i64 %x1, ptr %slot
  br label %next

single:
  br i1 %is0, label %round, label %single.own
single.own:
  br i1 %is12, label %load4, label %slow
round:
  %double = load double, ptr %value
  %rounded = fptrunc double %double to float
  %pattern = bitcast float %rounded to i32
  %wide = zext i32 %pattern to i64
  store i64 %wide, ptr %slot
  br label %next

integer:
  %weak = icmp ne i64 %d, 0
  %is.subclass = and i1 %is1, %weak
  %is.int = or i1 %is0, %is.subclass
  br i1 %is.int, label %python.int, label %integer.own
integer.own:
  br i1 %is12, label %bytes, label %slow
python.int:
  %number = call i64 @PyLong_AsLongLongAndOverflow(ptr %item, ptr %overflow)
  %over = load i32, ptr %overflow
  %fits = icmp eq i32 %over, 0
  %above = icmp sge i64 %number, %b
  %below = icmp sle i64 %number, %c
  %inside = and i1 %above, %below
  %good = and i1 %inside, %fits
  store i64 %number, ptr %slot
  br i1 %good, label %next, label %slow

array:
  br i1 %is0, label %shape, label %slow
shape:
  %descr.p = getelementptr i8, ptr %item, i64 {f["descr"]}
  %descr = load i64, ptr %descr.p
  %same.descr = icmp eq i64 %descr, %d
  %flags.p = getelementptr i8, ptr %item, i64 {f["flags"]}
  %flags32 = load i32, ptr %flags.p
  %flags = zext i32 %flags32 to i64
  %have = and i64 %flags, %c
  %enough = icmp eq i64 %have, %c
  %ndim.p = getelementptr i8, ptr %item, i64 {f["ndim"]}
  %ndim32 = load i32, ptr %ndim.p
  %ndim = zext i32 %ndim32 to i64
  %has.last = icmp sge i64 %b, 0
  %extra = zext i1 %has.last to i64
  %wanted = add i64 %a, %extra
  %same.ndim = icmp eq i64 %ndim, %wanted
  %ok1 = and i1 %same.descr, %enough
  %ok2 = and i1 %ok1, %same.ndim
  br i1 %ok2, label %lengths, label %slow
lengths:
  %dims.p = getelementptr i8, ptr %item, i64 {f["dims"]}
  %dims = load ptr, ptr %dims.p
  %data = load i64, ptr %value
  store i64 %data, ptr %slot
  %low.bits = and i64 %data, %t1
  %is.aligned = icmp eq i64 %low.bits, 0
  br i1 %is.aligned, label %each, label %slow
each:
  %k = phi i64 [ 0, %lengths ], [ %k.next, %each.ok ]
  %dim.p = getelementptr i64, ptr %dims, i64 %k
  %dim = load i64, ptr %dim.p
  %k.next = add i64 %k, 1
  %slot.k = getelementptr i64, ptr %slot, i64 %k.next
  store i64 %dim, ptr %slot.k
  %in.range = icmp ult i64 %dim, {LENGTH_LIMIT}
  br i1 %in.range, label %each.ok, label %slow
each.ok:
  %is.last = icmp eq i64 %k.next, %a
  br i1 %is.last, label %last, label %each
last:
  br i1 %has.last, label %components, label %next
components:
  %last.p = getelementptr i64, ptr %dims, i64 %a
  %found = load i64, ptr %last.p
  %same.last = icmp eq i64 %found, %b
  br i1 %same.last, label %next, label %slow

struct:
  br i1 %is0, label %fields, label %slow
fields:
  %buffer.p = getelementptr i8, ptr %item, i64 {buffer}
  %buffer = load ptr, ptr %buffer.p
  %offset.p = getelementptr i8, ptr %item, i64 {offset}
  %offset.o = load ptr, ptr %offset.p
  %no.buffer = icmp eq ptr %buffer, null
  %no.offset = icmp eq ptr %offset.o, null
  %unset = or i1 %no.buffer, %no.offset
  br i1 %unset, label %slow, label %set
set:
  %offset = call i64 @PyLong_AsLongLongAndOverflow(ptr %offset.o, ptr %overflow)
  %refused = call i32 @PyObject_GetBuffer(ptr %buffer, ptr %view, i32 1)
  %writable = icmp eq i32 %refused, 0
  br i1 %writable, label %viewed, label %cleared
cleared:
  call void @PyErr_Clear()
  br label %slow
viewed:
  %start = load i64, ptr %view
  call void @PyBuffer_Release(ptr %view)
  %place = add i64 %start, %offset
  store i64 %place, ptr %slot
  %low.of.place = and i64 %place, %t1
  %place.fits = icmp eq i64 %low.of.place, 0
  br i1 %place.fits, label %next, label %slow

vector:
  br i1 %is0, label %tuple, label %slow
tuple:
  %tuple.p = getelementptr i8, ptr %item, i64 {items}
  %tuple.o = load ptr, ptr %tuple.p
  %no.tuple = icmp eq ptr %tuple.o, null
  br i1 %no.tuple, label %slow, label %tuple.items
tuple.items:
  %first = getelementptr i8, ptr %tuple.o, i64 {TUPLE_ITEMS}
  br label %component
component:
  %m = phi i64 [ 0, %tuple.items ], [ %m.next, %stored ]
  %one.p = getelementptr ptr, ptr %first, i64 %m
  %one = load ptr, ptr %one.p
  %one.type.p = getelementptr i8, ptr %one, i64 8
  %one.type = load i64, ptr %one.type.p
  %one.value = getelementptr i8, ptr %one, i64 {HEAD}
  %one.slot = getelementptr i64, ptr %slot, i64 %m
  %own.type = icmp eq i64 %one.type, %t1
  br i1 %own.type, label %sized, label %slow
sized:
  switch i64 %a, label %slow [ i64 8, label %one8  i64 4, label %one4  i64 2, label %one2
    i64 1, label %one1 ]
one8:
  %o8 = load i64, ptr %one.value
  br label %stored
one4:
  %o4 = load i32, ptr %one.value
  %p4 = zext i32 %o4 to i64
  br label %stored
one2:
  %o2 = load i16, ptr %one.value
  %p2 = zext i16 %o2 to i64
  br label %stored
one1:
  %o1 = load i8, ptr %one.value
  %p1 = zext i8 %o1 to i64
  br label %stored
stored:
  %component.word = phi i64 [ %o8, %one8 ], [ %p4, %one4 ], [ %p2, %one2 ], [ %p1, %one1 ]
  store i64 %component.word, ptr %one.slot
  %m.next = add i64 %m, 1
  %more.components = icmp slt i64 %m.next, %b
  br i1 %more.components, label %component, label %next

next:
  %n.next = add i64 %n, 1
  br label %head
slow:
  %failed = add i64 %n, 1
  ret i64 %failed
done:
  ret i64 0
}}

define i64 @sb_pack_tuple(ptr %tuple, ptr %table, i64 %count, ptr %slots) {{
entry:
{PINNED[fp_control]}
  br i1 %pinned, label %go, label %slow
go:
  %items = getelementptr i8, ptr %tuple, i64 {TUPLE_ITEMS}
  %status = call i64 @sb_pack(ptr %items, ptr %table, i64 %count, ptr %slots)
{BACK[fp_control]}
  ret i64 %status
slow:
  ret i64 1
}}

"""


Pack = Any
"""`pack(arguments, table, count, slots)`: 0, or 1 + the position of an argument for the slow
path."""


@cache
def routine() -> tuple[Pack, Loaded] | None:
    """The packing routine and its loaded code; None if objects have another layout."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    if not getattr(sys, "_is_gil_enabled", lambda: True)() or not _layout_is_as_expected():
        return None
    here = host()
    if here.fp_control not in PINNED:
        return None
    code = own_code(_text(here.triple, here.fp_control))
    loaded = load(code, ["sb_pack_tuple", "sb_pack"], addresses(PYTHON))
    pack = ctypes.PYFUNCTYPE(
        ctypes.c_int64, ctypes.py_object, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p
    )(loaded.addresses["sb_pack_tuple"])
    vars(pack)["loaded"] = loaded  # two threads may run this: each copy keeps its own code alive
    return pack, loaded


_FIELDS = ((Struct, "_buffer"), (Struct, "_offset"), (Vector, "_items"))
"""The slots that the routine reads."""


def _layout_is_as_expected() -> bool:
    """Whether each field that the routine reads is at the expected offset."""
    if object.__basicsize__ != HEAD or sys.byteorder != "little":
        return False
    array = np.zeros((3, 5, 7), np.float32)
    if np.ndarray.__basicsize__ < max(ARRAY_FIELDS.values()) + 4:
        return False
    if not all(offset_of(*field) for field in _FIELDS):
        return False
    f = ARRAY_FIELDS
    dims = (ctypes.c_int64 * 3).from_address(word(array, f["dims"]))
    flags = word(array, f["flags"], ctypes.c_int32)
    checks = [
        word(array, 8) == id(np.ndarray),
        word(array, f["data"]) == array.ctypes.data,
        word(array, f["ndim"], ctypes.c_int32) == 3,
        tuple(dims) == (3, 5, 7),
        word(array, f["descr"]) == id(np.dtype(np.float32)),
        flags & _FLAGS_WRITE == _FLAGS_WRITE,
    ]
    frozen = array[::2, 1:, 1:]
    frozen.flags.writeable = False
    checks.append(word(frozen, f["flags"], ctypes.c_int32) & 0x401 == 0)
    pair = (array, frozen)
    checks.append([word(pair, TUPLE_ITEMS + 8 * i) for i in (0, 1)] == [id(a) for a in pair])
    numbers = tuple(SCALAR_CLASSES[FLOAT64](n) for n in (1, 2, 3))
    whole = vector(COMPOSITE_CLASSES[vector_of(FLOAT64, 3)], numbers)
    checks.append(word(whole, offset_of(Vector, "_items")) == id(numbers))
    checks.append(ctypes.c_double.from_address(id(pi := 3.25) + HEAD).value == pi)
    for t, cls in SCALAR_CLASSES.items():
        if t is BOOL or t.weak or t.storage != t:
            continue
        numpys = t.dtype.type(101)
        number = numpys.tobytes()
        for scalar, kind in ((cls(101), cls), (numpys, t.dtype.type)):
            # Its type and its number follow one another.
            wanted = id(kind).to_bytes(8, "little") + number
            checks.append(ctypes.string_at(id(scalar) + HEAD - 8, len(wanted)) == wanted)
    return all(checks)
