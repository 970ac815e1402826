"""Every math function that users see: its name, its documentation, and one answer everywhere."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64, math
from samebits.lang.overloads import Overloads
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.types import FLOAT32, FLOAT64, ScalarType

FUNCTIONS = {n: f for n in math.__all__ if isinstance(f := getattr(math, n), Overloads)}
PLACES = np.array([0.4, -0.75, 1.0, -0.0, 3.5, np.inf, np.nan, 1e-310, -700.25])
each = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)


@each
def test_its_name_is_where_it_is_found(function: Overloads) -> None:
    assert FUNCTIONS[function.__name__] is function
    assert pickle.loads(pickle.dumps(function)) is function


@each
def test_it_is_documented(function: Overloads) -> None:
    text = function.__doc__ or ""
    first = text.partition("\n\n")[0].strip()
    assert first.endswith(".")


@each
def test_its_kernels_take_floats_of_their_row_and_integers(function: Overloads) -> None:
    assert list(function.kernels) in ([FLOAT32, FLOAT64], [FLOAT32])
    for t, row in function.kernels.items():
        for kernel in row.values():
            types = kernel.fixed_types
            assert types is not None
            assert len(types) == function.arity == len(function.integers)
            for found, integer in zip(types, function.integers, strict=True):
                assert isinstance(found, ScalarType)
                assert found.is_int if integer else found == t


@each
def test_arrays_give_the_bits_of_the_managed_run(function: Overloads) -> None:
    for t in function.kernels:
        cls = SCALAR_CLASSES[t]
        columns: list[Any] = []
        for shift, integer in enumerate(function.integers):
            given = np.roll(PLACES, shift)
            with np.errstate(all="ignore"):
                columns.append(np.arange(-4, 5) if integer else given.astype(t.dtype))
        found = function(*columns)
        kernel = function.kernel_for(t)
        for n in range(len(PLACES)):
            row = [
                int(c[n]) if integer else cls(c[n])
                for c, integer in zip(columns, function.integers, strict=True)
            ]
            wanted = kernel.managed(*row)
            several = isinstance(wanted, tuple)
            results: Any = wanted if several else (wanted,)
            pairs = zip(found if several else (found,), results, strict=True)
            for array, value in pairs:
                same = np.asarray(value, array.dtype).tobytes()
                assert array[n].tobytes() == same, (function, t, row)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, np.inf, -np.inf, 1e-40, 1e30, 1e-310]


OF_SEVERAL = {n: f for n, f in FUNCTIONS.items() if f.arity == 2}


@pytest.mark.parametrize("function", OF_SEVERAL.values(), ids=OF_SEVERAL)
def test_what_is_nan_for_a_nan_is_nan_at_each_precision(function: Overloads) -> None:
    others = [range(-3, 4) if integer else SPECIAL for integer in function.integers]
    rows = [(np.nan, y) for y in others[1]]
    rows += [] if function.integers[1] else [(x, np.nan) for x in others[0]]
    for t in function.kernels:
        columns: list[Any] = []
        for column, integer in zip(zip(*rows, strict=True), function.integers, strict=True):
            columns.append(np.array(column).astype(np.int32 if integer else t.dtype))
        wanted = function(*columns)
        for lower in (sb.MEDIUM, sb.LOW):
            with math.precision(lower):
                found = function(*columns)
            for a, b in zip(np.atleast_2d(wanted), np.atleast_2d(found), strict=True):
                if a.dtype.kind == "f":
                    assert [rows[k] for k in np.flatnonzero(np.isnan(a) & ~np.isnan(b))] == []


USUAL = """
    sin cos tan sincos sinpi cospi asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2
    exp10 expm1 log log2 log10 log1p pow cbrt hypot rsqrt fmod remainder frexp ldexp modf remquo
    exp2m1 exp10m1 log2p1 log10p1 tanpi asinpi acospi atanpi atan2pi
    pown powr rootn compound logaddexp erf erfc tgamma lgamma
    fdim fmin fmax round_half_away nextafter nextup nextdown logb ilogb isnan isinf isfinite signbit
"""


def test_the_usual_functions_are_there() -> None:
    assert [name for name in USUAL.split() if name not in FUNCTIONS] == []


def test_frexp_ldexp_and_modf_from_python() -> None:
    fraction, exponent = math.frexp(12.0)
    assert (fraction, exponent) == (0.75, 4)
    assert math.ldexp(0.75, 4) == 12
    assert type(math.ldexp(float32(0.75), 4)) is float32
    fractions, exponents = math.frexp(np.array([12, 0.5], np.float32))
    assert (fractions.dtype, exponents.dtype) == (np.float32, np.int32)
    assert math.ldexp(fractions, exponents).tolist() == [12, 0.5]
    assert math.ldexp(1.0, 10**9) == np.inf
    assert [type(part) for part in math.modf(2.5)] == [float64, float64]
