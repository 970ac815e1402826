"""Programs without `print` and `trace`, for code whose host reads no output."""

from __future__ import annotations

from dataclasses import replace

from samebits.ir.grammar import Function, Module, Op, Region, Statement, walk
from samebits.ir.once import is_library
from samebits.ir.rewrite import map_region
from samebits.printed import OUTPUT


def without_output(module: Module) -> Module:
    """The module without what prints or traces; what that is given is computed all the same."""
    functions = {name: _without(function) for name, function in module.functions.items()}
    return Module(functions, module.tables)


def _without(function: Function) -> Function:
    if is_library(function.name) or not any(map(_is_output, walk(function.body))):
        return function
    return replace(function, body=map_region(function.body, _kept))


def _is_output(statement: Statement) -> bool:
    return isinstance(statement, Op) and statement.opcode in OUTPUT


def _kept(statement: Statement) -> Region:
    return [] if _is_output(statement) else [statement]
