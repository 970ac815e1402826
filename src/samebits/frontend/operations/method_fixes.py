"""Fixes of methods that a struct or a number does not have: what other libraries call them here."""

from __future__ import annotations

import ast
from typing import Any

from samebits.errors import nearest
from samebits.frontend.core import advice
from samebits.frontend.core.context import Context
from samebits.frontend.core.math_name import math_in
from samebits.frontend.core.operands import Operand, Scalar, Vector
from samebits.lang.annotations import class_of_type
from samebits.lang.intrinsics import INTRINSICS
from samebits.lang.other_names import OTHER_NAMES, SAME_NAMES
from samebits.types import FixedArrayType, StructType

_LENGTH = dict.fromkeys(("size", "length", "Length", "Count"), "`len({o})`")
_SHARED = {
    **_LENGTH,
    **dict.fromkeys(("empty", "isEmpty", "is_empty", "IsEmpty"), "`len({o}) == 0`"),
    **dict.fromkeys(("contains", "has", "Contains", "ContainsKey", "has_key"), "`{a} in {o}`"),
}
_ENDS = dict.fromkeys(("pop_back", "popright"), "`{o}.pop()`") | dict.fromkeys(
    ("pop_front", "popleft", "shift"), "`{o}.pop(0)`"
)
_ADDED = ("push", "push_back", "emplace_back", "add", "Add", "put")
_OTHER_METHODS: dict[str, dict[str, str]] = {
    "List": {
        **_SHARED, **_ENDS,
        **dict.fromkeys(_ADDED, "`{o}.append({a})`"),
        **dict.fromkeys(("RemoveAtSwapBack", "swap_remove"), "`{o}.swap_pop({a})`"),
        **dict.fromkeys(("erase", "RemoveAt", "removeAt"), "`del {o}[{a}]`"),
        **dict.fromkeys(("front", "first", "begin"), "`{o}[0]`"),
        **dict.fromkeys(("back", "last", "peek", "top"), "`{o}[-1]`"),
        **dict.fromkeys(("unshift", "push_front", "appendleft"), "`{o}.insert(0, {a})`"),
        "at": "`{o}[{a}]`", "find": "`{o}.index({a})`", "AddRange": "`{o}.extend({a})`",
        "concat": "`{o}.extend({a})`",
    },
    "Map": {
        **_SHARED,
        "setdefault": "`if {a} not in {o}: {o}[{a}] = {b}`, and `{o}[{a}]`",
        "update": "a loop: `for k, v in other.items(): {o}[k] = v`",
        **dict.fromkeys(("insert", "set", "Add", "put", "emplace", "add"), "`{o}[{a}] = {b}`"),
        **dict.fromkeys(("erase", "remove", "Remove", "delete"), "`del {o}[{a}]`"),
        "at": "`{o}[{a}]`", "find": "`{a} in {o}`", "count": "`{a} in {o}`",
        "TryGetValue": "`{o}.get({a}, 0)`", "TryAdd": "`{o}.try_set({a}, {b})`",
    },
    "Heap": {
        **_SHARED,
        **dict.fromkeys(
            ("append", "add", "heappush", "insert", "put", "Enqueue"), "`{o}.push({arguments})`"
        ),
        **dict.fromkeys(("heappop", "Dequeue", "pop_min", "remove"), "`{o}.pop()`"),
        **dict.fromkeys(("top", "front", "first", "Peek"), "`{o}.peek()`"),
    },
    "BitSet": {
        **_SHARED,
        **dict.fromkeys(("set", "append", "insert", "push"), "`{o}.add({a})`"),
        **dict.fromkeys(("reset", "erase", "unset", "delete"), "`{o}.discard({a})`"),
        **dict.fromkeys(("test", "get", "at"), "`{a} in {o}`"),
        **dict.fromkeys(("popcount", "bit_count", "count"), "`len({o})`"),
        "union": "`{o} | {a}`", "intersection": "`{o} & {a}`", "difference": "`{o} - {a}`",
        "symmetric_difference": "`{o} ^ {a}`",
    },
    "Grid2": {**_SHARED, **dict.fromkeys(("add", "append", "push"), "`{o}.insert({a})`")},
    "Grid3": {**_SHARED, **dict.fromkeys(("add", "append", "push"), "`{o}.insert({a})`")},
    "Random": {
        **{name: f"`{draw}`" for name, draw in advice.DRAWS.items()},
        "NextFloat": "`{o}.next_float32()`", "NextDouble": "`{o}.next_float64()`",
        "NextInt": "`{o}.next_int32({low}, {high})`", "NextBool": "`{o}.next_bool()`",
        "NextUInt": "`{o}.next_uint32()`",
    },
}  # fmt: skip
"""For each struct of the library what methods of other libraries are called: {o} is the struct, {a}
and {b} are the first two arguments, {arguments} all."""
_INNER = {
    "Map": {"slot_of", "put", "vacate"}, "Heap": {"put"}, "BitSet": {"set_bit", "recount"},
    "Grid2": {"row", "cell_of", "add"}, "Grid3": {"row", "cell_of", "add"}, "Random": {"fill"},
}  # fmt: skip
"""Methods that the library's structs have for themselves."""
_OF_MANY = frozenset(("all", "any", "cumsum", "dot", "max", "mean", "min", "sum", "var"))
"""Functions that say nothing of one number."""


