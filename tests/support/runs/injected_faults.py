"""Executions that are wrong on purpose, as a compiler or a host would make them wrong."""

from __future__ import annotations

import re

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.table import Target
from samebits.sim.execution import Execution, NativeExecution
from samebits.sim.simulation import Simulation
from samebits.verify.executions import Row

FUSING: Target | None = next(
    (
        level.target
        for level in engine.available_targets()
        if level.reason is None and level.target.has_fma
    ),
    None,
)


def contracted(simulation: Simulation) -> Execution:
    """Compiled with leave to fuse multiplications and additions."""
    program = simulation.program
    assert FUSING is not None
    emitted = emit_module(program.optimised, program.entries, FUSING)
    text = re.sub(r"= (fadd|fsub|fmul) ", r"= \1 contract ", emitted.text)
    compiled = CompiledObject(engine.compile_text(text, FUSING, 3), emitted.traps)
    return NativeExecution(program, compiled)


CONTRACTED = Row("contracted", "contracted", "fused", contracted)
