"""`float16` keeps numbers: conversions round once, the same in every execution; nothing else goes.

NumPy's conversions are the other opinion: it rounds float64 to float16 once.
"""

import pickle

import numpy as np
import pytest
from tests.support.executions import refusal_of, same
from tests.support.kernels.halves import EVERY, boundaries, numpys, words

import samebits as sb
from samebits import float16, float32, float64, half, int32, uint16
from samebits.runtime.evaluate import evaluate_call


@sb.kernel
def widened(h: sb.ReadOnly[half], single: sb.Array[float32], double: sb.Array[float64]):
    for i in range(len(h)):
        single[i] = float32(h[i])
        double[i] = float64(h[i])


@sb.kernel
def from_single(x: sb.ReadOnly[float32], h: sb.Array[float16]):
    for i in range(len(x)):
        h[i] = float16(x[i])


@sb.kernel
def from_double(x: sb.ReadOnly[float64], h: sb.Array[float16]):
    for i in range(len(x)):
        h[i] = float16(x[i])


@sb.kernel
def moved(source: sb.ReadOnly[half], h: sb.Array[half]):
    for i in range(len(source)):
        x = source[i]
        h[i] = x


@sb.kernel
def halved(h: sb.Array[half]):
    for i in range(len(h)):
        h[i] = half(float32(h[i]) * 0.5)


def test_every_half_widens_exactly():
    single, double = np.zeros(1 << 16, np.float32), np.zeros(1 << 16, np.float64)
    widened(EVERY, single, double)
    want = EVERY.astype(np.float32).view(np.uint32)
    want[np.isnan(EVERY)] = 0x7FC0_0000
    assert (single.view(np.uint32) == want).all()
    want = EVERY.astype(np.float64).view(np.uint64)
    want[np.isnan(EVERY)] = 0x7FF8_0000_0000_0000
    assert (double.view(np.uint64) == want).all()


@pytest.mark.parametrize(("kernel", "kind", "word"), [
    (from_single, np.float32, np.uint32), (from_double, np.float64, np.uint64),
])  # fmt: skip
def test_a_float_is_rounded_once_as_numpy_rounds_it(kernel, kind, word):
    generator = np.random.default_rng(14)
    patterns = generator.integers(0, np.iinfo(word).max, 1_000_000, word, endpoint=True).view(kind)
    scale = 2.0 ** generator.integers(-40, 1, 500_000)
    finite = (generator.uniform(-70_000, 70_000, 500_000) * scale).astype(kind)
    small = generator.uniform(-(2.0**-13), 2.0**-13, 500_000).astype(kind)
    for x in (boundaries(kind, 3), patterns, finite, small):
        h = np.zeros(len(x), np.float16)
        kernel(x, h)
        assert (h.view(np.uint16) == numpys(x)).all()


def test_a_float64_does_not_become_a_half_by_way_of_float32():
    traps = np.array([1 + 2.0**-11 + 2.0**-40, 1 + 3 * 2.0**-11 - 2.0**-40, 2.0**-25 + 2.0**-60])
    h = np.zeros(3, np.float16)
    from_double(traps, h)
    assert (h.view(np.uint16) == numpys(traps)).all()
    assert (h.view(np.uint16) != numpys(traps.astype(np.float32))).all()
    assert [float16(float64(x)) for x in traps] == h.tolist()


def test_managed_converts_as_compiled_code_does():
    x = np.concatenate([boundaries(np.float64, 1)[::7], [np.nan, np.inf, -np.inf, 1e300, -5e-324]])
    h = np.zeros(len(x), np.float16)
    from_double(x, h)
    assert np.array([float16(float64(v)) for v in x]).view(np.uint16).tolist() == words(h).tolist()
    assert [float32(v).tobytes() for v in EVERY[::17] if v == v] == [
        v.astype(np.float32).tobytes() for v in EVERY[::17] if v == v
    ]


def test_the_three_executions_agree_on_bits():
    x = boundaries(np.float64, 1)[::101].copy()
    same(from_double, x, np.zeros(len(x), np.float16))
    same(from_single, x.astype(np.float32), np.zeros(len(x), np.float16))
    h = np.concatenate([EVERY[::97], EVERY[0x7BF0:0x7C10], EVERY[0xFC00:0xFC08]])
    same(widened, h, np.zeros(len(h), np.float32), np.zeros(len(h)))
    same(halved, h.copy())


@pytest.mark.parametrize("target", ["i686", "aarch64", "s390x", "wasm32-simd", "armv7"])
def test_other_processors_have_the_same_bits(target):
    h = np.concatenate([EVERY[::199], EVERY[0x7BF0:0x7C10], EVERY[0xFC00:0xFC08]])
    x = boundaries(np.float64, 1)[::211].copy()
    sb.assert_same_bits(halved, h.copy(), targets=[target])
    sb.assert_same_bits(from_double, x, np.zeros(len(x), np.float16), targets=[target])


def test_a_nan_is_the_canonical_one_wherever_it_goes():
    h = np.zeros(1 << 16, np.float16)
    same(moved, EVERY[::509].copy(), h[: len(EVERY[::509])].copy())
    moved(EVERY, h)
    assert (h.view(np.uint16) == words(EVERY)).all()
    payload = np.array(0xFE01, np.uint16).view(np.float16)[()]
    for run in (through, through.managed, lambda *a: evaluate_call(through, a)):
        assert run(payload).tobytes() == b"\x00\x7e"


@sb.kernel
def through(h: half) -> half:
    kept = h
    return kept


@sb.kernel
def chosen(h: half, x: float32, n: int32, big: sb.int64) -> tuple[half, half, half, half, half]:
    first = sb.select(x > 1, h, half(x))
    if x > 2:
        first = half(n)
    return first, half(n), half(big), 0.1, sb.bitcast(half, uint16(n))


