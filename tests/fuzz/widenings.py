"""Small random programs that put numbers where wider types are declared: results, fields, elements,
components, annotated names, parameters.

Owns the text of these programs. The inputs of `random_inputs` bring ends of ranges and NaNs.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from samebits.types import (
    FLOAT,
    FLOAT32,
    FLOAT64,
    INT,
    INT32,
    STRONG_SCALARS,
    UINT32,
    ArrayType,
    ScalarType,
    Type,
    widens,
)

NARROW = tuple(t for t in STRONG_SCALARS if t.is_int or t.is_float)
COMPONENTS = {FLOAT32: "float2", FLOAT64: "double2", INT32: "int2", UINT32: "uint2"}


def wider(t: ScalarType) -> list[ScalarType]:
    """The types that take a number of type `t`."""
    return [w for w in (*NARROW, INT, FLOAT) if widens(t, w)]


class _Widenings:
    """The lines of one kernel whose parameters are of the types given."""

    def __init__(self, rng: Random, params: list[tuple[str, ScalarType]]) -> None:
        self.rng, self.params = rng, params
        self.lines: list[str] = ["w = Wide()"]
        self.fields: dict[str, ScalarType] = {}
        self.callees: list[str] = []
        self.results: list[ScalarType] = []
        self.values: list[str] = []

    def name(self, stem: str) -> str:
        return f"{stem}{len(self.lines)}"

    def value(self) -> tuple[str, ScalarType]:
        name, t = self.rng.choice(self.params)
        roll = self.rng.random()
        if roll < 0.2:
            return f"{name} + {name}", t
        return (f"-{name}", t) if roll < 0.3 and t.is_signed else (name, t)

    def returned(self, text: str, t: ScalarType) -> None:
        self.results.append(self.rng.choice(wider(t)))
        self.values.append(text)

    def field(self) -> None:
        text, t = self.value()
        strong = self.rng.choice([w for w in wider(t) if not w.weak])
        name = f"f{len(self.fields)}"
        self.fields[name] = strong
        self.lines.append(f"w.{name} = {text}")
        self.returned(f"w.{name}", strong)

    def element(self) -> None:
        text, t = self.value()
        strong = self.rng.choice([w for w in wider(t) if not w.weak])
        name = self.name("z")
        self.lines += [f"{name} = sb.zeros(2, {strong.name})", f"{name}[1] = {text}"]
        self.returned(f"{name}[1]", strong)

    def annotated(self) -> None:
        text, t = self.value()
        kept, name = self.rng.choice(wider(t)), self.name("y")
        self.lines.append(f"{name}: {kept.name} = {text}")
        self.returned(name, kept)

    def component(self) -> None:
        text, t = self.value()
        elements = [e for e in COMPONENTS if widens(t, e)]
        if not elements:
            return
        element = self.rng.choice(elements)
        kept = COMPONENTS[element]
        name, first = self.name("v"), self.rng.choice((text, "1", f"{text}, 2"))
        self.lines.append(f"{name} = {kept}({first})")
        self.lines.append(f"{name}.{self.rng.choice('xy')} = {text}")
        self.returned(f"{name}.x", element)
        self.returned(f"{name}.y", element)

    def called(self) -> None:
        text, t = self.value()
        middle = self.rng.choice(wider(t))
        result = self.rng.choice(wider(middle)) if not middle.weak else middle
        name = f"callee{len(self.callees)}"
        head = f"def {name}(x: {middle.name}) -> {result.name}:"
        self.callees.append(f"@sb.kernel\n{head}\n    return x")
        self.returned(f"{name}({text})", result)

    def constructed(self) -> None:
        text, t = self.value()
        strong = self.rng.choice([w for w in wider(t) if not w.weak])
        field, name = f"f{len(self.fields)}", self.name("s")
        self.fields[field] = strong
        self.lines.append(f"{name} = Wide({field}={text})")
        self.returned(f"{name}.{field}", strong)


def parts(rng: Random) -> tuple[list[str], list[Type]]:
    """The parts of a program, whose entry is `entry`, and its parameters' types."""
    params = [(f"p{k}", rng.choice(NARROW)) for k in range(rng.randint(2, 4))]
    store = rng.choice([w for w in wider(params[0][1]) if not w.weak])
    made = _Widenings(rng, params)
    places: list[Callable[[], None]] = [
        made.field, made.element, made.annotated, made.component, made.called, made.constructed,
    ]  # fmt: skip
    made.returned(*params[-1])
    for _ in range(rng.randint(3, 7)):
        rng.choice(places)()
    made.lines += ["for i in range(len(out)):", "    out[i] = p0"]
    made.lines.append(f"return {', '.join(made.values)}" if len(made.values) > 1 else "return p0")
    fields = [f"    {name}: {t.name}" for name, t in made.fields.items()] or ["    none: int32"]
    head = ", ".join(f"{name}: {t.name}" for name, t in params)
    result = f"tuple[{', '.join(t.name for t in made.results)}]"
    if len(made.values) == 1:
        result = rng.choice(wider(params[0][1])).name
    body = "\n".join(f"    {line}" for line in made.lines)
    flush = '(denormals="flush")' if rng.random() < 0.15 else ""
    entry = (
        f"@sb.kernel{flush}\ndef entry({head}, out: sb.Array[{store.name}]) -> {result}:\n{body}"
    )
    struct = "@sb.struct\nclass Wide:\n" + "\n".join(fields)
    array = ArrayType(store, 1, False)
    return [struct, *made.callees, entry], [*(t for _, t in params), array]
