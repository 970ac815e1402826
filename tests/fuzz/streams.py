"""Random array loops: what a vectoriser and the removal of bounds checks work on.

Indexes are the loop variable and its neighbours; lengths of arrays agree mostly, not always.
"""

from __future__ import annotations

from random import Random

from samebits.types import (
    FLOAT,
    INT,
    INT32,
    NONE,
    ArrayType,
    FixedArrayType,
    MemoryType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)
from tests.fuzz.literals import NUMBERS
from tests.fuzz.scope import Callee, Variable
from tests.fuzz.statements import Body

WORK = 20000
TYPICAL_ITERATIONS = 150


class Stream:
    """One entry kernel that runs a few loops over its arrays."""

    def __init__(
        self, rng: Random, hazard: float, palette: list[ScalarType | VectorType],
        callees: list[Callee], structs: list[StructType], constants: list[Variable],
    ) -> None:  # fmt: skip
        self.rng = rng
        self.hazard = hazard
        self.constants = constants
        self.structs = structs
        strong = [t for t in palette if t not in (INT, FLOAT)] or [rng.choice(NUMBERS)]
        self.elements = rng.sample(strong, min(len(strong), rng.randint(1, 2)))
        self.params = self._params(palette)
        scalars: list[ScalarType | VectorType] = [t for t in palette if isinstance(t, ScalarType)]
        self.result: Type = NONE if rng.random() < 0.4 else TupleType(
            (rng.choice(palette), rng.choice(scalars or palette))
        )  # fmt: skip
        mixed = [*self.elements * 2, *palette]
        self.body = Body(rng, hazard, mixed, callees, structs, self.result, WORK)
        self.body.most_iterations = 8 * TYPICAL_ITERATIONS

    def _params(self, palette: list[ScalarType | VectorType]) -> list[tuple[str, Type]]:
        rng = self.rng
        types: list[Type] = []
        for k in range(rng.randint(2, 4)):
            element: MemoryType = rng.choice(self.elements)
            if self.structs and rng.random() < 0.15:
                element = rng.choice(self.structs)
            types.append(ArrayType(element, 1, k > 0 and rng.random() < 0.4))
        if rng.random() < 0.35:
            types.append(ArrayType(rng.choice(self.elements), 2))
        types += [rng.choice(palette) for _ in range(rng.randint(0, 2))]
        types += [rng.choice((INT, INT32))] * rng.randint(0, 1)
        return [(f"p{k}", t) for k, t in enumerate(types)]

    def write(self) -> list[str]:
        """The lines of the body."""
        body, rng = self.body, self.rng
        for constant in self.constants:
            body.scope.add(constant)
        for name, t in self.params:
            readonly = isinstance(t, ArrayType) and t.readonly
            mutable = isinstance(t, ScalarType | VectorType)
            body.scope.add(Variable(name, t, mutable=mutable, readonly=readonly))
        for _ in range(rng.randint(0, 2)):
            body.declare()
        if rng.random() < 0.3:
            body.local_array(0)
        for _ in range(rng.randint(1, 3)):
            self.loop()
        if not isinstance(self.result, type(NONE)):
            body.finish()
        return body.lines

    def loop(self) -> None:
        body, rng = self.body, self.rng
        planes = [v for v in body.scope.arrays() if isinstance(v.type, ArrayType)]
        v = rng.choice(planes)
        assert isinstance(v.type, ArrayType)
        if v.type.ndim == 2:
            self.nest(v)
            return
        name = body.fresh("i")
        own = body.draw.loops
        if own is not None and own.random() < 0.35:
            return self.over(name, v, own)
        text, reach = self.span(v)
        body.emit(f"for {name} in range({text}):")
        self.inside(name, {"": self.indexes(name, reach)}, f"{v.name}[{name}]", v)

    def over(self, name: str, v: Variable, rng: Random) -> None:
        """A loop over the elements of `v`, counted."""
        read = self.body.fresh("e")
        head = rng.choice((
            f"{name}, {read} in enumerate({v.name})",
            f"{name}, {read} in enumerate({v.name})",
            f"{name}, {read} in zip(range(2, len({v.name})), {v.name})",
            f"{name}, {read} in zip(reversed(range(len({v.name}))), {v.name})",
            f"{read}, {name} in zip(reversed({v.name}), range(len({v.name})))",
            f"{name}, ({read}, _) in enumerate(zip({v.name}, {v.name}))",
        ))  # fmt: skip
        self.body.emit(f"for {head}:")
        self.inside(name, {"": self.indexes(name, 0)}, f"{v.name}[{name}]", v, read)

    def nest(self, v: Variable) -> None:
        """Two loops over a plane, neighbours inside."""
        body, rng = self.body, self.rng
        y, x = body.fresh("i"), body.fresh("i")
        reach = rng.randint(0, 1)
        rows, columns = f"{v.name}.shape[0]", f"{v.name}.shape[1]"
        body.emit(f"for {y} in range({reach}, {rows} - {reach}):")
        body.level += 1
        body.scope.push()
        body.scope.add(Variable(y, INT, mutable=False, bound=64))
        body.emit(f"for {x} in range({reach}, {columns} - {reach}):")
        near = {rows: self.indexes(y, reach), columns: self.indexes(x, reach)}
        self.inside(x, near, f"{v.name}[{y}, {x}]", v)
        body.scope.pop()
        body.level -= 1

    def span(self, v: Variable) -> tuple[str, int]:
        """The range's bounds for a loop over `v`, and how far neighbours may lie."""
        rng, length = self.rng, f"len({v.name})"
        counts = [p for p in self.body.scope.all() if p.type in (INT, INT32)]
        choices = [
            (length, 0), (length, 0), (length, 0), (f"1, {length} - 1", 1), (f"2, {length}", 0),
            (f"0, {length}, 2", 0), (f"{length} - 1, -1, -1", 0), (f"{length} // 2", 0),
            (f"1, {length}, 3", 0), ("16", 0), ("3, 70", 1),
        ]  # fmt: skip
        if counts and rng.random() < 0.4:
            n = rng.choice(counts).name
            choices = [(n, 0), (f"{n}, {length}", 0), (f"{n} & 63", 0), (f"0, {n}, 5", 0)]
        return rng.choice(choices)

    def indexes(self, name: str, reach: int) -> list[str]:
        """Indexes for use inside; more of the plain one."""
        plain = [name] * 4
        near = [f"{name} + 1", f"{name} - 1"] if reach or self.rng.random() < 0.15 else []
        if self.rng.random() < 0.05:
            near += [f"2 * {name}", f"{name} + {self.rng.randint(2, 9)}", f"7 - {name}"]
        return plain + near

    def inside(
        self, name: str, near: dict[str, list[str]], first: str, v: Variable,
        given: str | None = None,
    ) -> None:  # fmt: skip
        """The loop's body. The access `first` comes unconditionally, so that a wild range ends;
        `given` is the name of an element that the head gives."""
        body, rng = self.body, self.rng
        saved, body.iterations = body.iterations, body.iterations * TYPICAL_ITERATIONS
        outer, body.draw.affine = body.draw.affine, near
        body.loops += 1
        body.level += 1
        body.scope.push()
        body.scope.add(Variable(name, INT, mutable=False, bound=1 << 40))
        element = v.type.element if isinstance(v.type, ArrayType | FixedArrayType) else None
        if isinstance(element, ScalarType | VectorType):
            read = given or body.fresh("e")
            if given is None:
                body.emit(f"{read} = {first}")
            body.scope.add(Variable(read, element))
            if not v.readonly and rng.random() < 0.5:
                body.emit(f"{first} = {body.adopted(element)}")
        else:
            reference = given or body.fresh("q")
            if given is None:
                body.emit(f"{reference} = {first}")
            assert element is not None
            body.scope.add(Variable(reference, element, mutable=False, readonly=v.readonly))
        for _ in range(rng.randint(1, 3)):
            action = rng.choice((body.store, body.store, body.augment, body.augment, body.declare,
                                 body.statement, body.branch))  # fmt: skip
            body.draw.budget = max(0, (body.work - body.cost) // body.iterations)
            action(rng.choice((0, 0, 1)))
        body.scope.pop()
        body.level -= 1
        body.loops -= 1
        body.draw.affine = outer
        body.iterations = saved
