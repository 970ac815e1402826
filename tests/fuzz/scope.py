"""What a generated function can name at one point: variables, and places inside memory.

Owns which reads and writes are legal where; knows nothing of operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from samebits.types import (
    ArrayType,
    FixedArrayType,
    MemoryType,
    NoneType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)

INT64_REACH = 1 << 63
CAPTURED = 8
"""What weak ints that kernels capture are below; other variables may be too."""


@dataclass(frozen=True)
class Variable:
    """A name. `bound` limits the magnitude of a weak int; `owner` marks a local struct or array
    that may be assigned, `own` any; `roots` are the names in whose memory a view lies."""

    name: str
    type: Type
    mutable: bool = True
    readonly: bool = False
    owner: bool = False
    bound: int = INT64_REACH
    roots: frozenset[str] = frozenset()
    own: bool = False

    def kept(self, *, readonly: bool = False) -> Variable:
        """The variable where it may not be assigned."""
        own = self.own or self.owner
        if readonly:
            return replace(self, mutable=False, readonly=True, owner=False, own=own)
        return replace(self, owner=False, own=own)


@dataclass(frozen=True)
class Place:
    """A path to memory, with one hole for each index: `{0}`, `{1}`, …

    `lengths` says what each hole indexes: a constant, or the source of a length.
    """

    template: str
    type: MemoryType
    lengths: tuple[int | str, ...]
    readonly: bool
    root: Variable
    depth: int


@dataclass(frozen=True)
class Callee:
    """A kernel that can be called. `owner` is a method's struct, `cost` its work in iterations."""

    name: str
    params: tuple[tuple[str, Type], ...]
    result: Type
    cost: int
    defaults: int = 0
    owner: StructType | None = None
    generic: bool = False


@dataclass
class Scope:
    """Names visible now; `push` and `pop` follow the blocks of the source."""

    blocks: list[list[Variable]] = field(default_factory=lambda: [[]])

    def push(self) -> None:
        self.blocks.append([])

    def pop(self) -> None:
        self.blocks.pop()

    def block_of(self, name: str) -> int:
        """The number of the block, from the outermost on, that a name was last added to."""
        found = [k for k, block in enumerate(self.blocks) for v in block if v.name == name]
        return found[-1]

    def add(self, variable: Variable) -> None:
        self.blocks[-1].append(variable)

    def all(self) -> Iterator[Variable]:
        for block in self.blocks:
            yield from block

    def values(self, t: Type) -> list[Variable]:
        """Scalars and vectors of exactly type `t`."""
        return [v for v in self.all() if v.type == t]

    def structs(self, t: StructType | None = None, *, writable: bool = False) -> list[Variable]:
        return [
            v
            for v in self.all()
            if isinstance(v.type, StructType)
            and (t is None or v.type == t)
            and not (writable and v.readonly)
        ]

    def arrays(self) -> list[Variable]:
        return [v for v in self.all() if isinstance(v.type, ArrayType | FixedArrayType)]

    def places(self) -> list[Place]:
        """Every path from a variable into memory."""
        return [place for variable in self.all() for place in variable_places(variable)]


def variable_places(variable: Variable) -> Iterator[Place]:
    """Paths that start at `variable`, the variable itself not included."""
    t = variable.type
    match t:
        case ArrayType():
            lengths = tuple(f"{variable.name}.shape[{k}]" for k in range(t.ndim))
            lengths = (f"len({variable.name})",) if t.ndim == 1 else lengths
            holes = ", ".join(f"{{{k}}}" for k in range(t.ndim))
            first = Place(
                f"{variable.name}[{holes}]", t.element, lengths,
                variable.readonly or t.readonly, variable, 1,
            )  # fmt: skip
            yield from _inside(first)
        case FixedArrayType() | StructType():
            whole = Place(variable.name, t, (), variable.readonly, variable, 0)
            yield from list(_inside(whole))[1:]
        case _:
            return


def _inside(place: Place) -> Iterator[Place]:
    yield place
    if place.depth >= 4:
        return
    match place.type:
        case StructType():
            for name, t in place.type.fields:
                yield from _inside(
                    Place(f"{place.template}.{name}", t, place.lengths, place.readonly,
                          place.root, place.depth + 1)
                )  # fmt: skip
        case FixedArrayType():
            start = len(place.lengths)
            holes = ", ".join(f"{{{start + k}}}" for k in range(len(place.type.shape)))
            yield from _inside(
                Place(f"{place.template}[{holes}]", place.type.element,
                      place.lengths + place.type.shape, place.readonly, place.root,
                      place.depth + 1)
            )  # fmt: skip
        case _:
            return


def value_items(t: Type) -> tuple[Type, ...]:
    """The types that a call with result `t` gives, one for each name in an unpacking."""
    match t:
        case TupleType():
            return t.items
        case NoneType():
            return ()
        case ScalarType() | VectorType() | StructType():
            return (t,)
        case _:
            raise TypeError(repr(t))
