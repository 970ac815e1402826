"""Functions of whole arrays, which may have a form for numbers or vectors too.

Owns which kernel is meant and what Python may pass; the kernels are the library's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError, are_given, folding
from samebits.lang.dispatch import types_for
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import ManagedArray, items_of
from samebits.lang.values.thread_state import running
from samebits.types import MemoryType, ScalarType

_SEQUENCES: tuple[Any, ...] = (list, tuple)


class Reduction:
    """A function of `arrays` one-dimensional arrays of one element type: a kernel for each type.

    Called with anything else it is `scalars`. From Python an array of more dimensions counts as
    its elements in C order. One that is not contiguous or of another byte order is copied, one of
    bools to int64, of float16 to float32, and of integers to float64 where it `widens`.
    """

    def __init__(
        self,
        name: str,
        arrays: int,
        kernels: Mapping[ScalarType, Kernel],
        doc: str,
        scalars: Callable[..., Any] | None = None,
        widens: bool = False,
    ) -> None:
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc
        self.arrays = arrays
        self.kernels = dict(kernels)
        self.scalars = scalars
        self._widens = widens
        self._native: dict[np.dtype[Any], Callable[..., Any]] = {}
        """The native function of each dtype that has been called, found without resolving types."""

    def kernel_for(self, t: MemoryType) -> Kernel | None:
        """The kernel for arrays of `t`."""
        return self.kernels.get(t) if isinstance(t, ScalarType) else None

    @folding
    def __call__(self, *args: Any, **named: Any) -> Any:
        if len(args) > self.arrays and self.scalars is not None:
            return self._of_scalars(args, named)  # of two, which may be arrays as well
        if named:
            raise ArgumentError(
                f"{self.__name__}() takes no `{next(iter(named))}=`: it is a function of all "
                "elements",
                fix="give arrays by position, such as one row",
            )
        if running.managed:
            args = tuple(map(items_of, args))
        first: Any = args[0] if args else None
        if isinstance(first, ManagedArray) and running.managed:
            kernel = self.kernel_for(first.element) if len(first.shape) == 1 else None
            if kernel is None:
                kinds = ", ".join(map(str, self.kernels))
                raise ArgumentError(
                    f"{self.__name__}() has no form for {first!r:.60}",
                    note=f"it takes one-dimensional arrays of {kinds}",
                    fix="loop over the array",
                )
            return executions.managed_call(kernel, args, {})
        if isinstance(first, np.ndarray):
            return self._from_python(args)
        if not args:
            raise self._wrong_count(args)
        if self.scalars is None or type(first) in _SEQUENCES:
            raise ArgumentError(
                f"{self.__name__}() takes an array, got {type(first).__name__}",
                fix=f"write math.{self.__name__}(np.asarray(x, np.float64))",
            )
        return self._of_scalars(args, {})

    def _of_scalars(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        assert self.scalars is not None
        try:
            return self.scalars(*args, **named)
        except TypeError as error:
            if isinstance(error, ArgumentError):
                raise
            fix = f"see its documentation: help(math.{self.__name__})"
            raise ArgumentError(str(error), fix=fix) from None

    def _from_python(self, args: tuple[Any, ...]) -> Any:
        if len(args) != self.arrays:
            raise self._wrong_count(args)
        for argument in args:
            self._check_array(argument)
        if len(args) > 1 and len({(array.dtype, array.shape) for array in args}) != 1:
            shapes = " and ".join(f"{array.shape} of {array.dtype}" for array in args)
            raise ArgumentError(
                f"{self.__name__}() takes arrays of one dtype and one shape, got {shapes}",
                fix="convert one of them with .astype, or cut both to one length",
            )
        return self._run(*[self._flat(argument) for argument in args])

    def _wrong_count(self, args: tuple[Any, ...]) -> ArgumentError:
        return ArgumentError(
            f"{self.__name__}() takes {self.arrays} array{'s' * (self.arrays != 1)}, "
            f"but {are_given(len(args))}",
            fix=f"see its documentation: help(math.{self.__name__})",
        )

    def _run(self, *given: np.ndarray[Any, Any]) -> Any:
        native = self._native.get(given[0].dtype)
        if native is not None:
            return native(*given)
        kernel = self._of(given[0])
        result = kernel(*given)
        self._native[given[0].dtype] = kernel.native[types_for(kernel, given)]
        return result

    def _check_array(self, argument: Any) -> None:
        kind = cast("type[Any]", type(argument))
        if kind not in (np.ndarray, np.memmap) and not hasattr(kind, "__sb_guarded__"):
            fix = "x.compressed()" if hasattr(argument, "mask") else "np.asarray(x)"
            raise ArgumentError(
                f"{self.__name__}() takes NumPy arrays, got {kind.__name__}",
                fix=f"write math.{self.__name__}({fix})",
            )

    def _flat(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The elements as a contiguous 1-D array, of a dtype that may have a kernel."""
        flags, dtype = array.flags, array.dtype
        wanted = self._counted(dtype)
        if array.ndim == 1 and flags.c_contiguous and flags.aligned and wanted is dtype:
            return array
        executions.check_array_use(self.__name__, array)
        plain = array.view(np.ndarray)
        if wanted is not dtype:
            with executions.pinned():
                plain = plain.astype(wanted)
        return np.require(plain, requirements=["C", "A"]).reshape(-1)

    def _counted(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """The dtype that elements of another one count as."""
        if dtype.kind == "b":
            dtype = np.dtype(np.int64)
        if dtype.kind in "iu" and self._widens:
            return np.dtype(np.float64)
        if dtype.kind == "f" and dtype.itemsize == 2:
            return np.dtype(np.float32)
        return dtype if dtype.isnative else dtype.newbyteorder("=")

    def _of(self, array: np.ndarray[Any, Any]) -> Kernel:
        for t, kernel in self.kernels.items():
            if t.dtype == array.dtype and t.name != "bool":
                return kernel
        raise ArgumentError(
            f"{self.__name__}() has no form for arrays of {array.dtype}",
            note="it takes " + ", ".join(sorted({str(t.dtype) for t in self.kernels})),
            fix=self._other(array.dtype),
        )

    def _other(self, dtype: np.dtype[Any]) -> str:
        if dtype.kind in "iu":
            return "write math.sum(x), which is exact for integers"
        part = "x.real" if dtype.kind == "c" else "x.astype(np.float64)"
        return f"write math.{self.__name__}({part})"

    def __repr__(self) -> str:
        return f"<math function {self.__name__}>"


class Scan(Reduction):
    """Writes into an array of the same length: from Python into a new one, which it returns."""

    def _from_python(self, args: tuple[Any, ...]) -> Any:
        if len(args) == self.arrays - 1:
            self._check_array(args[0])
            given = self._flat(args[0])
            result = np.empty_like(given)
            self._run(given, result)
            return result.reshape(np.asarray(args[0]).shape)
        raise self._wrong_count(args)

    def _wrong_count(self, args: tuple[Any, ...]) -> ArgumentError:
        return ArgumentError(
            f"{self.__name__}() takes {self.arrays - 1} array, but {are_given(len(args))}",
            note="the form with a result array is for kernels",
            fix=f"write result = math.{self.__name__}(x)",
        )
