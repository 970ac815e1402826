"""The digest of a simulation: what its author wrote, its types, its name and version.

Kernels count by their syntax and the values that they capture, not by comments, layout, file
names, plain prints or the version of the compiler. samebits' own functions count by name: a replay
stays readable when the library changes, and its hashes tell whether its bits did.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, TypeVar, cast

import numpy as np

from samebits.bits import to_canonical
from samebits.frontend.core.kernel_source import source_of
from samebits.lang.annotations import class_of_type
from samebits.lang.calls.tracing import trace
from samebits.lang.constants import is_namespace
from samebits.lang.families import Family
from samebits.lang.kernel import Kernel, method_kernel
from samebits.lang.memory.structs import Struct
from samebits.lang.memory.tables import Table
from samebits.lang.overloads import Overloads
from samebits.lang.reductions import Reduction
from samebits.lang.values.fixed.fixed_point import FixedPoint
from samebits.lang.values.vectors import Vector
from samebits.modes import HIGH, Precision, changed_options, to_text
from samebits.sim.state.schema import to_json
from samebits.types import ArrayType, FixedArrayType, StructType

DIGEST_BYTES = 16
_LIBRARY = __name__.partition(".")[0]


def digest_of(kernels: Sequence[Kernel], facts: Mapping[str, Any]) -> str:
    """32 hex digits over `kernels`, all that they use, and JSON `facts`.

    Raises CompileError if a kernel's source cannot be read.
    """
    text = json.dumps(facts, sort_keys=True) + "\n" + "\n".join(_Walk(kernels).lines())
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=DIGEST_BYTES).hexdigest()


class _Walk:
    """Walks kernels in order of discovery, which numbers them."""

    def __init__(self, kernels: Sequence[Kernel]) -> None:
        self._kernels: list[Kernel] = list(kernels)
        self._structs: list[StructType] = []
        self._attributes: set[str] = set()

    def lines(self) -> Iterator[str]:
        """The lines that are digested."""
        done = 0
        while done < len(self._kernels):
            kernel = self._kernels[done]
            same: dict[str, Any] = {"prints": True, "debug_info": False}
            options = changed_options(
                replace(kernel.options, precision=HIGH, optimize_for="speed", **same)
            )
            options.pop("mode", None)
            given = "".join(f" {name}={to_text(value)}" for name, value in options.items())
            bound = f" recursion={kernel.recursion}" if kernel.recursion else ""
            yield f"kernel {done} {kernel.mode.name}{given}{bound}"
            yield from self._kernel(kernel)
            done += 1
            if done == len(self._kernels):
                self._add_methods()
        for t in self._structs:
            members = self._members(class_of_type(t))
            if members:
                yield f"members of {t}: {members}"

    def _kernel(self, kernel: Kernel) -> Iterator[str]:
        for t in kernel.fixed_types or ():
            self._see(t)
        node = copy.deepcopy(source_of(kernel).node)
        node.decorator_list = []
        node.body = _without_prints(kernel, node.body) or [ast.Pass()]
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        yield ast.unparse(node)
        for p in kernel.parameters:
            if p.has_default:
                yield f"default {p.name} = {self._described(p.default)}"
        inner = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _is_stored(n)}
        inner |= {argument.arg for argument in node.args.args}
        uses: dict[str, str] = {}
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute):
                self._attributes.add(part.attr)
            if isinstance(part, ast.Attribute | ast.Name):
                found = _outer(kernel, part, inner)
                if found is not None:
                    uses[ast.unparse(part)] = self._described(found[0], kernel.precision)
        yield from (f"{name} = {value}" for name, value in sorted(uses.items()))

    def _described(self, value: Any, precision: Precision = HIGH) -> str:
        match value:
            case Kernel():
                return self._kernel_name(value)
            case Overloads():
                at = "" if precision is HIGH else f" {precision.name}"
                return f"{_LIBRARY} {value.__name__}{at}"
            case Family():
                return f"{_LIBRARY} {value.__name__}"
            case Reduction():
                return value.__name__ if value.scalars else f"{_LIBRARY} {value.__name__}"
            case Table():
                return f"table {value.identity}"
            case np.generic():
                number = cast("np.generic[Any]", value)
                return f"{number.dtype.name} {number.item()!r}"
            case Vector():
                items = ", ".join(self._described(item) for item in cast("Any", value))
                return f"{value.__sb_type__}({items})"
            case FixedPoint():
                return f"{value.__sb_type__} {value.raw}"
            case Struct():
                t = value.__sb_type__
                self._see(t)
                held = to_canonical(t, value.memory).hex()
                return f"struct {json.dumps(to_json(t))} {held}"
            case tuple():
                items = ", ".join(self._described(item) for item in cast("Any", value))
                return f"({items})"
            case bool() | int() | float() | str():
                return f"{_plain(type(value))} {value!r}"
            case TypeVar():
                return f"type variable of {[self._described(c) for c in value.__constraints__]}"
            case type() if issubclass(value, Struct):
                self._see(value.__sb_type__)
                return f"struct {json.dumps(to_json(value.__sb_type__))}"
            case ModuleType():
                return "module"
            case _:
                name = getattr(value, "__samebits_intrinsic__", None)
                return str(name or getattr(value, "__qualname__", type(value).__name__))

    def _members(self, cls: type[Struct]) -> str:
        """The defaults and constants of a struct, as text; none of one without any."""
        constants = cls.__sb_constants__.items()
        parts = [f"{name} = {self._described(value)}" for name, value in sorted(constants)]
        if cls.__sb_start__:
            # Memory has the order of this machine's bytes; its text has not.
            start = cls()
            names = sorted(cls.__sb_defaults__)
            parts += [f"{name} = {start.memory[name].tolist()!r}" for name in names]
        return "; ".join(parts)

    def _kernel_name(self, kernel: Kernel) -> str:
        module = kernel.function.__module__ or ""
        if module.partition(".")[0] == _LIBRARY:
            return f"{_LIBRARY} {kernel.__qualname__}"
        for number, known in enumerate(self._kernels):
            if known is kernel:
                return f"kernel {number}"
        self._kernels.append(kernel)
        return f"kernel {len(self._kernels) - 1}"

    def _see(self, t: object) -> None:
        """Collect the structs inside a type: their methods may be called."""
        if isinstance(t, ArrayType | FixedArrayType):
            self._see(t.element)
        elif isinstance(t, StructType) and not any(known is t for known in self._structs):
            self._structs.append(t)
            for _, field in t.fields:
                self._see(field)

    def _add_methods(self) -> None:
        for t in self._structs:
            operators = (name for name in vars(class_of_type(t)) if name.startswith("__"))
            for name in sorted({*self._attributes, *operators}):
                method = method_kernel(t, name)
                if method is not None:
                    self._kernel_name(method)


_TOLD = ast.Constant | ast.Name | ast.Attribute | ast.JoinedStr | ast.FormattedValue
"""What is printed without a change of anything, and without a trap."""


def _without_prints(kernel: Kernel, body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements without those that print or trace names, fields and texts alone: a replay is read
    with more of them, or fewer."""
    kept: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.Expr) and _only_tells(kernel, statement.value):
            continue
        for part in (statement, *getattr(statement, "cases", ())):
            for name in ("body", "orelse"):
                inner = getattr(part, name, None)
                if inner:
                    left = _without_prints(kernel, inner)
                    setattr(part, name, left or [ast.Pass()] * (name == "body"))
        kept.append(statement)
    return kept


def _only_tells(kernel: Kernel, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    found = _outer(kernel, node.func, set())
    given = (part for argument in node.args for part in ast.walk(argument))
    return (
        found is not None
        and found[0] in (print, trace)
        and all(isinstance(part, _TOLD | ast.expr_context) for part in given)
    )


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _outer(kernel: Kernel, node: ast.expr, inner: set[str]) -> tuple[Any] | None:
    """The value of an outer name, or of an attribute of an outer namespace, in a tuple."""
    if isinstance(node, ast.Name) and node.id not in inner:
        try:
            return (kernel.lookup(node.id),)
        except LookupError:
            return None
    if isinstance(node, ast.Attribute):
        base = _outer(kernel, node.value, inner)
        own = base is not None and not hasattr(base[0], "__samebits_namespace__")
        if base is not None and own and is_namespace(base[0]):
            try:
                return (kernel.attribute(base[0], node.attr),)
            except AttributeError:
                return None
    return None


def _plain(t: type) -> str:
    """The name of a built-in type, also for a subclass that only checks more."""
    return next(c.__name__ for c in t.__mro__ if c.__module__ == "builtins")
