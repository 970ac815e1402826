"""The reach of a simulation: the statements of its project that its results can depend on.

From the simulation's name on: what a name is bound to, filled with or decorated by at module level,
what that mentions, and so on through functions, classes and imports of the project's own files.
What a kernel mentions counts, so that the code that makes its tables is found. Nothing is run.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from samebits.errors import ArgumentError
from samebits.lang.signal_safe import without_warnings
from samebits.lint.check import CheckedFile
from samebits.lint.files import check_file, read_text
from samebits.lint.rule import Confidence, LintRule
from samebits.lint.rules import RULES

_EVERYTHING = "*"


@dataclass(eq=False)
class _Module:
    """A file's statements, by the names that they bind or fill."""

    path: str
    folder: str
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict[str, list[ast.stmt]])
    imports: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Names that imports bind: the file, and the name in it, empty for the module itself."""
    brought: set[str] = field(default_factory=set[str])
    """All names that imports bind, other projects' too."""
    starred: list[str] = field(default_factory=list[str])
    """Files of `from … import *`."""


Lines = list[tuple[int, int]]
"""First and last lines of statements, from 1."""


def reached(path: str, name: str) -> dict[str, Lines]:
    """The lines that simulation `name` of a file can reach, by file, in the order in which they
    were reached. Raises ArgumentError where the file cannot be read or has no such name."""
    search = _Reach()
    module = search.module(path)
    if module is None:
        raise ArgumentError(f"{path} cannot be read as Python", fix="check the file")
    if name not in module.statements and name not in module.imports:
        bound = sorted(n for n in module.statements if n.isupper()) or sorted(module.statements)
        raise ArgumentError(
            f"{path} binds no name {name!r} at module level",
            note=f"it binds {', '.join(bound[:8])}" if bound else None,
            fix=f"write {path}:NAME with the name of a simulation",
        )
    search.follow(module, name)
    return search.lines


def check_reached(
    path: str,
    name: str,
    rules: Sequence[LintRule] = RULES,
    least: Confidence = Confidence.LOW,
) -> Iterator[CheckedFile]:
    """Check what simulation `name` of a file can reach, file by file. Raises as `reached` does."""
    for file, lines in reached(path, name).items():
        checked = check_file(file, rules, least)
        inside = [f for f in checked.findings if any(a <= f.line <= b for a, b in lines)]
        yield replace(checked, findings=inside)


class _Reach:
    def __init__(self) -> None:
        self.lines: dict[str, Lines] = {}
        self._modules: dict[str, _Module | None] = {}
        self._seen: set[tuple[str, str]] = set()
        self._taken: set[int] = set()

    def module(self, path: str) -> _Module | None:
        real = os.path.realpath(path)
        if real not in self._modules:
            self._modules[real] = _parsed(path)
        return self._modules[real]

    def follow(self, module: _Module, name: str) -> None:
        """Take what a name of a module is, and all that this mentions."""
        waiting = [(module, name)]
        while waiting:
            module, name = waiting.pop()
            if (module.path, name) in self._seen:
                continue
            self._seen.add((module.path, name))
            names = list(module.statements) if name == _EVERYTHING else [name]
            for each in names:
                for statement in module.statements.get(each, ()):
                    waiting += self._mentioned(module, statement)
            waiting += self._imported(module, name)

    def _imported(self, module: _Module, name: str) -> Iterator[tuple[_Module, str]]:
        found = [module.imports[name]] if name in module.imports else []
        if not found and name not in module.statements:
            found = [(path, name) for path in module.starred]
        for path, inner in found:
            other = self.module(path)
            if other is not None:
                yield other, inner or _EVERYTHING

    def _mentioned(self, module: _Module, statement: ast.stmt) -> list[tuple[_Module, str]]:
        if id(statement) in self._taken:
            return []
        self._taken.add(id(statement))
        first = min([statement.lineno, *(d.lineno for d in _decorators(statement))])
        lines = first, statement.end_lineno or statement.lineno
        self.lines.setdefault(module.path, []).append(lines)
        found: list[tuple[_Module, str]] = []
        whole: set[int] = set()
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                path, inner = module.imports.get(node.value.id, ("", ""))
                other = self.module(path) if path and not inner else None
                if other is not None:  # one name of a module that was imported as a whole
                    found.append((other, node.attr))
                    whole.add(id(node.value))
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and id(node) not in whole:
                found.append((module, node.id))
        return found


def _decorators(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement.decorator_list
    return []


def _parsed(path: str) -> _Module | None:
    text = read_text(path)
    if text.error is not None:
        return None
    try:
        with without_warnings():
            tree = ast.parse(text.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    module = _Module(path, os.path.dirname(path))
    _take(module, tree.body)
    return module


def _take(module: _Module, statements: list[ast.stmt]) -> None:
    for statement in statements:
        match statement:
            case ast.Import() | ast.ImportFrom():
                _import(module, statement)
            case ast.If() if _is_main(statement):
                continue
            case ast.If() | ast.Try() | ast.With():
                for name in ("body", "orelse", "finalbody"):
                    _take(module, getattr(statement, name, []))
                for handler in getattr(statement, "handlers", []):
                    _take(module, handler.body)
            case _:
                for name in set(_bound(statement)) - module.brought:
                    module.statements.setdefault(name, []).append(statement)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module binds or fills."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                yield node.id
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                yield from _root(node)
            case ast.Call(func=ast.Attribute(value=value)):
                yield from _root(value)
            case _:
                pass


def _root(node: ast.expr) -> Iterator[str]:
    """The name in front of attributes and indices."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _is_main(statement: ast.If) -> bool:
    test = statement.test
    return isinstance(test, ast.Compare) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test)
    )


def _import(module: _Module, statement: ast.Import | ast.ImportFrom) -> None:
    names = [alias.asname or alias.name.split(".")[0] for alias in statement.names]
    module.brought.update(names)
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            path = _file(module.folder, alias.name.split(".") if alias.asname else [
                alias.name.split(".")[0]
            ])  # fmt: skip
            if path is not None:
                module.imports[alias.asname or alias.name.split(".")[0]] = path, ""
        return
    folder = module.folder
    for _ in range(max(0, statement.level - 1)):
        folder = os.path.dirname(folder)
    parts = statement.module.split(".") if statement.module else []
    source = _file(folder, parts) if parts else _package(folder)
    for alias in statement.names:
        if alias.name == "*":
            module.starred += [source] if source is not None else []
            continue
        inner = _file(folder, [*parts, alias.name])
        if inner is not None:
            module.imports[alias.asname or alias.name] = inner, ""
        elif source is not None:
            module.imports[alias.asname or alias.name] = source, alias.name


def _file(folder: str, parts: list[str]) -> str | None:
    """The file of a module, looked for beside the importing file and in the folders above it."""
    while True:
        base = os.path.join(folder, *parts)
        for path in (f"{base}.py", os.path.join(base, "__init__.py")):
            if os.path.isfile(path):
                return path
        above = os.path.dirname(folder)
        if above == folder or not os.path.isfile(os.path.join(folder, "__init__.py")):
            return None
        folder = above


def _package(folder: str) -> str | None:
    path = os.path.join(folder, "__init__.py")
    return path if os.path.isfile(path) else None
