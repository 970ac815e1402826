"""Sums and products in another order: every association, and the shapes that SIMD lanes make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, reduce

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import (
    Node,
    Tree,
    add,
    mul,
    neg,
    nodes,
    replaced,
    sub,
)
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard

_ALL_SHAPES_UP_TO = 6
FAST_MATH = "-Ofast, -ffast-math, -fassociative-math, /fp:fast, Burst's FloatMode.Fast, shaders"
_LANES = (2, 4, 8, 16)

Join = Callable[[Tree, Tree], Tree]


def _sum(a: Tree, b: Tree) -> Tree:
    """a + b, with negative terms subtracted."""
    match a, b:
        case _, Node("neg", (inner,)):
            return sub(a, inner)
        case Node("neg", (inner,)), _:
            return sub(b, inner)
        case _:
            return add(a, b)


def _terms(tree: Tree) -> list[Tree]:
    match tree:
        case Node("add", (a, b)):
            return [*_terms(a), *_terms(b)]
        case Node("sub", (a, b)):
            return [*_terms(a), *map(neg, _terms(b))]
        case Node("neg", (Node("add" | "sub") as inner,)):
            return list(map(neg, _terms(inner)))
        case _:
            return [tree]


def _factors(tree: Tree) -> list[Tree]:
    match tree:
        case Node("mul", (a, b)):
            return [*_factors(a), *_factors(b)]
        case _:
            return [tree]


def chains(tree: Tree) -> list[tuple[Node, list[Tree], Join]]:
    """The longest sums and products in a tree, with at least three terms each."""
    inside: set[Tree] = set()
    found: list[tuple[Node, list[Tree], Join]] = []
    for node in reversed(list(nodes(tree))):
        kind = "add" if node.name in ("add", "sub") else node.name
        if kind not in ("add", "mul") or node in inside:
            continue
        terms = _terms(node) if kind == "add" else _factors(node)
        stack = [node]
        while stack:
            part = stack.pop()
            inside.add(part)
            same = ("add", "sub") if kind == "add" else ("mul",)
            stack += [arg for arg in part.args if isinstance(arg, Node) and arg.name in same]
        if len(terms) > 2:
            found.append((node, terms, _sum if kind == "add" else mul))
    return found


def _shapes(terms: list[Tree], join: Join) -> Iterator[Tree]:
    """Every association of the terms in every order, each once: (2n − 3)!! of n terms."""
    if len(terms) == 1:
        yield terms[0]
        return
    first, rest = terms[0], terms[1:]
    for mask in range((1 << len(rest)) - 2, -1, -1):
        mine = [first, *(t for i, t in enumerate(rest) if mask >> i & 1)]
        others = [t for i, t in enumerate(rest) if not mask >> i & 1]
        for left in _shapes(mine, join):
            for right in _shapes(others, join):
                yield join(left, right)


def _in_order(terms: list[Tree], join: Join) -> list[Tree]:
    """Every association that keeps the terms' order: Catalan's numbers."""

    @cache
    def between(low: int, high: int) -> list[Tree]:
        if high - low == 1:
            return [terms[low]]
        return [
            join(left, right)
            for middle in range(high - 1, low, -1)
            for left in between(low, middle)
            for right in between(middle, high)
        ]

    return between(0, len(terms))


def _halves(parts: list[Tree], join: Join) -> Tree:
    """The upper half added to the lower until one is left, as vector code does."""
    while len(parts) > 1:
        half = (len(parts) + 1) // 2
        parts = [
            join(parts[i], parts[i + half]) if i + half < len(parts) else parts[i]
            for i in range(half)
        ]
    return parts[0]


def _pairs(parts: list[Tree], join: Join) -> Tree:
    """Neighbours added until one is left, as horizontal additions do."""
    while len(parts) > 1:
        parts = [reduce(join, parts[i : i + 2]) for i in range(0, len(parts), 2)]
    return parts[0]


def _lanes(terms: list[Tree], join: Join) -> Iterator[tuple[Tree, str]]:
    for lanes in _LANES:
        if lanes >= len(terms):
            break
        columns = [reduce(join, terms[i::lanes]) for i in range(lanes)]
        whole = len(terms) - len(terms) % lanes
        body = [reduce(join, terms[i:whole:lanes]) for i in range(lanes)]
        for name, fold in (("halves", _halves), ("neighbours", _pairs)):
            note = f"{lanes} SIMD lanes, folded by {name}: a vectorised reduction"
            yield fold(columns, join), note
            yield reduce(join, [fold(body, join), *terms[whole:]]), f"{note}, the rest after it"
        yield reduce(join, columns), f"{lanes} SIMD lanes, folded in order: a vectorised reduction"


def _orders(terms: list[Tree], join: Join) -> Iterator[tuple[Tree, str]]:
    yield from _lanes(terms, join)
    yield _pairs(terms, join), "pairwise summation: NumPy's sums, GPU reductions"
    yield reduce(join, terms[::-1]), "the terms from the last to the first"
    if len(terms) <= _ALL_SHAPES_UP_TO:
        for shape in _shapes(terms, join):
            yield shape, FAST_MATH
    elif len(terms) <= 9:
        for shape in _in_order(terms, join):
            yield shape, FAST_MATH
    for i in range(1, len(terms)):
        yield reduce(join, [*terms[i:], *terms[:i]]), FAST_MATH


def _variants(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    for node, terms, join in chains(tree):
        for shape, note in _orders(terms, join):
            yield replaced(tree, node, shape), arithmetic, note


ORDER = ExpressionHazard(
    "order",
    "reassociation or SIMD reduction order",
    _variants,
    practice="-fassociative-math, vectorised sums, parallel and GPU reductions",
    remedy="fix the shape of sums: build without -ffast-math, use samebits' reductions",
)
