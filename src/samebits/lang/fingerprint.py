"""The fingerprint of a kernel: all that its compilation depends on, as text, without parsing.

A changed line, constant, callee, struct or default changes the text; so do moved lines, because
traps carry their spans.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from samebits.lang.annotations import class_of_type
from samebits.lang.constants import is_lazy
from samebits.lang.definition import own_lines
from samebits.lang.kernel import Kernel, kernel_of
from samebits.lang.memory.structs import Struct
from samebits.lang.memory.tables import Table
from samebits.modes import HIGH, Options, Precision, changed_options, to_text
from samebits.types import ArrayType, FixedArrayType, StructType, Type

if TYPE_CHECKING:
    from samebits.lang.overloads import Overloads

_LIBRARY = "samebits.mathlib."
"""Prefix of the math library's modules, as in `ir/once.py`, which this layer does not import."""

_BUILD = "build "
"""First in the text of what differs between installs: paths and bytecode."""


def fingerprint(kernel: Kernel, types: tuple[Type, ...]) -> str:
    """Text that is the same only where the same samebits would make the same IR.

    Kernels of its math library stand by name: what else a key is made of tells its versions apart.
    """
    seen = _Seen()
    parts = [
        f"python {sys.version_info[:2]}",
        f"types {types!r} {kernel.signature.result_type(types)!r}",
    ]
    parts += _texts(_value(kernel, seen))
    for t in types:
        parts += _texts(_methods(t, seen))
    return "\n".join(parts)


def described(value: object) -> str:
    """A captured object as text that is the same in every process, in every folder and on every
    Python."""
    texts = _texts(_value(value, _Seen()))
    return "\n".join(text for text in texts if not text.startswith(_BUILD))


class _Seen:
    """What one text has had: whole kernels and structs, and the texts of values, by identity."""

    def __init__(self) -> None:
        self.whole: set[int] = set()
        self.texts: dict[int, str] = {}


Part = str | Iterator[Any]
"""A text, or the parts that stand in its place."""


def _texts(part: Part) -> Iterator[str]:
    """The texts in order. Parts nest as deep as kernels call one another, but take no stack."""
    if isinstance(part, str):
        yield part
        return
    inside = [part]
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


def _kernel(kernel: Kernel, seen: _Seen) -> Part:
    if (kernel.function.__module__ or "").startswith(_LIBRARY) and not kernel.function.__closure__:
        return f"library {kernel.function.__module__}.{kernel.__qualname__}"
    if id(kernel) in seen.whole:
        return f"again {kernel.__qualname__}"
    seen.whole.add(id(kernel))
    return _whole(kernel, seen)


def _whole(kernel: Kernel, seen: _Seen) -> Iterator[Part]:
    bound = f" recursion {kernel.recursion}" if kernel.recursion else ""
    yield f"{'cold ' * kernel.cold}kernel {_options(kernel.options)} {kernel.variant}{bound}"
    yield from _code(kernel.function)
    plain = [_text(kernel)]
    """Texts that follow one another: what takes the time is to hand them out one by one."""
    for title, value, precision in _parts(kernel):
        plain.append(title)
        if value is _NOTHING:
            continue
        part = _value(value, seen, precision)
        if isinstance(part, str):
            plain.append(part)
        else:
            yield "\n".join(plain)
            yield part
            plain.clear()
    if plain:
        yield "\n".join(plain)


_NOTHING = object()


def _parts(kernel: Kernel) -> Iterator[tuple[str, object, Precision]]:
    """What a kernel depends on besides its own text: a title, its value if it has one, and the
    precision that is meant there."""
    precision = kernel.precision
    for p, annotation in zip(kernel.parameters, kernel.signature.annotations, strict=True):
        default = p.default if p.has_default else _NOTHING
        yield f"parameter {p.name} {annotation!r} {p.has_default}", default, HIGH
    yield f"returns {kernel.function.__annotations__.get('return')!r}", _NOTHING, HIGH
    for name, value in sorted(kernel.captured.items()):
        yield f"name {name}", value, precision
    for (_, name), (owner, value) in sorted(kernel.attributes.items(), key=_attribute_order):
        title = f"attribute {name} of {getattr(owner, '__name__', '')}"
        if is_lazy(owner, name):
            yield f"{title} at {precision}", _NOTHING, precision
        else:
            yield title, value, precision


@lru_cache(64)
def _options(options: Options) -> str:
    return str({name: to_text(value) for name, value in changed_options(options).items()})


def _attribute_order(item: tuple[tuple[int, str], tuple[object, object]]) -> tuple[str, str]:
    (_, name), (owner, _) = item
    return str(getattr(owner, "__name__", "")), name


def _text(kernel: Kernel) -> str:
    """The lines that the front end reads: bytecode may come from an older or a stripped file."""
    return "".join(own_lines(kernel.function.__code__, kernel.lines)).rstrip()


def _value(value: object, seen: _Seen, precision: Precision = HIGH) -> Part:
    if isinstance(value, Kernel):
        return _kernel(value, seen)
    if hasattr(type(value), "__sb_overloads__"):
        return _overloads(cast("Overloads", value), seen, precision)
    if isinstance(value, tuple):
        return _tuple(cast("tuple[object, ...]", value), seen, precision)
    text = seen.texts.get(id(value))
    if text is None:
        text = seen.texts[id(value)] = _constant_text(value)
    t = getattr(value, "__sb_type__", None)
    return iter((text, _methods(t, seen))) if isinstance(t, StructType) else text


def _tuple(items: tuple[object, ...], seen: _Seen, precision: Precision) -> Iterator[Part]:
    yield f"tuple of {len(items)}"
    for item in items:
        yield _value(item, seen, precision)


def _constant_text(value: object) -> str:
    match value:
        case Table():
            return f"table {value.identity}"
        case ModuleType():
            return f"module {value.__name__}"
        case np.generic():
            scalar = cast("np.generic[Any]", value)
            return f"{scalar.dtype} {scalar.tobytes().hex()}"
        case int() if type(value) is int:
            return f"int {value:#x}"
        case bool() | float() | str() | bytes():
            return f"{type(value).__name__} {value!r}"
        case Struct():
            held: np.ndarray[Any, Any] = value.memory.reshape(1)
            return f"struct {value.__sb_type__!r} {held.tobytes().hex()}"
        case TypeVar():
            return f"type variable {value.__name__} {value.__constraints__}"
        case type():
            t = getattr(value, "__sb_type__", None)
            return f"class {value.__module__}.{value.__qualname__} {t!r}"
        case _:
            t = getattr(value, "__sb_type__", None)
            return f"{type(value).__qualname__} {t!r} {value!r}" if t else _named(value)


def _overloads(value: Overloads, seen: _Seen, precision: Precision) -> Iterator[Part]:
    yield f"overloads {value.__name__}"
    for row in value.kernels.values():
        yield _kernel(row[precision], seen)


def _named(value: object) -> str:
    name = getattr(value, "__samebits_intrinsic__", None) or getattr(value, "__qualname__", "")
    return f"{type(value).__qualname__} {name}"


def _methods(t: object, seen: _Seen) -> Iterator[Part]:
    """The methods of every struct inside a type."""
    if isinstance(t, ArrayType | FixedArrayType):
        yield _methods(t.element, seen)
    if not isinstance(t, StructType) or id(t) in seen.whole:
        return
    seen.whole.add(id(t))
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
