"""The Python that is not in the language, and what to write instead.

Syntax, operators, built-in functions, and functions of `math` and NumPy.
"""

from __future__ import annotations

import ast
from types import ModuleType

from samebits.lang.intrinsics import INTRINSICS
from samebits.lang.other_names import HOSTS, OTHER_NAMES, SAME_NAMES

_ASSERT = 'write `assert condition, "message"`'
_TEST = 'test before, as in `if i < len(a):`; `assert condition, "message"` ends the call'
REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("exceptions are not in the kernel language", _TEST),
    ast.TryStar: ("exceptions are not in the kernel language", _TEST),
    ast.Raise: ("`raise` is not in the kernel language", _ASSERT),
    ast.With: ("`with` is not in the kernel language", "move it to the Python code that calls"),
    ast.Global: ("a kernel has no global state", "pass the value as a parameter or in a struct"),
    ast.Nonlocal: ("a kernel can't rebind an outer name", "return the new value"),
    ast.Import: ("`import` inside a kernel is not in the language", "import at module level"),
    ast.ImportFrom: ("`import` inside a kernel is not in the language", "import at module level"),
    ast.FunctionDef: ("a function inside a kernel is not in the language",
                      "define a second @sb.kernel outside and call it"),
    ast.AsyncFunctionDef: ("`async` is not in the kernel language", "write a plain `def`"),
    ast.ClassDef: ("a class inside a kernel is not in the language",
                   "define an @sb.struct at module level"),
    ast.AsyncFor: ("`async` is not in the kernel language", "write a plain loop"),
    ast.AsyncWith: ("`async` is not in the kernel language", "drop it"),
    ast.Lambda: ("`lambda` is not in the kernel language", "define an @sb.kernel and call it"),
    ast.ListComp: ("comprehensions are not in the kernel language",
                   "fill `sb.zeros(n, T)` in a `for` loop"),
    ast.SetComp: ("comprehensions are not in the kernel language", "write a `for` loop"),
    ast.DictComp: ("comprehensions are not in the kernel language", "write a `for` loop"),
    ast.GeneratorExp: ("generators are not in the kernel language", "write a `for` loop"),
    ast.Yield: ("generators are not in the kernel language", "write into an array parameter"),
    ast.YieldFrom: ("generators are not in the kernel language", "write into an array parameter"),
    ast.Await: ("`await` is not in the kernel language", "drop it"),
    ast.List: ("lists are not in the kernel language",
               "use `sb.zeros(n, T)`, sb.List[T, N], or a vector such as `float3(x, y, z)`"),
    ast.Dict: ("dicts are not in the kernel language",
               "use an @sb.struct, an array, or sb.Map[K, V, N]"),
    ast.Set: ("sets are not in the kernel language", "use sb.BitSet[N], or an array of bool"),
    ast.JoinedStr: ("strings are not in the kernel language", "format the text in Python"),
    ast.FormattedValue: ("strings are not in the kernel language", "format the text in Python"),
    ast.Starred: ("`*` unpacking is not in the kernel language", "name each value"),
    ast.NamedExpr: ("`:=` is not in the kernel language", "assign on a line of its own"),
    ast.Slice: ("only arrays are sliced", "index, or slice an array"),
}  # fmt: skip

REFUSED_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Is: ("`is` is not in the kernel language", "write `==`; what may be absent has a flag"),
    ast.IsNot: (
        "`is not` is not in the kernel language",
        "write `!=`; what may be absent has a flag",
    ),
}

REFUSED_BUILTINS: dict[str, str] = {
    "pow": "`x**2`, or `math.pow(x, y)` where the exponent is no constant",
    "breakpoint": "`kernel.managed(...)`, where `breakpoint()` stops",
    "map": "a `for` loop",
    "set": "sb.BitSet[N] of small integers, or sb.Map[K, V, N]",
    "frozenset": "sb.BitSet[N] of small integers, or sb.Map[K, V, N]",
    "dict": "sb.Map[K, V, N], or an @sb.struct",
    "list": "sb.List[T, N], or `sb.zeros(n, T)`",
    "sorted": "`items.sort()` of an sb.List[T, N], or sb.Heap[T, N]",
    "isinstance": "one kernel for each type, or a generic one",
}


def samebits_attribute(owner: object, name: str) -> str | None:
    """The name in samebits.math of what Python's `math` or NumPy are asked for, and don't have;
    None where neither has it, or for any other owner."""
    if not isinstance(owner, ModuleType) or owner.__name__ not in HOSTS:
        return None
    is_ours = name in SAME_NAMES or name in INTRINSICS
    return name if is_ours else OTHER_NAMES.get(name)
