"""Stubs of the containers: the methods of their templates, with what type checkers need besides."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from tools.stubs.text import docstring

import samebits as sb

HEAD = '''"""Containers as type checkers see them. Written by `python -m tools.stubs`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Generic, Self, SupportsIndex, overload

from typing_extensions import TypeVar

from samebits.typed.dimensions import Array, ReadOnly
from samebits.typed.kernels import Struct
from samebits.typed.values import double2, double3, float2, float3, int32

_T = TypeVar("_T")
_K = TypeVar("_K")
_V = TypeVar("_V", default=Any)
_N = TypeVar("_N", default=Any)
_C = TypeVar("_C", default=None)
_W = TypeVar("_W", default=Any)
_H = TypeVar("_H", default=Any)
_D = TypeVar("_D", default=Any)
_M = TypeVar("_M", default=Any)

'''
ELEMENTS = """\
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Array[_T]: ...
    def __setitem__(self, index: SupportsIndex, value: _T, /) -> None: ...
    def __iter__(self) -> Iterator[_T]: ...
"""
ADDED = "    def __iadd__(self, values: Iterable[_T], /) -> Self: ...\n"
ENTRIES = """\
    def __getitem__(self, key: _K, /) -> _V: ...
    def __iter__(self) -> Iterator[_K]: ...
    def keys(self) -> Iterator[_K]:
        \"\"\"The keys in order, in the head of a loop.\"\"\"
    def values(self) -> Iterator[_V]:
        \"\"\"The values in the order of their keys, in the head of a loop.\"\"\"
    def items(self) -> Iterator[tuple[_K, _V]]:
        \"\"\"Keys with their values in order, in the head of a loop.\"\"\"
"""
POINTS = "    def __iter__(self) -> Iterator[_T]: ...\n"
EQ = "    def __eq__(self, other: object, /) -> bool: ...\n"
FAMILIES = {
    "List": ("_T, _N", f"{ELEMENTS}{ADDED}"),
    "Map": ("_K, _V, _N", ENTRIES),
    "Heap": ("_T, _V, _C", ""),
    "BitSet": ("_N", "    def __iter__(self) -> Iterator[int]: ...\n"),
    "Grid2": ("_T, _W, _H, _N", POINTS),
    "Grid3": ("_T, _W, _H, _D, _N", POINTS),
}
"""The parameters of each family, and the methods that follow from the language's protocols."""
INNER = {"__position__", "__at__", "__after__", "__eq__"}
NAMES = {"T": "_T", "K": "_K", "V": "_V", "E": "float"}
OTHERS = {("List", "extend"): "self, values: ReadOnly[_T] | Iterable[_T]) -> None"}
"""The methods that take more from Python than from kernels."""
ITEMS = "Heap[_T, _V, None]"
"""A heap without priorities: `Heap[T, N]`."""
HEAP = {
    "push": ("item: _T", "None", "priority: _T, value: _V", "None"),
    "try_push": ("item: _T", "bool", "priority: _T, value: _V", "bool"),
    "pop": ("", "_T", "", "tuple[_T, _V]"),
    "peek": ("", "_T", "", "tuple[_T, _V]"),
    "get": ("default: _T", "_T"),
    "__iter__": ("", "Iterator[_T]", "", "Iterator[tuple[_T, _V]]"),
}
"""The methods that differ: parameters and result of a heap of items, and of one with priorities."""


class _Types(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = NAMES.get(node.id, node.id)
        return node


def _methods(module: ModuleType) -> Iterator[ast.FunctionDef]:
    """The public methods of a family's first template."""
    tree = ast.parse(inspect.getsource(module))
    template = next(
        inner
        for made in tree.body
        if isinstance(made, ast.FunctionDef)
        for inner in made.body
        if isinstance(inner, ast.ClassDef)
    )
    for method in template.body:
        if not isinstance(method, ast.FunctionDef) or method.name in INNER:
            continue
        if method.name == "host___init__":
            method.name = "__init__"
        is_special = method.name.startswith("__")
        if not method.name.startswith("host_") and (is_special or ast.get_docstring(method)):
            yield method


def _stub(name: str, method: ast.FunctionDef) -> str:
    text = ast.get_docstring(method)
    if name == "Heap" and method.name in HEAP:
        return _of_heap(method.name, text)
    if (name, method.name) in OTHERS:
        return _defined(f"def {method.name}({OTHERS[name, method.name]}", text)
    _Types().visit(method.args)
    if method.returns is not None:
        method.returns = _Types().visit(method.returns)
    ends = ", /" if method.name.startswith("__") and method.args.args[1:] else ""
    ends = "" if method.name == "__init__" else ends
    result = ast.unparse(method.returns) if method.returns else "None"
    return _defined(f"def {method.name}({ast.unparse(method.args)}{ends}) -> {result}", text)


def _of_heap(method: str, text: str | None) -> str:
    """A method of both kinds of heaps, told apart by what `self` is."""
    given, result, *others = HEAP[method]
    head = f"def {method}({', '.join(filter(None, (f'self: {ITEMS}', given)))}) -> {result}"
    if not others:
        return _defined(head, text)
    given, result = others
    other = f"def {method}({', '.join(filter(None, ('self', given)))}) -> {result}"
    return "".join(
        f"    @overload\n{_defined(one, of)}" for one, of in ((head, text), (other, None))
    )


def _defined(head: str, text: str | None) -> str:
    if text is None:
        return textwrap.indent(f"{head}: ...\n", "    ")
    body = textwrap.indent(f'"""{text}\n"""' if "\n" in text else f'"""{text}"""', "    ")
    return textwrap.indent(f"{head}:\n{body}\n", "    ")


GIVEN = {
    "List": "Sequence[Any]",
    "Map": "Mapping[Any, Any]",
    "BitSet": "Set[int]",
}
"""What a field takes in place of its container, from Python."""


def _given(name: str) -> str:
    """What a field of a struct is assigned: to type checkers a field is a descriptor."""
    if name not in GIVEN:
        return ""
    return (
        "    def __get__(self, instance: object, owner: Any = ..., /) -> Self: ...\n"
        f"    def __set__(self, instance: object, value: Self | {GIVEN[name]}, /) -> None: ...\n"
    )


def containers() -> str:
    """The stub of all families."""
    parts = [HEAD]
    for name, (parameters, more) in FAMILIES.items():
        family = getattr(sb, name)
        module = import_module(family.__module__)
        text = f"class {name}(Struct, Generic[{parameters}]):\n{docstring(family)}\n\n"
        more = _of_heap("__iter__", None) if name == "Heap" else more
        text += "".join(_stub(name, method) for method in _methods(module))
        parts.append(text + more + _given(name) + EQ)
    return "\n".join(parts)
