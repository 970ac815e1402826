"""What switching leave on and off has found, as operation and cause of a diagnosis.

Owns which hazard each of LLVM's flags is. The search itself is `permissions`'.
"""

from __future__ import annotations

from samebits.diagnosis.fast.bisection import Permissions, Permitted
from samebits.diagnosis.frame.state_diff import datum
from samebits.diagnosis.operation.names import Names
from samebits.diagnosis.report.findings import REACHES, CauseFact, Datum, Diagnosis, OperationFact
from samebits.diagnosis.report.findings import Place as Source
from samebits.hazards.catalogue import by_name
from samebits.ir.grammar import Op
from samebits.trace.instances import Instance, instances_in
from samebits.trace.record import Trace
from samebits.types import ScalarType

HAZARD_OF = {
    "contract": "fma",
    "reassoc": "order",
    "arcp": "reciprocal",
    "nsz": "signed-zero",
    "afn": "libm",
}
"""The hazard that leave to rewrite so is, by LLVM's flag; the most telling first."""
_LOOP = "lanes"


def tell(out: Diagnosis, found: Permissions, other: Trace, which: int = 1) -> None:
    """Put what was found of a side into a diagnosis: of b, or with `which` 0 of a. `other` is the
    trace of what it was compared with."""
    out.notes += found.notes
    if not found.operations or not found.found:
        return
    first, *others = found.operations
    letter = "ab"[which]
    out.operation = _operation(first, found, other, which)
    hazard = by_name(_hazard(first, found.flags))
    evidence = [
        f"with leave for {len(found.operations):,} of {found.candidates:,} operations, and "
        f"{', '.join(found.flags)} alone, the frame gives {letter}'s bits in "
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
            reach=REACHES[0],
            frames_same=int(found.is_whole and which == 1),
            frames_compared=which,
            evidence=tuple(evidence),
        ),
    )
    out.certainty = "possible"
    if found.is_whole and found.is_minimal:
        out.certainty = "certain" if len(found.flags) == 1 else "likely"


def _hazard(first: Permitted, flags: tuple[str, ...]) -> str:
    if first.what == "for":
        return _LOOP
    return next((name for flag, name in HAZARD_OF.items() if flag in flags), "order")


def _operation(first: Permitted, found: Permissions, other: Trace, which: int) -> OperationFact:
    seen = instances_in(other.frame_input, first.place, 1)
    instance = seen[0] if seen else None
    function = other.model.module.functions[first.place.function]
    strict = None if instance is None else _result(instance.op, instance)
    return OperationFact(
        kind="loop" if first.what == "for" else "result",
        opcode=first.what,
        place=Source.of(first.span),
        calls=() if instance is None else tuple(Source.of(span) for _, span in instance.path),
        turns=() if instance is None else tuple((c.slot, c.value) for c in instance.counters),
        operands=() if instance is None else _operands(instance, Names(function)),
        a=strict if which else None,
        b=None if which else strict,
        ulps=None,
        believed=f"no trace of {'ab'[which]} can be believed: found by {found.runs:,} runs in "
        "which some operations have leave to be rewritten and the others have not",
    )


def _operands(instance: Instance, names: Names) -> tuple[Datum, ...]:
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
