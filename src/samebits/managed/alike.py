"""Refusals of the compiler that a managed run asks for first, since CPython would go on.

CPython counts with bools, keeps references where arrays are assigned by tuples, lets a name have
two types, and gives 0 where a constant shift is past the width. Whatever else the compiler refuses
is left to the run's own operations: a kernel under a debugger may have what no compiled one has.
"""

from __future__ import annotations

from samebits.errors import CompileError
from samebits.frontend.compile import compile_kernel
from samebits.frontend.operations.shifts import ALL_OUT
from samebits.ir.once import is_library
from samebits.lang.kernel import Kernel
from samebits.lang.memory.struct_members import REFERENCES
from samebits.lang.values.fixed.fixed_point import BY_NAME
from samebits.types import Type

ALIKE = (
    REFERENCES,
    BY_NAME,
    ALL_OUT,
    "a bool is not a number here",
    "of them, but this is bool",
    "range() takes integers",
    "is not there for ",
    "whose value is used is of bools",
    "a condition is a bool",
    "this is tuple[",
    "is indexed by constants",
    "the two sides have different types",
    "the items have different types",
    "would change type from",
    "compares an int with a float exactly",
    "a chained comparison is for scalars",
    "a `for` loop runs over",
    "can't be unpacked",
    "a component of ",
    "a list can't be indexed",
    "len() of a list",
    "the builtin 'pow'",
    "the lengths of a local array are integers",
)
"""Words of the messages of what CPython has another meaning for than the language: references,
bools as numbers, tuples as conditions and in comparisons, values of two types in one place."""


def refuse_alike(kernel: Kernel, types: tuple[Type, ...]) -> None:
    """Raise CompileError where a managed run of the kernel would go on, and a compiled one refuses
    it in words of `ALIKE`."""
    if is_library(kernel.function.__module__ or ""):
        return
    try:
        compile_kernel(kernel, types)
    except CompileError as error:
        if any(words in error.message for words in ALIKE):
            raise
