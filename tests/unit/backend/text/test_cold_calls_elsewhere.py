"""Loops around cold functions give evaluation's bits on every machine that is emulated here."""

# pyright: reportReturnType=false

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.kernels.cold_kernels import curve, rounded_up
from tests.support.machines.other_machines import EMULATED, Machine, WasmMachine, missing
from tests.support.programs.optimised import optimised

import samebits as sb
from samebits import float32, float64, int32, kernel, uint32, uint64
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.targets.table import Target
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.interp.evaluator import evaluate

STEP = 2.0**-52


@kernel
def hash_of_curves(seed: uint64, every: uint64) -> uint64:
    """A hash of two curves at 99 places, of which one in `every` is left to the cold function."""
    x = sb.zeros(99, float64)
    y = sb.zeros(99, float64)
    z = sb.zeros(99, float32)
    state = seed
    for i in range(99):
        state = state * 6364136223846793005 + 1442695040888963407
        x[i] = float64(state >> 11) * STEP - 1.0
        if uint64(i) % every == 0:
            x[i] = x[i] * 8.0
    for i in range(99):
        y[i] = curve(x[i])
    for i in range(99):
        v = float32(x[i])
        w = (v * v + float32(2.0)) * v - float32(0.5) * (v + float32(1.0)) * (v * v - v)
        if v > float32(1.0):
            w = rounded_up(v, int32(v))
        z[i] = w * float32(0.5) + v
    for i in range(99):
        state = state ^ sb.bitcast(uint64, y[i]) ^ uint64(sb.bitcast(uint32, z[i]))
        state = state * 1099511628211
    return state


MODULE, ENTRIES = optimised(hash_of_curves)
QUESTIONS = [(seed, every) for seed in range(5) for every in (1, 2, 7, 98)]


@pytest.mark.parametrize("target", EMULATED, ids=lambda t: t.name)
@pytest.mark.parametrize("opt", [0, 3])
def test_every_lane_has_evaluations_bits_under_emulation(
    target: Target, opt: int, tmp_path: Path
) -> None:
    reason = missing(target)
    if reason:
        pytest.skip(reason)
    if opt and target.vector_bits:
        text = llvm_text(MODULE, ENTRIES, target, opt)
        assert len(set(re.findall(r"call .*@sb\.each\.(\d+)\.", text))) == 2
    types = hash_of_curves.fixed_types
    assert types is not None
    linked = link(compile_kernel(hash_of_curves, types))
    wanted = [evaluate(linked, ENTRIES[0], pair)[0] for pair in QUESTIONS]
    kind = WasmMachine if target.runner == "wasmtime" else Machine
    machine = kind(tmp_path, target, MODULE, ENTRIES, opt)
    answers = machine.run([(0, [*pair, 0]) for pair in QUESTIONS])
    assert [answer[3] for answer in answers] == wanted
    assert {answer[0] for answer in answers} == {0}
