"""Verifications as tests: which targets they run on, and what a failure says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import pytest

from samebits.ci.first_finding import plainest
from samebits.errors import TargetError
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource
from samebits.verify.differences import difference
from samebits.verify.executions import Row, all_rows
from samebits.verify.golden import Golden
from samebits.verify.verification import Verification

_ALL = ("all",)


@cache
def _table() -> tuple[Row, ...]:
    return all_rows()


def rows_of(names: Sequence[str] | None) -> tuple[Row, ...]:
    """The rows of names, those that cannot run here too; of none, this processor's levels that
    run here, optimised; of an empty sequence, all but object code alone. Raises TargetError."""
    if names is None:
        return tuple(
            row for row in _table()
            if not (row.slow or row.emulated or row.foreign) and row.name.endswith("-O3")
        )  # fmt: skip
    if not names or tuple(names) == _ALL:
        return tuple(row for row in _table() if not row.foreign)
    for name in names:
        if not any(name in (row.name, row.group) for row in _table()):
            groups = dict.fromkeys(row.group for row in _table())
            raise TargetError(
                f"there is no target '{name}'",
                note=f"the targets are {', '.join(groups)}",
                fix="choose among them, or among the rows that `samebits targets` lists",
            )
    return tuple(r for r in _table() if r.name in names or r.group in names)


def names_that_run(names: Sequence[str], *, strict: bool) -> tuple[str, ...]:
    """The names of the rows that can run here; the test is skipped where none does, and fails if
    one does not and `strict` is set."""
    rows = rows_of(names)
    missing = [f"{row.name}: {row.reason}" for row in rows if row.reason is not None]
    found = tuple(row.name for row in rows if row.reason is None)
    if missing and strict:
        pytest.fail("not run here: " + "; ".join(missing), pytrace=False)
    if not found:
        pytest.skip("; ".join(missing))
    return found


def other_row(row: Row) -> Row:
    """The row that a failing one is put beside."""
    return plainest(_table(), row)


@dataclass(frozen=True)
class Run:
    """One run of a simulation that is compared with a golden file. `source` opens its inputs, at
    most so many frames of them."""

    simulation: Simulation
    source: Callable[[int | None], InputSource]
    golden: Golden | None
    limit: int | None
    whole: bool
    spec: str
    """The simulation, as commands take it."""

    def verification(self, rows: Sequence[Row], sample_every: int = 0) -> Verification:
        """A finished verification of these rows. Raises SamebitsError."""
        known = self._hashes()
        verification = Verification(
            self.simulation, self.source(self.limit), rows, self.whole,
            {} if known is None else {"golden": known}, sample_every,
        )  # fmt: skip
        verification.run(lambda step, frames: None)
        return verification

    def _hashes(self) -> dict[int, int] | None:
        if self.golden is None:
            return None
        limit = self.limit
        return {f: value for f, value in self.golden.hashes if limit is None or f < limit}

    def told(self, row: Row, found: Verification) -> tuple[str, bool]:
        """What a failure says: the difference, and whether this target alone gives these bits; and
        whether it is the code that has changed, as another target gives them too."""
        lines = [failure(self.simulation, found)]
        report = found.recorded.get("golden")
        frame = None if report is None or report.divergence is None else report.divergence.frame
        if frame is None:
            return lines[0], False
        different = self._beside_another(row, frame)
        if not different:
            other = other_row(row).name
            lines += [
                f"  note: {other} gives these bits too: the code has changed, not the machine",
                "  fix: where that is meant, pytest --samebits-update",
            ]
        return "\n".join([*lines, *different]), not different

    def _beside_another(self, row: Row, frame: int) -> list[str]:
        """How this row differs from another one, up to the frame that is not golden."""
        other = other_row(row)
        beside = Verification(self.simulation, self.source(frame + 1), (other, row), whole=True)
        beside.run(lambda step, frames: None)
        return [line for report in beside.rows for line in difference(report)]


def failure(simulation: Simulation, found: Verification) -> str:
    """What went wrong in a verification, in lines."""
    lines: list[str] = []
    for row in (*found.rows, *found.recorded.values()):
        lines += difference(row)
        if row.failure is not None:
            lines.append(f"{row.name} failed: {row.failure}")
        if row.overdue:
            lines.append(f"{row.name} was stopped: {row.reason}")
    traps = {row.trap for row in found.rows if row.trap is not None}
    lines += [f"trap: {trap.said or trap.message}, at {trap.place}" for trap in traps]
    if found.source.damage:
        lines.append(f"{found.source.replay} is {found.source.damage}")
    if not lines:
        lines.append("nothing was compared: the golden file has no hash of these frames")
    return "\n".join((f"{simulation.name} {simulation.version}", *lines))
