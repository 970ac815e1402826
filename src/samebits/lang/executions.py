"""The executions: a record of functions that layers above install, as this one can't import them.

`samebits.wiring` fills it when `samebits` is imported, and jobs fill the checks of their memory
when the first of them is defined. Owns no execution, and imports none.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NoReturn

from samebits.errors import CompileError

KernelCall = Callable[[Any, tuple[Any, ...], Mapping[str, Any]], Any]
"""From a kernel, arguments by position and arguments by name to its result."""
ArrayCall = Callable[[Any, tuple[Any, ...], Any], Any]
"""From a function, arguments by position and `out` to its result."""
Runner = Callable[[Callable[[], Any]], Any]
"""From a call to its result; it is made in a thread of the runner's choice."""


def _missing(*_args: Any, **_named: Any) -> NoReturn:
    raise CompileError("nothing is installed that runs calls", fix="import samebits")


def _unchecked(*_args: Any) -> None:
    """Check that passes: no job is defined, so none has any memory."""


@dataclass(slots=True)
class Executions:
    """The functions that run calls of kernels and of math functions, and that check them."""

    native: KernelCall = _missing
    """Runs a kernel compiled for this host."""
    managed: KernelCall = _missing
    """Runs a kernel in CPython over the language's values, called from Python."""
    managed_call: KernelCall = _missing
    """Runs a kernel that another one calls inside a managed run."""
    managed_math: Callable[..., Any] = _missing
    """Runs a math function inside a managed run: the function, the precision, its arguments."""
    mapped: ArrayCall = _missing
    """Runs a math function (`Overloads`) natively on numbers, vectors and NumPy arrays."""
    mapped_elementwise: ArrayCall = _missing
    """Runs over NumPy arrays: an intrinsic by its name, a kernel of one number, or a family that
    has some."""
    power: Callable[[Any, Any], Any] = _missing
    """`math.pow`, for `**` of floats in plain Python."""
    remainder: Callable[[str], Any] = _missing
    """From `%` and `//` to the library's function of two floats of a type."""
    reduction: Callable[[str], Any] = _missing
    """From the name of a builtin to the library's function of a whole array."""
    pinned: Callable[[], AbstractContextManager[Any]] = nullcontext
    """Makes a context in which this thread's floating-point operations follow the pinned rules."""
    check_races: KernelCall = _missing
    """Runs a kernel iteration by iteration in the reference interpreter, looking for races."""
    check_use: KernelCall = _unchecked
    """Raises where a scheduled job has memory that a call which is not native would touch."""
    check_array_use: Callable[[str, Any], None] = _unchecked
    """Raises where a scheduled job writes an array that the function of this name copies."""
    check_appender_use: Callable[[str, Any, bool], None] = _unchecked
    """Raises where a scheduled job has the memory of an appender that the method of this name
    reads or, if so told, writes."""
    session_report: Callable[..., int] = _missing
    """Writes the desync report of a session: the session, path, frames, how many are final, and
    whether a file is replaced."""
    with_room: Runner = operator.call
    """Makes a call in a thread whose stack has room."""
    on_own_thread: Runner = operator.call
    """Makes a call in a thread of the library's own."""

    def deeper(self, call: Callable[[], Any]) -> Any:
        """The result of a call in a thread of its own, where Python's stack has room for calls
        inside one another, and floating-point operations follow the pinned rules."""

        def pinned() -> Any:
            with self.pinned():
                return call()

        return self.on_own_thread(pinned)


executions = Executions()
"""The record of this process."""
