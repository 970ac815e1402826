"""Tells the language layer how kernels run natively, without loading what runs them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from samebits.compiling import LOCK
from samebits.lang import operators
from samebits.lang.kernel import Kernel, Overloads


def _run(kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with LOCK:
        from samebits.runtime import kernel as runtime

        Kernel.compiled = runtime.run
    return runtime.run(kernel, args, kwargs)


def _check(kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from samebits.runtime import races

    return races.check_races(kernel, args, kwargs)


def _map(function: Overloads, args: tuple[Any, ...], out: Any) -> Any:
    with LOCK:
        from samebits.runtime import ufunc

    Overloads.mapped = ufunc.call
    return ufunc.call(function, args, out)


def _power(a: Any, b: Any) -> Any:
    from samebits import math

    return math.pow(a, b)


def _pinned() -> AbstractContextManager[Any]:
    with LOCK:
        from samebits.runtime import fpenv

        Kernel.environment = fpenv.pinned
    return fpenv.pinned()


def install() -> None:
    """Let kernels and math functions be called from Python."""
    Kernel.environment = _pinned
    Kernel.compiled = _run
    Kernel.checked = _check
    Overloads.mapped = _map
    operators.POWER[:] = [_power]
