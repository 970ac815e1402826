"""Generic kernels: which type each type variable of a signature stands for."""

from __future__ import annotations

from typing import TypeVar

from samebits.errors import CompileError
from samebits.lang.annotations import ArrayAnnotation, type_of_annotation
from samebits.types import ArrayType, ScalarType, Type


def typevar(annotation: object) -> TypeVar | None:
    """The type variable in a parameter's annotation, itself or as an array's element."""
    if isinstance(annotation, TypeVar):
        return annotation
    if isinstance(annotation, ArrayAnnotation) and isinstance(annotation.element, TypeVar):
        return annotation.element
    return None


def typevars(annotations: tuple[object, ...], types: tuple[Type, ...]) -> dict[TypeVar, Type]:
    """What each type variable stands for, given the parameter types."""
    bound: dict[TypeVar, Type] = {}
    for annotation, t in zip(annotations, types, strict=True):
        variable = typevar(annotation)
        if variable is not None:
            bound[variable] = t.element if isinstance(t, ArrayType) else t
    return bound


def bind(
    kernel: str,
    names: tuple[str, ...],
    annotations: tuple[object, ...],
    found: tuple[Type | None, ...],
) -> dict[TypeVar, Type]:
    """What each type variable stands for in a call with arguments of types `found`.

    None stands for a literal, which has no type of its own. Raises CompileError where a
    variable stays open or is given two types.
    """
    bound: dict[TypeVar, Type] = {}
    for name, annotation, t in zip(names, annotations, found, strict=True):
        variable = typevar(annotation)
        if variable is None or t is None:
            continue
        array = isinstance(annotation, ArrayAnnotation)
        part = t.element if array and isinstance(t, ArrayType) else t
        weak = isinstance(part, ScalarType) and part.weak
        if array != isinstance(t, ArrayType) or weak:
            raise CompileError(
                f"{kernel}(): parameter '{name}' is generic, and can't be {t}",
                fix="give a value of a fixed-width type, such as float32(x)",
            )
        _check_constraints(kernel, variable, part)
        if bound.setdefault(variable, part) != part:
            raise CompileError(
                f"{kernel}(): {variable.__name__} would be {bound[variable]} and {part}",
                fix="convert one of the arguments",
            )
    for name, annotation in zip(names, annotations, strict=True):
        variable = typevar(annotation)
        if variable is not None and variable not in bound:
            if isinstance(annotation, ArrayAnnotation):
                raise CompileError(
                    f"{kernel}(): parameter '{name}' is generic, and is given no NumPy array of "
                    f"{annotation.ndim} dimension{'s' * (annotation.ndim > 1)} that a kernel takes",
                    fix=f"pass an array of numbers, vectors or structs, as np.array({name}, "
                    "np.float32) is one",
                )
            raise CompileError(
                f"{kernel}(): nothing says what {variable.__name__} is",
                note="a Python literal has no type of its own",
                fix="give a typed value, such as float32(0)",
            )
    return bound


def _check_constraints(kernel: str, variable: TypeVar, t: Type) -> None:
    allowed = [type_of_annotation(c, {}) for c in variable.__constraints__]
    if allowed and t not in allowed:
        raise CompileError(
            f"{kernel}(): {variable.__name__} can't be {t}",
            note=f"it is one of {', '.join(map(str, allowed))}",
            fix="convert the argument",
        )
