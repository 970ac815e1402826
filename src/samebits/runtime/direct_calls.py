"""Direct calls: a kernel's `__call__` as machine code over CPython's C API.

No Python code runs between the caller and the kernel. `Kernel.__call__` becomes a method descriptor
at the first call that can use it: it reads the kernel's `direct` record, has the packing routine
write the arguments to slots on the stack, calls the entry without the interpreter's lock and makes
the results. Whatever is not ordinary goes to the `__call__` that was there before: keywords,
arguments of other classes, another floating-point environment, managed runs, pending jobs. The
functions of CPython that it calls are of the stable ABI.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np

from samebits.errors import SamebitsError, folded
from samebits.lang.kernel import Kernel
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.lang.values.thread_state import managed_runs
from samebits.lang.values.vectors import Vector
from samebits.runtime import packing
from samebits.runtime.objects.host import host_target
from samebits.runtime.objects.loading import load, own_code
from samebits.runtime.pending_jobs import PENDING
from samebits.types import BOOL, FLOAT, INT, NoneType, ScalarType, Type, VectorType

FLOATING, WHOLE, TRUTH, SCALAR, COMPONENTS = range(5)
"""How to make a result: a Python float, an int, a bool; an instance of a scalar's class, of a
vector's."""
_MOST_SLOTS = 256
"""More than that is left to the other way: the slots lie on the stack."""
_FASTCALL_KEYWORDS = 0x80 | 0x02
"""METH_FASTCALL | METH_KEYWORDS of CPython's methodobject.h."""
_BYTES_ITEMS = bytes.__basicsize__ - 1


class ResultStep(NamedTuple):
    """How to make a result: the slot that it begins at, the addresses of its class and of its
    components' class, the size in bytes and the number of its components."""

    kind: int
    slot: int
    cls: int = 0
    element: int = 0
    size: int = 0
    parts: int = 0


def _result_step(t: Type, slot: int) -> ResultStep | None:
    match t:
        case ScalarType() if t is FLOAT:
            return ResultStep(FLOATING, slot)
        case ScalarType() if t is INT:
            return ResultStep(WHOLE, slot)
        case ScalarType() if t is BOOL:
            return ResultStep(TRUTH, slot)
        case ScalarType() if t.storage == t:
            return ResultStep(SCALAR, slot, id(SCALAR_CLASSES[t]), 0, t.size)
        case VectorType() if t.element is not BOOL and t.element.storage == t.element:
            classes = id(COMPOSITE_CLASSES[t]), id(SCALAR_CLASSES[t.element])
            return ResultStep(COMPONENTS, slot, *classes, t.element.size, t.length)
        case _:
            return None


def result_steps(results: Sequence[Type], slot: int) -> list[ResultStep] | None:
    """The steps of results whose words begin at a slot; None where Python code makes one."""
    steps: list[ResultStep] = []
    for t in results:
        step = _result_step(t, slot)
        if step is None:
            return None
        steps.append(step)
        slot += step.parts or 1
    return steps


_HEAD_WORDS, _RESULT_WORDS = 6, len(ResultStep._fields)


