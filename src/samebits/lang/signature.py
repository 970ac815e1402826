"""The signature of a kernel: its parameters, their types, and how arguments become parameters."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeVar

from samebits.errors import ArgumentError, CompileError, are_given
from samebits.lang.annotations import (
    Access,
    ArrayAnnotation,
    KernelAnnotation,
    type_of_annotation,
)
from samebits.lang.constants import constant
from samebits.lang.definition import UNWRITTEN, definition_span, written
from samebits.lang.values.lazy import lazily
from samebits.types import ArrayType, ScalarType, StructType, Type

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as written. `annotation` is an object, or text not yet evaluated."""

    name: str
    annotation: object
    default: object
    has_default: bool
    by_name: bool = False
    """Whether calls give it by name alone."""


class Signature:
    """The parameters and results of `function`. Its annotations are evaluated on first use; `name`
    is what messages about calls name."""

    def __init__(self, function: FunctionType, name: str, parameters: Iterable[Parameter]) -> None:
        self.function = function
        self.name = name
        self.parameters = tuple(parameters)
        self.by_position = sum(not p.by_name for p in self.parameters)
        """How many parameters a call may give by position."""

    @lazily
    def annotations(self) -> tuple[object, ...]:
        """Each parameter's annotation, evaluated."""
        return tuple(evaluated(self.function, p.annotation) for p in self.parameters)

    @lazily
    def fixed_types(self) -> tuple[Type, ...] | None:
        """The parameter types of a kernel that is not generic."""
        if self.kernels or any(_typevar(a) is not None for a in self.annotations):
            return None
        return tuple(self._type(p, a, {}) for p, a in self._pairs())

    @lazily
    def kernels(self) -> dict[str, KernelAnnotation]:
        """The parameters that take kernels, by name."""
        pairs = zip(self.parameters, self.annotations, strict=True)
        return {p.name: a for p, a in pairs if isinstance(a, KernelAnnotation)}

    @lazily
    def variables(self) -> tuple[bool, ...]:
        """Whether a type variable stands in each parameter's annotation."""
        return tuple(_typevar(a) is not None for a in self.annotations)

    def _pairs(self) -> Iterator[tuple[Parameter, object]]:
        return zip(self.parameters, self.annotations, strict=True)

    def _type(self, p: Parameter, annotation: object, typevars: Mapping[TypeVar, Type]) -> Type:
        if isinstance(annotation, StructType):
            return annotation
        if isinstance(annotation, ArrayAnnotation) and annotation.access is Access.WRITE:
            raise CompileError(
                f"parameter '{p.name}' of kernel '{self.function.__qualname__}' is WriteOnly",
                span=definition_span(self.function),
                note="only fields of jobs are",
                fix=f"write `{p.name}: Array{repr(annotation)[9:]}`",
            )
        try:
            return type_of_annotation(annotation, typevars)
        except CompileError as error:
            what = "the result" if p.name == "return" else f"parameter '{p.name}'"
            raise CompileError(
                f"{what} of kernel '{self.function.__qualname__}': {error.message}",
                span=definition_span(self.function), note=error.note, fix=error.fix,
            ) from None  # fmt: skip

    def typevars(self, types: tuple[Type, ...]) -> dict[TypeVar, Type]:
        """The type of each type variable of the signature, given the parameter types."""
        bound: dict[TypeVar, Type] = {}
        for annotation, t in zip(self.annotations, types, strict=True):
            variable = _typevar(annotation)
            if variable is not None:
                bound[variable] = t.element if isinstance(t, ArrayType) else t
        return bound

    def resolve(self, found: tuple[Type | None, ...]) -> tuple[Type, ...]:
        """Parameter types for a call with arguments of types `found` (None: a literal).

        Raises CompileError where a type variable stays open or is given two types.
        """
        if self.fixed_types is not None:
            return self.fixed_types
        bound = self._bound(found)
        return tuple(self._type(p, a, bound) for p, a in self._pairs())

    def _bound(self, found: tuple[Type | None, ...]) -> dict[TypeVar, Type]:
        """The type of each type variable in a call, as `resolve`."""
        bound: dict[TypeVar, Type] = {}
        for (p, annotation), t in zip(self._pairs(), found, strict=True):
            variable = _typevar(annotation)
            if variable is None or t is None:
                continue
            array = isinstance(annotation, ArrayAnnotation)
            part = t.element if array and isinstance(t, ArrayType) else t
            weak = isinstance(part, ScalarType) and part.weak
            if array != isinstance(t, ArrayType) or weak:
                raise CompileError(
                    f"{self.name}(): parameter '{p.name}' is generic, and can't be {t}",
                    fix="give a value of a fixed-width type, such as float32(x)",
                )
            allowed = [type_of_annotation(c, {}) for c in variable.__constraints__]
            if allowed and part not in allowed:
                raise CompileError(
                    f"{self.name}(): {variable.__name__} can't be {part}",
                    note=f"it is one of {', '.join(map(str, allowed))}",
                    fix="convert the argument",
                )
            if bound.setdefault(variable, part) != part:
                raise CompileError(
                    f"{self.name}(): {variable.__name__} would be {bound[variable]} and {part}",
                    fix="convert one of the arguments",
                )
        for p, annotation in self._pairs():
            variable = _typevar(annotation)
            if variable is None or variable in bound:
                continue
            if isinstance(annotation, ArrayAnnotation):
                raise CompileError(
                    f"{self.name}(): parameter '{p.name}' is generic, and is given no NumPy array "
                    f"of {annotation.ndim} dimension{'s' * (annotation.ndim > 1)} that a kernel "
                    "takes",
                    fix=f"pass an array of numbers, vectors or structs, as np.array({p.name}, "
                    "np.float32) is one",
                )
            raise CompileError(
                f"{self.name}(): nothing says what {variable.__name__} is",
                note="a Python literal has no type of its own",
                fix="give a typed value, such as float32(0)",
            )
        return bound

    def result_type(self, types: tuple[Type, ...]) -> Type | None:
        """The annotated result; None where there is no annotation."""
        annotation = self.function.__annotations__.get("return", inspect.Parameter.empty)
        if annotation is inspect.Parameter.empty:
            return None
        p = Parameter("return", annotation, None, False)
        return self._type(p, evaluated(self.function, annotation), self.typevars(types))

    def match(
        self, given: Sequence[T], named: Iterable[tuple[str | None, T]], after: int = 0
    ) -> dict[str, T]:
        """The arguments of a call by parameter, in the order of the call: those by position begin
        behind the first `after` parameters. Raises ArgumentError as Python would complain."""
        free = self.parameters[after:]
        names = [p.name for p in free]
        listed = f"its parameters are ({', '.join(names)})"
        most = self.by_position - after
        if len(given) > most:
            some = " by position" * (most < len(names))
            raise ArgumentError(
                f"{self.name}() takes {most} argument{'s' * (most != 1)}{some}, "
                f"but {are_given(len(given))}",
                fix=f"write {names[most]}=..." if some else listed,
            )
        values = dict(zip(names, given, strict=False))
        for name, value in named:
            if name is None or name not in names:
                raise ArgumentError(f"{self.name}() has no parameter '{name}'", fix=listed)
            if name in values:
                raise ArgumentError(f"{self.name}(): '{name}' is given twice", fix="give it once")
            values[name] = value
        for p in free:
            if p.name not in values and not p.has_default:
                raise ArgumentError(f"{self.name}() misses its argument '{p.name}'", fix=listed)
        return values

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """One argument a parameter, defaults filled in. ArgumentError as Python would complain."""
        if not kwargs and len(args) == len(self.parameters) == self.by_position:
            return args
        values = self.match(args, kwargs.items())
        return tuple(values.get(p.name, p.default) for p in self.parameters)


