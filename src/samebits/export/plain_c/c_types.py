"""The C types of IR values, and the structs that a program needs declared.

Owns names of types and declarators. Layout is that of `types`, which the compiler is made to check.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from samebits.export.plain_c.widths import Part, Widths
from samebits.ir.grammar import ValueType
from samebits.types import (
    BOOL,
    COMPONENTS,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

_FLOATS = {32: "float", 64: "double"}
_RESERVED = frozenset(
    re.findall(
        r"\S+",
        """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch
    typedef union unsigned void volatile while bool true false main NULL INFINITY NAN linux
    unix i386 asm typeof sqrt sqrtf fabs fabsf fma fmaf floor floorf ceil ceilf trunc truncf
    rint rintf copysign copysignf memcpy memmove memset
    """,
    )
)
"""Words of C, and the functions of its library that are called."""


def scalar_name(t: ScalarType) -> str:
    """The C type of a scalar's value."""
    stored = t.storage
    if stored == BOOL:
        return "bool"
    if stored.is_float:
        return _FLOATS[stored.bits]
    return f"{'int' if stored.is_signed else 'uint'}{stored.bits}_t"


def short_name(t: ScalarType) -> str:
    """A scalar's type in the names of helpers: `float32`, `uint8`."""
    stored = t.storage
    if stored == BOOL:
        return "bool"
    kind = "float" if stored.is_float else "int" if stored.is_signed else "uint"
    return f"{kind}{stored.bits}"


@dataclass
class Names:
    """Unique C identifiers for words of any form."""

    taken: set[str] = field(default_factory=lambda: set(_RESERVED))

    def fresh(self, word: str) -> str:
        """An identifier like `word` that nothing else has."""
        plain = re.sub(r"\W+", "_", word, flags=re.ASCII).strip("_") or "it"
        plain = f"n{plain}" if plain[0].isdigit() else plain
        name, number = plain, 2
        while name in self.taken:
            name, number = f"{plain}_{number}", number + 1
        self.taken.add(name)
        return name


@dataclass
class CTypes:
    """The types of one program: each struct, vector and array that is asked for gets a name."""

    names: Names
    _named: dict[object, str] = field(default_factory=dict[object, str])
    _declared: list[str] = field(default_factory=list[str])

    def declarations(self) -> Iterator[str]:
        """The typedefs of all types so far, parts before wholes."""
        yield from self._declared

    def declared(self, t: ValueType | MemoryType, name: str) -> str:
        """The declaration of something called `name`, without a semicolon."""
        match t:
            case RefType():
                is_array = isinstance(t.target, FixedArrayType)
                return self.declared(t.target, f"(*{name})" if is_array else f"*{name}")
            case FixedArrayType():
                extents = "".join(f"[{n}]" for n in t.shape)
                return self.declared(t.element, f"{name}{extents}")
            case _:
                return f"{self.name(t)} {name}"

    def variable(
        self, t: ValueType | MemoryType, name: str, widths: Widths, part: Part = Part.LOCALS
    ) -> str:
        """As `declared`, of a local name, or another `part`, which may have the other width."""
        return self.declared(widths.type_of(t, part) if isinstance(t, ScalarType) else t, name)

    def name(self, t: ValueType | MemoryType) -> str:
        """The name of a scalar's, vector's, struct's or array value's type."""
        match t:
            case ScalarType():
                return scalar_name(t)
            case VectorType():
                return self._named.get(t) or self._vector(t)
            case StructType():
                return self._named.get(t) or self._struct(t)
            case ArrayType():
                key = t.element, t.ndim
                return self._named.get(key) or self._array(t)
            case FixedArrayType() | RefType():
                raise TypeError(f"{t} has a declarator, not a name")

    def results(self, results: tuple[ScalarType, ...], widths: Widths = Widths.SAME) -> str:
        """The type that a function with these results returns."""
        results = tuple(widths.type_of(t, Part.SIGNATURES) for t in results)
        if not results:
            return "void"
        if len(results) == 1:
            return scalar_name(results[0])
        key = tuple(scalar_name(t) for t in results)
        found = self._named.get(key)
        if found is None:
            parts = [f"    {t} r{number};" for number, t in enumerate(key)]
            found = self._add(key, f"results_{'_'.join(map(short_name, results))}", parts)
        return found

    def member(self, t: StructType, name: str) -> str:
        """The C name of a struct's field."""
        own = Names()
        return next(own_name for each, own_name in _members(t, own) if each == name)

    def component(self, t: VectorType, index: int) -> str:
        """How component `index` of a vector's place is reached."""
        return f".{COMPONENTS[index]}" if t.length <= len(COMPONENTS) else f".at[{index}]"

    def _vector(self, t: VectorType) -> str:
        element = scalar_name(t.element)
        if t.length > len(COMPONENTS):
            parts = [f"    {element} at[{t.length}];"]
        else:
            parts = [f"    {element} {', '.join(COMPONENTS[: t.length])};"]
        return self._add(t, t.name, parts, t.size)

    def _struct(self, t: StructType) -> str:
        parts = [
            f"    {self.declared(t.field_types[name], own)};" for name, own in _members(t, Names())
        ]
        return self._add(t, t.name.rpartition(".")[2], parts, t.size)

    def _array(self, t: ArrayType) -> str:
        at = self.declared(t.element, "*at")
        if isinstance(t.element, FixedArrayType):
            at = self.declared(t.element, "(*at)")
        lengths = ", ".join(f"n{dimension}" for dimension in range(t.ndim))
        parts = [f"    {at};", f"    int64_t {lengths};"]
        element = re.sub(r"\W+", "_", str(t.element), flags=re.ASCII)
        return self._add((t.element, t.ndim), f"array_{element}", parts)

    def _add(self, key: object, wanted: str, parts: Iterable[str], size: int | None = None) -> str:
        name = self.names.fresh(wanted)
        self._named[key] = name
        lines = ["typedef struct {", *parts, f"}} {name};"]
        if size is not None:
            lines.append(f'_Static_assert(sizeof({name}) == {size}, "size of {name}");')
        self._declared.append("\n".join(lines))
        return name


def _members(t: StructType, own: Names) -> Iterator[tuple[str, str]]:
    for name, _ in t.fields:
        yield name, own.fresh(name)
