"""Two versions of a simulation's files, and programs between them: the first with some edits made.

Owns which files belong to a version, and where a program between them is written. The files of the
first version are never changed.
"""

from __future__ import annotations

import ast
import itertools
import os
import shutil
import sys
import tokenize
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from samebits.diagnosis.edits.alike import listed
from samebits.diagnosis.edits.edit import Edit
from samebits.diagnosis.edits.endless import ended
from samebits.diagnosis.edits.merge import Merge, Numbers, Text
from samebits.diagnosis.edits.merged import Part
from samebits.diagnosis.edits.names import Renaming, renamings
from samebits.diagnosis.report.findings import Place
from samebits.errors import SideError
from samebits.sides.other_source import load_version
from samebits.sides.side import Side
from samebits.sim.simulation import Simulation


@dataclass(frozen=True, eq=False)
class Source:
    """The file that a version's simulation is in, and its name there, if that was given."""

    file: Path
    name: str = ""

    @classmethod
    def of(cls, side: Side) -> Source | None:
        """The source of a side; None where that is no file."""
        spec = side.spec.source
        if spec is None:
            file = _file_of(side.simulation)
            return None if file is None else cls(*file)
        place, _, name = spec.rpartition(":")
        if not place or not name.isidentifier():
            place, name = spec, ""
        path = Path(os.path.realpath(place))
        return cls(path, name) if path.suffix == ".py" and path.is_file() else None


def _file_of(simulation: Simulation) -> tuple[Path, str] | None:
    """The file that defines a simulation, or else its step."""
    for module in [*sys.modules.values()]:
        names = [k for k, v in vars(module).items() if v is simulation]
        file = getattr(module, "__file__", None)
        if names and file and file.endswith(".py"):
            several = sum(isinstance(v, Simulation) for v in vars(module).values()) > 1
            return Path(os.path.realpath(file)), names[0] if several else ""
    path = Path(os.path.realpath(simulation.step.function.__code__.co_filename))
    return (path, "") if path.suffix == ".py" and path.is_file() else None


@dataclass(frozen=True, eq=False)
class _File:
    """A file that differs, by its name in the first version's folder."""

    name: str
    part: Part
    renamings: dict[int, Renaming]

    def text(self, chosen: Collection[int]) -> str:
        tree = self.part.build(chosen)
        for edit, renaming in reversed(self.renamings.items()):
            if edit in chosen:
                tree = renaming.applied(tree)
        return ast.unparse(ast.fix_missing_locations(ended(tree))) + "\n"


@dataclass(eq=False)
class Versions:
    """Both versions; programs between them are written into `folder`."""

    a: Source
    b: Source
    folder: Path
    edits: tuple[Edit, ...] = ()
    _files: list[_File] = field(default_factory=list[_File])
    _together: dict[int, int] = field(default_factory=dict[int, int])
    _made: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        numbers, found = Numbers(), list[Edit]()
        names = _imported(self.a.file)
        if self.a.file.parent != self.b.file.parent:
            names &= _imported(self.b.file)
        else:  # what both import is the same file
            names = set[str]()
        for name, mine, theirs in [
            (self.a.file.name, self.a.file, self.b.file),
            *((n, self.a.file.parent / n, self.b.file.parent / n) for n in sorted(names)),
        ]:
            texts = [read(path) for path in (mine, theirs)]
            trees = [_without_texts(ast.parse(text)) for text in texts]
            if ast.dump(trees[0]) == ast.dump(trees[1]):
                continue
            changed, theirs_by_mine = renamings(*trees)
            sources = [Text.of(str(p), t) for p, t in zip((mine, theirs), texts, strict=True)]
            merge = Merge(sources[0], sources[1], numbers)
            part = merge.modules(trees[0], theirs_by_mine)
            renamed = {next(numbers.edits): each for each in changed}
            for number, each in renamed.items():
                merge.edits.append(Edit(
                    number, next(numbers.sites), "renamed", each.scope,
                    _defined(trees[0], sources[0], each.old, each.scope),
                    _defined(trees[1], sources[1], each.new, each.scope), each.old, each.new,
                ))  # fmt: skip
            found += merge.edits
            self._together |= merge.together
            self._files.append(_File(name, part, renamed))
        self.edits = tuple(found)

    def load(self, chosen: Collection[int], beside: Simulation) -> Simulation:
        """The first version with these edits. Raises SamebitsError where that does not compile."""
        with_moves = {*chosen} | {self._together[n] for n in chosen if n in self._together}
        changed = {Path(f.name): f.text(with_moves) for f in self._files}
        target = self.folder / str(next(self._made)) / self.a.file.parent.name
        if not self.a.file.parent.name:
            raise SideError("a simulation in the root folder has no versions")
        _beside(self.a.file.parent, target, changed)
        if self.b.file.parent != self.a.file.parent:
            _linked(self.b.file.parent, target)  # modules that are new
        name = f":{self.a.name}" if self.a.name else ""
        return load_version(f"{target / self.a.file.name}{name}", beside, any_state=True)

    def close(self) -> None:
        """Remove what was written."""
        shutil.rmtree(self.folder, ignore_errors=True)


