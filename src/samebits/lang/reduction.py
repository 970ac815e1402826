"""Functions of whole arrays, which may have a form for numbers or vectors too.

Owns which kernel is meant and what Python may pass; the kernels are the library's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.lang.arrays import ManagedArray
from samebits.lang.dispatch import types_for
from samebits.lang.kernel import Kernel
from samebits.lang.running import running
from samebits.types import MemoryType, ScalarType


class Reduction:
    """A function of `arrays` one-dimensional arrays of one element type: a kernel for each type.

    Called with anything else it is `scalars`. From Python an array of more dimensions counts as
    its elements in C order, and one that is not contiguous is copied.
    """

    def __init__(
        self,
        name: str,
        arrays: int,
        kernels: Mapping[ScalarType, Kernel],
        doc: str,
        scalars: Callable[..., Any] | None = None,
    ) -> None:
        self.__name__ = name
        self.__doc__ = doc
        self.arrays = arrays
        self.kernels = dict(kernels)
        self.scalars = scalars
        self._native: dict[np.dtype[Any], Callable[..., Any]] = {}
        """What runs each dtype, once it has run: without a search for a generic kernel's types."""

    def kernel_for(self, t: MemoryType) -> Kernel | None:
        """The kernel for arrays of `t`."""
        return self.kernels.get(t) if isinstance(t, ScalarType) else None

    def __call__(self, *args: Any) -> Any:
        first = args[0] if args else None
        if isinstance(first, ManagedArray) and running.managed:
            from samebits.frontend import managed

            kernel = self.kernel_for(first.element)
            assert kernel is not None, "what is refused has not been compiled either"
            return managed.call_inner(kernel, args, {})
        if isinstance(first, np.ndarray):
            return self._from_python(args)
        if self.scalars is None:
            raise ArgumentError(
                f"{self.__name__}() takes an array, got {type(first).__name__}",
                fix=f"write math.{self.__name__}(np.asarray(x, np.float64))",
            )
        return self.scalars(*args)

    def _from_python(self, args: tuple[Any, ...]) -> Any:
        if len(args) != self.arrays:
            raise ArgumentError(
                f"{self.__name__}() takes {self.arrays} array{'s' * (self.arrays != 1)}, "
                f"but {len(args)} arguments are given",
                fix="see its documentation: help(math." + self.__name__ + ")",
            )
        given = [self._flat(argument) for argument in args]
        if len(args) > 1 and len({(array.dtype, array.shape) for array in args}) != 1:
            shapes = " and ".join(f"{array.shape} of {array.dtype}" for array in args)
            raise ArgumentError(
                f"{self.__name__}() takes arrays of one dtype and one shape, got {shapes}",
                fix="convert one of them with .astype, or cut both to one length",
            )
        return self._run(*given)

    def _run(self, *given: np.ndarray[Any, Any]) -> Any:
        native = self._native.get(given[0].dtype)
        if native is not None:
            return native(*given)
        kernel = self._of(given[0])
        result = kernel(*given)
        self._native[given[0].dtype] = kernel.native[types_for(kernel, given)]
        return result

    def _flat(self, argument: Any) -> np.ndarray[Any, Any]:
        if type(argument) not in (np.ndarray, np.memmap):
            raise ArgumentError(
                f"{self.__name__}() takes NumPy arrays, got {type(argument).__name__}",
                fix=f"write math.{self.__name__}(np.asarray(x))",
            )
        array = cast("np.ndarray[Any, Any]", argument)
        flags = array.flags
        if array.ndim == 1 and flags.c_contiguous and flags.aligned:
            return array
        return np.require(np.asarray(array), requirements=["C", "A"]).reshape(-1)

    def _of(self, array: np.ndarray[Any, Any]) -> Kernel:
        for t, kernel in self.kernels.items():
            if t.dtype == array.dtype and t.name != "bool":
                return kernel
        raise ArgumentError(
            f"{self.__name__}() has no form for arrays of {array.dtype.str}",
            note="it takes " + ", ".join(sorted({str(t.dtype) for t in self.kernels})),
            fix=f"write math.{self.__name__}(x.astype(np.float64))",
        )

    def __repr__(self) -> str:
        return f"<math function {self.__name__}>"


class Scan(Reduction):
    """Writes into an array of the same length: from Python into a new one, which it returns."""

    def _from_python(self, args: tuple[Any, ...]) -> Any:
        if len(args) == self.arrays - 1:
            given = self._flat(args[0])
            result = np.empty_like(given)
            self._run(given, result)
            return result.reshape(np.asarray(args[0]).shape)
        raise ArgumentError(
            f"{self.__name__}() takes {self.arrays - 1} array, but {len(args)} arguments are given",
            note="the form with a result array is for kernels",
            fix=f"write result = math.{self.__name__}(x)",
        )
