"""Random statements over arrays and integers: loops of every kind, branches, stores, jumps.

Owns what a function's body looks like; expressions are `draws`. Loops end soon for small inputs;
where they do not, the judge stops counting iterations and leaves the call out.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.fuzz.bounds.draws import FLOATS, INTS, WEAK, Array, Block, Draws
from tests.fuzz.bounds.narrow import narrow_access, rolling_access
from tests.fuzz.bounds.rows import row_loop
from tests.fuzz.bounds.views import view

INDENT = "    "
STEPS = ("1", "1", "1", "1", "2", "2", "3", "5", "-1", "-1", "-2", "-3", "7", "-4")
MOST_LOOPS = 3
"""Loops inside one another."""
MOST_LINES = 12
"""Lines after which no further block begins: many small programs find more than few large ones."""


class Body:
    """Writes the body of one function. `total` is its sum of all that was read, a uint64."""

    def __init__(self, rng: Random, draws: Draws, level: int = 1) -> None:
        self.rng = rng
        self.draws = draws
        self.lines: list[str] = []
        self.level = level
        self.loops = 0
        self.parallel = False
        """Whether this is in the body of a parallel range, or of a job, which returns nothing."""
        self.in_job = False
        self.rows = False
        """Whether a loop goes along arrays, which has more to do where they are long."""
        self.returns: str | None = "total"
        self.names = 0
        self.views = False
        """Whether arrays get views."""
        self.helpers: list[tuple[str, str]] = []
        """Kernels that take an array of an element and an index: names and elements."""

    # Text

    def emit(self, text: str) -> None:
        self.lines.append(INDENT * self.level + text)

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def block(self, count: int, *, first: str | None = None, last: str | None = None) -> None:
        """An indented block of statements with names of its own."""
        self.level += 1
        self.draws.blocks.append(Block())
        self.inside(count, first, last)
        self.draws.blocks.pop()
        self.level -= 1

    def inside(self, count: int, first: str | None = None, last: str | None = None) -> None:
        if first:
            self.emit(first)
        before = len(self.lines)
        for _ in range(count):
            self.statement()
        if last:
            self.emit(last)
        if len(self.lines) == before and not first:
            self.emit("pass")

    def statement(self) -> None:
        rng = self.rng
        table = [
            (self.store, 19), (self.augment, 10), (self.read, 14), (self.tested, 7),
            (self.declare, 9),
            (self.assign, 13), (self.unpack, 2), (self.hint, 3), (self.call, 4),
            (self.local_array, 1), (self.narrow, 7), (self.rolling, 2),
        ]  # fmt: skip
        if self.views:
            table += [(self.view, 12)]
        if self.level < 5 and len(self.lines) < MOST_LINES:
            table += [(self.branch, 8)]
            if self.loops or not self.parallel:
                table += [(self.jump, 4)]
            if self.loops < MOST_LOOPS:
                table += [(self.for_loop, 12 if self.loops == 0 else 5), (self.while_loop, 3)]
            if not (self.loops or self.parallel):
                table += [(self.parallel_loop, 2)]
        actions, weights = zip(*table, strict=True)
        rng.choices(actions, weights)[0]()

    def view(self) -> None:
        view(self)

    # Memory

    def writable(self) -> list[Array]:
        return [array for array in self.draws.arrays() if not array.readonly]

    def value(self, element: str) -> str:
        """What a store converts to `element`."""
        roll = self.rng.random()
        if element in INTS and roll < 0.1:
            return self.draws.weak(1)
        if element in INTS and roll < 0.22 and (found := self.draws.element(element)):
            sign = self.rng.choice("++-*")
            return f"{self.draws.widened(element, found)} {sign} {self.draws.weak(0)}"
        return self.draws.fixed(element, self.rng.choice((0, 0, 1)))

    def store(self) -> None:
        arrays = self.writable()
        if not arrays:
            return self.read()
        array = self.rng.choice(arrays)
        self.emit(f"{self.draws.access(array)} = {self.value(array.element)}")

    def augment(self) -> None:
        arrays = self.writable()
        if not arrays:
            return self.read()
        array = self.rng.choice(arrays)
        sign = self.rng.choice("+-*" if array.element in FLOATS else "+-*&|^")
        self.emit(f"{self.draws.access(array)} {sign}= {self.draws.fixed(array.element, 0)}")

    def tested(self) -> None:
        """An access under a condition about its index."""
        arrays = [*self.draws.arrays()]
        if not arrays:
            return self.assign()
        array = self.rng.choice(arrays)
        indices = [self.draws.index(length) for length in array.lengths]
        if array.own is not None:
            indices[0] = array.own
        which = self.rng.randrange(len(indices))
        shown = indices[which] if indices[which].isidentifier() else f"({indices[which]})"
        self.emit(f"if {self.draws.inside(shown, array.lengths[which])}:")
        place = array.place.format(*indices)
        if array.readonly or self.rng.random() < 0.4:
            if self.parallel:
                self.emit(f"{INDENT}{self.fresh('v')} = {place}")
            else:
                self.emit(f"{INDENT}total = total * uint64(31) + uint64({place})")
        else:
            self.emit(f"{INDENT}{place} = {self.value(array.element)}")

    def read(self) -> None:
        arrays = [*self.draws.arrays()]
        if not arrays or self.parallel:
            return self.declare()
        found = self.draws.access(self.rng.choice(arrays))
        self.emit(f"total = total * uint64(31) + uint64({found})")

    def local_array(self) -> None:
        name, element = self.fresh("z"), self.rng.choice((*INTS, *FLOATS))
        size = self.rng.choice((1, 2, 3, 4, 5, 8))
        self.emit(f"{name} = sb.zeros({size}, {element})")
        array = Array(name, f"{name}[{{}}]", element, (str(size),))
        self.draws.blocks[-1].arrays.append(array)

    def narrow(self) -> None:
        narrow_access(self)

    def rolling(self) -> None:
        rolling_access(self)

    def call(self) -> None:
        """A kernel that is given an array, or a row of one, and an index."""
        pairs = [
            (name, array)
            for name, element in self.helpers
            for array in self.writable()
            if array.name and array.element == element
        ]
        if not pairs or self.parallel:
            return self.assign()
        name, array = self.rng.choice(pairs)
        whole = array.name
        if len(array.lengths) == 2:
            whole = f"{whole}[{self.draws.index(array.lengths[0])}]"
        self.emit(f"total = total * uint64(7) + {name}({whole}, {self.draws.weak(1)})")

    # Numbers

    def declare(self) -> None:
        t = WEAK if self.rng.random() < 0.6 else self.rng.choice(self.draws.types())
        text = self.draws.typed(t, self.draws.number(t, self.rng.choice((0, 1, 1, 2))))
        name = self.fresh("v")
        self.emit(f"{name} = {text}")
        self.draws.add(t, name, mutable=True)

    def assign(self) -> None:
        names = self.draws.mutable()
        if not names:
            return self.declare()
        t, name = self.rng.choice(names)
        if self.rng.random() < 0.55:
            sign = self.rng.choice(("+", "+", "+", "-", "-", "*", "//", ">>", "&", "%"))
            low = "1" if sign in ("//", "%") else self.draws.literal(t)
            by = self.rng.choice(("1", "1", "2", "3", low, self.draws.number(t, 0)))
            self.emit(f"{name} {sign}= {by}")
        else:
            depth = self.rng.choice((0, 1, 1, 2))
            self.emit(f"{name} = {self.draws.typed(t, self.draws.number(t, depth))}")

    def unpack(self) -> None:
        names = self.draws.mutable()
        pairs = [(a, b) for t, a in names for u, b in names if t == u and a != b]
        if not pairs:
            return self.declare()
        a, b = self.rng.choice(pairs)
        self.emit(f"{a}, {b} = {b}, {a}")

    def hint(self) -> None:
        """What has to hold, mostly of small numbers."""
        condition = self.draws.condition(1)
        if self.rng.random() < 0.6:
            a = self.draws.weak(0)
            t = self.rng.choice(INTS)
            if self.rng.random() < 0.3 and (found := self.draws.element(t)):
                a = self.draws.widened(t, found)
            condition = f"{a} {self.rng.choice(('>= 0', '< 100', '>= -9', '<= 1000', '!= 77'))}"
        if self.rng.random() < 0.6:
            self.emit(f"sb.assume({condition})")
        else:
            self.emit(f"assert {condition}")

    # Control flow

    def branch(self) -> None:
        """Sides that may give one name different values."""
        rng = self.rng
        self.emit(f"if {self.draws.condition(self.rng.choice((1, 1, 2)))}:")
        self.block(rng.choice((1, 1, 1, 2)))
        if rng.random() < 0.12:
            self.emit(f"elif {self.draws.condition(1)}:")
            self.block(1)
        if rng.random() < 0.5:
            self.emit("else:")
            self.block(rng.choice((1, 1, 2)))

    def jump(self) -> None:
        choices = ["break", "continue", "continue"] if self.loops else []
        if self.parallel and not self.loops:
            choices = ["return" if self.in_job else "continue"]
        if self.returns and not self.parallel:
            choices.append(f"return {self.returns}")
        if not choices:
            return self.assign()
        self.emit(f"if {self.draws.condition(1)}:")
        self.block(self.rng.choice((0, 0, 1)), last=self.rng.choice(choices))

    def range_text(self) -> str:
        rng, draws = self.rng, self.draws
        lengths = draws.lengths() or ["6"]
        length = rng.choice(lengths)
        roll = rng.random()
        if roll < 0.2:
            return f"range({length})"
        if roll < 0.42:
            return f"range({draws.weak(0)})"
        if roll < 0.5:
            return f"range({length} - 1, {rng.choice(('-1', '0', draws.weak(0)))}, -1)"
        if roll < 0.58:
            return f"range({rng.choice(('-1', '-2', draws.weak(0), draws.weak(0)))}, {length})"
        if roll < 0.66:
            return f"range({length}, {draws.weak(0)}, {rng.choice(('-1', '-2', '-3'))})"
        step = rng.choice(STEPS)
        if rng.random() < 0.04:
            step = str(
                rng.choice((1 << 31, -(1 << 31), 1 << 62, -(1 << 62), (1 << 63) - 1, 1 << 47))
            )
        start = rng.choice(("0", "1", "-1", "2", draws.weak(0), draws.weak(1), draws.literal(WEAK)))
        stop = rng.choice((length, draws.weak(0), draws.weak(1), "8", f"{length} + 1"))
        if step.startswith("-") and rng.random() < 0.7:
            start, stop = stop, start
        return f"range({start}, {stop}, {step})"

    def iteration(self, counter: str) -> None:
        """The body of a loop with a counter."""
        self.loops += 1
        self.level += 1
        self.draws.blocks.append(Block(numbers={WEAK: [counter]}, counters=[counter]))
        self.inside(self.rng.choice((1, 1, 2, 2, 3)))
        self.draws.blocks.pop()
        self.level -= 1
        self.loops -= 1

    def for_loop(self) -> None:
        counter = self.fresh("i")
        self.emit(f"for {counter} in {self.range_text()}:")
        self.iteration(counter)
        if self.rng.random() < 0.1:
            self.emit("else:")
            self.block(1)

    def row_loop(self) -> None:
        row_loop(self)

    def while_loop(self) -> None:
        """A name that changes in the loop, in some way that mostly ends it."""
        rng, draws = self.rng, self.draws
        name = self.fresh("w")
        t = WEAK if rng.random() < 0.75 else rng.choice(INTS)
        start = rng.choice(("0", "1", "-1", "3", draws.number(t, 0)))
        lengths = draws.lengths() or ["5"]
        if t == WEAK:
            start, limit = start, rng.choice((rng.choice(lengths), draws.weak(0), "6"))
        else:
            start = draws.typed(t, start if start != "-1" or t[0] != "u" else "1")
            limit = rng.choice(("6", draws.number(t, 0)))
        steps = (
            (f"{name} < {limit}", f"{name} += {rng.choice((1, 1, 2, 3))}"),
            (f"{name} != {limit}", f"{name} += 1"),
            (f"{name} <= {limit}", f"{name} = {name} * 2 + 1"),
            (f"{limit} > {name}", f"{name} += {draws.number(t, 0)}"),
            (f"{name} > 0", f"{name} -= {rng.choice((1, 1, 2))}"),
            (f"{name} > 0", f"{name} = {name} // 2"),
            (f"{name} > 1", f"{name} >>= 1"),
        )
        condition, change = rng.choice(steps)
        if ">" in condition and condition[-1] in "01":
            start = draws.typed(t, rng.choice(("6", draws.number(t, 0))))
        if rng.random() < 0.15:
            condition = f"{condition} and {draws.condition(1)}"
        self.emit(f"{name} = {start}")
        self.emit(f"while {condition}:")
        early = rng.random() < 0.3
        self.loops += 1
        self.level += 1
        numbers, counters = {t: [name]}, [name] if t == WEAK else [draws.widened(t, name)]
        draws.blocks.append(Block(numbers=numbers, counters=counters))
        count = rng.choice((1, 1, 2, 3))
        self.inside(count, first=change if early else None, last=None if early else change)
        draws.blocks.pop()
        self.level -= 1
        self.loops -= 1
        if rng.random() < 0.1:
            self.emit("else:")
            self.block(1)
        draws.add(t, name, mutable=rng.random() < 0.5)

    def parallel_loop(self) -> None:
        """`for i in sb.prange(...)`: iterations own an index of one array, and read all else."""
        targets = [
            a for a in self.writable()
            if a.name and not a.lengths[0].isdigit() and not a.root
        ]  # fmt: skip
        if not targets:
            return self.for_loop()
        target, counter = self.rng.choice(targets), self.fresh("i")
        first = self.rng.choice(("", "", "", "0, ", "1, ", f"{self.draws.weak(0)}, "))
        stop = self.rng.choice((target.lengths[0], target.lengths[0], self.draws.weak(0), "6"))
        batch = self.rng.choice(("", "", ", batch=1", ", batch=2"))
        self.emit(f"for {counter} in sb.prange({first}{stop}{batch}):")
        outer = self.draws.blocks
        frozen = Block(numbers={t: self.draws.numbers(t) for t in (WEAK, *INTS)})
        frozen.arrays = [
            replace(a, own=counter) if a == target else replace(a, readonly=True)
            for a in self.draws.arrays()
            if a.root != target.name
        ]
        self.draws.blocks, self.parallel, loops = [frozen], True, self.loops
        self.loops = 0
        self.level += 1
        self.draws.blocks.append(Block(numbers={WEAK: [counter]}, counters=[counter]))
        self.inside(self.rng.choice((1, 2, 3)))
        self.level -= 1
        self.draws.blocks, self.parallel, self.loops = outer, False, loops
