"""`samebits diagnose --foreign`: two sides of a program that sim.toml describes."""

from __future__ import annotations

from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.programs.driver import diagnose_program
from samebits.diagnosis.report.findings import Diagnosis
from samebits.errors import SideError
from samebits.foreign.programs.description import Program, read_program


def described(path: str, a: str | None, b: str | None) -> tuple[Program, str, str]:
    """The program of a file and the names of two sides. Raises SideError."""
    program = read_program(path)
    names = ", ".join(side.name for side in program.sides)
    for letter, name in (("a", a), ("b", b)):
        if not name:
            raise SideError(
                f"side {letter} is not given", fix=f"give --{letter}: {path} has {names}"
            )
    a, b = a or "", b or ""
    program.side(a)
    program.side(b)
    return program, a, b


def compared(program: Program, a: str, b: str, show: Progress) -> Diagnosis:
    """Build, run and compare both."""
    return diagnose_program(program, a, b, show)
