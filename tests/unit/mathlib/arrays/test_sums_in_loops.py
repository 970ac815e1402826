"""Sums in a loop keep the lanes of whole blocks in registers."""

from __future__ import annotations

import pytest

import samebits as sb
from samebits import float32
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm.engine import optimise_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise


@sb.kernel(bounds_check=False)
def sums(x: sb.Array[float32], out: sb.Array[float32]) -> None:
    for i in range(len(out)):
        x[i] += 1
        out[i] = sb.math.sum(x)


@sb.kernel(bounds_check=False)
def variances(x: sb.Array[float32], out: sb.Array[float32]) -> None:
    for i in range(len(out)):
        x[i] += 1
        out[i] = sb.math.variance(x)


@pytest.mark.parametrize(("kernel", "passes"), [(sums, 1), (variances, 2)])
def test_the_last_part_of_a_block_alone_has_lanes_in_memory(kernel: Kernel, passes: int) -> None:
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    name = unit.function.name
    for target in (TARGETS["x86-64-v3"], TARGETS["x86-64-v4"]):
        text = emit_module(optimise(link(unit), [name]), [name], target).text
        assert optimise_text(text, target).count("alloca [256 x i8]") == passes
