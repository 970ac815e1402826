"""Points-to analysis of a function's references: their parameter, their field, their element.

A name that holds references may hold any that it is set to. Knows nothing of values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from samebits.ir.grammar import Function, Op, Value, walk
from samebits.types import ArrayType, RefType


@dataclass(frozen=True, slots=True)
class Region:
    """The memory of parameter `root`, or of a field inside it, `path`."""

    root: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.root, *self.path))


@dataclass(frozen=True, slots=True)
class Origin:
    """A position in `region`: the whole of it, or, if `inside`, within one of its elements.

    With `sliced` it is one of some elements, whose indices are counted from another start.
    """

    region: Region
    inside: bool = False
    sliced: bool = False


@dataclass(frozen=True, slots=True)
class Use:
    """An operation that reads or writes the memory at `origin`."""

    op: Op
    origin: Origin
    writes: bool


@dataclass(frozen=True, slots=True)
class Access:
    """An `element` or `row` operation that chooses one of the region's own elements."""

    op: Op
    region: Region


Origins = frozenset[Origin]
Writes = Callable[[str], frozenset[int] | None]
"""The arguments whose memory a function writes, by position; None where that is not known."""

NOWHERE: Origins = frozenset()


class Memory:
    """The accesses of `function` to its parameters' memory, in `uses` and `accesses`.

    `exempt` are results, by op and index, whose references are not followed.
    """

    def __init__(
        self,
        function: Function,
        writes: Writes,
        exempt: frozenset[tuple[int, int]] = frozenset(),
    ) -> None:
        self.uses: list[Use] = []
        self.accesses: list[Access] = []
        self._writes = writes
        self._exempt = exempt
        self._origins: dict[tuple[int, int], Origins] = {}
        self._slots: dict[str, Origins] = {
            name: frozenset({Origin(Region(name))})
            for name, t in function.params
            if isinstance(t, ArrayType | RefType)
        }
        ops = [s for s in walk(function.body) if isinstance(s, Op)]
        before = None
        while self._slots != before:  # until the names that hold references reach a fixed point
            before = dict(self._slots)
            for op in ops:
                self._follow(op)
        for op in ops:
            self._look(op)

    def of(self, value: Value) -> Origins:
        """The origins of a reference or an array; none for memory of the call and tables."""
        return self._origins.get((value.op, value.index), NOWHERE)

    def _follow(self, op: Op) -> None:
        if op.opcode == "set":
            found = self.of(op.args[0])
            if found:
                name = str(op.attr)
                self._slots[name] = self._slots.get(name, NOWHERE) | found
            return
        if not op.results or (op.id, 0) in self._exempt:
            return
        match op.opcode:
            case "get":
                found = self._slots.get(str(op.attr), NOWHERE)
            case "field":
                found = frozenset(_field(o, str(op.attr)) for o in self.of(op.args[0]))
            case "component" | "view" | "flat":
                found = self.of(op.args[0])
            case "element" | "row":
                found = frozenset(_element(o) for o in self.of(op.args[0]))
            case "slice":
                found = frozenset(replace(o, sliced=not o.inside) for o in self.of(op.args[0]))
            case _:
                return
        if found:
            self._origins[op.id, 0] = found

    def _look(self, op: Op) -> None:
        match op.opcode:
            case "element" | "row":
                for origin in self.of(op.args[0]):
                    if not origin.inside and not origin.sliced:
                        self.accesses.append(Access(op, origin.region))
            case "load":
                self._use(op, 0, False)
            case "store" | "zero":
                self._use(op, 0, True)
            case "copy":
                self._use(op, 0, True)
                self._use(op, 1, False)
            case "call" | "parallel":
                written = self._writes(str(op.attr)) if op.opcode == "call" else None
                for k, value in enumerate(op.args):
                    readonly = isinstance(value.type, ArrayType) and value.type.readonly
                    self._use(op, k, not readonly if written is None else k in written)
            case _:
                pass

    def _use(self, op: Op, position: int, writes: bool) -> None:
        for origin in self.of(op.args[position]):
            self.uses.append(Use(op, origin, writes))


def _element(origin: Origin) -> Origin:
    return origin if origin.sliced else replace(origin, inside=True)


def _field(origin: Origin, name: str) -> Origin:
    if origin.inside or origin.sliced:
        return origin
    return Origin(Region(origin.region.root, (*origin.region.path, name)))


def overlap(a: Region, b: Region, roots: Mapping[str, frozenset[str]]) -> bool:
    """Whether two regions of one function may share memory, though its parameters do not.

    `roots` says of parameters that refer into the memory of others which these are.
    """
    if a.root == b.root:
        shorter = min(len(a.path), len(b.path))
        return a.path[:shorter] == b.path[:shorter]
    return bool(roots.get(a.root, frozenset({a.root})) & roots.get(b.root, frozenset({b.root})))