@sb.kernel
def to_integers(h: half) -> tuple[int32, sb.uint8, sb.int64, uint16, float64]:
    return int32(h), sb.uint8(h), sb.int64(h), sb.bitcast(uint16, h), float64(h) * 2


@pytest.mark.parametrize("x", [0.1, 1.5, 2.5])
@pytest.mark.parametrize("n", [-1, 3, 2049, 2051, 65519, 65520, 32257])
def test_values_go_through_locals_choices_and_results(x, n):
    found = same(chosen, half(7), float32(x), int32(n), sb.int64(n << 40))
    assert found[3].tobytes() == np.float16(0.1).tobytes()
    with np.errstate(over="ignore"):
        assert found[1].tobytes() == np.float16(n).tobytes()
    assert all(type(value) is float16 for value in found)


@pytest.mark.parametrize("h", [0.0, -1.75, 300.5, 65504.0, np.inf, -np.inf, np.nan, 6e-8])
def test_a_half_becomes_an_integer_as_the_float32_that_it_is(h):
    found = same(to_integers, half(h))
    assert found[0] == sb.int32(float32(half(h)))
    assert found[3] == int(words(np.array([h], np.float16))[0])


def test_denormals_are_kept_in_halves_where_a_kernel_flushes_floats():
    h = EVERY[1:0x400:31].copy()

    @sb.kernel(denormals="flush")
    def flushing(h: sb.Array[half], single: sb.Array[float32]):
        for i in range(len(h)):
            single[i] = float32(h[i])
            h[i] = half(float32(h[i]) * 0.5)

    single = np.zeros(len(h), np.float32)
    same(flushing, h.copy(), single.copy())
    flushing(h.copy(), single)
    assert (single == h.astype(np.float32)).all()


@pytest.mark.parametrize("mode", [sb.STRICT, sb.DETERMINISTIC])
def test_both_modes_with_a_promise_have_the_same_bits(mode):
    x = boundaries(np.float64, 1)[::10].copy()

    @sb.kernel(mode=mode)
    def narrowed(x: sb.ReadOnly[float64], h: sb.Array[half]):
        for i in range(len(x)):
            h[i] = half(x[i])

    h = np.zeros(len(x), np.float16)
    narrowed(x, h)
    assert (h.view(np.uint16) == numpys(x)).all()


# The class in plain Python ----------------------------------------------------------------


def test_the_class_is_numpys_scalar_with_the_languages_conversions():
    assert half is float16
    assert isinstance(half(1.5), np.float16)
    assert repr(half(0.1)) == "float16(0.1)"
    assert pickle.loads(pickle.dumps(half(0.1))) == half(0.1)
    assert type(pickle.loads(pickle.dumps(half(0.1)))) is float16
    assert half() == 0
    assert half(10**400) == np.inf
    assert {half(2.0): 1}[half(2.0)] == 1
    assert half(True) == 1
    assert sb.to_python(half(0.5)) == 0.5
    with pytest.raises(sb.ArgumentError, match="takes one scalar"):
        half("1")


@pytest.mark.parametrize("compute", [
    lambda h: h + h, lambda h: h * 2, lambda h: 2.0 - h, lambda h: float32(1) * h,
    lambda h: h * float32(1), lambda h: -h, lambda h: abs(h), lambda h: h < h, lambda h: h >= 1,
    lambda h: h % 2, lambda h: h**2, lambda h: sb.fix16(h), lambda h: int32(1) + h,
    lambda h: sb.select(True, h, 0.1),
])  # fmt: skip
def test_the_class_refuses_arithmetic(compute):
    with pytest.raises(sb.ArgumentError):
        compute(half(1.5))


# What a kernel may not write; the messages of operators and functions are in tests/errors ---


def test_a_float_goes_into_a_half_by_name_alone():
    @sb.kernel
    def unnamed(x: float32, h: sb.Array[half]) -> None:
        h[0] = x

    error = refusal_of(unnamed, float32(1), np.zeros(1, np.float16))
    assert error.message == "an element of h is float16, but this is float32"
    assert error.fix == "write float16(x)"


def test_python_numbers_become_halves_as_they_become_floats():
    @sb.kernel
    def weak(n: int, x: float, h: sb.Array[half]) -> None:
        h[0] = 0.1
        h[1] = n
        h[2] = x
        h[3] = 3

    h = np.zeros(4, np.float16)
    same(weak, 2049, 1 / 3, h)
    assert h.tobytes() == np.array([0.1, 2049, 1 / 3, 3], np.float16).tobytes()


def test_a_constant_from_outside_is_one():
    step = half(0.1)
    array_step = np.float16(0.3)

    @sb.kernel
    def captured() -> tuple[half, half]:
        return step, array_step

    assert same(captured) == (half(0.1), half(0.3))


TABLE = sb.table([0.1, 2, -3.5, float("nan"), 1e9], half)


@sb.kernel
def looked_up(i: int32) -> tuple[half, float32]:
    local = sb.zeros(4, half)
    local[1] = TABLE[i]
    return local[1], float32(local[0])


def test_tables_and_local_arrays_hold_halves():
    values = [same(looked_up, int32(i))[0] for i in range(5)]
    assert [value.tobytes() for value in values] == [h.tobytes() for h in TABLE]
    assert str(values) == "[float16(0.1), float16(2.0), float16(-3.5), float16(nan), float16(inf)]"


@sb.kernel
def filled(h: sb.Array[half], first: half) -> None:
    for i in sb.prange(len(h)):
        h[i] = half(float32(first) * float32(i))


def test_parallel_ranges_write_halves():
    same(filled, np.zeros(100, np.float16), half(0.1))
