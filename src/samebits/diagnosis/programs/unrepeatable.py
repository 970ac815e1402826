"""Reasons for which a program does not repeat itself: addresses, unset memory, or the outside.

Owns these experiments: runs at fixed addresses, and one under Valgrind where that is installed.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from samebits.diagnosis.report.findings import CauseFact
from samebits.errors import RunnerError
from samebits.foreign.programs.commands import run_command
from samebits.foreign.programs.description import ProgramSide, filled
from samebits.foreign.programs.noise import noise_of
from samebits.foreign.programs.running import recorded
from samebits.foreign.programs.workshop import Workshop

_FIXED = ("setarch", "--addr-no-randomize")
_FRAME = re.compile(r"^==\d+==\s+(?:at|by) 0x[0-9A-Fa-f]+: (\S.*?) \(([^()\s]+:\d+)\)$")
_UNSET = re.compile(r"uninitialised value\(s\)|Use of uninitialised value")
_ORIGIN = "Uninitialised value was created"
_SLOWER = 60
"""How many times longer a run may take under Valgrind."""


@dataclass(frozen=True, slots=True)
class UnsetUse:
    """A use of memory that nobody set: where, and where that memory comes from."""

    function: str
    place: str
    origin: str


def why_unrepeatable(shop: Workshop, side: ProgramSide, built: Path) -> tuple[CauseFact, str]:
    """The cause for which two runs of a side differ, and how sure it is."""
    uses = unset_uses(shop, side)
    if uses:
        evidence = tuple(f"{each.function}, {each.place}: {each.origin}" for each in uses[:4])
        return unset_cause(evidence), "likely"
    if _repeats_at_fixed_addresses(shop, side, built):
        return (
            _cause(
                "addresses",
                "addresses decide: the order of pointers or of what is hashed by them",
                "give things numbers of their own, and sort and hash by these",
                ("two runs differ, and at fixed addresses (setarch -R) two runs are the same",),
            ),
            "certain",
        )
    return (
        _cause(
            "host",
            "it reads something of its own machine: a clock, random numbers, threads in a race",
            "record such values as inputs; samebits audit names imports of clocks and rand",
            ("two runs differ, at fixed addresses too",),
        ),
        "likely",
    )


def unset_cause(evidence: tuple[str, ...]) -> CauseFact:
    """The cause that memory was read which nobody set."""
    return _cause(
        "uninitialised",
        "memory is read that nobody set",
        "give it a value where it is made",
        evidence,
    )


def _cause(hazard: str, title: str, remedy: str, evidence: tuple[str, ...]) -> CauseFact:
    practice = "two runs of one program on one machine"
    return CauseFact(hazard, title, "", practice, remedy, "", 0, 0, evidence)


def _repeats_at_fixed_addresses(shop: Workshop, side: ProgramSide, built: Path) -> bool:
    if shutil.which(_FIXED[0]) is None:
        return False
    wrapper = (*_FIXED, *side.wrapper)
    try:
        one, other = (
            recorded(shop.program, side, built, shop.path("run.sbt"), wrapper=wrapper).run
            for _ in range(2)
        )
    except RunnerError:
        return False
    return noise_of(one, other) is None


def unset_uses(shop: Workshop, side: ProgramSide) -> list[UnsetUse]:
    """The uses of memory that nobody set, by Valgrind; none where it can't tell.

    The program is built anew with line numbers, which changes no instruction.
    """
    if side.wrapper or shutil.which("valgrind") is None:
        return []
    log = shop.path("valgrind.log")
    try:
        built = shop.built(side, ("-g",))
        places = {"program": str(built), "record": str(shop.path("run.sbt"))}
        places["folder"] = str(shop.program.folder)
        words = filled(side.run or shop.program.run, places)
        run_command(
            ["valgrind", "--track-origins=yes", f"--log-file={log}", *words],
            shop.program.folder, shop.program.seconds * _SLOWER,
            {**dict(side.environment), "SAMEBITS_RECORD": places["record"]},
        )  # fmt: skip
        return parsed_log(log.read_text(errors="replace"))
    except (RunnerError, OSError):
        return []


def parsed_log(text: str) -> list[UnsetUse]:
    """The uses of unset memory in a log of Valgrind's, outside of the recorder."""
    found: list[UnsetUse] = []
    place: tuple[str, str] | None = None
    where = ""
    for line in text.splitlines():
        frame = _FRAME.match(line)
        if _UNSET.search(line):
            place, where = None, "use"
        elif _ORIGIN in line:
            where = "origin"
        elif frame is not None and where == "use" and not frame[1].startswith("sb_"):
            place, where = (frame[1], frame[2]), ""
        elif frame is not None and where == "origin":
            if place is not None:
                found.append(UnsetUse(*place, f"made at {frame[1]}, {frame[2]}"))
            place, where = None, ""
    return list(dict.fromkeys(found))
