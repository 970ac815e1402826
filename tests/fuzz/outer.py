"""Structs as constants of the module, negative constant indices in loops that trap where an array
is too short, names of views that get others, second names of own structs, loops over tuples of
structs and of arrays.

They have a generator of their own, which leaves what else a program has as it is.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from random import Random

from samebits.types import ArrayType, FixedArrayType, ScalarType, StructType, VectorType
from tests.fuzz.expressions import Expressions
from tests.fuzz.scope import Variable, variable_places
from tests.fuzz.simple_statements import INDENT
from tests.fuzz.statements import Body
from tests.fuzz.views import ANYWHERE, MOST, Views

FIRST_SEED = 7_950_000
"""Programs of smaller seeds were compared, and are named, without these: they stay."""
STATEMENTS = 0.2
GUARDED = 0.6
"""How many reads from the end are made only where the array is long enough."""
HEADS = (
    "{0} in {1}", "{0} in {1}", "_, {0} in enumerate({1})", "{0} in reversed({1})",
    "{0}, _ in zip({1}, range(3))",
)  # fmt: skip
"""Heads of loops over the tuple `{1}`."""

Palette = list[ScalarType | VectorType]


class Outer:
    """What the program of `seed` has of them."""

    def __init__(self, seed: int, views: Views) -> None:
        self.rng = Random(f"samebits fuzz outer {seed}")
        self.wanted = seed >= FIRST_SEED
        self.views = views
        self.busy = False
        self.constants: list[Variable] = []

    @contextmanager
    def _drawing(self, body: Body) -> Generator[None]:
        """Inside, everything is drawn from this generator."""
        saved, self.busy = body.rng, True
        body.rng = body.draw.rng = self.rng
        try:
            yield
        finally:
            body.rng = body.draw.rng = saved
            self.busy = False

    # Constants

    def module(self, structs: list[StructType], palette: Palette) -> list[str]:
        """The lines of some structs at module level."""
        lines: list[str] = []
        if not self.wanted or not structs:
            return lines
        draw = Expressions(self.rng, 0.0, palette, [])
        for k in range(self.rng.choice((0, 1, 1, 2))):
            t, name = self.rng.choice(structs), f"SK{k}"
            lines.append(f"{name} = {self._struct(draw, t)}")
            self.constants.append(Variable(name, t, mutable=False, readonly=True))
        return lines

    def _struct(self, draw: Expressions, t: StructType) -> str:
        fields: list[str] = []
        for name, f in t.fields:
            if self.rng.random() < 0.8:
                text = self._field(draw, f)
                fields += [f"{name}={text}"] * (text is not None)
        return f"{t.name}({', '.join(fields)})"

    def _field(self, draw: Expressions, t: object) -> str | None:
        match t:
            case VectorType():
                return draw.vector_constant(t)
            case ScalarType():
                return draw.constant(t)
            case StructType():
                return self._struct(draw, t)
            case FixedArrayType(element=(ScalarType() | VectorType()) as e, shape=(n,)):
                return f"[{', '.join(str(self._field(draw, e)) for _ in range(n))}]"
            case _:
                return None

    # Statements

    def statement(self, body: Body) -> None:
        """Sometimes one more statement."""
        if not self.wanted or self.busy or body.in_iteration or self.rng.random() >= STATEMENTS:
            return
        with self._drawing(body):
            kinds = (
                self.from_end, self.named_again, self.structs, self.arrays, self.own,
                self.own_array,
            )  # fmt: skip
            self.rng.choices(kinds, (4, 2, 3, 2, 3, 2))[0](body)

    def from_end(self, body: Body) -> None:
        """A loop that reads or writes elements from the end."""
        arrays = [
            v for v in body.scope.arrays()
            if isinstance(v.type, ArrayType | FixedArrayType)
            and isinstance(v.type.element, ScalarType | VectorType)
        ]  # fmt: skip
        if not arrays or body.room() < MOST:
            return
        v = self.rng.choice(arrays)
        t = v.type
        assert isinstance(t, ArrayType | FixedArrayType)
        assert isinstance(t.element, ScalarType | VectorType)
        ndim = t.ndim if isinstance(t, ArrayType) else len(t.shape)
        lengths = t.shape if isinstance(t, FixedArrayType) else (4,) * ndim
        indices = [self.rng.choice((1, 1, 2, min(3, n), n)) for n in lengths]
        indices = [min(i, n) for i, n in zip(indices, lengths, strict=True)]
        place = f"{v.name}[{', '.join(str(-i) for i in indices)}]"
        known = [w.name for w in body.mutable() if w.type == t.element]
        target = self.rng.choice(known) if known else body.fresh("v")
        if not known:
            body.emit(f"{target} = {body.expr(t.element)}")
            body.scope.add(Variable(target, t.element))
        level = body.level
        if isinstance(t, ArrayType) and self.rng.random() < GUARDED:
            tests = [f"{v.name}.shape[{k}] >= {i}" for k, i in enumerate(indices)]
            body.emit(f"if {' and '.join(tests)}:")
            body.level += 1
        heads = [f"range(len({v.name}))", f"range({self.rng.randint(0, 3)})"]
        heads += [v.name] * (ndim == 1)
        body.emit(f"for {self.rng.choice((body.fresh('i'), '_'))} in {self.rng.choice(heads)}:")
        writes = not v.readonly and not (isinstance(t, ArrayType) and t.readonly)
        if writes and self.rng.random() < 0.4:
            body.emit(f"{INDENT}{place} = {target}")
        else:
            body.emit(f"{INDENT}{target} = {place}")
        body.level = level
        body.cost += MOST * body.iterations

    def named_again(self, body: Body) -> None:
        """Another array's part under a view's name, which lives as long as the name."""
        names = [v for v in body.scope.all() if v.roots == ANYWHERE]
        if not names:
            return
        v = self.rng.choice(names)
        assert isinstance(v.type, ArrayType)
        limit = body.scope.block_of(v.name)
        fit: list[tuple[str, str]] = []
        for text, element, lengths, typed, readonly, _ in self.views.arrays(body):
            same = (element, len(lengths), typed) == (v.type.element, v.type.ndim, v.type.readonly)
            older = body.scope.block_of(text.split(".")[0]) <= limit
            if same and older and (readonly or typed) == v.readonly:
                fit.append((text, lengths[0]))
        if fit:
            text, length = self.rng.choice(fit)
            body.viewed.add(text.split(".")[0])
            body.emit(f"{v.name} = {text}[{self.views.slice(body, text, length)}]")

    def structs(self, body: Body) -> None:
        """A loop over a tuple of structs."""
        t = self.rng.choice([v.type for v in body.scope.structs()] or [None])
        if not isinstance(t, StructType):
            return
        names = [
            v for v in body.scope.structs(t)
            if not v.own and not (v.owner and v.name in body.assigned_again)
        ]  # fmt: skip
        places = [
            p for p in body.scope.places()
            if p.type == t and p.depth and not p.root.owner and not p.root.own
        ]  # fmt: skip
        items: list[tuple[str, bool]] = []
        for _ in range(self.rng.randint(1, 4)):
            if places and (not names or self.rng.random() < 0.4):
                p = self.rng.choice(places)
                items.append((body.draw.place(p, 0), p.readonly))
            elif names:
                v = self.rng.choice(names)
                body.viewed |= {v.name} if v.owner else set()
                items.append((v.name, v.readonly))
        self._loop(body, t, items)

    def own(self, body: Body) -> None:
        """A second name of a struct of this call's own, or of a struct in one."""
        owners = [
            v for v in body.scope.structs()
            if (v.owner or v.own) and not v.readonly and v.name not in body.assigned_again
        ]  # fmt: skip
        if not owners:
            return
        v = self.rng.choice(owners)
        assert isinstance(v.type, StructType)
        body.viewed.add(v.name)
        places = [p for p in variable_places(v) if isinstance(p.type, StructType)]
        text, t = v.name, v.type
        if places and self.rng.random() < 0.5:
            p = self.rng.choice(places)
            assert isinstance(p.type, StructType)
            text, t = body.draw.place(p, 0), p.type
        name = body.fresh("q")
        body.emit(f"{name} = {text}")
        body.scope.add(Variable(name, t, mutable=False))

    def own_array(self, body: Body) -> None:
        """A local array of structs, names of its elements, and a loop over it."""
        if not body.structs or body.room() < 4:
            return
        t, count = self.rng.choice(body.structs), self.rng.randint(1, 4)
        name, x = body.fresh("z"), body.fresh("x")
        body.emit(f"{name} = sb.zeros({count}, {t.name})")
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            element = body.fresh("q")
            index = self.rng.choice((str(self.rng.randrange(count)), body.draw.index(count, 0)))
            body.emit(f"{element} = {name}[{index}]")
            body.scope.add(Variable(element, t, mutable=False))
        head = self.rng.choice(HEADS)
        body.emit(f"for {head.format(x, name)}:")
        body.scope.push()
        body.scope.add(Variable(x, t, mutable=False))
        body.loop_body(self.rng.choice((1, 2, 3)), count)
        body.scope.pop()

    def arrays(self, body: Body) -> None:
        """A loop over a tuple of arrays."""
        arrays = [
            v for v in body.scope.arrays()
            if isinstance(v.type, ArrayType) and v.roots != ANYWHERE
        ]  # fmt: skip
        if not arrays:
            return
        first = self.rng.choice(arrays)
        t = first.type
        assert isinstance(t, ArrayType)
        fit = [v for v in arrays if v.type == t and v.readonly == first.readonly]
        items = [self.rng.choice(fit) for _ in range(self.rng.randint(1, 3))]
        self._loop(body, t, [(v.name, v.readonly or t.readonly) for v in items])

    def _loop(self, body: Body, t: StructType | ArrayType, items: list[tuple[str, bool]]) -> None:
        if not items or body.room() < len(items):
            return
        readonly = any(flag for _, flag in items)
        texts = ", ".join(text for text, _ in items)
        text = self.rng.choice((f"({texts},)", f"({texts},)", f"[{texts}]"))
        x = body.fresh("x")
        body.emit(f"for {self.rng.choice(HEADS).format(x, text)}:")
        body.scope.push()
        roots = ANYWHERE if isinstance(t, ArrayType) else frozenset[str]()
        body.scope.add(Variable(x, t, mutable=False, readonly=readonly, roots=roots))
        body.loop_body(self.rng.choice((1, 2, 3)), len(items))
        body.scope.pop()
