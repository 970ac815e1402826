"""Kernels as the front end writes them, whose loops must come out of the passes without checks."""

from __future__ import annotations

from collections.abc import Callable

from samebits.ir.builder import Builder
from samebits.ir.grammar import For, Function, Region, Value, ValueType
from samebits.types import (
    FLOAT32,
    INT,
    INT32,
    ArrayType,
    FixedArrayType,
    RefType,
    StructType,
)

VECTOR = ArrayType(FLOAT32, 1)
GRID = ArrayType(FLOAT32, 2)
BOX = StructType("Box", (("cells", FixedArrayType(FLOAT32, (64,))),))
INTS: dict[str, ValueType] = {slot: INT for slot in ("i", "j", "x", "y", "u", "v", "t")}


class Kernel(Builder):
    """A builder with the shapes that occur in every loop."""

    def __init__(self, name: str, params: dict[str, ValueType]) -> None:
        super().__init__(name, params, [], {**INTS, "k": INT32, "sum": FLOAT32})

    def number(self, value: int) -> Value:
        return self.const(INT, value)

    def plus(self, slot: str, by: int) -> Value:
        """slot + by, the way it is written in the source."""
        return self.op("sub" if by < 0 else "add", self.get(slot), self.number(abs(by)))

    def read(self, array: str, at: Value) -> Value:
        return self.load(self.at(self.get(array), at))

    def write(self, array: str, at: Value, value: Value) -> None:
        self.store(self.at(self.get(array), at), value)

    def cell(self, grid: str, y: Value, x: Value) -> Value:
        array = self.get(grid)
        self.index(y, self.length(array, 0))
        self.index(x, self.length(array, 1))
        return self.element(array, y, x)

    def sum(self, *values: Value) -> Value:
        total, *rest = values
        for value in rest:
            total = self.op("add", total, value)
        return total

    def loop(self, slot: str, start: Value, stop: Value, step: int = 1) -> Region:
        statement: For = self.for_(slot, start, stop, step)
        return statement.body


def axpy() -> Function:
    """for i in range(len(a)): a[i] = a[i] * s + b[i]"""
    b = Kernel("axpy", {"a": VECTOR, "b": VECTOR, "s": FLOAT32})
    with b.into(b.loop("i", b.number(0), b.length(b.get("a")))):
        scaled = b.op("mul", b.read("a", b.get("i")), b.get("s"))
        b.write("a", b.get("i"), b.op("add", scaled, b.read("b", b.get("i"))))
    return b.ret()


def stencil(bound: str) -> Function:
    """for i in range(1, n - 1): b[i] = a[i-1] + a[i] + a[i+1]"""
    b = Kernel("stencil", {"a": VECTOR, "b": VECTOR, "n": INT})
    n = b.get("n") if bound == "param" else b.length(b.get("a"))
    with b.into(b.loop("i", b.number(1), b.op("sub", n, b.number(1)))):
        parts = [b.read("a", b.plus("i", by)) for by in (-1, 0, 1)]
        b.write("b", b.get("i"), b.sum(*parts))
    return b.ret()


def five_points() -> Function:
    """The 2-D stencil over the inner cells of g, into h."""
    b = Kernel("five_points", {"g": GRID, "h": GRID})
    height = b.op("sub", b.length(b.get("g"), 0), b.number(1))
    with b.into(b.loop("y", b.number(1), height)):
        width = b.op("sub", b.length(b.get("g"), 1), b.number(1))
        with b.into(b.loop("x", b.number(1), width)):
            around = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
            parts = [b.load(b.cell("g", b.plus("y", dy), b.plus("x", dx))) for dy, dx in around]
            b.store(b.cell("h", b.get("y"), b.get("x")), b.sum(*parts))
    return b.ret()


def cells() -> Function:
    """for i in range(64): box.cells[i] = box.cells[i] * s"""
    b = Kernel("cells", {"box": RefType(BOX), "s": FLOAT32})
    with b.into(b.loop("i", b.number(0), b.number(64))):
        i = b.get("i")
        b.index(i, b.number(64))
        cell = b.element(b.field(b.get("box"), "cells"), i)
        b.store(cell, b.op("mul", b.load(cell), b.get("s")))
    return b.ret()


