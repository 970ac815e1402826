"""Jobs: classes whose `execute` runs over a range of indices, on worker threads.

Owns the classes that users derive from, and `@job`. `definition` owns what a run needs, `handles`
the order between jobs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar, Unpack, cast, dataclass_transform, overload

from samebits.errors import ArgumentError, CompileError, JobError, SamebitsError, fold, folding
from samebits.jobs import handles
from samebits.jobs.definition import Definition, Length, Rows
from samebits.jobs.handles import JobHandle, JobRecord
from samebits.lang.jobs import FORMS, Form, defined_at, execute_of, fields_of
from samebits.lang.signal_safe import keeps_flags, own_environment
from samebits.modes import OptionArguments, checked
from samebits.runtime.memory_claims import Claim, check_call, check_claims
from samebits.runtime.pending_jobs import PENDING
from samebits.runtime.threads.tasks import ControlBlock, Task

_Class = TypeVar("_Class", bound=type)


class _Base:
    """The base of all jobs: fields are given by name; those with a default may be left out."""

    __sb_form__: ClassVar[Form]
    _record: JobRecord | None

    @folding
    def __init__(self, *values: Any, **fields: Any) -> None:
        definition = _definition(type(self))
        if values:
            raise ArgumentError(
                f"{definition.name} takes its fields by name",
                fix=f"write {definition.name}({', '.join(f'{n}=...' for n in definition.names)})",
            )
        for name in fields:
            if name not in definition.names:
                raise _no_field(definition, name)
        for field in definition.fields:
            if field.name not in fields and not field.has_default:
                raise ArgumentError(
                    f"{definition.name} lacks its field '{field.name}'",
                    fix=f"write {definition.name}({field.name}=..., ...)",
                )
            value = fields.get(field.name, field.default)
            object.__setattr__(self, field.name, value)
        object.__setattr__(self, "_record", None)
        definition.pack(definition.with_rows(self._values(), 0)[0])

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in _definition(type(self)).names])

    def __setattr__(self, name: str, value: Any) -> None:
        definition = _definition(type(self))
        if name not in definition.names:
            raise _no_field(definition, name)
        object.__setattr__(self, name, value)

    def _schedule(self, n: object, batch: object, depends_on: object) -> JobHandle:
        definition = _definition(type(self))
        before = handles.handles(depends_on)
        values = self._values()
        length = definition.length(n, batch)
        filled, rows = definition.with_rows(values, length.now)
        slots, keep = definition.pack(filled)
        if not definition.debug:
            definition.aliases.check(slots)
        block = ControlBlock(length.now, length.batch)
        entry, call_memory = definition.entry, definition.call_memory
        task = Task(entry.function, slots, block.words, block.address, (slots, keep, length))
        appended = [one.claim() for one in rows]

        def claims() -> list[Claim]:
            return call_memory.claims(slots) + length.claims() + appended

        frame = sys._getframe(3)  # pyright: ignore[reportPrivateUsage]
        place = frame.f_code.co_filename, frame.f_lineno
        handle = JobHandle(definition.name, task, before, claims, entry.trap, place)
        if length.later is not None or definition.debug:
            start = _Start(definition, length, handle.record, block, slots, values, filled, rows)
            task.prepare = start.start
        try:
            handles.submit(handle, before, self._record)
            object.__setattr__(self, "_record", handle.record)
            return _gathered(handle, rows) if rows else handle
        except BaseException:
            handle.withdraw()
            raise

    def _run(self, n: object, batch: object, *, debug: bool = False, managed: bool = False) -> None:
        definition = _definition(type(self))
        length = definition.length(n, batch)
        if PENDING:
            check_claims(definition.name, length.claims())
        end, size = length.found(), length.batch
        filled, rows = definition.with_rows(self._values(), end)
        slots, keep = definition.pack(filled)
        if PENDING:
            check_call(definition.name, definition.call_memory, slots)
        if managed:
            definition.check_output()
            definition.aliases.check(slots)
            for begin in range(0, end, size):
                definition.kernel.managed(begin, min(end, begin + size), *filled)
        elif debug or definition.debug:
            definition.check_races(filled, end, size)
        else:
            definition.aliases.check(slots)
            block = ControlBlock(end, size)
            entry = definition.entry
            status = entry.function(slots, block.address)
            if status:
                raise entry.trap(status)
            if block.status:
                raise entry.trap(block.status, block.own_numbers)
        del keep
        for one in rows:
            one.gather()

    def __repr__(self) -> str:
        names = _definition(type(self)).names
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"


@dataclass(slots=True)
class _Start:
    """The start of a job that determines its length then, or that is checked for races."""

    definition: Definition
    length: Length
    job: JobRecord
    block: ControlBlock
    slots: Any
    values: tuple[Any, ...]
    filled: tuple[Any, ...]
    rows: list[Rows]
    """The appenders' rows, in the list that is gathered at the end."""
    has_begun: bool = False
    has_run: bool = False
    """Whether the check for races has run to its end: it is never repeated."""

    def start(self) -> bool:
        definition, length, filled = self.definition, self.length, self.filled
        task, found = self.job.task, length.now
        if length.later is not None:
            outer = handles.starting.job
            try:
                handles.starting.job = self.job
                found = length.found()
            except Exception as error:
                task.error = error
                return False
            finally:
                handles.starting.job = outer
            if self.rows:
                filled, self.rows[:] = definition.with_rows(self.values, found)
                task.keep = definition.pack(filled, self.slots), task.keep
        if definition.debug:
            try:
                self._watch(filled, found)
            except SamebitsError as error:
                task.error = error
            return False
        self.block.set_range(found, length.batch)
        return found > 0

    def _watch(self, filled: tuple[Any, ...], found: int) -> None:
        if not self.has_begun:
            self.has_begun = True
            self.definition.check_races(filled, found, self.length.batch)
            self.has_run = True
        elif not self.has_run:
            raise JobError(
                f"{self.job.title} was interrupted while it was checked for races",
                note="its memory holds partial results",
                fix="fill its arrays again, and schedule it again",
            )


