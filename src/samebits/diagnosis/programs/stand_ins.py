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
from samebits.foreign.programs.toolchain import toolchain_of

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
