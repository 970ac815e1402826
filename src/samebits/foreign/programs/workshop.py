"""A folder of objects and programs: each command is run once, and its result kept.

Owns where results lie and what is built anew. What is to be built, `plan.py` and those who try
other builds say.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from samebits.audit.flags.build_files import build_file
from samebits.audit.formats.magic import COMMANDS
from samebits.errors import RunnerError, SideError
from samebits.foreign.programs.commands import must_run
from samebits.foreign.programs.description import Program, ProgramSide, Words, filled
from samebits.foreign.programs.plan import BuildPlan, CompileStep, LinkCommand, LinkStep, plan_of
from samebits.foreign.programs.recorded_build import RecordedBuild, recorded_build
from samebits.foreign.recorder_sources import RECORDERS, recorder_source
from samebits.output import write_file

COMPILE_SECONDS = 300
BUILD_SECONDS = 1800


class Workshop:
    """Builds of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._stack = ExitStack()
        folder = tempfile.TemporaryDirectory(prefix="samebits-foreign-")
        self.folder = Path(self._stack.enter_context(folder))
        self.headers = self.folder / "include"
        self.headers.mkdir()
        write_file(self.headers / RECORDERS["c"].file, recorder_source("c"))
        self._made: dict[tuple[Words, ...], Path] = {}
        self._builds: dict[ProgramSide, tuple[Path, RecordedBuild]] = {}
        self._number = 0
        self.commands = 0
        """Commands that were run: what builds have cost."""

    def __enter__(self) -> Workshop:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def path(self, name: str) -> Path:
        """A new path in the folder."""
        self._number += 1
        return self.folder / f"{self._number}-{name}"

    def plan(self, side: ProgramSide) -> BuildPlan | None:
        """The steps of a side; None where its build is commands of its own that leave no list of
        what they compile: `why_no_plan` tells. Raises RunnerError where they fail."""
        if not self._is_commanded(side):
            return plan_of(self.program, side, self.headers)
        return self._commanded(side)[1].plan

    def why_no_plan(self, side: ProgramSide) -> str:
        """Why a side has no plan: a clause."""
        return self._commanded(side)[1].said if self._is_commanded(side) else ""

    def built(self, side: ProgramSide, more: Words = ()) -> Path:
        """The program of a side, with `more` flags for all that is compiled. Raises RunnerError:
        which command fails, and how."""
        plan = self.plan(side)
        if self._is_commanded(side) and (plan is None or not more):
            return self._commanded(side)[0]
        assert plan is not None
        steps = [step.with_flags((*step.flags, *more)) for step in plan.compiles]
        return self.linked(plan.link, self.objects(steps))

    def _is_commanded(self, side: ProgramSide) -> bool:
        return bool(side.build) or not self.program.sources

    def objects(self, steps: Sequence[CompileStep]) -> list[Path]:
        """The objects of steps, in their order."""
        return self.results([(step, step.command) for step in steps])

    def results(
        self, wanted: Sequence[tuple[CompileStep, Callable[[Path], Words]]], suffix: str = ".o"
    ) -> list[Path]:
        """What commands make, each given the path of its result."""
        keys = [(command(Path("-")),) for _, command in wanted]
        new: dict[tuple[Words, ...], tuple[CompileStep, Words, Path]] = {}
        for (step, command), key in zip(wanted, keys, strict=True):
            if key not in self._made and key not in new:
                out = self.path(f"{step.source.stem}{suffix}")
                new[key] = step, command(out), out
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            tasks = [
                pool.submit(
                    must_run, words, step.folder, COMPILE_SECONDS, None,
                    f"compiling {step.source.name}",
                )
                for step, words, _ in new.values()
            ]  # fmt: skip
            for task in tasks:
                task.result()
        self.commands += len(new)
        self._made |= {key: out for key, (_, _, out) in new.items()}
        return [self._made[key] for key in keys]

    def linked(self, step: LinkStep, objects: Sequence[Path], more: Sequence[Path] = ()) -> Path:
        """The program of the objects of a plan's steps, and of `more`."""
        key = tuple(step.run(objects, more, lambda command: Path(command.name)))
        if key not in self._made:
            outs: list[Path] = []

            def out(command: LinkCommand) -> Path:
                outs.append(self._link_path(step, command))
                return outs[-1]

            for words, command in zip(step.run(objects, more, out), step.commands, strict=True):
                must_run(words, command.folder, COMPILE_SECONDS, None, "linking")
                self.commands += 1
            self._made[key] = outs[-1]
        return self._made[key]

    def _link_path(self, step: LinkStep, command: LinkCommand) -> Path:
        """Where a command of a link leaves its result: the program where its files are, a library
        by its name in a folder of its own."""
        if command is step.commands[-1]:
            self._number += 1
            return (step.home or self.folder) / f"{self._number}-{command.name}"
        folder = self.path("library")
        folder.mkdir()
        return folder / command.name

    def _commanded(self, side: ProgramSide) -> tuple[Path, RecordedBuild]:
        """What the user's own commands build, and what is known of how: each side once."""
        if side not in self._builds:
            out = self.path(side.name)
            out.mkdir()
            program = self._run_build(side, out)
            build = self._recorded(side, program, out)
            if build.plan is not None:
                for step, path in zip(build.plan.compiles, build.objects, strict=True):
                    if path.is_file():
                        self._made[(step.command(Path("-")),)] = path
            self._builds[side] = program, build
        return self._builds[side]

    def _recorded(self, side: ProgramSide, program: Path, out: Path) -> RecordedBuild:
        if not self.program.commands:
            found = build_file(out) or out / COMMANDS
            return recorded_build(side, program, found, out)
        (name,) = filled([self.program.commands], self.places(side, out))
        commands = self.program.folder / name
        if not commands.is_file():
            raise RunnerError(
                f"the build of side {side.name} left no {name}",
                fix="say in sim.toml where it leaves its compile_commands.json: commands",
            )
        return recorded_build(side, program, commands, out)

    def _run_build(self, side: ProgramSide, out: Path) -> Path:
        """What the user's own commands build, in a folder of that build."""
        places = self.places(side, out)
        for command in side.build or self.program.build:
            must_run(
                filled(command, places), self.program.folder, BUILD_SECONDS,
                {"SAMEBITS_INCLUDE": str(self.headers)}, f"the build of side {side.name}",
            )  # fmt: skip
            self.commands += 1
        if not self.program.program:
            raise SideError(
                f"[sides.{side.name}] has a build, and sim.toml no program",
                fix='add program = "{out}/game" above the sides',
            )
        (name,) = filled([self.program.program], places)
        found = self.program.folder / name
        if not found.is_file():
            raise RunnerError(
                f"the build of side {side.name} left no {name}",
                fix="say in sim.toml where it leaves it: program",
            )
        return found

    def places(self, side: ProgramSide, out: Path) -> Mapping[str, str | Words]:
        """What stands for the places of a side's commands."""
        flags = (*self.program.flags, *side.flags)
        return {
            "out": str(out), "folder": str(self.program.folder), "compiler": side.compiler,
            "flags": flags, "link": (*self.program.link, *side.link),
        }  # fmt: skip
