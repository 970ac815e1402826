"""The copying routine: a small compiled function that writes structs from Python to memory of ours.

It takes what a simulation's players give: an ndarray, or a list or tuple of structs and of dicts of
scalars and vectors. Floats and bools become canonical. It accepts exact types alone, and leaves
anything else to the caller. It knows CPython's functions and what the packing routine knows of
NumPy's arrays.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import numpy as np

from samebits.bits import CANONICAL_NAN, INFINITY, leaves
from samebits.lang.memory.structs import Struct
from samebits.runtime.calls import packing, python_api
from samebits.runtime.objects.host import host
from samebits.runtime.objects.loading import load, own_code
from samebits.types import BOOL, ScalarType, StructType, VectorType

MOST_SCALARS = 1024
"""Of one struct: with more it is copied by NumPy."""
_MOST_PACKED = 64
"""Scalars of a struct that dicts are taken for."""

_WORDS = (
    "count", "size", "target", "ndarray", "dtype", "struct", "list", "tuple", "dict",
    "struct_buffer", "struct_offset",
    "scalars", "rows", "fields", "names", "defaults", "steps",
)  # fmt: skip
"""The table, a word each. `count` structs of `size` bytes go to `target`. The names of attributes
are Python strings. `rows` are `scalars` pairs of an offset and a kind. `names` and `defaults` have,
for each of `fields`, its name and the value that it has where a dict leaves it out; `steps` is the
packing routine's table."""

_KINDS = {"raw1": 0, "raw2": 1, "raw4": 2, "raw8": 3, "bool": 4, "nan16": 5, "nan32": 6, "nan64": 7}
"""How a scalar is copied: its bytes alone, or made canonical."""

_PYTHON = {
    "PyList_Size": "i64 (ptr)",
    "PyList_GetItem": "ptr (ptr, i64)",
    "PyTuple_Size": "i64 (ptr)",
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyDict_Next": "i32 (ptr, ptr, ptr, ptr)",
    "PyObject_GetAttr": "ptr (ptr, ptr)",
    "PyObject_GetBuffer": "i32 (ptr, ptr, i32)",
    "PyBuffer_Release": "void (ptr)",
    "PyLong_AsSsize_t": "i64 (ptr)",
    "PyErr_Clear": "void ()",
    "Py_DecRef": "void (ptr)",
}
"""Functions of CPython's stable ABI, with their LLVM types."""
_PACK = "sb_pack_tuple"
_C_CONTIGUOUS = 1
_ATTRIBUTES = ("_buffer", "_offset")
"""Of a struct: its memory, and its place there."""


def _word(name: str, table: str = "%table") -> str:
    """LLVM text that loads a word of the table into a value of its name."""
    return (
        f"  %{name}.p = getelementptr i64, ptr {table}, i64 {_WORDS.index(name)}\n"
        f"  %{name} = load i64, ptr %{name}.p\n"
    )


def _words(*names: str) -> str:
    return "".join(map(_word, names))


def _copy(kind: str) -> str:
    """The blocks that copy one scalar of a kind."""
    size = int(kind[3:]) if kind.startswith("raw") else 1 if kind == "bool" else int(kind[3:]) // 8
    bits = 8 * size
    text = f"{kind}:\n  %{kind}.x = load i{bits}, ptr %from, align 1\n"
    if kind == "bool":
        text += (
            "  %bool.t = icmp ne i8 %bool.x, 0\n"
            "  %bool.y = zext i1 %bool.t to i8\n"
        )  # fmt: skip
    elif kind.startswith("nan"):
        text += (
            f"  %{kind}.m = and i{bits} %{kind}.x, {(1 << (bits - 1)) - 1}\n"
            f"  %{kind}.t = icmp ugt i{bits} %{kind}.m, {INFINITY[bits]}\n"
            f"  %{kind}.y = select i1 %{kind}.t, i{bits} {CANONICAL_NAN[bits]}, i{bits} %{kind}.x\n"
        )
    else:
        text += f"  %{kind}.y = or i{bits} %{kind}.x, 0\n"
    return text + f"  store i{bits} %{kind}.y, ptr %to, align 1\n  br label %next\n"