def fixed_bound() -> Function:
    """for i in range(n32): a[i] = b[i]"""
    b = Kernel("fixed_bound", {"a": VECTOR, "b": VECTOR, "n": INT32})
    with b.into(b.loop("i", b.number(0), b.to(INT, b.get("n")))):
        b.write("a", b.get("i"), b.read("b", b.get("i")))
    return b.ret()


def fixed_index() -> Function:
    """for i in range(n32): k = int32(i); a[k] = b[k + int32(1)]"""
    b = Kernel("fixed_index", {"a": VECTOR, "b": VECTOR, "n": INT32})
    with b.into(b.loop("i", b.number(0), b.to(INT, b.get("n")))):
        b.set("k", b.to(INT32, b.get("i"), "narrow"))
        after = b.op("add", b.get("k"), b.const(INT32, 1))
        value = b.read("b", b.to(INT, after))
        b.write("a", b.to(INT, b.get("k")), value)
    return b.ret()


def fixed_index_of_any_length() -> Function:
    """for i in range(len(a)): k = int32(i); a[k] = b[2 * k]"""
    b = Kernel("fixed_index_of_any_length", {"a": VECTOR, "b": VECTOR})
    with b.into(b.loop("i", b.number(0), b.length(b.get("a")))):
        b.set("k", b.to(INT32, b.get("i"), "narrow"))
        twice = b.op("mul", b.get("k"), b.const(INT32, 2))
        value = b.read("b", b.to(INT, twice))
        b.write("a", b.to(INT, b.get("k")), value)
    return b.ret()


def flattened() -> Function:
    """for y in range(h): for x in range(w): a[y * w + x] = b[(y + 1) * w + x]"""
    b = Kernel("flattened", {"a": VECTOR, "b": VECTOR, "w": INT, "h": INT})
    with (
        b.into(b.loop("y", b.number(0), b.get("h"))),
        b.into(b.loop("x", b.number(0), b.get("w"))),
    ):
        below = b.op("add", b.op("mul", b.plus("y", 1), b.get("w")), b.get("x"))
        value = b.read("b", below)
        here = b.op("add", b.op("mul", b.get("y"), b.get("w")), b.get("x"))
        b.write("a", here, value)
    return b.ret()


def row() -> Function:
    """for x in range(w): a[n * w + x] = s"""
    b = Kernel("row", {"a": VECTOR, "n": INT, "w": INT, "s": FLOAT32})
    with b.into(b.loop("x", b.number(0), b.get("w"))):
        at = b.op("add", b.op("mul", b.get("n"), b.get("w")), b.get("x"))
        b.write("a", at, b.get("s"))
    return b.ret()


def shifted() -> Function:
    """for i in range(n): a[i + m] = s"""
    b = Kernel("shifted", {"a": VECTOR, "n": INT, "m": INT, "s": FLOAT32})
    with b.into(b.loop("i", b.number(0), b.get("n"))):
        b.write("a", b.op("add", b.get("i"), b.get("m")), b.get("s"))
    return b.ret()


def strided() -> Function:
    """for i in range(0, n, 2): a[i] = b[i + 1]"""
    b = Kernel("strided", {"a": VECTOR, "b": VECTOR, "n": INT})
    with b.into(b.loop("i", b.number(0), b.get("n"), 2)):
        b.write("a", b.get("i"), b.read("b", b.plus("i", 1)))
    return b.ret()


def backwards() -> Function:
    """for i in range(n - 1, -1, -1): a[i] = b[n - 1 - i]"""
    b = Kernel("backwards", {"a": VECTOR, "b": VECTOR, "n": INT})
    with b.into(b.loop("i", b.op("sub", b.get("n"), b.number(1)), b.number(-1), -1)):
        mirrored = b.op("sub", b.op("sub", b.get("n"), b.number(1)), b.get("i"))
        b.write("a", b.get("i"), b.read("b", mirrored))
    return b.ret()


def periodic() -> Function:
    """for i in range(n): a[i] = b[i - 1 if i > 0 else n - 1] + b[(i + 1) % n]"""
    b = Kernel("periodic", {"a": VECTOR, "b": VECTOR, "n": INT})
    with b.into(b.loop("i", b.number(0), b.get("n"))):
        choice = b.if_(b.op("gt", b.get("i"), b.number(0)))
        with b.into(choice.then):
            b.set("j", b.plus("i", -1))
        with b.into(choice.orelse):
            b.set("j", b.op("sub", b.get("n"), b.number(1)))
        left = b.read("b", b.get("j"))
        right = b.read("b", b.op("mod", b.plus("i", 1), b.get("n")))
        b.write("a", b.get("i"), b.op("add", left, right))
    return b.ret()


