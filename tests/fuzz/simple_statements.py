"""Random simple statements: declarations, assignments, stores, calls, assertions."""

from __future__ import annotations

from random import Random

from samebits.types import (
    BOOL,
    FLOAT,
    INT,
    FixedArrayType,
    FixedPointType,
    MatrixType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)
from tests.fuzz.expressions import Expressions
from tests.fuzz.joins import Joins
from tests.fuzz.literals import NUMBERS, is_half, type_name
from tests.fuzz.scope import Callee, Place, Variable, value_items

INDENT = "    "
MOST_ITERATIONS = 60


class SimpleStatements:
    """Writes statements of one line; `iterations` is how often the present place may run."""

    def __init__(
        self, rng: Random, hazard: float, palette: list[ScalarType | VectorType],
        callees: list[Callee], structs: list[StructType], result: Type, work: int,
    ) -> None:  # fmt: skip
        self.rng = rng
        self.draw = Expressions(rng, hazard, palette, callees)
        self.scope = self.draw.scope
        self.structs = structs
        self.result = result
        self.lines: list[str] = []
        self.level = 1
        self.iterations = 1
        self.most_iterations = MOST_ITERATIONS
        self.loops = 0
        self.in_iteration = False
        """Whether the present place is in the body of a parallel range."""
        self.names = 0
        self.work = work
        """Iterations of work that the whole function may still cause."""
        self.cost = 0
        self.joins: Joins | None = None
        self.viewed: set[str] = set()
        """Names of local structs with views in them, which are not assigned again anywhere."""
        self.assigned_again: set[str] = set()
        """Names of local structs that are, of which there are no views."""

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def emit(self, text: str) -> None:
        self.lines.append(INDENT * self.level + text)

    def depth(self) -> int:
        return self.rng.choice((0, 1, 1, 2, 2, 3))

    def expr(self, t: Type) -> str:
        return self.draw.expr(t, self.depth())

    def adopted(self, t: Type) -> str:
        return self.draw.adopted(t, self.depth())

    def declare(self, _nested: int = 0, t: ScalarType | VectorType | None = None) -> None:
        t = t or self.draw.pick()
        text = self.expr(t)
        name = self.fresh("v")
        if self.joins is not None and isinstance(t, ScalarType) and self.joins.first(t):
            weak = self.joins.weak(self.scope, t)
            if not t.weak and self.joins.rng.random() < 0.3:
                self.emit(f"{name}: {type_name(t)} = {weak}")
                self.scope.add(Variable(name, t))
                return
            self.emit(f"{name} = {weak}")
            if self.joins.rng.random() < 0.5:
                self.emit(f"if {self.joins.condition(self.scope)}:")
                self.emit(f"{INDENT}{name} = {text}")
                self.scope.add(Variable(name, t))
                return
        self.emit(f"{name} = {text}")
        self.scope.add(Variable(name, t))

    def assign(self, _nested: int) -> None:
        names = self.mutable()
        if not names:
            return self.declare()
        v = self.rng.choice(names)
        text = self.expr(v.type)
        if self.joins is not None and isinstance(v.type, ScalarType) and self.joins.drawn(v.type):
            if self.joins.rng.random() < 0.3:
                text = self.joins.weak(self.scope, v.type)
            else:
                text = self.joins.ternary(self.scope, v.type, f"({text})")
        self.emit(f"{v.name} = {text}")

    def mutable(self) -> list[Variable]:
        return [
            v for v in self.scope.all()
            if v.mutable and isinstance(v.type, ScalarType | VectorType)
        ]  # fmt: skip

    def augment(self, _nested: int) -> None:
        """`x += e` on a name or a place."""
        names: list[Variable | Place] = [
            v for v in self.mutable() if v.type != BOOL and not is_half(v.type)
        ]
        places: list[Variable | Place] = [
            p for p in self.scope.places()
            if not p.readonly and isinstance(p.type, ScalarType | VectorType) and p.type != BOOL
            and not is_half(p.type)
        ]  # fmt: skip
        pool = places if places and (self.rng.random() < 0.5 or not names) else names
        if not pool:
            return self.declare()
        target = self.rng.choice(pool)
        t = target.type
        text = target.name if isinstance(target, Variable) else self.draw.place(target, 1)
        sign, operand = self.operation(t)
        self.emit(f"{text} {sign}= {operand}")

    def operation(self, t: Type) -> tuple[str, str]:
        """An operator and right side that keep type `t`."""
        rng = self.rng
        e = t.element if isinstance(t, VectorType) else t
        assert isinstance(e, ScalarType)
        if e == BOOL:
            return rng.choice("&|^"), self.expr(t)
        if e == INT:
            if self.draw.risky():
                return rng.choice("+-*"), self.draw.weak_int(1)[0]
            return rng.choice(("&", "%", "//", ">>")), str(rng.choice((1, 3, 7, 15, 63)))
        if e.is_float:
            sign = rng.choice("+-*" if e == FLOAT else "+-*/")
            right = self.expr(t) if isinstance(t, VectorType) else self.adopted(t)
            if isinstance(t, VectorType) and rng.random() < 0.3:
                right = self.adopted(e)
            return sign, right
        sign = rng.choice(("+", "-", "*", "&", "|", "^", "+", "-", "*", "//", "%", "<<", ">>"))
        if sign in ("//", "%") and not self.draw.risky():
            return sign, f"({self.expr(t)} | 1)"
        if sign in ("<<", ">>"):
            return sign, self.expr(t)
        return sign, self.expr(t) if isinstance(t, VectorType) else self.adopted(t)

    def store(self, _nested: int) -> None:
        """Write a scalar, vector or whole struct into memory."""
        places = [p for p in self.scope.places() if not p.readonly]
        simple = [p for p in places if isinstance(p.type, ScalarType | VectorType)]
        whole = [p for p in places if isinstance(p.type, StructType) and not p.root.owner]
        if whole and self.rng.random() < 0.2:
            p = self.rng.choice(whole)
            assert isinstance(p.type, StructType)
            sources = [v.name for v in self.scope.structs(p.type)]
            text = self.rng.choice(sources) if sources and self.rng.random() < 0.6 \
                else self.draw.struct(p.type, 1)  # fmt: skip
            self.emit(f"{self.draw.place(p, 1)} = {text}")
        elif simple:
            preferred = [p for p in simple if p.type in self.draw.palette]
            pool = preferred if preferred and self.rng.random() < 0.5 else simple
            p = self.rng.choice(pool)
            self.emit(f"{self.draw.place(p, 1)} = {self.adopted(p.type)}")
        else:
            self.declare()

    def unpack(self, _nested: int) -> None:
        """`a, b = b, a`, new names, or the results of a call."""
        calls = [
            c for c in self.draw.callees
            if isinstance(c.result, TupleType) and c.cost <= self.draw.budget
            and self.draw.callable(c)
        ]  # fmt: skip
        if calls and self.rng.random() < 0.7:
            c = self.rng.choice(calls)
            text = self.draw.call_text(c, 1)
            self.cost += self.iterations * c.cost
            self.bind_results(c.result, text)
            return
        if self.rng.random() < 0.3 and self.swap_places():
            return
        by_type: dict[Type, list[Variable]] = {}
        for v in self.mutable():
            by_type.setdefault(v.type, []).append(v)
        pairs = [vs for vs in by_type.values() if len(vs) >= 2]
        if pairs and self.rng.random() < 0.5:
            a, b = self.rng.sample(self.rng.choice(pairs), 2)
            self.emit(f"{a.name}, {b.name} = {b.name}, {a.name}")
            return
        types = [self.draw.pick() for _ in range(self.rng.randint(2, 3))]
        texts = ", ".join(self.draw.expr(t, 1) for t in types)
        names = [self.fresh("u") for _ in types]
        self.emit(f"{', '.join(names)} = {texts}")
        for name, t in zip(names, types, strict=True):
            self.scope.add(Variable(name, t))

    def swap_places(self) -> bool:
        """`a[i], a[j] = a[j], a[i]`; False where there is no place."""
        places = [
            p for p in self.scope.places()
            if not p.readonly and isinstance(p.type, ScalarType | VectorType)
        ]  # fmt: skip
        if not places:
            return False
        p = self.rng.choice(places)
        q = self.rng.choice([other for other in places if other.type == p.type])
        a, b = self.draw.place(p, 0), self.draw.place(q, 0)
        self.emit(f"{a}, {b} = {b}, {a}")
        return True

    def bind_results(self, result: Type, text: str) -> None:
        items = value_items(result)
        names = [self.fresh("r") for _ in items]
        self.emit(f"{', '.join(names)} = {text}" if names else text)
        for name, t in zip(names, items, strict=True):
            owner = isinstance(t, StructType)
            self.scope.add(Variable(name, t, mutable=not owner, owner=owner))

    def call(self, _nested: int) -> None:
        calls = [
            c for c in self.draw.callees if c.cost <= self.draw.budget and self.draw.callable(c)
        ]  # fmt: skip
        if not calls:
            return self.declare()
        c = self.rng.choice(calls)
        text = self.draw.call_text(c, 2)
        self.cost += self.iterations * c.cost
        if self.rng.random() < 0.2:
            self.emit(text)
        else:
            self.bind_results(c.result, text)

    def bind(self, _nested: int) -> None:
        """A name for a struct inside a parameter's memory."""
        places = [
            p for p in self.scope.places() if isinstance(p.type, StructType) and not p.root.owner
        ]
        if not places:
            return self.store(0)
        p = self.rng.choice(places)
        text = self.draw.place(p, 1)
        name = self.fresh("q")
        # Inside a loop a local struct is no `owner`, and yet no name for its memory is possible.
        self.emit(f"{name} = {text}{'.copy()' * p.root.own}")
        self.scope.add(Variable(name, p.type, mutable=False, readonly=p.readonly))

    def own(self, _nested: int) -> None:
        """A struct of this call's own."""
        if not self.structs:
            return self.declare()
        owners = [v for v in self.scope.structs() if v.owner and v.name not in self.viewed]
        if owners and self.rng.random() < 0.3:
            v = self.rng.choice(owners)
            assert isinstance(v.type, StructType)
            self.assigned_again.add(v.name)
            self.emit(f"{v.name} = {self.draw.struct(v.type, 1)}")
            return
        t = self.rng.choice(self.structs)
        text = self.draw.struct(t, 1)
        name = self.fresh("o")
        self.emit(f"{name} = {text}")
        self.scope.add(Variable(name, t, mutable=False, owner=True))

    def local_array(self, _nested: int) -> None:
        t = self.draw.pick()
        if t in (INT, FLOAT):
            t = self.rng.choice(NUMBERS)
        name = self.fresh("z")
        if self.rng.random() < 0.7:
            shape: tuple[int, ...] = (self.rng.choice((1, 2, 3, 4, 8)),)
            self.emit(f"{name} = sb.zeros({shape[0]}, {type_name(t)})")
        else:
            shape = (self.rng.randint(1, 4), self.rng.randint(1, 4))
            self.emit(f"{name} = sb.zeros({shape}, {type_name(t)})")
        self.scope.add(Variable(name, FixedArrayType(t, shape), mutable=False, owner=True))

    def _f_string(self) -> str:
        """A text that names some values, in a literal of its own."""
        pieces: list[str] = []
        left = 8  # the most numbers
        for _ in range(self.rng.randint(0, 3)):
            t = self.draw.pick()
            element = t.element if isinstance(t, VectorType) else t
            if isinstance(t, MatrixType | FixedPointType) or element.is_ieee != element.is_float:
                continue
            count = t.length if isinstance(t, VectorType) else 1
            if count > left:
                continue
            left -= count
            formats = ["", "", "!r"] if isinstance(t, ScalarType) else [""]
            if element.is_float:
                formats += [":.3f", ":+012.4e"]
            elif element.is_int:
                formats += [":x", ":08b", ":+d"]
            pieces.append(f"{{({self.draw.expr(t, 1)}){self.rng.choice(formats)}}}")
        return f'f"it {{{{must}}}} hold: {" and ".join(pieces)}"'

    def assertion(self, _nested: int) -> None:
        condition = self.draw.boolean(1)
        if not self.draw.risky():
            condition = f"{condition} or True"
        if self.rng.random() < 0.3:
            self.emit(f"sb.assume({condition})")
            return
        message = ', "it must hold"' if self.rng.random() < 0.3 else ""
        if self.rng.random() < 0.6:
            message = f", {self._f_string()}"
        self.emit(f"assert {condition}{message}")