def _text(triple: str) -> str:
    f = packing.ARRAY_FIELDS
    cases = " ".join(f"i64 {n}, label %{kind}" for kind, n in _KINDS.items())
    copies = "".join(map(_copy, _KINDS))
    return f"""target triple = "{triple}"
{python_api.declared(_PYTHON)}
declare i64 @{_PACK}(ptr, ptr, i64, ptr)

define void @sb_item(ptr %table, ptr %source, i64 %packed, i64 %place) {{
entry:
{_words("size", "target", "scalars", "rows")}
  %rows.a = inttoptr i64 %rows to ptr
  %target.a = inttoptr i64 %target to ptr
  %at = mul i64 %place, %size
  %item = getelementptr i8, ptr %target.a, i64 %at
  %is.packed = icmp ne i64 %packed, 0
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %n.next, %next ]
  %more = icmp slt i64 %n, %scalars
  br i1 %more, label %one, label %done
one:
  %first = mul i64 %n, 2
  %row = getelementptr i64, ptr %rows.a, i64 %first
  %offset = load i64, ptr %row
  %kind.p = getelementptr i64, ptr %row, i64 1
  %kind = load i64, ptr %kind.p
  %slot = mul i64 %n, 8
  %where = select i1 %is.packed, i64 %slot, i64 %offset
  %from = getelementptr i8, ptr %source, i64 %where
  %to = getelementptr i8, ptr %item, i64 %offset
  switch i64 %kind, label %next [ {cases} ]
{copies}next:
  %n.next = add i64 %n, 1
  br label %head
done:
  ret void
}}

define i64 @sb_array(ptr %table, ptr %given) {{
entry:
{_words("count", "size", "dtype")}
  %descr.p = getelementptr i8, ptr %given, i64 {f["descr"]}
  %descr = load i64, ptr %descr.p
  %flags.p = getelementptr i8, ptr %given, i64 {f["flags"]}
  %flags = load i32, ptr %flags.p
  %contiguous = and i32 %flags, {_C_CONTIGUOUS}
  %ndim.p = getelementptr i8, ptr %given, i64 {f["ndim"]}
  %ndim = load i32, ptr %ndim.p
  %ok0 = icmp eq i64 %descr, %dtype
  %ok1 = icmp eq i32 %contiguous, {_C_CONTIGUOUS}
  %ok2 = icmp eq i32 %ndim, 1
  %ok01 = and i1 %ok0, %ok1
  %ok = and i1 %ok01, %ok2
  br i1 %ok, label %shape, label %slow
shape:
  %dims.p = getelementptr i8, ptr %given, i64 {f["dims"]}
  %dims = load ptr, ptr %dims.p
  %length = load i64, ptr %dims
  %fits = icmp eq i64 %length, %count
  br i1 %fits, label %go, label %slow
go:
  %data.p = getelementptr i8, ptr %given, i64 {f["data"]}
  %data = load ptr, ptr %data.p
  br label %head
head:
  %k = phi i64 [ 0, %go ], [ %k.next, %body ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %body, label %done
body:
  %at = mul i64 %k, %size
  %source = getelementptr i8, ptr %data, i64 %at
  call void @sb_item(ptr %table, ptr %source, i64 0, i64 %k)
  %k.next = add i64 %k, 1
  br label %head
done:
  ret i64 0
slow:
  ret i64 1
}}

define i64 @sb_struct(ptr %table, ptr %given, i64 %place) {{
entry:
  %view = alloca [12 x i64], align 16
{_words("size", "struct_buffer", "struct_offset")}
  %buffer.n = inttoptr i64 %struct_buffer to ptr
  %offset.n = inttoptr i64 %struct_offset to ptr
  %buffer = call ptr @PyObject_GetAttr(ptr %given, ptr %buffer.n)
  %no.buffer = icmp eq ptr %buffer, null
  br i1 %no.buffer, label %failed, label %has.buffer
has.buffer:
  %number = call ptr @PyObject_GetAttr(ptr %given, ptr %offset.n)
  %no.number = icmp eq ptr %number, null
  br i1 %no.number, label %drop.buffer, label %has.number
has.number:
  %offset = call i64 @PyLong_AsSsize_t(ptr %number)
  call void @Py_DecRef(ptr %number)
  %below = icmp slt i64 %offset, 0
  br i1 %below, label %drop.buffer, label %open
open:
  %status = call i32 @PyObject_GetBuffer(ptr %buffer, ptr %view, i32 0)
  %is.open = icmp eq i32 %status, 0
  br i1 %is.open, label %within, label %drop.buffer
within:
  %length.p = getelementptr i64, ptr %view, i64 2
  %length = load i64, ptr %length.p
  %left = sub i64 %length, %offset
  %fits = icmp sge i64 %left, %size
  br i1 %fits, label %copy, label %close
copy:
  %start = load ptr, ptr %view
  %source = getelementptr i8, ptr %start, i64 %offset
  call void @sb_item(ptr %table, ptr %source, i64 0, i64 %place)
  br label %close
close:
  %result = phi i64 [ 1, %within ], [ 0, %copy ]
  call void @PyBuffer_Release(ptr %view)
  call void @Py_DecRef(ptr %buffer)
  ret i64 %result
drop.buffer:
  call void @Py_DecRef(ptr %buffer)
  br label %failed
failed:
  call void @PyErr_Clear()
  ret i64 1
}}

define i64 @sb_dict(ptr %table, ptr %given, i64 %place) {{
entry:
  %values = alloca [{_MOST_PACKED} x ptr], align 16
  %slots = alloca [{_MOST_PACKED} x i64], align 16
  %position = alloca i64
  %key.p = alloca ptr
  %value.p = alloca ptr
{_words("fields", "names", "defaults", "steps")}
  %names.a = inttoptr i64 %names to ptr
  %defaults.a = inttoptr i64 %defaults to ptr
  %steps.a = inttoptr i64 %steps to ptr
  store i64 0, ptr %position
  %none = icmp eq i64 %fields, 0
  br i1 %none, label %slow, label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i.next, %fill ]
  %default.p = getelementptr ptr, ptr %defaults.a, i64 %i
  %default = load ptr, ptr %default.p
  %value.i = getelementptr ptr, ptr %values, i64 %i
  store ptr %default, ptr %value.i
  %i.next = add i64 %i, 1
  %filled = icmp eq i64 %i.next, %fields
  br i1 %filled, label %each, label %fill
each:
  %some = call i32 @PyDict_Next(ptr %given, ptr %position, ptr %key.p, ptr %value.p)
  %is.some = icmp ne i32 %some, 0
  br i1 %is.some, label %named, label %pack
named:
  %key = load i64, ptr %key.p
  %value = load ptr, ptr %value.p
  br label %find
find:
  %f = phi i64 [ 0, %named ], [ %f.next, %other ]
  %left = icmp slt i64 %f, %fields
  br i1 %left, label %compare, label %slow
compare:
  %name.p = getelementptr i64, ptr %names.a, i64 %f
  %name = load i64, ptr %name.p
  %same = icmp eq i64 %name, %key
  br i1 %same, label %found, label %other
other:
  %f.next = add i64 %f, 1
  br label %find
found:
  %place.p = getelementptr ptr, ptr %values, i64 %f
  store ptr %value, ptr %place.p
  br label %each
pack:
  %tuple = getelementptr i8, ptr %values, i64 {-python_api.TUPLE_ITEMS}
  %status = call i64 @{_PACK}(ptr %tuple, ptr %steps.a, i64 %fields, ptr %slots)
  %good = icmp eq i64 %status, 0
  br i1 %good, label %copy, label %slow
copy:
  call void @sb_item(ptr %table, ptr %slots, i64 1, i64 %place)
  ret i64 0
slow:
  ret i64 1
}}

define i64 @sb_inputs(ptr %given, ptr %table) {{
entry:
{_words("count", "ndarray", "struct", "list", "tuple", "dict")}
  %type.p = getelementptr i8, ptr %given, i64 8
  %type = load i64, ptr %type.p
  %is.array = icmp eq i64 %type, %ndarray
  br i1 %is.array, label %array, label %not.array
array:
  %status.array = call i64 @sb_array(ptr %table, ptr %given)
  ret i64 %status.array
not.array:
  %is.list = icmp eq i64 %type, %list
  br i1 %is.list, label %list.size, label %not.list
list.size:
  %in.list = call i64 @PyList_Size(ptr %given)
  br label %sized
not.list:
  %is.tuple = icmp eq i64 %type, %tuple
  br i1 %is.tuple, label %tuple.size, label %slow
tuple.size:
  %in.tuple = call i64 @PyTuple_Size(ptr %given)
  br label %sized
sized:
  %length = phi i64 [ %in.list, %list.size ], [ %in.tuple, %tuple.size ]
  %fits = icmp eq i64 %length, %count
  br i1 %fits, label %head, label %slow
head:
  %k = phi i64 [ 0, %sized ], [ %k.next, %good ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %body, label %done
body:
  br i1 %is.list, label %list.item, label %tuple.item
list.item:
  %of.list = call ptr @PyList_GetItem(ptr %given, i64 %k)
  br label %has.item
tuple.item:
  %of.tuple = call ptr @PyTuple_GetItem(ptr %given, i64 %k)
  br label %has.item
has.item:
  %item = phi ptr [ %of.list, %list.item ], [ %of.tuple, %tuple.item ]
  %item.type.p = getelementptr i8, ptr %item, i64 8
  %item.type = load i64, ptr %item.type.p
  %is.struct = icmp eq i64 %item.type, %struct
  br i1 %is.struct, label %of.struct, label %not.struct
of.struct:
  %status.struct = call i64 @sb_struct(ptr %table, ptr %item, i64 %k)
  br label %judge
not.struct:
  %is.dict = icmp eq i64 %item.type, %dict
  br i1 %is.dict, label %of.dict, label %slow
of.dict:
  %status.dict = call i64 @sb_dict(ptr %table, ptr %item, i64 %k)
  br label %judge
judge:
  %status = phi i64 [ %status.struct, %of.struct ], [ %status.dict, %of.dict ]
  %failed = icmp ne i64 %status, 0
  br i1 %failed, label %slow, label %good
good:
  %k.next = add i64 %k, 1
  br label %head
done:
  ret i64 0
slow:
  ret i64 1
}}
"""


