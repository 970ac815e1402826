"""Families of container classes: from `List[float64, 16]` to its struct class, made once.

Owns names, the cache, and what Python's own protocols need beside the kernels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar, Literal, Self, cast, get_origin

import numpy as np

from samebits.errors import CompileError, fold, folding
from samebits.lang.annotations import field_type, number
from samebits.lang.calls.copied_arguments import Plain
from samebits.lang.kernel import Kernel, bind_methods
from samebits.lang.memory.struct_members import made_empty
from samebits.lang.memory.structs import Struct, struct
from samebits.lang.values.thread_state import running
from samebits.types import MemoryType, ScalarType, StructType, VectorType

MOST = (1 << 31) - 1
"""The greatest capacity."""

_made: dict[tuple[object, ...], type] = {}
"""Every class that was made: code that was compiled has its type alone."""


def label(part: object) -> str:
    """An argument of a family as it stands in a class's name."""
    if isinstance(part, int) or get_origin(part) is Literal:
        return str(part).removeprefix("typing.")
    return str(getattr(part, "__name__", part))


def whole_label(part: object) -> str:
    """An argument so that two structs of one name differ."""
    if isinstance(part, type) and issubclass(part, Struct):
        return f"{part.__module__}.{part.__name__}"
    return label(cast("Any", part))


def item_type(family: str, part: object, what: str) -> MemoryType:
    """The type of an argument of a family. Raises CompileError."""
    if isinstance(part, int) or get_origin(part) is Literal:
        raise CompileError(
            f"{what} of {family} is a type, got {label(part)}",
            fix="write a type there, such as float64",
        )
    if part is int or part is float:
        raise CompileError(
            f"{what} of {family} needs a fixed size, {label(part)} has none",
            fix=f"use {label(part)}64 instead of {label(part)}",
        )
    t = field_type(part, f"{what} of {family}")
    if not isinstance(t, ScalarType | VectorType | StructType):
        raise CompileError(
            f"{what} of {family} cannot be {t}", fix="use a scalar, a vector or a struct"
        )
    return t


def capacity(family: str, part: object, what: str = "the capacity") -> int:
    """A positive number of a family's arguments, which may be a Literal. Raises CompileError."""
    plain = number(part)
    try:
        size = operator.index(plain)
    except TypeError:
        size = 0
    if isinstance(plain, bool) or not 1 <= size <= MOST:
        raise CompileError(
            f"{what} of {family} is a constant from 1 to {MOST:,}, got {label(part)}",
            fix="write Literal[16], or 16 alone where no type checker reads it",
        )
    return size


class Family:
    """A family of struct classes: `Name[T, N]` is one of them. It is never called itself."""

    __sb_generic__: ClassVar[bool] = True
    parameters: ClassVar[str] = "T, N"
    most: ClassVar[int] = 0
    """The most arguments, where there may be more than `parameters` has."""
    plain: ClassVar[tuple[type, ...]] = (list, tuple)
    """What Python has in its place, which a field takes from Python too."""
    taken: ClassVar[Plain | None] = None
    """The same of a parameter, which may be changed: what it is given holds that afterwards."""

    @folding
    def __new__(cls, *_: Any, **__: Any) -> Any:
        raise CompileError(
            f"{cls.__name__} is a family of types", fix=f"say of what: {cls.__name__}[...](...)"
        )

    @folding
    def __class_getitem__(cls, item: Any) -> Any:
        parts = cast("tuple[Any, ...]", item) if isinstance(item, tuple) else (item,)
        return made_once(cls, parts)

    @classmethod
    def make(cls, *parts: Any) -> tuple[tuple[object, ...], Callable[[], type]]:
        """The arguments, checked and in their plain form, and what makes the class of them."""
        raise NotImplementedError


