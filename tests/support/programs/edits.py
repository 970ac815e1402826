"""Changes by hand to a statement of a simulation's kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from samebits.hazards.edit.function_editor import FunctionEditor
from samebits.ir.grammar import For, Op
from samebits.types import ScalarType

Edit = Callable[[FunctionEditor, Op | For], None]
OTHERS = {
    "add": "sub", "sub": "add", "mul": "sub", "div": "mul", "max": "min", "min": "max",
    "gt": "lt", "lt": "gt", "or": "and", "and": "or", "eq": "ne", "neg": "abs", "abs": "neg",
}  # fmt: skip
"""For each opcode another that gives something else, mostly."""


def other(editor: FunctionEditor, op: Op | For) -> None:
    assert isinstance(op, Op)
    editor.give(op.id, OTHERS[op.opcode], *op.args, type=op.result.type)


def nothing(editor: FunctionEditor, op: Op | For) -> None:
    pass


def backwards(editor: FunctionEditor, loop: Op | For) -> None:
    assert isinstance(loop, For)
    assert loop.step == 1
    one = editor.const(loop.start.type, 1)  # type: ignore[arg-type]
    last, end = editor.op("sub", loop.stop, one), editor.op("sub", loop.start, one)
    editor.append(replace(loop, start=last, stop=end, step=-1))


def only_above_two(editor: FunctionEditor, op: Op | For) -> None:
    """A store of numbers above 2 alone."""
    assert isinstance(op, Op)
    t = op.args[1].type
    assert isinstance(t, ScalarType)
    branch = editor.if_(editor.op("gt", op.args[1], editor.const(t, 2.0)))
    with editor.into(branch.then):
        editor.append(op)
