"""The definition of a job class: its code, its packing, and its lengths and batches.

Owns the numbers of a run. Knows nothing of when it runs.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.jobs.aliasing import Aliases
from samebits.jobs.handles import starting
from samebits.lang.annotations import Access
from samebits.lang.arguments import naming
from samebits.lang.calls.kernel_parameters import taken
from samebits.lang.executions import executions
from samebits.lang.jobs import Field, Form, JobKernel
from samebits.lang.kernel import Kernel
from samebits.lang.memory.appender import Appender
from samebits.lang.memory.strided import originals
from samebits.lang.memory.structs import Struct
from samebits.lang.values.lazy import lazily
from samebits.runtime.compile import compile_range
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.memory_claims import CallMemory, Claim, array_claim, call_memory, check_memory
from samebits.runtime.native import NativeRange
from samebits.runtime.pending_jobs import PENDING
from samebits.runtime.threads.pool import workers
from samebits.types import ArrayType

BATCH = 64
"""Default batch size of a ParallelForBatch; smallest default of a ParallelFor."""
_SHARES = 8
"""Batches for each worker by default: the last ones even out the load."""
_MOST = 1 << 48


class Definition:
    """The definition of a job class; its code is compiled at first use."""

    def __init__(
        self,
        name: str,
        execute: FunctionType,
        form: Form,
        fields: tuple[Field, ...],
        given: Mapping[str, Any],
        debug: bool = False,
    ) -> None:
        self.name = name
        self.form = form
        self.fields = fields
        self.debug = debug
        self.kernel = JobKernel(execute, name, form, fields, given)
        self.limit = self.kernel.limit
        self.names = tuple(f.name for f in fields)
        self.appends = any(f.appends for f in fields)
        executions.check_use = check_arguments
        executions.check_array_use = check_reduction
        if self.appends:
            executions.check_appender_use = check_appender

    @lazily
    def entry(self) -> NativeRange:
        """The native range function. Raises CompileError."""
        return compile_range(self.kernel)

    def check_output(self) -> None:
        """Raise CompileError if the job prints or traces."""
        from samebits.frontend.job_effects import refuse_output

        refuse_output(self.kernel)

    @lazily
    def _packing(self) -> tuple[Any, Any, CallMemory]:
        from samebits.runtime.calls.native_call import Packer

        params = [(f, name, t) for f in self.fields for name, t in f.parameters()]
        shown = [(name.removeprefix("self."), t) for _, name, t in params]
        packer = Packer(shown)
        writes = [f.access is not Access.READ for f, _, _ in params]
        uses = call_memory(packer.params, packer.slots, writes)
        return packer, ctypes.c_uint64 * max(1, packer.end), uses

    @property
    def call_memory(self) -> CallMemory:
        """The memory in its slots."""
        return self._packing[2]

    @lazily
    def aliases(self) -> Aliases:
        """The check of fields that may share memory."""
        return Aliases(self.kernel, self.fields, self.call_memory)

    def pack(self, values: tuple[Any, ...], slots: Any = None) -> tuple[Any, Any]:
        """Filled slots, new ones unless given, and what must stay alive while they are used.

        `values` are those of the fields, with rows for appenders. Raises ArgumentError.
        """
        packer, make, _ = self._packing
        slots = make() if slots is None else slots
        routine = packer.routine
        if routine is not None and not packer.by_hand:
            failed = routine(values, packer.table, packer.count, slots)
            if not failed:
                return slots, values
        with fpenv.pinned(), naming(self.name):
            return slots, (values, packer.fill(values, slots))

    def with_rows(self, values: tuple[Any, ...], n: int) -> tuple[tuple[Any, ...], list[Rows]]:
        """The fields' values for `n` indices, with new rows in place of appenders, and these rows.

        Raises ArgumentError for anything but an appender of the field's element type.
        """
        if not self.appends:
            return values, []
        made: list[Rows] = []
        filled: list[Any] = []
        for field, value in zip(self.fields, values, strict=True):
            if not field.appends:
                filled.append(value)
                continue
            element = cast("ArrayType", field.type).element
            if not isinstance(value, Appender) or value.element != element:
                raise ArgumentError(
                    f"{self.name}(): parameter '{field.name}': expected an Appender of {element}; "
                    f"got {value!r:.60}",
                    fix=f"pass sb.Appender({element}, capacity=...)",
                )
            rows = np.empty((n, field.appends), element.dtype)
            made.append(Rows(field.name, value, rows, np.zeros(n, np.int32)))
            filled += [made[-1].rows, made[-1].counts]
        return tuple(filled), made

    def check_races(self, filled: tuple[Any, ...], n: int, batch: int) -> None:
        """Run `n` indices in the race detector. Raises RaceError and Trap."""
        from samebits.runtime.races import check_batches

        self.check_output()
        form = self.form
        size = batch if len(form.arguments) == 2 else 1 if form.parallel else max(1, n)
        batches = [(begin, min(n, begin + size)) for begin in range(0, n, size)]
        check_batches(self.kernel, batches, filled)

    def length(self, n: object, batch: object) -> Length:
        """The length and batch size of a run. Raises ArgumentError."""
        arguments, parallel = self.form.arguments, self.form.parallel
        if not arguments:
            return Length(self, 1, None, 1)
        later = n if is_later(n) else None
        now = 0 if later is not None else self.checked_length(n)
        if not parallel:
            return Length(self, now, later, self.limit)
        if batch is not None:
            return Length(self, now, later, self._checked_batch(batch))
        if len(arguments) == 2:
            return Length(self, now, later, BATCH)
        return Length(self, now, later, max(BATCH, -(-now // (_SHARES * workers()))))

    def checked_length(self, n: object) -> int:
        """`n` as a length. Raises ArgumentError if it is none."""
        length = _whole(n)
        if length is None or not 0 <= length <= self.limit:
            found = "none is given" if n is None else f"got {n!r:.60}"
            raise ArgumentError(
                f"{self.name} runs over a number of indices from 0 to {self.limit:,}; {found}",
                fix="write schedule(len(array))",
            )
        return length

    def _checked_batch(self, batch: object) -> int:
        size = _whole(batch)
        if size is None or not 1 <= size <= _MOST:
            raise ArgumentError(
                f"a batch of {self.name} is a number of indices from 1 to 2^48; got {batch!r:.60}",
                fix="write batch=64, or leave it out",
            )
        return size


@dataclass(slots=True)
class Rows:
    """What the indices of one run append to `appender`: a row for each index, and its length."""

    field: str
    appender: Appender
    rows: Any
    counts: Any
    start: int | None = None
    """The position of the first row in the appender, once known."""

    def gather(self) -> None:
        """Append the rows, one after another, to the appender. Idempotent."""
        if self.start is None:
            self.start = self.appender.count
        self.appender.extend(self.rows, self.counts, self.start)

    def claim(self) -> Claim:
        """The claim of the appender's memory."""
        return array_claim(self.field, self.appender.memory, True)


