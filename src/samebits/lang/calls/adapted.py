"""Kernels that stand for functions without types of their own, where a kernel is given.

Such a function is an intrinsic, a generic kernel, a function of `samebits.math` or of Python's.

Owns their source: each calls the function with the types that are asked for, and no others.
"""

# pyright: basic, reportInvalidTypeForm=false, reportReturnType=false, reportGeneralTypeIssues=false
# The annotations are those that are asked for, which no checker knows.

from collections.abc import Callable
from types import FunctionType
from typing import Any

from samebits.errors import CompileError
from samebits.lang.annotations import KernelAnnotation
from samebits.lang.kernel import Kernel
from samebits.modes import Precision

MOST = 4
"""The most parameters of a kernel that stands for a function."""


class AdaptedKernel(Kernel):
    """A kernel that stands for `stands_for`, with the types of `asked`."""

    def __init__(
        self,
        function: FunctionType,
        stands_for: object,
        asked: KernelAnnotation,
        precision: Precision,
    ) -> None:
        super().__init__(function, given={"precision": precision})
        self.stands_for = stands_for
        self.asked = asked

    def refusal(self, error: CompileError) -> CompileError:
        """The error where the function does not take these types, or gives another."""
        wanted = self.asked.text
        return CompileError(
            f"{self.__name__} is given for a kernel {wanted}, but does not have these types",
            note=error.message,
            fix=f"write a kernel {wanted} that calls it",
        )


def _none(f: Any, types: Any, result: Any) -> Any:
    def given() -> result:
        return f()

    return given


def _one(f: Any, types: Any, result: Any) -> Any:
    def given(a: types[0]) -> result:
        return f(a)

    return given


def _two(f: Any, types: Any, result: Any) -> Any:
    def given(a: types[0], b: types[1]) -> result:
        return f(a, b)

    return given


def _three(f: Any, types: Any, result: Any) -> Any:
    def given(a: types[0], b: types[1], c: types[2]) -> result:
        return f(a, b, c)

    return given


def _four(f: Any, types: Any, result: Any) -> Any:
    def given(a: types[0], b: types[1], c: types[2], d: types[3]) -> result:
        return f(a, b, c, d)

    return given


_FORMS: tuple[Callable[[Any, Any, Any], FunctionType], ...] = (_none, _one, _two, _three, _four)
_made: dict[tuple[object, KernelAnnotation, Precision], AdaptedKernel] = {}


def adapted(function: Any, asked: KernelAnnotation, precision: Precision) -> AdaptedKernel:
    """The kernel that stands for `function` with the types of `asked`, of at most `MOST`
    parameters; the same each time that they are asked for. Math functions have `precision`."""
    key = (function, asked, precision)
    found = _made.get(key)
    if found is None:
        made = _FORMS[len(asked.parameters)](function, asked.parameters, asked.result)
        made.__name__ = str(getattr(function, "__name__", "given"))
        owner = getattr(function, "__module__", None) or ""
        made.__qualname__ = f"{owner}.{getattr(function, '__qualname__', made.__name__)}"
        made.__qualname__ += f"[{asked.text}]"
        found = _made[key] = AdaptedKernel(made, function, asked, precision)
    return found
