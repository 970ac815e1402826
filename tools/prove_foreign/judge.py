"""A case's diagnosis, judged: what is told beside what is true."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from tools.prove_foreign.cases import Case

from samebits.diagnosis.programs.driver import diagnose_sides
from samebits.diagnosis.report.findings import Diagnosis
from samebits.errors import SamebitsError
from samebits.foreign.pair import first_difference
from samebits.foreign.programs.running import recorded
from samebits.foreign.programs.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Judged:
    """A case and what became of it."""

    name: str
    place: str
    cause: str
    certainty: str
    line_right: str
    """`yes`, `file` where the file alone is shown, `no`, or `none` where no line is told."""
    cause_right: str
    seconds: float

    @property
    def is_wrong_and_certain(self) -> bool:
        return self.certainty == "certain" and "no" in (self.line_right, self.cause_right)


def judged(shop: Workshop, case: Case) -> Judged:
    """Diagnose a case and compare with what is true."""
    began = time.perf_counter()
    try:
        found = diagnose_sides(shop, case.a, case.b)
    except SamebitsError as error:
        return Judged(case.name, error.message[:60], "", "", "none", "none", 0.0)
    seconds = time.perf_counter() - began
    place, cause = "", found.causes[0].hazard if found.causes else ""
    if found.operation is not None:
        at = found.operation.place
        place = f"{Path(at.file).name}:{at.line}"
    if found.inputs and found.frame is not None and found.inputs[0].frame <= found.frame:
        place = f"inputs: {found.inputs[0].shape}"
    return Judged(
        case.name, place, cause, found.certainty if cause else "",
        _line_right(shop, case, found, place),
        "none" if not cause else "yes" if set(cause.split("+")) & case.hazards else "no", seconds,
    )  # fmt: skip


def _line_right(shop: Workshop, case: Case, found: Diagnosis, place: str) -> str:
    if place.startswith("inputs"):
        return "yes" if "input" in case.name else "no"
    if found.operation is None:
        return "none"
    name, _, line = place.partition(":")
    if case.lines:
        return "yes" if (name, int(line)) in case.lines else "no"
    return "file" if _matters(shop, case, name) else "no"


def _matters(shop: Workshop, case: Case, name: str) -> bool:
    """Whether side b with that file as side a has it is another run; a header belongs to many."""
    plans = [shop.plan(each) for each in (case.a, case.b)]
    assert plans[0] is not None
    assert plans[1] is not None
    sources = [name] if not name.endswith(".h") else [s.name for s in shop.program.sources]
    plain = recorded(shop.program, case.b, shop.built(case.b), shop.path("b.sbt")).run
    for source in sources:
        steps = [
            a if a.source.name == source else b
            for a, b in zip(plans[0].compiles, plans[1].compiles, strict=True)
        ]
        program = shop.linked(plans[1].link, shop.objects(steps))
        run = recorded(shop.program, case.b, program, shop.path("without.sbt")).run
        if first_difference(run, plain) is not None:
            return True
    return False
