"""The question about one operation that `samebits explain` takes, with what side b observed."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from samebits.diagnosis.cause.observations import Observation
from samebits.errors import ArgumentError
from samebits.fpmodel.parse import parse
from samebits.fpmodel.softfloat import FLOAT64
from samebits.fpmodel.tree import written
from samebits.hazards.expressions import Site


@dataclass(frozen=True)
class Asked:
    """A question: what an expression of `operands`, bits by name, is that gave `result`."""

    expression: str
    operands: dict[str, str]
    result: str
    type: str


def read(command: str) -> Asked | None:
    """The question of a command that `asked` made; None for an empty one."""
    if not command:
        return None
    _, _, expression, *words = shlex.split(command)
    got = words.index("--got")
    operands = dict(word.split("=") for word in words[:got])
    wide = "float64" in words[got:]
    return Asked(expression, operands, words[got + 1], "float64" if wide else "float32")


def asked(site: Site, seen: Observation) -> str:
    """The command, to be pasted into a shell; empty where explain takes no such expression."""
    form, text = site.form, written(site.tree)
    if not site.result.is_float or site.result.bits != form.bits:
        return ""
    text = f"({text})" if text.startswith("-") else text
    try:
        parse(text)
    except ArgumentError:
        return ""
    digits = form.bits // 4
    given = [f"{name}=0x{bits:0{digits}x}" for name, bits in seen.given.items()]
    wide = ["--type float64"] if form == FLOAT64 else []
    got = f"--got 0x{seen.result:0{digits}x}"
    return " ".join(["samebits explain", f'"{text}"', *given, got, *wide])
