"""Stubs of the scalars, vectors, matrices and quaternions: from the tables of their types."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tools.stubs.text import docstring

import samebits as sb
from samebits import types
from samebits.types import FIXED_POINT, MatrixType, ScalarType, VectorType

HEAD = '''"""The values of the language as type checkers see them.

Written by `python -m tools.stubs`. The scalars are Python's own int and float to a type checker, so
that literals, NumPy's float64 and each other do as arguments; which width they have is the
compiler's matter.
"""

from typing import ClassVar, TypeAlias, overload

from samebits.typed.bases import (
    Bitwise, Equal, FixedPoint, Half, Matrix, Numbers, Shifted, Sum, Vector,
)
from samebits.typed.swizzles import Swizzles2, Swizzles3, Swizzles4
'''
SWIZZLES = '''"""The swizzles of vectors: `v.xy`, `v.zyx`. Written by `python -m tools.stubs`."""

from typing import Generic, TypeVar

_S = TypeVar("_S")
_V2 = TypeVar("_V2")
_V3 = TypeVar("_V3")
_V4 = TypeVar("_V4")
'''
QUOTIENTS = {"int": "double", "uint": "double"}
"""The vectors that a quotient of integers gives."""


def written(t: ScalarType) -> str:
    """A scalar type as an annotation."""
    return t.name


def scalars() -> Iterator[str]:
    for t in types.STRONG_SCALARS[1:]:
        base = "float" if t.is_float else "int"
        yield f"{t.name}: TypeAlias = {base}\n{docstring(getattr(sb, t.name), '')}\n"
    yield f"class float16(Half):\n{docstring(sb.float16)}\n\nhalf = float16\n"
    for name in FIXED_POINT:
        yield f"class {name}(FixedPoint):\n{docstring(getattr(sb, name))}\n"


def name_of(element: ScalarType, length: int) -> str:
    return types.vector_of(element, length).name


def bools(t: VectorType) -> str:
    return t.of(types.BOOL).name


def quotient(t: VectorType) -> str:
    return t.of(types.FLOAT64).name if t.element.is_int else t.name


def bases(t: VectorType) -> list[str]:
    """The bases of a vector's or matrix' class that give it its operators."""
    scalar, truth = written(t.element), bools(t)
    if t.element is types.BOOL:
        return [f"Bitwise[bool, {truth}]"]
    if t.element is types.FLOAT16:
        return [f"Equal[{scalar}, {truth}]"]
    if t.element in FIXED_POINT.values():
        scalar = f"{scalar} | float"  # a literal that is a whole number of steps
    if isinstance(t, types.QuaternionType):
        return [f"Sum[{scalar}, {truth}]"]
    found = [f"Numbers[{scalar}, {truth}, {quotient(t)}]"]
    if t.element.is_int:
        found += [f"Bitwise[{scalar}, {truth}]", f"Shifted[{scalar}, {truth}]"]
    return found


def overloads(name: str, pairs: list[tuple[str, str]]) -> str:
    """A binary operator with a result each."""
    head = "    @overload\n" if len(pairs) > 1 else ""
    return "".join(f"{head}    def {name}(self, other: {a}, /) -> {r}: ...\n" for a, r in pairs)


def products(t: VectorType) -> list[tuple[str, str]]:
    """What `@` takes on its right, and gives."""
    if t.element is types.BOOL or t.element is types.FLOAT16 or t.element in FIXED_POINT.values():
        return []
    if isinstance(t, types.QuaternionType):
        v = name_of(t.element, 3)
        return [(t.name, t.name), (v, v)]
    rows, inner = (t.rows, t.columns) if isinstance(t, MatrixType) else (1, t.length)
    found: list[tuple[str, str]] = []
    for columns in (2, 3, 4):
        right = types.matrix_of(t.element, inner, columns).name
        whole = rows > 1
        result = types.matrix_of(t.element, rows, columns).name if whole else ""
        found.append((right, result or name_of(t.element, columns)))
    if rows > 1:
        found.append((name_of(t.element, inner), name_of(t.element, rows)))
    return found


def vector(t: VectorType) -> str:
    n, e = t.length, t.element
    four = [name_of(e, k) for k in (2, 3, 4)]
    scalar = written(e)
    if isinstance(t, types.QuaternionType):
        own = [f"Swizzles4[{scalar}, {', '.join(four)}]"]
    else:
        own = [f"Swizzles{n}[{scalar}, {', '.join(four)}]"]
    parents = [*own, *bases(t), f"Vector[{scalar}, {bools(t)}]"]
    body = docstring(getattr(sb, t.name)) + "\n"
    if isinstance(t, types.QuaternionType):
        body += f"\n    identity: ClassVar[{t.name}]\n"
        body += f"    def __mul__(self, other: {scalar}, /) -> {t.name}: ...\n"
        body += f"    def __rmul__(self, other: {scalar}, /) -> {t.name}: ...\n"
        body += f"    def __truediv__(self, other: {scalar}, /) -> {t.name}: ...\n"
    found = products(t)
    text = overloads("__matmul__", found) if found else ""
    gap = "\n" if text and "identity" not in body else ""
    return f"class {t.name}(\n    {', '.join(parents)}\n):\n{body}{gap}{text}"


def matrix(t: MatrixType) -> str:
    turned = types.matrix_of(t.element, t.columns, t.rows).name
    own = f"Matrix[{written(t.element)}, {bools(t)}, {t.column.name}, {turned}]"
    parents = [*bases(t), own]
    body = docstring(getattr(sb, t.name)) + "\n\n"
    if t.rows == t.columns:
        body += f"    identity: ClassVar[{t.name}]\n"
    for j in range(t.columns):
        body += f"    @property\n    def c{j}(self) -> {t.column.name}: ...\n"
    found = products(t)
    text = overloads("__matmul__", found) if found else ""
    return f"class {t.name}(\n    {', '.join(parents)}\n):\n{body}{text}"


def values() -> str:
    """The text of `values.pyi`."""
    parts = [HEAD, *scalars()]
    for t in types.COMPOSITES.values():
        parts.append(matrix(t) if isinstance(t, MatrixType) else vector(t))
    return "\n".join(parts)


def swizzles() -> str:
    """The text of `swizzles.pyi`."""
    parts = [SWIZZLES]
    for n in (2, 3, 4):
        letters = types.COMPONENTS[:n]
        lines = [f"class Swizzles{n}(Generic[_S, _V2, _V3, _V4]):"]
        lines.append(f'    """Components {", ".join(letters)} in any order and number."""\n')
        for k in (1, 2, 3, 4):
            if k == 1:
                lines += [f"    {letter}: _S" for letter in letters]
                continue
            for chosen in product(letters, repeat=k):
                lines.append(f"    @property\n    def {''.join(chosen)}(self) -> _V{k}: ...")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
