"""Every public name of `samebits.math` takes arrays, with the bits of calls element by element, or
says what to write instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import half, half2, half3, half4, math
from samebits.errors import ArgumentError, SamebitsError
from samebits.lang.families import Family
from samebits.lang.overloads import Overloads
from samebits.lang.reductions import Reduction
from samebits.lang.values.instead import INSTEAD

FUNCTIONS = [name for name in math.__all__ if callable(getattr(math, name))]
RNG = np.random.default_rng(14)
SOME = [0.0, -0.0, 0.75, -1.5, 2.0, 5.5, 1e-7, 61.0, float("inf"), float("nan")]
FLOATS = {
    "float16": np.array([*SOME, *RNG.uniform(-4, 4, 30)], np.float16),
    "float32": np.array([*SOME, *RNG.uniform(-4, 4, 30)], np.float32),
    "float64": np.array([*SOME, *RNG.uniform(-4, 4, 30)]),
}
BY_FLOATS = ["abs", "ceil", "clamp", "copysign", "floor", "fma", "max", "min", "round", "sign",
             "sqrt", "trunc"]  # fmt: skip
"""Of the functions that the compiler knows."""
BY_INTEGERS = ["ceillog2", "ceilpow2", "clz", "ctz", "floorlog2", "ispow2", "popcount",
               "reversebits", "rotl", "rotr"]  # fmt: skip
BITS = ["f16_to_f32", "f16_to_f64", "f32_to_f16", "f64_to_f16"]
OF_ALL_ELEMENTS = [n for n in FUNCTIONS if isinstance(getattr(math, n), Reduction)]
MAPPED = [n for n in FUNCTIONS if isinstance(getattr(math, n), Overloads)]
REFUSED = [
    n for n in FUNCTIONS
    if n not in {*BY_FLOATS, *BY_INTEGERS, *BITS, *OF_ALL_ELEMENTS, *MAPPED, "hash", "precision"}
]  # fmt: skip
HALVES = (half(0.5), np.float16(0.5), half2(0.5, 2), half3(0.5, 2, 3), half4(0.5, 2, 3, 4))


def arity(name: str) -> int:
    """Of a function that is called element by element."""
    function = getattr(math, name)
    if isinstance(function, Overloads):
        return function.arity
    return {"clamp": 3, "fma": 3, "copysign": 2, "min": 2, "max": 2, "rotl": 2, "rotr": 2}.get(
        name, 1
    )


def one_by_one(function: Any, *arrays: Any) -> Any:
    """What calls with numbers give, as an array or a pair of them."""
    rows = [function(*row) for row in zip(*arrays, strict=True)]
    if isinstance(rows[0], tuple):
        return tuple(np.array(column) for column in zip(*rows, strict=True))
    return np.array(rows)


def same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other)
        return
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tobytes() == wanted.tobytes()


def arguments(name: str, x: Any) -> list[Any]:
    """Arrays for every argument, with small integers where those are taken."""
    function = getattr(math, name)
    given = [np.roll(x, 7 * n) for n in range(arity(name))]
    if isinstance(function, Overloads):
        counts = np.arange(-len(x) // 2, len(x) - len(x) // 2, dtype=np.int32)
        given = [counts if i else a for a, i in zip(given, function.integers, strict=True)]
    return given


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", [*BY_FLOATS, *MAPPED])
def test_arrays_of_floats_have_the_bits_of_their_elements(name: str, kind: str) -> None:
    given, function = arguments(name, FLOATS[kind]), getattr(math, name)
    same(function(*given), one_by_one(function, *given))


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("name", BY_INTEGERS)
def test_arrays_of_integers_have_the_bits_of_their_elements(name: str, kind: str) -> None:
    info = np.iinfo(kind)
    some = [0, 1, 2, 3, 64, info.max, info.min, info.max // 3, info.max // 2 + 1]
    x = np.array([*some, *RNG.integers(info.min, info.max, 30, kind)], kind)
    turns = np.arange(-9, -9 + len(x), dtype=np.int32)
    function = getattr(math, name)
    given = [x, turns][: arity(name)]
    same(function(*given), one_by_one(function, *given))
    same(function(*(a[::-2] for a in given)), one_by_one(function, *(a[::-2] for a in given)))
    if arity(name) == 2:
        same(function(x, 13), one_by_one(function, x, np.full(len(x), 13)))
        same(function(x, turns.astype(np.int64)), function(x, turns))


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "uint32", "int64", "uint64"])
def test_arrays_are_hashed_element_by_element(kind: str) -> None:
    x = FLOATS[kind] if kind in FLOATS else np.arange(-20, 20).astype(kind)
    wanted = one_by_one(math.hash, x)
    assert wanted.dtype == np.uint32
    same(math.hash(x), wanted)
    same(math.hash(x.reshape(4, 10).T), wanted.reshape(4, 10).T.copy())
    out = np.empty(len(x), np.uint32)
    assert math.hash(x, out=out) is out
    same(out, wanted)
    bits = FLOATS["float16"]
    same(math.hash(bits), math.hash(bits.astype(np.float32)))


@pytest.mark.parametrize("name", BITS)
def test_bits_of_halves_have_the_bits_of_their_elements(name: str) -> None:
    function = getattr(math, name)
    kind = {"f16": "float16", "f32": "float32", "f64": "float64"}[name[:3]]
    x = FLOATS[kind].view(np.uint16) if kind == "float16" else FLOATS[kind]
    same(function(x), one_by_one(function, x))


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", OF_ALL_ELEMENTS)
def test_functions_of_all_elements_take_every_float(name: str, kind: str) -> None:
    x = FLOATS[kind]
    function = getattr(math, name)
    given = [x] * (2 if name == "dot" else 1)
    wide = [np.asarray(a, np.promote_types(a.dtype, np.float32)) for a in given]
    found, wanted = function(*given), function(*wide)
    assert np.asarray(found).tobytes() == np.asarray(wanted).tobytes()
    assert type(found) is type(wanted)


def refusals(function: Any, calls: Iterable[tuple[Any, ...]]) -> list[SamebitsError]:
    """The errors of these calls, but for those with another number of arguments."""
    found: list[SamebitsError] = []
    for args in calls:
        with contextlib.suppress(TypeError):
            try:
                function(*args)
            except SamebitsError as error:
                found.append(error)
    return found


@pytest.mark.parametrize("kind", [*FLOATS, "int64", "bool"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_takes_no_array_says_what_to_write(name: str, kind: str) -> None:
    x = FLOATS[kind] if kind in FLOATS else np.arange(3).astype(kind)
    first = {"bitcast": [sb.uint32], "select": [x > 0]}.get(name, [])
    square = x[:4].reshape(2, 2) if len(x) >= 4 else x[:1].reshape(1, 1)
    calls = [(*first, *[given] * count) for given in (x, square) for count in range(1, 6)]
    errors = refusals(getattr(math, name), calls)
    assert errors
    assert [str(error) for error in errors if not error.fix] == []


@pytest.mark.parametrize("name", INSTEAD)
def test_what_is_said_to_write_instead_is_there(name: str) -> None:
    assert name in REFUSED
    x, y = np.array([3.0, 4.0]), np.array([1.0, 2.0])
    text = INSTEAD[name].removeprefix("write ").split(", which")[0].split(", then ")[-1]
    if name in ("all", "any"):
        x = x > 0
    if name == "bitcast":
        x = x.astype(np.float32)
    place = {"math": math, "np": np, "x": x, "y": y, "d": x - y, "a": x, "b": y,
             "condition": x > 3}  # fmt: skip
    eval(text, place)


def test_what_is_written_instead_gives_the_same() -> None:
    v, w = sb.double2(3, 4), sb.double2(1, 2)
    x, y = np.array([3.0, 4.0]), np.array([1.0, 2.0])
    assert math.cmax(v) == math.max(x)
    assert math.csum(v) == math.sum(x)
    assert math.length(v) == math.norm(x)
    assert math.lengthsq(v) == math.dot(x, x)
    assert math.distance(v, w) == math.norm(x - y)
    assert math.normalize(v).x == (x / math.norm(x))[0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_halves_count_as_float32_from_python_or_what_to_write_is_said(name: str) -> None:
    function = getattr(math, name)
    for value in HALVES:
        scalar = isinstance(value, np.float16)
        computed = name in BY_FLOATS or (
            isinstance(function, Overloads) and True not in function.integers
        )
        if scalar and computed:
            count = arity(name)
            same_bits(function(*[value] * count), function(*[sb.float32(value)] * count))
            if name in ("clamp", "min", "max", "copysign"):
                same_bits(function(*[value] * (count - 1), 2), function(*[0.5] * (count - 1), 2))
            continue
        first = {"bitcast": [sb.uint16], "select": [True]}.get(name, [])
        errors = refusals(function, [(*first, *[value] * count) for count in range(1, 6)])
        assert [str(error) for error in errors if not error.fix] == []


def same_bits(found: Any, wanted: Any) -> None:
    assert np.asarray(found).tobytes() == np.asarray(wanted, np.asarray(found).dtype).tobytes()


@pytest.mark.parametrize("name", ["abs", "sqrt", "clamp", "min", "fma", "length", "csum", "cross"])
def test_a_kernel_computes_nothing_of_halves_in_any_execution(name: str) -> None:
    value = half3(1, 2, 3) if name in ("length", "csum", "cross") else half(1)
    count = 2 if name == "cross" else arity(name)
    kernel = calling(getattr(math, name), type(value), count)
    for run in (kernel, kernel.managed):
        with pytest.raises(SamebitsError) as error:
            run(value)
        assert str(value.__sb_type__) in str(error.value)
        assert error.value.fix
        assert "float" in error.value.fix


def calling(function: Any, cls: Any, count: int) -> Any:
    """A kernel that calls a function with its argument, so many times over."""

    def one(h: Any) -> sb.float32:
        return function(h)

    def two(h: Any) -> sb.float32:
        return function(h, h)

    def three(h: Any) -> sb.float32:
        return function(h, h, h)

    body = (one, two, three)[count - 1]
    body.__annotations__ = {"h": cls, "return": sb.float32}
    return sb.kernel(body)


def test_what_fits_no_kernel_of_a_family_says_which_types_do() -> None:
    for call, message, fix in (
        (lambda: math.ceilpow2(np.ones(3)), "ceilpow2() takes int32, uint32, int64, uint64, got "
         "an array of float64", "convert it: x.astype(np.int32)"),
        (lambda: math.ispow2(np.ones(3, np.int8)), "ispow2() takes int32, uint32, int64, uint64, "
         "got an array of int8", "convert it: x.astype(np.int32)"),
        (lambda: math.rotl(np.ones(3, np.int32), np.array([2**31, 0, 1])),
         "rotl() takes an int32, from −2³¹ to 2³¹ − 1, got 2147483648",
         "give an integer within these"),
        (lambda: math.rotr(np.ones(3, np.int32), 0.5),
         "rotr() takes an integer as argument 2, got float", "write int(n)"),
        (lambda: math.cmax(np.ones(3)), "cmax() has no form for an array", "write math.max(x)"),
    ):  # fmt: skip
        with pytest.raises(ArgumentError) as error:
            call()
        assert (error.value.message, error.value.fix) == (message, fix)


def test_every_name_is_one_of_these() -> None:
    assert len(FUNCTIONS) == len(math.__all__) - 5  # e, inf, nan, pi and tau
    assert {n for n in REFUSED if isinstance(getattr(math, n), Family)}.isdisjoint(BY_INTEGERS)
    assert len(REFUSED) == 40
