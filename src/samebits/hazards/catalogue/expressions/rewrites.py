"""Rewrites upon rewrites of an expression, as -ffast-math combines them: the fewest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from samebits.fpmodel.tree import ONE, Constant, Node, Tree, add, div, mul, neg, sub

_ZERO = Constant("0")

Rule = Callable[[Node], list[Tree]]


def _summed(node: Node) -> list[Tree]:
    """Sums and differences of three terms in another order."""
    match node:
        case Node("add", (Node("add", (a, b)), c)):
            return [add(a, add(b, c)), add(add(a, c), b)]
        case Node("add", (Node("sub", (a, b)), c)):
            return [sub(a, sub(b, c)), sub(add(a, c), b), add(a, sub(c, b))]
        case Node("add", (a, Node("add", (b, c)))):
            return [add(add(a, b), c), add(add(a, c), b)]
        case Node("add", (a, Node("sub", (b, c)))):
            return [sub(add(a, b), c), add(sub(a, c), b)]
        case Node("sub", (Node("add", (a, b)), c)):
            return [add(a, sub(b, c)), add(sub(a, c), b)]
        case Node("sub", (Node("sub", (a, b)), c)):
            return [sub(a, add(b, c)), sub(sub(a, c), b)]
        case Node("sub", (a, Node("add", (b, c)))):
            return [sub(sub(a, b), c), sub(sub(a, c), b)]
        case Node("sub", (a, Node("sub", (b, c)))):
            return [add(sub(a, b), c), sub(add(a, c), b)]
        case Node("add" | "sub" as name, (a, Node("neg", (b,)))):
            return [Node("sub" if name == "add" else "add", (a, b))]
        case _:
            return []


def _multiplied(node: Node) -> list[Tree]:
    """Products and quotients of three factors in another order."""
    match node:
        case Node("mul", (Node("mul", (a, b)), c)):
            return [mul(a, mul(b, c)), mul(mul(a, c), b)]
        case Node("mul", (a, Node("mul", (b, c)))):
            return [mul(mul(a, b), c), mul(mul(a, c), b)]
        case Node("mul", (Node("div", (a, b)), c)):
            return [div(mul(a, c), b), mul(a, div(c, b))]
        case Node("mul", (a, Node("div", (b, c)))):
            return [div(mul(a, b), c), mul(div(a, c), b)]
        case Node("div", (Node("mul", (a, b)), c)):
            return [mul(a, div(b, c)), mul(div(a, c), b)]
        case Node("div", (Node("div", (a, b)), c)):
            return [div(a, mul(b, c)), div(div(a, c), b)]
        case Node("div", (a, Node("div", (b, c)))):
            return [mul(div(a, b), c), div(mul(a, c), b), mul(a, div(c, b))]
        case _:
            return []


def _factored(node: Node) -> list[Tree]:
    """Common factors and divisors taken out."""
    match node:
        case Node("add" | "sub" as name, (Node("mul", left), Node("mul", right))):
            return [
                mul(left[i], Node(name, (left[1 - i], right[1 - j])))
                for i in (0, 1)
                for j in (0, 1)
                if left[i] == right[j]
            ]
        case Node("add" | "sub" as name, (Node("div", (a, c)), Node("div", (b, d)))) if c == d:
            return [div(Node(name, (a, b)), c)]
        case Node("add" | "sub" as name, (Node("mul", (a, b)), c)) if c in (a, b):
            return [mul(c, Node(name, (b if c == a else a, ONE)))]
        case Node("add" | "sub" as name, (a, Node("mul", (b, c)))) if a in (b, c):
            return [mul(a, Node(name, (ONE, c if a == b else b)))]
        case Node("add", (a, b)) if a == b:
            return [mul(Constant("2"), a)]
        case _:
            return []


def _inverted(node: Node) -> list[Tree]:
    """Divisions as products with a reciprocal."""
    match node:
        case Node("div", (a, b)) if a != ONE:
            return [mul(a, div(ONE, b))]
        case Node("mul", (Node("div", (a, b)), Node("div", (c, d)))) if a == c == ONE:
            return [div(ONE, mul(b, d))]
        case _:
            return []


def _cancelled(node: Node) -> list[Tree]:
    match node:
        case Node("div", (a, b)) if a == b:
            return [ONE]
        case Node("sub", (a, b)) if a == b:
            return [_ZERO]
        case Node("add", (Node("sub", (a, b)), c)) if b == c:
            return [a]
        case Node("sub", (Node("add", (a, b)), c)) if c in (a, b):
            return [b if a == c else a]
        case Node("mul", (Node("div", (a, b)), c)) if b == c:
            return [a]
        case Node("div", (Node("mul", (a, b)), c)) if c in (a, b):
            return [b if a == c else a]
        case Node("div", (Node("mul", (a, b)), Node("mul", (c, d)))) if a in (c, d):
            return [div(b, d if a == c else c)]
        case Node("div", (Node("mul", (a, b)), Node("mul", (c, d)))) if b in (c, d):
            return [div(a, d if b == c else c)]
        case Node("mul", (a, b)) if ONE in (a, b):
            return [b if a == ONE else a]
        case Node("add", (a, b)) if _ZERO in (a, b):
            return [b if a == _ZERO else a]
        case _:
            return []


def _of_roots(node: Node) -> list[Tree]:
    match node:
        case Node("mul", (Node("sqrt", (a,)), Node("sqrt", (b,)))):
            return [a if a == b else Node("sqrt", (mul(a, b),))]
        case Node("div", (Node("sqrt", (a,)), Node("sqrt", (b,)))):
            return [Node("sqrt", (div(a, b),))]
        case Node("div", (a, Node("sqrt", (b,)))) if a == b:
            return [Node("sqrt", (a,))]
        case Node("sqrt", (Node("mul", (a, b)),)) if a == b:
            return [Node("abs", (a,))]
        case Node("neg", (Node("sub", (a, b)),)):
            return [sub(b, a)]
        case Node("mul", (Node("neg", (a,)), b)):
            return [neg(mul(a, b))]
        case _:
            return []


RULES: tuple[Rule, ...] = (_cancelled, _factored, _of_roots, _multiplied, _summed, _inverted)


def rewritten(tree: Tree, most: int) -> Iterator[Tree]:
    """Every tree that the rules make of a tree, one at one operation at a time, at most `most` of
    them; the tree itself is not among them."""
    seen: set[Tree] = {tree}
    ring = [tree]
    while ring:
        made: list[Tree] = []
        for each in ring:
            for other in _steps(each):
                if other not in seen:
                    seen.add(other)
                    made.append(other)
                    yield other
                    if len(seen) > most:
                        return
        ring = made


def _steps(tree: Tree) -> Iterator[Tree]:
    """The trees that one rule at one operation makes."""
    if not isinstance(tree, Node):
        return
    for rule in RULES:
        yield from rule(tree)
    for place, arg in enumerate(tree.args):
        for other in _steps(arg):
            yield Node(tree.name, (*tree.args[:place], other, *tree.args[place + 1 :]), tree.detail)
