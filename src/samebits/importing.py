"""An import hook that loads this package in the default floating-point environment.

Python reads literals and computes constants of modules with the thread's own rounding: in a
process where a library rounds toward zero, `2.0**52` would be another number.
"""

from __future__ import annotations

import _thread
import ctypes
import os
import stat
import struct
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any, ClassVar

IMPORTED_AT = time.time()
"""When this package was imported: files changed later are not what runs here."""

_ONE, _NEXT = float.fromhex("0x1p0"), float.fromhex("0x10000000000001p-52")
_MOST_OF_ULP, _LITTLE_OF_ULP = float.fromhex("0x3p-54"), float.fromhex("0x1p-54")
_SUBNORMAL: float = struct.unpack("<d", struct.pack("<Q", 3))[0]
ENVIRONMENT_BYTES = 256  # more than any system's fenv_t


def is_default() -> bool:
    """Whether this thread rounds to nearest and keeps subnormals, tested by computing."""
    # Downward and toward zero the first sum stays 1, upward the second goes beyond the next number.
    return _ONE + _MOST_OF_ULP + _LITTLE_OF_ULP == _NEXT and _SUBNORMAL * _ONE > 0


@contextmanager
def default_environment() -> Generator[None]:
    """C's default floating-point environment while the block runs; this thread's own after.

    Does nothing if it is in force already, or on a system whose C library cannot set it.
    """
    if is_default() or sys.platform == "win32":
        yield
        return
    library: Any = ctypes.CDLL(None)
    if not hasattr(library, "fesetenv"):
        from ctypes.util import find_library

        library = ctypes.CDLL(find_library("m"))
    before = ctypes.create_string_buffer(ENVIRONMENT_BYTES)
    library.fegetenv(before)
    try:
        library.fesetenv(default_of(library))
        yield
    finally:
        library.fesetenv(before)


def environment_now() -> Any:
    """This thread's floating-point environment, sticky flags included, for `put_back`; None on a
    system whose C library has no such functions."""
    library: Any = ctypes.pythonapi
    if sys.platform == "win32" or not hasattr(library, "fesetenv"):
        return None
    before = ctypes.create_string_buffer(ENVIRONMENT_BYTES)
    library.fegetenv(before)
    return before


def put_back(environment: Any) -> None:
    """Make this thread's environment what `environment_now` found."""
    if environment is not None:
        library: Any = ctypes.pythonapi
        library.fesetenv(environment)


def default_of(library: Any) -> Any:
    """C's FE_DFL_ENV, as ctypes gives it to a library's `fesetenv`."""
    if sys.platform == "darwin":
        return ctypes.byref(ctypes.c_char.in_dll(library, "_FE_DFL_ENV"))
    return ctypes.c_void_p(-1)


class _Threads:
    """The threads in which a module of the package is being found or run."""

    importing: ClassVar[set[int]] = set()


@contextmanager
def _keeping_flags() -> Generator[None]:
    """A block that raises no sticky flag that stays, beside what blocks around it do."""
    thread = _thread.get_ident()
    if thread in _Threads.importing:
        yield
        return
    before = environment_now()
    _Threads.importing.add(thread)
    try:
        yield
    finally:
        _Threads.importing.discard(thread)
        put_back(before)


class _Loader(SourceFileLoader):
    """Runs a module in the default environment. What it computes and imports raises no sticky flag
    that stays: functions import more, and their callers have the flags of before."""

    def exec_module(self, module: ModuleType) -> None:
        if _thread.get_ident() in _Threads.importing and is_default():
            super().exec_module(module)  # most modules: the blocks take as long as small ones do
            return
        with _keeping_flags(), default_environment():
            super().exec_module(module)


class _Finder:
    """Finds the modules of one package, and gives them `_Loader`: source files in its folders by
    their names, which takes half the time that Python's finder takes to list the folders first, and
    anything else, as in archives, as Python does."""

    def __init__(self, package: str) -> None:
        self._prefix = f"{package}."

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(self._prefix):
            return None
        if _thread.get_ident() in _Threads.importing:
            return self._found(name, path, target)
        with _keeping_flags():  # a file's times are computed
            return self._found(name, path, target)

    def _found(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        spec = _source_file(name, path)
        if spec is not None:
            return spec
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def _source_file(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """The module or package of a source file in the only folder of a path; None without one."""
    if path is None or len(path) != 1:
        return None
    (folder,) = path
    place = os.path.join(folder, name.rpartition(".")[2])
    inside = os.path.join(place, "__init__.py")
    # As Python does, a package is taken before a module of the same name.
    if _is_file(inside):
        spec = ModuleSpec(name, _Loader(name, inside), origin=inside, is_package=True)
        assert spec.submodule_search_locations is not None
        spec.submodule_search_locations.append(place)
    elif _is_file(file := f"{place}.py"):
        spec = ModuleSpec(name, _Loader(name, file), origin=file)
    else:
        return None
    spec.has_location = True
    return spec


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def install(package: str) -> None:
    """Import the modules of `package` through `_Loader` from now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(package))
