"""Edits of a source text as somebody makes them: lines exchanged by others, of twelve kinds.

Owns the texts alone, which are changed by lines and columns. Whether an edit compiles or changes a
bit is not its business.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Hunk:
    """Lines `first` up to, not including, `end`, counted from 1, become `new`."""

    first: int
    end: int
    new: tuple[str, ...]


@dataclass(frozen=True)
class Edit:
    """One edit of a file. `lines` are those of the first version that it is about: lines that are
    moved over each other, or that are repeated, besides those it changes."""

    kind: str
    file: str
    hunks: tuple[Hunk, ...]
    lines: frozenset[int]


def applied(text: str, edits: Sequence[Edit]) -> tuple[str, dict[int, int]]:
    """The text with edits of it, and of each line of it that edits are about, the number of one."""
    lines, made, of = text.split("\n"), list[str](), dict[int, int]()
    about = {line: n for n, edit in enumerate(edits) for line in edit.lines}
    hunks = sorted(
        ((hunk, n) for n, edit in enumerate(edits) for hunk in edit.hunks),
        key=lambda pair: (pair[0].first, pair[0].end),
    )
    end = Hunk(len(lines) + 1, len(lines) + 1, ())
    at = 1
    for hunk, number in [*hunks, (end, -1)]:
        for line in range(at, hunk.first):
            made.append(lines[line - 1])
            if line in about:
                of[len(made)] = about[line]
        for new in hunk.new:
            made.append(new)
            of[len(made)] = number
        at = max(at, hunk.end)
    return "\n".join(made), of


@dataclass(frozen=True, eq=False)
class Place:
    """A statement of a kernel: the block that it is in, and where it stands there."""

    function: ast.FunctionDef
    block: Sequence[ast.stmt]
    index: int

    @property
    def statement(self) -> ast.stmt:
        return self.block[self.index]


def last(node: ast.AST) -> int:
    """The line after a node."""
    return int(getattr(node, "end_lineno", 0)) + 1


def indent(node: ast.AST) -> str:
    return " " * int(getattr(node, "col_offset", 0))


@dataclass(frozen=True, eq=False)
class Text:
    """A file that edits are drawn for."""

    file: str
    text: str

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def kernels(self) -> list[ast.FunctionDef]:
        """Kernels whose loops end, whatever is changed in them."""
        found = [
            node
            for node in ast.walk(self.tree())
            if isinstance(node, ast.FunctionDef) and any("kernel" in ast.unparse(d)
                                                         for d in node.decorator_list)
        ]  # fmt: skip
        return [k for k in found if not any(isinstance(n, ast.While) for n in ast.walk(k))]

    def places(self, draws: Random) -> Iterator[Place]:
        """Statements of kernels, in a drawn order."""
        found = [place for kernel in self.kernels() for place in _places(kernel, kernel.body)]
        draws.shuffle(found)
        return iter(found)

    def exchanged(self, node: ast.AST, new: str) -> Hunk | None:
        """The line of an expression with another one; None where it has several."""
        line, end = int(getattr(node, "lineno", 0)), last(node) - 1
        text = self.lines[line - 1]
        if line != end or not text.isascii():
            return None
        start, stop = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        return Hunk(line, line + 1, (text[:start] + new + text[stop:],))

    def edit(self, kind: str, hunks: Sequence[Hunk | None], *more: int) -> Edit | None:
        made = tuple(hunk for hunk in hunks if hunk is not None)
        if len(made) != len(hunks):
            return None
        lines = {n for hunk in made for n in range(hunk.first, hunk.end)}
        return Edit(kind, self.file, made, frozenset(lines | {*more}))

    def block(self, statement: ast.stmt) -> tuple[str, ...]:
        """A statement's lines."""
        return tuple(self.lines[statement.lineno - 1 : last(statement) - 1])