def made_once(family: type[Family], parts: tuple[object, ...]) -> type:
    """The class of a family's arguments. Raises CompileError for wrong ones."""
    wanted = family.parameters.count(",") + 1
    if not wanted <= len(parts) <= max(wanted, family.most):
        named = family.parameters.split(", ")
        given = [str(getattr(cast("Any", part), "__name__", part)) for part in parts[:wanted]]
        text = ", ".join(_filled(named, given))
        raise CompileError(
            f"{family.__name__} takes [{family.parameters}], got {len(parts)} arguments",
            note="N is the most items that it ever has, and what it takes of memory"
            if "N" in named
            else None,
            fix=f"write {family.__name__}[{text}]",
        )
    plain, make = family.make(*parts)
    key = (family, *plain)
    found = _made.get(key)
    if found is None:
        found = _made[key] = _finished(family, plain, make())
    return found


def _filled(named: list[str], given: list[str]) -> list[str]:
    """The arguments that a family takes, those that are given among them; a number is the last."""
    last = given[-1:] if given and given[-1].isdigit() and named[-1] == "N" else []
    first = given[: len(given) - len(last)]
    rest = named[len(first) : len(named) - len(last)]
    return [*first, *("64" if name == "N" else name for name in rest), *last][: len(named)]


def _finished(family: type[Family], parts: tuple[object, ...], cls: type) -> type:
    """A class of fields and methods as a struct of the language.

    `Self` in a method's annotations is the class; names that start with `host_` are what Python
    calls instead of the kernel of that name.
    """
    name = f"{family.__name__}[{', '.join(map(label, parts))}]"
    whole = f"{family.__name__}[{', '.join(map(whole_label, parts))}]"
    cls.__name__ = cls.__qualname__ = name
    cls.__doc__ = family.__doc__
    hosts = {n: value for n, value in vars(cls).items() if n.startswith("host_")}
    for host in hosts:
        delattr(cls, host)
    functions = [f for f in vars(cls).values() if isinstance(f, FunctionType)]
    for function in functions:
        function.__qualname__ = f"{whole}.{function.__name__}"
    result: Any = struct(cls)
    for function in functions:
        for parameter, annotation in function.__annotations__.items():
            if annotation is Self:
                function.__annotations__[parameter] = result
    bind_methods(result, {})
    for host, function in hosts.items():
        method = host.removeprefix("host_")
        known: object = dict(cast("Any", vars(result))).get(method)
        setattr(
            result,
            method,
            HostKernel(known, function) if isinstance(known, Kernel) else folding(function),
        )
    filled = result.__init__

    def init(self: Any, *given: Any, **named: Any) -> None:
        try:
            if running.managed and (given or named):
                message, fix = made_empty(self.__sb_type__)
                raise CompileError(message, fix=fix)
            filled(self, *given, **named)
        except Exception as error:
            fold(error)
            raise

    result.__init__ = init
    result.__sb_family__ = (family, parts)
    result.__sb_plain__ = family.plain
    result.__sb_taken__ = family.taken
    result.__reduce__ = _reduce
    return result


class HostKernel(Kernel):
    """A method that Python calls by a function of its own, and kernels as any other."""

    def __init__(self, kernel: Kernel, host: Callable[..., Any]) -> None:
        super().__init__(kernel.function, given=kernel.given, self_type=kernel.self_type)
        self.host = host

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if running.managed:
            return super().__call__(*args, **kwargs)
        try:
            return self.host(*args, **kwargs)
        except Exception as error:
            fold(error)
            raise

    def as_kernel(self, *args: Any, **kwargs: Any) -> Any:
        """The kernel's own call."""
        return super().__call__(*args, **kwargs)


def _reduce(self: Any) -> tuple[Any, ...]:
    family, parts = self.__sb_family__
    return _rebuilt, (family, parts, self.memory.tobytes())


def _rebuilt(family: type[Family], parts: tuple[object, ...], data: bytes) -> Any:
    cls: Any = made_once(family, parts)
    return cls.from_memory(np.frombuffer(bytearray(data), cls.dtype)).copy()
