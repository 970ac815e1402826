"""Frames that LLVM makes of generated programs, beside the bound that recursion is counted by.

`python -m tests.fuzz.frames FIRST COUNT [TARGET ...]` prints how near they come; all targets are
taken where none is named.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS, Target
from samebits.backend.text.profiles import PROFILES, CodegenProfile
from samebits.errors import SamebitsError
from samebits.ir.analysis.frames import frame_bytes
from samebits.ir.grammar import Module
from samebits.modes import Goal
from tests.fuzz import containers, forms
from tests.fuzz.generator import generate
from tests.fuzz.loading import Loaded, Workspace

_SAID = re.compile(r"stack frame size \((\d+)\) exceeds limit \(0\) in function '(.*)'")
_WASM = re.compile(
    r'^\t\.functype\t(?P<name>"[^"\n]*"|\S+) \((?P<given>.*)\) -> .*\n'
    r"(?:\t\.local *\t(?P<own>.*))?",
    re.M,
)
LEVELS: tuple[tuple[int, Goal], ...] = (
    (0, "speed"),
    (3, "speed"),
    (3, "size"),
    (3, "compile_time"),
)
"""Levels, and the goals whose profiles they have: LLVM's own levels 0, 3, 2 and 1."""


@dataclass(frozen=True)
class Frame:
    """One function's frame: the bytes that LLVM says, and the bound."""

    seed: int
    target: str
    level: tuple[int, Goal]
    function: str
    found: int
    bound: int


def _said(run: Callable[[], object]) -> str:
    """What LLVM writes to this process's standard error meanwhile."""
    with tempfile.TemporaryFile() as file:
        before = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            run()
        finally:
            os.dup2(before, 2)
            os.close(before)
        file.seek(0)
        return file.read().decode()


def sizes(
    module: Module, entry: str, target: Target, opt: int, profile: CodegenProfile
) -> dict[str, int]:
    """The bytes of the frame of each function of the code; on WebAssembly those of its locals too,
    which an engine may keep on its own stack."""
    text = emit_module(module, [entry], target).text
    asking = re.sub(r"(attributes #\d+ = \{ nounwind)", r'\1 "warn-stack-size"="0"', text)
    said = _said(partial(engine.compile_text, asking, target, opt, profile=profile))
    found: dict[str, int] = {}
    for match in _SAID.finditer(said):
        found[match[2]] = max(found.get(match[2], 0), int(match[1]))
    if target.architecture == "wasm32":
        assembly = engine.assemble_text(text, target, opt, profile=profile)
        held: dict[str, int] = {}
        for match in _WASM.finditer(assembly):  # a function is declared before it is defined
            types = re.findall(r"\w+", f"{match['given']} {match['own'] or ''}")
            name = match["name"].strip('"')
            held[name] = max(held.get(name, 0), sum(16 if t == "v128" else 8 for t in types))
        for name, size in held.items():
            found[name] = found.get(name, 0) + size
    return found


def frames(seed: int, loaded: Loaded, targets: Iterable[Target]) -> Iterator[Frame]:
    """The frames of a program's functions, of the entry's where that is inlined into it."""
    before = loaded.ir.functions
    bounds = {f"k:{name}": frame_bytes(f, before.get) for name, f in before.items()}
    for target in targets:
        for opt, goal in LEVELS:
            found = sizes(loaded.optimised, loaded.symbol, target, opt, PROFILES[goal])
            if opt:  # the kernel is inlined into its entry
                found.setdefault(f"k:{loaded.symbol}", found.get("sb_entry_0", 0))
            for name, size in found.items():
                if name in bounds:
                    yield Frame(seed, target.name, (opt, goal), name, size, bounds[name])


def program(workspace: Workspace, seed: int) -> Loaded:
    """A program of one of three kinds in turn."""
    if seed % 3 == 0:
        return workspace.load(containers.source_of(seed), "run")
    made = generate(seed) if seed % 3 == 1 else forms.recursive(seed)
    return workspace.load(made.source, made.entry)


def main(first: int, count: int, names: list[str]) -> None:
    """Print the frames that come nearest to their bound."""
    targets = [TARGETS[name] for name in names or TARGETS]
    rows: list[Frame] = []
    with Workspace() as workspace:
        for seed in range(first, first + count):
            try:
                rows += frames(seed, program(workspace, seed), targets)
            except SamebitsError as error:
                print(seed, type(error).__name__, error.message)
    rows.sort(key=lambda row: row.found / row.bound, reverse=True)
    print(f"{len(rows):,} frames, {sum(row.found > row.bound for row in rows)} beyond the bound")
    for row in rows[:12]:
        print(f"{row.found / row.bound:.2f} {row}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
