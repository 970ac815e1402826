"""The members that the author of a struct's class wrote: methods, defaults of fields, constants.

Owns which there are and what is refused. What they do to memory is `structs`' matter.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, cast

import numpy as np

from samebits.errors import CompileError
from samebits.lang.constants import constant
from samebits.lang.memory.tables import Table
from samebits.lang.values.fixed.fixed_point import FixedPoint
from samebits.lang.values.flushing import flushed
from samebits.lang.values.thread_state import running
from samebits.lang.values.vectors import Vector
from samebits.lang.values.weak import checked

UNDECLARED = {
    "__module__", "__qualname__", "__doc__", "__annotations__", "__dict__", "__weakref__",
    "__firstlineno__", "__static_attributes__", "__annotate__", "__annotate_func__",
    "__annotations_cache__", "__classdictcell__", "__conditional_annotations__",
}  # fmt: skip
"""The names in a class that its author did not write."""

BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
"""For each binary operator the stem of its method's name, as in `__add__` and `__radd__`."""
UNARY = {"-": "neg", "+": "pos", "~": "invert"}
COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
"""The comparison that the right operand is asked for where the left has none."""

_COUNTS = {
    **{f"__{stem}__": 2 for stem in (*BINARY.values(), *COMPARE.values(), "getitem")},
    **{f"__r{stem}__": 2 for stem in BINARY.values()},
    **{f"__{stem}__": 1 for stem in UNARY.values()},
    "__setitem__": 3,
}
"""The special methods that a struct may define, and the number of their parameters."""
_COMPARISONS = {f"__{stem}__" for stem in COMPARE.values()}


class Zero:
    """The default of a field that says of it what holds without: that it starts as zeros. Type
    checkers know by it that the field may be left out."""

    def __repr__(self) -> str:
        return "sb.zero"


zero: Any = Zero()


@dataclass(frozen=True, slots=True)
class Members:
    """What a class has besides its fields' types."""

    methods: dict[str, Any] = field(default_factory=dict[str, Any])
    """Functions, static methods and properties by name."""
    defaults: dict[str, Any] = field(default_factory=dict[str, Any])
    constants: dict[str, Any] = field(default_factory=dict[str, Any])


class Constant:
    """A class constant: in a managed run an int is a checked one, as everywhere in a kernel."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if not running.managed:
            return self.value
        value = checked(self.value) if type(self.value) is int else self.value
        return flushed(value) if running.flush else value


def members_of(cls: type, fields: Iterable[str], taken: Callable[[str], bool]) -> Members:
    """The members of a class with these fields; `taken` are names that every struct has.

    Raises CompileError for what a struct can't have.
    """
    found, names = Members(), set(fields)
    for name, value in vars(cls).items():
        if name in UNDECLARED or (name == "__hash__" and value is None):
            continue  # CPython adds that where there is an `__eq__`
        where = f"{cls.__name__}.{name}"
        if name in names:
            if value is not zero:
                found.defaults[name] = value
        elif name in _COUNTS:
            found.methods[name] = _special(where, name, value)
        elif name.startswith("__"):
            raise CompileError(
                f"{where} cannot be defined: a struct's special methods are made for it",
                fix="write a method with a plain name, or an operator such as __add__",
            )
        elif taken(name):
            raise CompileError(f"{where}: every struct has a '{name}'", fix="rename the method")
        elif isinstance(value, FunctionType | staticmethod | property):
            found.methods[name] = _method(where, cast("Any", value))
        else:
            found.constants[name] = _constant(where, value)
    return found


def _special(where: str, name: str, value: object) -> FunctionType:
    count = _COUNTS[name]
    if not isinstance(value, FunctionType):
        raise CompileError(f"{where} is no method", fix=f"write `def {name}(self, ...)`")
    if value.__code__.co_argcount != count:
        raise CompileError(
            f"{where} has {value.__code__.co_argcount} parameters; this operator gives it {count}",
            fix=f"write `def {name}({', '.join(('self', 'a: T', 'b: T')[:count])}) -> T`",
        )
    if name in _COMPARISONS and inspect.get_annotations(value).get("return") not in (bool, "bool"):
        raise CompileError(f"{where} returns no bool", fix="write `-> bool` in its `def` line")
    return value


def _method(where: str, value: FunctionType | staticmethod[..., Any] | property) -> object:
    if isinstance(value, property) and (value.fset or value.fdel or value.fget is None):
        raise CompileError(
            f"property {where} can be assigned or deleted", fix="write a method that assigns"
        )
    return value


def _constant(where: str, value: object) -> object:
    known: Any = constant(value)
    if isinstance(known, np.generic) and not hasattr(cast("Any", known), "__sb_type__"):
        known = object()
    if isinstance(known, bool | int | float | np.generic | FixedPoint | Vector | Table):
        return cast("object", known)
    raise CompileError(
        f"{where} is neither a field, a number nor a method",
        note="constants of a struct are numbers, vectors and tables",
        fix="make it a module constant, a field with an annotation, or a plain method",
    )
