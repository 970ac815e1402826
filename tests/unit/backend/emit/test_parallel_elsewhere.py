"""Parallel ranges give evaluation's bits and traps where there are no threads."""

# pyright: reportReturnType=false

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.machines.other_machines import EMULATED, Machine, WasmMachine, missing
from tests.support.programs.optimised import optimised

import samebits as sb
from samebits import float64, kernel, uint64
from samebits.backend.emit.module import emit_module
from samebits.backend.targets.table import Target
from samebits.errors import Trap
from samebits.ir.interp.evaluator import evaluate

STEP = 2.0**-52


@kernel
def hash_of_iterations(seed: uint64, leaving: uint64) -> uint64:
    """A hash of what 50 iterations write; if `leaving` is below 50, that one leaves its range."""
    x = sb.zeros(50, float64)
    state = seed
    for i in range(50):
        state = state * 6364136223846793005 + 1442695040888963407
        x[i] = float64(state >> 11) * STEP - 1.0
    for i in sb.prange(3, 50, batch=7):
        k = i
        if uint64(i) == leaving:
            k = i - 1
        x[k] = x[k] * float64(i) + float64(seed)
        for j in range(i % 4):
            x[k] = x[k] * x[k] - float64(j)
    for i in range(50):
        state = (state ^ sb.bitcast(uint64, x[i])) * 1099511628211
    return state


MODULE, ENTRIES = optimised(hash_of_iterations)
QUESTIONS = [(seed, leaving) for seed in range(4) for leaving in (99, 3, 17, 49)]


def expected(pair: tuple[int, int]) -> object:
    try:
        return evaluate(MODULE, ENTRIES[0], pair)[0]
    except Trap as trap:
        return trap.kind, trap.detail, trap.span


@pytest.mark.parametrize("target", EMULATED, ids=lambda t: t.name)
def test_iterations_have_evaluations_bits_and_traps_under_emulation(
    target: Target, tmp_path: Path
) -> None:
    reason = missing(target)
    if reason:
        pytest.skip(reason)
    kind = WasmMachine if target.runner == "wasmtime" else Machine
    machine = kind(tmp_path, target, MODULE, ENTRIES, 3)
    sites = emit_module(MODULE, ENTRIES, target).traps
    answers = machine.run([(0, [*pair, 0]) for pair in QUESTIONS])
    found = [
        answer[3] if answer[0] == 0 else (
            sites[answer[0] - 1].kind, sites[answer[0] - 1].detail, sites[answer[0] - 1].span
        )
        for answer in answers
    ]  # fmt: skip
    assert found == [expected(pair) for pair in QUESTIONS]
    assert ("own", "x", found[1][2]) in found  # type: ignore[index]
