"""The two decorators that users write: `@kernel` and `@struct`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform, overload

from samebits.lang import structs
from samebits.lang.kernel import Kernel, bind_methods
from samebits.modes import HIGH, STRICT, Mode, Precision

_Class = TypeVar("_Class", bound=type)


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(
    *, mode: Mode = ..., precision: Precision = ...
) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(
    function: Callable[..., Any] | None = None,
    /,
    *,
    mode: Mode = STRICT,
    precision: Precision = HIGH,
) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Make a typed Python function a kernel: compiled when called, the same bits everywhere.

    Types come from the annotations. `kernel.managed(...)` runs the same function in CPython.
    `precision` is that of the math functions which it calls itself: a kernel that it calls keeps
    its own.
    Raises CompileError at decoration where a parameter has no type, at the first call for
    anything else that is not in the language, and ArgumentError for what is no precision.
    """
    if function is not None:
        return Kernel(function, mode=mode, precision=precision)

    def decorate(inner: Callable[..., Any]) -> Kernel:
        return Kernel(inner, mode=mode, precision=precision)

    return decorate


@overload
def struct(cls: _Class, /) -> _Class: ...
@overload
def struct(*, precision: Precision = ...) -> Callable[[_Class], _Class]: ...
@dataclass_transform()
def struct(
    cls: _Class | None = None, /, *, precision: Precision = HIGH
) -> _Class | Callable[[_Class], _Class]:
    """Make a class of annotated fields a struct of the language; its methods become kernels.

    Fields are scalars, vectors, other structs, `bool` and `FixedArray[...]`, laid out in memory
    as C would. `precision` is that of its methods, as of kernels. Raises CompileError for any
    other annotation, for defaults and for inheritance, ArgumentError for what is no precision.
    """

    def make(inner: _Class, frame: int) -> _Class:
        result = structs.struct(inner, frame=frame)
        bind_methods(result, precision)
        return result

    if cls is not None:
        return make(cls, 3)

    def decorate(inner: _Class) -> _Class:
        return make(inner, 3)

    return decorate
