"""Random function bodies: declarations, stores, control flow, calls, early returns.

Loops are bounded by construction: a constant or masked range, or a counter in a `while`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from random import Random

from samebits.types import (
    BOOL,
    INT,
    ArrayType,
    FixedArrayType,
    NoneType,
    ScalarType,
    StructType,
    Type,
    VectorType,
)
from tests.fuzz.literals import INTS, is_half
from tests.fuzz.loop_heads import CHANCE, Heads
from tests.fuzz.scope import INT64_REACH, Variable, value_items
from tests.fuzz.simple_statements import INDENT, SimpleStatements


def _may_share(view: Variable, target: Variable) -> bool:
    """Whether a view may lie in the memory that the iterations of a parallel range write."""
    return bool(view.roots) and (
        bool({target.name, "*"} & view.roots) or not isinstance(target.type, ArrayType)
    )


class Body(SimpleStatements):
    """Writes one function's statements, control flow included."""

    serial = False
    """Whether no range is parallel."""
    extra: Sequence[Callable[[Body], None]] = ()
    """Each writes further statements, drawn from a generator of its own."""

    def block(self, count: int, *, jump: str | None = None) -> None:
        """An indented block of up to `count` statements in a scope of its own."""
        self.level += 1
        self.scope.push()
        before = len(self.lines)
        for _ in range(self.rng.randint(1, max(1, count))):
            self.statement(max(0, count - 1))
        if jump:
            self.emit(jump)
        if len(self.lines) == before:
            self.emit("pass")
        self.scope.pop()
        self.level -= 1

    def statement(self, nested: int) -> None:
        """One statement; compound ones hold up to `nested` further ones a block."""
        self.cost += self.iterations
        self.draw.budget = max(0, (self.work - self.cost) // self.iterations)
        simple = (
            (self.declare, 22),
            (self.assign, 14),
            (self.augment, 14),
            (self.store, 20),
            (self.unpack, 6),
            (self.call, 6),
            (self.bind, 4),
            (self.own, 4),
            (self.local_array, 3),
            (self.assertion, 2),
        )
        compound = (
            (self.branch, 14),
            (self.for_loop, 10),
            (self.while_loop, 6),
            (self.parallel_loop, 5),
            (self.leave, 6),
        )
        table = [*simple, *(compound if nested > 0 and self.level < 5 else ())]
        actions = [action for action, _ in table]
        weights = [weight for _, weight in table]
        if self.draw.loops is not None and self.draw.loops.random() < 0.03:
            self.shape()
        self.rng.choices(actions, weights)[0](nested)
        for write in self.extra:
            write(self)

    # Control flow

    def test(self, depth: int) -> str:
        """A condition, sometimes with a hint how it mostly comes out."""
        tuples = self.draw.tuples
        if tuples is not None and tuples.rng.random() < 0.15:
            return str(tuples.truth(self.draw))
        condition = self.draw.boolean(depth)
        if self.rng.random() < 0.85:
            return condition
        return f"sb.{self.rng.choice(('likely', 'unlikely'))}({condition})"

    def branch(self, nested: int) -> None:
        self.emit(f"if {self.test(self.depth())}:")
        self.block(nested)
        while self.rng.random() < 0.2:
            self.emit(f"elif {self.test(1)}:")
            self.block(nested)
        if self.rng.random() < 0.5:
            self.emit("else:")
            self.block(nested)

    def leave(self, _nested: int) -> None:
        """`break`, `continue` or `return` under a condition."""
        jumps = ["return"] if self.rng.random() < 0.3 or not self.loops else ["break", "continue"]
        if self.in_iteration:
            jumps = ["break", "continue"] if self.loops else ["continue"]
        jump = self.rng.choice(jumps)
        self.emit(f"if {self.test(1)}:")
        if jump == "return":
            self.level += 1
            self.finish()
            self.level -= 1
        else:
            self.block(1, jump=jump)

    def loop_body(self, nested: int, iterations: int) -> None:
        saved, self.iterations = self.iterations, self.iterations * iterations
        self.loops += 1
        self.block(nested)
        self.loops -= 1
        self.iterations = saved

    def loop_else(self) -> None:
        if self.rng.random() < 0.2:
            self.emit("else:")
            self.block(1)

    def room(self) -> int:
        """How many iterations a new loop may take here."""
        return min(
            self.most_iterations // self.iterations,
            max(0, (self.work - self.cost) // self.iterations),
        )

    def for_loop(self, nested: int) -> None:
        room = self.room()
        if room < 2:
            return self.declare()
        rng = self.draw.loops
        if rng is not None and rng.random() < CHANCE and self.loop_over(rng, room, nested):
            return None
        name = self.fresh("i")
        reuse = self.rng.random() < 0.15
        if reuse:
            self.emit(f"{name} = {self.rng.randint(-3, 3)}")
            self.scope.add(Variable(name, INT, mutable=self.rng.random() < 0.3, bound=1 << 40))
        text, iterations, bound = self.range_text(room)
        self.emit(f"for {name} in {text}:")
        if not reuse:
            self.scope.push()
            self.scope.add(Variable(name, INT, mutable=False, bound=bound))
        self.loop_body(nested, iterations)
        if not reuse:
            self.scope.pop()
        self.loop_else()

    def loop_over(self, rng: Random, room: int, nested: int) -> bool:
        """A loop with a head of `Heads`, if one can be drawn here."""
        head = Heads(rng, self.draw, (self.fresh("x") for _ in count())).draw_head(room)
        if head is None:
            return False
        self.emit(f"for {head.target} in {head.text}:")
        blocks = self.scope.blocks
        # What is looped over must not be assigned inside.
        self.scope.blocks = [[v.kept() for v in block] for block in blocks]
        self.scope.push()
        for name in head.names:
            self.scope.add(name)
        self.loop_body(nested, max(1, head.iterations))
        self.scope.blocks = blocks
        self.loop_else()
        return True

    def shape(self) -> None:
        """The lengths of an array, unpacked."""
        rng = self.draw.loops
        arrays = [v for v in self.scope.arrays() if isinstance(v.type, ArrayType | FixedArrayType)]
        if rng is None or not arrays:
            return
        v = rng.choice(arrays)
        t = v.type
        assert isinstance(t, ArrayType | FixedArrayType)
        ndim = t.ndim if isinstance(t, ArrayType) else len(t.shape)
        names = [self.fresh("n") for _ in range(ndim)]
        self.emit(f"{', '.join(names)}{',' * (ndim == 1)} = {v.name}.shape")
        for name in names:
            self.scope.add(Variable(name, INT, mutable=False, bound=64))

    def parallel_loop(self, nested: int) -> None:
        """`for i in sb.prange(...)`, whose iterations own an array's elements and read all else."""
        room = self.room()
        arrays = [
            v for v in self.scope.arrays()
            if not v.readonly and isinstance(v.type, ArrayType | FixedArrayType)
            and isinstance(v.type.element, ScalarType | VectorType) and not v.roots
        ]  # fmt: skip
        if room < 17 or self.in_iteration or self.serial or not arrays:
            return self.declare()
        target = self.rng.choice(arrays)
        t = target.type
        assert isinstance(t, ArrayType | FixedArrayType)
        assert isinstance(t.element, ScalarType | VectorType)
        name, counter, level = target.name, self.fresh("i"), self.level
        fixed = isinstance(t, FixedArrayType)
        lengths = [str(n) for n in t.shape] if isinstance(t, FixedArrayType) else [
            f"{name}.shape[{k}]" for k in range(t.ndim)
        ]  # fmt: skip
        own = f"{name}[{counter}]"
        if len(lengths) > 1:
            inner = [self.rng.choice(("0", f"{counter} % {n}")) for n in lengths[1:]]
            own = f"{name}[{counter}, {', '.join(inner)}]"
            if not fixed and not self.draw.risky():
                self.emit(f"if {' and '.join(f'{n} > 0' for n in lengths[1:])}:")
                self.level += 1
        first = "-2, " if self.draw.risky() else self.rng.choice(("", "", "1, ", "0, "))
        batch = self.rng.choice(("", ", batch=1", ", batch=2", ", batch=3", ", batch=5"))
        self.emit(f"for {counter} in sb.prange({first}{lengths[0]}{batch}):")
        outer, loops, saved = self.scope.blocks, self.loops, self.iterations
        self.scope.blocks = [
            [
                v.kept(readonly=True)
                for v in self.scope.all()
                if v != target and not _may_share(v, target)
            ],
            [Variable(counter, INT, mutable=False, bound=32)],
        ]
        self.in_iteration, self.loops, self.iterations = True, 0, self.iterations * 17
        self.level += 1
        mine = self.fresh("t")
        self.emit(f"{mine} = {own}")
        self.scope.add(Variable(mine, t.element))
        for _ in range(self.rng.randint(0, max(1, nested))):
            self.statement(max(0, nested - 1))
        if self.draw.risky():
            self.emit(f"{own.replace(counter, f'{counter} + 1', 1)} = {mine}")
        elif t.element != BOOL and not is_half(t.element) and self.rng.random() < 0.3:
            sign, operand = self.operation(t.element)
            self.emit(f"{own} {sign}= {operand}")
        else:
            self.emit(f"{own} = {self.adopted(t.element)}")
        self.scope.blocks, self.level = outer, level
        self.in_iteration, self.loops, self.iterations = False, loops, saved

    def range_text(self, room: int) -> tuple[str, int, int]:
        """Source of a range, the most iterations it takes, a bound of the values."""
        rng, draw = self.rng, self.draw
        roll = rng.random()
        arrays = [v for v in self.scope.arrays() if isinstance(v.type, ArrayType)]
        if roll < 0.3:
            n = rng.randint(1, min(room, 9))
            return f"range({n})", n, n - 1
        if roll < 0.5 and arrays and room >= 17:
            v = rng.choice(arrays)
            assert isinstance(v.type, ArrayType)
            if v.type.ndim == 1:
                return f"range(len({v.name}))", 17, 32
            return f"range({v.name}.shape[{rng.randint(0, 1)}])", 17, 32
        mask = (1 << (min(room, 8).bit_length() - 1)) - 1
        if roll < 0.65:
            t = rng.choice((INT, *INTS[:-1]))  # a uint64 may not fit
            return f"range({draw.atom(t, 1)} & {mask})", max(1, mask), mask
        if roll < 0.8:
            start, step = rng.randint(-5, 5), rng.choice((1, 2, 3, -1, -2, 7))
            iterations = rng.randint(0, min(room, 6))
            short = rng.choice((0, 0, (1 if step > 0 else -1) * (step != 1)))
            stop = start + step * iterations - short
            return f"range({start}, {stop}, {step})", max(1, iterations), 64
        if roll < 0.9:
            low, _ = draw.tame(1)
            span = rng.randint(0, min(room, 5))
            step = rng.choice((1, 1, 2, -1))
            if step < 0:
                return f"range({low} + {span}, {low}, -1)", max(1, span), INT64_REACH
            return f"range({low}, {low} + {span}, {step})", max(1, span), INT64_REACH
        edge = (1 << 63) - 1
        step = rng.choice((1, 3, 1 << 61, edge))
        count = rng.randint(1, min(room, 4))
        if step >= 1 << 61:
            return f"range(-{edge}, {edge}, {step})", 9, INT64_REACH
        if rng.random() < 0.5:
            return f"range({edge - step * count}, {edge}, {step})", count + 1, INT64_REACH
        return f"range(-{edge - step * count}, -{edge}, -{step})", count + 1, INT64_REACH

    def while_loop(self, nested: int) -> None:
        room = self.room()
        if room < 2:
            return self.declare()
        counter = self.fresh("w")
        limit = self.rng.randint(1, min(room, 6))
        self.emit(f"{counter} = 0")
        self.scope.add(Variable(counter, INT, mutable=False, bound=limit))
        condition = f"{counter} < {limit}"
        endless = self.rng.random() < 0.15
        if endless:
            condition = "True"
        elif self.rng.random() < 0.6:
            other = self.draw.boolean(1)
            condition = f"{condition} and {other}" if self.rng.random() < 0.7 \
                else f"{other} and {condition}"  # fmt: skip
        self.emit(f"while {condition}:")
        self.emit(INDENT + f"{counter} += 1")
        if endless:
            self.emit(INDENT + f"if {counter} > {limit}:")
            self.emit(INDENT * 2 + "break")
        self.loop_body(nested, limit)
        self.loop_else()

    # The end

    def finish(self) -> None:
        """A return statement of the function's result type."""
        match self.result:
            case NoneType():
                self.emit("return")
            case StructType():
                owners = [v for v in self.scope.structs(self.result) if v.owner]
                if owners and self.rng.random() < 0.7:
                    self.emit(f"return {self.rng.choice(owners).name}")
                else:
                    self.emit(f"return {self.draw.struct(self.result, 1)}")
            case _:
                items = value_items(self.result)
                self.emit(f"return {', '.join(self.result_item(t) for t in items)}")

    def result_item(self, t: Type) -> str:
        names = self.scope.values(t)
        if names and self.rng.random() < 0.6:
            return self.rng.choice(names[-3:]).name
        return self.draw.adopted(t, 1)

    def write(self, count: int, nested: int) -> list[str]:
        """The whole body: `count` statements at the top, then a return."""
        for _ in range(count):
            self.statement(nested)
        if not isinstance(self.result, NoneType) or self.rng.random() < 0.3:
            self.finish()
        elif not self.lines:
            self.emit("pass")
        return self.lines
