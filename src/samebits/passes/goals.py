"""What a module's entries are compiled for: `optimize_for` of the kernels that are entered."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.ir.grammar import Module
from samebits.modes import DEFAULTS, Goal


def goal_of(module: Module, entries: Sequence[str]) -> Goal:
    """The goal of the first entry that has another one than the default; else the default.

    Callees are compiled for it too, whatever their own: one pipeline makes the whole object.
    """
    default: Goal = DEFAULTS.optimize_for
    for name in entries:
        function = module.functions.get(name)  # whoever needs an unknown one complains
        if function is not None and function.options.optimize_for != default:
            return function.options.optimize_for
    return default
