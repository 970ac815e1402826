"""SB101: the order of a set's elements."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

KEEPS_ORDER = frozenset({
    "list", "tuple", "enumerate", "iter", "zip", "map", "filter", "sum", "math.prod",
    "reversed", "next", "dict.fromkeys", "collections.deque", "numpy.array", "numpy.fromiter",
    "itertools.chain", "itertools.accumulate", "functools.reduce", "itertools.combinations",
    "itertools.permutations", "itertools.product", "random.choice", "random.sample",
})  # fmt: skip
"""Functions whose result for a set depends on its order."""
BY_KEY = frozenset({"sorted", "min", "max", "heapq.nlargest", "heapq.nsmallest"})
"""Functions that leave elements of one key in the set's order."""
FORGETS_ORDER = frozenset({"sorted", "set", "frozenset", "len", "any", "all", "min", "max"})
"""Functions whose result does not depend on order (`min` and `max` by a key may)."""
_EXACT = frozenset({"sum", "math.prod"})


def _forgotten(node: ast.AST, kinds: Kinds) -> bool:
    """Whether a generator feeds a function whose result does not depend on order."""
    if isinstance(node, ast.SetComp):
        return True
    outer = kinds.names.parent(node)
    if not (isinstance(outer, ast.Call) and node in outer.args):
        return False
    if any(keyword.arg == "key" for keyword in outer.keywords):
        return kinds.names.qualified(outer.func) == "sorted"
    name = kinds.names.qualified(outer.func)
    if name == "sum" and isinstance(node, ast.GeneratorExp):
        return kinds.of(node.elt) is Kind.INT
    return name in FORGETS_ORDER


def check(node: ast.AST, kinds: Kinds) -> Iterable[Hit]:
    match node:
        case ast.For(iter=source) | ast.AsyncFor(iter=source):
            if kinds.of(source) is Kind.SET:
                yield source, "a loop goes through a set"
        case ast.ListComp() | ast.DictComp() | ast.GeneratorExp() if not _forgotten(node, kinds):
            for part in node.generators:
                if kinds.of(part.iter) is Kind.SET:
                    yield part.iter, "a comprehension goes through a set"
        case ast.Call(func=ast.Attribute(value=owner, attr="pop"), args=[]):
            if kinds.of(owner) is Kind.SET:
                yield node, "`pop` takes any element of a set"
        case ast.Call(func=ast.Attribute(attr="join"), args=[source]):
            if kinds.of(source) is Kind.SET:
                yield node, "`join` strings a set together"
        case ast.Call(func=ast.Attribute(attr="extend"), args=[source]):
            if kinds.of(source) is Kind.SET:
                yield node, "`extend` puts a set's elements in its order"
        case ast.Call(func=function, args=arguments):
            name = kinds.names.qualified(function)
            if name in KEEPS_ORDER and not _forgotten(node, kinds):
                if name in _EXACT and arguments and kinds.element(arguments[0]) is Kind.INT:
                    return  # integers give one sum in every order
                for argument in arguments:
                    value = argument.value if isinstance(argument, ast.Starred) else argument
                    if kinds.of(value) is Kind.SET:
                        yield node, f"`{name}` takes a set's elements in its order"
            elif (
                name in BY_KEY
                and any(keyword.arg == "key" for keyword in node.keywords)
                and any(kinds.of(argument) is Kind.SET for argument in arguments)
            ):
                what = f"`{name}` leaves elements of one key in the set's order"
                yield node, what, Confidence.MEDIUM
        case ast.AugAssign(op=ast.Add(), value=source):
            if kinds.of(source) is Kind.SET:  # what is added to is a list, as sets have no +=
                yield source, "`+=` puts a set's elements in its order"
        case ast.Assign(targets=targets, value=source):
            if kinds.of(source) is Kind.SET:
                for target in targets:
                    if isinstance(target, ast.Tuple | ast.List) and len(target.elts) > 1:
                        yield source, "a set is unpacked"
        case ast.Starred(value=value) if isinstance(node.ctx, ast.Load):
            outer = kinds.names.parent(node)
            if kinds.of(value) is Kind.SET and isinstance(outer, (ast.List, ast.Tuple)):
                yield node, "a set is unpacked"
        case _:
            pass


SET_ORDER = LintRule(
    "SB101",
    "set-order",
    "a set's order follows its elements' hashes: those of text differ in every process, and "
    "so do sums, indices and turn order",
    "go through `sorted(...)`, or use a dict as an ordered set: `dict.fromkeys(...)`",
    (
        ast.For,
        ast.AsyncFor,
        ast.ListComp,
        ast.DictComp,
        ast.GeneratorExp,
        ast.Call,
        ast.Starred,
        ast.AugAssign,
        ast.Assign,
    ),
    check,
)
