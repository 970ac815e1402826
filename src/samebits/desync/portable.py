"""Programs under machine-independent names of files and modules.

A span's file is relative to the folder of the simulation's own file, or named as the package that
it belongs to (`samebits/mathlib/...`), or by its last part. Two machines produce the same names,
wherever the files lie and however the simulation was loaded.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from samebits.desync.format import line_of
from samebits.errors import Span
from samebits.ir.grammar import CALLS, Function, Module, Op, Region, Statement
from samebits.ir.rewrite import map_region
from samebits.sim.outcome import TrapFact
from samebits.sim.simulation import Simulation

_LIBRARY = Path(__file__).resolve().parents[1]
_PATH = re.compile(r"(?:(?<![A-Za-z0-9])[A-Za-z]:)?[^,;=@:]*[/\\](?P<last>[^,;=@:/\\]*)")
"""A path in the text of a side; it may contain blanks."""
_INSTALLED = {"site-packages", "dist-packages"}
"""Folders whose packages are named by package, even inside the simulation's folder."""
_REPEATED = re.compile(r"#[0-9]+\Z")


class PortableNames:
    """The portable names of a simulation's files, modules and functions."""

    def __init__(self, simulation: Simulation) -> None:
        self._folder = Path(_file_of(simulation)).parent
        self._files: dict[str, str] = {}
        self._modules: dict[str, str] = {}
        self._functions: dict[str, str] = {}
        self._taken: set[str] = set()

    def file(self, file: str) -> str:
        """The portable name of the source file at a path."""
        found = self._files.get(file)
        if found is None:
            found = self._files[file] = self._portable(file)
        return found

    def function(self, name: str) -> str:
        """The portable name of an IR function, whose own name begins with its module's.

        The number that a process appends to the name of a kernel loaded twice is dropped if the
        name remains unique among the functions named so far.
        """
        found = self._functions.get(name)
        if found is None:
            new = self._named(name)
            plain = _REPEATED.sub("", new)
            found = new if plain in self._taken else plain
            while found in self._taken:
                found += "'"
            self._taken.add(found)
            self._functions[name] = found
        return found

    def _named(self, name: str) -> str:
        module = _module_in(name)
        if module is None:
            return without_paths(name)
        return self._module(module) + name[len(module) :]

    def span(self, span: Span) -> Span:
        return replace(span, file=self.file(span.file))

    def trap(self, trap: TrapFact) -> TrapFact:
        """A trap with its place under portable names, as contents hold it."""
        file, *rest = trap.place.rsplit(":", 2)
        place = ":".join([self.file(file), *rest]) if file else trap.place
        return TrapFact(trap.kind, line_of(trap.message), line_of(place))

    def local(self, file: str) -> str | None:
        """The path on this machine of a file with this portable name; None if it is not here."""
        near = self._folder / file
        library = _LIBRARY.parent / file
        for path in (near, library):
            if _is_plain(file) and path.is_file():
                return str(path)
        return None

    def _portable(self, file: str) -> str:
        path = Path(file)
        if path.is_relative_to(_LIBRARY):
            return path.relative_to(_LIBRARY.parent).as_posix()
        if path.is_absolute() and path.is_relative_to(self._folder):
            near = path.relative_to(self._folder)
            if not _INSTALLED.intersection(near.parts):
                return near.as_posix()
        package = _packages(len(sys.modules)).get(file)
        return package or re.split(r"[/\\]", file)[-1]

    def _module(self, name: str) -> str:
        found = self._modules.get(name)
        if found is None:
            file = getattr(sys.modules[name], "__file__", None)
            found = self.file(file).removesuffix(".py") if file else without_paths(name)
            found = found.removesuffix("/__init__").replace("/", ".")
            self._modules[name] = found
        return found


def portable(module: Module, names: PortableNames) -> Module:
    """An equal module under portable names. Ops and statements keep their ids."""
    found = {name: names.function(name) for name in module.functions}
    functions = {
        found[name]: _function(function, found, names)
        for name, function in module.functions.items()
    }
    return Module(functions, module.tables)


def without_paths(text: str) -> str:
    """`text` with each path cut to its last part."""
    return _PATH.sub(lambda match: match["last"], text)


def _function(function: Function, found: dict[str, str], names: PortableNames) -> Function:
    def renamed(statement: Statement) -> Region:
        if isinstance(statement, Op) and statement.opcode in CALLS:
            statement = replace(statement, attr=found[str(statement.attr)])
        return [replace(statement, span=names.span(statement.span))]

    return replace(
        function,
        name=found[function.name],
        body=map_region(function.body, renamed),
        span=names.span(function.span),
    )


def _file_of(simulation: Simulation) -> str:
    return simulation.step.function.__code__.co_filename


def _module_in(name: str) -> str | None:
    """The longest name of a loaded module that is a prefix of `name`."""
    parts = name.split(".")
    heads = (".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    return next((head for head in heads if head in sys.modules), None)


@lru_cache(maxsize=1)
def _packages(loaded: int) -> dict[str, str]:
    """Files of modules inside packages, named by package; `loaded` keys the cache."""
    found: dict[str, str] = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        parts = name.split(".")
        if not isinstance(file, str) or not all(part.isidentifier() for part in parts):
            continue
        path = Path(file)
        if path.name == "__init__.py":
            found[file] = "/".join([*parts, path.name])
        elif len(parts) > 1 and path.stem == parts[-1]:
            found[file] = "/".join([*parts[:-1], path.name])
    return found


def _is_plain(file: str) -> bool:
    return not Path(file).is_absolute() and ".." not in Path(file).parts
