"""The rows of `samebits targets`: every execution by name, and their selection by names.

Owns names and the reasons why a row cannot run here. The caller passes in how a row runs a kernel
or a simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from samebits.backend.llvm import engine
from samebits.backend.targets.host_levels import HostLevel
from samebits.backend.targets.table import Target
from samebits.errors import TargetError
from samebits.runtime.emulation.machines import emulation_reason

OPTIMISATIONS = (0, 3)
"""Optimisation levels that are compared for code of this process."""

Make = TypeVar("Make")


@dataclass(frozen=True, eq=False)
class Row(Generic[Make]):
    """One execution. `make` compiles what it needs. A slow one runs only a prefix of long replays.

    `reason` says why it cannot run here, and is None if it can. `group` names several rows
    together.
    """

    name: str
    group: str
    what: str
    make: Make
    slow: bool = False
    reason: str | None = None
    foreign: bool = False
    """Whether it is for machines that nothing here can emulate."""
    emulated: bool = False
    """Whether it runs in its own process, under an emulator."""
    follows_source: bool = False
    """Whether it runs kernels as written, without the rewrites of their modes."""


def table(
    managed: Make,
    evaluate: Make,
    native: Callable[[Target, int], Make],
    emulated: Callable[[Target, int], Make] | None = None,
) -> tuple[Row[Make], ...]:
    """Every row: managed first, because it is the reference, then evaluate, then compiled ones,
    whose makes `native` and `emulated` give for a target and an optimisation; without `emulated`
    those of this process alone, for which no emulator is looked for."""
    rows = [
        Row(
            "managed", "managed", "CPython runs the kernels' own source", managed,
            slow=True, follows_source=True,
        ),
        Row(
            "evaluate", "evaluate", "the reference interpreter runs their IR", evaluate,
            slow=True,
        ),
    ]  # fmt: skip
    for level in engine.available_targets():
        target, name = level.target, level.target.name
        if level.reason is not None:
            if emulated is None:
                continue
            opt = OPTIMISATIONS[-1]
            rows.append(_emulated(level, f"{name}-O{opt}", emulated(target, opt)))
            continue
        for opt in OPTIMISATIONS:
            what = "compiled, optimised" if opt else "compiled, not optimised"
            rows.append(Row(f"{name}-O{opt}", name, what, native(target, opt)))
    return tuple(rows)


def choose_rows(
    rows: Iterable[Row[Make]], names: Iterable[str] | None = None
) -> tuple[Row[Make], ...]:
    """The rows to compare: all but `foreign` ones, or those that `names` selects.

    A name is a row's or a group's (`x86-64-v3` for both optimisation levels). Raises TargetError
    for an unknown name, for one that cannot run here, and for no name at all.
    """
    rows = tuple(rows)
    if names is None:
        return tuple(row for row in rows if not row.foreign)
    names = tuple(names)
    if not names:
        raise TargetError(
            "no target is named: nothing would be compared",
            fix="name some that `samebits targets` lists, or leave the choice out",
        )
    chosen: list[Row[Make]] = []
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


def _emulated(level: HostLevel, name: str, make: Make) -> Row[Make]:
    """A row for code that this process cannot run itself."""
    target = level.target
    reason = emulation_reason(target)
    if reason is not None and target.requires and not target.is_object_only:
        reason = f"{level.reason}; {reason}"
    where = "wasmtime" if target.runner == "wasmtime" else target.qemu
    return Row(
        name,
        target.name,
        f"compiled, optimised, under {where}" if where else "object code",
        make,
        reason=reason,
        foreign=target.is_object_only,
        emulated=True,
    )
