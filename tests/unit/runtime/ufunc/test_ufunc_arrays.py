"""Math functions over arrays: broadcasting, layouts, types and `out`, by bits."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from tests.support.kernels.ufunc_functions import blend, half, less, parts, scale

import samebits as sb
from samebits import ArgumentError, float32, float64, int3, math
from samebits.runtime.fp_state.registers import REGISTERS

A32 = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 4)
B32 = np.linspace(5, 9, 12, dtype=np.float32).reshape(3, 4)
NARROW = ["?", "i1", "u1", "i2", "u2", "f2"]
WIDE = ["i4", "u4", "i8", "u8"]


def same(found: Any, wanted: Any) -> None:
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tobytes() == wanted.tobytes()


def test_arguments_broadcast() -> None:
    same(less(A32, B32), A32 - 2 * B32)
    same(less(B32[:, :1], A32), B32[:, :1] - 2 * A32)
    same(blend(A32, B32[0], B32[:, :1]), A32 * B32[0] + B32[:, :1])
    same(less(A32[0, 0], B32[:0, :1]), A32[0, 0] - 2 * B32[:0, :1])


def test_numbers_repeat_and_python_floats_are_weak() -> None:
    for _ in range(2):  # the first call compiles, the second takes the quick way
        same(less(A32, 0.1), A32 - np.float32(0.1) * 2)
        same(less(2, A32), np.float32(2) - 2 * A32)
        same(blend(A32, 0.5, 3), A32 * np.float32(0.5) + 3)
        same(less(A32, np.float64(0.1)), A32 - np.float64(0.1) * 2)
        same(less(A32, float64(0.1)), A32 - np.float64(0.1) * 2)
        same(less(A32, float32(0.1)), A32 - np.float32(0.1) * 2)


def test_floats_of_two_widths_give_float64() -> None:
    wide = B32.astype(np.float64) / 3
    same(less(A32, wide), A32 - 2 * wide)
    same(less(wide, A32[0]), wide - 2 * A32[0])
    assert type(less(float32(0.1), 0.5)) is float32
    assert type(less(float32(0.1), np.float64(0.5))) is float64
    assert type(less(0.1, 2)) is float64


@pytest.mark.parametrize("kind", NARROW + WIDE)
def test_integers_and_half_floats_count_as_the_float_that_holds_them(kind: str) -> None:
    x = np.array([0, 1, 100], kind)
    t = np.float32 if kind in NARROW else np.float64
    same(half(x), x.astype(t) * t(0.5) + t(1))
    same(less(x, A32[0, 0, :3]), x.astype(t) - 2 * A32[0, 0, :3])
    assert type(half(x[1])) is (float32 if kind in NARROW else float64)
    assert half(x[2]) == t(x[2]) * t(0.5) + 1


def test_wide_integers_round_once_to_nearest() -> None:
    x = np.array([2**63 - 1, 2**53 + 1, -(2**63)])
    same(half(x), x.astype(np.float64) * 0.5 + 1)
    assert half(2**70) == 2.0**69 + 1


def test_bools_are_numbers_and_python_ints_are_weak() -> None:
    assert (type(half(True)), half(True)) == (float32, 1.5)
    assert (type(half(3)), half(3)) == (float64, 2.5)
    same(half(np.array([True, False])), np.array([1.5, 1], np.float32))


LAYOUTS = [
    lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::2], lambda x: x[::2, ::-3],
    np.asfortranarray, lambda x: np.broadcast_to(x[0], (5, *x[0].shape)),
    lambda x: x.astype(x.dtype.newbyteorder()), lambda x: x[:0], lambda x: x[0, 0],
    lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape),
    lambda x: np.lib.stride_tricks.as_strided(x, (3, 4), (0, x.itemsize)),
]  # fmt: skip


@pytest.mark.parametrize("layout", range(len(LAYOUTS)))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_of_any_layout_and_byte_order_are_taken(layout: int, dtype: Any) -> None:
    x = np.asarray(LAYOUTS[layout](np.linspace(-9, 9, 120, dtype=dtype).reshape(12, 10)))
    before = x.tobytes()
    wanted = (x * dtype(0.5) + dtype(1)).astype(dtype)
    for _ in range(2):
        same(half(x), wanted)
    same(less(x, x), (x - 2 * x).astype(dtype))
    assert x.tobytes() == before


def test_more_than_a_block_of_strided_elements() -> None:
    x = np.linspace(0, 1, 60_000, dtype=np.float32)
    same(half(x[::2]), x[::2] * np.float32(0.5) + 1)
    grid = x.reshape(300, 200)
    same(less(grid[:, ::-1], x[:200]), grid[:, ::-1] - 2 * x[:200])
    out = np.zeros(60_000, np.float32)
    assert half(x[::3], out=out[::3]) is not None
    assert out[::3].tobytes() == half(x[::3]).tobytes()
    assert not out[1::3].any()
    assert not out[2::3].any()


def test_empty_arrays_give_empty_arrays_wherever_they_lie() -> None:
    for _ in range(2):
        x = np.ndarray((0, 3), np.float32, bytes(9), 1)
        for found in (half(x), less(x, 0.5), less(x, x), parts(x)[0]):
            same(found, np.empty((0, 3), np.float32))
        out = np.empty((0, 3), np.float32)
        assert less(x, A32[0, 0, :3], out=out) is out
        half(np.ones(1, np.float32))


def test_arrays_of_no_dimension_give_arrays_of_none() -> None:
    x = np.array(3, np.float32)
    for _ in range(2):
        same(half(x), np.array(2.5, np.float32))
        same(less(x, x), np.array(-3, np.float32))
        same(less(x, 1.0), np.array(1, np.float32))


def test_the_result_goes_to_out() -> None:
    for _ in range(2):
        out = np.zeros((2, 3, 4), np.float32)
        assert less(A32, B32, out=out) is out
        same(out, A32 - 2 * B32)
        assert half(A32, out=out) is out
        same(out, A32 * np.float32(0.5) + 1)
        out = np.zeros((4, 3, 2), ">f4").T
        assert half(A32, out=out) is out
        assert out.tolist() == half(A32).tolist()
        one = np.zeros((), np.float64)
        assert half(3.0, out=one) is one
        assert one == 2.5


def test_out_may_be_an_argument() -> None:
    for _ in range(2):
        x = A32.copy()
        assert half(x, out=x) is x
        same(x, half(A32))
        x = A32.copy()
        less(x, B32, out=x)
        same(x, A32 - 2 * B32)
        x = A32.copy()
        less(B32, x, out=x)
        same(x, B32 - 2 * A32)
        x = A32.copy()
        half(x[:, ::2], out=x[:, ::2])
        same(x[:, ::2].copy(), half(A32[:, ::2]))
        whole = np.arange(12, dtype=np.float32)
        less(whole, whole, out=whole)
        same(whole, 0 - np.arange(12, dtype=np.float32))


@pytest.mark.parametrize("shift", [-9, -4, -1, 1, 2, 7])
def test_out_that_overlaps_an_argument_gets_what_a_copy_would(shift: int) -> None:
    for step in (1, -1, 2):
        memory = np.linspace(-5, 5, 80, dtype=np.float32)
        x, out = memory[20:60:step], memory[20 + shift : 60 + shift : step]
        wanted = half(x.copy())
        half(x, out=out)
        same(out.copy(), wanted)
        memory = np.linspace(-5, 5, 80, dtype=np.float32)
        x, out = memory[20:60:step], memory[20 + shift : 60 + shift : step]
        wanted = less(x[::-1].copy(), x.copy())
        less(x[::-1], x, out=out)
        same(out.copy(), wanted)


def test_two_results_and_out_for_one_or_both() -> None:
    fraction, whole = parts(A32)
    same(fraction, A32 - np.floor(A32))
    same(whole, np.floor(A32).astype(np.int32))
    same(parts(A32[:, ::-1])[1], whole[:, ::-1].copy())
    places = np.zeros_like(A32), np.zeros(A32.shape, np.int32)
    found = parts(A32, out=places)
    assert found[0] is places[0]
    assert found[1] is places[1]
    same(places[0], fraction)
    same(places[1], whole)
    found = parts(A32, out=(None, places[1]))
    assert found[1] is places[1]
    same(found[0], fraction)
    assert parts(2.25) == (0.25, 2)
    x = A32.copy()
    same(parts(x, out=(x, None))[1], whole)
    same(x, fraction)


def test_an_integer_argument_stays_one() -> None:
    n = np.arange(4, dtype=np.int32)
    for given in (n, n.astype(np.int64), n.astype(np.uint8), n.astype(">u8")):
        same(scale(A32, given), A32 * n.astype(np.float32))
    same(scale(A32, 7), A32 * np.float32(7))
    same(scale(2.0, n), 2.0 * n)
    assert scale(1.0, 10**30) == 2**31 - 1
    assert scale(1.0, np.int64(-(2**40))) == -(2**31)
    same(scale(np.ones(2), np.array([2**40, -(2**40)])), np.array([2.0**31 - 1, -(2.0**31)]))
    assert [*scale(sb.float3(1, 2, 3), int3(1, 2, 3))] == [1, 4, 9]
    assert [*scale(sb.float3(1, 2, 3), 2)] == [2, 4, 6]
    for wrong in (1.5, np.ones(3)):
        with pytest.raises(ArgumentError, match="takes an integer as argument 2"):
            scale(1.0, wrong)


def test_vectors_go_with_scalars_and_vectors_of_their_type() -> None:
    v = sb.float3(1, 2, 3)
    assert [*less(v, 0.5)] == [0, 1, 2]
    assert [*less(v, v)] == [-1, -2, -3]
    assert [*parts(sb.double2(1.5, 2))[1]] == [1, 2]
    for wrong in (sb.float2(1, 2), sb.double3(1), float64(1), A32):
        with pytest.raises(ArgumentError):
            less(v, wrong)
    with pytest.raises(ArgumentError, match="`out` is for arrays"):
        half(v, out=A32)


READ_ONLY = A32.copy()
READ_ONLY.flags.writeable = False
OUT_ERRORS: list[tuple[Any, str, str | None]] = [
    (np.zeros((2, 3, 4)), "half(): `out` is an array of float64, the result is float32",
     "write out=np.empty((2, 3, 4), np.float32)"),
    (np.zeros(24, np.float32), "half(): `out` has shape (24,), the result has (2, 3, 4)",
     "write out=np.empty((2, 3, 4), np.float32)"),
    (READ_ONLY, "half(): `out` is read-only", "give an array of your own"),
    ([0.0], "half(): `out` is list, no plain array", "write out=np.empty((2, 3, 4), np.float32)"),
    (np.ma.zeros((2, 3, 4), np.float32), "half(): `out` is MaskedArray, no plain array",
     "write out=np.empty((2, 3, 4), np.float32)"),
]  # fmt: skip


@pytest.mark.parametrize(("out", "message", "fix"), OUT_ERRORS, ids=lambda v: type(v).__name__)
def test_an_out_that_does_not_fit_is_named_with_what_to_write(
    out: Any, message: str, fix: str
) -> None:
    for _ in range(2):
        with pytest.raises(ArgumentError) as found:
            half(A32, out=out)
        assert (found.value.message, found.value.fix) == (message, fix)


def test_two_results_take_a_tuple_of_two() -> None:
    with pytest.raises(ArgumentError, match=r"`out` is a tuple of 2 arrays or None"):
        parts(A32, out=A32.copy())


def test_shapes_that_do_not_broadcast_are_named() -> None:
    with pytest.raises(ArgumentError) as found:
        less(A32, A32[0, 0, :3])
    assert "arrays of shapes (2, 3, 4) and (3,), which do not broadcast" in str(found.value)


def test_results_are_plain_arrays_also_of_memory_maps(tmp_path: Any) -> None:
    x = np.memmap(tmp_path / "x", np.float32, "w+", shape=(4,))
    x[:] = 3
    same(half(x), np.full(4, 2.5, np.float32))
    assert half(x, out=x) is x
    assert x.tolist() == [2.5] * 4


def test_the_threads_floating_point_environment_changes_nothing() -> None:
    from samebits.runtime.fp_state import pin as fpenv

    x = np.array([1e-40, -1e-40, 0.1], np.float32)
    wide = np.array([2**53 + 1, 2**63 - 1, 3])
    wanted = less(x, x[::-1]), half(wide), less(0.1, x), half(0.1), math.sin(x)
    row = REGISTERS[fpenv.register_name()]
    before = fpenv.read()
    try:
        fpenv.write(before | row.flush_results | row.flush_operands | 2 << row.rounding_shift)
        found = less(x, x[::-1]), half(wide), less(0.1, x), half(0.1), math.sin(x)
    finally:
        fpenv.write(before)
    for a, b in zip(found, wanted, strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_other_threads_run_during_a_call() -> None:
    x = np.linspace(0, 1e9, 4_000_000)
    ticks = 0
    done = threading.Event()

    def work() -> None:
        math.sin(x)
        done.set()

    math.sin(x[:2])
    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.0005):
        ticks += 1
    thread.join()
    assert ticks > 3


def test_guarded_arrays_are_taken_as_what_they_guard() -> None:
    x, out = sb.guarded(np.ones(3, np.float32)), sb.guarded(np.zeros(3, np.float32))
    same(math.sin(x), math.sin(np.ones(3, np.float32)))
    assert math.sin(x, out=out) is out
    assert out[0] == math.sin(float32(1))
    fraction, exponent = math.frexp(x, out=(out, None))
    assert fraction is out
    assert exponent.tolist() == [1, 1, 1]
    assert math.sum(x) == 3


def test_results_that_share_memory_are_refused() -> None:
    x, z = np.ones(4, np.float32), np.zeros((4, 2), np.float32)
    math.sincos(x, out=(z[:, 0], z[:, 1]))
    assert z[0, 0] == math.sin(float32(1))
    for pair in ((z[:, 0], z[:, 0]), (z[:, 0], z[::-1, 0])):
        with pytest.raises(ArgumentError, match="the arrays of `out` share memory"):
            math.sincos(x, out=pair)
    for strides in ((0,), (2,)):
        repeated = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (4,), strides)
        with pytest.raises(ArgumentError, match="elements of `out` are the same memory"):
            math.sin(x, out=repeated)


def test_results_may_be_interleaved_in_any_way() -> None:
    x = np.arange(12, dtype=np.float64).reshape(3, 4)
    whole = np.zeros(20)
    woven = np.lib.stride_tricks.as_strided(whole, (3, 4), (16, 24))
    assert math.sin(x, out=woven) is woven
    same(woven.copy(), math.sin(x))
    meeting = np.lib.stride_tricks.as_strided(whole, (3, 4), (16, 16))
    with pytest.raises(ArgumentError, match="elements of `out` are the same memory"):
        math.sin(x, out=meeting)


def test_names_other_than_out_are_refused() -> None:
    x = np.ones(3, np.float32)

    @sb.kernel
    def named(a: float32) -> float32:
        return math.sin(x=a)

    for name in ("where", "dtype", "x"):
        with pytest.raises(ArgumentError) as error:
            math.sin(x, **{name: True})
        assert error.value.message == f"sin() takes no `{name}=` here"
        assert error.value.fix == "write math.sin(x)"
    with pytest.raises(ArgumentError, match="takes its arguments by position"):
        named.managed(1)
    with pytest.raises(ArgumentError, match="takes no `out=` here"):
        math.sin(sb.fix32(1), out=x)
