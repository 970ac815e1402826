"""Captured Python values: numbers in the language's form, and what a kernel may read from."""

from __future__ import annotations

from types import ModuleType
from typing import Any, cast

import numpy as np

from samebits.lang.values.conversions import kind_of
from samebits.lang.values.scalars import CONVERTERS, SCALAR_CLASSES, TYPE_OF
from samebits.lang.values.storage import CONSTANT_NOTE
from samebits.types import BY_DTYPE

UNLOADED = object()
"""Stands for an attribute of the library that nobody has asked for yet."""


def is_namespace(owner: object) -> bool:
    """Whether kernels read attributes of a captured object: of a module, and of a class, such as an
    IntEnum, that is no type of the language."""
    if isinstance(owner, type) and not hasattr(owner, "__sb_type__"):
        return True
    return isinstance(owner, ModuleType) or hasattr(owner, "__samebits_namespace__")


def unwritten(name: str, is_struct: bool) -> tuple[str, str, str]:
    """The error of a struct or a table from outside that a kernel writes: message, note and fix."""
    return (
        f"'{name}' is a constant from outside the kernel, which no kernel writes",
        CONSTANT_NOTE,
        f"write to a copy, as in `own = {name}.copy()`"
        if is_struct
        else "copy its elements into a local array, `sb.zeros(n, T)`, and write to that",
    )


def is_lazy(owner: object, name: str) -> bool:
    """Whether an attribute of a namespace is one of the library's that load when they are used: it
    is known by its name, and that its value is not looked at saves a cached call its loading."""
    return isinstance(owner, ModuleType) and name in vars(owner).get("__sb_lazy__", ())


def _structs_frozen(value: Any) -> Any:
    """An item of a tuple: a struct, or a tuple with structs, as a kernel has it; anything else as
    it is."""
    if type(value) is tuple or hasattr(kind_of(value), "__sb_freeze__"):
        return constant(value)
    return value


def constant(value: Any) -> Any:
    """The language's own form of a captured object; what is not a number stays itself.

    NumPy's scalars become the language's (a NaN the canonical one), its bool and subclasses of
    Python's numbers, such as an IntEnum's members, become plain ones. A struct, also one in a
    tuple, becomes a copy that nobody writes.
    """
    freeze = getattr(kind_of(value), "__sb_freeze__", None)
    if freeze is not None:
        return freeze(value)
    if type(value) is tuple:
        items = cast("tuple[Any, ...]", value)
        frozen = tuple(_structs_frozen(item) for item in items)
        same = all(a is b for a, b in zip(frozen, items, strict=True))
        return items if same else frozen
    if isinstance(value, bool | np.bool_):
        return bool(cast("Any", value))
    if isinstance(value, np.generic):
        number = cast("Any", value)
        t = BY_DTYPE.get(number.dtype)
        if t is None or kind_of(number) is SCALAR_CLASSES[t] or kind_of(number) not in TYPE_OF:
            return number
        return CONVERTERS[t][kind_of(number)](number)
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else value
