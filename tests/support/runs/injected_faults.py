"""Executions that are wrong on purpose, as a compiler or a host would make them wrong."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.table import Target
from samebits.cli import verify as verify_command
from samebits.passes.pipeline import optimise
from samebits.sim.execution import Advance, Execution, NativeExecution
from samebits.sim.simulation import Simulation
from samebits.verify.executions import Row, all_rows

FUSING: Target | None = next(
    (
        level.target
        for level in engine.available_targets()
        if level.reason is None and level.target.has_fma
    ),
    None,
)


def contracted(simulation: Simulation) -> Execution:
    """Compiled with contraction: multiplications and additions may be fused."""
    program = simulation.program
    assert FUSING is not None
    module = optimise(program.module, program.own_entries, blocks=False)
    emitted = emit_module(module, program.own_entries, FUSING)
    text = re.sub(r"= (fadd|fsub|fmul) ", r"= \1 contract ", emitted.text)
    compiled = CompiledObject(engine.compile_text(text, FUSING, 3), emitted.traps)
    return NativeExecution(program, compiled)


CONTRACTED = Row("contracted", "contracted", "fused", contracted)


def wrong(simulation: Simulation) -> Execution:
    """Compiled, and in frame 17 a float comes out one bit too high."""
    program = simulation.program
    level = next(level for level in engine.available_targets() if level.reason is None)

    class Wrong(NativeExecution):
        def advance(self, inputs: Any) -> Any:
            hashes: list[Any] = []
            for i in range(len(inputs)):
                if self.memory["frame"] == 17:
                    self.memory["bodies"]["pos"][0, 4, 1:].view(np.uint32)[...] += 1
                hashes.append(super().advance(inputs[i : i + 1]).hashes)
            return Advance(np.concatenate(hashes), None)

    return Wrong(program, program.compiled(level.target, 0))


def inject_wrong_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line have one more target, called wrong."""
    rows = (*all_rows(), Row("wrong", "wrong", "wrong on purpose", wrong))
    monkeypatch.setattr(verify_command.targets, "all_rows", lambda: rows)
