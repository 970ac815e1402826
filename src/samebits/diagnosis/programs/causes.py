"""Causes of operations that two builds do differently: what `explain` says of their expressions."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from samebits.diagnosis.explain import Cause, Explanation, explain
from samebits.diagnosis.programs.slices import Slice, slices_of, value_row
from samebits.diagnosis.report.findings import CauseFact
from samebits.errors import ArgumentError
from samebits.foreign.probes.trace import Trace
from samebits.hazards.catalogue import EXPRESSION_HAZARDS

_WIDTHS = {"float16": 16, "float32": 32, "float64": 64}


@dataclass(frozen=True, slots=True)
class Explained:
    """An expression of side a, side b's bits, and the evaluations that give them."""

    slice: Slice
    observed: int
    explanation: Explanation
    hazards: tuple[Cause, ...]
    """What gives them, the strongest evidence first."""

    @property
    def is_certain(self) -> bool:
        return self.explanation.certain

    @property
    def length(self) -> int:
        """How many operations its expression has."""
        return len(self.slice.rows)

    @property
    def ask(self) -> str:
        """The command that asks the same."""
        width = _WIDTHS[self.slice.form]
        values = " ".join(
            f"{name}=0x{bits:0{width // 4}x}" for name, bits in self.slice.operands.items()
        )
        return (
            f'samebits explain "{self.slice.text}" {values} --got 0x{self.observed:0{width // 4}x} '
            f"--type {self.slice.form}"
        )

    def causes(self) -> Iterator[CauseFact]:
        """The hazards that give side b's bits, the strongest first."""
        for cause in self.hazards:
            yield CauseFact(
                "+".join(hazard.name for hazard in cause.hazards),
                ", and ".join(hazard.title for hazard in cause.hazards),
                cause.evaluations[0].expression,
                cause.hazards[0].practice,
                cause.hazards[0].remedy,
                "",
                0,
                0,
                (f"{self.slice.text} as {cause.evaluations[0].expression} gives b's bits",),
            )


def explained(
    trace: Trace, row: int, observed: int, impossible: Container[str] = ()
) -> Explained | None:
    """What gives `observed` for the value of a record of side a's: of expressions that reach back
    one operation, two, and so on, that whose explanation is the most plausible; None where none
    gives it. `impossible` are hazards that cannot have acted, by name."""
    found: list[Explained] = []
    for each in slices_of(trace, value_row(trace, row)):
        made = _asked(each, observed, impossible)
        if made is not None:
            found.append(made)
            if made.is_certain:
                break
    return min(found, key=_doubt, default=None)


_ORDER = {hazard.name: place for place, hazard in enumerate(EXPRESSION_HAZARDS)}


def _doubt(each: Explained) -> tuple[bool, int, int]:
    """How implausible an explanation is beforehand: two hazards, a rare one, a wide expression."""
    hazards = each.hazards[0].hazards
    return len(hazards) > 1, sum(_ORDER[hazard.name] for hazard in hazards), len(each.slice.rows)


def _asked(each: Slice, observed: int, impossible: Container[str]) -> Explained | None:
    width = _WIDTHS[each.form]
    try:
        values = {name: f"0x{bits:0{width // 4}x}" for name, bits in each.operands.items()}
        made = explain(each.text, values, f"0x{observed:0{width // 4}x}", each.form)
    except ArgumentError:
        return None
    causes = tuple(
        cause for cause in made.causes
        if cause.hazards and not any(hazard.name in impossible for hazard in cause.hazards)
    )  # fmt: skip
    return Explained(each, observed, made, causes) if causes else None
