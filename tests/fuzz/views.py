"""Random views: rows and slices with names, in loops, in calls, indexed at once.

Their bounds lie anywhere in the array, at its ends, and now and then where no array has them. They
have a generator of their own, which leaves what else a program has as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from samebits.types import (
    FLOAT32,
    ArrayType,
    FixedArrayType,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)
from tests.fuzz.literals import type_name
from tests.fuzz.scope import Variable
from tests.fuzz.statements import Body

FIRST_SEED = 60_000
"""Programs of smaller seeds stand in tests, or are counted there: they stay."""
STATEMENTS = 0.4
MOST = 17
"""Most elements of an array that is given."""
ANYWHERE = frozenset({"*"})
"""The roots of a view that may lie in any array's memory."""
HEADS = (
    "{0} in {1}", "{0} in {1}", "_, {0} in enumerate({1})", "{0} in reversed({1})",
    "_, {0} in zip(range(5), {1})",
)  # fmt: skip
"""Heads of loops over the view `{1}`."""
FAR = (
    "-1", "int64(-1)", "int8(-1)", "uint64(9223372036854775808)", "uint64(18446744073709551615)",
    "int64(9223372036854775807)", "-9223372036854775808", "len({0})", "len({0}) + 1",
    "uint64(len({0}))", "uint8(255)", "int32(-2147483648)", "{1}",
)  # fmt: skip
"""Bounds at the ends and outside; `{0}` is the array, `{1}` an integer that may be any."""


