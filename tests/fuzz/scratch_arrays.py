"""Random local arrays of run-time sizes: made anywhere, given to names again, in small arenas.

Now and then a length is 0, negative or larger than any memory. They have a generator of their own,
which leaves what else a program has as it is, but for parallel ranges, which make no such arrays.
"""

from __future__ import annotations

from random import Random

from samebits.types import FLOAT32, ArrayType, MemoryType, ScalarType
from tests.fuzz.literals import type_name
from tests.fuzz.scope import Variable
from tests.fuzz.statements import Body

FIRST_SEED, END = 80_000, 100_000
LATER = 1_000_000
"""Programs of the seeds between stand in tests: they stay."""
STATEMENTS = 0.35
FAR = (
    "int64(0)", "int32(0)", "int8(-1)", "int64(9223372036854775807)", "int64(4611686018427387904)",
    "uint64(9223372036854775808)", "uint64(18446744073709551615)", "int64(1099511627776)",
    "int32(-2147483648)", "uint32(4294967295)", "uint16(65535)", "int64({wild})",
)  # fmt: skip
ARENAS = (100, 100, 500, 1000, 2000, 5000)


class ScratchArrays:
    """What the program of `seed` has of them."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits fuzz scratch arrays {seed}")
        self.wanted = FIRST_SEED <= seed < END or (seed >= LATER and self.rng.random() < 0.4)
        self.far = self.rng.choice((0.0, 0.0, 0.02, 0.1))
        self.busy = False

    def decorated(self, text: str) -> str:
        """The decorator of a kernel, sometimes with a small arena."""
        if not self.wanted or self.rng.random() < 0.4:
            return text
        option = f"arena={self.rng.choice(ARENAS)}"
        return f"{text[:-1]}, {option})" if text.endswith(")") else f"{text}({option})"

    def statement(self, body: Body) -> None:
        """Sometimes one more statement."""
        if not self.wanted or self.busy or self.rng.random() >= STATEMENTS:
            return
        saved, self.busy = body.rng, True
        body.rng = body.draw.rng = self.rng
        try:
            self.rng.choices((self.make, self.again, self.fill, self.loop), (5, 3, 3, 1))[0](body)
        finally:
            body.rng = body.draw.rng = saved
            self.busy = False

    def make(self, body: Body) -> None:
        """An array with a new name."""
        names = self.names(body)
        t = ArrayType(self.element(body), self.rng.choice((1, 1, 1, 2, 2, 3, 4)))
        if names and self.rng.random() < 0.4:
            found = self.rng.choice(names).type
            assert isinstance(found, ArrayType)
            t = found
        name = body.fresh("s")
        body.emit(f"{name} = {self.zeros(body, t)}")
        body.scope.add(Variable(name, t, mutable=False, roots=frozenset({name})))

    def again(self, body: Body) -> None:
        """Another array, or a part or another name's, for a name that has one."""
        names = self.names(body)
        if not names:
            return self.make(body)
        # Two names of one type are rare: where there are some, they are taken.
        alike = [v for v in names if any(w.type == v.type and w is not v for w in names)]
        v = self.rng.choice(alike or names)
        assert isinstance(v.type, ArrayType)
        others = [w.name for w in names if w.type == v.type and w is not v]
        if others and self.rng.random() < 0.7:
            other = self.rng.choice(others)
            if self.rng.random() < 0.5:
                body.emit(f"{v.name}, {other} = {other}, {v.name}")
            else:
                body.emit(f"{v.name} = {other}[:]")
            return None
        body.emit(f"{v.name} = {self.zeros(body, v.type)}")
        return None

    def fill(self, body: Body) -> None:
        """A store into one, at its first or last element if it has one."""
        names = [v for v in self.names(body) if v.type.element in body.draw.palette]  # type: ignore
        if not names:
            return self.make(body)
        v = self.rng.choice(names)
        assert isinstance(v.type, ArrayType)
        assert isinstance(v.type.element, ScalarType) or not isinstance(v.type.element, ArrayType)
        index = ", ".join(self.rng.choice(("0", "-1")) for _ in range(v.type.ndim))
        some = " and ".join(f"{v.name}.shape[{k}] > 0" for k in range(v.type.ndim))
        body.emit(f"if {some}:")
        body.emit(f"    {v.name}[{index}] = {body.adopted(v.type.element)}")  # type: ignore
        return None

    def loop(self, body: Body) -> None:
        """A loop over a new array, which makes others."""
        if body.room() < 8:
            return
        t = ArrayType(self.element(body, struct=False), 2)
        x = body.fresh("x")
        body.emit(f"for {x} in {self.zeros(body, t, 4)}:")
        body.scope.push()
        row = ArrayType(t.element, 1)
        body.scope.add(Variable(x, row, mutable=False, roots=frozenset({x})))
        body.loop_body(2, 8)
        body.scope.pop()

    def names(self, body: Body) -> list[Variable]:
        return [v for v in body.scope.all() if v.name.startswith("s") and v.roots == {v.name}]

    def element(self, body: Body, *, struct: bool = True) -> MemoryType:
        if struct and body.structs and self.rng.random() < 0.2:
            return self.rng.choice(body.structs)
        t = self.rng.choice([*body.draw.palette, FLOAT32])
        return FLOAT32 if isinstance(t, ScalarType) and t.weak else t

    def zeros(self, body: Body, t: ArrayType, most: int = 9) -> str:
        lengths = [self.length(body, most if t.ndim == 1 else 4) for _ in range(t.ndim)]
        shape = lengths[0] if t.ndim == 1 else f"({', '.join(lengths)})"
        return f"sb.zeros({shape}, {type_name(t.element)})"

    def length(self, body: Body, most: int) -> str:
        if self.rng.random() < self.far:
            return self.rng.choice(FAR).format(wild=body.draw.weak_int(1)[0])
        kind = self.rng.choice(("int64", "int64", "int32", "uint8", "uint64", "int16"))
        return f"{kind}({body.draw.weak_int(0)[0]} % {most} + {self.rng.choice((0, 1, 1, 1))})"
