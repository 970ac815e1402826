"""Functions of IR with loops of each kind."""

from __future__ import annotations

from typing import Any

from samebits.ir.builder import Builder
from samebits.ir.grammar import Function
from samebits.types import BOOL, FLOAT32, INT, INT64, ArrayType


def counting(step: int) -> Function:
    """Iterations (at most 50), the sum and last of the slot's values, and whether else ran."""
    slots: Any = {"i": INT, "iterations": INT64, "sum": INT64, "other": BOOL}
    b = Builder(f"count{step}", {"start": INT, "stop": INT}, [INT64, INT64, INT, BOOL], slots)
    b.set("iterations", b.const(INT64, 0))
    b.set("sum", b.const(INT64, 0))
    b.set("i", b.const(INT, -99))
    b.set("other", b.const(BOOL, False))
    loop = b.for_("i", b.get("start"), b.get("stop"), step)
    with b.into(loop.body):
        b.set("iterations", b.op("add", b.get("iterations"), b.const(INT64, 1)))
        b.set("sum", b.op("add", b.get("sum"), b.to(INT64, b.get("i"))))
        enough = b.if_(b.op("ge", b.get("iterations"), b.const(INT64, 50)))
        with b.into(enough.then):
            b.break_()
    with b.into(loop.orelse):
        b.set("other", b.const(BOOL, True))
    return b.ret(b.get("iterations"), b.get("sum"), b.get("i"), b.get("other"))


def collatz() -> Function:
    """A while with continue, break and else, and a count that its body may not exceed."""
    b = Builder("collatz", {"n": INT}, [INT, BOOL], {"x": INT, "steps": INT, "whole": BOOL})
    b.set("x", b.get("n"))
    b.set("steps", b.const(INT, 0))
    b.set("whole", b.const(BOOL, False))
    head: list[Any] = []
    with b.into(head):
        more = b.op("ne", b.get("x"), b.const(INT, 1))
    loop = b.while_(more, head)
    with b.into(loop.body):
        stop = b.if_(b.op("gt", b.get("steps"), b.const(INT, 60)))
        with b.into(stop.then):
            b.break_()
        b.set("steps", b.op("add", b.get("steps"), b.const(INT, 1)))
        even = b.if_(b.op("eq", b.op("mod", b.get("x"), b.const(INT, 2)), b.const(INT, 0)))
        with b.into(even.then):
            b.set("x", b.op("floordiv", b.get("x"), b.const(INT, 2)))
            b.continue_()
        b.set("x", b.op("add", b.op("mul", b.get("x"), b.const(INT, 3)), b.const(INT, 1)))
    with b.into(loop.orelse):
        b.set("whole", b.const(BOOL, True))
    return b.ret(b.get("steps"), b.get("whole"))


def sum_of(name: str = "sum") -> Function:
    array = ArrayType(FLOAT32, 1)
    b = Builder(name, {"a": array, "n": INT}, [FLOAT32], {"i": INT, "s": FLOAT32})
    b.set("s", b.const(FLOAT32, 0.0))
    loop = b.for_("i", b.const(INT, 0), b.get("n"))
    with b.into(loop.body):
        b.set("s", b.op("add", b.get("s"), b.load(b.at(b.get("a"), b.get("i")))))
    return b.ret(b.get("s"))
