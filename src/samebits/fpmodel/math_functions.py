"""Math functions as operations: samebits' own, and those of this machine's libraries."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any

import samebits.math
from samebits.fpmodel.libm import function_of
from samebits.fpmodel.softfloat import (
    FLOAT64,
    NAN,
    Format,
    Number,
    from_bits,
    rounded,
    to_bits,
)
from samebits.lang.values.scalars import float32, float64
from samebits.lang.values.thread_state import managed_run

_TYPES: dict[int, tuple[str, Any]] = {32: ("<f", float32), 64: ("<d", float64)}
_MOST_KEPT = 8192
"""Results that are kept: one operation is evaluated in many ways over the same operands."""


@lru_cache(maxsize=_MOST_KEPT)
def call(detail: str, args: tuple[Number, ...], form: Format) -> Number:
    """A function's result in a format, of arguments in it.

    `detail` is a name in `samebits.math`; after the prefix of one of `LIBRARIES`, that library's;
    after `libm64.` that of the C library's float64 form, rounded.
    """
    where, _, name = detail.rpartition(".")
    if where == "libm64":
        return rounded(call(f"libm.{name}", args, FLOAT64), form)
    if where:
        function = function_of(where, name, form.bits)
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