def _places(function: ast.FunctionDef, block: Sequence[ast.stmt]) -> Iterator[Place]:
    starts = [s.lineno for s in block]
    if len({*starts}) == len(starts) and not any(
        isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) for s in block[1:]
    ):
        for index, statement in enumerate(block):
            is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not is_text and not isinstance(statement, ast.Return | ast.Pass):
                yield Place(function, block, index)
    for statement in block:
        for name in ("body", "orelse"):
            inner: list[ast.stmt] = getattr(statement, name, [])
            if inner and inner[0].lineno > statement.lineno:
                yield from _places(function, inner)


Maker = Callable[[Text, Random], Edit | None]
_OPERATORS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",), ast.Sub: ("+",), ast.Mult: ("+", "/"), ast.Div: ("*",),
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">"), ast.LtE: ("<",), ast.Gt: (">=", "<"), ast.GtE: (">",),
    ast.Eq: ("!=",), ast.NotEq: ("==",),
}  # fmt: skip


def _inside(text: Text, draws: Random, kind: type[ast.AST]) -> Iterator[ast.AST]:
    """Nodes of a kind in statements of kernels, in a drawn order."""
    for place in text.places(draws):
        if isinstance(place.statement, ast.For | ast.If):
            continue
        nodes = [node for node in ast.walk(place.statement) if isinstance(node, kind)]
        if nodes:
            yield draws.choice(nodes)


def _other_number(value: object, draws: Random) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value:
        return None
    if isinstance(value, int):
        return str(value + draws.choice((-1, 1)))
    return repr(value * draws.choice((1.001, 0.97, 2.0, 0.5)))


def constant(text: Text, draws: Random) -> Edit | None:
    """Another number in a kernel."""
    for node in _inside(text, draws, ast.Constant):
        new = _other_number(getattr(node, "value", None), draws)
        if new is not None:
            return text.edit("constant", [text.exchanged(node, new)])
    return None


def module_constant(text: Text, draws: Random) -> Edit | None:
    """Another number in a constant of the module."""
    found = [
        node.value
        for node in text.tree().body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
    ]
    draws.shuffle(found)
    for node in found:
        if isinstance(node.value, float):
            return text.edit(
                "module constant", [text.exchanged(node, _other_number(node.value, draws) or "")]
            )
    return None


def operator(text: Text, draws: Random) -> Edit | None:
    """Another operator."""
    for node in _inside(text, draws, ast.BinOp):
        assert isinstance(node, ast.BinOp)
        others = _OPERATORS.get(type(node.op))
        if others is not None:
            new = f"({ast.unparse(node.left)}) {draws.choice(others)} ({ast.unparse(node.right)})"
            return text.edit("operator", [text.exchanged(node, new)])
    return None


def comparison(text: Text, draws: Random) -> Edit | None:
    """Another comparison, of a condition or in an expression."""
    for place in text.places(draws):
        s = place.statement
        root = s.test if isinstance(s, ast.If) else s if isinstance(s, ast.Assign) else None
        nodes = [n for n in ast.walk(root) if isinstance(n, ast.Compare)] if root else []
        for node in nodes:
            others = _COMPARISONS.get(type(node.ops[0]))
            if others is not None and len(node.ops) == 1:
                right = ast.unparse(node.comparators[0])
                new = f"{ast.unparse(node.left)} {draws.choice(others)} {right}"
                return text.edit("comparison", [text.exchanged(node, new)])
    return None


def moved(text: Text, draws: Random) -> Edit | None:
    """A statement further down in its block."""
    for place in text.places(draws):
        most = len(place.block) - 1 - place.index
        if most < 1 or (isinstance(place.block[-1], ast.Return) and most < 2):
            continue
        step = draws.randint(1, min(4, most - isinstance(place.block[-1], ast.Return)))
        s, behind = place.statement, last(place.block[place.index + step])
        region = range(s.lineno, behind)
        hunks = [Hunk(s.lineno, last(s), ()), Hunk(behind, behind, text.block(s))]
        return text.edit("moved", hunks, *region)
    return None


def removed(text: Text, draws: Random) -> Edit | None:
    """A statement left out."""
    for place in text.places(draws):
        if len(place.block) > 1:
            s = place.statement
            return text.edit("removed", [Hunk(s.lineno, last(s), ())])
    return None


