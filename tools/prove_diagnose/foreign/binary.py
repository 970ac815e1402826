"""Programs made of a simulation's C, and the states that they leave frame by frame."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from tools.prove_diagnose.foreign.c.program import Program, written
from tools.prove_diagnose.foreign.c.style import EXACT, Style
from tools.prove_diagnose.foreign.compilers import COMMON, Compiler

from samebits.bits import to_canonical
from samebits.sim.inputs import Inputs
from samebits.sim.simulation import Simulation

MAIN = (Path(__file__).parent / "c" / "main.c.txt").read_text()
SECONDS = 300.0


class BuildFailed(Exception):
    """A program that does not compile, or does not run."""


@dataclass(frozen=True)
class Binary:
    """`members` are what the text of 0 and 1 chooses, where there is a choice."""

    path: Path
    compiler: Compiler
    members: tuple[str, ...] = ()


class Workshop:
    """Makes programs of a simulation in a folder, which several processes may share; each object
    once."""

    def __init__(self, simulation: Simulation, folder: Path) -> None:
        self.simulation = simulation
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    @cache  # noqa: B019 - as long-lived as its folder
    def program(self, style: Style, taken_out: bool = False) -> Program:
        p = self.simulation.program
        return written(p.kernels, p.init, p.step, style, taken_out)

    def whole(
        self, compiler: Compiler, flags: tuple[str, ...], style: Style, library: bool = False,
        loaded: bool = False,
    ) -> Binary:  # fmt: skip
        """One file by one set of flags, and the library by it too or by strict ones; where the
        start is loaded, `init` is that of strict ones."""
        program = self.program(style)
        exact = self.program(EXACT).one_file()
        steps = ("-Dgame_init=other_init",) if loaded else ()
        starts = [self.object(compiler, compiler.strict, exact, "-Dgame_step=other_step")]
        objects = [
            self.object(compiler, flags, program.one_file(), *steps),
            *(starts if loaded else ()),
            self.library(compiler, flags if library else compiler.strict),
            self.main(compiler),
        ]
        return self.linked(compiler, objects)

    def chosen(self, compiler: Compiler, flags: tuple[str, ...], style: Style) -> Binary:
        """Each function, and each statement, in a strict and a foreign form."""
        exact, foreign = self.program(EXACT, True), self.program(style)
        outlined = self.program(replace(style, temporaries=False), True)
        assert [s.prototype for s in outlined.statements] == [s.prototype for s in exact.statements]
        strict = compiler.strict
        objects = [
            self.object(compiler, strict, exact.separate(), "-DSUFFIX=_a"),
            self.object(compiler, flags, foreign.separate(), "-DSUFFIX=_b"),
            self.object(compiler, strict, exact.outlined(), "-DSUFFIX=_a"),
            self.object(compiler, flags, outlined.outlined(), "-DSUFFIX=_b"),
            self.object(compiler, strict, exact.table()),
            self.library(compiler, strict, "_a"),
            self.library(compiler, flags, "_b"),
            self.main(compiler, "-DCHOOSE"),
        ]
        return self.linked(compiler, objects, tuple(exact.members))

    def library(self, compiler: Compiler, flags: tuple[str, ...], suffix: str = "") -> Path:
        text = self.program(EXACT).of_library(suffix)
        more = compiler.library if flags == compiler.strict else ()
        return self.object(compiler, (*flags, *more), text)

    def main(self, compiler: Compiler, *more: str) -> Path:
        text = f"{self.program(EXACT).types}\n{MAIN}"
        return self.object(compiler, compiler.strict, text, *more)

    def object(self, compiler: Compiler, flags: tuple[str, ...], text: str, *more: str) -> Path:
        command = [*compiler.command, *COMMON, *flags, *more]
        key = sha256("\0".join([*command, text]).encode()).hexdigest()[:20]
        target = self.folder / f"{key}.o"
        if not target.exists():
            source, made = (self.folder / f"{key}-{os.getpid()}.{end}" for end in "co")
            source.write_text(text)
            _ran([*command, "-c", str(source), "-o", str(made)])
            made.replace(target)
        return target

    def linked(
        self, compiler: Compiler, objects: list[Path], members: tuple[str, ...] = ()
    ) -> Binary:
        key = sha256("\0".join([compiler.name, *map(str, objects)]).encode()).hexdigest()[:20]
        target = self.folder / key
        if not target.exists():
            static = ["-static"] if compiler.static else []
            made = self.folder / f"{key}-{os.getpid()}"
            _ran([*compiler.command, *compiler.strict, *static, *map(str, objects),
                  "-o", str(made), "-lm"])  # fmt: skip
            made.replace(target)
        return Binary(target, compiler, members)

    def states(
        self, binary: Binary, seed: int, inputs: Inputs, flushes: bool = False, on: str = "",
        loaded: bool = False,
    ) -> list[bytes]:  # fmt: skip
        """The canonical states after `init` and after every frame."""
        order = ">" if binary.compiler.big else "<"
        given, left = (self.folder / f"{name}-{os.getpid()}" for name in ("inputs", "states"))
        swapped = self.simulation.input_type.dtype.newbyteorder(order)
        inputs.astype(swapped).tofile(given)
        players = inputs.shape[1]
        _ran([*binary.compiler.runner, str(binary.path), str(given), str(left), str(seed),
              str(len(inputs)), str(players), str(int(flushes)), str(int(loaded)), on])  # fmt: skip
        state = self.simulation.state_type
        memory = np.fromfile(left, state.dtype.newbyteorder(order)).astype(state.dtype)
        whole = to_canonical(state, memory)
        size = len(whole) // (len(inputs) + 1)
        return [whole[i * size : (i + 1) * size] for i in range(len(inputs) + 1)]


def _ran(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=SECONDS, errors="replace"
        )
    except subprocess.TimeoutExpired:
        raise BuildFailed(f"{command[0]} takes more than {SECONDS:.0f} s") from None
    if done.returncode:
        raise BuildFailed(f"{' '.join(command)[:300]}: {done.returncode} {done.stderr[:600]}")
