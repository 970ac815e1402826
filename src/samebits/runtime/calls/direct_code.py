"""The code of direct calls: LLVM text over CPython's C API, and the descriptor that runs it.

The function reads a kernel's `direct` record (`direct_calls.py` makes it), has the packing routine
write the arguments to slots on the stack, calls the entry without the interpreter's lock and makes
the results. The functions of CPython that it calls are of the stable ABI.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, cast

from samebits.lang.kernel import Kernel
from samebits.lang.memory.structs import Struct
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.lang.values.thread_state import managed_runs
from samebits.lang.values.vectors import Vector
from samebits.runtime.calls import packing, python_api
from samebits.runtime.calls.method_definition import MethodDef
from samebits.runtime.objects.host import host
from samebits.runtime.objects.loading import load, own_code
from samebits.runtime.pending_jobs import PENDING
from samebits.types import BOOL

FLOATING, WHOLE, TRUTH, SCALAR, COMPONENTS, STRUCT = range(6)
"""How to make a result: a Python float, an int, a bool; an instance of a scalar's class, of a
vector's; a struct, which is made before the call."""
_FASTCALL_KEYWORDS = 0x80 | 0x02
"""METH_FASTCALL | METH_KEYWORDS of CPython's methodobject.h."""


class ResultStep:
    """How to make a result: the slot that it begins at, the address of its class, the size in bytes
    and the number of its components; `element` is the address of the components' class, and of a
    struct's first bytes."""

    __slots__ = ("kind", "parts", "words")

    def __init__(
        self, kind: int, slot: int, cls: int = 0, element: int = 0, size: int = 0, parts: int = 0
    ) -> None:
        self.kind, self.parts = kind, parts
        self.words = kind, slot, cls, element, size, parts
        """As the code reads them."""


HEAD_WORDS, RESULT_WORDS = 6, 6
"""A table has a head, then the steps of results, then those of arguments."""
NEXT = 5
"""The item of a record that is the next record, or None."""

_PYTHON = {
    "PyList_Size": "i64 (ptr)",
    "PyDict_Size": "i64 (ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyFloat_FromDouble": "ptr (double)",
    "PyLong_FromLongLong": "ptr (i64)",
    "PyType_GenericAlloc": "ptr (ptr, i64)",
    "PyTuple_New": "ptr (i64)",
    "PyTuple_Size": "i64 (ptr)",
    "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyDict_New": "ptr ()",
    "PyDict_SetItem": "i32 (ptr, ptr, ptr)",
    "PyByteArray_FromStringAndSize": "ptr (ptr, i64)",
    "PyByteArray_AsString": "ptr (ptr)",
    "PyMemoryView_FromObject": "ptr (ptr)",
    "PyObject_Call": "ptr (ptr, ptr, ptr)",
    "PyErr_SetObject": "void (ptr, ptr)",
    "Py_IncRef": "void (ptr)",
    "Py_DecRef": "void (ptr)",
}
_OBJECTS: dict[str, object] = {
    "sb_tuple": tuple,
    "sb_none": None,
    "sb_true": True,
    "sb_false": False,
    "sb_managed": managed_runs,
    "sb_pending": PENDING,
    "sb_slow": Kernel.__call__,
}
"""The objects that the code knows, under their symbols."""


