"""Advice for names that NumPy and Python's library have: what to write here, as data."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

ARRAY_ATTRIBUTES = {
    "sum": "write `math.sum({a})`, whose order is stated, or a loop",
    "mean": "write `math.mean({a})`",
    "min": "write `math.min({a})`",
    "max": "write `math.max({a})`",
    "argmin": "write `math.argmin({a})`",
    "argmax": "write `math.argmax({a})`",
    "dot": "write `math.dot({a}, b)`",
    "var": "write `math.variance({a})`",
    "std": "write `math.sqrt(math.variance({a}))`",
    "cumsum": "write `math.cumsum({a}, out)`",
    "size": "write `len({a})`, or the product of `{a}.shape[0]` and `{a}.shape[1]`",
    "ndim": "it is part of the type: sb.Array[T, 2] has two dimensions",
    "T": "write the indices in the other order: `{a}[j, i]`",
    "transpose": "write the indices in the other order: `{a}[j, i]`",
    "copy": "copy it outside, or its elements in a loop",
    "astype": "convert each element: `float32({a}[i])`",
    "fill": "write `for i in range(len({a})): {a}[i] = value`",
    "reshape": "reshape it outside, or compute the index",
    "flatten": "pass a view: `{a}.reshape(-1)` outside",
    "ravel": "pass a view: `{a}.reshape(-1)` outside",
    "sort": "sort it outside; in a kernel sb.Heap[T, N] keeps an order",
    "append": "sb.List[T, N] grows up to N items: docs/reference/containers.md",
    "tolist": "do it in the Python code that calls",
    "any": "write a loop that stops: `if {a}[i]: ...`",
    "all": "write a loop that stops: `if not {a}[i]: ...`",
}
"""Of arrays; `{a}` is the array as written."""
VECTOR_ATTRIBUTES = {
    "length": "write `math.length({a})`",
    "norm": "write `math.length({a})`",
    "magnitude": "write `math.length({a})`",
    "normalize": "write `math.normalize({a})`",
    "normalized": "write `math.normalize({a})`",
    "dot": "write `math.dot({a}, b)`",
    "cross": "write `math.cross({a}, b)`",
    "sum": "add the components: `{a}.x + {a}.y`",
}
NUMBER_ATTRIBUTES = {
    "astype": "write `float32({a})`, or another type's name",
    "item": "write `{a}`, which is a number",
    "real": "write `{a}`, which is real",
    "bit_length": "write `64 - sb.clz(sb.uint64({a}))`",
    "bit_count": "write `sb.popcount({a})`",
    "is_integer": "write `math.floor({a}) == {a}`",
}
_MADE_ARRAYS = {
    "array", "asarray", "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like",
    "arange", "linspace", "eye",
}  # fmt: skip
_BUILTIN = "a kernel computes numbers; do it in the Python code that calls"


def for_call(called: Any, text: str) -> tuple[str | None, str] | None:
    """Note and fix of a call of what is no kernel, `text` its argument; None where nothing is known
    of it."""
    name = str(getattr(called, "__name__", ""))
    if isinstance(called, type) and issubclass(called, np.generic):
        note = "NumPy's scalars are Python objects; samebits has types of the same names"
        return note, f"write {name}({text}), with {name} from samebits"
    of: object = getattr(cast("Any", called), "__self__", None)
    module = str(getattr(cast("Any", called), "__module__", None) or type(of).__module__)
    match module.split(".")[0]:
        case "numpy" if "random" in module:
            return _RANDOM
        case "random":
            return _RANDOM
        case "numpy" if name in _MADE_ARRAYS:
            return (
                "a local array has a constant size",
                "write sb.zeros(16, float64), or make the array outside and pass it",
            )
        case "time" | "datetime":
            note = "the time is another one in each run"
            return note, "measure it outside, and pass it as a parameter"
        case "builtins":
            return None, _BUILTIN
        case _:
            return None


_RANDOM = (
    "what it draws depends on what drew before, anywhere in the process",
    "keep a random.Random of samebits in a struct: random.seeded(seed, 0), then "
    "dice.next_float64()",
)


def for_membership(text: str, items: list[str] | None, negated: bool) -> str:
    """The fix of `x in (a, b)`: comparisons, of a tuple that is written out."""
    if not items:
        return "loop and compare"
    sign, word = ("!=", "and") if negated else ("==", "or")
    return f"write `{f' {word} '.join(f'{text} {sign} {item}' for item in items)}`"