def read(file: Path) -> str:
    """A source file's text, in the encoding that it names."""
    with tokenize.open(file) as opened:
        return opened.read()


def _beside(original: Path, target: Path, changed: dict[Path, str]) -> None:
    """Write a folder like `original` with some files changed; all else is linked."""
    target.mkdir(parents=True)
    inside: dict[str, dict[Path, str]] = {}
    for path, text in changed.items():
        head, *rest = path.parts
        if rest:
            inside.setdefault(head, {})[Path(*rest)] = text
        else:
            (target / head).write_text(text, encoding="utf-8")
    for head, some in inside.items():
        _beside(original / head, target / head, some)
    _linked(original, target)


def _linked(original: Path, target: Path) -> None:
    """Whatever else lies in a folder. Modules are copied: they are told apart by where they lie."""
    for entry in original.iterdir():
        link = target / entry.name
        if entry.name == "__pycache__" or link.exists():
            continue
        if entry.suffix == ".py":
            shutil.copyfile(entry, link)
        else:
            link.symlink_to(entry.resolve())


def _imported(file: Path) -> set[str]:
    """The files of the folder that are imported from a file, by name, itself left out."""
    folder, found, waiting = file.parent, set[str](), [file]
    while waiting:
        tree = ast.parse(read(waiting.pop()))
        for name in _modules(tree):
            for path in _places(folder, name):
                if path.is_file() and path != file and str(path.relative_to(folder)) not in found:
                    found.add(str(path.relative_to(folder)))
                    waiting.append(path)
    return found


def _modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            yield base
            yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names)


def _places(folder: Path, name: str) -> Iterator[Path]:
    """Where a module and the packages around it may be."""
    parts = [part for part in name.split(".") if part]
    for k in range(1, len(parts) + 1):
        path = folder.joinpath(*parts[:k])
        yield path.with_suffix(".py")
        yield path / "__init__.py"


def _without_texts(tree: ast.Module) -> ast.Module:
    """The tree without docstrings, which say nothing to the compiler."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = listed(getattr(node, name, None))
            if block is not None and any(map(_is_text, block)):
                rest = [s for s in block if not _is_text(s)]
                needed = name == "body" and not isinstance(node, ast.Module)
                setattr(node, name, rest or ([ast.Pass()] if needed else []))
    return tree


def _is_text(node: object) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _defined(tree: ast.Module, text: Text, name: str, scope: str) -> Place:
    """Where a name stands first."""
    for node in ast.walk(tree):
        if name in (
            getattr(node, "id", None),
            getattr(node, "name", None),
            getattr(node, "arg", 0),
        ):
            return text.place(node, scope)
    return text.place(tree, scope)
