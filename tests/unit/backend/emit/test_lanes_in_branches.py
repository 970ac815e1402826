"""Sums in branches that read memory: the lanes of one that is not taken are not moved."""

from __future__ import annotations

import numpy as np
import pytest

import samebits as sb
from samebits import float2, float32, float64, int32, math
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes


@sb.kernel(mode=sb.DETERMINISTIC)
def neighbours(
    places: sb.ReadOnly[float2], speeds: sb.ReadOnly[float2], out: sb.Array[float2]
) -> None:
    for i in range(len(places)):
        near, heading, seen = float2(0, 0), float2(0, 0), float32(0)
        for j in range(len(places)):
            d = places[j] - places[i]
            if math.dot(d, d) < 0.1:
                near += d
                heading += speeds[j]
                seen += 1
                if d.x < 0:
                    near -= speeds[j]
        out[i] = near + heading / seen


@sb.kernel(mode=sb.DETERMINISTIC, denormals="flush")
def chosen(x: sb.ReadOnly[float64], which: sb.ReadOnly[int32], out: sb.Array[float64]) -> None:
    total, least, product = float64(3), float64(0), float64(1)
    for i in range(len(which)):
        if which[i] % 3 == 0:
            total += x[i]
        elif which[i] > 4:
            least = sb.min(least, x[i] * x[i])
        else:
            continue
        product *= 1.0 + x[i] * 1e-300
    out[0], out[1], out[2] = total, least, product


KERNELS = (neighbours, chosen)
SIZES = (0, 1, 7, 8, 9, 31, 32, 33, 40, 41, 75)


def text(kernel: Kernel, target: str) -> str:
    unit = compile_kernel(kernel, kernel.fixed_types)
    name = unit.function.name
    return llvm_text(optimise(lower_float_modes(link(unit)), [name]), [name], TARGETS[target])


@pytest.mark.parametrize("size", SIZES)
def test_the_bits_are_those_of_evaluation(size: int) -> None:
    random = np.random.default_rng(size)
    places, speeds = random.random((2, size, 2)).astype(np.float32)
    out = np.zeros((size, 2), np.float32)
    sb.assert_same_bits(neighbours, places, speeds, out)
    x = random.standard_normal(size) * random.choice([1.0, 1e-160, 1e-310], size)
    which = random.integers(0, 9, size).astype(np.int32)
    sb.assert_same_bits(chosen, x, which, np.zeros(3))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_lanes_are_cells_where_there_are_no_masks(kernel: Kernel) -> None:
    for part in ("load", "store"):
        narrow, wide = (
            sum(f" {part} float" in line or f" {part} double" in line for line in lines)
            for lines in (
                text(kernel, "x86-64-v3").splitlines(), text(kernel, "x86-64-v4").splitlines()
            )
        )  # fmt: skip
        assert narrow < wide
