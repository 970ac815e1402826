"""The cases: what is planted in harbour, a C++ program, and flags that break it; and what is true.

A plant is true where it is asked for: the lines with `planted(kName)`, and those that it chooses
between. Of a flag the hazards that it lets happen are known, and files are shown by a build.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from samebits.foreign.programs.description import ProgramSide

HARBOUR = Path(__file__).parents[2] / "tests" / "support" / "harbour"
RUN = ("{program}", "{record}", "--frames", "90")
STRICT = ("-O2", "-ffp-contract=off")
_NEAR = 4
"""Lines behind a plant's condition that belong to what it changes."""


@dataclass(frozen=True, slots=True)
class Case:
    """Sides, and what is true of their difference."""

    name: str
    a: ProgramSide
    b: ProgramSide
    lines: frozenset[tuple[str, int]] = frozenset()
    """Files and lines, any of which is right; none where files are shown by a build."""
    hazards: frozenset[str] = frozenset()


def plants() -> list[Case]:
    """The twenty plants: one build, run in two ways."""
    names = re.findall(
        r"^  (k\w+),\s+// (\w+\.\w+): (.*)$", (HARBOUR / "plants.h").read_text(), re.M
    )
    side = ProgramSide("strict", ("g++",), STRICT, run=RUN)
    found: list[Case] = []
    for number, (name, _, what) in enumerate(names, 1):
        other = ProgramSide("planted", ("g++",), STRICT, run=(*RUN, "--plant", str(number)))
        found.append(Case(what, side, other, _asked(name), frozenset(("run",))))
    return found


def _asked(name: str) -> frozenset[tuple[str, int]]:
    """Where a plant is asked for, and the lines behind it."""
    found: set[tuple[str, int]] = set()
    for file in (*HARBOUR.glob("*.cpp"), *HARBOUR.glob("*.h")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if f"planted({name})" in line:
                found |= {(file.name, number + near) for near in range(_NEAR + 1)}
    return frozenset(found)


_FADING = frozenset(("weather.cpp", line) for line in range(8, 12))
"""Where a number becomes subnormal: the lines of `faded`."""
_FAST = frozenset(("order", "reciprocal", "algebra", "estimate", "signed-zero", "fma"))
FLAGS = {
    "-Ofast": (("g++",), ("-Ofast",), _FAST),
    "-ffp-contract=fast -mfma": (
        ("g++",), ("-O2", "-ffp-contract=fast", "-mfma"), frozenset(("fma",)),
    ),
    "-mfpmath=387": (
        ("g++",), ("-O2", "-ffp-contract=off", "-mfpmath=387"),
        frozenset(("x87",)),
    ),
    "-mrecip -ffast-math": (
        ("g++",), ("-O2", "-ffast-math", "-mrecip"), _FAST,
    ),
    "-fassociative-math": (
        ("g++",), (*STRICT, "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"),
        frozenset(("order", "algebra", "signed-zero")),
    ),
    "crtfastmath at the link": (("g++",), STRICT, frozenset(("flush",))),
    "clang -ffp-contract=fast -mfma": (
        ("clang++-16",), ("-O2", "-ffp-contract=fast", "-mfma"), frozenset(("fma",)),
    ),
    "clang -ffast-math": (("clang++-16",), ("-O2", "-ffast-math"), _FAST),
}  # fmt: skip


def flags() -> list[Case]:
    """Builds with flags that break it, beside a strict one."""
    side = ProgramSide("strict", ("g++",), STRICT, run=RUN)
    return [
        Case(
            name, side,
            ProgramSide(
                "broken", compiler, words, ("-ffast-math",) if "crtfastmath" in name else (),
                run=RUN,
            ),
            _FADING if "crtfastmath" in name else frozenset(),
            hazards,
        )
        for name, (compiler, words, hazards) in FLAGS.items()
    ]  # fmt: skip
