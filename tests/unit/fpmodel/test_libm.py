"""Functions of this machine's libraries are the libraries' own, in explain and when injected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits.diagnosis.explain import explain
from samebits.fpmodel.libm import LIBRARIES, LIBRARY_FUNCTIONS, function_of
from samebits.fpmodel.parse import FUNCTIONS, WITH_INTEGER

DTYPES: dict[int, Any] = {32: np.float32, 64: np.float64}
NUMPY = {"sin": np.sin, "exp": np.exp, "log": np.log, "acos": np.arccos, "atan2": np.arctan2}
TWO = {"atan2", "hypot", "pow"}
EXACT = {"fdim", "fmax", "fmin", "fmod", "remainder"}


def arguments(name: str, bits: int, count: int = 400) -> list[np.ndarray[Any, Any]]:
    """Where all but acosh are defined."""
    draws = np.random.default_rng(3).uniform(0.1, 0.9, (2, count)).astype(DTYPES[bits])
    return list(draws + (name == "acosh"))[: 2 if name in TWO else 1]


@pytest.mark.parametrize("bits", DTYPES)
@pytest.mark.parametrize("name", NUMPY)
def test_numpys_function_gives_what_numpy_gives_for_an_array(name: str, bits: int) -> None:
    given = arguments(name, bits)
    one = function_of("numpy", name, bits)
    found = [one(*map(float, row)) for row in zip(*given, strict=True)]
    assert np.array(found, DTYPES[bits]).tobytes() == NUMPY[name](*given).tobytes()


@pytest.mark.parametrize("bits", DTYPES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_each_function_is_the_one_of_its_name(library: str, bits: int) -> None:
    found = [name for name in LIBRARY_FUNCTIONS - EXACT if function_of(library, name, bits)]
    if not found:
        pytest.skip(f"this machine has no {library}")
    for name in found:
        given = arguments(name, bits)
        right = getattr(sb.math, name)(*given)
        function = function_of(library, name, bits)
        each = np.array([function(*map(float, row)) for row in zip(*given, strict=True)])
        ulps = np.abs(each - right.astype(np.float64)) / np.spacing(np.abs(right))
        assert ulps.max() <= 8, name  # glibc's vector functions claim 4


def test_what_a_library_has_not_is_not_found() -> None:
    assert function_of("numpy", "exp10", 32) is None
    assert function_of("numpy", "fmod", 64) is None
    assert function_of("libm", "rsqrt", 64) is None


@pytest.mark.parametrize("library", [name for name in LIBRARIES if name != "libm"])
def test_explain_names_the_library_whose_bits_they_are(library: str) -> None:
    others = [other for other in LIBRARIES if other != library]
    for x in arguments("exp", 32, 4000)[0]:
        bits: dict[str, float] = {}
        for name in (library, *others):
            function = function_of(name, "exp", 32)
            if function is not None:
                bits[name] = function(float(x))
        if library not in bits:
            pytest.skip(f"this machine has no {library}")
        right = float(sb.math.exp(x))
        if bits[library] not in (right, bits["libm"]):
            break
    else:
        pytest.skip(f"{library}'s exp is the C library's here")
    found = explain("exp(x)", {"x": float(x).hex()}, float(bits[library]).hex(), "float32")
    cause = next(c for c in found.causes if c.hazards[0].name == "libm")
    shown = {evaluation.expression for evaluation in cause.evaluations}
    assert f"{library}.exp(x)" in shown
    assert shown <= {f"{name}.exp(x)" for name, value in bits.items() if value == bits[library]}


@pytest.mark.parametrize("form", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_explain_calls_every_function(name: str, form: str) -> None:
    values = {"x": "1.37" if name == "acosh" else "0.37", "y": "0.21"}
    names = "xy"[: FUNCTIONS[name]]
    found = explain(f"{name}({', '.join(names)})", {n: values[n] for n in names}, "0.333", form)
    as_type = {"float16": np.float16, "float32": np.float32, "float64": np.float64}[form]
    given = [as_type(values[n]) for n in names]
    right = as_type(getattr(sb.math, name)(*given))
    assert found.strict == int(right.view(f"u{right.itemsize}"))


@pytest.mark.parametrize("form", ["float16", "float32", "float64"])
@pytest.mark.parametrize("n", [3, -5, 0, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("name", WITH_INTEGER)
def test_explain_calls_every_function_with_an_integer(name: str, n: int, form: str) -> None:
    found = explain(f"{name}(x, {n}) * 3", {"x": "0.37"}, "0.333", form)
    assert found.expression == f"{name}(x, {n}) * 3"
    as_type = {"float16": np.float16, "float32": np.float32, "float64": np.float64}[form]
    called = getattr(sb.math, name)(as_type("0.37"), n)
    right = as_type(called * type(called)(3))
    assert found.strict == int(right.view(f"u{right.itemsize}"))


def test_explain_finds_a_power_that_another_library_has_off_by_one() -> None:
    strict = explain("pown(x, 3)", {"x": "0.37"}, "0").strict
    found = explain("pown(x, 3)", {"x": "0.37"}, f"0x{strict + 1:08x}")
    hazards = {cause.hazards[0].name: cause.evaluations[0].expression for cause in found.causes}
    assert hazards["libm-ulp"] == "(pown(x, 3) + 1 ulp)"


def test_explain_finds_the_c_librarys_gamma() -> None:
    gamma = function_of("libm", "tgamma", 32)
    if gamma is None:
        pytest.skip("this machine's C library has no tgamma")
    for x in np.random.default_rng(4).uniform(1, 20, 400).astype(np.float32).tolist():
        if gamma(x) != float(sb.math.tgamma(np.float32(x))):
            break
    else:
        pytest.skip("the C library's tgamma is correctly rounded here")
    found = explain("tgamma(x)", {"x": x.hex()}, gamma(x).hex(), "float32")
    assert "libm" in {cause.hazards[0].name for cause in found.causes}
