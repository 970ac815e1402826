"""The decorators that users write, `@kernel` and `@struct`, and a module's defaults for both."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, Unpack, dataclass_transform, overload

from samebits.errors import fold, folding
from samebits.lang.kernel import Kernel, bind_methods
from samebits.lang.memory import structs
from samebits.lang.signal_safe import own_environment
from samebits.modes import (
    DEFAULTS,
    DEFAULTS_NAME,
    KernelArguments,
    OptionArguments,
    checked,
    checked_recursion,
)

_Class = TypeVar("_Class", bound=type)


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...
@overload
def kernel(**options: Unpack[KernelArguments]) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(
    function: Callable[..., Any] | None = None, /, **options: Unpack[KernelArguments]
) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Make a typed Python function a kernel: compiled when called, the same bits everywhere.

    Types come from the annotations. `kernel.managed(...)` runs the same function in CPython.
    `options` are those of `samebits.modes.Options`: `mode`, `precision`, `contract`, `denormals`,
    `bounds_check`, `optimize_for`, `cosmetic`, `prints`, `arena` and `debug_info`. They hold for
    this kernel alone: one that it calls keeps its own. `recursion` is how many calls of a kernel
    that calls itself may be inside one another, 1 to 4,096; one more traps.
    Raises CompileError at decoration where a parameter has no type, at the first call for
    anything else that is not in the language, and ArgumentError for what is no option.
    """
    given: dict[str, Any] = {**options}
    try:
        bound = checked_recursion(given.pop("recursion")) if "recursion" in given else 0
        decorate = partial(Kernel, given=checked(given), recursion=bound)
        return folding(decorate) if function is None else decorate(function)
    except Exception as error:
        fold(error)
        raise


def defaults(**options: Unpack[OptionArguments]) -> None:
    """Set the options of the kernels and structs below in the module that calls this.

    They hold where a kernel, or the job or simulation that it belongs to, says nothing else.
    Raises ArgumentError for what is no option.
    """
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    names = frame.f_back.f_globals
    names[DEFAULTS_NAME] = names.get(DEFAULTS_NAME, DEFAULTS).merged(options)


@overload
def struct(cls: _Class, /) -> _Class: ...
@overload
def struct(**options: Unpack[OptionArguments]) -> Callable[[_Class], _Class]: ...
@dataclass_transform()
def struct(
    cls: _Class | None = None, /, **options: Unpack[OptionArguments]
) -> _Class | Callable[[_Class], _Class]:
    """Make a class of annotated fields a struct of the language; its methods become kernels.

    Fields are scalars, vectors, other structs, `bool` and `FixedArray[...]`, laid out in memory
    as C would. A field may have a default; a name without annotation (or annotated ClassVar) is
    a constant of numbers; methods may be operators (`__add__`, `__eq__`, `__getitem__` and their
    like), properties without a setter and static methods. `options` are those of its methods, as
    of kernels. Raises CompileError for any other annotation or member and for inheritance,
    ArgumentError for what is no option.
    """
    try:
        checked(options)
        if cls is not None:
            return _struct_of(cls, options)
    except Exception as error:
        fold(error)
        raise
    return folding(partial(_struct_of, options=options))


def _struct_of(cls: _Class, options: OptionArguments) -> _Class:
    with own_environment():
        result = structs.struct(cls, frame=3)  # from there to the module
        bind_methods(result, options)
        return result
