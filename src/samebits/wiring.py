"""The executions as the language layer is handed them, without loading what runs them.

Lazy imports happen within `lock()`, so that no fork comes in between.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from samebits.compiling import lock
from samebits.lang.executions import executions
from samebits.lang.stacks import loaded

FIELDS = {
    "native": ("samebits.runtime.compile", "run"),
    "managed": ("samebits.managed.run", "call"),
    "managed_call": ("samebits.managed.run", "call_inner"),
    "managed_math": ("samebits.managed.run", "call_math"),
    "mapped": ("samebits.runtime.ufunc", "call"),
    "mapped_elementwise": ("samebits.runtime.ufunc", "map_elementwise"),
    "power": ("samebits.math", "pow"),
    "remainder": ("samebits.mathlib.floored", "remainder"),
    "reduction": ("samebits.mathlib.arrays.functions", "of_builtin"),
    "pinned": ("samebits.runtime.fp_state.pin", "pinned"),
    "check_races": ("samebits.runtime.races", "check_races"),
    "session_report": ("samebits.desync.of_session", "write_session_report"),
}
"""Module and name of the function for each field of `executions`, imported on its first call."""


def _imported(module: str) -> Any:
    with lock():
        from samebits.runtime.gc_pause import paused, settle

        is_new = module not in sys.modules
        with paused():  # what a module makes stays
            imported = import_module(module)
            if is_new:
                settle()
        return imported


def _on_first_call(field: str, module: str, name: str) -> Callable[..., Any]:
    def first(*args: Any, **named: Any) -> Any:
        function = getattr(loaded(partial(_imported, module)), name)
        setattr(executions, field, function)
        return function(*args, **named)

    return first


def _with_room(call: Callable[[], Any]) -> Any:
    return _imported("samebits.runtime.threads.own_stack").with_room(call)


def _on_own_thread(call: Callable[[], Any]) -> Any:
    return _imported("samebits.runtime.threads.own_stack").in_new_thread(call)


def install() -> None:
    """Fill `executions`, so that kernels and math functions can be called from Python."""
    for field, (module, name) in FIELDS.items():
        setattr(executions, field, _on_first_call(field, module, name))
    executions.with_room = _with_room
    executions.on_own_thread = _on_own_thread
