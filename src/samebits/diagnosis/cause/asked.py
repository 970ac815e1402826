"""The question about one operation that `samebits explain` takes, with what side b observed."""

from __future__ import annotations

from samebits.diagnosis.cause.observations import Observation
from samebits.errors import ArgumentError
from samebits.fpmodel.parse import parse
from samebits.fpmodel.softfloat import FLOAT64
from samebits.fpmodel.tree import written
from samebits.hazards.expressions import Site


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
