"""A simulation's step as IR to evaluate, and the number of each operation that a trace sees in it.

Owns what is seen: the user's functions whole, a library function that only computes as the one
call that it is, and nothing that a planted hazard brought with it. Knows nothing of values.
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

    With `plain`, the kernels are planted: what a trace sees of them are the operations of `plain`.
    With `inside`, the operations of library functions are seen too. `environment` are words of
    `fp_environments`: what the evaluation's own arithmetic runs in.
    """

    module: Module
    step: str
    state: StructType
    input: StructType
    plain: Module | None = None
    inside: bool = False
    environment: tuple[str, ...] = ()
    budget: Budget | None = None
    """What evaluations may take, where the kernels are another machine's."""

    @classmethod
    def of(cls, program: Program, plain: Program | None = None) -> Model:
        """The step of a program, or of one that a hazard was planted in, with the plain one."""
        seen = None if plain is None else plain.kernels
        return cls(program.kernels, program.step, program.state, program.input, seen)

    @property
    def memory(self) -> StructType:
        """What the step takes as the state: it, with what no hash sees behind it."""
        return state_memory(self.module, self.step)

    @cached_property
    def numbering(self) -> Numbering:
        """The operations that are seen."""
        return Numbering(self.plain or self.module, self.step, self.inside)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Of each operation that is seen, whether the kernels have it: planted ones may not."""
        kept = np.zeros(len(self.numbering), np.bool_)
        for name in self.numbering.functions.keys() & self.module.functions.keys():
            for op in walk(self.module.functions[name].body):
                number = self.numbering.number(name, op) if isinstance(op, Op) else None
                if number is not None:
                    kept[number] = True
        return kept

    @cached_property
    def reader(self) -> Model:
        """The model that a reader of a stored trace has: the plain one, if there is one, in the
        default environment."""
        if self.plain is None and not self.environment:
            return self
        return replace(self, module=self.plain or self.module, plain=None, environment=())


class Numbering:
    """Numbers the operations of the functions that `entry` calls, in the module's order.

    `columns` has the types of what is recorded of each.
    """

    def __init__(self, module: Module, entry: str, inside: bool) -> None:
        self.module = module
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
        """The number of an operation of this module, or of a planted one; None if it has none."""
        number = self.functions.get(function, {}).get(op.id)
        return None if number is None or _types(op) != self.columns[number] else number

    def at(self, place: OpRef) -> int | None:
        """The number of a place; None where a trace does not see it."""
        return self.functions.get(place.function, {}).get(place.op)

    @cached_property
    def types(self) -> NDArray[np.uint8]:
        """The type of each column, as an index into `TYPES`."""
        return np.array([TYPES.index(t) for types in self.columns for t in types], np.uint8)

    def starts(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """Where the results of each of these operations begin if they lie one after the other, and
        where the last one's end."""
        return np.concatenate(([0], np.cumsum(self._widths[numbers])))

    def columns_of(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """The column of each result of these operations."""
        starts = self.starts(numbers)
        before = self.firsts[numbers] - starts[:-1]
        return np.repeat(before, self._widths[numbers]) + np.arange(int(starts[-1]))

    def type_of(self, column: int) -> ScalarType:
        return TYPES[int(self.types[column])]

    def number_of(self, column: int) -> int:
        """The operation that a column belongs to."""
        return int(np.searchsorted(self.firsts, column, "right")) - 1

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """The first column of each operation, or of the next one that has any."""
        return np.cumsum(self._widths) - self._widths

    @cached_property
    def _widths(self) -> NDArray[np.int64]:
        return np.array([len(types) for types in self.columns], np.int64)

    @cached_property
    def digest(self) -> int:
        """A hash of all that is numbered, of where it is in the source excepted."""
        state = xxhash.xxh64()  # of a row at a time: the function's name is in each
        between = ""
        for place, op, types in zip(self.places, self.ops, self.columns, strict=True):
            row = f"{place} {op.opcode} {op.attr!r} {[v.op for v in op.args]} {[*map(str, types)]}"
            state.update(f"{between}{row}".encode())
            between = "\n"
        return state.intdigest()


def recorded(op: Op) -> tuple[Value, ...]:
    """What a trace keeps of an operation: its scalar results; what a `set` or `store` writes."""
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
    """Whether the call says it all: a library function that can write no memory."""
    return not is_own(function.name) and all(
        isinstance(t, ScalarType) or (isinstance(t, ArrayType) and t.readonly)
        for _, t in function.params
    )
