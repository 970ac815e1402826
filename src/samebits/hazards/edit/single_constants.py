"""Kernels whose float64 literals are rounded to float32, as by -fsingle-precision-constant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from samebits.ir.grammar import Module, Op, Region, Statement, TableData, walk
from samebits.ir.refs import is_own
from samebits.ir.rewrite import map_region
from samebits.types import FLOAT64


def with_single_constants(kernels: Module) -> Module:
    """The kernels with each float64 number that the user's own functions write, in code or in a
    table, rounded to float32 and used as a float64. The library keeps its own."""
    own = [function for name, function in kernels.functions.items() if is_own(name)]
    changed = {f.name: replace(f, body=map_region(f.body, _single)) for f in own}
    used = {
        op.attr for f in own for op in walk(f.body) if isinstance(op, Op) and op.opcode == "table"
    }
    tables = {
        name: _rounded(table) if name in used and table.element == FLOAT64 else table
        for name, table in kernels.tables.items()
    }
    return Module({**kernels.functions, **changed}, tables)


def _single(statement: Statement) -> Region:
    if not isinstance(statement, Op) or statement.opcode != "const":
        return [statement]
    if statement.result.type != FLOAT64 or not isinstance(statement.attr, float):
        return [statement]
    return [replace(statement, attr=_near(statement.attr))]


def _rounded(table: TableData) -> TableData:
    return replace(table, values=tuple(map(_near, table.values)))


def _near(number: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number))
