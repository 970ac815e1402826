"""The traced program: a simulation's step as IR, with a number for each visible operation.

Owns visibility: the user's functions are visible whole, a pure library function as one call, and
operations that an injected hazard added not at all. Knows nothing of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from samebits.bits import TYPES
from samebits.ir.analysis.budget import Budget
from samebits.ir.grammar import CALLS, Function, Module, Op, Value, walk
from samebits.ir.refs import OpRef, is_own
from samebits.sim.program import Program, state_memory
from samebits.types import ArrayType, ScalarType, StructType


@dataclass(frozen=True, eq=False)
class Model:
    """Linked kernels, the name of the step among them, and the types that the step takes.

    With `plain`, the kernels have injected hazards, and only the operations of `plain` are visible.
    With `inside`, the operations of library functions are visible too. `environment` are words of
    `fp_environments` in which the evaluation's own arithmetic runs.
    """

    module: Module
    step: str
    state: StructType
    input: StructType
    plain: Module | None = None
    inside: bool = False
    environment: tuple[str, ...] = ()
    budget: Budget | None = None
    """The cost limit of evaluations if the kernels come from another machine."""

    @classmethod
    def of(cls, program: Program, plain: Program | None = None) -> Model:
        """The step of a program; `plain` is the original if hazards were injected."""
        seen = None if plain is None else plain.kernels
        return cls(program.kernels, program.step, program.state, program.input, seen)

    @property
    def memory(self) -> StructType:
        """The memory that the step takes: the state, followed by unhashed fields."""
        return state_memory(self.module, self.step)

    @cached_property
    def numbering(self) -> Numbering:
        """The visible operations."""
        return Numbering(self.plain or self.module, self.step, self.inside)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """For each visible operation, whether the kernels still have it: a hazard may remove it."""
        kept = np.zeros(len(self.numbering), np.bool_)
        for name in self.numbering.functions.keys() & self.module.functions.keys():
            for op in walk(self.module.functions[name].body):
                number = self.numbering.number(name, op) if isinstance(op, Op) else None
                if number is not None:
                    kept[number] = True
        return kept

    @cached_property
    def reader(self) -> Model:
        """The model that another machine restores a trace by: the plain kernels in the default
        environment."""
        if self.plain is None and not self.environment:
            return self
        return replace(self, module=self.plain or self.module, plain=None, environment=())


class Numbering:
    """Numbers the visible operations reachable from `entry`, in the module's order.

    `columns` has the types of each operation's recorded results.
    """

    def __init__(self, module: Module, entry: str, inside: bool) -> None:
        self.functions: dict[str, dict[int, int]] = {}
        self.places: list[OpRef] = []
        self.ops: list[Op] = []
        self.columns: list[tuple[ScalarType, ...]] = []
        seen = _seen(module, entry, inside)
        for name in module.functions:
            if name in seen:
                self._add(module.functions[name])

    def _add(self, function: Function) -> None:
        numbers = self.functions[function.name] = {}
        for op in walk(function.body):
            if isinstance(op, Op):
                numbers[op.id] = len(self.places)
                self.places.append(OpRef(function.name, op.id))
                self.ops.append(op)
                self.columns.append(_types(op))

    def __len__(self) -> int:
        return len(self.places)

    def number(self, function: str, op: Op) -> int | None:
        """The number of an operation of this or an injected module; None if it is not visible."""
        number = self.functions.get(function, {}).get(op.id)
        return None if number is None or _types(op) != self.columns[number] else number

    def at(self, place: OpRef) -> int | None:
        """The number of a place; None if it is not visible."""
        return self.functions.get(place.function, {}).get(place.op)

    @cached_property
    def types(self) -> NDArray[np.uint8]:
        """The type of each column, as an index into `TYPES`."""
        return np.array([TYPES.index(t) for types in self.columns for t in types], np.uint8)

    def starts(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """The start of each operation's results in their concatenation, and the end of the last."""
        return np.concatenate(([0], np.cumsum(self._widths[numbers])))

    def columns_of(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """The column of each result of these operations."""
        starts = self.starts(numbers)
        before = self.firsts[numbers] - starts[:-1]
        return np.repeat(before, self._widths[numbers]) + np.arange(int(starts[-1]))

    def type_of(self, column: int) -> ScalarType:
        return TYPES[int(self.types[column])]

    def op_of(self, column: int) -> Op:
        """The operation that a column belongs to."""
        return self.ops[int(np.searchsorted(self.firsts, column, "right")) - 1]

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """The first column of each operation, or of the next one that has any."""
        return np.cumsum(self._widths) - self._widths

    @cached_property
    def _widths(self) -> NDArray[np.int64]:
        return np.array([len(types) for types in self.columns], np.int64)

    @cached_property
    def digest(self) -> int:
        """A hash of all numbered operations, without their spans."""
        state = xxhash.xxh64()  # row by row, as each row holds the function's name
        between = ""
        for place, op, types in zip(self.places, self.ops, self.columns, strict=True):
            row = f"{place} {op.opcode} {op.attr!r} {[v.op for v in op.args]} {[*map(str, types)]}"
            state.update(f"{between}{row}".encode())
            between = "\n"
        return state.intdigest()


def recorded(op: Op) -> tuple[Value, ...]:
    """The recorded values of an operation: its scalar results; what a `set` or `store` writes."""
    values = op.args[-1:] if op.opcode in ("set", "store") else op.results
    return tuple(value for value in values if isinstance(value.type, ScalarType))


def _types(op: Op) -> tuple[ScalarType, ...]:
    return tuple(v.type for v in recorded(op) if isinstance(v.type, ScalarType))


def _seen(module: Module, entry: str, inside: bool) -> set[str]:
    seen = {entry}
    left = [entry]
    while left:
        for name in _callees(module.functions[left.pop()]):
            if name not in seen and (inside or not _is_opaque(module.functions[name])):
                seen.add(name)
                left.append(name)
    return seen


def _callees(function: Function) -> Iterator[str]:
    for op in walk(function.body):
        if isinstance(op, Op) and op.opcode in CALLS:
            yield str(op.attr)


def _is_opaque(function: Function) -> bool:
    """Whether a call is one visible operation: a library function that cannot write memory."""
    return not is_own(function.name) and all(
        isinstance(t, ScalarType) or (isinstance(t, ArrayType) and t.readonly)
        for _, t in function.params
    )
