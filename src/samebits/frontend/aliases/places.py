"""Places in memory as a function's source has them, through second names, views and loops.

Two texts mean one place where `b = a` gives an array a second name, where `v = a[1:]` is a part of
it, and where a loop's name is an element. Knows the source of one function, and no types.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from samebits.frontend.core.source import Source

_Index = int | str | None
"""An index: a constant, the text of another, None for one that may be any."""


@dataclass(frozen=True, slots=True)
class _Field:
    name: str


@dataclass(frozen=True, slots=True)
class _Element:
    index: _Index


_Step = _Field | _Element


@dataclass(frozen=True, slots=True)
class Place:
    """What a path of fields and elements leads to, from a name that is no second one.

    `offset` is where a part of an array begins, None if anywhere; `names` are those of the path.
    """

    root: str
    steps: tuple[_Step, ...] = ()
    offset: int | None = 0
    names: frozenset[str] = frozenset()

    def __str__(self) -> str:
        text = self.root
        indices: list[str] = []
        for step in (*self.steps, None):
            if isinstance(step, _Element):
                indices.append("…" if step.index is None else str(step.index))
                continue
            text += f"[{', '.join(indices)}]" if indices else ""
            indices = []
            text += f".{step.name}" if step is not None else ""
        if self.steps == (_Element(None),):
            return f"an element of {self.root}"
        return text

    def may_lie_in(self, other: Place) -> bool:
        """Whether it may be `other` or a part of it."""
        if self.root != other.root or len(self.steps) < len(other.steps):
            return False
        return all(_may_be(a, b) for a, b in zip(self.steps, other.steps, strict=False))

    def lies_in(self, other: Place) -> bool:
        """Whether it is `other` or a part of it for sure, as long as no name changes."""
        pairs = zip(self.steps, other.steps, strict=False)
        return self.may_lie_in(other) and all(a == b and a != _Element(None) for a, b in pairs)


def _may_be(a: _Step, b: _Step) -> bool:
    if isinstance(a, _Element) and isinstance(b, _Element):
        both = isinstance(a.index, int) and isinstance(b.index, int)
        return not both or a.index == b.index
    return a == b


class Places:
    """The places of one function's expressions."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._meanings: dict[str, Place | None] = {}
        stores = [n.id for n in ast.walk(source.node) if isinstance(n, ast.Name)
                  and isinstance(n.ctx, ast.Store)]  # fmt: skip
        given = {a.arg for a in ast.walk(source.node) if isinstance(a, ast.arg)}
        self._once = {name for name in stores if stores.count(name) == 1} - given
        for node in ast.walk(source.node):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._name(name, self.of(value))
                case ast.For():
                    for name, array, index in items_of(node.target, node.iter):
                        place = self.of(array)
                        self._name(name, place and self.element(place, index))
                case _:
                    pass

    def _name(self, name: str, place: Place | None) -> None:
        if name in self._once and place is not None:
            self._meanings[name] = place

    def of(self, node: ast.expr) -> Place | None:
        """The place of an expression; None of one that is no path from a name."""
        match node:
            case ast.Name(id=name):
                return self._meanings.get(name, Place(name, names=frozenset({name})))
            case ast.Attribute(value=value, attr=name):
                owner = self.of(value)
                return owner and replace(owner, steps=(*owner.steps, _Field(name)), offset=0)
            case ast.Subscript(value=value, slice=index):
                place = self.of(value)
                indices = index.elts if isinstance(index, ast.Tuple) else [index]
                for part in indices:
                    if place is None:
                        return None
                    if isinstance(part, ast.Slice):
                        return self._part(place, part, indices)
                    place = self.element(place, part)
                return place
            case _:
                return None

    def element(self, place: Place, index: ast.expr | None) -> Place:
        """An element of the array at a place; any, where there is no index."""
        found: _Index = None
        names = place.names
        if index is not None:
            names |= {n.id for n in ast.walk(index) if isinstance(n, ast.Name)}
            number = _constant(index)
            if isinstance(number, int) and place.offset is not None:
                found = number + place.offset if number >= 0 or not place.offset else None
            elif number is None and place.offset == 0:
                found = self._source.text(index)
        return Place(place.root, (*place.steps, _Element(found)), names=names)

    @staticmethod
    def _part(place: Place, part: ast.Slice, indices: list[ast.expr]) -> Place:
        """A part of the array at a place."""
        last = indices.index(part)
        if any(not isinstance(rest, ast.Slice) or rest.lower for rest in indices[last + 1 :]):
            return replace(place, offset=None)
        low = 0 if part.lower is None else _constant(part.lower)
        if not isinstance(low, int) or low < 0 or place.offset is None:
            return replace(place, offset=None)
        return replace(place, offset=place.offset + low)


def items_of(target: ast.expr, over: ast.expr) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
    """The names that a loop gives elements: of which array, and which one where it is known."""
    match target, over:
        case ast.Name(id=name), ast.Name() | ast.Attribute() | ast.Subscript():
            yield name, over, None
        case ast.Name(), ast.Call(func=ast.Name(id="reversed"), args=[array]):
            yield from items_of(target, array)
        case ast.Tuple(elts=[count, item]), ast.Call(func=ast.Name(id="enumerate"), args=args):
            if args:
                counted = isinstance(args[0], ast.Name | ast.Attribute | ast.Subscript)
                index = count if counted and len(args) == 1 and not over.keywords else None
                for name, array, known in items_of(item, args[0]):
                    yield name, array, index or known
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=args):
            for one, array in zip(targets, args, strict=False):
                yield from items_of(one, array)
        case _:
            pass


def _constant(index: ast.expr) -> object:
    """The number that an index is; None if it is none."""
    try:
        return ast.literal_eval(index)
    except ValueError:
        return None
