"""CPython's C API for machine code of ours: addresses of functions, layouts of objects."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

HEAD = 16
"""Bytes of a CPython object's header: reference count and type."""
TUPLE_ITEMS = tuple.__basicsize__
BYTES_ITEMS = bytes.__basicsize__ - 1
"""Offsets of what a tuple holds, and of what a bytes object holds."""


def declared(functions: Mapping[str, str]) -> str:
    """LLVM's declarations of functions by their types."""
    rows = ((name, *t.split(" ", 1)) for name, t in functions.items())
    return "\n".join(f"declare {result} @{name}{taken}" for name, result, taken in rows)


def addresses(functions: Iterable[str]) -> dict[str, int]:
    """The addresses of CPython's functions by name."""
    found = {
        name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        for name in functions
    }
    return {name: address for name, address in found.items() if address is not None}


@cache
def offset_of(cls: type, name: str) -> int:
    """Where instances of a class have what one of its `__slots__` names; 0 if that is unknown."""
    member: Any = vars(cls)[name]
    new: Any = object.__new__
    instance = new(cls)
    mark = object()
    member.__set__(instance, mark)
    words = range(HEAD, cls.__basicsize__, 8)
    found = [at for at in words if word(instance, at) == id(mark)]
    member.__delete__(instance)
    return found[0] if len(found) == 1 and word(instance, found[0]) == 0 else 0


def word(place: Any, offset: int, ctype: Any = ctypes.c_int64) -> int:
    return int(ctype.from_address(id(place) + offset).value)
