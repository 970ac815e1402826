"""Tells the language layer how kernels run natively, without loading what runs them.

Whatever is imported late is imported within `lock()`, so that no fork comes in between.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from samebits.compiling import Threads, loaded, lock
from samebits.lang import operators
from samebits.lang.elementwise import OverArrays
from samebits.lang.kernel import Kernel, Overloads


def _runtime() -> Any:
    with lock():
        from samebits.runtime import kernel

        return kernel


def _run(kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    Kernel.compiled = run = loaded(_runtime).run
    return run(kernel, args, kwargs)


def _check(kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with lock():
        from samebits.runtime import races

    return races.check_races(kernel, args, kwargs)


def _ufunc() -> Any:
    with lock():
        from samebits.runtime import ufunc

        return ufunc


def _map(function: Overloads, args: tuple[Any, ...], out: Any) -> Any:
    Overloads.mapped = call = loaded(_ufunc).call
    return call(function, args, out)


def _map_elementwise(function: Any, args: tuple[Any, ...], out: Any) -> Any:
    OverArrays.mapped = call = loaded(_ufunc).map_elementwise
    return call(function, args, out)


def _power(a: Any, b: Any) -> Any:
    with lock():
        from samebits import math

    return math.pow(a, b)


def _remainder(sign: str) -> Overloads:
    with lock():
        from samebits.mathlib.floored import REMAINDERS

    return REMAINDERS[sign]


def _fpenv() -> Any:
    with lock():
        from samebits.runtime import fpenv

        return fpenv


def _pinned() -> AbstractContextManager[Any]:
    Kernel.environment = pinned = loaded(_fpenv).pinned
    return pinned()


def _own_stack() -> Any:
    with lock():
        from samebits.runtime import own_stack

        return own_stack


def _with_room(call: Callable[[], Any]) -> Any:
    return _own_stack().with_room(call)


def _apart(call: Callable[[], Any]) -> Any:
    return _own_stack().apart(call)


def install() -> None:
    """Let kernels and math functions be called from Python."""
    Threads.with_room = _with_room
    Threads.apart = _apart
    Kernel.environment = _pinned
    Kernel.compiled = _run
    Kernel.checked = _check
    Overloads.mapped = _map
    OverArrays.mapped = _map_elementwise
    operators.POWER[:] = [_power]
    operators.REMAINDERS[:] = [_remainder]
