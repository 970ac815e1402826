"""The fingerprint of a kernel: all that its compilation depends on, as text, without parsing.

A changed line, constant, callee, struct or default changes the text; so do moved lines, because
traps carry their spans.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numpy as np

from samebits.lang.annotations import class_of_type
from samebits.lang.definition import own_lines
from samebits.lang.kernel import Kernel, kernel_of
from samebits.lang.memory.tables import Table
from samebits.lang.overloads import Overloads
from samebits.modes import HIGH, Precision, changed_options, to_text
from samebits.types import ArrayType, FixedArrayType, StructType, Type

_LIBRARY = "samebits.mathlib."
"""Prefix of the math library's modules, as in `ir/once.py`, which this layer does not import."""

_BUILD = "build "
"""First in the text of what differs between installs: paths and bytecode."""


def fingerprint(kernel: Kernel, types: tuple[Type, ...]) -> str:
    """Text that is the same only where the same samebits would make the same IR.

    Kernels of its math library stand by name: what else a key is made of tells its versions apart.
    """
    seen: set[int] = set()
    parts = [
        f"python {sys.version_info[:2]}",
        f"types {types!r} {kernel.signature.result_type(types)!r}",
    ]
    parts += _texts(_kernel(kernel, seen))
    for t in types:
        parts += _texts(_methods(t, seen))
    return "\n".join(parts)


def described(value: object) -> str:
    """A captured object as text that is the same in every process, in every folder and on every
    Python."""
    texts = _texts(_value(value, set()))
    return "\n".join(text for text in texts if not text.startswith(_BUILD))


Part = str | Iterator[Any]
"""A text, or the parts that stand in its place."""


def _texts(parts: Iterator[Part]) -> Iterator[str]:
    """The texts in order. Parts nest as deep as kernels call one another, but take no stack."""
    inside = [parts]
    while inside:
        for part in inside[-1]:
            if not isinstance(part, str):
                inside.append(part)
                break
            yield part
        else:
            inside.pop()


def _code(function: Callable[..., Any]) -> Iterator[str]:
    if not isinstance(function, FunctionType):
        return
    code = function.__code__
    yield f"{function.__module__}.{function.__qualname__}"
    yield f"{_BUILD}{code.co_filename}:{code.co_firstlineno} {_bytecode(code)}"


def _bytecode(code: CodeType) -> str:
    names = f"{code.co_names} {code.co_varnames} {code.co_freevars} {code.co_cellvars}"
    return f"{code.co_code.hex()} {code.co_linetable.hex()} {_constant(code.co_consts)} {names}"


def _constant(value: object) -> str:
    if isinstance(value, CodeType):  # whose repr has an address
        return _bytecode(value)
    if isinstance(value, frozenset):  # in an order of this process
        return f"{{{', '.join(sorted(map(_constant, cast('frozenset[object]', value))))}}}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, cast('tuple[object, ...]', value)))})"
    # CPython refuses to write very long ints as decimals.
    return f"{value:#x}" if type(value) is int else repr(value)


def _kernel(kernel: Kernel, seen: set[int]) -> Iterator[Part]:
    if (kernel.function.__module__ or "").startswith(_LIBRARY) and not kernel.function.__closure__:
        yield f"library {kernel.function.__module__}.{kernel.__qualname__}"
        return
    if id(kernel) in seen:
        yield f"again {kernel.__qualname__}"
        return
    seen.add(id(kernel))
    options = {name: to_text(value) for name, value in changed_options(kernel.options).items()}
    bound = f" recursion {kernel.recursion}" if kernel.recursion else ""
    yield f"{'cold ' * kernel.cold}kernel {options} {kernel.variant}{bound}"
    yield _code(kernel.function)
    yield _text(kernel)
    for p, annotation in zip(kernel.parameters, kernel.signature.annotations, strict=True):
        yield f"parameter {p.name} {annotation!r} {p.has_default}"
        if p.has_default:
            yield _value(p.default, seen)
    yield f"returns {kernel.function.__annotations__.get('return')!r}"
    for name, value in sorted(kernel.captured.items()):
        yield f"name {name}"
        yield _value(value, seen, kernel.precision)
    for (_, name), (owner, value) in sorted(kernel.attributes.items(), key=_attribute_order):
        yield f"attribute {name} of {getattr(owner, '__name__', '')}"
        yield _value(value, seen, kernel.precision)


def _attribute_order(item: tuple[tuple[int, str], tuple[object, object]]) -> tuple[str, str]:
    (_, name), (owner, _) = item
    return str(getattr(owner, "__name__", "")), name


def _text(kernel: Kernel) -> str:
    """The lines that the front end reads: bytecode may come from an older or a stripped file."""
    return "".join(own_lines(kernel.function.__code__, kernel.lines)).rstrip()


def _value(value: object, seen: set[int], precision: Precision = HIGH) -> Iterator[Part]:
    match value:
        case Kernel():
            yield _kernel(value, seen)
        case Overloads():
            yield f"overloads {value.__name__}"
            for row in value.kernels.values():
                yield _kernel(row[precision], seen)
        case Table():
            yield f"table {value.identity}"
        case ModuleType():
            yield f"module {value.__name__}"
        case np.generic():
            scalar = cast("np.generic[Any]", value)
            yield f"{scalar.dtype} {scalar.tobytes().hex()}"
        case int() if type(value) is int:
            yield f"int {value:#x}"
        case bool() | float():
            yield f"{type(value).__name__} {value!r}"
        case TypeVar():
            yield f"type variable {value.__name__} {value.__constraints__}"
        case type():
            t = getattr(value, "__sb_type__", None)
            yield f"class {value.__module__}.{value.__qualname__} {t!r}"
            if isinstance(t, StructType):
                yield _methods(t, seen)
        case _:
            t = getattr(value, "__sb_type__", None)
            yield f"{type(value).__qualname__} {t!r} {value!r}" if t else _named(value)


def _named(value: object) -> str:
    name = getattr(value, "__samebits_intrinsic__", None) or getattr(value, "__qualname__", "")
    return f"{type(value).__qualname__} {name}"


def _methods(t: object, seen: set[int]) -> Iterator[Part]:
    """The methods of every struct inside a type."""
    if isinstance(t, ArrayType | FixedArrayType):
        yield _methods(t.element, seen)
    if not isinstance(t, StructType) or id(t) in seen:
        return
    seen.add(id(t))
    cls: Any = class_of_type(t)
    members: dict[str, object] = dict(cast("Any", vars(cls)))
    for member in members.values():
        kernel = kernel_of(member)
        if kernel is not None:
            yield _kernel(kernel, seen)
    if cls.__sb_start__:
        yield f"defaults {sorted(cls.__sb_defaults__)} {cls.__sb_start__.hex()}"
    for name, value in cls.__sb_constants__.items():
        yield f"constant {name}"
        yield _value(value, seen)
    for _, field in t.fields:
        yield _methods(field, seen)