def repeated(text: Text, draws: Random) -> Edit | None:
    """A statement done twice."""
    for place in text.places(draws):
        s = place.statement
        if isinstance(s, ast.AugAssign | ast.Expr):
            behind = last(s)
            return text.edit("repeated", [Hunk(behind, behind, text.block(s))],
                             *range(s.lineno, behind))  # fmt: skip
    return None


def added(text: Text, draws: Random) -> Edit | None:
    """A new statement, which scales what the one before it set."""
    for place in text.places(draws):
        s = place.statement
        if isinstance(s, ast.Assign | ast.AugAssign):
            target = s.target if isinstance(s, ast.AugAssign) else s.targets[0]
            behind, name = last(s), ast.unparse(target)
            line = f"{indent(s)}{name} = {name} * {draws.choice(('0.999', '1.5', '2'))}"
            return text.edit("added", [Hunk(behind, behind, (line,))])
    return None


def guarded(text: Text, draws: Random) -> Edit | None:
    """A statement done under a condition alone."""
    for place in text.places(draws):
        s = place.statement
        if isinstance(s, ast.AugAssign):
            head = f"{indent(s)}if {ast.unparse(s.target)} > {draws.choice(('0', '1', '3'))}:"
            lines = [f"    {line}" for line in text.block(s)]
            return text.edit("guarded", [Hunk(s.lineno, last(s), (head, *lines))])
    return None


def new_function(text: Text, draws: Random) -> Edit | None:
    """A new function, and its call."""
    for place in text.places(draws):
        s, f = place.statement, place.function
        if isinstance(s, ast.Assign | ast.AugAssign):
            call = text.exchanged(s.value, f"nudged({ast.unparse(s.value)})")
            above = min(f.lineno, *(d.lineno for d in f.decorator_list))
            t = draws.choice(("float32", "float64"))
            factor = draws.choice(("1.0009765625", "1.0"))
            lines = ("@sb.kernel", f"def nudged(x: sb.{t}) -> sb.{t}:", f"    return x * {factor}",
                     "", "")  # fmt: skip
            return text.edit("new function", [Hunk(above, above, lines), call])
    return None


def renamed(text: Text, draws: Random) -> Edit | None:
    """A local variable called otherwise, wherever it stands."""
    for place in text.places(draws):
        s = place.statement
        if not isinstance(s, ast.Assign) or not isinstance(s.targets[0], ast.Name):
            continue
        name, new = s.targets[0].id, f"{s.targets[0].id}_now"
        uses = [n for n in ast.walk(place.function) if isinstance(n, ast.Name) and n.id == name]
        lines = {n.lineno: text.lines[n.lineno - 1] for n in uses}
        if not all(line.isascii() for line in lines.values()):
            continue
        for n in sorted(uses, key=lambda n: -n.col_offset):
            line = lines[n.lineno]
            lines[n.lineno] = line[: n.col_offset] + new + line[n.end_col_offset :]
        return text.edit("renamed", [Hunk(k, k + 1, (line,)) for k, line in sorted(lines.items())])
    return None


def named_part(text: Text, draws: Random) -> Edit | None:
    """An expression given a name of its own first."""
    for place in text.places(draws):
        s = place.statement
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp):
            names = " = ".join(map(ast.unparse, s.targets))
            lines = (f"{indent(s)}whole = {ast.unparse(s.value)}", f"{indent(s)}{names} = whole")
            return text.edit("named part", [Hunk(s.lineno, last(s), lines)])
    return None


KINDS: dict[str, Maker] = {
    "constant": constant, "module constant": module_constant, "operator": operator,
    "comparison": comparison, "moved": moved, "removed": removed, "repeated": repeated,
    "added": added, "guarded": guarded, "new function": new_function, "renamed": renamed,
    "named part": named_part,
}  # fmt: skip
"""The twelve kinds."""
HARMLESS = ("renamed", "named part")
"""Those that mean to change nothing."""
