"""The rows of `samebits targets`: every execution by name, and which of them names choose.

Owns names and the reasons why a row cannot run here. What a row makes of a kernel or of a
simulation is handed in.
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
"""Levels of optimisation that are compared where this process runs the code itself."""

Make = TypeVar("Make")


@dataclass(frozen=True, eq=False)
class Row(Generic[Make]):
    """One execution. `make` compiles what it needs. A slow one runs a prefix of long replays.

    `reason` says why it cannot run here, and is None if it can. `group` is a name that stands for
    several rows.
    """

    name: str
    group: str
    what: str
    make: Make
    slow: bool = False
    reason: str | None = None
    foreign: bool = False
    """Whether it is for machines that can be run nowhere but on themselves."""
    emulated: bool = False
    """Whether it runs in a process of its own, under an emulator."""
    follows_source: bool = False
    """Whether it runs the kernels as they are written, without the rewrites of their modes."""


@dataclass(frozen=True)
class Makers(Generic[Make]):
    """What the rows of one table make; `native` and `emulated` of a target and optimisation."""

    managed: Make
    evaluate: Make
    native: Callable[[Target, int], Make]
    emulated: Callable[[Target, int], Make]


def table(makers: Makers[Make]) -> tuple[Row[Make], ...]:
    """Every row: managed first, because it is the reference, then evaluate, then compiled ones."""
    rows = [
        Row(
            "managed", "managed", "CPython runs the kernels' own source", makers.managed,
            slow=True, follows_source=True,
        ),
        Row(
            "evaluate", "evaluate", "the reference interpreter runs their IR", makers.evaluate,
            slow=True,
        ),
    ]  # fmt: skip
    for level in engine.available_targets():
        if level.reason is None:
            rows += [_native(level.target, opt, makers) for opt in OPTIMISATIONS]
        else:
            rows.append(_emulated(level, makers))
    return tuple(rows)


def choose_rows(
    rows: Iterable[Row[Make]], names: Iterable[str] | None = None
) -> tuple[Row[Make], ...]:
    """The rows to compare: all that some machine could run here, or those that `names` say.

    A name is a row's or a group's (`x86-64-v3` for both optimisation levels). Raises TargetError
    for an unknown name, for one that cannot run here, and where there is no name.
    """
    rows = tuple(rows)
    if names is None:
        return tuple(row for row in rows if not row.foreign)
    names = tuple(names)
    if not names:
        raise TargetError(
            "no target is named, so that nothing would be compared",
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


def _native(target: Target, opt: int, makers: Makers[Make]) -> Row[Make]:
    what = "compiled, not optimised" if opt == 0 else "compiled, optimised"
    return Row(f"{target.name}-O{opt}", target.name, what, makers.native(target, opt))


def _emulated(level: HostLevel, makers: Makers[Make]) -> Row[Make]:
    """A row for code that this process cannot run itself."""
    target, opt = level.target, OPTIMISATIONS[-1]
    reason = emulation_reason(target)
    if reason is not None and target.requires and not target.is_object_only:
        reason = f"{level.reason}; {reason}"
    where = "wasmtime" if target.runner == "wasmtime" else target.qemu
    return Row(
        f"{target.name}-O{opt}",
        target.name,
        f"compiled, optimised, under {where}" if where else "object code",
        makers.emulated(target, opt),
        reason=reason,
        foreign=target.is_object_only,
        emulated=True,
    )
