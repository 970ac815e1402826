"""The compiled math functions that Lua calls: samebits' own, by their addresses in this process."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import TYPE_CHECKING

from samebits.backend.objects import CompiledObject
from samebits.compiling import lock
from samebits.runtime.cache import (
    compiler_fingerprint,
    current_cache,
    digest,
    sources_fingerprint,
)
from samebits.runtime.objects.compiler_sources import LIBRARY_FOR_C
from samebits.runtime.objects.host import host, host_target
from samebits.runtime.objects.loading import load
from samebits.types import FLOAT64

if TYPE_CHECKING:
    from samebits.export.math_library.functions import MathFunction
    from samebits.runtime.objects.loading import Loaded

SAMEBITS, LIBM = "samebits", "libm"
"""Whose functions scripts call."""
ARITY = {
    "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "exp": 1, "log": 1, "log2": 1,
    "log10": 1, "sqrt": 1, "sinh": 1, "cosh": 1, "tanh": 1, "pow": 2, "atan2": 2, "fmod": 2,
}  # fmt: skip
"""The functions of the prelude by their names in C, with how many floats they take."""


def functions() -> list[MathFunction]:
    """The rows of the math library that the prelude calls."""
    from samebits.export.math_library.functions import FUNCTIONS

    return [row for row in FUNCTIONS if row.name in ARITY]


@cache
def _loaded() -> Loaded:
    rows = functions()
    store, here = current_cache(), host()
    made_by = compiler_fingerprint(), sources_fingerprint(LIBRARY_FOR_C)
    key = digest("lua natives", *ARITY, *here.row, here.llvm, *made_by)
    kept = None if store is None else store.get(key)
    if kept is None:
        with lock():
            from samebits.export.math_library.objects import scalar_object

            made = scalar_object(rows, FLOAT64, host_target())
        if store is not None:
            store.put(key, CompiledObject(made, ()))
    else:
        made = kept.object_bytes
    return load(made, [row.symbol(FLOAT64) for row in rows])


@cache
def addresses() -> dict[str, int]:
    """The address of each function, `double(double)` or `double(double, double)`. They take the
    floating-point environment as it is."""
    loaded = _loaded()
    return {row.name: loaded.addresses[row.symbol(FLOAT64)] for row in functions()}


@cache
def libm_addresses() -> dict[str, int]:
    """The address of each function of the platform's math library."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    return {name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in ARITY}
