"""The steps of a build: which file is compiled by which command, and what is linked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from samebits.foreign.programs.description import Program, ProgramSide, Words
from samebits.foreign.programs.toolchain import Toolchain, target_flags, toolchain_of

PLACE = "{out}"
"""What stands in words for the folder of a build, so that those of two builds compare."""


@dataclass(frozen=True, slots=True)
class CompileStep:
    """One source to one object."""

    source: Path
    compiler: Words
    flags: Words
    """All but the source, `-c` and the object."""
    folder: Path
    place: str = ""
    """What `{out}` in flags stands for."""

    @property
    def toolchain(self) -> Toolchain:
        return toolchain_of(self.compiler)

    @property
    def words(self) -> Words:
        """The compiler and its flags."""
        return (*self.compiler, *(flag.replace(PLACE, self.place) for flag in self.flags))

    @property
    def path(self) -> str:
        """The source as a path that is the same in two builds."""
        return placed(str(self.source), self.place)

    def command(self, out: Path, source: Path | None = None, more: Sequence[str] = ()) -> Words:
        """The command that makes `out`; `more` stands behind all other flags."""
        return (*self.words, *more, "-c", str(source or self.source), "-o", str(out))

    def with_flags(self, flags: Words) -> CompileStep:
        return replace(self, flags=flags)


def placed(word: str, place: str) -> str:
    """A word with `{out}` for the folder of a build."""
    return word.replace(place, PLACE) if place else word


class Mark(Enum):
    """A word of a link that is put in when it is run."""

    OUT = "what the command makes"
    OBJECTS = "all objects"
    MORE = "objects that no step of the plan makes"


@dataclass(frozen=True, slots=True)
class Object:
    """The object of a compile step, by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class Made:
    """What an earlier command of a link makes, by its number."""

    number: int


LinkWord = str | Mark | Object | Made


@dataclass(frozen=True, slots=True)
class LinkCommand:
    """One command of a link: of an archive, a shared library or the program."""

    words: tuple[LinkWord, ...]
    folder: Path
    name: str = "program"
    """The file name of what it makes."""
    is_shared: bool = False
    """Whether the program finds it when it starts."""


@dataclass(frozen=True, slots=True)
class LinkStep:
    """Objects to a program: commands, of which the last makes it."""

    commands: tuple[LinkCommand, ...]
    place: str = ""
    home: Path | None = None
    """Where the program is put, if its own files are to be found beside it."""

    def run(
        self, objects: Sequence[Path], more: Sequence[Path], out: Callable[[LinkCommand], Path]
    ) -> list[Words]:
        """The words of each command. `objects` are those of the plan's compile steps, `more` such
        that no step makes; `out` says where a command's result goes."""
        made: list[Path] = []
        found: list[Words] = []
        for command in self.commands:
            made.append(out(command))
            words = tuple(
                text for word in command.words for text in self._texts(word, objects, more, made)
            )
            found.append((words[0], *self._searched(command, made), *words[1:]))
        return found

    def _texts(
        self, word: LinkWord, objects: Sequence[Path], more: Sequence[Path], made: Sequence[Path]
    ) -> list[str]:
        match word:
            case str():
                return [word.replace(PLACE, self.place)]
            case Object(number):
                return [str(objects[number])]
            case Made(number):
                return [str(made[number])]
            case Mark.OUT:
                return [str(made[-1])]
            case Mark.OBJECTS:
                return list(map(str, objects))
            case Mark.MORE:
                return list(map(str, more))

    def _searched(self, command: LinkCommand, made: Sequence[Path]) -> list[str]:
        """Where what is linked so finds the shared libraries of this link, before all others."""
        numbers = [word.number for word in command.words if isinstance(word, Made)]
        return [
            f"-Wl,-rpath,{made[number].parent}"
            for number in numbers
            if self.commands[number].is_shared
        ]


def linked_by(before: Words, behind: Words, folder: Path) -> LinkStep:
    """The link of all objects by one command, which has words before and behind them."""
    words: tuple[LinkWord, ...] = (*before, Mark.OBJECTS, Mark.MORE, *behind, "-o", Mark.OUT)
    return LinkStep((LinkCommand(words, folder),))


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

    @property
    def compiler(self) -> str:
        """What compiles its first source."""
        return " ".join(self.compiles[0].compiler)

    @property
    def flags(self) -> Words:
        """The flags of all steps, each once."""
        return tuple(dict.fromkeys(flag for step in self.compiles for flag in step.flags))


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
    return BuildPlan(side, steps, linked_by(before, behind, program.folder))
