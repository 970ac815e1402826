"""Refusals of the compiler that a managed run asks for first, since CPython would go on.

CPython keeps references where arrays are assigned by tuples, and a name's weak float goes into
fixed point unseen. Whatever else the compiler refuses is left to the run's own operations: a kernel
under a debugger may have what no compiled one has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.errors import CompileError
from samebits.frontend.compile import compile_kernel
from samebits.frontend.core.source import named_items
from samebits.lang.kernel import Kernel
from samebits.lang.memory.struct_members import REFERENCES
from samebits.lang.values.fixed.fixed_point import BY_NAME
from samebits.types import (
    ArrayType,
    FixedArrayType,
    FixedPointType,
    StructType,
    TupleType,
    Type,
    VectorType,
)


def refuse_alike(kernel: Kernel, types: tuple[Type, ...], node: ast.FunctionDef) -> None:
    """Raise CompileError where a managed run of the kernel would go on, and a compiled one refuses
    references by a tuple or a float beside fixed point."""
    assigned = (part for part in ast.walk(node) if isinstance(part, ast.Assign))
    if not (any(map(named_items, assigned)) or _has_fixed(kernel, types)):
        return
    try:
        compile_kernel(kernel, types)
    except CompileError as error:
        if error.message == REFERENCES or error.message.endswith(BY_NAME):
            raise


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
