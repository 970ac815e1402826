"""A math function: kernels by float type and precision, component by component on vectors.

Owns which kernel serves a type. How a call runs is known to layers above
(`samebits.lang.executions`).
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from samebits.errors import ArgumentError, CompileError, are_given, fold
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.lang.values.lazy import lazily
from samebits.lang.values.thread_state import running
from samebits.modes import HIGH, Precision
from samebits.types import FLOAT64, FixedPointType, ScalarType, VectorType

Precisions = tuple[Kernel, Kernel, Kernel]
"""The kernels of one function and float type at HIGH, MEDIUM and LOW."""


def is_fixed(value: object) -> bool:
    """Whether `value` is a fixed-point number or a vector of them."""
    t = getattr(value, "__sb_type__", None)
    return isinstance(t.element if isinstance(t, VectorType) else t, FixedPointType)


class Overloads:
    """A math function: kernels by float type and precision, component-wise on vectors.

    `kernels` has a row for each float type: one kernel, which serves every precision, or three,
    for HIGH, MEDIUM and LOW. Each takes `arity` scalars (1 to 3, or 5), of the row's type or
    integers; it returns a scalar or a tuple of scalars. From Python it also maps over NumPy arrays.
    `fixed` names the module whose kernel of this name serves fixed-point numbers; it loads when one
    is met. `saturates` says of a function with integers that one beyond int32 gives what the
    nearest int32 does.
    """

    __sb_overloads__ = True
    """What others know it by that do not import it."""

    def __init__(
        self,
        name: str,
        arity: int,
        kernels: Mapping[ScalarType, Kernel | Precisions],
        doc: str,
        fixed: str | None = None,
        saturates: bool = True,
    ) -> None:
        self.saturates = saturates
        self.__name__ = self.__qualname__ = name
        self.__module__ = "samebits.math"
        self.__doc__ = doc
        self.arity = arity
        self.plans: dict[tuple[object, ...], Callable[..., Any]] = {}
        """The managed run's function for a call, by precision and the arguments' classes."""
        self.native: dict[tuple[object, ...], Any] = {}
        """The runtime's loops over arrays."""
        self._fixed = fixed
        self.kernels: dict[ScalarType, dict[Precision, Kernel]] = {
            t: dict(zip(Precision, row if isinstance(row, tuple) else (row,) * 3, strict=True))
            for t, row in kernels.items()
        }

    @lazily
    def fixed_point(self) -> Kernel | None:
        """The kernel for fixed-point numbers: from steps and fraction bits to steps and excess."""
        if self._fixed is None:
            return None
        found = getattr(importlib.import_module(self._fixed), self.__name__)
        assert isinstance(found, Kernel)
        return found

    @lazily
    def integers(self) -> tuple[bool, ...]:
        """Whether each argument is an integer rather than a float of the row's type."""
        row = next(iter(self.kernels.values()))
        types = row[HIGH].fixed_types or ()
        return tuple(isinstance(t, ScalarType) and t.is_int for t in types)

    def kernel_for(self, t: ScalarType, precision: Precision = HIGH) -> Kernel:
        """The kernel for a float type (weak float: float64) at a precision. CompileError."""
        for scalar, row in self.kernels.items():
            if scalar.bits == t.bits:
                return row[precision]
        raise CompileError(f"{self.__name__}() has no version for {t}", fix="convert to float32")

    def __call__(self, *args: Any, out: Any = None, **named: Any) -> Any:
        if named:
            self._refuse_names(next(iter(named)))
        if running.managed or any(map(is_fixed, args)):
            if out is not None:
                self._refuse_names("out")
            return executions.managed_math(self, HIGH, *args)
        try:
            return executions.mapped(self, args, out)
        except Exception as error:
            fold(error)
            raise

    def check_count(self, args: tuple[Any, ...]) -> None:
        """Raise ArgumentError unless there are as many arguments as it takes."""
        if len(args) != self.arity:
            kernel = self.kernel_for(next(iter(self.kernels), FLOAT64))
            raise ArgumentError(
                f"{self.__name__}() takes {self.arity} argument{'s' * (self.arity != 1)}, "
                f"but {are_given(len(args))}",
                fix=f"write math.{self.__name__}({', '.join(p.name for p in kernel.parameters)})",
            )

    def _refuse_names(self, name: str) -> NoReturn:
        raise ArgumentError(
            f"{self.__name__}() takes no `{name}=` here",
            note="arguments go by position; only `out` has a name, where they are arrays",
            fix=f"write math.{self.__name__}({', '.join(self.__signature__.parameters)[:-5]})",
        )

    @property
    def __signature__(self) -> inspect.Signature:
        kernel = next(iter(self.kernels.values()))[HIGH]
        kinds = inspect.Parameter
        names = [kinds(p.name, kinds.POSITIONAL_ONLY) for p in kernel.parameters]
        return inspect.Signature([*names, kinds("out", kinds.KEYWORD_ONLY, default=None)])

    def __get__(self, instance: object, owner: type | None = None) -> Overloads:
        return self  # a callable with this method is a routine, whose documentation help() shows

    def __reduce__(self) -> str:
        return self.__name__  # pickled by name, as functions are; copies are the function itself

    def __repr__(self) -> str:
        return f"<math function {self.__name__}>"
