"""A compiler that stands for another: clang, with a side's flags, where it gives the side's bits.

GCC writes no IR that probes could be put into. Where a build by clang has the side's states, its
trace is evidence for them; where not, nothing is said of it.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

from samebits.foreign.programs.description import ProgramSide, Words
from samebits.foreign.programs.plan import BuildPlan, CompileStep
from samebits.foreign.programs.toolchain import target_flags, toolchain_of
from samebits.foreign.programs.workshop import Workshop

_CROSS = re.compile(r"^(?:(.+)-)?(gcc|g\+\+|c\+\+|cc)(?:-[\d.]+)?$")
_VERSIONS = range(22, 13, -1)
_UNKNOWN = ("-mfpmath=387", "-fexcess-precision=", "-mrecip")
"""Flags of GCC's that clang lacks, or reads in another way: no build of it stands for them."""


def stand_in(side: ProgramSide) -> ProgramSide | None:
    """The side built by clang; None where clang is not here, or could not mean the same."""
    if toolchain_of(side.compiler).kind != "gcc" or len(side.compiler) != 1:
        return None
    match = _CROSS.match(Path(side.compiler[0]).name)
    if match is None or any(flag.startswith(_UNKNOWN) for flag in side.flags):
        return None
    clang = _clang(match[2] in ("g++", "c++"))
    if clang is None:
        return None
    target = match[1] or ""
    return replace(
        side, compiler=clang, flags=_flags(side.flags),
        target=target, name=f"{side.name}, by clang",
    )  # fmt: skip


def stand_in_plan(shop: Workshop, plan: BuildPlan) -> BuildPlan | None:
    """The plan of a side's stand-in: of a build by commands each step by clang, where its own
    compiler has no IR, and linked as it is. None where there is none."""
    if shop.program.sources and not plan.side.build:
        other = stand_in(plan.side)
        return None if other is None else shop.plan(other)
    steps: list[CompileStep] = []
    for step in plan.compiles:
        given = ProgramSide(plan.side.name, step.compiler, step.flags)
        other = None if step.toolchain.has_ir else stand_in(given)
        if other is None and not step.toolchain.has_ir:
            return None
        if other is not None:
            flags = (*target_flags(other), *other.flags)
            step = replace(step, compiler=other.compiler, flags=flags)
        steps.append(step)
    return replace(plan, compiles=tuple(steps))


def _flags(flags: Words) -> Words:
    """GCC's flags as clang is given them; what GCC contracts by default is said."""
    said = any(flag.startswith("-ffp-contract") for flag in flags)
    return (*(() if said else ("-ffp-contract=fast",)), *flags, "-w")


@cache
def _clang(is_cpp: bool) -> Words | None:
    name = "clang++" if is_cpp else "clang"
    for each in (name, *(f"{name}-{version}" for version in _VERSIONS)):
        if shutil.which(each) is not None:
            return (each,)
    return None
