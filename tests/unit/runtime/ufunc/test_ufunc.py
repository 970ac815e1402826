"""Math functions from Python: scalars, vectors, arrays of any layout, and what they refuse."""

from __future__ import annotations

import copy
import pickle
import pydoc
from typing import Any

import numpy as np
import pytest

from samebits import ArgumentError, double2, float3, float32, float64, int3, math
from samebits.lang.overloads import Overloads

FUNCTIONS: list[Overloads] = [math.sin, math.cos]
each = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)


def managed(function: Overloads, x: Any, t: type) -> Any:
    """One value in CPython."""
    return function.kernel_for(t.__sb_type__).managed(t(x))  # type: ignore[attr-defined]


@each
def test_python_numbers_are_float64(function: Overloads) -> None:
    for x in (0.5, 3, -1e300, 2**70):
        assert type(function(x)) is float64
        assert function(x) == managed(function, x, float64)


@each
@pytest.mark.parametrize(("given", "t"), [
    (np.float32, float32), (float32, float32), (np.float64, float64), (float64, float64),
])  # fmt: skip
def test_scalars_keep_their_width(function: Overloads, given: Any, t: type) -> None:
    result = function(given(0.7))
    assert type(result) is t
    assert result == managed(function, given(0.7), t)


@each
def test_vectors_go_by_component(function: Overloads) -> None:
    found = function(float3(1, 2, 3))
    assert type(found) is float3
    assert [*found] == [function(float32(v)) for v in (1, 2, 3)]
    assert [*function(double2(1, 2))] == [function(1.0), function(2.0)]


@each
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_keep_shape_and_dtype_and_have_the_bits_of_scalars(
    function: Overloads, dtype: Any
) -> None:
    x = np.linspace(-9, 9, 24, dtype=dtype).reshape(2, 3, 4)
    found = function(x)
    assert (found.shape, found.dtype) == (x.shape, x.dtype)
    assert found.ravel().tolist() == [function(v) for v in x.ravel()]


@each
def test_arrays_of_any_layout_are_taken(function: Overloads) -> None:
    x = np.linspace(-9, 9, 60, dtype=np.float32).reshape(6, 10)
    wanted = function(x)
    frozen = x.copy()
    frozen.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(6, 10)
    for given, expected in [
        (x.T, wanted.T), (x[::2, ::-3], wanted[::2, ::-3]), (np.asfortranarray(x), wanted),
        (frozen, wanted), (unaligned, wanted), (x[:0], wanted[:0]),
        (np.array(x[1, 1]), wanted[1, 1]),
        (np.broadcast_to(x[0], (3, 10)), np.broadcast_to(wanted[0], (3, 10))),
    ]:  # fmt: skip
        found = function(given)
        assert found.shape == given.shape
        assert found.tolist() == expected.tolist()


def test_the_argument_is_left_as_it_is() -> None:
    x = np.linspace(-9, 9, 60)
    before = x.tobytes()
    assert math.sin(x) is not x
    assert x.tobytes() == before


@pytest.mark.parametrize(("x", "message"), [
    (1j, "sin() takes floats and integers, vectors and arrays, got complex"),
    (None, "sin() takes floats and integers, vectors and arrays, got NoneType\n"
           "  fix: write math.sin(np.asarray(x)) for an array x"),
    (np.complex64(1), "sin() takes floats and integers, vectors and arrays, got complex64\n"
                      "  fix: write math.sin(float64(x)) for a number x"),
    ([1.0], "sin() takes floats and integers, vectors and arrays, got list\n"
            "  fix: write math.sin(np.array(x, np.float64))"),
    (np.zeros(2, np.complex128), "sin() takes floats and integers of at most 64 bits, got an array "
                                 "of complex128\n  fix: write math.sin(x.real)"),
    (np.zeros(2, object), "sin() takes floats and integers of at most 64 bits, got an array of "
                          "object\n  fix: write math.sin(x.astype(np.float64))"),
    (np.ma.array([1.0]), "sin() takes floats and integers in plain arrays, got MaskedArray\n"
                         "  fix: write math.sin(x.filled(0))"),
    (int3(1), "sin() takes float32 or float64 vectors, got int3\n"
              "  fix: convert it: math.sin(float3(v))"),
])  # fmt: skip
def test_what_is_refused_is_named_with_what_to_write(x: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as found:
        math.sin(x)
    assert str(found.value).startswith(message)


def test_the_number_of_arguments_is_checked() -> None:
    for arguments in ((), (1.0, 2.0)):
        with pytest.raises(ArgumentError, match=r"sin\(\) takes 1 argument"):
            math.sin(*arguments)


@each
def test_a_function_is_pickled_and_copied_by_name_and_shows_its_documentation(
    function: Overloads,
) -> None:
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    text = pydoc.render_doc(function, renderer=pydoc.plaintext)
    assert f"{function.__name__}(x, /, *, out=None)" in text
    assert "correctly rounded" in text
