"""The arenas of this process's threads: the key by which compiled code finds a thread's own.

The C library frees a thread's arena when it ends.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from typing import Any

from samebits.backend.objects import ARENA_IMPORTS, ARENA_KEY
from samebits.mutex import Mutex

_NAMES = ("pthread_getspecific", "pthread_setspecific", "malloc", "free")
_ON_WINDOWS = ("FlsGetValue", "FlsSetValue", "malloc", "free")


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class _State:
    key: int | None = None
    making = Mutex()


def _functions() -> list[Any]:
    if sys.platform == "win32":
        system, c = ctypes.CDLL("kernel32"), ctypes.CDLL("msvcrt")
        return [*(system[name] for name in _ON_WINDOWS[:2]), *(c[n] for n in _ON_WINDOWS[2:])]
    library = ctypes.CDLL(None)
    return [library[name] for name in _NAMES]


def imports() -> dict[str, int]:
    """The addresses of the functions by which an entry finds and makes its thread's arena."""
    return dict(zip(ARENA_IMPORTS, map(_address, _functions()), strict=True))


def key() -> int:
    """The key of the threads' arenas, made once. Raises MemoryError if there is none left."""
    if _State.key is None:
        with _State.making:
            if _State.key is None:
                _State.key = _made()
    return _State.key


def give_key(addresses: Mapping[str, int]) -> None:
    """Set the variable `ARENA_KEY` of an object whose variables have these addresses, if it has
    one."""
    place = addresses.get(ARENA_KEY)
    if place is not None:
        ctypes.c_uint64.from_address(place).value = key()


def _made() -> int:
    free = _address(_functions()[-1])
    if sys.platform == "win32":
        allocate = ctypes.CDLL("kernel32").FlsAlloc
        allocate.argtypes = (ctypes.c_void_p,)
        found = allocate(free)
        if found != -1:
            return found
    else:
        place = ctypes.c_uint() if sys.platform == "linux" else ctypes.c_ulong()
        create = ctypes.CDLL(None).pthread_key_create
        create.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        if create(ctypes.byref(place), free) == 0:
            return place.value
    raise MemoryError("there is no key left for the arenas of threads")
