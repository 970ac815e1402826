"""What is checked: one kernel of the math library, compiled into a loop over arrays."""

import importlib
from collections.abc import Callable
from typing import Any

from samebits import math, modes
from samebits.backend import llvm
from samebits.backend.targets import Target
from samebits.lang.arrays import Array, ReadOnly
from samebits.lang.kernel import Kernel, Overloads
from samebits.lang.scalars import float32, float64
from samebits.runtime.kernel import compile_native
from samebits.types import FLOAT32, FLOAT64

TYPES = {"float32": FLOAT32, "float64": FLOAT64}
SCALARS: dict[str, Any] = {"float32": float32, "float64": float64}


def kernel_of(function: str, type_name: str, precision: str) -> Kernel:
    """A function of `samebits.math` by name, or a kernel as `module:kernel` in mathlib.

    Raises LookupError where there is none.
    """
    if ":" in function:
        module, name = function.split(":")
        module = module if "." in module else f"samebits.mathlib.{module}"
        return getattr(importlib.import_module(module), name)
    found = getattr(math, function, None)
    if not isinstance(found, Overloads):
        raise LookupError(f"samebits.math has no library function {function}")
    if not hasattr(modes, precision):
        return found.kernel_for(TYPES[type_name])
    return found.kernel_for(TYPES[type_name], getattr(modes, precision))  # type: ignore[call-arg]


def host_rows() -> dict[str, Target]:
    """The levels that run in this process, by name."""
    return {h.target.name: h.target for h in llvm.available_targets() if h.reason is None}


def over_arrays(kernel: Kernel, scalar: Any, arity: int, part: int | None = None) -> Kernel:
    """A loop of `kernel` over arrays; `part` picks one of several results."""
    if arity == 1:
        if part is None:

            def one(x: ReadOnly[scalar], result: Array[scalar]) -> None:  # type: ignore[valid-type]
                for i in range(len(result)):
                    result[i] = kernel(x[i])

            return Kernel(one)

        def one_of(x: ReadOnly[scalar], result: Array[scalar]) -> None:  # type: ignore[valid-type]
            for i in range(len(result)):
                first, second = kernel(x[i])
                result[i] = first if part == 0 else second

        return Kernel(one_of)

    def two(x: ReadOnly[scalar], y: ReadOnly[scalar], result: Array[scalar]) -> None:  # type: ignore[valid-type]
        for i in range(len(result)):
            result[i] = kernel(x[i], y[i])

    return Kernel(two)


def compiled(kernel: Kernel, type_name: str, arity: int, target: Target) -> Callable[..., None]:
    """`run(*arrays, result)` on a level of this host."""
    loop = over_arrays(kernel, SCALARS[type_name], arity)
    assert loop.fixed_types is not None
    return compile_native(loop, loop.fixed_types, target)
