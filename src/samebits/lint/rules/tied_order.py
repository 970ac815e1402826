"""SB106: the order of elements that compare equal."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import ARRAYS, Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_SORTS = frozenset({"numpy.argsort", "numpy.argpartition", "numpy.partition"})
_METHODS = frozenset({"argsort", "argpartition", "partition"})
_STABLE = frozenset({"stable", "mergesort"})
_PUSHES = frozenset({"heapq.heappush", "heapq.heappushpop", "heapq.heapreplace"})
_ORDERED = frozenset({Kind.INT, Kind.TEXT})
"""Kinds of values that order a tuple whose first elements are equal."""


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func)
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    of_array = method in _METHODS and kinds.of(node.func.value) in ARRAYS  # type: ignore[attr-defined]
    if name in _SORTS or of_array:
        if not _is_stable(node):
            yield node, f"`{name or method}` leaves equal elements in an order of NumPy's choice"
    elif name in _PUSHES and len(node.args) == 2:
        match node.args[1]:
            case ast.Tuple(elts=[first, *others]) if kinds.of(first) not in _ORDERED:
                if not others or kinds.of(others[0]) not in _ORDERED:
                    yield node.args[1], "what ties in the heap is told apart by what comes next"
            case _:
                pass


def _is_stable(node: ast.Call) -> bool:
    said = {keyword.arg: keyword.value for keyword in node.keywords}
    match said.get("kind") or said.get("stable"):
        case ast.Constant(value=value):
            return value is True or value in _STABLE
        case _:
            return False


TIED_ORDER = LintRule(
    "SB106",
    "tied-order",
    "elements that compare equal come in an order that no one promises: NumPy sorts by other loops "
    "with and without AVX-512, and a heap goes on to compare what stands behind the tie",
    'sort with `kind="stable"`; put a number that tells elements apart behind the key: '
    "`(cost, number, unit)`",
    (ast.Call,),
    check,
    Confidence.LOW,
)
