"""Simulations with other kernels, run by evaluate and natively."""

from __future__ import annotations

from typing import Any

import numpy as np

from samebits.backend.llvm import engine
from samebits.errors import Trap
from samebits.ir.grammar import Module, Op, walk
from samebits.ir.verify import verify
from samebits.sim.execution import EvaluateExecution, Execution, NativeExecution
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource

Outcome = tuple[list[int], str, bytes]
"""The state's hash before the first frame and after each, the trap, the last whole state."""


def inputs_of(simulation: Simulation, frames: int) -> Any:
    made = np.zeros((frames, simulation.players), simulation.input_type.dtype)
    source = PlayerSource(simulation, next(iter(simulation.scripts)), 1, frames)
    done = 0
    for block in source.blocks():
        made[done : done + len(block.inputs)] = block.inputs
        done += len(block.inputs)
    return made


def outcome(execution: Execution, inputs: Any) -> Outcome:
    try:
        execution.start(1)
    except Trap as trap:
        return [], f"{trap.kind} {trap.span}", b""
    first = execution.hash()
    done = execution.advance(inputs)
    trap = f"{done.trap.kind} {done.trap.span}" if done.trap else ""
    return [first, *done.hashes.tolist()], trap, execution.save()


def native(program: Program, opt: int) -> NativeExecution:
    return NativeExecution(program, program.compiled(engine.host_target(), opt))


def everywhere(simulation: Simulation, kernels: Module, inputs: Any) -> Outcome:
    """What legal kernels give: the same in evaluate and natively, optimised or not."""
    verify(kernels)
    program = simulation.program.with_kernels(kernels)
    found = outcome(EvaluateExecution(program), inputs)
    assert outcome(native(program, 0), inputs) == found
    assert outcome(native(program, 3), inputs) == found
    return found


def numbered(module: Module) -> dict[tuple[str, int], Op]:
    return {
        (name, op.id): op
        for name, function in module.functions.items()
        for op in walk(function.body)
        if isinstance(op, Op)
    }
