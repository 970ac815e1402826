"""Promise: a math function over arrays has, at each place, the bits of a call on the elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided
from tests.support.kernels.ufunc_functions import blend, less, parts

from samebits import float32, float64, math
from samebits.lang.overloads import Overloads

KINDS = ["<f4", "<f8", ">f4", ">f8", "f2", "i1", "u2", "i4", "u8", "?"]
WEAK = st.one_of(st.floats(width=32), st.integers(-(2**70), 2**70))


@st.composite
def layouts(draw: Any, shape: tuple[int, ...], kind: str | None = None) -> np.ndarray[Any, Any]:
    """An array that broadcasts to `shape`: some axes of length 1 or absent, any strides."""
    kept = list(shape[draw(st.integers(0, len(shape))) :])
    kept = [1 if draw(st.booleans()) and draw(st.booleans()) else n for n in kept]
    dtype = np.dtype(kind or draw(st.sampled_from(KINDS)))
    order = draw(st.permutations(range(len(kept))))
    strides, step = [0] * len(kept), dtype.itemsize
    if draw(st.booleans()):
        step += draw(st.integers(0, 9))  # also unaligned
    for axis in order:
        choice = draw(st.sampled_from([1, 1, 1, 2, 3, 0]))
        strides[axis] = step * choice
        step = max(step, strides[axis] * max(1, kept[axis]))
    need = sum(s * max(0, n - 1) for s, n in zip(strides, kept, strict=True)) + dtype.itemsize
    memory = np.frombuffer(draw(st.binary(min_size=need, max_size=need)), np.uint8)
    if dtype.kind == "b":
        memory = memory & 1
    base = np.ndarray((), dtype, memory.tobytes())
    view = as_strided(base, tuple(kept), tuple(strides), writeable=False)
    flips = tuple(slice(None, None, draw(st.sampled_from([1, -1]))) for _ in kept)
    return view[flips]


shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)


def elementwise(function: Overloads, arguments: list[Any]) -> list[Any]:
    """One call a place, with each element as a number of its own type."""
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    found: list[Any] = []
    for place in np.ndindex(shape):
        numbers: list[Any] = []
        for a in arguments:
            if isinstance(a, np.ndarray):
                spread = np.broadcast_to(a, shape)
                numbers.append(spread[place].astype(a.dtype.newbyteorder("=")))
            else:
                numbers.append(a)
        found.append(function(*numbers))
    return found


def same(found: np.ndarray[Any, Any], wanted: list[Any]) -> None:
    numbers = [np.asarray(w).tobytes() for w in wanted]
    assert [np.asarray(f).tobytes() for f in found.ravel()] == numbers


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_two_arguments_of_any_shape_layout_and_type(data: Any) -> None:
    shape = data.draw(shapes)
    arguments = [data.draw(layouts(shape)), data.draw(st.one_of(layouts(shape), WEAK))]
    if data.draw(st.booleans()):
        arguments.reverse()
    same(less(*arguments), elementwise(less, arguments))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_three_arguments_of_any_shape_layout_and_type(data: Any) -> None:
    shape = data.draw(shapes)
    arguments = [data.draw(layouts(shape)), *(data.draw(layouts(shape)) for _ in range(2))]
    same(blend(*arguments), elementwise(blend, arguments))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_one_argument_of_any_layout_and_type_also_to_two_results(data: Any) -> None:
    x = data.draw(layouts(data.draw(shapes)))
    same(math.sin(x), elementwise(math.sin, [x]))
    wanted = elementwise(parts, [x])
    for k, found in enumerate(parts(x)):
        same(found, [w[k] for w in wanted])


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_out_anywhere_in_the_arguments_memory_gets_what_a_copy_would(data: Any) -> None:
    dtype, cls = data.draw(st.sampled_from([(np.float32, float32), (np.float64, float64)]))
    memory = np.arange(60, dtype=dtype) / dtype(7)
    n = data.draw(st.integers(0, 12))

    def window() -> np.ndarray[Any, Any]:
        step = data.draw(st.sampled_from([1, 1, 1, -1, 2, -3]))
        first = data.draw(st.integers(0, 59 - max(0, n - 1) * abs(step)))
        view = memory[first : first + max(0, (n - 1) * abs(step) + 1) : abs(step)][:n]
        return view[::-1] if step < 0 else view

    x, y, out = window(), window(), window()
    outside = np.ones(60, bool)
    outside[np.arange(60)[_places(memory, out)]] = False
    before = memory.copy()
    wanted = [less(cls(a), cls(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert less(x, y, out=out) is out
    same(out, wanted)
    assert memory[outside].tobytes() == before[outside].tobytes()


def _places(memory: np.ndarray[Any, Any], view: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where in `memory` the elements of a view of it are."""
    offset = view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return offset // memory.itemsize + np.arange(len(view)) * (view.strides[0] // memory.itemsize)
