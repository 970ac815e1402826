"""Random small kernels as IR: loop nests over arrays, with bounds and offsets of any kind."""

from __future__ import annotations

from random import Random

from samebits.ir.builder import Builder
from samebits.ir.grammar import Module, Region, Value
from samebits.types import (
    BOOL,
    INT,
    INT32,
    UINT8,
    ArrayType,
    FixedArrayType,
    RefType,
    StructType,
)

ARRAY = ArrayType(INT32, 1)
GRID = ArrayType(INT32, 2)
BOX = StructType("Box", (("count", INT32), ("cells", FixedArrayType(INT32, (8,)))))
PARAMS = {
    "a": ARRAY, "b": ARRAY, "g": GRID, "s": RefType(BOX),
    "n": INT, "m": INT, "k": INT32, "u": UINT8,
}  # fmt: skip
SMALL = (0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 63, 64, -1, -2, -3)
EXTREME = (2**63 - 1, -(2**63), 2**62, -(2**62), 2**40, 2**48 + 1, 2**31, 2**31 - 1, -(2**31))


class Programs:
    """Writes one function; every choice comes from `random`."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.slots = {"t": INT, "q": INT, "w": INT32, "p": BOOL, "r": INT}
        self.slots |= {f"i{d}": INT for d in range(8)} | {f"c{d}": INT for d in range(8)}
        self.b = Builder("f", PARAMS, [INT, INT, INT32], self.slots)
        self.ints = ["n", "m", "t", "q"]
        self.compared: list[tuple[str, str]] = []
        self.loops = 0
        self.made = 0
        self.budget = random.randrange(4, 14)

    def module(self) -> Module:
        b = self.b
        for slot in ("t", "q", "r"):
            b.set(slot, b.const(INT, self.random.choice(SMALL)))
        b.set("w", b.const(INT32, self.random.choice(SMALL)))
        b.set("p", b.const(BOOL, False))
        self.block(0)
        b.ret(b.get("t"), b.get("q"), b.get("w"))
        return Module({"f": b.function})

    # --- expressions ---

    def number(self, depth: int = 0) -> Value:
        """A weak int, most often something simple over a loop's slot."""
        b, r = self.b, self.random
        roll = r.random()
        if depth > 2 or roll < 0.45:
            return b.get(r.choice(self.ints[-3:] if r.random() < 0.7 else self.ints))
        if roll < 0.6:
            return b.const(INT, r.choice(EXTREME) if r.random() < 0.06 else r.choice(SMALL))
        if roll < 0.8:
            return b.op(r.choice(("add", "sub", "add", "sub", "mul")),
                        self.number(depth + 1), b.const(INT, r.choice(SMALL[:6])))  # fmt: skip
        if roll < 0.87:
            opcode = r.choice(("add", "sub", "mul", "min", "max", "floordiv", "mod", "and", "or",
                               "shl", "shr"))  # fmt: skip
            return b.op(opcode, self.number(depth + 1), self.number(depth + 1))
        if roll < 0.9:
            opcode = r.choice(("floordiv", "mod", "shr", "and", "min", "max", "shl"))
            return b.op(opcode, self.number(depth + 1), b.const(INT, r.choice((1, 2, 3, 7, 8, 15))))
        if roll < 0.92:
            return b.op(r.choice(("neg", "abs", "not")), self.number(depth + 1))
        if roll < 0.94:
            return b.op("select", self.condition(), self.number(depth + 1), self.number(depth + 1))
        if roll < 0.97:
            return b.to(INT, self.fixed(depth + 1))
        return self.length()

    def fixed(self, depth: int = 0) -> Value:
        """An int32."""
        b, r = self.b, self.random
        match r.randrange(7):
            case 0:
                return b.get("w")
            case 1:
                return b.to(INT32, self.number(depth + 1), r.choice(("narrow", "convert")))
            case 2 if depth < 3:
                opcode = r.choice(("add", "sub", "mul", "min", "max", "floordiv", "mod", "shl"))
                return b.op(opcode, self.fixed(depth + 1), self.fixed(depth + 1))
            case 3 if depth < 3:
                return b.op(r.choice(("add", "sub", "mul", "mod")), self.fixed(depth + 1),
                            b.const(INT32, r.choice((1, 2, 3, 8))))  # fmt: skip
            case 4:
                return b.to(INT32, b.get("u"))
            case 5:
                return b.load(self.place())
            case _:
                return b.get("k")

    def condition(self) -> Value:
        b, r = self.b, self.random
        if r.random() < 0.1:
            return b.get("p")
        if r.random() < 0.15:
            return b.op(r.choice(("and", "or")), self.condition(), self.condition())
        if r.random() < 0.1:
            return b.op("not", self.condition())
        opcode = r.choice(("lt", "le", "gt", "ge", "eq", "ne"))
        if r.random() < 0.4:
            slot, array = r.choice(self.ints), r.choice(("a", "b"))
            self.compared.append((slot, array))
            right = b.length(b.get(array)) if r.random() < 0.7 else b.const(INT, r.choice((0, 1)))
            return b.op(opcode, b.get(slot), right)
        left = self.number(1)
        right = self.length() if r.random() < 0.3 else self.number(1)
        return b.op(opcode, left, right)

    def length(self) -> Value:
        b, r = self.b, self.random
        array = r.choice(("a", "b", "g"))
        value = b.length(b.get(array), r.randrange(2) if array == "g" else 0)
        if r.random() < 0.3:
            value = b.op("sub", value, b.const(INT, r.choice((1, 2))))
        return value

    def place(self) -> Value:
        b, r = self.b, self.random
        compared = [(slot, array) for slot, array in self.compared if slot in self.ints]
        if compared and r.random() < 0.4:
            slot, array = compared[-1]
            at = b.get(slot)
            if r.random() < 0.3:
                at = b.op(r.choice(("add", "sub")), at, b.const(INT, 1))
            return b.at(b.get(array), at)
        match r.choice("aabgsv"):
            case "g":
                grid = b.get("g")
                y, x = self.number(1), self.number(1)
                b.index(y, b.length(grid, 0))
                b.index(x, b.length(grid, 1))
                return b.element(grid, y, x)
            case "s":
                cells = b.field(b.get("s"), "cells")
                at = self.number(1)
                b.index(at, b.const(INT, 8))
                return b.element(cells, at)
            case "v":
                return b.at(b.view(b.field(b.get("s"), "cells")), self.number(1))
            case name:
                return b.at(b.get(name), self.number(1))

    # --- statements ---

    def block(self, depth: int) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        b, r = self.b, self.random
        self.budget -= 1
        roll = r.random()
        if self.budget > 0 and depth < 4 and roll < 0.35:
            self.counted(depth)
        elif self.budget > 0 and depth < 4 and roll < 0.42:
            self.uncounted(depth)
        elif self.budget > 0 and depth < 5 and roll < 0.57:
            self.branch(depth)
        elif roll < 0.8:
            b.store(self.place(), self.fixed())
        elif roll < 0.9:
            b.set(r.choice(("t", "q")), self.number())
        elif roll < 0.93:
            b.set("w", self.fixed())
        elif roll < 0.95:
            b.set("p", self.condition())
        elif roll < 0.97:
            b.emit("assert", self.condition(), attr="so")
        elif self.loops and depth:
            self.jump()

    def jump(self) -> None:
        b = self.b
        leave = b.if_(self.condition())
        with b.into(leave.then):
            match self.random.randrange(3):
                case 0:
                    b.break_()
                case 1:
                    b.continue_()
                case _:
                    b.ret(b.get("t"), b.get("q"), b.get("w"))

    def counted(self, depth: int) -> None:
        b, r = self.b, self.random
        slot = f"i{self.made % 8}"
        self.made += 1
        start = (
            b.const(INT, r.choice((0, 0, 0, 1, 1, 2, -1))) if r.random() < 0.7 else self.number()
        )
        roll = r.random()
        if roll < 0.45:
            stop = self.length()
        elif roll < 0.6:
            stop = b.const(INT, r.choice((2, 3, 8)))
        else:
            stop = self.number(2 if roll < 0.8 else 0)
        step = r.choice((1, 1, 1, 1, 2, 3, -1, -1, -2, 2**62))
        if step < 0:
            start, stop = (b.op("sub", stop, b.const(INT, 1)), b.op("sub", start, b.const(INT, 1)))
        loop = b.for_(slot, start, stop, step)
        self.ints.append(slot)
        self.loops += 1
        with b.into(loop.body):
            b.get("t")
            self.block(depth + 1)
            if r.random() < 0.3:
                b.set("t", b.op(r.choice(("add", "sub")), b.get("t"), b.const(INT, 1)))
            if r.random() < 0.05:
                b.set(slot, self.number())
        self.loops -= 1
        self.ints.pop()
        if r.random() < 0.1:
            with b.into(loop.orelse):
                self.statement(depth + 1)

    def uncounted(self, depth: int) -> None:
        b, r = self.b, self.random
        slot = f"c{self.made % 8}"
        self.made += 1
        b.set(slot, b.const(INT, r.choice((0, 0, 1, 5))))
        self.ints.append(slot)
        head: Region = []
        with b.into(head):
            stop = self.length() if r.random() < 0.6 else self.number(1)
            condition = b.op(r.choice(("lt", "le", "ne")), b.get(slot), stop)
        loop = b.while_(condition, head)
        self.loops += 1
        with b.into(loop.body):
            self.block(depth + 1)
            opcode = "sub" if r.random() < 0.1 else "add"
            b.set(slot, b.op(opcode, b.get(slot), b.const(INT, r.choice((1, 1, 2)))))
        self.loops -= 1
        self.ints.pop()

    def branch(self, depth: int) -> None:
        b, r = self.b, self.random
        statement = b.if_(self.condition())
        with b.into(statement.then):
            self.block(depth + 1)
        if r.random() < 0.5:
            with b.into(statement.orelse):
                self.block(depth + 1)


def argument(random: Random) -> int:
    """A weak int to call with: most often near the arrays' lengths."""
    return random.choice(EXTREME) if random.random() < 0.2 else random.randrange(-2, 10)
