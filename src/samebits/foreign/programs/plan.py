"""The steps of a build: which file is compiled by which command, and what is linked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from samebits.foreign.programs.description import Program, ProgramSide, Words
from samebits.foreign.programs.toolchain import Toolchain, target_flags, toolchain_of


@dataclass(frozen=True, slots=True)
class CompileStep:
    """One source to one object."""

    source: Path
    compiler: Words
    flags: Words
    """All but the source, `-c` and the object."""
    folder: Path

    @property
    def toolchain(self) -> Toolchain:
        return toolchain_of(self.compiler)

    def command(self, out: Path, source: Path | None = None, more: Sequence[str] = ()) -> Words:
        """The command that makes `out`; `more` stands behind all other flags."""
        what = source or self.source
        return (*self.compiler, *self.flags, *more, "-c", str(what), "-o", str(out))

    def with_flags(self, flags: Words) -> CompileStep:
        return replace(self, flags=flags)


@dataclass(frozen=True, slots=True)
class LinkStep:
    """Objects to a program: words before them and behind them."""

    before: Words
    behind: Words
    folder: Path

    def command(self, objects: Sequence[Path], out: Path) -> Words:
        return (*self.before, *map(str, objects), *self.behind, "-o", str(out))


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """All steps of a side."""

    side: ProgramSide
    compiles: tuple[CompileStep, ...]
    link: LinkStep

    @property
    def names(self) -> tuple[str, ...]:
        """What each step's source is called: its file's name, with folders where others have it."""
        return tuple(_told_apart(step.source, self.compiles) for step in self.compiles)


def _told_apart(source: Path, steps: Sequence[CompileStep]) -> str:
    parts, namesakes = 1, [step.source for step in steps if step.source != source]
    while any(each.parts[-parts:] == source.parts[-parts:] for each in namesakes):
        parts += 1
    return "/".join(source.parts[-parts:])


def plan_of(program: Program, side: ProgramSide, headers: Path) -> BuildPlan:
    """The steps for a program that is given by its sources; `headers` has samebits.h, behind all
    folders of the program's own."""
    target = target_flags(side)
    folders = [word for folder in program.include for word in ("-I", str(folder))]
    flags = (*target, *program.flags, *side.flags, *folders, "-I", str(headers))
    steps = tuple(
        CompileStep(source, side.compiler, flags, program.folder) for source in program.sources
    )
    libm = (side.libm,) if side.libm else ()
    before = (*side.compiler, *target, *program.flags, *side.flags)
    behind = (*libm, *program.link, *side.link, "-lm")
    return BuildPlan(side, steps, LinkStep(before, behind, program.folder))