def of_struct(ctx: Context, node: ast.Call, t: StructType, name: str) -> str:
    """The fix of a call of a method that a struct does not have."""
    assert isinstance(node.func, ast.Attribute)
    cls: Any = class_of_type(t)
    made = getattr(cls, "__sb_family__", None)
    family = t.name if made is None else str(made[0].__name__)
    held = t.field_types.get(getattr(cls, "__sb_elements__", None) or "")
    if name == "sort" and isinstance(held, FixedArrayType):
        if isinstance(held.element, StructType):
            return f"define `__lt__` in {held.element}, which says which comes first"
        return (
            f"sort items that have an order: numbers, or structs with `__lt__`, not {held.element}"
        )
    is_library = cls.__module__.startswith("samebits.") and family in _OTHER_METHODS
    inner = _INNER.get(family, set[str]()) if is_library else set[str]()
    methods = [
        m for m in cls.__sb_methods__ if not m.startswith("_") and m != name and m not in inner
    ]
    known = _OTHER_METHODS[family].get(name) if is_library else None
    if known is not None:
        parts = dict(zip("ab", node.args, strict=False)) | advice.bounds(node.args)
        listed = ", ".join(map(ctx.text, node.args))
        if "{b}" in known and len(node.args) < 2:
            parts["b"] = ast.Constant(0)
        return ctx.filled(f"write {known}", node, o=node.func.value, arguments=listed, **parts)
    near = nearest(name, methods)
    ordered = [*([near] if near else []), *(m for m in methods if m != near)]
    if is_library:
        return f"its methods are {', '.join(ordered)}"
    own = f"define it in the struct, or write a kernel that takes a {t}"
    return own if near is None else f"write `{near}`, or {own}"


def of_value(ctx: Context, node: ast.expr, name: str, base: Operand) -> str | None:
    """The fix of a method that is a function here, `x.sqrt()`; None for any other."""
    if not isinstance(node, ast.Call) or not isinstance(base, Scalar | Vector):
        return None
    assert isinstance(node.func, ast.Attribute)
    ours = name if name in SAME_NAMES or name in INTRINSICS else OTHER_NAMES.get(name)
    if ours is None or (ours in _OF_MANY and not node.args):
        return None
    rest = "".join(f", {ctx.text(argument)}" for argument in node.args)
    written = f"{math_in(ctx.kernel.function.__globals__)}.{ours}"
    return f"write `{written}({ctx.text(node.func.value)}{rest})`"
