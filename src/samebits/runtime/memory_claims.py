"""The memory that scheduled jobs have claimed, and the checks of other accesses to it.

A claim is a named range of addresses, read or written. Whether two claims conflict depends on what
was scheduled and completed, never on a job's progress. A released job keeps its claims until it has
ended, and a conflicting access waits for it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.mutex import Mutex
from samebits.runtime.pending_jobs import PENDING
from samebits.types import ArrayType, StructType, Type


class Claim(NamedTuple):
    """Bytes `low` … `high` − 1, named, and whether they are written."""

    name: str
    low: int
    high: int
    writes: bool


class ParameterMemory(NamedTuple):
    """The memory of parameter `name` in a call's slots: its first slot, dimensions, bytes of an
    element, and whether the call writes it."""

    name: str
    slot: int
    ndim: int
    size: int
    writes: bool

    def size_of(self, slots: Any) -> int:
        """The memory's size in bytes."""
        first = self.slot + 1
        return math.prod(slots[first : first + self.ndim], start=self.size)

    def place(self, slots: Any) -> tuple[int, ...]:
        """The memory's address, and the lengths that determine its rows."""
        begin = self.slot
        return (int(slots[begin]), *(int(n) for n in slots[begin + 2 : begin + 1 + self.ndim]))


class CallMemory(NamedTuple):
    """The memory in a call's slots: a row for each parameter that has some."""

    rows: tuple[ParameterMemory, ...]

    def claims(self, slots: Any) -> list[Claim]:
        """The claims of a call with these slots."""
        found = [(row, int(slots[row.slot]), row.size_of(slots)) for row in self.rows]
        return [Claim(row.name, low, low + size, row.writes) for row, low, size in found if size]


def call_memory(
    params: Sequence[tuple[str, Type]], slots: Sequence[int], writes: Iterable[bool] | None = None
) -> CallMemory:
    """The memory of parameters with these first slots. By default all but read-only ones are
    written."""
    rows: list[ParameterMemory] = []
    if writes is None:
        writes = [not getattr(t, "readonly", False) for _, t in params]
    for (name, t), slot, written in zip(params, slots, writes, strict=False):
        if isinstance(t, ArrayType):
            rows.append(ParameterMemory(name, slot, t.ndim, t.element.size, written))
        elif isinstance(t, StructType):
            rows.append(ParameterMemory(name, slot, 0, t.size, written))
    return CallMemory(tuple(rows))


class Claimer(Protocol):
    """A scheduled job as the ledger sees it."""

    @property
    def number(self) -> int:
        """Its number, greater than those of all jobs scheduled before it."""
        ...

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def is_released(self) -> bool:
        """Whether it was released: conflicting accesses wait for it."""
        ...

    @property
    def has_ended(self) -> bool: ...

    def claims(self) -> Sequence[Claim]: ...

    def finish(self) -> None:
        """Wait until it has ended, and remove it from the pending jobs."""
        ...


Meeting = tuple[Claimer, Claim, Claim]
"""A pending job, its claim, and the claim that conflicts with it."""
_Reader = tuple[Claimer, Claim, Any]
"""A reader, its claim, and the readers before it."""
_Segment = tuple[int, int, tuple[Claimer, Claim] | None, _Reader | None]
"""A range of bytes, end exclusive; its last writer; and its readers since."""


class Ledger:
    """For each byte that pending jobs claim, its last writer, and its readers after that.

    Conflicting jobs are ordered when they are scheduled. So a job after the last writer and its
    readers comes after all others, which need not be checked.
    """

    def __init__(self) -> None:
        self.lock = Mutex()
        """Held while jobs are scheduled or completed."""
        self._segments: list[_Segment] = []
        self._entered: deque[Claimer] = deque()
        """Pending jobs whose claims are not in the segments yet."""
        self._released: deque[Claimer] = deque()
        self._tidy = 64

    # Under the lock: an interrupt leaves the state before a change, or the state after it. ------

    def enter(self, job: Claimer) -> None:
        """Add `job` to the pending jobs."""
        number = job.number
        PENDING[number] = job
        self._entered += (job,)

    def remove(self, job: Claimer) -> None:
        """Remove `job` from the pending jobs."""
        PENDING.pop(job.number, None)
        if not PENDING:
            self._segments = []
            self._entered = deque()
            self._released = deque()

    def met(self, claims: Iterable[Claim], floor: int = 0) -> dict[int, Meeting]:
        """The pending jobs, from number `floor` on, that a job with `claims` must follow, by
        number. Jobs that these follow themselves are left out."""
        while self._entered:
            if self._entered[0].number in PENDING:  # else it covers those that it came after
                self._cover(self._entered[0])
            del self._entered[0]
        found: dict[int, Meeting] = {}
        for claim in claims:
            begin, end = self._overlapping(claim)
            for _, _, written, read in self._segments[begin:end]:
                if written is not None and written[0].number >= floor:
                    found[written[0].number] = *written, claim
                while claim.writes and read is not None and read[0].number >= floor:
                    found[read[0].number] = read[0], read[1], claim
                    read = read[2]
        return {number: found[number] for number in sorted(found) if number in PENDING}

    def _overlapping(self, claim: Claim) -> tuple[int, int]:
        """The first segment that shares bytes with `claim`, and the one after the last."""
        segments: list[Any] = self._segments
        begin, end = bisect_left(segments, (claim.low,)), bisect_left(segments, (claim.high,))
        return begin - (begin > 0 and segments[begin - 1][1] > claim.low), end

    def _cover(self, job: Claimer) -> None:
        """Enter the claims of `job` in the segments. Idempotent."""
        for claim in job.claims():
            if claim.low < claim.high:
                begin, end = self._overlapping(claim)
                changed = _covered(self._segments[begin:end], job, claim)
                self._segments[begin:end] = changed
        if len(self._segments) > self._tidy:
            kept = [s for s in self._segments if _is_live(s)]
            self._tidy = 64 + 2 * len(kept)
            self._segments = kept

    # Without the lock ---------------------------------------------------------------------------

    def release(self, job: Claimer) -> None:
        """Forget `job`, which is released, once it has ended."""
        self._released.append(job)

    def forget_ended(self) -> None:
        """Forget released jobs that have ended, among the next two."""
        for _ in range(min(2, len(self._released))):
            with suppress(IndexError):  # another thread may be here
                job = self._released[0]
                self._released.rotate(-1)
                if job.has_ended:
                    job.finish()
                    with suppress(ValueError):
                        self._released.remove(job)

    def forget_all(self) -> None:
        """Forget all jobs, in the child of a fork: none is pending here."""
        PENDING.clear()
        self.__init__()