def written_parameters(function: FunctionType, self_type: StructType | None) -> Iterator[Parameter]:
    """The parameters as the function's source has them; `self_type` is that of a method's first,
    which needs no annotation. Raises CompileError where one is not plain or has no type."""
    for position, p in enumerate(written(function)):
        what = f"parameter '{p.name}' of kernel '{function.__qualname__}'"
        if not p.is_plain:
            raise CompileError(
                f"{what} is not a plain one",
                span=definition_span(function),
                note="`*args`, `**kwargs` and `/` are not in the kernel language",
                fix="name each parameter",
            )
        empty = p.annotation is UNWRITTEN
        if empty and not (position == 0 and self_type is not None):
            raise CompileError(
                f"{what} has no type",
                span=definition_span(function),
                note="the types of a kernel come from its annotations",
                fix="make the class an @sb.struct, whose methods are kernels by themselves: no "
                "@sb.kernel above them"
                if p.name == "self" and position == 0
                else f"write `{p.name}: float32`, or another samebits type",
            )
        has_default = p.default is not UNWRITTEN
        yield Parameter(
            p.name, self_type if empty else p.annotation,
            constant(p.default) if has_default else None, has_default, p.by_name,
        )  # fmt: skip


def evaluated(function: FunctionType, annotation: object) -> object:
    """An annotation of a kernel as an object, of text too. Raises CompileError."""
    if not isinstance(annotation, str):
        return annotation
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    scope = {name: cell.cell_contents for name, cell in cells}
    try:
        found: object = eval(annotation, function.__globals__, scope)
        # A quoted annotation is text twice where annotations are not evaluated.
        return eval(found, function.__globals__, scope) if isinstance(found, str) else found
    except Exception as error:
        raise CompileError(
            f"the annotation `{annotation}` of kernel '{function.__qualname__}' can't be read",
            span=definition_span(function),
            note=f"{type(error).__name__}: {error}",
            fix=getattr(error, "fix", None) or "define the type at module level, above the kernel",
        ) from None


def _typevar(annotation: object) -> TypeVar | None:
    """The type variable in a parameter's annotation, itself or as an array's element."""
    if isinstance(annotation, TypeVar):
        return annotation
    if isinstance(annotation, ArrayAnnotation) and isinstance(annotation.element, TypeVar):
        return annotation.element
    return None
