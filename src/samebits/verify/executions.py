"""The executions that verification can compare on this machine, one row each."""

from __future__ import annotations

from collections.abc import Callable

from samebits.backend.targets.table import Target
from samebits.runtime import rows
from samebits.runtime.rows import choose_rows
from samebits.sim.emulation import EmulatedExecution
from samebits.sim.execution import (
    EvaluateExecution,
    Execution,
    ManagedExecution,
    NativeExecution,
)
from samebits.sim.simulation import Simulation

__all__ = ["Row", "all_rows", "choose_rows"]

MakeExecution = Callable[[Simulation], Execution]
Row = rows.Row[MakeExecution]


def all_rows() -> tuple[Row, ...]:
    """Every row, as `samebits targets` lists them."""
    return rows.table(_managed, _evaluate, _native, _emulated)


def _managed(simulation: Simulation) -> Execution:
    return ManagedExecution(simulation.program, simulation.state, simulation.init, simulation.step)


def _evaluate(simulation: Simulation) -> Execution:
    return EvaluateExecution(simulation.program)


def _native(target: Target, opt: int) -> MakeExecution:
    def make(simulation: Simulation) -> Execution:
        # Never from the disk's cache: verification tests the compiler as it is now.
        return NativeExecution(simulation.program, simulation.program.compiled(target, opt))

    return make


def _emulated(target: Target, opt: int) -> MakeExecution:
    def make(simulation: Simulation) -> Execution:
        return EmulatedExecution(simulation.program, simulation.program.emulated(target, opt))

    return make
