"""How calls are run: the record in which the layers above tell this one what it can't import.

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
"""Of a kernel, arguments by position and arguments by name."""
ArrayCall = Callable[[Any, tuple[Any, ...], Any], Any]
"""Of a function, arguments by position and `out`."""
Runner = Callable[[Callable[[], Any]], Any]
"""Of a call, which is made in a thread of the runner's choice."""


def _missing(*_args: Any, **_named: Any) -> NoReturn:
    raise CompileError("nothing is installed that runs calls", fix="import samebits")


def _unchecked(*_args: Any) -> None:
    """No job is defined, so that none has any memory."""


@dataclass(slots=True)
class Executions:
    """What runs calls of kernels and of math functions, and what such calls are checked by."""

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
    with_room: Runner = operator.call
    """Has a thread make a call whose stack has room."""
    on_own_thread: Runner = operator.call
    """Has a thread of the library's own make a call."""


executions = Executions()
"""The record of this process."""
