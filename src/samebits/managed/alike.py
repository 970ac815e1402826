"""Refusals of the compiler that a managed run asks for first, since CPython would go on.

CPython keeps references where arrays are assigned by tuples, a name's weak float goes into fixed
point unseen, and a constant shift past the width gives 0. Whatever else the compiler refuses is
left to the run's own operations: a kernel under a debugger may have what no compiled one has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.errors import CompileError
from samebits.frontend.compile import compile_kernel
from samebits.frontend.core.source import named_items
from samebits.frontend.operations.shifts import ALL_OUT
from samebits.lang.kernel import Kernel
from samebits.lang.memory.struct_members import REFERENCES
from samebits.lang.values.fixed.fixed_point import BY_NAME
from samebits.types import (
    INT8,
    ArrayType,
    FixedArrayType,
    FixedPointType,
    StructType,
    TupleType,
    Type,
    VectorType,
)

NARROWEST = INT8.bits
"""A shift by fewer bits is within the width of every integer type."""


def refuse_alike(kernel: Kernel, types: tuple[Type, ...], node: ast.FunctionDef) -> None:
    """Raise CompileError where a managed run of the kernel would go on, and a compiled one refuses
    references by a tuple, a float beside fixed point or a constant shift past the width."""
    assigned = (part for part in ast.walk(node) if isinstance(part, ast.Assign))
    shifts = any(_may_shift_past(part) for part in ast.walk(node))
    if not (shifts or any(map(named_items, assigned)) or _has_fixed(kernel, types)):
        return
    try:
        compile_kernel(kernel, types)
    except CompileError as error:
        message = error.message
        if message == REFERENCES or message.endswith(BY_NAME) or ALL_OUT in message:
            raise


def _may_shift_past(node: ast.AST) -> bool:
    """Whether a shift has a count that may be a constant beyond the width of some type."""
    if not isinstance(node, ast.BinOp | ast.AugAssign):
        return False
    if not isinstance(node.op, ast.LShift | ast.RShift):
        return False
    count = node.right if isinstance(node, ast.BinOp) else node.value
    return not (isinstance(count, ast.Constant) and count.value in range(NARROWEST))


def _has_fixed(kernel: Kernel, types: Iterable[Type]) -> bool:
    """Whether a kernel meets fixed point in its parameters, or in what it names."""
    named = (*kernel.captured.values(), *(value for _, value in kernel.attributes.values()))
    return any(map(_is_fixed, types)) or any(
        isinstance(getattr(value, "__sb_type__", None), FixedPointType) for value in named
    )


def _is_fixed(t: Type) -> bool:
    match t:
        case FixedPointType():
            return True
        case VectorType() | ArrayType() | FixedArrayType():
            return _is_fixed(t.element)
        case StructType():
            return any(_is_fixed(field) for _, field in t.fields)
        case TupleType():
            return any(map(_is_fixed, t.items))
        case _:
            return False