def clamped() -> Function:
    """n = len(a); for i in range(n): a[i] = b[max(0, min(i - 2, n - 1))]"""
    b = Kernel("clamped", {"a": VECTOR, "b": VECTOR})
    b.set("t", b.length(b.get("a")))
    with b.into(b.loop("i", b.number(0), b.get("t"))):
        least = b.op("min", b.plus("i", -2), b.op("sub", b.get("t"), b.number(1)))
        b.write("a", b.get("i"), b.read("b", b.op("max", b.number(0), least)))
    return b.ret()


def guarded() -> Function:
    """for i in range(n): if i + 1 < m: a[i] = b[i + 1]"""
    b = Kernel("guarded", {"a": VECTOR, "b": VECTOR, "n": INT, "m": INT})
    with b.into(b.loop("i", b.number(0), b.get("n"))):
        inside = b.if_(b.op("lt", b.plus("i", 1), b.get("m")))
        with b.into(inside.then):
            b.write("a", b.get("i"), b.read("b", b.plus("i", 1)))
    return b.ret()


def blur() -> Function:
    """A 3 by 3 sum: loops of three iterations inside the loops over y and x."""
    b = Kernel("blur", {"g": GRID, "h": GRID})
    height = b.op("sub", b.length(b.get("g"), 0), b.number(1))
    with b.into(b.loop("y", b.number(1), height)):
        width = b.op("sub", b.length(b.get("g"), 1), b.number(1))
        with b.into(b.loop("x", b.number(1), width)):
            b.set("sum", b.const(FLOAT32, 0.0))
            with (
                b.into(b.loop("v", b.number(-1), b.number(2))),
                b.into(b.loop("u", b.number(-1), b.number(2))),
            ):
                y = b.op("add", b.get("y"), b.get("v"))
                x = b.op("add", b.get("x"), b.get("u"))
                b.set("sum", b.op("add", b.get("sum"), b.load(b.cell("g", y, x))))
            b.store(b.cell("h", b.get("y"), b.get("x")), b.get("sum"))
    return b.ret()


def rows_of_lanes() -> Function:
    """for y in range(n): for x in range(64): box.cells[x] = box.cells[x] + a[y * 64 + x]"""
    b = Kernel("rows_of_lanes", {"box": RefType(BOX), "a": VECTOR, "n": INT})
    with (
        b.into(b.loop("y", b.number(0), b.get("n"))),
        b.into(b.loop("x", b.number(0), b.number(64))),
    ):
        b.index(b.get("x"), b.number(64))
        lane = b.element(b.field(b.get("box"), "cells"), b.get("x"))
        at = b.op("add", b.op("mul", b.get("y"), b.number(64)), b.get("x"))
        b.store(lane, b.op("add", b.load(lane), b.read("a", at)))
    return b.ret()


def counting_while() -> Function:
    """i = 0; while i < len(a): a[i] = s; i += 1"""
    b = Kernel("counting_while", {"a": VECTOR, "s": FLOAT32})
    b.set("i", b.number(0))
    head: Region = []
    with b.into(head):
        condition = b.op("lt", b.get("i"), b.length(b.get("a")))
    with b.into(b.while_(condition, head).body):
        b.write("a", b.get("i"), b.get("s"))
        b.set("i", b.plus("i", 1))
    return b.ret()


KERNELS: dict[str, Callable[[], Function]] = {
    "axpy": axpy,
    "stencil_to_param": lambda: stencil("param"),
    "stencil_to_length": lambda: stencil("length"),
    "five_points": five_points,
    "cells": cells,
    "fixed_bound": fixed_bound,
    "fixed_index": fixed_index,
    "fixed_index_of_any_length": fixed_index_of_any_length,
    "flattened": flattened,
    "row": row,
    "shifted": shifted,
    "strided": strided,
    "backwards": backwards,
    "periodic": periodic,
    "clamped": clamped,
    "guarded": guarded,
    "blur": blur,
    "rows_of_lanes": rows_of_lanes,
    "counting_while": counting_while,
}

UNTESTED = {"cells", "counting_while"}
"""Kernels that need no test before the loop either: everything is plain from the source."""
