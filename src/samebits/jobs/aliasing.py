"""The check of two fields of one parallel job that share memory: refused if indices conflict there.

The own-index rule is checked field by field, at compile time. This check is by address, when a job
is run or scheduled.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Any

from samebits.errors import JobError
from samebits.lang.jobs import Field, JobKernel
from samebits.lang.values.lazy import lazily
from samebits.runtime.memory_claims import CallMemory, ParameterMemory
from samebits.types import ArrayType

if TYPE_CHECKING:
    from samebits.frontend.job_effects import Reach


class Aliases:
    """The pairs of a job class's fields that may share memory, one of them written."""

    def __init__(self, kernel: JobKernel, fields: Iterable[Field], call_memory: CallMemory) -> None:
        self._kernel = kernel
        self._fields = {f.name: f for f in fields if not f.unsafe and not f.appends}
        rows = [row for row in call_memory.rows if row.name in self._fields]
        self._pairs = [
            (a, b)
            for a, b in combinations(rows, 2)
            if kernel.form.parallel and (a.writes or b.writes)
        ]

    def check(self, slots: Any) -> None:
        """Raise JobError if the result of a run with these slots would depend on the order of the
        indices."""
        for a, b in self._pairs:
            low, other = slots[a.slot], slots[b.slot]
            if low < other + b.size_of(slots) and other < low + a.size_of(slots):
                self._check_pair(a, b, slots)

    def _check_pair(self, a: ParameterMemory, b: ParameterMemory, slots: Any) -> None:
        reach = self._reach
        first, second = self._fields[a.name], self._fields[b.name]
        if not {first.symbol, second.symbol} & reach.written:
            return
        elsewhere = [f.name for f in (first, second) if f.symbol in reach.elsewhere]
        if not elsewhere and _alike(first, second) and a.place(slots) == b.place(slots):
            return  # each index accesses its own element of the one array
        if second.symbol in reach.written and first.symbol not in reach.written:
            first, second = second, first
        raise JobError(
            f"{self._kernel.__name__} writes `{first.name}`, which shares memory with its "
            f"`{second.name}`",
            note=f"an index accesses elements of `{elsewhere[0]}` that belong to other indices, "
            "which may or may not have run"
            if elsewhere
            else "an element of one array is another index's element of the other",
            fix="give the fields arrays that do not overlap"
            if second.symbol in reach.written
            else f"give the job a copy: {second.name}=array.copy()",
        )

    @lazily
    def _reach(self) -> Reach:
        from samebits.frontend.job_effects import reach

        return reach(self._kernel)


def _alike(a: Field, b: Field) -> bool:
    if not isinstance(a.type, ArrayType) or not isinstance(b.type, ArrayType):
        return False
    return (a.type.element, a.type.ndim) == (b.type.element, b.type.ndim)
