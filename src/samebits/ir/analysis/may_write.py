"""The parts of its arguments' memory that a function may write, its callees included.

Owns an over-approximation by paths: a field's name, a component's number, `ANY` for any element.
"""

from __future__ import annotations

from collections import defaultdict

from samebits.ir.grammar import CALLS, Function, Module, Op, Value, walk
from samebits.types import FixedArrayType, MemoryType, StructType, VectorType

ANY = "[]"
Path = tuple[str | int, ...]
Root = tuple[str, Path]
"""A parameter, and a path in what it refers to."""


def written(module: Module) -> dict[str, dict[str, set[Path]]]:
    """The paths that each function may write, by parameter."""
    found: dict[str, dict[str, set[Path]]] = {}
    for function in module.functions.values():
        found[function.name] = _Writes(module, function, found).run()
    recursive = [f for f in module.functions.values() if f.recursion]
    if recursive:
        return _until_stable(module, found)
    return found


def _until_stable(
    module: Module, found: dict[str, dict[str, set[Path]]]
) -> dict[str, dict[str, set[Path]]]:
    """What is found where functions that recurse write what those they call do."""
    while True:
        before = dict(found)
        for function in module.functions.values():
            found[function.name] = _Writes(module, function, found).run()
        if found == before:
            return found


def leaves(t: MemoryType) -> list[Path]:
    """The path of each scalar, those of an array once."""
    match t:
        case StructType():
            return [(name, *path) for name, field in t.fields for path in leaves(field)]
        case FixedArrayType():
            return [(ANY, *path) for path in leaves(t.element)]
        case VectorType():
            return [(i,) for i in range(t.length)]
        case _:
            return [()]


class _Writes:
    def __init__(
        self, module: Module, function: Function, callees: dict[str, dict[str, set[Path]]]
    ) -> None:
        self._module = module
        self._ops = [s for s in walk(function.body) if isinstance(s, Op)]
        self._callees = callees
        self._slots: dict[str, set[Root]] = defaultdict(set)
        for name, _ in function.params:
            self._slots[name].add((name, ()))
        self._values: dict[int, set[Root]] = {}
        self._written: dict[str, set[Path]] = defaultdict(set)

    def run(self) -> dict[str, set[Path]]:
        before = -1
        while before != (size := sum(map(len, self._slots.values()))):
            before = size
            for op in self._ops:
                self._op(op)
        return dict(self._written)

    def _op(self, op: Op) -> None:
        match op.opcode:
            case "get":
                self._values[op.id] = set(self._slots[str(op.attr)])
            case "set":
                self._slots[str(op.attr)] |= self._of(op.args[0])
            case "field" | "component":
                assert isinstance(op.attr, str | int)
                self._values[op.id] = {(p, (*path, op.attr)) for p, path in self._of(op.args[0])}
            case "element":
                self._values[op.id] = {(p, (*path, ANY)) for p, path in self._of(op.args[0])}
            case "row" | "slice" | "view" | "flat":
                self._values[op.id] = self._of(op.args[0])
            case "store" | "copy" | "zero":
                for param, path in self._of(op.args[0]):
                    self._written[param].add(path)
            case opcode if opcode in CALLS:
                self._call(op)
            case _:
                pass

    def _of(self, value: Value) -> set[Root]:
        return self._values.get(value.op, set())

    def _call(self, op: Op) -> None:
        callee = self._module.functions[str(op.attr)]
        # A parallel range is given its batch as well.
        args = op.args if op.opcode == "call" else (*op.args[:2], *op.args[3:])
        for (name, _), value in zip(callee.params, args, strict=True):
            for param, path in self._of(value):
                for inner in self._callees.get(callee.name, {}).get(name, ()):
                    self._written[param].add((*path, *inner))
