"""Short accumulations that no vector holds, unrolled: the same sums, memory and traps, in order."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64, int64
from samebits.errors import Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import For, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes

SIZE = 7


@sb.kernel(mode=sb.DETERMINISTIC)
def around(x: sb.ReadOnly[float64], h: sb.ReadOnly[float64], z: sb.Array[float64]) -> None:
    """Sums over places that go round, which are stored too."""
    seen = sb.zeros(9, float64)
    for i in range(len(z)):
        total, product = float64(1), x[0]
        for k in range(9):
            found = x[(i - k) % len(x)]
            seen[k] = found
            total += found * h[k]
            product *= found
        z[i] = total - product + seen[(i * 5) % 9]


@sb.kernel(mode=sb.DETERMINISTIC, denormals="flush")
def stored(x: sb.ReadOnly[float32], h: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    """Each iteration reads what one before it stored: the order is seen."""
    for i in range(len(z)):
        total = float32(0)
        for k in range(2, 11):
            z[(i + k) % len(z)] = x[k] * h[k] + z[(i + k + 3) % len(z)]
            if k % 3 == 0:
                total += z[(i + k) % len(z)]
            else:
                total += x[k]
        z[i] = total


@sb.kernel(mode=sb.DETERMINISTIC)
def stumbles(x: sb.ReadOnly[float64], h: sb.ReadOnly[float64], z: sb.Array[float64]) -> None:
    """It traps in an iteration that the numbers name, after those before it have stored."""
    total = float64(0)
    for k in range(16):
        assert x[k] <= 2.0, f"{k} is too large"
        z[k % len(z)] = x[k]
        total += x[k] * h[k]
    z[0] = total


@sb.kernel(mode=sb.DETERMINISTIC)
def long(x: sb.ReadOnly[float64], h: sb.ReadOnly[float64], z: sb.Array[float64]) -> None:
    total = float64(0)
    for k in range(17):
        z[k % len(z)] = x[k]
        total += x[k] * h[k]
    z[0] = total


@sb.kernel(mode=sb.DETERMINISTIC)
def plain(x: sb.ReadOnly[float64], h: sb.ReadOnly[float64], z: sb.Array[float64]) -> None:
    """A vector of eight."""
    total = float64(1)
    for k in range(8):
        total += x[k] * h[k]
    z[0] = total


UNROLLED = (around, stored, stumbles)


def loops_with_lanes(kernel: Kernel) -> tuple[int, int]:
    """How many there are before and after the passes."""
    unit = compile_kernel(kernel, kernel.fixed_types)
    name = unit.function.name
    module = lower_float_modes(link(unit))
    before, after = (
        sum(isinstance(s, For) and s.lanes is not None for s in walk(m.functions[name].body))
        for m in (module, optimise(module, [name]))
    )
    return before, after


def arrays(kernel: Kernel, random: Random) -> tuple[Any, ...]:
    dtype = np.float32 if kernel is stored else np.float64
    least = float(np.finfo(dtype).tiny)
    values = (1.5, -0.25, 1e-3, 2.0, -0.0, float("nan"), least, -least / 2, -1e30)
    x = np.array(random.choices(values, (9, 9, 9, 9, 3, 1, 3, 3, 1), k=20), dtype)
    h = np.array(random.choices(values, (9, 9, 9, 9, 3, 1, 3, 3, 1), k=20), dtype)
    return x, h, np.zeros(random.choice((1, 5, SIZE, 16)), dtype)


@pytest.mark.parametrize("kernel", UNROLLED, ids=lambda kernel: kernel.__name__)
def test_sums_have_the_order_of_lanes(kernel: Kernel) -> None:
    before, after = loops_with_lanes(kernel)
    assert before > after == 0
    random = Random(5)
    sb.assert_same_bits_each(kernel, [arrays(kernel, random) for _ in range(12)])


@pytest.mark.parametrize("kernel", [long, plain], ids=lambda kernel: kernel.__name__)
def test_others_stay(kernel: Kernel) -> None:
    before, after = loops_with_lanes(kernel)
    assert after >= before > 0


@pytest.mark.parametrize("bad", range(0, 16, 3))
def test_a_trap_finds_the_memory_of_the_iterations_before_it(bad: int) -> None:
    x, h = np.linspace(0, 1, 16), np.ones(16)
    x[bad] = 3.0
    found = []
    for call in (stumbles, stumbles.managed):
        z = np.zeros(16)
        with pytest.raises(Trap, match=f"failed: {bad} is too large"):
            call(x, h, z)
        found.append(z)
    assert found[0].tobytes() == found[1].tobytes()
    assert np.array_equal(found[0][:bad], x[:bad])
    assert not found[0][bad:].any()


@sb.kernel(mode=sb.DETERMINISTIC)
def counter_after(x: sb.ReadOnly[float64], places: sb.ReadOnly[int64]) -> float64:
    k = 0
    total = float64(0)
    for k in range(3, 12):
        total += x[places[k] % 5]
    return total + float64(k)


def test_the_counter_keeps_its_last_value() -> None:
    assert loops_with_lanes(counter_after)[1] == 0
    x, places = np.linspace(1, 2, 5), np.arange(12, dtype=np.int64) * 7
    expected = counter_after.managed(x, places)
    assert float(counter_after(x, places)) == float(expected) > 11
