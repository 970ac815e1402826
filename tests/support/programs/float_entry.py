"""An entry whose results and traps tell of the floating-point environment it ran in."""

from __future__ import annotations

from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module
from samebits.runtime.native import NativeEntry, NativeModule
from samebits.types import FLOAT64, INT


def entry(opt: int, level: str = "x86-64-v1") -> NativeEntry:
    """x/y (inexact), x*1 (subnormal operand and result), and whether y is positive, or a trap."""
    b = Builder("k", {"x": FLOAT64, "y": FLOAT64, "n": INT}, [FLOAT64, FLOAT64])
    x, y = b.get("x"), b.get("y")
    b.index(b.get("n"), b.const(INT, 5))
    function = b.ret(b.op("div", x, y), b.op("mul", x, b.const(FLOAT64, 1.0)))
    target = next(r.target for r in engine.available_targets() if r.target.name == level)
    compiled = compile_module(Module({"k": function}), ["k"], target, opt)
    return NativeModule(compiled, 1).entry(0)
