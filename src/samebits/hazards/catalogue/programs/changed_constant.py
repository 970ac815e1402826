"""Another version of the source: a constant with another value, by more than a parser's error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from random import Random

from samebits.bits import round_float
from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.edit.function_editor import own_functions, with_statements
from samebits.ir.analysis.loops import deciding, endless
from samebits.ir.grammar import Attribute, For, Function, Module, Op, Statement, walk
from samebits.ir.refs import OpRef, op_at
from samebits.ir.rewrite import operands
from samebits.types import BOOL, ScalarType

_LENGTHS = {"index": (1,), "bound": (1,), "own": (1, 2), "parallel": (2,), "slice": (1, 2)}
"""Operands that the compiler supplies, not the source: lengths, pieces of ranges, batches; and
bounds of slices, which are checked before."""


def _places(module: Module) -> list[OpRef]:
    unending = endless(module)
    return [
        OpRef(function.name, op.id)
        for function in own_functions(module)
        if function.name not in unending
        for op in _constants(function)
    ]


def _constants(function: Function) -> Iterator[Op]:
    users: dict[int, list[Statement]] = defaultdict(list)
    for statement in walk(function.body):
        for value in operands(statement):
            users[value.op].append(statement)
    deciders = deciding(function)
    for op in walk(function.body):
        if not isinstance(op, Op) or op.opcode != "const" or not users[op.id]:
            continue
        if any(_is_length(op, user) for user in users[op.id]):
            continue
        # A loop bound may change by one; a constant that it is computed from may be a factor.
        if op.id not in deciders or all(isinstance(user, For) for user in users[op.id]):
            yield op


def _is_length(op: Op, user: Statement) -> bool:
    if not isinstance(user, Op):
        return False
    return any(user.args[i].op == op.id for i in _LENGTHS.get(user.opcode, ()))


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    constant = op_at(module, place)
    t = constant.result.type
    assert isinstance(t, ScalarType)
    for value in dict.fromkeys(_values(t, constant.attr, draws)):
        if value != constant.attr:
            other = replace(constant, attr=value)
            changed = with_statements(module, place.function, {place.op: [other]})
            yield changed, f"{constant.attr} has become {value}"


def _values(t: ScalarType, value: Attribute, draws: Random) -> Iterator[Attribute]:
    if t is BOOL:
        yield not value
    elif isinstance(value, int):
        for by in (1, -1):
            if t.minimum <= value + by <= t.maximum:
                yield value + by
    elif isinstance(value, float) and isfinite(value):
        factors = (1.0 + draws.choice((1, -1)) * draws.uniform(0.001, 0.1), 2.0, 0.5, -1.0)
        for factor in factors:
            if isfinite(near := round_float(value * factor or factor - 1.0, t.bits)):
                yield near


CHANGED_CONSTANT = ProgramHazard(
    "changed-constant",
    "a constant that differs in another version",
    _places,
    _changes,
    practice="builds of two commits, tuning values, configuration read at start",
    remedy="compare the simulation's digest and version before a session starts",
)