class Views:
    """What the program of `seed` has of them."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits fuzz views {seed}")
        self.wanted = seed >= FIRST_SEED
        self.far = self.rng.choice((0.0, 0.02, 0.02, 0.1, 0.3))
        self.busy = False
        self.swaps = self.rng.random() < 0.5
        """Whether a name may get views of other arrays: it may then lie in any's memory."""

    @contextmanager
    def _drawing(self, body: Body) -> Iterator[None]:
        """Inside, everything is drawn from this generator."""
        saved, self.busy = body.rng, True
        body.rng = body.draw.rng = self.rng
        try:
            yield
        finally:
            body.rng = body.draw.rng = saved
            self.busy = False

    def statement(self, body: Body) -> None:
        """Sometimes one more statement."""
        if not self.wanted or self.busy or self.rng.random() >= STATEMENTS:
            return
        with self._drawing(body):
            self.rng.choices(self.kinds(), (6, 2, 3, 2, 1, 1))[0](body)

    def kinds(self) -> tuple[Callable[[Body], None], ...]:
        return self.name, self.rename, self.loop, self.element, self.length, self.deep

    # Dimensions

    def dimensions(self, ndim: int) -> int:
        """The dimensions of a parameter that is given so many."""
        if not self.wanted or self.rng.random() < 0.75:
            return ndim
        return self.rng.choice((2, 3, 3, 4))

    def deeper(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of a field that is given this one."""
        if not self.wanted or len(shape) == 1 or self.rng.random() < 0.5:
            return shape
        return (*(self.rng.randint(1, 2) for _ in range(self.rng.choice((1, 1, 2)))), *shape)

    def table(self, values: list[str]) -> tuple[str, tuple[int, ...]]:
        """The text and shape of a table that is given these values."""
        text, shape = f"[{', '.join(values)}]", (len(values),)
        while self.wanted and len(shape) < 4 and self.rng.random() < 0.3:
            times = self.rng.randint(1, 2)
            text, shape = f"[{', '.join([text] * times)}]", (times, *shape)
        return text, shape

    # Statements

    def name(self, body: Body) -> None:
        """A view under a new name."""
        found = self.view(body)
        if found is not None:
            self.bind(body, body.fresh("w"), *found)

    def rename(self, body: Body) -> None:
        """Another view under a name that has one, or two that swap."""
        names = [v for v in body.scope.all() if v.roots]
        if body.in_iteration or not names:
            return self.name(body)
        v = self.rng.choice(names)
        assert isinstance(v.type, ArrayType)
        same = [
            w.name for w in names if w.type == v.type and w.readonly == v.readonly and self.swaps
        ]
        if len(same) > 1 and self.rng.random() < 0.3:
            a, b = self.rng.sample(same, 2)
            if body.scope.block_of(a) == body.scope.block_of(b):  # else one would outlive its array
                body.emit(f"{a}, {b} = {b}, {a}")
            return None
        count = f"len({v.name})"
        body.emit(f"{v.name} = {v.name}[{self.slice(body, v.name, count)}]")
        return None

    def loop(self, body: Body) -> None:
        """A loop over a view, plain or counted or from the end."""
        room = body.room()
        found = self.view(body)
        if found is None or room < MOST:
            return
        text, t, readonly, roots = found
        x = body.fresh("x")
        head = self.rng.choice(HEADS)
        body.emit(f"for {head.format(x, text)}:")
        body.scope.push()
        if t.ndim == 1:
            value = isinstance(t.element, ScalarType | VectorType)
            body.scope.add(
                Variable(x, t.element, mutable=value, readonly=readonly and not value)  # type: ignore
            )
        else:
            row = ArrayType(t.element, t.ndim - 1, t.readonly)
            roots = ANYWHERE if self.swaps else roots
            body.scope.add(Variable(x, row, mutable=False, readonly=readonly, roots=roots))
        body.loop_body(1, MOST)
        body.scope.pop()

    def element(self, body: Body) -> None:
        """An element of a view without a name."""
        found = self.view(body)
        if found is None:
            return
        text, t, _, _ = found
        if not isinstance(t.element, ScalarType | VectorType):
            return
        index = ", ".join(self.rng.choice(("0", "-1", "0" if k else "1")) for k in range(t.ndim))
        name = body.fresh("v")
        body.emit(f"if len({text}) > {self.rng.choice((0, 1, 1, 1))}:")
        body.emit(f"    {name} = {text}[{index}]")
        body.emit("else:")
        body.emit(f"    {name} = {body.draw.expr(t.element, 0)}")
        body.scope.add(Variable(name, t.element))

    def length(self, body: Body) -> None:
        found = self.view(body)
        if found is not None:
            body.emit(f"assert len({found[0]}) <= {found[0]}.shape[0]")

    def deep(self, body: Body) -> None:
        """A local array of more dimensions than others have."""
        t = self.rng.choice([*body.draw.palette, FLOAT32])
        if isinstance(t, ScalarType) and t.weak:
            t = FLOAT32
        shape = tuple(self.rng.randint(1, 3) for _ in range(self.rng.choice((3, 3, 4))))
        name = body.fresh("z")
        body.emit(f"{name} = sb.zeros({shape}, {type_name(t)})")
        body.scope.add(Variable(name, FixedArrayType(t, shape), mutable=False, owner=True))

    # Views

    def bind(
        self, body: Body, name: str, text: str, t: ArrayType, readonly: bool, roots: frozenset[str]
    ) -> None:
        body.emit(f"{name} = {text}")
        body.viewed |= roots
        roots = ANYWHERE if self.swaps else roots
        body.scope.add(Variable(name, t, mutable=False, readonly=readonly, roots=roots))

    def arrays(
        self, body: Body
    ) -> Iterator[tuple[str, MemoryType, tuple[str, ...], bool, bool, frozenset[str]]]:
        """Arrays: text, element, lengths, whether it is typed read-only, whether it is not to be
        written, and in whose memory it lies."""
        for v in body.scope.all():
            t, roots = v.type, v.roots or frozenset({v.name})
            match t:
                case ArrayType():
                    lengths = tuple(f"{v.name}.shape[{k}]" for k in range(t.ndim))
                    yield v.name, t.element, lengths, t.readonly, v.readonly or t.readonly, roots
                case FixedArrayType():
                    table = v.readonly and v.name.startswith("K")
                    yield v.name, t.element, _texts(t), table, v.readonly, roots
                case StructType() if not v.owner and v.name not in body.assigned_again:
                    for name, field in t.fields:
                        if isinstance(field, FixedArrayType):
                            text = f"{v.name}.{name}"
                            yield text, field.element, _texts(field), False, v.readonly, roots
                case _:
                    pass

    def view(self, body: Body) -> tuple[str, ArrayType, bool, frozenset[str]] | None:
        """A view: text, type, whether it is not to be written, and in whose memory it lies."""
        arrays = [*self.arrays(body)]
        if not arrays:
            return None
        name, element, lengths, typed, readonly, roots = self.rng.choice(arrays)
        indices = self.rng.randint(0, len(lengths) - 1)
        parts = [body.draw.index(f"{n}" if not n.isdigit() else int(n), 0)
                 for n in lengths[:indices]]  # fmt: skip
        rest = len(lengths) - indices
        if not indices or self.rng.random() < 0.6:
            array = name if not indices else f"{name}[{', '.join(parts)}]"
            parts.append(self.slice(body, array, lengths[indices]))
            parts += [":"] * (rest - 1) * (self.rng.random() < 0.3)
        t = ArrayType(element, rest, typed)
        if typed and not readonly:
            readonly = True
        return f"{name}[{', '.join(parts)}]", t, readonly, roots

    def slice(self, body: Body, array: str, length: str) -> str:
        return f"{self.bound(body, array, length)}:{self.bound(body, array, length)}"

    def bound(self, body: Body, array: str, length: str) -> str:
        rng = self.rng
        if rng.random() < self.far:
            wild = body.draw.weak_int(1)[0]
            return rng.choice(FAR).format(array, wild)
        near = f"{body.draw.weak_int(0)[0]} % ({length} + 1)"
        if length.isdigit():
            n = int(length)
            return rng.choice(("", "", str(rng.randint(0, n)), str(-rng.randint(1, n)), near))
        if rng.random() < 0.04:
            return rng.choice(("1", "-1", "2", "-2"))
        return rng.choice(("", "", "0", near, near, f"{length} // 2", length))


def _texts(t: FixedArrayType) -> tuple[str, ...]:
    return tuple(map(str, t.shape))