def _text(triple: str, fp_control: str | None) -> str:
    declared = python_api.declared({**_PYTHON, "sb_pack": "i64 (ptr, ptr, i64, ptr)"})
    objects = "\n".join(f"@{name} = external global i8" for name in _OBJECTS)
    items, tuple_items = python_api.offset_of(Vector, "_items"), python_api.TUPLE_ITEMS
    buffer, offset = (python_api.offset_of(Struct, name) for name in ("_buffer", "_offset"))
    return f"""target triple = "{triple}"
{objects}
{declared}

define internal ptr @scalar(ptr %class, ptr %slot, i64 %size) {{
entry:
  %object = call ptr @PyType_GenericAlloc(ptr %class, i64 0)
  %failed = icmp eq ptr %object, null
  br i1 %failed, label %done, label %made
made:
  %value = getelementptr i8, ptr %object, i64 {python_api.HEAD}
  %word = load i64, ptr %slot
  switch i64 %size, label %eight [ i64 4, label %four  i64 2, label %two  i64 1, label %one ]
eight:
  store i64 %word, ptr %value
  br label %done
four:
  %word4 = trunc i64 %word to i32
  store i32 %word4, ptr %value
  br label %done
two:
  %word2 = trunc i64 %word to i16
  store i16 %word2, ptr %value
  br label %done
one:
  %word1 = trunc i64 %word to i8
  store i8 %word1, ptr %value
  br label %done
done:
  ret ptr %object
}}

define internal ptr @vector(ptr %class, ptr %element, ptr %slot, i64 %size, i64 %count) {{
entry:
  %items = call ptr @PyTuple_New(i64 %count)
  %no.items = icmp eq ptr %items, null
  br i1 %no.items, label %failed, label %each
each:
  %k = phi i64 [ 0, %entry ], [ %k.next, %put ]
  %place = getelementptr i64, ptr %slot, i64 %k
  %item = call ptr @scalar(ptr %element, ptr %place, i64 %size)
  %no.item = icmp eq ptr %item, null
  br i1 %no.item, label %drop, label %put
put:
  %ok = call i32 @PyTuple_SetItem(ptr %items, i64 %k, ptr %item)
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %count
  br i1 %more, label %each, label %whole
whole:
  %object = call ptr @PyType_GenericAlloc(ptr %class, i64 0)
  %no.object = icmp eq ptr %object, null
  br i1 %no.object, label %drop, label %made
made:
  %field = getelementptr i8, ptr %object, i64 {items}
  store ptr %items, ptr %field
  ret ptr %object
drop:
  call void @Py_DecRef(ptr %items)
  br label %failed
failed:
  ret ptr null
}}

define internal ptr @struct(ptr %class, ptr %start, i64 %size, ptr %slot) {{
entry:
  %bytes = call ptr @PyByteArray_FromStringAndSize(ptr %start, i64 %size)
  %no.bytes = icmp eq ptr %bytes, null
  br i1 %no.bytes, label %failed, label %place
place:
  %address = call ptr @PyByteArray_AsString(ptr %bytes)
  store ptr %address, ptr %slot
  %view = call ptr @PyMemoryView_FromObject(ptr %bytes)
  call void @Py_DecRef(ptr %bytes)
  %no.view = icmp eq ptr %view, null
  br i1 %no.view, label %failed, label %viewed
viewed:
  %zero = call ptr @PyLong_FromLongLong(i64 0)
  %object = call ptr @PyType_GenericAlloc(ptr %class, i64 0)
  %no.object = icmp eq ptr %object, null
  br i1 %no.object, label %drop, label %made
made:
  %buffer.p = getelementptr i8, ptr %object, i64 {buffer}
  store ptr %view, ptr %buffer.p
  %offset.p = getelementptr i8, ptr %object, i64 {offset}
  store ptr %zero, ptr %offset.p
  ret ptr %object
drop:
  call void @Py_DecRef(ptr %view)
  call void @Py_DecRef(ptr %zero)
  br label %failed
failed:
  ret ptr null
}}

define internal i1 @structs(ptr %steps, i64 %count, ptr %slots, ptr %objects) {{
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %each, label %done
each:
  %at = mul i64 %k, {RESULT_WORDS}
  %step = getelementptr i64, ptr %steps, i64 %at
  %k.next = add i64 %k, 1
  %kind = load i64, ptr %step
  %is.struct = icmp eq i64 %kind, {STRUCT}
  br i1 %is.struct, label %make, label %next
make:
  %number.p = getelementptr i64, ptr %step, i64 1
  %number = load i64, ptr %number.p
  %slot = getelementptr i64, ptr %slots, i64 %number
  %class.p = getelementptr i64, ptr %step, i64 2
  %class = load ptr, ptr %class.p
  %start.p = getelementptr i64, ptr %step, i64 3
  %start = load ptr, ptr %start.p
  %size.p = getelementptr i64, ptr %step, i64 4
  %size = load i64, ptr %size.p
  %object = call ptr @struct(ptr %class, ptr %start, i64 %size, ptr %slot)
  %object.p = getelementptr ptr, ptr %objects, i64 %number
  store ptr %object, ptr %object.p
  %failed = icmp eq ptr %object, null
  br i1 %failed, label %done, label %next
next:
  br label %head
done:
  %ok = phi i1 [ true, %head ], [ false, %make ]
  ret i1 %ok
}}

define internal void @each(ptr %objects, i64 %count, i1 %drop) {{
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %one, label %done
one:
  %object.p = getelementptr ptr, ptr %objects, i64 %k
  %k.next = add i64 %k, 1
  br i1 %drop, label %dropped, label %next
dropped:
  %object = load ptr, ptr %object.p
  call void @Py_DecRef(ptr %object)
  br label %next
next:
  store ptr null, ptr %object.p
  br label %head
done:
  ret void
}}

define internal ptr @result(ptr %step, ptr %slots, ptr %objects) {{
entry:
  %kind = load i64, ptr %step
  %number.p = getelementptr i64, ptr %step, i64 1
  %number = load i64, ptr %number.p
  %slot = getelementptr i64, ptr %slots, i64 %number
  %class.p = getelementptr i64, ptr %step, i64 2
  %class = load ptr, ptr %class.p
  %element.p = getelementptr i64, ptr %step, i64 3
  %element = load ptr, ptr %element.p
  %size.p = getelementptr i64, ptr %step, i64 4
  %size = load i64, ptr %size.p
  %count.p = getelementptr i64, ptr %step, i64 5
  %count = load i64, ptr %count.p
  switch i64 %kind, label %scalar [ i64 {FLOATING}, label %floating  i64 {WHOLE}, label %whole
    i64 {TRUTH}, label %truth  i64 {COMPONENTS}, label %vector  i64 {STRUCT}, label %struct ]
struct:
  %object.p = getelementptr ptr, ptr %objects, i64 %number
  %object = load ptr, ptr %object.p
  store ptr null, ptr %object.p
  ret ptr %object
floating:
  %double = load double, ptr %slot
  %as.float = call ptr @PyFloat_FromDouble(double %double)
  ret ptr %as.float
whole:
  %integer = load i64, ptr %slot
  %as.int = call ptr @PyLong_FromLongLong(i64 %integer)
  ret ptr %as.int
truth:
  %bit = load i8, ptr %slot
  %is.true = icmp ne i8 %bit, 0
  %as.bool = select i1 %is.true, ptr @sb_true, ptr @sb_false
  call void @Py_IncRef(ptr %as.bool)
  ret ptr %as.bool
scalar:
  %as.scalar = call ptr @scalar(ptr %class, ptr %slot, i64 %size)
  ret ptr %as.scalar
vector:
  %as.vector = call ptr @vector(ptr %class, ptr %element, ptr %slot, i64 %size, i64 %count)
  ret ptr %as.vector
}}

define internal ptr @results(ptr %steps, i64 %count, ptr %slots, ptr %objects) {{
entry:
  %tuple = call ptr @PyTuple_New(i64 %count)
  %no.tuple = icmp eq ptr %tuple, null
  br i1 %no.tuple, label %failed, label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %put ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %each, label %done
each:
  %at = mul i64 %k, {RESULT_WORDS}
  %step = getelementptr i64, ptr %steps, i64 %at
  %item = call ptr @result(ptr %step, ptr %slots, ptr %objects)
  %no.item = icmp eq ptr %item, null
  br i1 %no.item, label %drop, label %put
put:
  %ok = call i32 @PyTuple_SetItem(ptr %tuple, i64 %k, ptr %item)
  %k.next = add i64 %k, 1
  br label %head
done:
  ret ptr %tuple
drop:
  call void @Py_DecRef(ptr %tuple)
  br label %failed
failed:
  ret ptr null
}}

define internal void @trap(ptr %handler, i32 %status) {{
entry:
  %wide = sext i32 %status to i64
  %number = call ptr @PyLong_FromLongLong(i64 %wide)
  %no.number = icmp eq ptr %number, null
  br i1 %no.number, label %done, label %numbered
numbered:
  %arguments = call ptr @PyTuple_New(i64 1)
  %no.arguments = icmp eq ptr %arguments, null
  br i1 %no.arguments, label %drop, label %ask
ask:
  %ok = call i32 @PyTuple_SetItem(ptr %arguments, i64 0, ptr %number)
  %error = call ptr @PyObject_Call(ptr %handler, ptr %arguments, ptr null)
  call void @Py_DecRef(ptr %arguments)
  %no.error = icmp eq ptr %error, null
  br i1 %no.error, label %done, label %raise
raise:
  %class.p = getelementptr i8, ptr %error, i64 8
  %class = load ptr, ptr %class.p
  call void @PyErr_SetObject(ptr %class, ptr %error)
  call void @Py_DecRef(ptr %error)
  ret void
drop:
  call void @Py_DecRef(ptr %number)
  br label %done
done:
  ret void
}}

define internal ptr @slow(ptr %self, ptr %args, i64 %count, ptr %names) {{
entry:
  %size = add i64 %count, 1
  %tuple = call ptr @PyTuple_New(i64 %size)
  %no.tuple = icmp eq ptr %tuple, null
  br i1 %no.tuple, label %failed, label %first
first:
  call void @Py_IncRef(ptr %self)
  %ok0 = call i32 @PyTuple_SetItem(ptr %tuple, i64 0, ptr %self)
  br label %head
head:
  %k = phi i64 [ 0, %first ], [ %k.next, %each ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %each, label %keywords
each:
  %item.p = getelementptr ptr, ptr %args, i64 %k
  %item = load ptr, ptr %item.p
  call void @Py_IncRef(ptr %item)
  %k.next = add i64 %k, 1
  %ok1 = call i32 @PyTuple_SetItem(ptr %tuple, i64 %k.next, ptr %item)
  br label %head
keywords:
  %no.names = icmp eq ptr %names, null
  br i1 %no.names, label %call, label %fill
fill:
  %dict = call ptr @PyDict_New()
  %no.dict = icmp eq ptr %dict, null
  br i1 %no.dict, label %drop, label %sized
sized:
  %named = call i64 @PyTuple_Size(ptr %names)
  br label %name.head
name.head:
  %n = phi i64 [ 0, %sized ], [ %n.next, %name.next ]
  %more.names = icmp slt i64 %n, %named
  br i1 %more.names, label %name.each, label %call
name.each:
  %name = call ptr @PyTuple_GetItem(ptr %names, i64 %n)
  %at = add i64 %count, %n
  %value.p = getelementptr ptr, ptr %args, i64 %at
  %value = load ptr, ptr %value.p
  %refused = call i32 @PyDict_SetItem(ptr %dict, ptr %name, ptr %value)
  %bad = icmp ne i32 %refused, 0
  br i1 %bad, label %drop.both, label %name.next
name.next:
  %n.next = add i64 %n, 1
  br label %name.head
call:
  %given = phi ptr [ null, %keywords ], [ %dict, %name.head ]
  %result = call ptr @PyObject_Call(ptr @sb_slow, ptr %tuple, ptr %given)
  call void @Py_DecRef(ptr %tuple)
  call void @Py_DecRef(ptr %given)
  ret ptr %result
drop.both:
  call void @Py_DecRef(ptr %dict)
  br label %drop
drop:
  call void @Py_DecRef(ptr %tuple)
  br label %failed
failed:
  ret ptr null
}}

define internal i1 @bind(ptr %bound, i64 %wanted, ptr %args, i64 %count, ptr %names, ptr %record) {{
entry:
  %known.p = getelementptr i8, ptr %record, i64 {tuple_items + 16}
  %known = load ptr, ptr %known.p
  %known.items = getelementptr i8, ptr %known, i64 {tuple_items}
  %defaults.p = getelementptr i8, ptr %record, i64 {tuple_items + 24}
  %defaults = load ptr, ptr %defaults.p
  %default.items = getelementptr i8, ptr %defaults, i64 {tuple_items}
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %each ]
  %more = icmp slt i64 %k, %wanted
  br i1 %more, label %each, label %keywords
each:
  %is.given = icmp slt i64 %k, %count
  %from = select i1 %is.given, ptr %args, ptr %default.items
  %item.p = getelementptr ptr, ptr %from, i64 %k
  %item = load ptr, ptr %item.p
  %place = getelementptr ptr, ptr %bound, i64 %k
  store ptr %item, ptr %place
  %k.next = add i64 %k, 1
  br label %head
keywords:
  %none = icmp eq ptr %names, null
  br i1 %none, label %done, label %named
named:
  %size = call i64 @PyTuple_Size(ptr %names)
  br label %name.head
name.head:
  %n = phi i64 [ 0, %named ], [ %n.next, %found ]
  %more.names = icmp slt i64 %n, %size
  br i1 %more.names, label %name.each, label %done
name.each:
  %name = call ptr @PyTuple_GetItem(ptr %names, i64 %n)
  br label %search
search:
  %j = phi i64 [ %count, %name.each ], [ %j.next, %other ]
  %left = icmp slt i64 %j, %wanted
  br i1 %left, label %compare, label %done
compare:
  %own.p = getelementptr ptr, ptr %known.items, i64 %j
  %own = load ptr, ptr %own.p
  %same = icmp eq ptr %own, %name
  br i1 %same, label %found, label %other
other:
  %j.next = add i64 %j, 1
  br label %search
found:
  %at = add i64 %count, %n
  %value.p = getelementptr ptr, ptr %args, i64 %at
  %value = load ptr, ptr %value.p
  %there = getelementptr ptr, ptr %bound, i64 %j
  store ptr %value, ptr %there
  %n.next = add i64 %n, 1
  br label %name.head
done:
  %ok = phi i1 [ true, %keywords ], [ true, %name.head ], [ false, %search ]
  ret i1 %ok
}}

define ptr @sb_direct(ptr %self, ptr %args, i64 %count, ptr %names) {{
entry:
{packing.PINNED[fp_control]}
  %record.p = getelementptr i8, ptr %self, i64 {python_api.offset_of(Kernel, "direct")}
  %first = load ptr, ptr %record.p
  %unset = icmp eq ptr %first, null
  %foreign = xor i1 %pinned, true
  %not1 = or i1 %unset, %foreign
  %managed = call i64 @PyList_Size(ptr @sb_managed)
  %pending = call i64 @PyDict_Size(ptr @sb_pending)
  %busy = or i64 %managed, %pending
  %loud = icmp ne i64 %busy, 0
  %not2 = or i1 %not1, %loud
  br i1 %not2, label %slow, label %typed
typed:
  %record = phi ptr [ %first, %entry ], [ %following, %refused ]
  %type.p = getelementptr i8, ptr %record, i64 8
  %type = load ptr, ptr %type.p
  %is.tuple = icmp eq ptr %type, @sb_tuple
  br i1 %is.tuple, label %known, label %slow
known:
  %table.p = getelementptr i8, ptr %record, i64 {tuple_items}
  %bytes = load ptr, ptr %table.p
  %table = getelementptr i8, ptr %bytes, i64 {python_api.BYTES_ITEMS}
  %wanted = load i64, ptr %table
  %entry.p = getelementptr i64, ptr %table, i64 1
  %function = load ptr, ptr %entry.p
  %slots.p = getelementptr i64, ptr %table, i64 2
  %slots.n = load i64, ptr %slots.p
  %results.p = getelementptr i64, ptr %table, i64 3
  %results = load i64, ptr %results.p
  %most.p = getelementptr i64, ptr %table, i64 4
  %most = load i64, ptr %most.p
  %structs.p = getelementptr i64, ptr %table, i64 5
  %structs.n = load i64, ptr %structs.p
  %slots = alloca i64, i64 %slots.n
  %enough = icmp eq i64 %count, %wanted
  %unnamed = icmp eq ptr %names, null
  %by.place = icmp sle i64 %count, %most
  %plain1 = and i1 %enough, %unnamed
  %plain = and i1 %plain1, %by.place
  br i1 %plain, label %pack, label %other
other:
  br i1 %by.place, label %bind, label %slow
bind:
  %bound = alloca ptr, i64 %wanted
  %complete = call i1 @bind(ptr %bound, i64 %wanted, ptr %args, i64 %count, ptr %names, ptr %record)
  br i1 %complete, label %pack, label %slow
pack:
  %given = phi ptr [ %args, %known ], [ %bound, %bind ]
  %single = icmp sge i64 %results, 0
  %negated = sub i64 0, %results
  %made = select i1 %single, i64 %results, i64 %negated
  %steps = getelementptr i64, ptr %table, i64 {HEAD_WORDS}
  %result.words = mul i64 %made, {RESULT_WORDS}
  %rows = getelementptr i64, ptr %steps, i64 %result.words
  %left = call i64 @sb_pack(ptr %given, ptr %rows, i64 %wanted, ptr %slots)
{packing.BACK[fp_control]}
  %packed = icmp eq i64 %left, 0
  br i1 %packed, label %prepare, label %refused
refused:
  %following.p = getelementptr i8, ptr %record, i64 {tuple_items + 8 * NEXT}
  %following = load ptr, ptr %following.p
  br label %typed
prepare:
  call void @Py_IncRef(ptr %record)
  %objects = alloca ptr, i64 %structs.n
  %no.structs = icmp eq i64 %structs.n, 0
  br i1 %no.structs, label %run, label %make
make:
  call void @each(ptr %objects, i64 %structs.n, i1 false)
  %all = call i1 @structs(ptr %steps, i64 %made, ptr %slots, ptr %objects)
  br i1 %all, label %run, label %failed
run:
  %thread = call ptr @PyEval_SaveThread()
  %status = call i32 %function(ptr %slots)
  call void @PyEval_RestoreThread(ptr %thread)
  %trapped = icmp ne i32 %status, 0
  br i1 %trapped, label %trap, label %returned
returned:
  switch i64 %results, label %many [ i64 0, label %none  i64 1, label %one ]
none:
  call void @Py_IncRef(ptr @sb_none)
  br label %done
one:
  %only = call ptr @result(ptr %steps, ptr %slots, ptr %objects)
  br label %done
many:
  %tuple = call ptr @results(ptr %steps, i64 %made, ptr %slots, ptr %objects)
  br label %done
trap:
  %handler.p = getelementptr i8, ptr %record, i64 {tuple_items + 8}
  %handler = load ptr, ptr %handler.p
  call void @trap(ptr %handler, i32 %status)
  br label %failed
failed:
  br label %done
done:
  %value = phi ptr [ @sb_none, %none ], [ %only, %one ], [ %tuple, %many ], [ null, %failed ]
  call void @each(ptr %objects, i64 %structs.n, i1 true)
  call void @Py_DecRef(ptr %record)
  ret ptr %value
slow:
  %slowly = call ptr @slow(ptr %self, ptr %args, i64 %count, ptr %names)
  ret ptr %slowly
}}
"""


