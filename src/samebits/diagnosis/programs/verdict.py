"""The verdict on a differing frame: what its operation's bits say, and what was switched.

Owns how sure it is. Certain is alone what was switched by itself, gave side b's hashes in every
frame, and is what the operation's bits say too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samebits.diagnosis.programs.flag_table import row_of
from samebits.diagnosis.programs.mixed import COMPILER, LINK, Switched
from samebits.diagnosis.report.findings import CauseFact
from samebits.foreign.programs.description import ProgramSide


def tell_causes(
    causes: Sequence[CauseFact],
    by_flags: CauseFact | None,
    switched: Switched | None,
    evidence: tuple[str, ...],
    strict: bool,
) -> tuple[tuple[CauseFact, ...], str] | None:
    """The causes and how sure the first is; None where nothing explains anything.

    `causes` are those of the operation's bits, `strict` whether making its lines strict moved the
    difference.
    """
    if not causes and (by_flags is None or switched is None):
        return None
    if not causes:
        assert by_flags is not None
        assert switched is not None
        sure = switched.holds and switched.is_minimal
        return (replace(by_flags, evidence=evidence),), "certain" if sure else "likely"
    agreeing = [] if by_flags is None else [c for c in causes if _agree(c, by_flags)]
    if by_flags is not None:  # what the flag is for, before what else gives these bits
        agreeing.sort(key=lambda cause: cause.hazard != by_flags.hazard)
    first = (agreeing or [causes[0]])[0]
    others = tuple(cause for cause in causes if cause.hazard != first.hazard)
    first = replace(
        first, evidence=(*first.evidence, *evidence),
        frames_same=0 if switched is None else switched.same,
        frames_compared=0 if switched is None else switched.frames,
    )  # fmt: skip
    if not agreeing:
        if by_flags is not None and not strict:
            return (replace(by_flags, evidence=evidence), first), "likely"
        return (first, *others), "likely" if strict else "possible"
    sure = switched is not None and switched.holds and switched.is_minimal
    return (first, *others), "certain" if sure else "likely"


def run_cause(a: ProgramSide, b: ProgramSide) -> CauseFact | None:
    """The cause that one program is run in two ways; None where the sides are built differently."""
    if _build_of(a) != _build_of(b) or _run_of(a) == _run_of(b):
        return None
    mine, theirs = ([*each.run, *(f"{k}={v}" for k, v in each.environment)] for each in (a, b))
    told = [word for word in theirs if word not in mine] or [w for w in mine if w not in theirs]
    return CauseFact(
        "run", f"another command line or environment: {' '.join(told)[:80]}", "", "two runs",
        "run it alike on both sides, or record as input what differs", "", 0, 0,
        ("both sides are one build: how it is run is all that differs",),
    )  # fmt: skip


def _build_of(side: ProgramSide) -> tuple[object, ...]:
    return side.compiler, side.flags, side.link, side.target, side.libm, side.build


def _run_of(side: ProgramSide) -> tuple[object, ...]:
    return side.run, side.environment, side.wrapper


def flags_cause(switched: Switched | None) -> CauseFact | None:
    """The cause that flags are, or that the link is; None where neither was found."""
    if switched is None:
        return None
    if switched.files == (LINK,):
        return CauseFact(
            "flush", "subnormal numbers flushed to zero", "", "-Ofast or -ffast-math at the link "
            "starts the program with FTZ and DAZ (crtfastmath)",
            "link without -ffast-math and -Ofast", "", switched.same, switched.frames,
        )  # fmt: skip
    if switched.flags == (COMPILER,):
        return CauseFact(
            "compiler", "the compilers differ, with the same flags", "", "two compilers",
            "build both with one compiler, to compare", "", switched.same, switched.frames,
        )  # fmt: skip
    rows = [(flag, row_of(flag)) for flag in switched.flags if not flag.startswith("without ")]
    known = [(flag, row) for flag, row in rows if row is not None]
    if known:
        flag, row = known[0]
        name = row.hazards[0] if row.hazards else "flags"
        return CauseFact(
            name, f"{row.title} ({' '.join(f for f, _ in known)})", "", flag, row.remedy, "",
            switched.same, switched.frames,
        )  # fmt: skip
    return None


def _agree(cause: CauseFact, flags: CauseFact) -> bool:
    """Whether a hazard is one that flags let happen."""
    allowed: set[str] = set()
    for flag in flags.title.replace("(", " ").replace(")", " ").split():
        row = row_of(flag) if flag.startswith("-") else None
        allowed |= set(row.hazards) if row is not None else set()
    return bool(allowed & set(cause.hazard.split("+")))
