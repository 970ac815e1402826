"""Math functions as operations: samebits' own, the host's C library, and less exact forms."""

from __future__ import annotations

import ctypes
import ctypes.util
import struct
from functools import cache
from typing import Any

import samebits.math
from samebits.diagnose.numbers import (
    FLOAT32,
    FLOAT64,
    NAN,
    Format,
    Number,
    from_bits,
    rounded,
    to_bits,
)
from samebits.lang.running import managed_run
from samebits.lang.scalars import float32, float64

_TYPES: dict[int, tuple[str, Any, Any]] = {
    32: ("<f", float32, ctypes.c_float),
    64: ("<d", float64, ctypes.c_double),
}
_NAMES = (
    "acos acosh asin asinh atan atanh atan2 cbrt cos cosh exp exp2 exp10 expm1 fmod hypot log "
    "log1p log2 log10 pow remainder sin sinh tan tanh"
)
LIBM = frozenset(_NAMES.split())
"""The functions that C libraries have under the same names."""


def call(detail: str, args: list[Number], form: Format) -> Number:
    """A function's result in a format, of arguments in it.

    `detail` is a name in `samebits.math`; after a prefix: `libm.` the host's C library's,
    `libm64.` that of its float64 form, rounded.
    """
    where, _, name = detail.rpartition(".")
    if where == "libm64":
        return rounded(call(f"libm.{name}", args, FLOAT64), form)
    if where == "libm":
        function = libm(name, form.bits)
        values = [_as_float(x, form) for x in args]
        return _as_number(float("nan") if function is None else function(*values), form)
    make = _TYPES[form.bits][1]
    function = getattr(samebits.math, name)
    with managed_run():
        result = float(function(*(make(_as_float(x, form)) for x in args)))
    return NAN if result != result else _as_number(result, form)


def _as_float(x: Number, form: Format) -> float:
    code = _TYPES[form.bits][0]
    return struct.unpack(code, to_bits(x, form).to_bytes(form.bits // 8, "little"))[0]


def _as_number(value: float, form: Format) -> Number:
    return from_bits(int.from_bytes(struct.pack(_TYPES[form.bits][0], value), "little"), form)


@cache
def _library() -> Any:
    name = ctypes.util.find_library("m") or ctypes.util.find_library("ucrtbase")
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


@cache
def libm(name: str, bits: int) -> Any:
    """A function of the host's C library for float32 or float64; None where it has none."""
    if name not in LIBM:
        return None
    try:
        function = getattr(_library(), name + ("f" if bits == FLOAT32.bits else ""))
    except AttributeError:
        return None
    kind = _TYPES[bits][2]
    function.restype = kind
    function.argtypes = [kind] * (
        2 if name in ("atan2", "fmod", "hypot", "pow", "remainder") else 1
    )
    return function