@cache
def _routine() -> Any | None:
    """`copy(given, table)`: 0, or 1 where it has not written all; None where the packing routine is
    not there either."""
    pack = packing.routine()
    if pack is None:
        return None
    imports = python_api.addresses(_PYTHON) | {_PACK: pack[1].addresses[_PACK]}
    loaded = load(own_code(_text(host().triple)), ["sb_inputs"], imports)
    copy = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.py_object, ctypes.c_void_p)(
        loaded.addresses["sb_inputs"]
    )
    vars(copy)["loaded"] = loaded, pack
    return copy


class InputCopier:
    """Copies one frame's inputs, `count` of a struct, to memory of its own."""

    def __init__(self, cls: type[Struct], count: int, copy: Any) -> None:
        t = cls.__sb_type__
        self.memory = np.zeros((1, count), t.dtype)
        """The latest inputs, canonical."""
        rows = [(t, offset) for _, t, offset in leaves(t)]
        self._rows = _array([word for t, offset in rows for word in (offset, _KINDS[_kind(t)])])
        words = dict.fromkeys(_WORDS, 0) | {
            "count": count,
            "size": t.size,
            "target": self.memory.ctypes.data,
            "ndarray": id(np.ndarray),
            "dtype": id(t.dtype),
            "struct": id(cls),
            "list": id(list),
            "tuple": id(tuple),
            "dict": id(dict),
            "scalars": len(rows),
            "rows": ctypes.addressof(self._rows),
        }
        words["struct_buffer"], words["struct_offset"] = map(id, _ATTRIBUTES)
        self._kept: list[Any] = [cls, t.dtype]
        if len(rows) <= _MOST_PACKED:
            words |= self._for_dicts(cls, t)
        self._table = _array([words[name] for name in _WORDS])
        self._copy = copy
        self._at = ctypes.c_void_p(ctypes.addressof(self._table))

    def _for_dicts(self, cls: type[Struct], t: StructType) -> dict[str, int]:
        first = cls()
        steps: list[packing.PackingStep] = []
        slot = 0
        for _, field in t.fields:
            if isinstance(field, ScalarType):
                step, parts = packing.scalar_step(field, slot), 1
            elif isinstance(field, VectorType):
                step, parts = packing.vector_step(field, slot), field.length
            else:
                return {}
            if step.kind == packing.SKIP:
                return {}
            steps.append(step)
            slot += parts
        names = [sys.intern(name) for name, _ in t.fields]
        defaults: list[Any] = [getattr(first, name) for name in names]
        words = _array([*map(id, names)]), _array([*map(id, defaults)]), packing.table(steps)
        self._kept += [defaults, names, *words]
        at = dict(zip(("names", "defaults", "steps"), map(ctypes.addressof, words), strict=True))
        return {"fields": len(steps), **at}

    @property
    def addresses(self) -> tuple[int, int]:
        """Of the routine, `i64 (ptr, ptr)`, which returns 0 where it has copied all, and of the
        table that it takes after the inputs."""
        return ctypes.cast(self._copy, ctypes.c_void_p).value or 0, ctypes.addressof(self._table)

    def takes(self, given: Any) -> bool:
        """Whether `given` is now in `memory`; if not, what is there has no meaning."""
        return not self._copy(given, self._at)


def input_copier(cls: type[Struct], count: int) -> InputCopier | None:
    """The copier of `count` structs of a class; None where this process or the class has none."""
    copy = _routine()
    scalars = sum(1 for _ in leaves(cls.__sb_type__))
    return None if copy is None or scalars > MOST_SCALARS else InputCopier(cls, count, copy)


def _array(words: list[int]) -> Any:
    return (ctypes.c_int64 * max(1, len(words)))(*words)


def _kind(t: ScalarType) -> str:
    if t is BOOL:
        return "bool"
    return f"nan{8 * t.size}" if t.is_ieee else f"raw{t.size}"
