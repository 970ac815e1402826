"""Prepared calls: an entry with its slots as a C function, for calls of the same memory each time.

The function is machine code over CPython's C API, so that a call of it takes a tenth of a
microsecond, of which two thirds are handing back the interpreter's lock and taking it again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from samebits.runtime.calls import packing, python_api
from samebits.runtime.calls.method_definition import MethodDef
from samebits.runtime.objects.host import host
from samebits.runtime.objects.loading import load, own_code

NOT_COPIED = -1
"""Instead of a status: the inputs were left to the caller, and nothing ran."""

_NO_ARGUMENTS, _ONE_ARGUMENT = 0x04, 0x08
"""METH_NOARGS and METH_O of CPython's methodobject.h."""

_PYTHON = {
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyLong_AsSsize_t": "i64 (ptr)",
    "PyLong_FromLongLong": "ptr (i64)",
}
"""Functions of CPython's stable ABI, with their LLVM types."""


def _text(triple: str) -> str:
    return f"""target triple = "{triple}"
{python_api.declared(_PYTHON)}

define internal ptr @run(ptr %words) {{
entry:
  %function = load ptr, ptr %words
  %slots.p = getelementptr ptr, ptr %words, i64 1
  %slots = load ptr, ptr %slots.p
  %thread = call ptr @PyEval_SaveThread()
  %status = call i32 %function(ptr %slots)
  call void @PyEval_RestoreThread(ptr %thread)
  %wide = sext i32 %status to i64
  %result = call ptr @PyLong_FromLongLong(i64 %wide)
  ret ptr %result
}}

define ptr @sb_prepared(ptr %self, ptr %nothing) {{
entry:
  %address = call i64 @PyLong_AsSsize_t(ptr %self)
  %words = inttoptr i64 %address to ptr
  %result = call ptr @run(ptr %words)
  ret ptr %result
}}

define ptr @sb_prepared_inputs(ptr %self, ptr %given) {{
entry:
  %address = call i64 @PyLong_AsSsize_t(ptr %self)
  %words = inttoptr i64 %address to ptr
  %copy.p = getelementptr ptr, ptr %words, i64 2
  %copy = load ptr, ptr %copy.p
  %table.p = getelementptr ptr, ptr %words, i64 3
  %table = load ptr, ptr %table.p
  %left = call i64 %copy(ptr %given, ptr %table)
  %copied = icmp eq i64 %left, 0
  br i1 %copied, label %go, label %slow
go:
  %result = call ptr @run(ptr %words)
  ret ptr %result
slow:
  %none = call ptr @PyLong_FromLongLong(i64 {NOT_COPIED})
  ret ptr %none
}}
"""


@cache
def _makers() -> tuple[Callable[[int], Any], Callable[[int], Any]] | None:
    """What makes functions of the address of their words, without arguments and with inputs; None
    where CPython's objects have another layout than the packing routine knows."""
    if packing.routine() is None:
        return None
    names = ("sb_prepared", "sb_prepared_inputs")
    loaded = load(own_code(_text(host().triple)), names, python_api.addresses(_PYTHON))
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
        ("PyCFunction_NewEx", ctypes.pythonapi)
    )
    rows = [
        MethodDef(b"run", loaded.addresses[name], flags, None)
        for name, flags in zip(names, (_NO_ARGUMENTS, _ONE_ARGUMENT), strict=True)
    ]
    # A function refers to both, and may outlive this module at the process's end.
    for kept in (*rows, loaded):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    first, second = map(ctypes.addressof, rows)
    return lambda words: make(first, words, None), lambda words: make(second, words, None)


class _Entry(Protocol):
    """An entry in this process."""

    address: int

    @property
    def prints(self) -> bool: ...
    @property
    def function(self) -> Callable[[Any], int]: ...


class _Copier(Protocol):
    """What copies inputs: the addresses of its routine and of its table."""

    @property
    def addresses(self) -> tuple[int, int]: ...


class PreparedCall:
    """A call of an entry with the same slots each time. `function()` returns the status; with a
    copier, which an entry that prints can't have, `function(inputs)` copies them before, and
    returns `NOT_COPIED` where it can't.

    Who calls `function` holds a reference to this.
    """

    __slots__ = ("_words", "copier", "entry", "function", "slots")

    def __init__(
        self, entry: _Entry, words: tuple[int, ...], copier: _Copier | None = None
    ) -> None:
        self.entry = entry
        self.copier = copier
        self.slots = (ctypes.c_uint64 * len(words))(*words)
        slots = ctypes.addressof(self.slots)
        self._words = (ctypes.c_void_p * 4)(
            entry.address, slots, *(copier.addresses if copier else ())
        )
        makers = None if entry.prints else _makers()
        self.function: Callable[..., int]
        if makers is not None:
            self.function = makers[copier is not None](ctypes.addressof(self._words))
        else:
            assert copier is None
            function, at = entry.function, ctypes.c_void_p(slots)
            self.function = lambda: function(at)
