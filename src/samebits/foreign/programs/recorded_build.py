"""The plan of a build that a user's own commands make: how it has compiled and linked.

Owns what of a compile command is the compiler, what are flags, and which files are the program's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from samebits.audit.errors import UnreadableBinary
from samebits.audit.flags.build_files import commands_in
from samebits.audit.flags.judge import compiler_of, unwrapped
from samebits.foreign.programs.description import SOURCES, ProgramSide, Words
from samebits.foreign.programs.link_lines import recorded_link
from samebits.foreign.programs.plan import (
    BuildPlan,
    CompileStep,
    LinkStep,
    Object,
    linked_by,
    placed,
)

_OWN = frozenset({"-c", "-MD", "-MMD", "-MP", "-MG", "-M", "-MM"})
"""Words that are no flags of a step: those of dependency files would have them written anew."""
_OWN_WITH_VALUE = frozenset({"-o", "-MF", "-MT", "-MQ", "-MJ"})
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class RecordedBuild:
    """A build's plan, and the objects that it has left; or why there is none."""

    plan: BuildPlan | None = None
    objects: tuple[Path, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class _Compiled:
    step: CompileStep
    object: str
    """Its real path."""

    @property
    def key(self) -> tuple[str, str]:
        return self.step.path, placed(self.object, os.path.realpath(self.step.place))


def recorded_build(side: ProgramSide, program: Path, commands: Path, out: Path) -> RecordedBuild:
    """The steps by which a build in `out` has made a program, as `commands` lists them."""
    try:
        if commands.stat().st_size > _MOST_BYTES:
            return RecordedBuild(said=f"{commands.name} has more than {_MOST_BYTES:,} bytes")
        compiled = _compiled(commands, str(out))
    except OSError:
        return RecordedBuild(said=f"its build leaves no {commands.name}")
    except UnreadableBinary as error:
        return RecordedBuild(said=f"its {commands.name} cannot be read: {error}")
    compiled.sort(key=lambda each: each.key)
    link = recorded_link(
        program, commands.parent,
        {each.object: number for number, each in enumerate(compiled)}, str(out),
    )  # fmt: skip
    if link is None:
        link, used = _plain_link(side, program, compiled), list(range(len(compiled)))
    else:
        link, used = _of_used(link)
    if not used:
        return RecordedBuild(said=f"no command of its {commands.name} makes an object of it")
    chosen = [compiled[number] for number in used]
    plan = BuildPlan(side, tuple(each.step for each in chosen), link)
    return RecordedBuild(plan, tuple(Path(each.object) for each in chosen))


def _compiled(commands: Path, place: str) -> list[_Compiled]:
    """The steps of C and C++ that a file lists, each object once. Raises UnreadableBinary."""
    found: dict[str, _Compiled] = {}
    for file, folder, command in commands_in(str(commands), commands.read_bytes()):
        base = commands.parent / folder
        source = Path(os.path.normpath(base / file))
        parts = _parted(command)
        if source.suffix not in SOURCES or parts is None:
            continue
        compiler, flags, out = parts
        kept = tuple(placed(f, place) for f in flags if Path(os.path.normpath(base / f)) != source)
        made = os.path.realpath(base / (out or f"{source.stem}.o"))
        found[made] = _Compiled(CompileStep(source, compiler, kept, base, place), made)
    return list(found.values())


def _parted(command: Sequence[str]) -> tuple[Words, Words, str] | None:
    """Compiler, flags and object of a command; None where it is none that is known."""
    words = unwrapped(command)
    if not words:
        return None
    known = compiler_of(words)
    given = words[1:] if known is None else known[2]
    compiler = tuple(words[: len(words) - len(given)])
    flags: list[str] = []
    out, following = "", iter(given)
    for word in following:
        if word in _OWN_WITH_VALUE:
            value = next(following, "")
            out = value if word == "-o" else out
        elif word not in _OWN:
            flags.append(word)
    return compiler, tuple(flags), out


def _of_used(link: LinkStep) -> tuple[LinkStep, list[int]]:
    """The objects that a link has, and the link with their places among these."""
    words = [word for command in link.commands for word in command.words]
    used = sorted({word.number for word in words if isinstance(word, Object)})
    numbers: Mapping[int, int] = {old: new for new, old in enumerate(used)}
    commands = tuple(
        replace(each, words=tuple(
            Object(numbers[word.number]) if isinstance(word, Object) else word
            for word in each.words
        ))
        for each in link.commands
    )  # fmt: skip
    return replace(link, commands=commands), used


def _plain_link(side: ProgramSide, program: Path, compiled: Sequence[_Compiled]) -> LinkStep:
    """All objects, linked as the side's compiler does it: nothing says how the build has."""
    steps = [each.step for each in compiled]
    cpp = [step for step in steps if step.source.suffix != ".c"]
    before = next((step.words for step in [*cpp, *steps]), ())
    libm = (side.libm,) if side.libm else ()
    step = linked_by(before, (*libm, *side.link, "-lm"), program.parent)
    return replace(step, home=program.parent)
