"""Captured Python values: numbers in the language's form, and what a kernel may read from."""

from __future__ import annotations

from types import ModuleType
from typing import Any, cast

import numpy as np

from samebits.lang.values.conversions import kind_of
from samebits.lang.values.scalars import CONVERTERS, SCALAR_CLASSES, TYPE_OF
from samebits.types import BY_DTYPE

UNLOADED = object()
"""Stands for an attribute of the library that nobody has asked for yet."""


def is_namespace(owner: object) -> bool:
    """Whether kernels read attributes of a captured object: of a module, and of a class, such as an
    IntEnum, that is no type of the language."""
    if isinstance(owner, type) and not hasattr(owner, "__sb_type__"):
        return True
    return isinstance(owner, ModuleType) or hasattr(owner, "__samebits_namespace__")


def is_lazy(owner: object, name: str) -> bool:
    """Whether an attribute of a namespace is one of the library's that load when they are used: it
    is known by its name, and that its value is not looked at saves a cached call its loading."""
    return isinstance(owner, ModuleType) and name in vars(owner).get("__sb_lazy__", ())


def constant(value: Any) -> Any:
    """The language's own form of a captured object; what is not a number stays itself.

    NumPy's scalars become the language's (a NaN the canonical one), its bool and subclasses of
    Python's numbers, such as an IntEnum's members, become plain ones.
    """
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
