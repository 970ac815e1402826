"""Kernels that flush by the processor's rule for operands: subnormal numbers are never seen."""

# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64, math, uint32
from samebits.backend.emit import emission
from samebits.backend.emit.late_flush import flushes_late
from samebits.backend.targets.table import TARGETS
from samebits.errors import Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.kernel import Kernel
from samebits.passes.semantics.float_modes import lower_float_modes

FLUSH: dict[str, Any] = {"denormals": "flush"}
LEAST = 2.0**-126


@sb.struct
class Pair:
    a: float32
    b: float32


@sb.kernel(denormals="flush")
def arithmetic(x: sb.ReadOnly[float32], y: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    for i in range(len(z)):
        a, b = x[i % len(x)], y[i // len(x)]
        match i % 11:
            case 0:
                z[i] = a + b
            case 1:
                z[i] = a - b
            case 2:
                z[i] = a * b
            case 3:
                z[i] = a / b
            case 4:
                z[i] = sb.min(a * 0.5, b * 0.25)
            case 5:
                z[i] = sb.max(a * 0.5, b * 0.25)
            case 6:
                z[i] = sb.copysign(a, b - a)
            case 7:
                z[i] = sb.sqrt(sb.abs(a * b)) * (a * 0.5)
            case 8:
                z[i] = sb.floor(a * 0.75) + sb.ceil(b * 0.75)
            case 9:
                z[i] = -(a * 0.125)
            case _:
                z[i] = float32(a * 0.5 == 0.0) + 2 * float32(b * 0.5 < a * 0.25)


@sb.kernel(denormals="flush")
def doubles(x: sb.ReadOnly[float64], z: sb.Array[float64]) -> float64:
    total = float64(0)
    for i in range(len(z)):
        d = x[i] - x[(i + 1) % len(x)]
        if d == 0.0:
            total += 1.0
        z[i] = d if d > total else x[i]
    return z[0] * 0.5


@sb.kernel(denormals="flush")
def narrowed(x: sb.ReadOnly[float64], z: sb.Array[float32]) -> float64:
    for i in range(len(z)):
        z[i] = float32(x[i])
    return float64(float32(x[0]))


@sb.kernel(denormals="flush")
def patterns(x: sb.ReadOnly[float32], z: sb.Array[uint32]) -> None:
    for i in range(len(z)):
        z[i] = sb.bitcast(uint32, x[i] * 0.5)
        if i > 2:
            z[i] = z[i] ^ sb.bitcast(uint32, sb.bitcast(float32, z[i - 1]))


@sb.kernel(denormals="flush")
def halved(p: Pair, x: float32) -> float32:
    p.a = p.b * 0.5
    return x * 0.5


@sb.kernel(denormals="flush")
def twice_halved(x: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    p = Pair(0.0, 0.0)
    for i in range(len(z)):
        p.b = x[i]
        z[i] = halved(p, x[i]) * 4.0 + x[i] * 0.25
        z[i] = z[i] + p.a


@sb.kernel(denormals="flush")
def to_one_place(x: sb.Array[float64], z: sb.Array[float64]) -> None:
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            d = x[i] - x[j]
            z[i] = z[i] + d
            z[j] = z[j] - d


@sb.kernel(denormals="flush")
def in_parallel(x: sb.ReadOnly[float32], z: sb.Array[float32], scale: float32) -> None:
    half = scale * 0.5
    for i in sb.prange(len(z)):
        z[i] = x[i] * 0.5 + half


@sb.kernel(denormals="flush")
def total_of(x: sb.ReadOnly[float32], z: sb.Array[float32]) -> None:
    total = float32(0)
    for i in range(len(x)):
        total += x[i]
    z[0] = total


@sb.kernel(denormals="flush")
def printed(x: float32) -> float32:
    print(f"half is {x * 0.5}")
    return x


@sb.kernel(denormals="flush")
def asserted(x: float32) -> float32:
    half = x * 0.5
    assert half > 1.0, f"half is {half}"
    return half


@sb.kernel(denormals="flush")
def divided(x: float) -> float:
    return 1.0 / (x * 0.5)


@sb.kernel(denormals="flush")
def fused(x: float32, y: float32) -> float32:
    return math.fma(x, y, -y)


@sb.kernel(denormals="flush")
def with_sine(x: float32) -> float32:
    return math.sin(x) * 0.5


@sb.kernel
def kept(x: float32) -> float32:
    return x * 0.5


@sb.kernel(denormals="flush")
def with_kept(x: float32) -> float32:
    return kept(x) * 2.0


@sb.kernel
def moved(z: sb.Array[float32]) -> None:
    for i in range(1, len(z)):
        z[i - 1] = z[i]


@sb.kernel(denormals="flush")
def with_moved(z: sb.Array[float32]) -> None:
    moved(z)
    for i in range(len(z)):
        z[i] = z[i] * 2.0


def singles() -> Any:
    """Both signs of numbers on both sides of the least normal one, and others."""
    near = np.arange(0x0070_0000, 0x0090_0000, 0x2_5ADF, dtype=np.uint32)
    odd = [0, 1, 0x007F_FFFF, 0x0080_0000, 0x0080_0001, 0x3F80_0000, 0x3F7F_FFFF, 0x3F00_0001,
           0x7F80_0000, 0x7FC0_0001, 0x2000_0000, 0x1FFF_FFFF, 0x0100_0000]  # fmt: skip
    magnitudes = np.concatenate([near, np.array(odd, np.uint32)])
    return np.concatenate([magnitudes, magnitudes | 0x8000_0000]).view(np.float32)


def numbers() -> Any:
    """Of binary64: differences of neighbours are subnormal, some that are zero are not."""
    steps = np.arange(40, dtype=np.uint64) * 0x0003_1234_5678_9ABC % (1 << 53)
    return np.concatenate([(steps + (1 << 52)).view(np.float64), [0.0, -0.0, 1.0, 5e-324, 1e-320]])


def memory(kernel: Kernel) -> tuple[Any, ...]:
    x, y = singles(), numbers()
    if kernel is arithmetic:
        return x, x, np.zeros(len(x) ** 2, np.float32)
    if kernel is doubles:
        return y, np.zeros(len(y))
    if kernel is to_one_place:
        return y[:40].copy(), np.zeros(40)
    if kernel is total_of:
        return x[:14], np.zeros(1, np.float32)
    if kernel is narrowed:
        wide = np.concatenate([x.astype(np.float64), y, x.astype(np.float64) * (1 + 2.0**-30)])
        return wide, np.zeros(len(wide), np.float32)
    if kernel is patterns:
        return x, np.zeros(len(x), np.uint32)
    if kernel is in_parallel:
        return x, np.zeros(len(x), np.float32), np.float32(LEAST)
    if kernel is with_moved:
        return (x.copy(),)
    return x, np.zeros(len(x), np.float32)


LATE = (
    arithmetic, doubles, narrowed, patterns, twice_halved, to_one_place, in_parallel, total_of,
    with_moved,
)  # fmt: skip


def qualifies(kernel: Kernel, target: str = "x86-64-v3") -> bool:
    types = kernel.fixed_types
    assert types is not None
    module = lower_float_modes(link(compile_kernel(kernel, types)))
    return flushes_late(module.functions.values(), TARGETS[target])


@pytest.mark.parametrize("kernel", LATE, ids=lambda kernel: kernel.__name__)
def test_no_subnormal_number_is_seen(kernel: Kernel) -> None:
    assert qualifies(kernel)
    sb.assert_same_bits(kernel, *memory(kernel))


@pytest.mark.parametrize("kernel", LATE, ids=lambda kernel: kernel.__name__)
def test_some_subnormal_number_is_there_to_be_seen(kernel: Kernel) -> None:
    """Without flushing, each kernel leaves something else."""
    keeping = Kernel(kernel.function, given={"denormals": "keep"})
    given, other = memory(kernel), memory(kernel)
    kernel(*given)
    keeping(*other)
    assert any(
        a.tobytes() != b.tobytes()
        for a, b in zip(given, other, strict=True) if isinstance(a, np.ndarray)
    )  # fmt: skip


def test_a_lane_of_a_sum_is_flushed_as_the_interpreter_does() -> None:
    laned = Kernel(total_of.function, given={**FLUSH, "mode": sb.DETERMINISTIC})
    x = np.concatenate([singles()[:20]] * 20)
    sb.assert_same_bits(laned, x, np.zeros(1, np.float32))


def test_results_and_structs_are_flushed() -> None:
    for x in (LEAST, -LEAST, 3 * LEAST, 1.0):
        sb.assert_same_bits(halved, Pair(1.0, x), float32(x))


@pytest.mark.parametrize("kernel", [printed, asserted, divided], ids=lambda k: k.__name__)
def test_texts_and_traps_have_flushed_numbers(
    kernel: Kernel, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(run: Callable[..., Any], x: float) -> tuple[str, str]:
        try:
            found = str(run(x))
        except Trap as trap:
            found = str(trap)
        return found, capsys.readouterr().out

    for x in (LEAST, -LEAST, 1e-310, 2.0**-1022, 4.0):
        given: Any = x if kernel is divided else float32(x)
        assert told(kernel, given) == told(kernel.managed, given)


def test_what_keeps_subnormal_numbers_shares_no_entry_with_what_flushes_late() -> None:
    assert not qualifies(with_sine)
    assert not qualifies(with_kept)
    assert not qualifies(kept)
    assert qualifies(with_moved)


def test_only_x86_64_flushes_late_and_fuses_in_one_instruction() -> None:
    assert {name for name in TARGETS if qualifies(halved, name)} == {
        name for name, row in TARGETS.items() if row.fp_control == "mxcsr"
    }
    assert qualifies(fused, "x86-64-v3")
    assert not qualifies(fused, "x86-64-v1")


def test_the_rule_for_results_gives_other_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flushing results by the processor's rule would flush what rounds up to the least number."""
    given = memory(arithmetic)
    wanted = given[-1].copy()
    arithmetic.managed(given[0], given[1], wanted)
    monkeypatch.setattr(emission, "LATE", ("flush",))
    monkeypatch.setattr("samebits.runtime.cache._Setting.chosen", None)
    other = Kernel(arithmetic.function, given={**FLUSH, "arena": 1 << 20})
    other(*given)
    assert given[-1].tobytes() != wanted.tobytes()
