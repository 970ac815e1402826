"""Desync reports with another program inside, whose step recurses or nests calls deeply."""

from __future__ import annotations

from dataclasses import replace

from samebits.desync.format import PROGRAM, Key
from samebits.desync.record import ReportRequest
from samebits.desync.report import Report
from samebits.desync.writer import report_bytes
from samebits.ir.grammar import Module
from samebits.ir.text import parse_module
from samebits.sides.side import parse_side
from samebits.sim.sources import PlayerSource
from tests.support.runs.desync_files import SMALL, made

AT = "@1:0-1"


def function(name: str, body: str, head: str = "") -> str:
    first = f'function "{name}" {AT}\n  source "x.py" "{name}"\n'
    return f"{first}{head}  body\n{body}    return {AT}\n\n"


def calls(depth: int, each: int) -> str:
    """Functions of which each calls the one before it so many times."""
    text = function("f0", "")
    for n in range(1, depth):
        body = "".join(f'    %{k} = call "f{n - 1}" {AT}\n' for k in range(each))
        text += function(f"f{n}" if n < depth - 1 else "last", body)
    return text


def filling() -> str:
    """Fills its memory, a million bytes, in a thousand iterations."""
    body = f"    %1 = const 0: int {AT}\n    %2 = const 1000: int {AT}\n"
    body += f'    for#0 "i" = %1, %2, 1 {AT}\n'
    body += f'      %3 = local "big": ref<uint8[1000000]> {AT}\n      %4 = zero %3 {AT}\n'
    return function("last", body, '  slot "i": int\n  local "big": uint8[1000000]\n')


DEEP = "the report's program nests more than 96 calls and regions"


def report(text: str = "evaluate,hazard=fma,from=12") -> Report:
    source = PlayerSource(SMALL, "push", 1, 40)
    return made(source, ReportRequest(range(10, 20)), parse_side(text, SMALL))


def brought(whole: Report, functions: str, called: str) -> bytes:
    """The report with a program whose step calls one more function, read from a file."""
    text = whole.parts[Key(PROGRAM, 0)].decode()
    first, step = text.index("function "), text.index('function "small_simulation.step"')
    body = text.index("  body\n", step) + len("  body\n")
    text = "".join([
        text[:first], functions, text[first:body], f'    %9999 = call "{called}" {AT}\n',
        text[body:],
    ])  # fmt: skip
    contents = replace(whole.contents, program=len(text))
    parts = {**whole.parts, Key(PROGRAM, 0): text.encode()}
    data = report_bytes(replace(whole, parts=parts, contents=contents))
    assert len(data) < 20_000
    return data


def sums(count: int) -> Module:
    """A function in which each product and sum may be fused, or not."""
    body = f"    %0 = const 0x1.8p+0: float64 {AT}\n"
    for k in range(1, 2 * count, 2):
        body += f"    %{k} = mul %{k - 1}, %0: float64 {AT}\n"
        body += f"    %{k + 1} = add %{k}, %0: float64 {AT}\n"
    return parse_module("samebits ir 1\n\n" + function("f", body).rstrip("\n") + "\n")
