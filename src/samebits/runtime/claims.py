"""Which memory scheduled jobs have claimed, and what may not touch it until they are completed.

A claim is a range of addresses with a name, read or written. Whether two claims meet depends on
what was scheduled and completed, never on how far a job has come.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.types import ArrayType, StructType, Type


@dataclass(frozen=True, slots=True)
class Claim:
    """Bytes `low` … `high` − 1 under a name."""

    name: str
    low: int
    high: int
    writes: bool

    def conflicts(self, other: Claim) -> bool:
        """Whether the two share a byte that one of them writes."""
        shared = self.low < other.high and other.low < self.high
        return shared and (self.writes or other.writes)


@dataclass(frozen=True, slots=True)
class Row:
    """Where the slots of a call hold the memory of parameter `name`: its first slot, dimensions,
    bytes of an element, and whether the call writes it."""

    name: str
    slot: int
    ndim: int
    size: int
    writes: bool

    def size_of(self, slots: Any) -> int:
        """The memory's bytes."""
        length = self.size
        for axis in range(self.ndim):
            length *= int(slots[self.slot + 1 + axis])
        return length

    def place(self, slots: Any) -> tuple[int, ...]:
        """The memory's address, and the lengths that say where its rows begin."""
        begin = self.slot
        return (int(slots[begin]), *(int(n) for n in slots[begin + 2 : begin + 1 + self.ndim]))


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the slots of a call hold its memory: a row for each parameter that has some."""

    rows: tuple[Row, ...]

    def claims(self, slots: Any) -> list[Claim]:
        """What a call with these slots touches."""
        found: list[Claim] = []
        for row in self.rows:
            length = row.size_of(slots)
            if length:
                low = int(slots[row.slot])
                found.append(Claim(row.name, low, low + length, row.writes))
        return found


def plan(
    params: Iterable[tuple[str, Type]], slots: Sequence[int], writes: Iterable[bool] | None = None
) -> Plan:
    """The plan for parameters with these first slots. By default the read-only are not written."""
    rows: list[Row] = []
    chosen = iter(writes) if writes is not None else None
    for (name, t), slot in zip(params, slots, strict=False):
        written = next(chosen) if chosen is not None else not getattr(t, "readonly", False)
        if isinstance(t, ArrayType):
            rows.append(Row(name, slot, t.ndim, t.element.size, written))
        elif isinstance(t, StructType):
            rows.append(Row(name, slot, 0, t.size, written))
    return Plan(tuple(rows))


class Claimer(Protocol):
    """A scheduled job."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    def claims(self) -> Sequence[Claim]: ...


PENDING: dict[int, Claimer] = {}
"""The jobs that are scheduled and not completed, by identity, oldest first."""


def meeting(
    claims: Sequence[Claim], ordered: Container[int] = ()
) -> tuple[Claimer, Claim, Claim] | None:
    """The first pending job that conflicts with `claims`: the job, its claim, and the one here.
    Jobs whose identity is in `ordered` may."""
    for number, job in list(PENDING.items()):
        if number in ordered:
            continue
        for theirs in job.claims():
            for own in claims:
                if own.conflicts(theirs):
                    return job, theirs, own
    return None


def check_call(name: str, plan: Plan, slots: Any) -> None:
    """Raise ArgumentError where a call of kernel `name` would touch what a pending job writes, or
    write what it reads."""
    check_claims(name, plan.claims(slots))


def check_arrays(name: str, read: Iterable[object], written: Iterable[object]) -> None:
    """The same of a function of NumPy arrays; what is no array is passed over."""
    check_memory(name, [*(("x", v, False) for v in read), *(("out", v, True) for v in written)])


def check_memory(name: str, rows: Iterable[tuple[str, object, bool]]) -> None:
    """The same of anything that is done to arrays: what each is called, the array, whether it is
    written."""
    found: list[Claim] = []
    for what, value, writes in rows:
        if isinstance(value, np.ndarray):
            found.append(array_claim(what, cast("np.ndarray[Any, Any]", value), writes))
    check_claims(name, found)


def array_claim(name: str, array: np.ndarray[Any, Any], writes: bool) -> Claim:
    """The memory of an array's elements, and what lies between them."""
    low, high = np.lib.array_utils.byte_bounds(array)
    return Claim(name, int(low), int(high), writes)


def check_claims(name: str, claims: Sequence[Claim]) -> None:
    """The same of memory that is claimed already."""
    met = meeting(claims)
    if met is None:
        return
    job, theirs, own = met
    does = "writes" if theirs.writes else "reads"
    raise ArgumentError(
        f"{name}(): parameter '{own.name}' is memory that the scheduled job {job.title} {does}, "
        f"as its `{theirs.name}`",
        note="a job may be running until it is completed, whatever its handle says meanwhile",
        fix="call complete() of its handle first",
    )
