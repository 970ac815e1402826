"""Stubs of arrays of one to four dimensions: what an index takes off, and what a part keeps."""

from __future__ import annotations

from collections.abc import Iterator

from tools.stubs.text import docstring

import samebits as sb

HEAD = '''"""Arrays as type checkers see them: what NumPy's, fixed and local arrays all are.

Written by `python -m tools.stubs`.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Protocol, Self, SupportsIndex, TypeVar, TypeVarTuple, overload

import numpy as np

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_T_contra = TypeVar("_T_contra", contravariant=True)
_N1 = TypeVar("_N1")
_N2 = TypeVar("_N2")
_N3 = TypeVar("_N3")
_N4 = TypeVar("_N4")
_Ns = TypeVarTuple("_Ns")
'''
INDEX = "SupportsIndex"
SHAPE = '''    @property
    def shape(self) -> tuple[int, ...]:
        """The length along each dimension."""
'''
ITEMS = {"ReadOnly": "_T_co", "Array": "_T", "WriteOnly": "_T_contra"}


def name(head: str, dimensions: int) -> str:
    return head if dimensions == 1 else f"{head}{dimensions}D"


def array(head: str, dimensions: int, item: str) -> str:
    """The type of an array, or of an element where no dimension is left."""
    return f"{name(head, dimensions)}[{item}]" if dimensions else item


def place(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"tuple[{', '.join(parts)}]"


def indices(dimensions: int) -> Iterator[tuple[str, int]]:
    """What stands between brackets, with the dimensions that it leaves; in the order of NumPy's
    overloads, in which mypy compares them."""
    for k in range(dimensions):
        yield place([INDEX] * (k + 1)), dimensions - k - 1
    for k in range(dimensions):
        yield place([*[INDEX] * k, "slice"]), dimensions - k


def view(head: str, dimensions: int) -> str:
    """The stub of `Array2D` and its like."""
    item, own = ITEMS[head], name(head, dimensions)
    lines = [f"class {own}(Protocol[{item}]):", docstring(getattr(sb, own)), ""]
    lines.append("    def __len__(self) -> int: ...")
    if head != "WriteOnly":
        row = item if dimensions == 1 else "Any"  # NumPy has its own idea of a row's elements
        lines.append(f"    def __iter__(self) -> Iterator[{row}]: ...")
        for index, left in indices(dimensions):
            # Of a part of a row, pyright can't tell that NumPy's array has the elements of one.
            loose = head == "Array" and "slice" in index and index != "slice"
            result = array(head, left, "Any" if loose else item)
            lines.append("    @overload")
            lines.append(f"    def __getitem__(self, index: {index}, /) -> {result}: ...")
    if head != "ReadOnly":
        whole = place([INDEX] * dimensions)
        lines.append(f"    def __setitem__(self, index: {whole}, value: {item}, /) -> None: ...")
    return "\n".join(lines) + "\n" + SHAPE


def fixed() -> str:
    """The stub of `FixedArray`: `self` says how many lengths there are."""
    lines = ["class FixedArray(Generic[_T, *_Ns]):", docstring(sb.FixedArray), ""]
    given = "Self | Sequence[Any] | np.ndarray[Any, Any]"
    lines.append("    def __get__(self, instance: object, owner: Any = ..., /) -> Self: ...")
    lines.append(f"    def __set__(self, instance: object, value: {given}, /) -> None: ...")
    lines.append("    def __len__(self) -> int: ...")
    sizes = ["_N1", "_N2", "_N3", "_N4"]
    of = [f"FixedArray[{', '.join(['_T', *sizes[:n]])}]" for n in range(5)]
    for n in range(1, 5):
        row = f"FixedArray[{', '.join(['_T', *sizes[1:n]])}]" if n > 1 else "_T"
        lines += ["    @overload", f"    def __iter__(self: {of[n]}) -> Iterator[{row}]: ..."]
    for n in range(1, 5):
        for index, left in indices(n):
            rest = ", ".join(["_T", *sizes[n - left : n]])
            kept = array("Array", left, "_T") if "slice" in index else f"FixedArray[{rest}]"
            result = kept if left else "_T"
            lines.append("    @overload")
            lines.append(f"    def __getitem__(self: {of[n]}, index: {index}, /) -> {result}: ...")
    for n in range(1, 5):
        lines.append("    @overload")
        index = place([INDEX] * n)
        lines.append(
            f"    def __setitem__(self: {of[n]}, index: {index}, value: _T, /) -> None: ..."
        )
    lines.append(SHAPE.rstrip("\n"))
    lines.append('''    @property
    def memory(self) -> np.ndarray[Any, Any]:
        """An ndarray over the same memory; a vector element adds a last dimension."""
    def __array__(self, dtype: Any = ..., copy: bool | None = ...) -> np.ndarray[Any, Any]: ...''')
    return "\n".join(lines) + "\n"


def zeros() -> str:
    lines: list[str] = []
    for n in (4, 3, 2, 1):
        shape = "int" if n == 1 else f"tuple[{', '.join(['int'] * n)}]"
        end = f":\n{docstring(sb.zeros)}" if n == 1 else ": ..."
        result = array("Array", n, "_T")
        lines.append(f"@overload\ndef zeros(shape: {shape}, dtype: type[_T], /) -> {result}{end}")
    return "\n".join(lines) + "\n"


def dimensions() -> str:
    """The text of `dimensions.pyi`."""
    views = [view(head, n) for head in ITEMS for n in (1, 2, 3, 4)]
    return "\n".join([HEAD, *views, fixed(), zeros()])
