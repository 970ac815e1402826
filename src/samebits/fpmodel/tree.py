"""Expression trees: nodes, traversal, replacement, printing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, tee


@dataclass(frozen=True, slots=True)
class Operand:
    """A leaf: a named input value."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A leaf: a literal, rounded to the format when it is evaluated."""

    text: str
    steps: int = 0
    """ULPs by which the evaluated value is moved."""
    form: str = ""
    """The format that it is rounded to, if not the expression's."""


@dataclass(frozen=True, slots=True)
class Node:
    """An inner node: an operation; `detail` is a function's name (with its integer, as in
    `pown 3`), a count of ULPs or a rule."""

    name: str
    args: tuple[Tree, ...]
    detail: str = ""
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.name, self.args, self.detail)))

    def __hash__(self) -> int:
        return self._hash


Tree = Operand | Constant | Node

ONE = Constant("1")


def add(a: Tree, b: Tree) -> Node:
    return Node("add", (a, b))


def sub(a: Tree, b: Tree) -> Node:
    return Node("sub", (a, b))


def mul(a: Tree, b: Tree) -> Node:
    return Node("mul", (a, b))


def div(a: Tree, b: Tree) -> Node:
    return Node("div", (a, b))


def fma(a: Tree, b: Tree, c: Tree) -> Node:
    return Node("fma", (a, b, c))


def neg(a: Tree) -> Tree:
    """−a; of a negation, its argument."""
    return a.args[0] if isinstance(a, Node) and a.name == "neg" else Node("neg", (a,))


def nodes(tree: Tree) -> Iterator[Node]:
    """Every distinct operation, operands first."""
    seen: set[Node] = set()

    def walk(t: Tree) -> Iterator[Node]:
        if isinstance(t, Node) and t not in seen:
            seen.add(t)
            for arg in t.args:
                yield from walk(arg)
            yield t

    yield from walk(tree)


def count(tree: Tree) -> int:
    """The number of operations in the written expression."""
    return 1 + sum(map(count, tree.args)) if isinstance(tree, Node) else 0


def rebuilt(tree: Tree, change: Callable[[Tree], Tree | None]) -> Tree:
    """The tree with each node replaced for which `change` returns one, from the leaves up.

    `change` sees nodes with rebuilt arguments; the arguments of what it returns are not visited.
    """
    if isinstance(tree, Node):
        args = tuple(rebuilt(arg, change) for arg in tree.args)
        tree = tree if args == tree.args else Node(tree.name, args, tree.detail)
    answer = change(tree)
    return tree if answer is None else answer


def replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
    """The tree with every occurrence of a subtree replaced."""
    if tree == old:
        return new
    if isinstance(tree, Node):
        return Node(tree.name, tuple(replaced(arg, old, new) for arg in tree.args), tree.detail)
    return tree


class _Found:
    """A lazy list: keeps an iterator's items so that it can be traversed again."""

    def __init__(self, source: Iterator[Tree]) -> None:
        self._source = source

    def __iter__(self) -> Iterator[Tree]:
        self._source, items = tee(self._source)
        return items


def choices(tree: Tree, options: Callable[[Node], list[Tree]], limit: int) -> Iterator[Tree]:
    """Every tree in which each operation is kept or replaced by one of its options.

    The first is the tree itself; there are at most `limit`. `options` sees rebuilt arguments.
    """

    def walk(t: Tree) -> Iterable[Tree]:
        if not isinstance(t, Node):
            return (t,)
        return _Found(islice(made(t, [walk(arg) for arg in t.args]), limit))

    def made(t: Node, args: list[Iterable[Tree]]) -> Iterator[Tree]:
        seen: set[Tree] = set()
        for row in islice(_rows(args), limit):
            here = Node(t.name, row, t.detail)
            for variant in (here, *options(here)):
                if variant not in seen:
                    seen.add(variant)
                    yield variant

    yield from walk(tree)


def _rows(columns: list[Iterable[Tree]]) -> Iterator[tuple[Tree, ...]]:
    """The Cartesian product of the columns, the last one varying fastest."""
    if not columns:
        yield ()
        return
    for row in _rows(columns[:-1]):
        for each in columns[-1]:
            yield (*row, each)


_INFIX = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2)}
_CHOICES = {
    ("min", "lt"): "({0} < {1} ? {0} : {1})",
    ("min", "gt"): "({1} < {0} ? {1} : {0})",
    ("max", "lt"): "({0} > {1} ? {0} : {1})",
    ("max", "gt"): "({1} > {0} ? {1} : {0})",
    ("min", "number"): "fmin({0}, {1})",
    ("max", "number"): "fmax({0}, {1})",
}


def written(tree: Tree) -> str:
    """The expression in C's notation, with operations that C lacks as calls."""
    return _written(tree, 0)


def _written(tree: Tree, outer: int) -> str:
    match tree:
        case Operand(name):
            return name
        case Constant(text, steps, form):
            changed = f"{text}{steps:+d}ulp" if steps else text
            return f"{form}({changed})" if form else changed
        case Node(name, (left, right)) if name in _INFIX:
            symbol, level = _INFIX[name]
            text = f"{_written(left, level)} {symbol} {_written(right, level + 1)}"
            return f"({text})" if outer > level else text
        case Node("neg", (inner,)):
            return f"-{_written(inner, 3)}"
        case Node(name, (left, right), detail) if (name, detail) in _CHOICES:
            return _CHOICES[name, detail].format(_written(left, 3), _written(right, 3))
        case Node("ulps", (inner,), detail):
            return f"({_written(inner, 1)} {detail[0]} {detail[1:]} ulp)"
        case Node("call", args, detail) if " " in detail:
            function, integer = detail.split()
            return f"{function}({', '.join(map(written, args))}, {integer})"
        case Node("call" | "estimate" | "cast" | "convert", args, detail):
            return f"{detail}({', '.join(map(written, args))})"
        case Node(name, args, detail):
            shown = f"{name}[{detail}]" if detail else name
            return f"{shown}({', '.join(map(written, args))})"
