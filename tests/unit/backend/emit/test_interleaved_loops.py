"""Loops around functions of the math library do several iterations at once, with the same bits."""

from __future__ import annotations

import re

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, float32, float64, int64, math
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise


@sb.kernel
def sines(x: ReadOnly[float32], out: Array[float32]) -> None:
    for i in range(len(out)):
        out[i] = math.sin(x[i])


@sb.kernel
def sum_of_sines(x: ReadOnly[float32], out: Array[float32]) -> None:
    total = float32(0)
    for i in range(len(x)):
        total += math.sin(x[i])
    out[0] = total


@sb.kernel
def wide_sines(x: ReadOnly[float64], out: Array[float64]) -> None:
    for i in range(len(out)):
        out[i] = math.sin(x[i])


@sb.kernel
def wide_tangents(x: ReadOnly[float64], out: Array[float64]) -> None:
    for i in range(len(out)):
        out[i] = math.tan(x[i])


@sb.kernel
def doubles(x: ReadOnly[float32], out: Array[float32]) -> None:
    for i in range(len(out)):
        out[i] = x[i] * 2.0


@sb.kernel
def sines_of_places(x: ReadOnly[float32], places: ReadOnly[int64], out: Array[float32]) -> None:
    for i in range(len(out)):
        out[i] = math.sin(x[places[i]])


@sb.kernel
def sines_of_quotients(x: ReadOnly[float32], out: Array[float32], n: int64) -> None:
    for i in range(len(out)):
        out[i] = math.sin(x[i]) * float32(i % n if n > 0 else int64(0))


@sb.kernel
def rows_of_sines(x: ReadOnly[float32], out: Array[float32]) -> None:
    for i in range(len(out)):
        for _ in range(3):
            out[i] += math.sin(x[i])


def counts(kernel: Kernel, target: str) -> list[int]:
    """The iterations that the kernel's loops interleave; loops left to LLVM have none."""
    assert kernel.fixed_types is not None
    with executions.pinned():
        unit = compile_kernel(kernel, kernel.fixed_types)
        entries = [unit.function.name]
        text = llvm_text(optimise(link(unit), entries), entries, TARGETS[target])
    return [int(n) for n in re.findall(r"llvm\.loop\.interleave\.count\", i32 (\d+)", text)]


@pytest.mark.parametrize("level", ["x86-64-v1", "x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize(
    ("kernel", "expected"), [(sines, {4}), (sum_of_sines, {4}), (wide_sines, {2})]
)
def test_the_smaller_the_body_the_more_iterations_are_done_at_once(
    kernel: Kernel, expected: set[int], level: str
) -> None:
    assert set(counts(kernel, level)) == expected


@pytest.mark.parametrize("kernel", [wide_tangents, doubles, sines_of_quotients])
def test_large_small_and_dividing_loops_are_left_to_llvm(kernel: Kernel) -> None:
    assert counts(kernel, "x86-64-v3") == []


@sb.kernel
def powers(x: ReadOnly[float32], y: ReadOnly[float32], out: Array[float32]) -> None:
    for i in range(len(out)):
        out[i] = math.pow(x[i], y[i])


@pytest.mark.parametrize(("level", "lanes"), [("v1", 16), ("v3", 32), ("v4", 64)])
def test_four_vectors_of_a_large_float32_loop_ask_once_for_rare_lanes(
    level: str, lanes: int
) -> None:
    target = TARGETS[f"x86-64-{level}"]
    assert powers.fixed_types is not None
    with executions.pinned():
        unit = compile_kernel(powers, powers.fixed_types)
        entries = [unit.function.name]
        text = llvm_text(optimise(link(unit), entries), entries, target, 3)
    assert set(re.findall(r"call .*@sb\.each\.\d+\.(\d+)", text)) == {str(lanes)}


def test_a_loop_with_checks_is_left_as_it_is() -> None:
    assert counts(sines_of_places, "x86-64-v3") == []


def test_of_nested_loops_only_the_innermost_is_interleaved() -> None:
    assert counts(rows_of_sines, "x86-64-v3") == counts(sines, "x86-64-v3")


def test_other_processors_are_left_to_llvm() -> None:
    others = [name for name, t in TARGETS.items() if t.architecture != "x86_64"]
    assert all(counts(sines, name) == [] for name in others)


@pytest.mark.parametrize("kernel", [sines, sum_of_sines, wide_sines])
@pytest.mark.parametrize("length", [1, 15, 64, 149])
def test_sums_keep_their_order_and_rare_inputs_their_lanes(kernel: Kernel, length: int) -> None:
    assert kernel.fixed_types is not None
    dtype = np.float64 if kernel is wide_sines else np.float32
    x = np.random.default_rng(length).uniform(-1000, 1000, length).astype(dtype)
    x[::13] *= dtype(1e30)
    sb.assert_same_bits(kernel, x, np.zeros(length, dtype))


@sb.kernel
def sines_beside(x: ReadOnly[float32], out: Array[float32]) -> None:
    for i in range(len(out)):
        out[i] = math.sin(x[i])


def test_the_copy_of_a_loop_with_checks_calls_what_the_other_has_inlined() -> None:
    assert sines_beside.fixed_types is not None
    with executions.pinned():
        unit = compile_kernel(sines_beside, sines_beside.fixed_types)
        entries = [unit.function.name]
        text = llvm_text(optimise(link(unit), entries), entries, TARGETS["x86-64-v4"], 3)
    assert len(re.findall(r"call .*sin_cos_f32\.sin\"\(float", text)) == 1
    assert re.search(r"store <\d+ x i32>", text)


def test_a_loop_with_checks_gives_the_same_where_it_runs() -> None:
    x = np.linspace(-9, 9, 50, dtype=np.float32)
    out, wanted = np.zeros((2, 60), np.float32)
    for run, into in ((sines_beside, out), (sines_beside.managed, wanted)):
        with pytest.raises(sb.Trap, match="index"):
            run(x, into)
    assert out.tobytes() == wanted.tobytes()
    assert out[49] == math.sin(x[49])
