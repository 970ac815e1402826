"""float32 sin and cos: hardest inputs, special values, one answer in every execution, lanes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.kernels.math_kernels import (
    assert_same_patterns,
    called_in_loops,
    cosines_f32,
    patterns,
    results,
    sines_f32,
)
from tests.support.levels import LOWEST

import samebits as sb
from samebits import bitcast, float32, math, uint32, uint64
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Op, can_trap, walk
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.runtime.same_bits import executions

KERNELS = {"sin": sines_f32, "cos": cosines_f32}
ROWS = [
    line.split()
    for line in (Path(__file__).parent / "hard_sin_cos_f32.txt").read_text().splitlines()
]
NAN = 0x7FC0_0000
MANAGED = 1 << 11
EVALUATED = 1 << 13

both = pytest.mark.parametrize("name", KERNELS)


def all_executions(kernel: Kernel) -> dict[str, Any]:
    assert kernel.fixed_types is not None
    return dict(executions(kernel, kernel.fixed_types))


def floats(words: list[int]) -> Any:
    return np.array(words, np.uint32).view(np.float32)


def sample() -> Any:
    """Every 2^16th pattern, its low bits scrambled: all signs and exponents, NaN and infinities."""
    high = np.arange(1 << 16, dtype=np.uint32)
    low = (high * np.uint32(0x9E37)) >> np.uint32(16)
    return ((high << np.uint32(16)) | low).view(np.float32)


@both
def test_the_inputs_nearest_to_a_rounding_boundary_are_rounded_right(name: str) -> None:
    rows = [(int(x, 16), int(y, 16)) for which, x, y in ROWS if (which == "1") == (name == "cos")]
    assert len(rows) > 50
    x, wanted = floats([x for x, _ in rows]), floats([y for _, y in rows])
    for what, run in all_executions(KERNELS[name]).items():
        assert_same_patterns(results(run, x), wanted, x, f"{name}, {what},")
        mirrored = results(run, -x)
        assert_same_patterns(mirrored, -wanted if name == "sin" else wanted, -x, what)


@both
def test_special_values_have_the_documented_results(name: str) -> None:
    nothing = [0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0xFFC0_0001, 0x7F80_0001, 0xFFBF_FFFF]
    tiny = [0, 1 << 31, 1, 0x8000_0001, 0x007F_FFFF, 0x0080_0000, 0x807F_FFFF]
    unchanged = tiny if name == "sin" else [0x3F80_0000] * len(tiny)
    x, wanted = floats(nothing + tiny), floats([NAN] * len(nothing) + unchanged)
    for what, run in all_executions(KERNELS[name]).items():
        assert_same_patterns(results(run, x), wanted, x, f"{name}, {what},")


@both
def test_every_execution_gives_the_same_bits(name: str) -> None:
    x = sample()
    runs = all_executions(KERNELS[name])
    wanted = results(runs[f"{LOWEST}-O0"], x)
    for what, run in runs.items():
        step = {"managed": len(x) // MANAGED, "evaluate": len(x) // EVALUATED}.get(what, 1)
        part = x[::step].copy()
        assert_same_patterns(results(run, part), wanted[::step].copy(), part, f"{name}, {what},")


@sb.kernel
def digest_of_one_in_64() -> uint64:
    """FNV-1a over sin and cos of one input in 64, 2^26 of them."""
    h = uint64(0xCBF2_9CE4_8422_2325)
    for n in range(1 << 26):
        u = uint64(n) * 64
        x = bitcast(float32, uint32(u + ((u >> 18) & 63)))
        h = (h ^ uint64(bitcast(uint32, math.sin(x)))) * 0x100_0000_01B3
        h = (h ^ uint64(bitcast(uint32, math.cos(x)))) * 0x100_0000_01B3
    return h


def test_one_number_stands_for_the_results_on_every_machine() -> None:
    # The same program in C gave this number at every level, scalar and vector.
    assert digest_of_one_in_64() == 0x3B4D_0383_C28E_C875


@both
@pytest.mark.parametrize(("row", "register"), [("x86-64-v3", "ymm"), ("x86-64-v4", "[yz]mm")])
def test_a_loop_over_an_array_runs_in_vector_lanes(name: str, row: str, register: str) -> None:
    kernel = KERNELS[name]
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    entries = [unit.function.name]
    module = optimise(link(unit), entries)
    assembly = assembly_text(module, entries, TARGETS[row])
    assert len(re.findall(rf"\tvf(?:n?madd|n?msub)\d+pd\t[^\n]*%{register}", assembly)) >= 9
    assert all("sin_cos_large_f32" in name for name in called_in_loops(assembly, "mathlib"))


@both
def test_the_functions_hold_no_check_that_could_fail(name: str) -> None:
    kernel = KERNELS[name]
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    module = optimise(link(unit), [unit.function.name])
    functions = [f for f in module.functions.values() if "mathlib" in f.name]
    assert len(functions) >= 2
    for function in functions:
        assert not [s for s in walk(function.body) if isinstance(s, Op) and can_trap(s)]


def test_sine_is_odd_and_cosine_even() -> None:
    x = sample()
    x = x[np.isfinite(x)]
    assert (patterns(math.sin(-x)) == patterns(-math.sin(x))).all()
    assert (patterns(math.cos(-x)) == patterns(math.cos(x))).all()
