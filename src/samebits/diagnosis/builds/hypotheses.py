"""Hypotheses on how another machine's build differs, as data.

Hazards, options, and what builds do together, a file of `rows` each.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from samebits.hazards.catalogue import by_name
from samebits.hazards.edit.single_constants import with_single_constants
from samebits.ir.grammar import Module

ENVIRONMENT = "floating-point environment"
FORMS: Mapping[str, int] = {
    "estimate": 128, "order": 32, "algebra": 32, "reciprocal": 16, "fma": 8, "libm": 16,
}  # fmt: skip
"""Variants of a hazard at a place at most, where there are more than one with each note."""
SINGLE = (
    "fma", "libm", "reciprocal", "order", "double-rounding", "constant", "min-max", "signed-zero",
    "nan", "to-integer", "algebra", "estimate", "libm-ulp", "flush", "narrower", "rounding", "x87",
)  # fmt: skip
"""Hazards that are tried by themselves, in this order: those that builds have most often, and whose
boards are quick to make, come first."""
SLOW = ("estimate", "flush", "narrower", "rounding", "x87")
"""Those of them that are tried after what compilers do: most of the time goes into these."""
QUICK = tuple(name for name in SINGLE if name not in SLOW)
LIKELY: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("i386", "i486", "i586", "i686"), ("x87", "double-rounding")),
    **dict.fromkeys(("aarch64", "arm64", "riscv64", "ppc64le", "s390x", "loongarch64"), ("fma",)),
}
"""Hazards that are tried first where the other machine's architecture is known."""
KIN = (
    frozenset({"fma", "double-rounding", "x87"}),
    frozenset({"double-rounding", "x87", "constant"}),
    frozenset({"narrower", "constant"}),
    frozenset({"flush", ENVIRONMENT, "mode"}),
    frozenset({"order", "algebra", "reciprocal", "estimate"}),
    frozenset({"libm", "libm-ulp"}),
    frozenset({"min-max", "signed-zero", "nan"}),
)
"""Hazards that can give the same bits in many frames; others can where an operation rarely rounds
otherwise."""
PROXIES: Mapping[str, str] = {"x87": "double-rounding"}
"""Hazards that give what another one gives wherever a program computes no float64: rounded to
float32, 53 bits and 64 are the same but once in hundreds of millions of results. None is a rival of
what is found where the other is not."""
HEALING = ("signed-zero", "min-max")
"""Hazards whose differences heal, as those do that are made between two frames: of a zero's sign
mostly nothing is left."""
ACROSS_CALLS = ("fma", "order", "reciprocal", "double-rounding", "algebra", "estimate")
"""Hazards that compilers make across the calls of functions that they inline."""
IN_LIBRARY = ("fma", "order", "reciprocal", "algebra")
"""Hazards that compilers make in math functions that are built with the program."""
CLIMBED = (
    ("fma", "order", "reciprocal", "algebra"),
    ("double-rounding", "narrower", "libm", "constant"),
    ("fma", "order", "reciprocal", "algebra", "estimate"),
    ("x87", "double-rounding", "libm"),
    ("fma", "double-rounding", "min-max", "signed-zero", "constant"),
)
"""Hazards that are tried together where states tell more than hashes."""
BENEATH = ("constant", "libm", "libm-ulp", "min-max", "flush", "double-rounding")
"""Hazards that act everywhere in one form beneath another one, which changes what they leave."""
_ROWS = Path(__file__).with_name("rows")


@dataclass(frozen=True)
class Story:
    """How a cause is told: its name, what happens, who does so, and what to do about it."""

    hazard: str
    title: str
    practice: str
    remedy: str


@dataclass(frozen=True)
class Option:
    """A build or an environment that words of a side give, compiled at level `opt`."""

    words: str
    opt: int
    story: Story


@dataclass(frozen=True)
class Rewrite:
    """What a build does to a whole program, called so."""

    text: str
    made: Callable[[Module], Module]
    story: Story


@dataclass(frozen=True)
class Row:
    """What builds do together."""

    title: str
    hazards: Sequence[str]
    practice: str
    remedy: str


def are_kin(one: str, other: str) -> bool:
    """Whether two hazards can give the same bits in many frames."""
    return one == other or any(one in group and other in group for group in KIN)


@cache
def rows() -> tuple[Row, ...]:
    """The rows, in the order of their files' names."""
    return tuple(Row(**tomllib.loads(file.read_text())) for file in sorted(_ROWS.glob("*.toml")))


def story_of(hazards: Sequence[str]) -> Story:
    """The story of hazards that act together: a row's, where they are one."""
    found = [by_name(name) for name in hazards]
    for row in rows():
        if set(row.hazards) == set(hazards):
            return Story(hazards[0], row.title, row.practice, row.remedy)
    return Story(
        hazards[0],
        " and ".join(each.title for each in found),
        "; ".join(each.practice for each in found),
        "; ".join(each.remedy for each in found),
    )


_FAST = Story(
    "mode", "a build with -ffast-math", "-ffast-math, -Ofast, /fp:fast", "build without them"
)
OPTIONS = (
    Option(
        "fpenv=flush", 0,
        Story(
            ENVIRONMENT, "subnormal numbers flushed by the processor",
            "-ffast-math and audio libraries, which set the whole thread to flush",
            "pin the environment where frames are computed",
        ),
    ),
    Option("mode=FAST", 3, _FAST),
    Option("x86-64-v1,mode=FAST", 3, _FAST),
)  # fmt: skip

OTHER_LIBRARY = Story(
    "libm-ulp", "another library's math function, off in some calls",
    "glibc, musl, Microsoft's or Apple's libm, JavaScript engines: each rounds some results "
    "otherwise; samebits' own functions, compiled with contraction or reassociation",
    "call samebits.math, or ship one math library with the program, built strictly",
)  # fmt: skip

SLIP = Story(
    "changed-constant", "another constant",
    "a port by hand with a slip in a number, or one made of an older version of the source",
    "write the same number on both sides",
)  # fmt: skip

REWRITES = (
    Rewrite(
        "every literal a float32", with_single_constants,
        Story(
            "constant", "constants of another type: every literal is a float32",
            "-fsingle-precision-constant, a port whose literals have an f behind them",
            "write float64 literals without an f, or as hex floats",
        ),
    ),
)  # fmt: skip
