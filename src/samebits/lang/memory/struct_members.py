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
    **{f"__{stem}__": 2 for stem in ("contains", "delitem", "position", "after", "at")},
    "__len__": 1,
}
"""The special methods that a struct may define, and the number of their parameters."""
_RESULTS = {
    **{f"__{stem}__": bool for stem in (*COMPARE.values(), "contains")},
    **{f"__{stem}__": int for stem in ("len", "position", "after")},
}
"""What some of them return."""
ELEMENTS = "__elements__"
"""The constant that names the field whose elements a struct's are."""


REFERENCES = "in Python these would be references, and the second would see the first's change"
"""The error of arrays and structs that a tuple assigns."""


def made_empty(t: object) -> tuple[str, str]:
    """The error of a container that a kernel makes of something, and what to write instead."""
    return f"{t} is made empty in a kernel", f"write `{t}()`, and add what is in it"


class Zero:
    """The default of a field that says of it what holds without: that it starts as zeros. Type
    checkers know by it that the field may be left out."""

    def __repr__(self) -> str:
        return "sb.zero"


zero: Any = Zero()


@dataclass(slots=True)
class Members:
    """What a class has besides its fields' types."""

    methods: dict[str, Any] = field(default_factory=dict[str, Any])
    """Functions, static methods and properties by name."""
    defaults: dict[str, Any] = field(default_factory=dict[str, Any])
    constants: dict[str, Any] = field(default_factory=dict[str, Any])
    elements: str | None = None
    """The field whose elements `s[i]` is one of."""


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
        elif name == ELEMENTS:
            found.elements = _elements(where, value, names)
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
    _check_items(cls.__name__, found)
    return found


def _elements(where: str, value: object, fields: set[str]) -> str:
    if not isinstance(value, str) or value not in fields:
        raise CompileError(
            f"{where} names no field", fix=f'name an array field, as in {ELEMENTS} = "items"'
        )
    return value


def _check_items(name: str, found: Members) -> None:
    """Raise CompileError where one of the methods that belong together is missing, or too many."""
    if found.elements is not None and "__getitem__" in found.methods:
        raise CompileError(
            f"{name} has both {ELEMENTS} and __getitem__",
            fix="drop __getitem__: `s[i]` is an element of the field that is named",
        )
    for method in ("__at__", "__after__", "__position__"):
        if method in found.methods and "__len__" not in found.methods:
            raise CompileError(
                f"{name}.{method} is of no use without __len__", fix="define `__len__(self) -> int`"
            )
    if "__after__" in found.methods and "__at__" not in found.methods:
        raise CompileError(
            f"{name}.__after__ is of no use without __at__",
            fix="define `__at__(self, cursor: int) -> T`",
        )


def _special(where: str, name: str, value: object) -> FunctionType:
    count = _COUNTS[name]
    if not isinstance(value, FunctionType):
        raise CompileError(f"{where} is no method", fix=f"write `def {name}(self, ...)`")
    if value.__code__.co_argcount != count:
        raise CompileError(
            f"{where} has {value.__code__.co_argcount} parameters; this operator gives it {count}",
            fix=f"write `def {name}({', '.join(('self', 'a: T', 'b: T')[:count])}) -> T`",
        )
    result = _RESULTS.get(name)
    returned = inspect.get_annotations(value).get("return")
    if result is not None and returned not in (result, result.__name__):
        raise CompileError(
            f"{where} returns no {result.__name__}",
            fix=f"write `-> {result.__name__}` in its `def` line",
        )
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
    is_struct = hasattr(type(value), "__sb_freeze__")
    if is_struct or isinstance(
        known, bool | int | float | np.generic | FixedPoint | Vector | Table
    ):
        return cast("object", known)
    raise CompileError(
        f"{where} is neither a field, a number nor a method",
        note="constants of a struct are numbers, vectors, tables and other structs",
        fix="make it a module constant, a field with an annotation, or a plain method",
    )
