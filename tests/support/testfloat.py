"""Berkeley TestFloat's vectors, and a kernel over arrays for each file of them."""

from __future__ import annotations

import lzma
import sys
from functools import cache
from typing import Any

import numpy as np

import samebits as sb
from samebits import float32, float64, int32, int64, uint64
from samebits.bits import canonicalize_nans
from samebits.types import SCALARS
from tests.fuzz.inputs import InputSet
from tests.fuzz.loading import Loaded, load_kernel
from tests.support.folders import SHARED_DATA

DATA = SHARED_DATA / "testfloat"
OUT_OF_RANGE = 0x10


@sb.kernel
def f32_add(a: sb.ReadOnly[float32], b: sb.ReadOnly[float32], r: sb.Array[float32]) -> None:
    for i in range(len(r)):
        r[i] = a[i] + b[i]


@sb.kernel
def f32_div(a: sb.ReadOnly[float32], b: sb.ReadOnly[float32], r: sb.Array[float32]) -> None:
    for i in range(len(r)):
        r[i] = a[i] / b[i]


@sb.kernel
def f32_mul(a: sb.ReadOnly[float32], b: sb.ReadOnly[float32], r: sb.Array[float32]) -> None:
    for i in range(len(r)):
        r[i] = a[i] * b[i]


@sb.kernel
def f32_lt(a: sb.ReadOnly[float32], b: sb.ReadOnly[float32], r: sb.Array[bool]) -> None:
    for i in range(len(r)):
        r[i] = a[i] < b[i]


@sb.kernel
def f32_mul_add(
    a: sb.ReadOnly[float32],
    b: sb.ReadOnly[float32],
    c: sb.ReadOnly[float32],
    r: sb.Array[float32],
) -> None:
    for i in range(len(r)):
        r[i] = sb.fma(a[i], b[i], c[i])


@sb.kernel
def f32_floor(a: sb.ReadOnly[float32], r: sb.Array[float32]) -> None:
    for i in range(len(r)):
        r[i] = sb.floor(a[i])


@sb.kernel
def f32_sqrt(a: sb.ReadOnly[float32], r: sb.Array[float32]) -> None:
    for i in range(len(r)):
        r[i] = sb.sqrt(a[i])


@sb.kernel
def f32_to_f64(a: sb.ReadOnly[float32], r: sb.Array[float64]) -> None:
    for i in range(len(r)):
        r[i] = float64(a[i])


@sb.kernel
def f32_to_i32(a: sb.ReadOnly[float32], r: sb.Array[int32]) -> None:
    for i in range(len(r)):
        r[i] = int32(a[i])


@sb.kernel
def f64_add(a: sb.ReadOnly[float64], b: sb.ReadOnly[float64], r: sb.Array[float64]) -> None:
    for i in range(len(r)):
        r[i] = a[i] + b[i]


@sb.kernel
def f64_div(a: sb.ReadOnly[float64], b: sb.ReadOnly[float64], r: sb.Array[float64]) -> None:
    for i in range(len(r)):
        r[i] = a[i] / b[i]


@sb.kernel
def f64_mul(a: sb.ReadOnly[float64], b: sb.ReadOnly[float64], r: sb.Array[float64]) -> None:
    for i in range(len(r)):
        r[i] = a[i] * b[i]


@sb.kernel
def f64_le(a: sb.ReadOnly[float64], b: sb.ReadOnly[float64], r: sb.Array[bool]) -> None:
    for i in range(len(r)):
        r[i] = a[i] <= b[i]


@sb.kernel
def f64_mul_add(
    a: sb.ReadOnly[float64],
    b: sb.ReadOnly[float64],
    c: sb.ReadOnly[float64],
    r: sb.Array[float64],
) -> None:
    for i in range(len(r)):
        r[i] = sb.fma(a[i], b[i], c[i])


@sb.kernel
def f64_round(a: sb.ReadOnly[float64], r: sb.Array[float64]) -> None:
    for i in range(len(r)):
        r[i] = sb.round(a[i])


@sb.kernel
def f64_sqrt(a: sb.ReadOnly[float64], r: sb.Array[float64]) -> None:
    for i in range(len(r)):
        r[i] = sb.sqrt(a[i])


@sb.kernel
def f64_to_f32(a: sb.ReadOnly[float64], r: sb.Array[float32]) -> None:
    for i in range(len(r)):
        r[i] = float32(a[i])


@sb.kernel
def f64_to_i64(a: sb.ReadOnly[float64], r: sb.Array[int64]) -> None:
    for i in range(len(r)):
        r[i] = int64(a[i])


@sb.kernel
def i64_to_f32(a: sb.ReadOnly[int64], r: sb.Array[float32]) -> None:
    for i in range(len(r)):
        r[i] = float32(a[i])


@sb.kernel
def i64_to_f64(a: sb.ReadOnly[int64], r: sb.Array[float64]) -> None:
    for i in range(len(r)):
        r[i] = float64(a[i])


@sb.kernel
def ui64_to_f32(a: sb.ReadOnly[uint64], r: sb.Array[float32]) -> None:
    for i in range(len(r)):
        r[i] = float32(a[i])


FILES = {
    "f32_add": f32_add,
    "f32_div": f32_div,
    "f32_lt": f32_lt,
    "f32_mul": f32_mul,
    "f32_mulAdd.every97": f32_mul_add,
    "f32_roundToInt.rd": f32_floor,
    "f32_sqrt": f32_sqrt,
    "f32_to_f64": f32_to_f64,
    "f32_to_i32.rz": f32_to_i32,
    "f64_add": f64_add,
    "f64_div": f64_div,
    "f64_le": f64_le,
    "f64_mul": f64_mul,
    "f64_mulAdd.every97": f64_mul_add,
    "f64_roundToInt": f64_round,
    "f64_sqrt": f64_sqrt,
    "f64_to_f32": f64_to_f32,
    "f64_to_i64.rz": f64_to_i64,
    "i64_to_f32": i64_to_f32,
    "i64_to_f64": i64_to_f64,
    "ui64_to_f32": ui64_to_f32,
}
"""The kernel that each vector file is about."""


@cache
def programs() -> dict[str, Loaded]:
    """Every kernel of FILES, lowered."""
    return {name: load_kernel(kernel) for name, kernel in FILES.items()}


@cache
def vectors(name: str) -> tuple[InputSet, bytes]:
    """A file's operands, results zeroed, and the bytes of the results that it wants."""
    program = programs()[name]
    types = [SCALARS[str(t.element)] for t in program.params]  # type: ignore[union-attr]
    is_conversion = types[-1].is_int
    columns: list[list[int]] = [[] for _ in types]
    text = lzma.decompress((DATA / f"{name}.txt.xz").read_bytes()).decode()
    for line in text.splitlines():
        *operands, result, flags = (int(field, 16) for field in line.split())
        if is_conversion and flags & OUT_OF_RANGE:
            continue
        for column, value in zip(columns, (*operands, result), strict=True):
            column.append(value)
    arrays: list[np.ndarray[Any, Any]] = []
    for t, column in zip(types, columns, strict=True):
        raw = b"".join(value.to_bytes(t.size, sys.byteorder) for value in column)
        arrays.append(np.frombuffer(raw, t.dtype).copy())
    wanted = arrays[-1]
    canonicalize_nans(wanted)
    args = tuple(("array", t.name, k, 0, (len(wanted),)) for k, t in enumerate(types))
    blobs = (*(a.tobytes() for a in arrays[:-1]), bytes(wanted.nbytes))
    return InputSet(args, blobs), wanted.tobytes()
