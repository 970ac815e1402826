"""The digest of a simulation: what its kernels do, its types, its name and version.

The same for the same simulation in every process. Comments, positions, file and module names
do not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from samebits.errors import Span
from samebits.ir.grammar import (
    For,
    Function,
    If,
    Module,
    Op,
    Region,
    Return,
    Statement,
    While,
)
from samebits.ir.text import print_module

DIGEST_BYTES = 16
_NOWHERE = Span("", "", 1, 0, 1, 1)


def digest_of(module: Module, facts: Mapping[str, Any]) -> str:
    """32 hex digits over the module's functions, in its order, and JSON `facts`."""
    text = json.dumps(facts, sort_keys=True) + "\n" + print_module(anonymous(module))
    return hashlib.blake2b(text.encode(), digest_size=DIGEST_BYTES).hexdigest()


def anonymous(module: Module) -> Module:
    """The module with functions named by their position and every span the same."""
    names = {name: f"f{i}" for i, name in enumerate(module.functions)}
    functions = [_function(function, names) for function in module.functions.values()]
    return Module({function.name: function for function in functions}, module.tables)


def _function(function: Function, names: Mapping[str, str]) -> Function:
    body = _region(function.body, names)
    return replace(function, name=names[function.name], body=body, span=_NOWHERE)


def _region(region: Region, names: Mapping[str, str]) -> Region:
    return [_statement(statement, names) for statement in region]


def _statement(statement: Statement, names: Mapping[str, str]) -> Statement:
    match statement:
        case Op():
            attr = statement.attr
            if statement.opcode == "call":
                attr = names[str(attr)]
            return replace(statement, attr=attr, span=_NOWHERE)
        case If():
            then, orelse = _region(statement.then, names), _region(statement.orelse, names)
            return replace(statement, then=then, orelse=orelse, span=_NOWHERE)
        case While():
            return replace(
                statement,
                head=_region(statement.head, names),
                body=_region(statement.body, names),
                orelse=_region(statement.orelse, names),
                span=_NOWHERE,
            )
        case For():
            body, orelse = _region(statement.body, names), _region(statement.orelse, names)
            return replace(statement, body=body, orelse=orelse, span=_NOWHERE)
        case Return():
            return replace(statement, span=_NOWHERE)
        case _:
            return replace(statement, span=_NOWHERE)