def _gathered(handle: JobHandle, rows: list[Rows]) -> JobHandle:
    """A handle of the task that gathers the rows once the job has run."""
    block = ControlBlock(1, 1)
    task = Task(handles.nothing, None, block.words, block.address, rows)

    def gather() -> bool:
        try:
            for one in rows:
                one.gather()
        except SamebitsError as error:
            task.error = error
        return False

    task.prepare = gather
    both = JobHandle(handle.name, task, (handle,), place=handle.place)
    handles.submit(both, (handle,))
    handle.record.last = task
    return both


def _definition(cls: type) -> Definition:
    definition = vars(cls).get("__sb_job__")
    if isinstance(definition, Definition):
        return definition
    raise JobError(
        f"{cls.__name__} is not a job", fix=f"write @sb.job above `class {cls.__name__}`"
    )


def _no_field(definition: Definition, name: str) -> ArgumentError:
    return ArgumentError(
        f"{definition.name} has no field '{name}'",
        fix=f"its fields are {', '.join(definition.names) or 'none'}",
    )


@dataclass_transform(kw_only_default=True)
class Job(_Base):
    """A job that runs once: `execute(self)`. Its indices are one, 0.

    Raises ArgumentError if a field is unknown, missing or does not fit, JobError if the class is
    not decorated with `@sb.job`.
    """

    __sb_form__ = FORMS["Job"]

    @folding
    def schedule(self, depends_on: JobHandle | Iterable[JobHandle] | None = None) -> JobHandle:
        """Let the job run once all that it depends on has run; see `ParallelFor.schedule`."""
        return self._schedule(None, None, depends_on)

    @folding
    def run(self) -> None:
        """Run the job here and now. Raises Trap, ArgumentError as a kernel's call does."""
        self._run(None, None)

    @folding
    @keeps_flags
    def managed_run(self) -> None:
        """Run the job in CPython over samebits' typed scalars: the reference answer."""
        self._run(None, None, managed=True)


@dataclass_transform(kw_only_default=True)
class For(_Base):
    """A job whose indices run in order, one at a time: `execute(self, index: int32)`."""

    __sb_form__ = FORMS["For"]

    @folding
    def schedule(
        self, n: Any = None, *, depends_on: JobHandle | Iterable[JobHandle] | None = None
    ) -> JobHandle:
        """Let the job run for the indices 0 … n − 1; see `ParallelFor.schedule`."""
        return self._schedule(n, None, depends_on)

    @folding
    def run(self, n: Any = None) -> None:
        """Run the job here and now. Raises Trap, ArgumentError as a kernel's call does."""
        self._run(n, None)

    @folding
    @keeps_flags
    def managed_run(self, n: Any = None) -> None:
        """Run the job in CPython over samebits' typed scalars: the reference answer."""
        self._run(n, None, managed=True)


