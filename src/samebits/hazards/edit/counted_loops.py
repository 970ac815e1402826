"""Kernels whose `while` loops end: each traps after so many iterations.

Of states and numbers that are only guessed, a loop may have no end.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.hazards.edit.function_editor import FunctionEditor, guarded, own_functions
from samebits.ir.grammar import Module, Region, While, walk
from samebits.types import INT64

MOST = 1 << 16
"""Iterations of one `while` at a time."""


def has_loops_of_conditions(module: Module) -> bool:
    """Whether the simulation's own functions have a `while`."""
    return any(isinstance(each, While) for f in own_functions(module) for each in walk(f.body))


def with_counted_loops(module: Module, most: int = MOST) -> Module:
    """The module, in which each `while` of the simulation's own functions traps before it has
    tested its condition `most` times; with every index checked."""
    module = guarded(module)
    for function in own_functions(module):
        loops = [each.id for each in walk(function.body) if isinstance(each, While)]
        if not loops:
            continue
        editor = FunctionEditor(module, function.name)
        for number in loops:
            slot = f".iterations.{number}"
            editor.function.slots[slot] = INT64
            with editor.instead(number) as loop:
                assert isinstance(loop, While)
                editor.set(slot, editor.const(INT64, 0))
                head: Region = []
                with editor.into(head):
                    total = editor.op("add", editor.get(slot), editor.const(INT64, 1))
                    editor.set(slot, total)
                    editor.emit("assert", editor.op("lt", total, editor.const(INT64, most)))
                editor.append(replace(loop, head=[*head, *loop.head]))
        module = editor.done()
    return module