def record(
    address: int, packer: Any, results: Sequence[Type], slots: int, trap: Callable[[int], Any]
) -> tuple[Any, ...] | None:
    """What `Kernel.direct` holds for an entry at an address; None where Python code must pack an
    argument or make a result.

    `packer` is the entry's `call.Packer`, `slots` how many the call has in all. `trap` returns the
    exception behind a status, and keeps the entry's code loaded.
    """
    single = len(results) == 1
    made = [t for t in results if not isinstance(t, NoneType)]
    steps = result_steps(made, packer.end)
    if packer.by_hand or slots > _MOST_SLOTS or steps is None or not install():
        return None
    of_results = len(steps) if single else -len(steps)
    head = (packer.count, address, max(1, slots), of_results, 0, 0)
    words = (*head, *chain.from_iterable(steps))
    table = np.array(words, np.int64).tobytes() + bytes(packer.table)

    def raised(status: int) -> BaseException:
        error = trap(status)
        if isinstance(error, SamebitsError):
            folded(error)
            error.__cause__ = error.__cause__  # as `raise error from ...` does
        return error

    return table, raised, packer


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
    declared = packing.declared({**_PYTHON, "sb_pack": "i64 (ptr, ptr, i64, ptr)"})
    objects = "\n".join(f"@{name} = external global i8" for name in _OBJECTS)
    items, tuple_items = packing.offset_of(Vector, "_items"), packing.TUPLE_ITEMS
    return f"""target triple = "{triple}"
{objects}
{declared}

define internal ptr @scalar(ptr %class, ptr %slot, i64 %size) {{
entry:
  %object = call ptr @PyType_GenericAlloc(ptr %class, i64 0)
  %failed = icmp eq ptr %object, null
  br i1 %failed, label %done, label %made
made:
  %value = getelementptr i8, ptr %object, i64 {packing.HEAD}
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

define internal ptr @result(ptr %step, ptr %slots) {{
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
    i64 {TRUTH}, label %truth  i64 {COMPONENTS}, label %vector ]
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

define internal ptr @results(ptr %steps, i64 %count, ptr %slots) {{
entry:
  %tuple = call ptr @PyTuple_New(i64 %count)
  %no.tuple = icmp eq ptr %tuple, null
  br i1 %no.tuple, label %failed, label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %put ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %each, label %done
each:
  %at = mul i64 %k, {_RESULT_WORDS}
  %step = getelementptr i64, ptr %steps, i64 %at
  %item = call ptr @result(ptr %step, ptr %slots)
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

define ptr @sb_direct(ptr %self, ptr %args, i64 %count, ptr %names) {{
entry:
{packing.PINNED[fp_control]}
  %record.p = getelementptr i8, ptr %self, i64 {packing.offset_of(Kernel, "direct")}
  %record = load ptr, ptr %record.p
  %unset = icmp eq ptr %record, null
  %named = icmp ne ptr %names, null
  %foreign = xor i1 %pinned, true
  %not1 = or i1 %unset, %named
  %not2 = or i1 %not1, %foreign
  br i1 %not2, label %slow, label %typed
typed:
  %type.p = getelementptr i8, ptr %record, i64 8
  %type = load ptr, ptr %type.p
  %is.tuple = icmp eq ptr %type, @sb_tuple
  br i1 %is.tuple, label %known, label %slow
known:
  %table.p = getelementptr i8, ptr %record, i64 {tuple_items}
  %bytes = load ptr, ptr %table.p
  %table = getelementptr i8, ptr %bytes, i64 {_BYTES_ITEMS}
  %wanted = load i64, ptr %table
  %entry.p = getelementptr i64, ptr %table, i64 1
  %function = load ptr, ptr %entry.p
  %slots.p = getelementptr i64, ptr %table, i64 2
  %slots.n = load i64, ptr %slots.p
  %results.p = getelementptr i64, ptr %table, i64 3
  %results = load i64, ptr %results.p
  %managed = call i64 @PyList_Size(ptr @sb_managed)
  %pending = call i64 @PyDict_Size(ptr @sb_pending)
  %busy = or i64 %managed, %pending
  %quiet = icmp eq i64 %busy, 0
  %enough = icmp eq i64 %count, %wanted
  %go = and i1 %quiet, %enough
  br i1 %go, label %pack, label %slow
pack:
  %single = icmp sge i64 %results, 0
  %negated = sub i64 0, %results
  %made = select i1 %single, i64 %results, i64 %negated
  %steps = getelementptr i64, ptr %table, i64 {_HEAD_WORDS}
  %result.words = mul i64 %made, {_RESULT_WORDS}
  %rows = getelementptr i64, ptr %steps, i64 %result.words
  %slots = alloca i64, i64 %slots.n
  %left = call i64 @sb_pack(ptr %args, ptr %rows, i64 %count, ptr %slots)
{packing.BACK[fp_control]}
  %packed = icmp eq i64 %left, 0
  br i1 %packed, label %run, label %slow
run:
  call void @Py_IncRef(ptr %record)
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
  %only = call ptr @result(ptr %steps, ptr %slots)
  br label %done
many:
  %tuple = call ptr @results(ptr %steps, i64 %made, ptr %slots)
  br label %done
trap:
  %handler.p = getelementptr i8, ptr %record, i64 {tuple_items + 8}
  %handler = load ptr, ptr %handler.p
  call void @trap(ptr %handler, i32 %status)
  br label %done
done:
  %value = phi ptr [ @sb_none, %none ], [ %only, %one ], [ %tuple, %many ], [ null, %trap ]
  call void @Py_DecRef(ptr %record)
  ret ptr %value
slow:
  %other = call ptr @slow(ptr %self, ptr %args, i64 %count, ptr %names)
  ret ptr %other
}}
"""


class _MethodDef(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


@cache
def install() -> bool:
    """Put the descriptor in `Kernel.__call__`'s place; False where objects have another layout."""
    routine = packing.routine()
    if routine is None or not _layout_is_as_expected():
        return False
    target = host_target()
    code = own_code(_text(target.triple, target.fp_control), target)
    imports = packing.addresses(_PYTHON) | {"sb_pack": routine[1].addresses["sb_pack"]}
    imports |= {name: id(known) for name, known in _OBJECTS.items()}
    loaded = load(code, ["sb_direct"], imports)
    doc = b"Run the compiled kernel."
    method = _MethodDef(b"__call__", loaded.addresses["sb_direct"], _FASTCALL_KEYWORDS, doc)
    new = ctypes.pythonapi.PyDescr_NewMethod
    new.restype, new.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_void_p]
    _kept.extend((loaded, routine, method, _OBJECTS))
    cast("Any", Kernel).__call__ = new(Kernel, ctypes.addressof(method))
    return True


_kept: list[object] = []
"""What the descriptor uses, until the process ends."""


def _layout_is_as_expected() -> bool:
    """Whether the fields are where the code reads and writes them, beside the packing routine's."""
    if not packing.offset_of(Kernel, "direct"):
        return False
    word, of_bytes = ctypes.c_int64.from_address, bytes(range(8))
    known = word(id(of_bytes) + _BYTES_ITEMS).value == int.from_bytes(of_bytes, "little")
    same_size = all(
        cls.__basicsize__ == cls.__base__.__basicsize__
        for t, cls in SCALAR_CLASSES.items()
        if not t.weak and t is not BOOL and t.storage == t and cls.__base__ is not None
    )
    return known and same_size
