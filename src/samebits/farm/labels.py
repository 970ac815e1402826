"""Labels of a worker: the targets that it runs, and whether natively or emulated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from samebits.desync.machine import this_machine
from samebits.errors import TargetError
from samebits.farm.errors import FarmError
from samebits.runtime.fingerprint import math_fingerprint
from samebits.sides.words import default_words
from samebits.verify.executions import all_rows

NATIVE, EMULATED, PYTHON = "native", "emulated", "python"
"""How a worker runs a target: by its own processor, by an emulator, by Python (managed and
evaluate). The best comes first."""
HOWS = (NATIVE, PYTHON, EMULATED)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a worker says of itself: `targets` by name, with how it runs each; `groups` with the
    names that each stands for, as `x86-64-v3` does for both optimisations; the target that it runs
    best; the strict part of its math fingerprint."""

    architecture: str
    best: str
    targets: Mapping[str, str]
    groups: Mapping[str, tuple[str, ...]]
    fingerprint: str


@cache
def facts() -> Facts:
    """Those of this machine."""
    targets: dict[str, str] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for row in all_rows():
        if row.reason is None:
            how = PYTHON if row.slow else EMULATED if row.emulated else NATIVE
            targets[row.name] = how
            groups[row.group] = (*groups.get(row.group, ()), row.name)
    return Facts(
        this_machine().architecture, default_words(), targets, groups, math_fingerprint().strict
    )


def resources(found: Facts, threads: int) -> dict[str, float]:
    """The Dask resources of a worker with those facts, for as many tasks at once."""
    return {resource(how, target): float(threads) for target, how in found.targets.items()}


def resource(how: str, target: str) -> str:
    """The resource that a task needs."""
    return f"samebits {how} {target}"


def chosen(names: Iterable[str] | None, workers: Mapping[str, Facts]) -> dict[str, str]:
    """The targets that names, or groups, stand for, each with how it is run: natively where that
    is possible. None stands for what each worker runs best. Raises FarmError at once for a target
    that no worker can run, TargetError for one that there isn't."""
    if names is None:
        names = dict.fromkeys(each.best for each in workers.values())
    found: dict[str, str] = {}
    for name in names:
        targets = dict.fromkeys(
            target
            for each in workers.values()
            for target in (*each.groups.get(name, ()), *([name] if name in each.targets else ()))
        )
        if not targets:
            raise _none_runs(name, workers)
        for target in targets:
            hows = {each.targets[target] for each in workers.values() if target in each.targets}
            found[target] = next(how for how in HOWS if how in hows)
    if not found:
        raise TargetError("no target is named", fix="write --targets x86-64-v3-O3")
    return found


def _none_runs(name: str, workers: Mapping[str, Facts]) -> FarmError | TargetError:
    rows = [row for row in all_rows() if name in (row.name, row.group)]
    can = dict.fromkeys(group for each in workers.values() for group in each.groups)
    note = f"its {len(workers)} worker{'s' * (len(workers) != 1)} can run {', '.join(can)}"
    if not rows:
        return TargetError(f"there is no target '{name}'", note=note)
    why = rows[0].reason
    return FarmError(
        f"no worker can run {name}: {why or 'none has that architecture'}",
        note=note,
        fix="start `samebits farm worker --scheduler ADDRESS` on a machine that can, or install "
        "qemu-user on one of these",
    )
