"""The default floating-point environment around functions that CPython itself computes.

Compiled code pins the environment; managed runs are pinned as a whole. Called from plain Python,
what is a function of the library has the same bits all the same, whatever the thread's register.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, TypeVar

from samebits.errors import mark_wrapper
from samebits.importing import is_default
from samebits.lang.executions import executions
from samebits.lang.signal_safe import default_environment

_Function = TypeVar("_Function", bound=Callable[..., Any])


def pinned() -> AbstractContextManager[Any]:
    """A block in the default environment, by what is loaded already where the system has it."""
    return default_environment() or executions.pinned()


def in_default_environment(function: _Function) -> _Function:
    """The function, computed in the default environment whichever the thread's is."""

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if is_default():
            return function(*args, **named)
        with pinned():
            return function(*args, **named)

    mark_wrapper(call)
    return call  # type: ignore[return-value]
