"""Kernels and structs as type checkers see them: a kernel keeps its function's signature."""

from collections.abc import Callable
from typing import (
    Any,
    ClassVar,
    Generic,
    ParamSpec,
    Self,
    TypeVar,
    Unpack,
    dataclass_transform,
    overload,
)

import numpy as np

from samebits.lang.kernel import Kernel as _Kernel
from samebits.modes import KernelArguments, OptionArguments

_P = ParamSpec("_P")
_R = TypeVar("_R")
_R_co = TypeVar("_R_co", covariant=True)
_Class = TypeVar("_Class", bound=type)

class Kernel(_Kernel, Generic[_P, _R_co]):
    """A function of the kernel language. Calling it runs the compiled code."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co:
        """Run the compiled code; the first call compiles it.

        Raises CompileError for what is not in the language, ArgumentError for an argument that
        does not fit, and Trap where the kernel traps.
        """
    def managed(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co:
        """Run the function in CPython over samebits' typed scalars: the reference answer."""
    def check_races(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co:
        """Call the kernel in the reference interpreter, which watches what iterations of parallel
        ranges touch: its result, arrays and structs changed in place.

        Raises RaceError where two iterations touch the same memory and one writes it. Takes a
        thousand times as long as a call.
        """

@overload
def kernel(function: Callable[_P, _R], /) -> Kernel[_P, _R]: ...
@overload
def kernel(
    **options: Unpack[KernelArguments],
) -> Callable[[Callable[_P, _R]], Kernel[_P, _R]]:
    """Make a typed Python function a kernel: compiled when called, the same bits everywhere.

    Types come from the annotations. `kernel.managed(...)` runs the same function in CPython.
    `options` are those of `samebits.modes.Options`: `mode`, `precision`, `contract`, `denormals`,
    `bounds_check`, `optimize_for`, `cosmetic`, `prints`, `arena` and `debug_info`. They hold for
    this kernel alone: one that it calls keeps its own. `recursion` is how many calls of a kernel
    that calls itself may be inside one another, 1 to 4,096; one more traps.
    Raises CompileError at decoration where a parameter has no type, at the first call for
    anything else that is not in the language, and ArgumentError for what is no option.
    """

class Struct:
    """Base of all structs: fields by position or keyword, the others their default, or zero.

    A class may name it as its base, which tells type checkers and editors what every struct has.
    """

    dtype: ClassVar[np.dtype[Any]]
    """The NumPy dtype of the struct in memory."""

    @classmethod
    def from_memory(cls, array: np.ndarray[Any, Any], index: int = 0) -> Self:
        """A reference to element `index` of an array of this struct's dtype, without a copy.

        Raises ArgumentError where the array does not fit, IndexError where the index does not.
        """
    @property
    def memory(self) -> np.ndarray[Any, Any]:
        """A structured ndarray of shape () over the same memory."""
    def copy(self) -> Self:
        """A new struct with its own memory and the same bytes."""

zero: Any
"""The default of a struct's field that is all zeros: `pos: float2 = sb.zero`."""

@overload
@dataclass_transform()
def struct(cls: _Class, /) -> _Class: ...
@overload
@dataclass_transform()
def struct(**options: Unpack[OptionArguments]) -> Callable[[_Class], _Class]:
    """Make a class of annotated fields a struct of the language; its methods become kernels.

    Fields are scalars, vectors, other structs, `bool` and `FixedArray[...]`, laid out in memory
    as C would. A field may have a default; a name without annotation (or annotated ClassVar) is
    a constant of numbers; methods may be operators (`__add__`, `__eq__`, `__getitem__` and their
    like), properties without a setter and static methods. `options` are those of its methods, as
    of kernels. Raises CompileError for any other annotation or member and for inheritance,
    ArgumentError for what is no option.
    """

def evaluate(kernel: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Run `kernel` in the reference interpreter, as a call runs it compiled; return its result.

    Arrays and structs are changed in place. The bits are those of every other execution. Slow: some
    microseconds an operation. Raises what the call raises: Trap, ArgumentError, CompileError.
    """