class _Batched(_Base):
    """A job whose indices several workers run at once."""

    @folding
    def schedule(
        self,
        n: Any = None,
        batch: int | None = None,
        depends_on: JobHandle | Iterable[JobHandle] | None = None,
    ) -> JobHandle:
        """Let workers run the job once all that it depends on has run, or now if they are free.

        The job uses the current values of its fields: scalars are copied, memory is used in place.
        `n` is the number of indices, 0 to 2³¹ − 1, or 2⁴⁸ if `execute` takes int64. From an array
        of one integer, or anything else with a `len()`, it is read when the job starts. `batch` is
        the number of indices that a worker takes at a time; by default at least 64. `depends_on`
        are handles of jobs that must end first; if one of them traps, this one is not run.

        Raises ArgumentError for a value that does not fit. Raises JobError if a job that is not
        completed, and that this one does not depend on, uses the same memory and one of the two
        writes it; and if this job itself is still scheduled.
        """
        return self._schedule(n, batch, depends_on)

    @folding
    @keeps_flags
    def check_races(self, n: Any = None, batch: int | None = None) -> None:
        """Run the job in the reference interpreter, index by index, and record its accesses.

        Raises RaceError if two indices (or batches) access the same memory and one of them writes
        it, whatever `unsafe_parallel` allows, and Trap. It takes a thousand times as long.
        """
        self._run(n, batch, debug=True)

    @folding
    def run(self, n: Any = None, batch: int | None = None) -> None:
        """Run the job here and now, in this thread alone. Raises Trap, ArgumentError as a kernel's
        call does."""
        self._run(n, batch)

    @folding
    @keeps_flags
    def managed_run(self, n: Any = None, batch: int | None = None) -> None:
        """Run the job in CPython over samebits' typed scalars: the reference answer."""
        self._run(n, batch, managed=True)


@dataclass_transform(kw_only_default=True)
class ParallelFor(_Batched):
    """A job whose indices run in any order, on all workers: `execute(self, index: int32)`.

    Memory that it writes may be read and written at `[index]` only: anything else is a Trap. So its
    result depends neither on workers nor on batches.
    """

    __sb_form__ = FORMS["ParallelFor"]


@dataclass_transform(kw_only_default=True)
class ParallelForBatch(_Batched):
    """A job whose batches run in any order: `execute(self, start: int32, count: int32)`.

    Memory that it writes may be read and written at `[start]` … `[start + count - 1]` only:
    anything else is a Trap. Batches start at multiples of `batch`, by default 64, whatever the
    workers.
    """

    __sb_form__ = FORMS["ParallelForBatch"]


@overload
def job(cls: _Class, /) -> _Class: ...
@overload
def job(*, debug: bool = ..., **options: Unpack[OptionArguments]) -> Callable[[_Class], _Class]: ...
def job(
    cls: _Class | None = None, /, *, debug: bool = False, **options: Unpack[OptionArguments]
) -> _Class | Callable[[_Class], _Class]:
    """Make a job of a class that derives from `Job`, `For`, `ParallelFor` or `ParallelForBatch`.

    Its fields are annotated with scalars, vectors, structs, `sb.Array[T]`, `sb.ReadOnly[T]` or
    `sb.WriteOnly[T]`; the own-index rule does not apply to `sb.unsafe_parallel[...]`. Its one
    method is `execute`, compiled as a kernel with `options`, which are those of `sb.kernel`. With
    `debug` every run is one of `check_races`, slow and on one thread, and raises RaceError. Raises
    CompileError for an invalid class, here or, for what is not in the language, when an instance is
    first made; and ArgumentError for an unknown option.
    """
    try:
        given = checked(options)
        if type(debug) is not bool:
            raise ArgumentError(
                f"debug is True or False, not {debug!r:.60}", fix="write debug=True"
            )
        if cls is not None:
            return _defined(cls, given, debug)
    except Exception as error:
        fold(error)
        raise
    return folding(partial(_defined, given=given, debug=debug))


def _defined(cls: _Class, given: Any, debug: bool) -> _Class:
    bases: tuple[Any, ...] = cls.__bases__ if isinstance(cast("object", cls), type) else ()
    if len(bases) != 1 or bases[0] not in (Job, For, ParallelFor, ParallelForBatch):
        raise CompileError(
            f"{getattr(cls, '__name__', cls)!s:.60} is not derived from one kind of job",
            span=defined_at(cls) if bases else None,
            fix=f"write `class ...({', '.join(f'sb.{name}' for name in FORMS)})`, one of them",
        )
    form = bases[0].__sb_form__
    with own_environment():
        fields = fields_of(cls, form, bases[0], 3)
        cls.__sb_job__ = Definition(cls.__name__, execute_of(cls, form), form, fields, given, debug)
    return cls