@dataclass(frozen=True, slots=True)
class Length:
    """The number of indices of a run: `now`, or the length of `later` when it starts."""

    definition: Definition
    now: int
    later: Any
    batch: int

    def found(self) -> int:
        """The number of indices. Raises ArgumentError, and what `len()` raises."""
        later = self.later
        if later is None:
            return self.now
        is_array = isinstance(later, np.ndarray)
        found = cast("Any", later).reshape(-1)[0] if is_array else len(later)
        return self.definition.checked_length(found)

    def claims(self) -> list[Claim]:
        """Claims of the memory that is read for it."""
        later = self.later
        array = later.memory if isinstance(later, Appender) else later
        if not isinstance(cast("object", array), np.ndarray):
            return []
        return [array_claim("n", array, False)]


def check_appender(what: str, appender: Appender, writes: bool) -> None:
    """Raise ArgumentError if a pending job has claimed the memory of a used appender."""
    if PENDING and starting.job is None:
        check_memory(what, [("appender", appender.memory, writes)])


def check_reduction(name: str, array: np.ndarray[Any, Any]) -> None:
    """Raise ArgumentError if a pending job writes an array that a reduction reads."""
    if PENDING:
        check_memory(name, [("x", array, False)])


def check_arguments(kernel: Kernel, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raise ArgumentError if a pending job has claimed memory that a non-native call uses."""
    if not PENDING:
        return
    kernel, bound = taken(kernel, args, kwargs)
    values = originals(bound)
    rows = [
        (
            p.name,
            v.memory if isinstance(v, Struct) else v,
            not getattr(annotation, "readonly", False),
        )
        for p, v, annotation in zip(
            kernel.parameters, values, kernel.signature.annotations, strict=True
        )
    ]
    check_memory(kernel.__name__, rows)


def is_later(n: object) -> bool:
    """Whether the length is taken from `n` when the job starts. Raises ArgumentError for an array
    of more or less than one integer."""
    if isinstance(n, np.ndarray):
        array = cast("Any", n)
        if array.size == 1 and array.dtype.kind in "iu":
            return True
        raise ArgumentError(
            f"the number of indices is in an array of one integer; got {array.size} of "
            f"{array.dtype}",
            fix="pass len(array), or an array such as np.zeros(1, np.int32)",
        )
    return hasattr(type(n), "__len__") and not isinstance(n, str | bytes)


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return operator.index(cast("Any", value))
    except TypeError:
        return None
