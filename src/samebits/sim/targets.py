"""The executions that verification can compare here, as rows, and why others cannot run.

Adding an execution is adding a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from samebits.backend import llvm
from samebits.backend.targets import HostLevel, Target
from samebits.errors import TargetError
from samebits.runtime.runners.machines import emulation_reason
from samebits.sim.emulation import EmulatedExecution
from samebits.sim.execution import (
    EvaluateExecution,
    Execution,
    ManagedExecution,
    NativeExecution,
)
from samebits.sim.simulation import Simulation

OPTIMISATIONS = (0, 3)


@dataclass(frozen=True, eq=False)
class Row:
    """One execution. `make` compiles what it needs. A slow one runs a prefix of long replays.

    `reason` says why it cannot run here, and is None if it can. `group` is a name that stands for
    several rows.
    """

    name: str
    group: str
    what: str
    make: Callable[[Simulation], Execution]
    slow: bool = False
    reason: str | None = None
    foreign: bool = False
    """Whether it is for machines that can be run nowhere but on themselves."""
    emulated: bool = False
    """Whether it runs in a process of its own, under an emulator."""
    follows_source: bool = False
    """Whether it runs the kernels as they are written, without the rewrites of their modes."""


def all_rows() -> tuple[Row, ...]:
    """Every row: managed first, because it is the reference, then evaluate, then compiled ones."""
    rows = [
        Row(
            "managed", "managed", "CPython runs the kernels' own source", _managed, slow=True,
            follows_source=True,
        ),
        Row(
            "evaluate", "evaluate", "the reference interpreter runs their IR", _evaluate, slow=True
        ),
    ]  # fmt: skip
    for level in llvm.available_targets():
        if level.reason is None:
            rows += [_native(level.target, opt) for opt in OPTIMISATIONS]
        else:
            rows.append(_emulated(level))
    return tuple(rows)


def choose_rows(rows: Iterable[Row], names: Sequence[str] | None = None) -> tuple[Row, ...]:
    """The rows to verify: all that some machine could run here, or those that `names` say.

    A name is a row's or a group's (`x86-64-v3` for both optimisation levels). Raises TargetError
    for an unknown name, and for one that cannot run here.
    """
    rows = tuple(rows)
    if names is None:
        return tuple(row for row in rows if not row.foreign)
    chosen: list[Row] = []
    for name in names:
        found = [row for row in rows if name in (row.name, row.group)]
        if not found:
            groups = dict.fromkeys(row.group for row in rows)
            raise TargetError(
                f"there is no target '{name}'",
                note=f"the targets are {', '.join(groups)}",
                fix="choose among them, or among the rows that `samebits targets` lists",
            )
        for row in found:
            if row.reason is not None:
                raise TargetError(
                    f"target '{name}' cannot run here: {row.reason}",
                    fix="`samebits targets` lists what can",
                )
        chosen += found
    return tuple(row for row in rows if row in chosen)


def _managed(simulation: Simulation) -> Execution:
    return ManagedExecution(simulation.program, simulation.state, simulation.init, simulation.step)


def _evaluate(simulation: Simulation) -> Execution:
    return EvaluateExecution(simulation.program)


def _native(target: Target, opt: int) -> Row:
    def make(simulation: Simulation) -> Execution:
        # Never from the disk's cache: what is verified is what the compiler makes now.
        return NativeExecution(simulation.program, simulation.program.compiled(target, opt))

    what = "compiled, not optimised" if opt == 0 else "compiled, optimised"
    return Row(f"{target.name}-O{opt}", target.name, what, make)


def _emulated(level: HostLevel) -> Row:
    """A row for code that this process cannot run itself."""
    target, opt = level.target, OPTIMISATIONS[-1]

    def make(simulation: Simulation) -> Execution:
        return EmulatedExecution(simulation.program, simulation.program.emulated(target, opt))

    reason = emulation_reason(target)
    if reason is not None and target.requires and not target.is_object_only:
        reason = f"{level.reason}; {reason}"
    where = "wasmtime" if target.runner == "wasmtime" else target.qemu
    return Row(
        f"{target.name}-O{opt}",
        target.name,
        f"compiled, optimised, under {where}" if where else "object code",
        make,
        reason=reason,
        foreign=target.is_object_only,
        emulated=True,
    )
