"""What is passed and does not fit is refused before the kernel runs, and in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import double3, fix16, fix32, float2, float3, float32, int32, uint8, uint64
from samebits.errors import ArgumentError
from samebits.runtime.evaluate import evaluate_call


@sb.struct
class Ship:
    pos: float2
    hp: int32
    ok: bool


@sb.kernel
def first(a: sb.Array[float32], n: int32) -> float32:
    return a[n]


@sb.kernel
def sums(g: sb.Array[float32, 2], points: sb.ReadOnly[float3]) -> float32:
    return g[0, 0] + points[0].x


@sb.kernel
def hull(ship: Ship) -> int32:
    return ship.hp


@sb.kernel
def hulls(ships: sb.Array[Ship]) -> int32:
    return ships[0].hp


@sb.kernel
def along(v: float3) -> float32:
    return v.x


@sb.kernel
def scalars(i: int32, u: uint8, w: uint64, x: float32, b: bool, n: int = 3) -> float32:
    return x


@sb.kernel
def steps(a: sb.ReadOnly[fix32], x: fix16) -> fix32:
    return a[0]


LINE, GRID, POINTS = np.zeros(4, np.float32), np.zeros((2, 2), np.float32), np.zeros((2, 3), "f4")
FROZEN = np.zeros(4, np.float32)
FROZEN.flags.writeable = False
PACKED = np.dtype([("pos", "f4", (2,)), ("hp", "i4"), ("ok", "?")])
IS_LINE = "first(): parameter 'a': expected Array[float32], an ndarray of np.float32"
IS_GRID = "sums(): parameter 'g': expected Array[float32, 2], an ndarray of np.float32"
IS_POINTS = "sums(): parameter 'points': expected ReadOnly[float3], an ndarray of np.float32"
IS_SHIPS = "hulls(): parameter 'ships': expected Array[Ship], an ndarray of Ship.dtype"
IS_SHIP = "hull(): parameter 'ship': expected Ship"
COPIED = "  note: what is written goes into the copy: keep it"
GOOD = (1, 1, 1, 1.0, True)

CASES: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "fixed_floats": (
        steps, (np.ones(3), 0),
        "steps(): parameter 'a': expected ReadOnly[fix32], an ndarray of np.int64; got float64\n"
        "  fix: pass steps: np.rint(a * 2.0**32).astype(np.int64)",
    ),
    "fixed_narrow": (
        steps, (np.ones(3, np.int32), 0),
        "steps(): parameter 'a': expected ReadOnly[fix32], an ndarray of np.int64; got int32\n"
        "  fix: pass a.astype(np.int64)",
    ),
    "fixed_float": (
        steps, (np.ones(3, np.int64), np.float32(0.5)),
        "steps(): parameter 'x': expected fix16; got float32\n"
        "  fix: pass samebits.fix16.from_float(x)",
    ),
    "fixed_inexact": (
        steps, (np.ones(3, np.int64), 0.1),
        "steps(): parameter 'x': expected fix16; the float 0.1 is not exact in fix16\n"
        '  fix: write fix16("0.1")',
    ),
    "dtype": (
        first, (np.zeros(4), 0),
        f"{IS_LINE}; got float64\n{COPIED}\n  fix: pass a.astype(np.float32)",
    ),
    "dtype_read": (
        sums, (GRID, np.zeros((2, 3))),
        f"{IS_POINTS}; got float64\n  fix: pass points.astype(np.float32)",
    ),
    "objects": (
        first, (np.zeros(4, object), 0),
        f"{IS_LINE}; got object\n{COPIED}\n  fix: pass a.astype(np.float32)",
    ),
    "byte_order": (
        first, (np.zeros(4, ">f4"), 0),
        f"{IS_LINE} in native byte order; got >f4"
        "\n  note: what is written goes into the copy: keep it"
        "\n  fix: pass a.astype(np.float32)",
    ),
    "dimensions": (
        first, (GRID, 0),
        f"{IS_LINE} of shape (n,); got shape (2, 2)\n"
        "  fix: pass an array of shape (n,), for example by a.reshape(...)",
    ),
    "strided": (
        first, (np.zeros(8, np.float32)[::2], 0),
        f"{IS_LINE}, C-contiguous; got strides (8,)"
        "\n  note: what is written goes into the copy: keep it; a kernel's call takes "
        "sb.strided(a), which copies the elements in and back"
        "\n  fix: pass np.ascontiguousarray(a)",
    ),
    "fortran": (
        sums, (np.zeros((3, 2), np.float32, order="F"), POINTS),
        f"{IS_GRID}, C-contiguous; got strides (4, 12)"
        "\n  note: what is written goes into the copy: keep it; a kernel's call takes "
        "sb.strided(g), which copies the elements in and back"
        "\n  fix: pass np.ascontiguousarray(g)",
    ),
    "misaligned": (
        first, (np.zeros(17, np.uint8)[1:].view(np.float32), 0),
        f"{IS_LINE}, aligned; got misaligned memory"
        "\n  note: what is written goes into the copy: keep it"
        "\n  fix: pass a.copy()",
    ),
    "read_only": (
        first, (FROZEN, 0),
        f"{IS_LINE}, writable; got a read-only array"
        "\n  note: what is written goes into the copy: keep it\n"
        "  fix: pass a.copy(), or declare ReadOnly[float32]",
    ),
    "list": (
        first, ([1.0], 0), f"{IS_LINE}; got list\n{COPIED}\n  fix: pass np.array(a, np.float32)",
    ),
    "none": (
        first, (None, 0), f"{IS_LINE}; got NoneType\n{COPIED}\n  fix: pass np.array(a, np.float32)",
    ),
    "last_length": (
        sums, (GRID, GRID),
        f"{IS_POINTS} of shape (n, 3); got shape (2, 2)\n"
        "  fix: pass an array of shape (n, 3), for example by points.reshape(...)",
    ),
    "padding": (
        hulls, (np.zeros(2, PACKED),),
        f"{IS_SHIPS}; got a structured dtype\n{COPIED}\n  fix: pass ships.astype(Ship.dtype)",
    ),
    "struct_byte_order": (
        hulls, (np.zeros(2, Ship.dtype.newbyteorder(">")),),
        f"{IS_SHIPS} in native byte order; got another"
        "\n  note: what is written goes into the copy: keep it"
        "\n  fix: pass ships.astype(Ship.dtype)",
    ),
    "struct_misaligned": (
        hulls, (np.zeros(33, np.uint8)[1:].view(Ship.dtype),),
        f"{IS_SHIPS}, aligned; got misaligned memory"
        "\n  note: what is written goes into the copy: keep it"
        "\n  fix: pass ships.copy()",
    ),
    "struct_none": (
        hull, (None,),
        f"{IS_SHIP}; got NoneType\n"
        "  fix: pass Ship(...), or an ndarray of Ship.dtype with shape () or (1,)",
    ),
    "vector_none": (
        along, (None,),
        "along(): parameter 'v': expected float3; got NoneType\n"
        "  fix: pass float3(...), a tuple of 3 numbers, or an ndarray of shape (3,)",
    ),
    "vector_short": (
        along, ((1, 2),), "along(): parameter 'v': expected float3, 3 components; got 2\n"
        "  fix: pass 3 numbers",
    ),
    "vector_component": (
        along, ((1, 2, None),),
        "along(): parameter 'v[2]': expected float32; got NoneType\n"
        "  fix: pass a number, such as float32(0)",
    ),
    "vector_other": (
        along, (double3(1, 2, 3),),
        "along(): parameter 'v' is float3; got double3\n  fix: write float3(v)",
    ),
    "vector_dtype": (
        along, (np.zeros(3),),
        "along(): parameter 'v': expected float3, shape (3,) of np.float32; "
        "got shape (3,) of float64\n  fix: pass float3(*v)",
    ),
    "too_few": (
        scalars, (1,), "scalars() misses its argument 'u'\n"
        "  fix: its parameters are (i, u, w, x, b, n)",
    ),
    "too_many": (
        first, (LINE, 0, 1), "first() takes 2 arguments, but 3 are given\n"
        "  fix: its parameters are (a, n)",
    ),
    "numpy_of_another_type": (
        first, (LINE, np.int64(0)),
        "first(): parameter 'n': expected int32; got int64\n  fix: pass samebits.int32(n)",
    ),
    "float_for_int": (
        first, (LINE, 0.0),
        "first(): parameter 'n': expected int32; got float\n  fix: pass samebits.int32(n)",
    ),
    "bool_for_int": (
        first, (LINE, True),
        "first(): parameter 'n': expected int32; got bool\n  fix: pass samebits.int32(n)",
    ),
    "int_for_bool": (
        scalars, (1, 1, 1, 1.0, 1),
        "scalars(): parameter 'b': expected bool; got int\n  fix: pass bool(b)",
    ),
    "above": (
        first, (LINE, 1 << 31),
        "first(): parameter 'n': 2147483648 does not fit int32 (-2147483648 to 2147483647)\n"
        "  fix: declare a wider type, or pass -2147483648, which it wraps to",
    ),
    "below": (
        scalars, (1, -1, 1, 1.0, True),
        "scalars(): parameter 'u': -1 does not fit uint8 (0 to 255)\n"
        "  fix: declare a wider type, or pass 255, which it wraps to",
    ),
    "above_uint64": (
        scalars, (1, 1, 1 << 64, 1.0, True),
        "scalars(): parameter 'w': 18446744073709551616 does not fit uint64 "
        "(0 to 18446744073709551615)\n  fix: pass 0, which it wraps to",
    ),
    "above_int": (
        scalars, (*GOOD, 1 << 63),
        "scalars(): parameter 'n': 9223372036854775808 does not fit int "
        "(-9223372036854775808 to 9223372036854775807)",
    ),
    "double_for_single": (
        scalars, (1, 1, 1, np.float64(1), True),
        "scalars(): parameter 'x': expected float32; got float64\n  fix: pass samebits.float32(x)",
    ),
}  # fmt: skip

RUNS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "compiled": lambda kernel: kernel,
    "managed": lambda kernel: kernel.managed,
    "evaluated": lambda kernel: lambda *args: evaluate_call(kernel, args),
}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("case", CASES)
def test_an_argument_that_does_not_fit_is_refused_in_these_words(case: str, run: str) -> None:
    kernel, args, wanted = CASES[case]
    for _ in range(2):  # the second call has the fast path
        with pytest.raises(ArgumentError) as caught:
            RUNS[run](kernel)(*args)
        assert str(caught.value) == wanted


def test_keywords_are_checked_as_in_python() -> None:
    for run in (first, first.managed):
        with pytest.raises(ArgumentError, match=r"^first\(\) has no parameter 'm'"):
            run(LINE, m=1)
        with pytest.raises(ArgumentError, match=r"^first\(\): 'a' is given twice"):
            run(LINE, a=LINE, n=0)
        assert run(n=0, a=LINE) == 0


@pytest.mark.parametrize("run", RUNS)
def test_a_class_in_the_place_of_a_value_is_called_one(run: str) -> None:
    with pytest.raises(ArgumentError, match="parameter 'ship': expected Ship; got the class Ship"):
        RUNS[run](hull)(Ship)
