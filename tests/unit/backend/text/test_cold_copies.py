"""Cold copies, which the checked version of a loop calls, give the bits of the functions that they
copy, and cost LLVM little."""

# pyright: reportReturnType=false, reportIndexIssue=false, reportArgumentType=false

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tests.support.kernels.cold_kernels import curve
from tests.support.machines.other_machines import EMULATED, Machine, WasmMachine, missing
from tests.support.programs.compiled_kernels import HOST_TARGETS
from tests.support.programs.optimised import optimised

import samebits as sb
from samebits import Array, ReadOnly, float64, int64, kernel, uint64
from samebits.backend.llvm.compile import assembly_text, llvm_text
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS, Target
from samebits.errors import Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.interp.evaluator import evaluate
from samebits.runtime.compile import compile_native

STEP = 2.0**-50
HEIGHTS = sb.table([0.25 * i for i in range(64)], float64)


@kernel
def two_curves(x: float64) -> tuple[float64, float64]:
    z = curve(x) * 0.5
    y = (z * 0.25 + x) * z + (x - 1.0 / (z * z + 1.0))
    y = y * (z + 3.0) - (y + 1.0) * x + (z * 0.125 - y * y) * 0.5
    return y, y - z * HEIGHTS[int64(x * x) & 63]


@kernel
def shifted(keep: ReadOnly[float64], x: ReadOnly[float64], y: Array[float64], shift: int64) -> None:
    """Where `shift` is positive, no test before the loop can tell that y[i - shift] is inside."""
    for i in range(len(keep)):
        if keep[i] > 0.0:
            low, high = two_curves(x[i])
            y[i - shift] = low * high


def _arguments(count: int, shift: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    x = np.random.default_rng(count).uniform(-4.0, 4.0, count)
    return np.arange(count) - shift + 1.0, x, np.zeros(count), shift


def test_the_functions_are_compiled_once_for_the_loop_and_once_as_cold_copies() -> None:
    text = llvm_text(*optimised(shifted), TARGETS["x86-64-v3"], 3)
    defined = re.findall(r"^define [^@]*@\"(cold|k):[^\"]*\.(\w+)\"", text, re.MULTILINE)
    assert sorted(defined) == [("cold", "two_curves"), ("k", "by_series")]
    assert len(re.findall(r"call [^@]*@\"cold:[^\"]*two_curves", text)) == 1


def test_both_sides_read_one_table() -> None:
    text = llvm_text(*optimised(shifted), TARGETS["x86-64-v3"], 3)
    assert len(re.findall(r"constant \[64 x double\]", text)) == 1
    assert len(re.findall(r"@\"t:", text)) > 2


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
@pytest.mark.parametrize("opt", [0, 3])
def test_the_code_is_clean_on_every_row(target: Target, opt: int) -> None:
    assert audit(assembly_text(*optimised(shifted), target, opt), target) == []


@pytest.mark.parametrize("shift", [0, 5])
@pytest.mark.parametrize("target", HOST_TARGETS, ids=lambda t: t.name)
def test_both_loops_have_evaluations_bits(target: Target, shift: int) -> None:
    keep, x, found, _ = _arguments(103, shift)
    wanted = found.copy()
    assert shifted.fixed_types is not None
    compile_native(shifted, shifted.fixed_types, target)(keep, x, found, shift)
    unit = compile_kernel(shifted, shifted.fixed_types)
    evaluate(link(unit), unit.function.name, [keep, x, wanted, shift])
    assert found.tobytes() == wanted.tobytes()
    assert np.count_nonzero(found) == 103 - shift


def test_what_was_written_before_a_trap_is_there() -> None:
    keep, x, y, _ = _arguments(40, 0)
    shorter, whole = np.zeros(30), y
    shifted(keep, x, whole, 0)
    with pytest.raises(Trap):
        shifted(keep, x, shorter, 0)
    assert shorter.tobytes() == whole[:30].tobytes()


@kernel
def hash_of_shifted(seed: uint64, shift: int64) -> uint64:
    keep = sb.zeros(64, float64)
    x = sb.zeros(64, float64)
    y = sb.zeros(64, float64)
    state = seed
    for i in range(64):
        state = state * 6364136223846793005 + 1442695040888963407
        keep[i] = float64(i - shift) + 1.0
        x[i] = float64(state >> 11) * STEP - 4.0
    shifted(keep, x, y, shift)
    for i in range(64):
        state = (state ^ sb.bitcast(uint64, y[i])) * 1099511628211
    return state


@pytest.mark.parametrize("target", EMULATED, ids=lambda t: t.name)
def test_both_loops_have_evaluations_bits_under_emulation(target: Target, tmp_path: Path) -> None:
    reason = missing(target)
    if reason:
        pytest.skip(reason)
    module, entries = optimised(hash_of_shifted)
    questions = [(seed, shift) for seed in range(3) for shift in (0, 3)]
    assert hash_of_shifted.fixed_types is not None
    linked = link(compile_kernel(hash_of_shifted, hash_of_shifted.fixed_types))
    wanted = [evaluate(linked, entries[0], pair)[0] for pair in questions]
    kind = WasmMachine if target.runner == "wasmtime" else Machine
    machine = kind(tmp_path, target, module, entries, 3)
    answers = machine.run([(0, [*pair, 0]) for pair in questions])
    assert [(answer[0], answer[3]) for answer in answers] == [(0, w) for w in wanted]
