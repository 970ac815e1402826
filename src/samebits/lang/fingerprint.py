"""What a kernel's compilation depends on, as text, found without parsing its source.

A changed line, constant, callee, struct or default changes the text; so do moved lines, because
traps carry their spans.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

from samebits.lang.annotations import class_of_type
from samebits.lang.kernel import Kernel, Overloads
from samebits.lang.tables import Table
from samebits.types import ArrayType, FixedArrayType, StructType, Type


def fingerprint(kernel: Kernel, types: tuple[Type, ...]) -> str:
    """Text that is the same only where the front end would make the same IR."""
    seen: set[int] = set()
    parts = [f"python {sys.version_info[:2]}", f"types {types!r} {kernel.result_type(types)!r}"]
    parts += _kernel(kernel, seen)
    for t in types:
        parts += _methods(t, seen)
    return "\n".join(parts)


def _code(function: Callable[..., Any]) -> Iterator[str]:
    if not isinstance(function, FunctionType):
        return
    code = function.__code__
    yield f"{function.__module__}.{function.__qualname__} {code.co_filename}:{code.co_firstlineno}"
    yield f"{code.co_code.hex()} {code.co_linetable.hex()} {code.co_consts!r}"
    yield f"{code.co_names} {code.co_varnames} {code.co_freevars} {code.co_cellvars}"


def _kernel(kernel: Kernel, seen: set[int]) -> Iterator[str]:
    if id(kernel) in seen:
        yield f"again {kernel.__qualname__}"
        return
    seen.add(id(kernel))
    yield f"kernel {kernel.mode.name}"
    yield from _code(kernel.function)
    names = kernel.function.__code__.co_names
    for p, annotation in zip(kernel.parameters, kernel.annotations, strict=True):
        yield f"parameter {p.name} {annotation!r} {p.has_default}"
        if p.has_default:
            yield from _value(p.default, names, seen)
    yield f"returns {kernel.function.__annotations__.get('return')!r}"
    for name, value in sorted(kernel.captured.items()):
        yield f"name {name}"
        yield from _value(value, names, seen)


def _value(value: object, names: tuple[str, ...], seen: set[int]) -> Iterator[str]:
    match value:
        case Kernel():
            yield from _kernel(value, seen)
        case Overloads():
            yield f"overloads {value.__name__}"
            for inner in value.kernels.values():
                yield from _kernel(inner, seen)
        case Table():
            yield f"table {value.identity}"
        case ModuleType():
            # Which attributes are read can't be told apart from other names; take all that match.
            yield f"module {value.__name__}"
            for name in names:
                if hasattr(value, name) and not isinstance(getattr(value, name), ModuleType):
                    yield f"attribute {name}"
                    yield from _value(getattr(value, name), names, seen)
        case np.generic():
            yield f"{value.dtype} {value.tobytes().hex()}"
        case bool() | int() | float():
            yield f"{type(value).__name__} {value!r}"
        case TypeVar():
            yield f"type variable {value.__name__} {value.__constraints__}"
        case type():
            t = getattr(value, "__sb_type__", None)
            yield f"class {value.__module__}.{value.__qualname__} {t!r}"
            if isinstance(t, StructType):
                yield from _methods(t, seen)
        case _:
            t = getattr(value, "__sb_type__", None)
            yield f"{type(value).__qualname__} {t!r} {value!r}" if t else _described(value)


def _described(value: object) -> str:
    name = getattr(value, "__samebits_intrinsic__", None) or getattr(value, "__qualname__", "")
    return f"{type(value).__qualname__} {name}"


def _methods(t: object, seen: set[int]) -> Iterator[str]:
    """The methods of every struct inside a type."""
    if isinstance(t, ArrayType | FixedArrayType):
        yield from _methods(t.element, seen)
    if not isinstance(t, StructType) or id(t) in seen:
        return
    seen.add(id(t))
    for member in vars(class_of_type(t)).values():
        if isinstance(member, Kernel):
            yield from _kernel(member, seen)
    for _, field in t.fields:
        yield from _methods(field, seen)