LEDGER = Ledger()


def _covered(segments: Sequence[_Segment], job: Claimer, claim: Claim) -> list[_Segment]:
    """Adjacent `segments`, which share bytes with `claim`, updated by it."""
    low, high = claim.low, claim.high
    found: list[_Segment] = []
    at = low
    for begin, end, written, read in segments:
        if begin < low:
            found.append((begin, low, written, read))
        if not claim.writes:
            if at < begin:
                found.append((at, begin, None, (job, claim, None)))
            at = min(end, high)
            found.append((max(begin, low), at, written, _with_reader(read, job, claim)))
        if end > high:
            if claim.writes:
                found.append((low, high, (job, claim), None))
            at = low = high
            found.append((high, end, written, read))
    if at < high and claim.writes:
        found.append((low, high, (job, claim), None))
    elif at < high:
        found.append((at, high, None, (job, claim, None)))
    return found


def _with_reader(read: _Reader | None, job: Claimer, claim: Claim) -> _Reader:
    while read is not None and read[0].number not in PENDING:
        read = read[2]
    return read if read is not None and read[0] is job else (job, claim, read)


def _is_live(segment: _Segment) -> bool:
    _, _, written, read = segment
    while read is not None and read[0].number not in PENDING:
        read = read[2]
    return read is not None or (written is not None and written[0].number in PENDING)


def check_call(name: str, call_memory: CallMemory, slots: Any) -> None:
    """Raise ArgumentError if a call of kernel `name` would access what a pending job writes, or
    write what it reads."""
    check_claims(name, call_memory.claims(slots))


def check_arrays(name: str, read: Iterable[object], written: Iterable[object]) -> None:
    """As `check_call`, for a function of NumPy arrays; other arguments are ignored."""
    check_memory(name, [*(("x", v, False) for v in read), *(("out", v, True) for v in written)])


def check_memory(name: str, rows: Iterable[tuple[str, object, bool]]) -> None:
    """As `check_call`, for any use of arrays: rows of name, array and whether it is written."""
    found: list[Claim] = []
    for what, value, writes in rows:
        if isinstance(value, np.ndarray):
            found.append(array_claim(what, cast("np.ndarray[Any, Any]", value), writes))
    check_claims(name, found)


def array_claim(name: str, array: np.ndarray[Any, Any], writes: bool) -> Claim:
    """The memory of an array's elements, gaps included."""
    low, high = np.lib.array_utils.byte_bounds(array)
    return Claim(name, int(low), int(high), writes)


def check_claims(name: str, claims: Sequence[Claim]) -> None:
    """As `check_call`, for claims. Waits for released jobs."""
    LEDGER.forget_ended()
    while True:
        with LEDGER.lock:
            met = LEDGER.met(claims)
        if not met:
            return
        for job, theirs, own in met.values():
            if not job.is_released:
                raise _in_use(name, job, theirs, own)
        for job, _, _ in met.values():
            job.finish()


def _in_use(name: str, job: Claimer, theirs: Claim, own: Claim) -> ArgumentError:
    does = "writes" if theirs.writes else "reads"
    return ArgumentError(
        f"{name}(): parameter '{own.name}' is memory that the scheduled job {job.title} {does}, "
        f"as its `{theirs.name}`",
        note="a job may be running until it is completed, whatever its handle says meanwhile",
        fix="call its handle's complete() first",
    )
