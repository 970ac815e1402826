"""Random members of structs, and statements that use them: defaults, constants, operators,
properties, static methods; components of vectors that are assigned, structs that swap, `match`.

They have a generator of their own, which leaves what else a program has as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from samebits.types import (
    BOOL,
    FLOAT64,
    INT,
    FixedArrayType,
    ScalarType,
    StructType,
    VectorType,
)
from tests.fuzz.expressions import Expressions
from tests.fuzz.halves import FIRST_SEED
from tests.fuzz.literals import INTS, is_half, type_name
from tests.fuzz.scope import INT64_REACH, Variable
from tests.fuzz.simple_statements import INDENT
from tests.fuzz.statements import Body

PROGRAMS = 0.6
BINDS_FROM = 8_500_000
STATEMENTS = 0.35

Palette = list[ScalarType | VectorType]


def _is_number(t: object) -> bool:
    element = t.element if isinstance(t, VectorType) else t
    return isinstance(element, ScalarType) and element != BOOL and not is_half(element)


class Members:
    """What the program of `seed` has of them."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"samebits fuzz members {seed}")
        self.wanted = self.rng.random() < PROGRAMS and seed >= FIRST_SEED
        self.of: dict[str, dict[str, ScalarType | VectorType]] = {}
        """The members of each struct, and the type of what they give."""
        self.busy = False
        self.binds = seed >= BINDS_FROM
        """Whether cases bind names."""

    # Declarations

    def fields(self, t: StructType, palette: Palette) -> list[str]:
        """The lines of a struct's fields, some with defaults, and of its constants."""
        draw = Expressions(self.rng, 0.0, palette, [])
        lines: list[str] = []
        for name, f in t.fields:
            text = f"{INDENT}{name}: {type_name(f)}"
            if isinstance(f, ScalarType | VectorType) and self.rng.random() < 0.4:
                vector = isinstance(f, VectorType)
                text += f" = {draw.vector_constant(f) if vector else draw.constant(f)}"
            lines.append(text)
        found = self.of[t.name] = {}
        if self.rng.random() < 0.5:
            lines.append(f"{INDENT}C = {draw.constant(FLOAT64)}")
            found["C"] = FLOAT64
        return lines

    def methods(self, t: StructType) -> list[str]:
        """The lines of operators, a property and a static method."""
        numbers = [(n, f) for n, f in t.fields if _is_number(f)]
        if not numbers:
            return []
        name, f = self.rng.choice(numbers)
        assert isinstance(f, ScalarType | VectorType)
        kind, own = type_name(f), f'"{t.name}"'
        found = self.of[t.name]
        changes = [f"made.{n} = self.{n} {self.rng.choice('+-*')} other.{n}" for n, _ in numbers]
        negated = [f"made.{n} = -self.{n}" for n, _ in numbers]
        rows: dict[str, tuple[str, str, list[str]]] = {
            "__add__": (
                f"self, other: {own}",
                own,
                ["made = self.copy()", *changes, "return made"],
            ),
            "__neg__": ("self", own, ["made = self.copy()", *negated, "return made"]),
            "__rsub__": (f"self, k: {kind}", kind, [f"return k - self.{name}"]),
            "p": ("self", kind, [f"return self.{name}"]),
            "make": (f"x: {kind}", own, [f"return {t.name}({name}=x)"]),
        }
        if isinstance(f, ScalarType):
            rows["__eq__"] = (
                f"self, other: {own}",
                "bool",
                [f"return self.{name} == other.{name}"],
            )
            rows["__lt__"] = (f"self, other: {own}", "bool", [f"return self.{name} < other.{name}"])
        arrays = [
            (n, a) for n, a in t.fields
            if isinstance(a, FixedArrayType) and len(a.shape) == 1 and _is_number(a.element)
        ]  # fmt: skip
        kinds = dict.fromkeys(rows, f)
        if arrays:
            n, a = self.rng.choice(arrays)
            assert isinstance(a.element, ScalarType | VectorType)
            item = type_name(a.element)
            rows["__getitem__"] = ("self, i: int32", item, [f"return self.{n}[i]"])
            rows["__setitem__"] = (
                f"self, i: int32, v: {item}", "None", [f"self.{n}[i] = v"],
            )  # fmt: skip
            kinds |= {"__getitem__": a.element, "__setitem__": a.element}
        lines: list[str] = []
        for method, (parameters, result, body) in rows.items():
            if self.rng.random() < 0.25 and method != "p":
                continue
            found[method] = kinds[method]
            mark = {"p": "@property", "make": "@staticmethod"}.get(method)
            lines += ["", f"{INDENT}{mark}"] if mark else [""]
            lines.append(f"{INDENT}def {method}({parameters}) -> {result}:")
            lines += [INDENT * 2 + line for line in body]
        return lines

    # Statements

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
            self.rng.choices(self.kinds(), (3, 1, 2, 6))[0](body)

    def kinds(self) -> tuple[Callable[[Body], None], ...]:
        return self.component, self.swap, self.cases, self.use

    def component(self, body: Body) -> None:
        names = [v.name for v in body.mutable() if isinstance(v.type, VectorType)]
        places = [
            p for p in body.scope.places() if isinstance(p.type, VectorType) and not p.readonly
        ]
        types = {v.name: v.type for v in body.mutable()}
        if names and (not places or self.rng.random() < 0.5):
            text = self.rng.choice(names)
            t = types[text]
        elif places:
            place = self.rng.choice(places)
            text, t = body.draw.place(place, 1), place.type
        else:
            return
        assert isinstance(t, VectorType)
        a, b = self.rng.sample("xyzw"[: t.length], 2)
        roll = self.rng.random()
        if roll < 0.2:
            body.emit(f"{text}.{a}, {text}.{b} = {text}.{b}, {text}.{a}")
        elif roll < 0.5 and _is_number(t):
            sign, operand = body.operation(t.element)
            body.emit(f"{text}.{a} {sign}= {operand}")
        else:
            body.emit(f"{text}.{a} = {body.adopted(t.element)}")

    def swap(self, body: Body) -> None:
        places = [
            p for p in body.scope.places()
            if isinstance(p.type, StructType) and not p.readonly and not p.root.owner
        ]  # fmt: skip
        if not places:
            return
        p = self.rng.choice(places)
        q = self.rng.choice([other for other in places if other.type == p.type])
        a, b = body.draw.place(p, 1), body.draw.place(q, 1)
        body.emit(f"{a}, {b} = {b}, {a}")

    def cases(self, body: Body) -> None:
        t = self.rng.choice((INT, BOOL, *INTS))
        subject = body.draw.weak_int(1)[0] if t == INT else body.draw.atom(t, 1)
        bound = self.bound(body, t) if self.binds and self.rng.random() < 0.7 else None
        body.emit(f"match {subject}:")
        body.level += 1
        for _ in range(self.rng.randint(1, 3)):
            if bound is None:
                body.emit(f"case {self.pattern(t)}{self.guard(body)}:")
            else:
                body.emit(f"case {self.binding(body, t, bound)}:")
            body.block(1)
        last = self.rng.random()
        if last < 0.7:
            name = body.fresh("n") if last < 0.3 else "_"
            body.emit(f"case {name}:")
            body.block(1)
        body.level -= 1

    def pattern(self, t: ScalarType) -> str:
        if t == BOOL:
            return self.rng.choice(("True", "False", "True | False"))
        least = -3 if t.is_signed else 0
        return " | ".join(
            str(self.rng.randint(least, 7)) for _ in range(self.rng.choice((1, 1, 2, 3)))
        )

    def bound(self, body: Body, t: ScalarType) -> str:
        """A name of type `t` that cases bind, and that is read after them."""
        names = [v.name for v in body.mutable() if v.type == t and v.bound == INT64_REACH]
        if names and self.rng.random() < 0.5:
            return self.rng.choice(names)
        name = body.fresh("k")
        number = self.rng.randint(0, 7)
        text = str(number > 3) if t == BOOL else number if t == INT else f"{type_name(t)}({number})"
        body.emit(f"{name} = {text}")
        body.scope.add(Variable(name, t))
        return name

    def binding(self, body: Body, t: ScalarType, name: str) -> str:
        """A pattern that binds a name, mostly with a guard that reads it."""
        read = name if t == BOOL else f"{name} {self.rng.choice('<>')} {self.rng.randint(0, 7)}"
        guard = self.rng.choice((read, f"not {read}" if t == BOOL else read, body.draw.boolean(1)))
        if self.rng.random() < 0.3:
            guard = f"{guard} {self.rng.choice(('and', 'or'))} {body.draw.boolean(1)}"
        if self.rng.random() < 0.2:  # all fits, which has a guard where cases follow
            return f"{self.rng.choice(('', '_ as '))}{name} if {guard}"
        return f"{self.pattern(t)} as {name}{f' if {guard}' * (self.rng.random() < 0.8)}"

    def guard(self, body: Body) -> str:
        return f" if {body.draw.boolean(1)}" if self.rng.random() < 0.3 else ""

    def use(self, body: Body) -> None:
        """A statement that uses a member of a struct that is at hand."""
        known = [v for v in body.scope.structs() if self.of.get(v.type.name)]  # type: ignore
        if not known:
            return
        v = self.rng.choice(known)
        assert isinstance(v.type, StructType)
        members = self.of[v.type.name]
        name = self.rng.choice(list(members))
        other = self.rng.choice(body.scope.structs(v.type)).name
        t = members[name]
        if name in ("__eq__", "__lt__"):
            sign = self.rng.choice(("==", "!=") if name == "__eq__" else ("<", ">"))
            body.emit(f"if {v.name} {sign} {other}:")
            body.block(1)
            return
        if name == "__setitem__":
            self.set_item(body, v, t, both="__getitem__" in members)
            return
        texts: dict[str, Callable[[], str]] = {
            "C": lambda: self.rng.choice((f"{v.name}.C", f"{v.type}.C")),
            "p": lambda: f"{v.name}.p",
            "__add__": lambda: f"({v.name} + {other}).p",
            "__neg__": lambda: f"(-{v.name}).p",
            "__rsub__": lambda: f"{body.draw.atom(t, 1)} - {v.name}",
            "__getitem__": lambda: f"{v.name}[{self.index(v)}]",
            "make": lambda: f"{v.type}.make({body.draw.atom(t, 1)}).p",
        }
        text = texts[name]()
        targets = [w.name for w in body.mutable() if w.type == t]
        if targets:
            body.emit(f"{self.rng.choice(targets)} = {text}")
        else:
            body.emit(f"{body.fresh('x')} = {text}")

    def index(self, v: Variable) -> int:
        assert isinstance(v.type, StructType)
        lengths = [f.shape[0] for _, f in v.type.fields if isinstance(f, FixedArrayType)]
        return self.rng.randint(0, min(lengths) - (self.rng.random() < 0.9))

    def set_item(self, body: Body, v: Variable, t: ScalarType | VectorType, *, both: bool) -> None:
        if v.readonly:
            return
        place = f"{v.name}[{self.index(v)}]"
        if both and self.rng.random() < 0.5:
            sign, operand = body.operation(t)
            body.emit(f"{place} {sign}= {operand}")
        else:
            body.emit(f"{place} = {body.adopted(t)}")
