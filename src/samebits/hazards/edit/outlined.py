"""Kernels with the arithmetic of each statement in a function of its own.

The inverse of `inlined`: what a compiler does within one expression is then within one function,
which can be built otherwise than those around it. No bit changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from samebits.errors import Span
from samebits.ir.grammar import (
    CALLS,
    OPS,
    Function,
    HostFunction,
    Module,
    Op,
    Region,
    Return,
    Value,
    walk,
)
from samebits.ir.refs import is_own
from samebits.ir.rewrite import fresh_ids, map_regions, operands, with_operands
from samebits.types import ScalarType

_ROUNDED = frozenset({"add", "sub", "mul", "div", "sqrt", "fma", "min", "max"})
"""Operations on floats of which compilers make others."""
_BESIDE = frozenset({
    "neg", "abs", "copysign", "select", "convert", "floor", "ceil", "trunc", "round", "eq", "ne",
    "lt", "le", "gt", "ge", "and", "or", "not",
})  # fmt: skip
"""Operations that are of one expression with these."""
_WRITING = CALLS | {"store", "copy", "zero", "release", "allocate"}
_Key = tuple[int, int]


@dataclass(frozen=True)
class Outlined:
    """The kernels, and of each function that was made of a statement's arithmetic, in the order in
    which they are written, where that stands."""

    kernels: Module
    places: dict[str, Span]


def outlined(kernels: Module) -> Outlined:
    """The kernels with a call in the place of all arithmetic of floats, where no value of it is
    used before the whole is computed."""
    made: dict[str, Function] = {}
    places: dict[str, Span] = {}
    for name, function in kernels.functions.items():  # callees come first
        if is_own(name) and not isinstance(function, HostFunction):
            outliner = _Outliner(function)
            function = outliner.done()
            for each in outliner.made:
                made[each.name], places[each.name] = each, each.span
        made[name] = function
    return Outlined(Module(made, kernels.tables), places)


class _Outliner:
    """One function, and those that are made of its arithmetic."""

    def __init__(self, function: Function) -> None:
        self.made: list[Function] = []
        self._function = function
        self._ids = fresh_ids(function)
        self._given: dict[_Key, Value] = {}
        """What stands in the place of values that are computed elsewhere."""
        self._same: dict[_Key, _Key] = {}
        """The first of the values that are the same."""
        self._first: dict[Hashable, _Key] = {}
        self._constants = {
            s.id: s for s in walk(function.body) if isinstance(s, Op) and s.opcode == "const"
        }

    def done(self) -> Function:
        body = self._region(self._function.body)
        return replace(self._function, body=body) if self.made else self._function

    def _region(self, region: Region) -> Region:
        self._number(region)
        groups = {group[-1].id: group for group in self._groups(region)}
        gone = {op.id for group in groups.values() for op in group}
        out: Region = []
        for statement in region:
            if not isinstance(statement, Op):
                out.append(with_operands(map_regions(statement, self._region), self._value))
            elif statement.id in groups:
                out.append(self._call(groups[statement.id], region))
            elif statement.id not in gone:
                out.append(with_operands(statement, self._value))
        return out

    def _number(self, region: Region) -> None:
        """Find which values of a region are the same by what they are read from."""
        memory, slots = 0, Counter[str]()
        for statement in region:
            if not isinstance(statement, Op):
                memory += 1
                slots.update(map(str, self._function.slots))
                slots.update(name for name, _ in self._function.params)
                continue
            if statement.opcode == "set":
                slots[str(statement.attr)] += 1
            elif statement.opcode == "get":
                self._mark(statement, slots[str(statement.attr)], id(region))
            elif statement.opcode == "load":
                self._mark(statement, memory, id(region))
            elif OPS[statement.opcode].pure:
                self._mark(statement)
            elif statement.opcode in _WRITING:
                memory += 1

    def _mark(self, op: Op, *when: int) -> None:
        of = tuple(map(self._key, op.args))
        for v in op.results:
            what = op.opcode, op.attr, v.index, v.type, of, when
            self._same[v.op, v.index] = self._first.setdefault(what, (v.op, v.index))

    def _value(self, value: Value) -> Value:
        return self._given.get((value.op, value.index), value)

    def _key(self, value: Value) -> _Key:
        key = value.op, value.index
        return self._same.get(key, key)

    def _groups(self, region: Region) -> Iterator[list[Op]]:
        """The operations that are of one expression, in order; only such as round."""
        of: dict[int, list[Op]] = {}
        for op in region:
            if not isinstance(op, Op) or not _is_arithmetic(op):
                continue
            group = [op]
            for arg in op.args:
                other = of.get(arg.op)
                if other is not None and other is not group:
                    # The longer one is kept as it is, so that joining stays cheap.
                    few, many = sorted((group, other), key=len)
                    many += few
                    of.update((each.id, many) for each in few)
                    group = many
            of[op.id] = group
        at = {s.id: n for n, s in enumerate(region) if isinstance(s, Op)}
        for group in {id(each): each for each in of.values()}.values():
            group.sort(key=lambda op: at[op.id])
            if any(map(_rounds, group)) and self._is_whole(group, region):
                yield group

    def _is_whole(self, group: Sequence[Op], region: Region) -> bool:
        """Whether what else uses its values stands behind it."""
        own = {op.id for op in group}
        for statement in region:
            if isinstance(statement, Op) and statement.id == group[-1].id:
                return True
            for each in walk([statement]):
                is_own_op = isinstance(each, Op) and each.id in own
                if not is_own_op and any(value.op in own for value in operands(each)):
                    return False
        return True

    def _call(self, group: Sequence[Op], region: Region) -> Op:
        """The call of a new function that does what the operations do."""
        own = {op.id for op in group}
        taken = [arg for op in group for arg in op.args if arg.op not in own]
        taken = [arg for arg in taken if arg.op not in self._constants]
        first: dict[_Key, Value] = {}
        stands = {arg: first.setdefault(self._key(arg), arg) for arg in taken}
        args = list(first.values())
        outside = {
            (value.op, value.index)
            for statement in walk(self._function.body)
            if not (isinstance(statement, Op) and statement.id in own)
            for value in operands(statement)
        }
        results = [v for op in group for v in op.results if (v.op, v.index) in outside]
        span = group[-1].span
        name = f"{self._function.name}.line{span.line}_{len(self.made)}"
        self.made.append(self._defined(name, group, stands, args, results))
        number = next(self._ids)
        given = [Value(number, index, v.type) for index, v in enumerate(results)]
        self._given.update(((v.op, v.index), new) for v, new in zip(results, given, strict=True))
        return Op(number, "call", tuple(map(self._value, args)), name, tuple(given), span)

    def _defined(
        self,
        name: str,
        group: Sequence[Op],
        stands: Mapping[Value, Value],
        args: Sequence[Value],
        results: Sequence[Value],
    ) -> Function:
        """A function of `args`, which stand for all values that the operations take."""
        ids, span = count(), group[-1].span
        body: Region = []
        inside: dict[_Key, Value] = {}

        def added(op: Op) -> None:
            number = next(ids)
            new = tuple(Value(number, v.index, v.type) for v in op.results)
            changed = tuple(inside[v.op, v.index] for v in op.args)
            body.append(replace(op, id=number, args=changed, results=new))
            inside.update(((v.op, v.index), n) for v, n in zip(op.results, new, strict=True))

        params = [(f"x{n}", value.type) for n, value in enumerate(args)]
        for (slot, _), value in zip(params, args, strict=True):
            added(Op(value.op, "get", (), slot, (value,), span))
        for value, other in stands.items():
            inside[value.op, value.index] = inside[other.op, other.index]
        for op in group:
            for arg in op.args:
                constant = self._constants.get(arg.op)
                if constant is not None and (arg.op, arg.index) not in inside:
                    added(constant)
            added(op)
        body.append(Return(tuple(inside[v.op, v.index] for v in results), span))
        types = tuple(v.type for v in results if isinstance(v.type, ScalarType))
        return replace(
            self._function, name=name, params=tuple(params), results=types, slots={}, locals={},
            body=body, span=span, cold=False, recursion=0,
        )  # fmt: skip


def _is_arithmetic(op: Op) -> bool:
    return (
        op.opcode in _ROUNDED | _BESIDE
        and all(isinstance(v.type, ScalarType) for v in (*op.args, *op.results))
        and any(isinstance(v.type, ScalarType) and v.type.is_float for v in (*op.args, *op.results))
    )


def _rounds(op: Op) -> bool:
    t = op.result.type
    return op.opcode in _ROUNDED and isinstance(t, ScalarType) and t.is_float