@cache
def install() -> bool:
    """Put the descriptor in `Kernel.__call__`'s place; False where objects have another layout."""
    routine = packing.routine()
    if routine is None or not _layout_is_as_expected():
        return False
    here = host()
    code = own_code(_text(here.triple, here.fp_control))
    imports = python_api.addresses(_PYTHON) | {"sb_pack": routine[1].addresses["sb_pack"]}
    imports |= {name: id(known) for name, known in _OBJECTS.items()}
    loaded = load(code, ["sb_direct"], imports)
    doc = b"Run the compiled kernel."
    method = MethodDef(b"__call__", loaded.addresses["sb_direct"], _FASTCALL_KEYWORDS, doc)
    new = ctypes.pythonapi.PyDescr_NewMethod
    new.restype, new.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_void_p]
    _kept.extend((loaded, routine, method, _OBJECTS))
    cast("Any", Kernel).__call__ = new(Kernel, ctypes.addressof(method))
    return True


_kept: list[object] = []
"""What the descriptor uses, until the process ends."""


def _layout_is_as_expected() -> bool:
    """Whether the fields are where the code reads and writes them, beside the packing routine's."""
    if not python_api.offset_of(Kernel, "direct"):
        return False
    word, of_bytes = ctypes.c_int64.from_address, bytes(range(8))
    known = word(id(of_bytes) + python_api.BYTES_ITEMS).value == int.from_bytes(of_bytes, "little")
    same_size = all(
        cls.__basicsize__ == cls.__base__.__basicsize__
        for t, cls in SCALAR_CLASSES.items()
        if not t.weak and t is not BOOL and t.storage == t and cls.__base__ is not None
    )
    return known and same_size
