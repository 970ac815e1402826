"""Direct calls: what a kernel's `__call__` as machine code needs to know, made once an instance.

No Python code runs between the caller and the kernel: `Kernel.__call__` becomes a method descriptor
at the first call that can use it (`direct_code.py`), which reads the kernel's `direct` record. A
generic kernel has a record for each instance, tried one after another. Whatever is not ordinary
goes to the `__call__` that was there before: arguments of other classes, another floating-point
environment, managed runs, pending jobs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from samebits.errors import fold
from samebits.lang.annotations import class_of_type
from samebits.lang.kernel import Kernel
from samebits.lang.memory.structs import start_of
from samebits.lang.values.classes import COMPOSITE_CLASSES
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.runtime.calls import packing, python_api
from samebits.runtime.calls.direct_code import (
    COMPONENTS,
    FLOATING,
    NEXT,
    SCALAR,
    STRUCT,
    TRUTH,
    WHOLE,
    ResultStep,
    install,
)
from samebits.types import BOOL, FLOAT, INT, NoneType, ScalarType, StructType, Type, VectorType

_MOST_SLOTS = 256
"""More than that is left to the other way: the slots lie on the stack."""


def _result_step(t: Type, slot: int, start: bytes) -> ResultStep | None:
    match t:
        case StructType():
            return ResultStep(
                STRUCT, slot, id(class_of_type(t)), id(start) + python_api.BYTES_ITEMS, t.size
            )
        case ScalarType() if t is FLOAT:
            return ResultStep(FLOATING, slot)
        case ScalarType() if t is INT:
            return ResultStep(WHOLE, slot)
        case ScalarType() if t is BOOL:
            return ResultStep(TRUTH, slot)
        case ScalarType() if t.storage == t:
            return ResultStep(SCALAR, slot, id(SCALAR_CLASSES[t]), 0, t.size)
        case VectorType() if t.element is not BOOL and t.element.storage == t.element:
            classes = id(COMPOSITE_CLASSES[t]), id(SCALAR_CLASSES[t.element])
            return ResultStep(COMPONENTS, slot, *classes, t.element.size, t.length)
        case _:
            return None


def result_steps(
    results: Sequence[Type], first: int, starts: Sequence[bytes]
) -> list[ResultStep] | None:
    """The steps of results, whose words begin at a slot, and the addresses of structs at the very
    first; None where Python code makes one. `starts` are the bytes that structs begin with."""
    steps: list[ResultStep] = []
    structs = 0
    for t, start in zip(results, starts, strict=True):
        is_struct = isinstance(t, StructType)
        step = _result_step(t, structs if is_struct else first, start)
        if step is None:
            return None
        steps.append(step)
        if is_struct:
            structs += 1
        else:
            first += step.parts or 1
    return steps


_MOST_RECORDS = 8
Record = tuple[Any, ...]


class Prepared:
    """An entry as `call` prepares it: its address, the steps that pack its arguments from slot
    `first` on, their number, the slots in all, the types of its results and whether they are one
    value. `trap` returns the exception behind a status, and keeps the entry's code loaded."""

    __slots__ = ("address", "first", "results", "single", "slots", "steps", "trap")

    def __init__(
        self,
        address: int,
        steps: Sequence[packing.PackingStep],
        first: int,
        slots: int,
        results: Sequence[Type],
        single: bool,
        trap: Callable[[int], BaseException],
    ) -> None:
        self.address, self.steps, self.first, self.slots = address, steps, first, slots
        self.results, self.single, self.trap = results, single, trap


def add_record(kernel: Kernel, made: Prepared) -> None:
    """Let `kernel` be called directly by this entry, where that needs no Python code."""
    steps = list(made.steps)
    if kernel.fixed_types is None:
        variables = kernel.signature.variables
        steps = [packing.typed(s) if v else s for s, v in zip(steps, variables, strict=True)]
    results = [t for t in made.results if not isinstance(t, NoneType)]
    starts = [start_of(class_of_type(t)) if isinstance(t, StructType) else b"" for t in results]
    makers = result_steps(results, made.first, starts)
    others = _count(kernel.direct)
    if (
        any(step.kind == packing.SKIP for step in steps)
        or makers is None
        or made.slots > _MOST_SLOTS
        or others == _MOST_RECORDS
        or not install()
    ):
        return
    structs = sum(step.kind == STRUCT for step in makers)
    of_results = len(makers) if made.single else -len(makers)
    by_position = kernel.signature.by_position
    head = (len(steps), made.address, max(1, made.slots), of_results, by_position, structs)
    table = np.array(
        (*head, *chain.from_iterable(step.words for step in makers)), np.int64
    ).tobytes()
    names = tuple(sys.intern(p.name) for p in kernel.parameters)
    defaults = tuple(p.default if p.has_default else ... for p in kernel.parameters)

    def raised(status: int) -> BaseException:
        error = made.trap(status)
        fold(error)
        return error

    table += bytes(packing.table(steps))
    kept = made.trap, starts
    kernel.direct = (table, raised, names, defaults, kept, kernel.direct)


def _count(record: Record | None) -> int:
    return 0 if record is None else 1 + _count(record[NEXT])
