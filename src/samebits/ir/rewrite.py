"""Copies of code with ids of their own; spans stay, so that a copy traps where the source says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.ir.grammar import (
    For,
    Function,
    If,
    Module,
    Op,
    Region,
    Return,
    Statement,
    Value,
    While,
)


def clone(region: Region, ids: Iterator[int]) -> Region:
    """A copy of `region`; what it uses from outside stays the same."""
    return _region(region, ids, {})


def _region(region: Region, ids: Iterator[int], renamed: dict[int, int]) -> Region:
    return [_statement(statement, ids, renamed) for statement in region]


def _value(value: Value, renamed: dict[int, int]) -> Value:
    number = renamed.get(value.op)
    return value if number is None else Value(number, value.index, value.type)


def _statement(statement: Statement, ids: Iterator[int], renamed: dict[int, int]) -> Statement:
    match statement:
        case Op():
            args = tuple([_value(value, renamed) for value in statement.args])
            number = next(ids)
            renamed[statement.id] = number
            results = tuple([Value(number, r.index, r.type) for r in statement.results])
            return replace(statement, id=number, args=args, results=results)
        case If():
            return replace(
                statement,
                id=next(ids),
                condition=_value(statement.condition, renamed),
                then=_region(statement.then, ids, renamed),
                orelse=_region(statement.orelse, ids, renamed),
            )
        case For():
            return replace(
                statement,
                id=next(ids),
                start=_value(statement.start, renamed),
                stop=_value(statement.stop, renamed),
                body=_region(statement.body, ids, renamed),
                orelse=_region(statement.orelse, ids, renamed),
            )
        case While():
            head = _region(statement.head, ids, renamed)
            return replace(
                statement,
                id=next(ids),
                head=head,
                condition=_value(statement.condition, renamed),
                body=_region(statement.body, ids, renamed),
                orelse=_region(statement.orelse, ids, renamed),
            )
        case Return():
            values = tuple([_value(value, renamed) for value in statement.values])
            return replace(statement, values=values)
        case _:
            return statement


def with_function(module: Module, function: Function) -> Module:
    """The module with a function exchanged for the one of its name."""
    return Module({**module.functions, function.name: function}, module.tables)


def with_regions(statement: Statement, made: list[Region]) -> Statement:
    """The statement with other regions, in the order of `regions`."""
    match statement:
        case If():
            return replace(statement, then=made[0], orelse=made[1])
        case While():
            return replace(statement, head=made[0], body=made[1], orelse=made[2])
        case For():
            return replace(statement, body=made[0], orelse=made[1])
        case _:
            return statement
