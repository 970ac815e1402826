"""Changes to the text of a simulation's source, as between two versions.

One constant or one operation, inside the functions that become kernels, or one constant that they
use.

Owns where the text can be changed and how. Whether the change does anything is not its business.
"""

from __future__ import annotations

import ast
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

CONSTANT, OPERATION = "changed-constant", "changed-operation"
_OPERATORS: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-",)), ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("+", "/")), ast.Div: ("/", ("*",)),
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">")), ast.LtE: ("<=", ("<",)),
    ast.Gt: (">", (">=", "<")), ast.GtE: (">=", (">",)),
}  # fmt: skip
_FACTORS = (1.001, 0.97, 2.0, 0.5, -1.0)


@dataclass(frozen=True)
class Edit:
    """The text from `column` to `end` of a line becomes `new`; columns count characters from 0.

    `places` are the line and column of what the change is in, or for a module's constant of all
    that uses it. `moved` lines of comment come above line `top`, so that what follows has other
    line numbers.
    """

    file: str
    hazard: str
    line: int
    column: int
    end: int
    old: str
    new: str
    places: tuple[tuple[int, int], ...]
    top: int
    moved: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.old!r} as {self.new!r}"


def edits(path: Path, hazard: str) -> tuple[Edit, ...]:
    """Every change of a kind that there is in the kernels of a file, lines not moved."""
    return tuple(edit for edit in _every(path) if edit.hazard == hazard)


def moved(edit: Edit, draws: Random) -> Edit:
    """The edit, half of the time with other line numbers behind it."""
    lines = draws.choice((0, draws.randint(1, 9)))
    return replace(edit, moved=lines)


def written(edit: Edit, original: Path, folder: Path) -> Path:
    """A copy of the file's folder with the edit in it; where the file lies there."""
    target = folder / original.parent.name
    ignored = shutil.ignore_patterns("replays", "__pycache__", "test_*")
    shutil.copytree(original.parent, target, ignore=ignored)
    file = target / original.name
    lines = file.read_text().split("\n")
    text = lines[edit.line - 1]
    assert text[edit.column : edit.end] == edit.old, (text, edit)
    lines[edit.line - 1] = text[: edit.column] + edit.new + text[edit.end :]
    above = ["# Changed."] * edit.moved
    lines[edit.top - 1 : edit.top - 1] = above
    file.write_text("\n".join(lines))
    return file


@cache
def _every(path: Path) -> tuple[Edit, ...]:
    text = path.read_text()
    return tuple(_Edits(path.name, text.split("\n")).of(ast.parse(text)))


class _Edits:
    def __init__(self, file: str, lines: list[str]) -> None:
        self._file = file
        self._lines = lines
        self._constants: set[str] = set()
        self._around: tuple[tuple[int, int], ...] = ()
        """Where the constant expression begins that the node is in: it is one constant to the
        compiler."""

    def _is_constant(self, node: ast.AST) -> bool:
        match node:
            case ast.Constant(value=value):
                return isinstance(value, float | int)
            case ast.Name(id=name):
                return name in self._constants
            case ast.BinOp(left=left, right=right):
                return self._is_constant(left) and self._is_constant(right)
            case ast.UnaryOp(operand=operand):
                return self._is_constant(operand)
            case _:
                return False

    def of(self, tree: ast.Module) -> Iterator[Edit]:
        kernels = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and any(map(_is_kernel, node.decorator_list))
        ]
        used: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for kernel in kernels:
            for node in ast.walk(kernel):
                if isinstance(node, ast.Name):
                    used[node.id].append((node.lineno, node.col_offset))
        self._constants = _constants(tree)
        for node in reversed(tree.body):  # a constant may be used through others, further down
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    for part in ast.walk(value):
                        if isinstance(part, ast.Name):
                            used[part.id] += used[name]
                case _:
                    pass
        for node in tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
                    if used[name]:
                        yield from self._constant(value, tuple(used[name]), node.lineno)
                case _:
                    pass
        for kernel in kernels:
            if any(isinstance(node, ast.While) for node in ast.walk(kernel)):
                continue  # it may not end
            top = min(decorator.lineno for decorator in kernel.decorator_list)
            for statement in kernel.body:
                yield from self._inside(statement, top)

    def _inside(self, node: ast.AST, top: int) -> Iterator[Edit]:
        match node:
            case ast.For(body=body):
                for statement in body:
                    yield from self._inside(statement, top)
                return
            case ast.Subscript(value=value):
                yield from self._inside(value, top)
                return
            case ast.BinOp() | ast.UnaryOp() if not self._around and self._is_constant(node):
                self._around = ((node.lineno, node.col_offset),)
                yield from self._inside(node, top)
                self._around = ()
                return
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                yield from self._operator(node, left, right, _OPERATORS[type(op)], top)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
                yield from self._operator(node, left, right, _COMPARISONS[type(op)], top)
            case ast.Constant():
                places = ((node.lineno, node.col_offset), *self._around)
                yield from self._constant(node, places, top)
            case _:
                pass
        for child in ast.iter_child_nodes(node):
            yield from self._inside(child, top)

    def _operator(
        self, node: ast.expr, left: ast.expr, right: ast.expr,
        names: tuple[str, tuple[str, ...]], top: int,
    ) -> Iterator[Edit]:  # fmt: skip
        old, others = names
        text = self._lines[node.lineno - 1]
        if left.end_lineno != right.lineno or node.lineno != right.lineno or not text.isascii():
            return
        end = left.end_col_offset
        assert end is not None
        between = text[end : right.col_offset]
        if between.count(old) != 1:
            return
        column = end + between.index(old)
        where = ((node.lineno, node.col_offset), *self._around)
        for new in others:
            yield Edit(
                self._file, OPERATION, node.lineno, column, column + len(old), old, new, where, top
            )

    def _constant(
        self, node: ast.Constant, places: tuple[tuple[int, int], ...], top: int
    ) -> Iterator[Edit]:
        text, end = self._lines[node.lineno - 1], node.end_col_offset
        if not isinstance(node.value, float) or not node.value or not text.isascii():
            return
        assert end is not None
        old = text[node.col_offset : end]
        for factor in _FACTORS:
            new = repr(node.value * factor)
            new = f"({new})" if factor < 0 else new
            yield Edit(
                self._file, CONSTANT, node.lineno, node.col_offset, end, old, new, places, top
            )


def _constants(tree: ast.Module) -> set[str]:
    """The module's names that are set once, and never inside a function."""
    bound = Counter(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    single = (node.targets for node in tree.body if isinstance(node, ast.Assign))
    return {
        t.id for targets in single for t in targets if isinstance(t, ast.Name) and bound[t.id] == 1
    }


def _is_kernel(decorator: ast.expr) -> bool:
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(call, ast.Attribute) and call.attr == "kernel"
