"""Random IR programs: every type, nested control flow, memory, traps; bounded in time."""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy as np

from samebits.ir.builder import COMPARISONS, Builder
from samebits.ir.grammar import Function, Value
from samebits.types import (
    BOOL,
    FLOAT,
    INT,
    SCALARS,
    STRONG_SCALARS,
    ArrayType,
    FixedArrayType,
    ScalarType,
)
from tests.support.programs.scalar_operations import (
    FLOAT_BINARY,
    FLOAT_UNARY,
    INT_BINARY,
    INT_UNARY,
    SAME_SIZE,
    samples,
)

TYPES = [t for t in (*STRONG_SCALARS, INT, FLOAT) if t is not BOOL]
"""The IR has no fixed-point values: only their integers."""
LENGTH = 7


class Program:
    """One random function over one array of each of three types, and scalars of any type."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.element_types = self.random.sample([t for t in TYPES if not t.weak], 3)
        self.slot_types = {f"s{i}": self.random.choice([*TYPES, BOOL]) for i in range(6)}
        self.params = {f"s{i}": self.slot_types[f"s{i}"] for i in range(3)}
        arrays: Any = {f"a{i}": ArrayType(t, 1) for i, t in enumerate(self.element_types)}
        results = [t for t in self.slot_types.values()]
        slots: Any = {k: t for k, t in self.slot_types.items() if k not in self.params}
        slots |= {f"i{d}": INT for d in range(3)}
        local = {"buffer": FixedArrayType(self.element_types[0], (LENGTH,))}
        self.b = Builder(f"random{seed}", {**self.params, **arrays}, results, slots, local)
        for name, t in slots.items():
            in_range = self.b.const(INT, self.random.randrange(LENGTH)) if name[0] == "i" else None
            self.b.set(name, in_range or self.constant(t))
        self.b.emit("zero", self.b.local("buffer"))
        self.loops = 0
        self.block(0, 8)
        self.function: Function = self.b.ret(*(self.b.get(name) for name in self.slot_types))

    def constant(self, t: ScalarType) -> Value:
        return self.b.const(t, self.random.choice(samples(t)))

    def value(self, t: ScalarType, depth: int = 2) -> Value:
        r, b = self.random, self.b
        roll = r.random()
        slots = [name for name, s in self.slot_types.items() if s == t]
        if depth == 0 or roll < 0.25:
            return b.get(r.choice(slots)) if slots and r.random() < 0.7 else self.constant(t)
        if roll < 0.4:
            return self.converted(t, depth)
        if roll < 0.48:
            condition = self.value(BOOL, depth - 1)
            return b.op("select", condition, self.value(t, depth - 1), self.value(t, depth - 1))
        if t is BOOL:
            if roll < 0.6:
                return b.op("not", self.value(BOOL, depth - 1))
            other = r.choice(TYPES)
            return b.op(r.choice(COMPARISONS), self.value(other, depth - 1),
                        self.value(other, depth - 1))  # fmt: skip
        if t in self.element_types and roll < 0.6:
            return b.load(self.place(t))
        unary, binary = (FLOAT_UNARY, FLOAT_BINARY) if t.is_float else (INT_UNARY, INT_BINARY)
        if t.is_float and roll < 0.66:
            return b.op("fma", *(self.value(t, depth - 1) for _ in range(3)))
        if roll < 0.75:
            return b.op(r.choice(unary), self.value(t, depth - 1))
        opcode = r.choice([o for o in binary if o not in COMPARISONS])
        return b.op(opcode, self.value(t, depth - 1), self.value(t, depth - 1))

    def converted(self, t: ScalarType, depth: int) -> Value:
        r, b = self.random, self.b
        if t is BOOL:
            return self.constant(BOOL)
        if r.random() < 0.3:
            source = SCALARS[r.choice(SAME_SIZE[t.size])]
            return b.to(t, self.value(source, depth - 1), "bitcast")
        if t.is_int and not t.weak and r.random() < 0.2:
            return b.to(t, self.value(INT, depth - 1), "narrow")
        return b.to(t, self.value(r.choice([*TYPES, BOOL]), depth - 1))

    def place(self, t: ScalarType) -> Value:
        r, b = self.random, self.b
        n = self.element_types.index(t)
        array = b.view(b.local("buffer")) if n == 0 and r.random() < 0.5 else b.get(f"a{n}")
        index = b.get(f"i{r.randrange(3)}") if r.random() < 0.97 else self.value(INT, 1)
        return b.at(array, index)

    def block(self, depth: int, size: int) -> None:
        for _ in range(self.random.randint(1, size)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        r, b = self.random, self.b
        roll = r.random()
        if roll < 0.5 or depth == 3:
            name = r.choice(list(self.slot_types))
            b.set(name, self.value(self.slot_types[name]))
        elif roll < 0.68:
            t = r.choice(self.element_types)
            b.store(self.place(t), self.value(t))
        elif roll < 0.82:
            branch = b.if_(self.value(BOOL))
            with b.into(branch.then):
                self.block(depth + 1, 3)
                if self.loops and r.random() < 0.3:
                    (b.break_ if r.random() < 0.5 else b.continue_)()
            with b.into(branch.orelse):
                if r.random() < 0.5:
                    self.block(depth + 1, 3)
        else:
            step = r.choice([1, 1, 1, -1, 2, 3, -2])
            low, high = b.const(INT, r.randint(0, 1)), b.const(INT, r.randint(0, LENGTH))
            loop = b.for_(f"i{depth}", *((low, high) if step > 0 else (high, low)), step)
            self.loops += 1
            with b.into(loop.body):
                self.block(depth + 1, 4)
            self.loops -= 1
            with b.into(loop.orelse):
                if r.random() < 0.3:
                    self.block(depth + 1, 2)

    def arguments(self) -> list[Any]:
        """Scalars from the edges, arrays of random bits and edges."""
        scalars = [self.random.choice(samples(t)) for t in self.params.values()]
        arrays: list[Any] = []
        for t in self.element_types:
            raw = bytearray(self.random.randbytes(LENGTH * t.size))
            for k in range(0, LENGTH, 2):
                edge = np.array(self.random.choice(samples(t)), t.dtype).tobytes()
                struct.pack_into(f"{t.size}s", raw, k * t.size, edge)
            arrays.append(np.frombuffer(raw, t.dtype))
        return [*scalars, *arrays]
