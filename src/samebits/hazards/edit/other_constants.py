"""Kernels that write another number at some places, as a port with a slip in it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from samebits.errors import Span
from samebits.hazards.edit.function_editor import guarded
from samebits.ir.grammar import HostFunction, Module, Op, Region, Statement, walk
from samebits.ir.refs import OpRef, is_own
from samebits.ir.rewrite import fresh_ids, map_region
from samebits.types import FLOAT32, INT64, ScalarType


@dataclass(frozen=True)
class Constant:
    """A float that the user's own code writes at a place."""

    place: OpRef
    value: float
    type: ScalarType
    span: Span


def constants_of(kernels: Module) -> Iterator[Constant]:
    """The floats that the user's own functions write, in the order in which they are written."""
    for name, function in kernels.functions.items():
        for op in walk(function.body) if is_own(name) else ():
            if _is_float(op):
                t = op.result.type
                assert isinstance(t, ScalarType)
                assert isinstance(op.attr, float)
                yield Constant(OpRef(name, op.id), op.attr, t, op.span)


def with_constants(kernels: Module, values: Mapping[OpRef, float]) -> Module:
    """The kernels with other numbers, rounded to their types, at some places."""

    def changed(function: str, op: Statement) -> Region:
        if _is_float(op) and (new := values.get(OpRef(function, op.id))) is not None:
            return [replace(op, attr=float(np.float32(new)) if op.result.type == FLOAT32 else new)]
        return [op]

    made = {
        name: replace(f, body=map_region(f.body, lambda s, n=name: changed(n, s)))
        for name, f in kernels.functions.items()
        if name in {place.function for place in values}
    }
    return Module({**kernels.functions, **made}, kernels.tables)


def observed_constants(kernels: Module, hosts: Mapping[ScalarType, HostFunction]) -> Module:
    """The kernels with each of `constants_of` given by the host function of its type, called with
    its number."""
    kernels = guarded(kernels)
    numbers = {each.place: number for number, each in enumerate(constants_of(kernels))}
    made = {host.name: host for host in hosts.values()} | kernels.functions
    for name, function in kernels.functions.items():
        if not is_own(name):
            continue
        ids = fresh_ids(function)

        def asked(op: Statement, name: str = name, ids: Iterator[int] = ids) -> Region:
            if not _is_float(op):
                return [op]
            number = Op(next(ids), "const", (), numbers[OpRef(name, op.id)], (), op.span)
            number.results = (replace(op.result, op=number.id, type=INT64),)
            host = hosts[op.result.type]  # pyright: ignore[reportArgumentType]
            call = Op(op.id, "call", number.results, host.name, op.results, op.span)
            return [number, call]

        made[name] = replace(function, body=map_region(function.body, asked))
    return Module(made, kernels.tables)


def _is_float(statement: Statement) -> TypeGuard[Op]:
    if not isinstance(statement, Op) or statement.opcode != "const":
        return False
    t = statement.result.type
    return isinstance(t, ScalarType) and t.is_float and isinstance(statement.attr, float)
