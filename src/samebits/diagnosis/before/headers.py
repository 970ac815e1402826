"""The headers of two sides, compared: program, options, run and machine, a row each.

Owns which of them make a suspect, and what a difference means. Knows nothing of frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from samebits.desync.machine import Machine
from samebits.diagnosis.report.findings import HeaderFact
from samebits.errors import SamebitsError
from samebits.modes import Options, to_text
from samebits.replay.header import ReplayHeader
from samebits.runtime.fp_state.registers import REGISTERS
from samebits.sides.words import read_words


@dataclass(frozen=True, slots=True)
class Header:
    """The description that one side gives of itself: of its run, and of its machine if that is
    known."""

    run: ReplayHeader
    machine: Machine | None = None
    words: str = ""
    """The side in words: what of them are options of kernels is not all in the replay's header."""

    def option(self, name: str) -> str:
        """An option among the words, as they spell it; its default where they leave it out, and
        empty where there are none."""
        if not self.words:
            return ""
        try:
            given = read_words(self.words).options
        except SamebitsError:  # a target that this machine does not know
            return ""
        value = to_text(given.get(name, getattr(Options(), name)))
        return value if isinstance(value, str) else "on" if value else "off"


@dataclass(frozen=True, slots=True)
class _Row:
    """One fact of a header: its name, how it is read (empty where unknown), and what follows from
    a difference."""

    name: str
    read: Callable[[Header], str]
    meaning: str


def _of_machine(read: Callable[[Machine], str]) -> Callable[[Header], str]:
    return lambda header: "" if header.machine is None else read(header.machine)


def _fingerprint(machine: Machine) -> str:
    """Its part that covers what samebits promises; the rest is of the host's own libraries."""
    strict, broken = machine.fingerprint[:20], " (broken)" * ("broken" in machine.fingerprint)
    return f"{strict}{broken}"


def _units(machine: Machine) -> str:
    """The source files that were not compiled strictly."""
    loose = [unit for unit in machine.units if not unit.endswith(": strict")]
    return "; ".join(loose) or "strict" * bool(machine.units)


_ROWS = (
    _Row("version", lambda h: h.run.version, "run one version on both machines"),
    _Row("digest", lambda h: h.run.digest[:16],
         "kernels, constants or types are not the same: give the other source, --b source=PATH"),
    _Row("mode", lambda h: h.run.mode, "build both with one float mode"),
    _Row("precision", lambda h: h.run.precision, "call math functions of one precision on both"),
    _Row("contract", lambda h: h.option("contract"), "contract products and sums on both or none"),
    _Row("denormals", lambda h: h.option("denormals"), "flush subnormal numbers on both or none"),
    _Row("seed", lambda h: str(h.run.seed), "give both machines one seed, and report one replay"),
    _Row("tick rate", lambda h: str(h.run.tick_rate), "run both at one tick rate"),
    _Row("samebits", _of_machine(lambda m: m.samebits), "install one version of samebits on both"),
    _Row("LLVM", _of_machine(lambda m: m.llvm), "install one version of llvmlite on both"),
    _Row("fingerprint", _of_machine(_fingerprint),
         "run `samebits doctor` on both: arithmetic or the math library differs"),
    _Row("floating-point environment", _of_machine(lambda m: m.environment),
         "run `samebits doctor` there: something has changed how that thread computes"),
    _Row("source files", _of_machine(_units),
         "compile them strictly on both: -ffp-contract=off -fno-fast-math, and SAMEBITS_CHECK()"),
    _Row("compiler", _of_machine(lambda m: m.compiler), "build both with one compiler, to compare"),
)  # fmt: skip


def compared(a: Header, b: Header) -> tuple[HeaderFact, ...]:
    """The facts that both sides tell and that differ, the most telling first."""
    return (*_rows(a, b), *_words(a.machine, b.machine))


def _rows(a: Header, b: Header) -> Iterator[HeaderFact]:
    for row in _ROWS:
        mine, theirs = row.read(a), row.read(b)
        if mine and theirs and mine != theirs:
            yield HeaderFact(row.name, mine, theirs, row.meaning)


def _words(a: Machine | None, b: Machine | None) -> Iterator[HeaderFact]:
    """Control words of one register, in the bits that change results."""
    if a is None or b is None:
        return
    theirs = dict(b.registers)
    for name, word in a.registers:
        other = theirs.get(name, word)
        sticky = REGISTERS[name].sticky if name in REGISTERS else 0
        if (word ^ other) & ~sticky:
            meaning = "run `samebits doctor` on both: it says what the bits do, and who set them"
            yield HeaderFact(f"FP word {name}", f"{word:#06x}", f"{other:#06x}", meaning)
