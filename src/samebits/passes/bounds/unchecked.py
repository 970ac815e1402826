"""Kernels that say `bounds_check=False`: their indices and assumptions are not tested.

Only what is compiled goes without: evaluation runs IR from before this pass.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.ir.grammar import For, Function, If, Op, Region, Statement, While

_TRUSTED = frozenset({"index", "assume"})


def trust(function: Function) -> Function:
    """`function` with its own indices and assumptions marked as never trapping."""
    return replace(function, body=_region(function.body))


def _region(region: Region) -> Region:
    return [_statement(statement) for statement in region]


def _statement(statement: Statement) -> Statement:
    match statement:
        case Op(opcode=opcode):
            return replace(statement, unchecked=True) if opcode in _TRUSTED else statement
        case If(then=then, orelse=orelse):
            return replace(statement, then=_region(then), orelse=_region(orelse))
        case For(body=body, orelse=orelse):
            return replace(statement, body=_region(body), orelse=_region(orelse))
        case While(head=head, body=body, orelse=orelse):
            return replace(
                statement, head=_region(head), body=_region(body), orelse=_region(orelse)
            )
        case _:
            return statement
