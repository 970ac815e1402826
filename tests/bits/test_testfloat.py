"""Berkeley TestFloat's vectors hold in every execution: managed, evaluated, compiled."""

from __future__ import annotations

import lzma
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fuzz.execute import Compiled, Level, levels, run_evaluate, run_managed
from tests.fuzz.inputs import InputSet
from tests.fuzz.loading import Loaded, load_kernel

import samebits as sb
from samebits import float32, float64, int32, int64, uint64
from samebits.bits import canonicalize_nans
from samebits.types import SCALARS

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "testfloat"
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

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"TestFloat's vectors are not there: {DATA} is missing"
)


@cache
def _programs() -> dict[str, Loaded]:
    return {name: load_kernel(kernel) for name, kernel in FILES.items()}


@cache
def _compiled(level: Level) -> Compiled:
    return Compiled(list(_programs().values()), level)


@cache
def _vectors(name: str) -> tuple[InputSet, bytes]:
    """A file's operands, results zeroed, and the bytes of the results that it wants."""
    program = _programs()[name]
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


def _row(name: str, inputs: InputSet, got: bytes, wanted: bytes) -> str:
    size = len(wanted) // inputs.args[-1][4][0]
    k = next(i for i in range(0, len(wanted), size) if got[i : i + size] != wanted[i : i + size])
    row = k // size
    operands = [
        int.from_bytes(blob[row * w : row * w + w], sys.byteorder)
        for blob, argument in zip(inputs.blobs[:-1], inputs.args, strict=False)
        for w in (SCALARS[argument[1]].size,)
    ]
    call = f"{name}({', '.join(f'{o:#x}' for o in operands)})"
    return f"{call}: {got[k : k + size].hex()} where TestFloat has {wanted[k : k + size].hex()}"


def test_every_vector_file_has_its_kernel() -> None:
    assert {path.name.removesuffix(".txt.xz") for path in DATA.glob("*.txt.xz")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_managed_gives_the_bits_of_testfloat(name: str) -> None:
    inputs, wanted = _vectors(name)
    got = run_managed(_programs()[name], inputs).memory[-1]
    assert got == wanted, _row(name, inputs, got, wanted)


@pytest.mark.parametrize("name", FILES)
def test_evaluate_gives_the_bits_of_testfloat(name: str) -> None:
    inputs, wanted = _vectors(name)
    got = run_evaluate(_programs()[name], inputs).memory[-1]
    assert got == wanted, _row(name, inputs, got, wanted)


@pytest.mark.parametrize("level", levels(), ids=str)
@pytest.mark.parametrize("name", FILES)
def test_compiled_code_gives_the_bits_of_testfloat(name: str, level: Level) -> None:
    inputs, wanted = _vectors(name)
    index = list(FILES).index(name)
    got = _compiled(level).run(index, _programs()[name], inputs).memory[-1]
    assert got == wanted, _row(name, inputs, got, wanted)
