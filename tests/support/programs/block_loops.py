"""Random loops whose checks can be made ahead of a block of iterations, or nearly so."""

from __future__ import annotations

from random import Random

from samebits.frontend.compile import compile_kernel, link
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module, Value, ValueType
from samebits.lang.fixed_wide import multiply
from samebits.types import BOOL, INT, INT32, INT64, UINT8, UINT64, ArrayType, ScalarType

LIBRARY = link(compile_kernel(multiply, (INT64,) * 3))
MULTIPLY = LIBRARY.functions["samebits.lang.fixed_wide.multiply"]
ARRAY = ArrayType(INT64, 1)
PARAMS: dict[str, ValueType] = {
    "a": ArrayType(INT64, 1, True),
    "b": ARRAY,
    "out": ARRAY,
    "n": INT,
    "k": INT64,
}
SLOTS: dict[str, ValueType] = {"i": INT, "x": INT64, "y": INT64, "p": BOOL}
CONSTANTS = (0, 1, -1, 3, 1 << 20, 1 << 32, 1 << 62, -(1 << 63))


class BlockLoop(Builder):
    """Writes one function; every choice comes from `random`. `odd` is how often a statement is
    one that keeps a loop from going in blocks."""

    def __init__(self, random: Random, odd: float = 0.05) -> None:
        super().__init__("f", PARAMS, [INT64], SLOTS)
        self.random = random
        self.odd = odd
        self.values: list[Value] = []
        self.set_slots: set[str] = set()

    def module(self) -> Module:
        r = self.random
        self.set("x", self.const(INT64, 5))
        self.set("y", self.const(INT64, -5))
        array = r.choice(("a", "b", "out"))
        stop = self.get("n") if r.random() < 0.3 else self.length(self.get(array))
        loop = self.for_("i", self.const(INT, r.choice((0, 0, 0, 1, 2))), stop)
        with self.into(loop.body):
            self.values = [self.get("k"), self.load_from(r.choice(("a", "b", "out")))]
            for _ in range(r.randrange(2, 8)):
                self.statement(0)
            self.write()
            if r.random() < 0.3:
                self.statement(0)
        self.ret(self.get("x"))
        return Module({**LIBRARY.functions, "f": self.function})

    def place(self) -> Value:
        i = self.get("i")
        if self.random.random() >= self.odd:
            return i
        return self.op(self.random.choice(("add", "sub")), i, self.const(INT, 1))

    def load_from(self, array: str) -> Value:
        return self.load(self.at(self.get(array), self.place()))

    def write(self) -> None:
        self.store(self.at(self.get(self.random.choice(("out", "b"))), self.place()), self.value())

    def value(self) -> Value:
        if self.random.random() < 0.2:
            return self.const(INT64, self.random.choice(CONSTANTS))
        return self.random.choice(self.values)

    def statement(self, depth: int) -> None:
        r = self.random
        kinds = ["load", "product", "sum", "sum", "narrow", "check", "set", "set", "if", "write"]
        kind = r.choice(kinds)
        if r.random() < self.odd:
            kind = r.choice(("carried", "divide"))
        match kind:
            case "load":
                self.values.append(self.load_from(r.choice(("a", "b", "out"))))
            case "product":
                bits = self.const(INT64, r.choice((16, 32, 63)))
                result, excess = self.call(MULTIPLY, self.value(), self.value(), bits)
                failing = self.op("ne", excess, self.const(INT32, 0))
                self.emit("overflow", failing)
                self.values.append(result)
            case "sum":
                a, b = self.to(INT, self.value()), self.to(INT, self.value())
                opcode = r.choice(("add", "sub", "add", "sub", "mul"))
                self.values.append(self.to(INT64, self.op(opcode, a, b)))
            case "narrow":
                self.narrow(r.choice((INT32, UINT8, UINT64, INT64)))
            case "check":
                test = self.op(r.choice(("lt", "eq")), self.value(), self.value())
                self.emit(r.choice(("overflow", "assert")), test)
            case "set":
                slot = r.choice(("x", "y"))
                self.set(slot, self.value())
                self.set_slots.add(slot)
                self.values.append(self.get(slot))
            case "carried":
                self.values.append(self.get(r.choice(("x", "y"))))
            case "divide":
                self.values.append(self.op("floordiv", self.value(), self.value()))
            case "if" if depth < 2:
                self.branch(depth)
            case _:
                self.write()

    def narrow(self, t: ScalarType) -> None:
        value = self.to(t, self.to(INT, self.value()), "narrow")
        self.values.append(self.to(INT64, value))

    def branch(self, depth: int) -> None:
        branch = self.if_(self.op("lt", self.value(), self.value()))
        for region in (branch.then, branch.orelse)[: self.random.randrange(1, 3)]:
            outer = list(self.values)
            with self.into(region):
                for _ in range(self.random.randrange(1, 3)):
                    self.statement(depth + 1)
            self.values = outer
