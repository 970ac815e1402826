"""The operations of FAST code, which no trace reproduces, whose rewriting causes the difference.

Owns which side is searched, and beside what: the other side, where that one has a trace; else
strict code; and which hazard each of LLVM's flags is. The search itself is `bisection`'s.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace

from samebits.diagnosis.fast.bisection import (
    After,
    BisectionResult,
    EnabledOperation,
    FlagBisection,
)
from samebits.diagnosis.fast.candidates import with_flags
from samebits.diagnosis.frame.examine import FirstFrame, SideFrame
from samebits.diagnosis.frame.points import Point
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.frame.state_diff import datum
from samebits.diagnosis.operation.describe import ValueNames
from samebits.diagnosis.report.findings import SCOPES, CauseFact, Datum, Diagnosis, OperationFact
from samebits.diagnosis.report.findings import Place as Source
from samebits.errors import TraceError
from samebits.frame_trace.instances import Instance, instances_in
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import Trace
from samebits.hazards.catalogue import by_name
from samebits.ir.grammar import Op, plain_name
from samebits.sides.side import Side
from samebits.types import ScalarType


@dataclass(frozen=True, eq=False)
class FastFindings:
    """A frame that differs, or `init`, of two sides of which one or both have no trace."""

    sides: tuple[Side, Side]
    found: FirstFrame
    seed: int
    progress: Progress

    @property
    def frames(self) -> tuple[SideFrame, SideFrame]:
        """What each side did."""
        return self.found.a, self.found.b

    def tell(self, out: Diagnosis, a: Trace | None, b: Trace | None) -> bool:
        """Put what is found into `out`: whether there is an answer. Raises CompileError,
        RunnerError."""
        free = [which for which, trace in ((1, b), (0, a)) if trace is None]
        if self._is_one_program:
            return any(self._beside_strict(out, which) for which in free)
        which, other = free[0], a or b
        if other is None or self.sides[which].spec.environment:
            return False
        return self._searched(out, which, self.frames[1 - which].state, other)

    @property
    def _is_one_program(self) -> bool:
        """Whether the sides are the same kernels, compiled for different targets."""
        a, b = (side.spec for side in self.sides)
        plain = not (a.environment or b.environment or a.hazards or b.hazards)
        return plain and (a.options, a.source) == (b.options, b.source)

    def _beside_strict(self, out: Diagnosis, which: int) -> bool:
        """Where a side departs from its strict code in what the other side does not have."""
        side, other = self.sides[which], self.frames[1 - which].state
        strict, point = with_flags(side, {}), self._point(which)
        with closing(side.execution(strict)) as execution:
            after = point.run(execution)
        if after is None or after == self.frames[which].state:
            return False
        try:
            trace = point.trace(point.model(Model.of(strict), strict))
        except TraceError:
            return False
        if trace.after != after or not self._searched(out, which, after, trace):
            return False
        if after != other and out.operation is not None:
            out.operation = replace(out.operation, a=None, b=None)
            out.notes.append(
                "neither side gives the bits of strict code: the findings say where side "
                f"{'ab'[which]} departs from it"
            )
        return True

    def _searched(self, out: Diagnosis, which: int, reference: After, trace: Trace) -> bool:
        mine, other = self.frames[which].state, self.frames[1 - which].state
        found = FlagBisection(
            self.sides[which], self._point(which), reference, mine, other,
            progress=lambda what, runs: self.progress(what, runs, 0),
        ).run()  # fmt: skip
        if not found.is_confirmed:
            out.notes += found.notes
            return False
        tell(out, found, trace, which)
        name = found.operations[0].place.function
        function = self.sides[which].linked.kernels.functions[name]
        if function.options.cosmetic:
            name = plain_name(function)
            out.notes.append(
                f"{name} is said to be cosmetic, and the state depends on what it gives: make it "
                "sb.DETERMINISTIC, or keep its results out of the state"
            )
        return True

    def _point(self, which: int) -> Point:
        return self.frames[which].point(self.seed)


HAZARD_OF = {
    "contract": "fma",
    "reassoc": "order",
    "arcp": "reciprocal",
    "nsz": "signed-zero",
    "afn": "libm",
}
"""The hazard that each of LLVM's flags enables; the most telling first."""
_LOOP = "lanes"


def tell(out: Diagnosis, found: BisectionResult, other: Trace, which: int = 1) -> None:
    """Put what was found of a side into a diagnosis: of b, or with `which` 0 of a. `other` is the
    trace of what it was compared with."""
    out.notes += found.notes
    if not found.operations or not found.is_confirmed:
        return
    first, *others = found.operations
    letter = "ab"[which]
    out.operation = _operation(first, found, other, which)
    hazard = by_name(_hazard(first, found.flags))
    evidence = [
        f"with {', '.join(found.flags)} enabled on {len(found.operations):,} of "
        f"{found.candidates:,} operations, and nothing else, the frame gives {letter}'s bits in "
        f"{found.explained:,} of {found.differing:,} scalars that differ; confirmed by a run of "
        "its own",
    ]
    if others:
        rows = ", ".join(f"{each.what} at {Source.of(each.span)}" for each in others)
        evidence.append(f"together with {rows}")
    out.causes = (
        CauseFact(
            hazard=hazard.name,
            title=hazard.title,
            expression="",
            practice=hazard.practice,
            remedy=hazard.remedy,
            scope=SCOPES[0],
            frames_same=int(found.is_whole and which == 1),
            frames_compared=which,
            evidence=tuple(evidence),
        ),
    )
    out.certainty = "possible"
    if found.is_whole and found.is_minimal:
        out.certainty = "certain" if len(found.flags) == 1 else "likely"


def _hazard(first: EnabledOperation, flags: tuple[str, ...]) -> str:
    if first.what == "for":
        return _LOOP
    return next((name for flag, name in HAZARD_OF.items() if flag in flags), "order")


def _operation(
    first: EnabledOperation, found: BisectionResult, other: Trace, which: int
) -> OperationFact:
    seen = instances_in(other.frame_input, first.place, 1)
    instance = seen[0] if seen else None
    function = other.model.module.functions[first.place.function]
    strict = None if instance is None else _result(instance.op, instance)
    return OperationFact(
        kind="loop" if first.what == "for" else "result",
        opcode=first.what,
        place=Source.of(first.span),
        calls=() if instance is None else tuple(Source.of(span) for _, span in instance.path),
        iterations=() if instance is None else instance.counters,
        operands=() if instance is None else _operands(instance, ValueNames(function)),
        a=strict if which else None,
        b=None if which else strict,
        ulps=None,
        validation=f"side {'ab'[which]} has no trace (FAST); found by bisection: {found.runs:,} "
        "runs with fast-math enabled on some operations only",
    )


def _operands(instance: Instance, names: ValueNames) -> tuple[Datum, ...]:
    return tuple(
        datum(value.type, bits, names.of(value))
        for value, bits in zip(instance.op.args, instance.operands, strict=True)
        if bits is not None and isinstance(value.type, ScalarType)
    )


def _result(op: Op, instance: Instance) -> Datum | None:
    if not instance.results or instance.results[0] is None:
        return None
    t = op.result.type
    return datum(t, instance.results[0]) if isinstance(t, ScalarType) else None
