"""Warnings of parameters that are assigned for nobody, as a pointer's target would be in C.

Knows the source of one function, and which of its parameters are numbers and vectors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from samebits.errors import SamebitsWarning
from samebits.frontend.aliases.overwritten import Doubt
from samebits.frontend.core.source import Source


def doubts(values: Iterable[str], source: Source) -> Iterator[Doubt]:
    """A warning for each of the parameters `values`, which are numbers and vectors, that something
    is assigned to and that is read nowhere."""
    names = [n for n in ast.walk(source.node) if isinstance(n, ast.Name)]
    read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    for name in values:
        target = None if name in read else _assigned(name, source)
        if target is None:
            continue
        span = source.span(target)
        warning = SamebitsWarning(
            f"the parameter '{name}' is assigned, and nobody reads it",
            span=span,
            note="a number is a value, and its name is this call's own: the caller sees none of it",
            fix=f"return it, or take an array, `{name}: sb.Array[T]`, and write `{name}[0] = ...`",
        )
        yield warning, span


def _assigned(name: str, source: Source) -> ast.Name | None:
    """Where a statement assigns to the name."""
    for node in ast.walk(source.node):
        match node:
            case ast.Assign(targets=targets):
                places: list[ast.expr] = targets
            case ast.AugAssign(target=place):
                places = [place]
            case _:
                continue
        for target in places:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and part.id == name and _is_store(part):
                    return part
    return None


def _is_store(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)
