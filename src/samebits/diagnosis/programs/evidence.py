"""The traces that two sides can give of a frame, each at the level at which it is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samebits.diagnosis.programs.stand_ins import stand_in_plan
from samebits.errors import RunnerError, SamebitsError
from samebits.foreign.probes.instrument import CALLS, MEMORY, OPERATIONS, STORES
from samebits.foreign.probes.probing import Prober, Traced, prober_of
from samebits.foreign.programs.description import ProgramSide
from samebits.foreign.programs.noise import Noise
from samebits.foreign.programs.workshop import Workshop
from samebits.foreign.records import ForeignRun


@dataclass(eq=False)
class SideTraces:
    """What probes say of one side. `stores` and `operations` are there where they are believed."""

    side: ProgramSide
    run: ForeignRun
    prober: Prober | None = None
    by: str = ""
    """The compiler that stands for the side's own; empty where none does."""
    stores: Traced | None = None
    operations: Traced | None = None
    said: str = ""
    """Why there is less than all."""

    @property
    def any(self) -> Traced | None:
        """The most that is believed."""
        return self.operations or self.stores


def traced_side(
    shop: Workshop, side: ProgramSide, run: ForeignRun, frame: int, noises: Sequence[Noise]
) -> SideTraces:
    """Build a side with probes, and trace a frame. A side whose compiler has no IR is stood for by
    clang, where that gives its states."""
    out = SideTraces(side, run)
    plan = shop.plan(side)
    if plan is None:
        out.said = f"its build is a command of its own, and {shop.why_no_plan(side)}"
        return out
    out.prober = prober_of(shop, plan)
    if out.prober is None:
        other = stand_in_plan(shop, plan)
        out.prober = prober_of(shop, other)
        if other is None or out.prober is None:
            out.said = f"{plan.compiler} has no IR, and no clang here can stand for it"
            return out
        out.by = other.compiler
    try:
        _trace(out, frame, noises)
    except RunnerError as error:
        out.said = error.message
    return out


_LESS = {
    STORES: "stores", CALLS: "stores into memory and calls", MEMORY: "stores into memory",
}  # fmt: skip
"""The levels below all operations, the most telling first, and where they have probes."""


def _trace(out: SideTraces, frame: int, noises: Sequence[Noise]) -> None:
    assert out.prober is not None
    operations = out.prober.traced(OPERATIONS, frame, out.run, noises)
    if operations is None:
        out.said = "no call of sb_begin with this frame is seen in its sources"
        return
    if operations.is_believed:
        out.operations = operations
        return
    for level, where in _LESS.items():
        stores = out.prober.traced(level, frame, out.run, noises)
        if stores is not None and stores.is_believed:
            out.stores = stores
            out.said = (
                "with probes at every operation it has other bits: only those at "
                f"{where} are believed"
            )
            return
    who = f"{out.by} in its place" if out.by else "with probes"
    out.said = f"{who} it has other bits: its traces are not believed"


def why_failed(error: SamebitsError) -> str:
    """An error in a line."""
    return error.message.splitlines()[0]
