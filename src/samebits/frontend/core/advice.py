"""Advice for names that NumPy and Python's library have: what to write here, as data."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, cast

import numpy as np

from samebits.errors import nearest
from samebits.lang.other_names import OTHER_NAMES
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.types import BOOL, ArrayType, FixedArrayType, ScalarType, Type, promote

ARRAY_ATTRIBUTES = {
    "sum": "write `math.sum({a})`, whose order is stated, or a loop",
    "mean": "write `math.mean({a})`",
    "min": "write `math.min({a})`",
    "max": "write `math.max({a})`",
    "argmin": "write `math.argmin({a})`",
    "argmax": "write `math.argmax({a})`",
    "dot": "write `math.dot({a}, other)`",
    "var": "write `math.variance({a})`",
    "std": "write `math.sqrt(math.variance({a}))`",
    "cumsum": "write `math.cumsum({a}, out)`",
    "size": "write `len({a})`",
    "ndim": "it is part of the type: sb.Array[T, 2] has two dimensions",
    "T": "write the indices in the other order: `{a}[j, i]`",
    "transpose": "write the indices in the other order: `{a}[j, i]`",
    "copy": "write `own = sb.zeros(len({a}), {t})`, and "
    "`for i in range(len({a})): own[i] = {a}[i]`",
    "astype": "convert each element: `float32({a}[i])`",
    "fill": "write `for i in range(len({a})): {a}[i] = value`",
    "reshape": "reshape it outside, or compute the index",
    "flatten": "pass a view: `{a}.reshape(-1)` outside",
    "ravel": "pass a view: `{a}.reshape(-1)` outside",
    "sort": "sort it outside; in a kernel sb.Heap[T, N] keeps an order",
    "append": "sb.List[T, N] grows up to N items: docs/reference/containers.md",
    "tolist": "do it in the Python code that calls",
    "any": "write a loop that stops: `if {a}[i] != 0: ...`",
    "all": "write a loop that stops: `if {a}[i] == 0: ...`",
}
"""Of arrays; `{a}` is the array as written, {t} the type of its elements."""
_OF_MORE_DIMENSIONS = {
    "copy": "write `own = sb.zeros({a}.shape, {t})`, and in loops `own[{i}] = {a}[{i}]`",
    "fill": "write in loops `{a}[{i}] = value`",
    "size": "write `{size}`",
}
"""Of arrays of more dimensions than one, with indices {i}."""
VECTOR_ATTRIBUTES = {
    "length": "write `math.length({a})`",
    "norm": "write `math.length({a})`",
    "magnitude": "write `math.length({a})`",
    "normalize": "write `math.normalize({a})`",
    "normalized": "write `math.normalize({a})`",
    "dot": "write `math.dot({a}, other)`",
    "cross": "write `math.cross({a}, other)`",
    "sum": "add the components: `{a}.x + {a}.y`",
}
"""Of vectors."""
_DIGIT = 'ord("0") <= {a} <= ord("9")'
_LETTER = 'ord("a") <= {a} | 32 <= ord("z")'
_SMALL, _LARGE = 'ord("a") <= {a} <= ord("z")', 'ord("A") <= {a} <= ord("Z")'
_OF_CHARACTERS = {
    name: f"a character is a number: write `{test}`"
    for name, test in {
        **dict.fromkeys(("isdigit", "isdecimal", "isnumeric"), _DIGIT),
        "isalpha": _LETTER,
        "isalnum": f"{_DIGIT} or {_LETTER}",
        "islower": _SMALL,
        "isupper": _LARGE,
        "isspace": "{a} == 32 or 9 <= {a} <= 13",
        "upper": f"{{a}} - 32 if {_SMALL} else {{a}}",
        "lower": f"{{a}} + 32 if {_LARGE} else {{a}}",
    }.items()
}
"""Of a text's characters, which are code points in a kernel."""
NUMBER_ATTRIBUTES = {
    "astype": "write `float32({a})`, or another type's name",
    "item": "write `{a}`, which is a number",
    "real": "write `{a}`, which is real",
    "bit_length": "write `64 - sb.clz(sb.uint64(abs({a})))`",
    "bit_count": "write `sb.popcount(sb.uint64(abs({a})))`",
    **_OF_CHARACTERS,
    "is_integer": "write `math.isfinite({a}) and math.floor({a}) == {a}`",
}
_MADE_ARRAYS = {
    "zeros": "write sb.zeros({n}, {t})",
    "empty": "write sb.zeros({n}, {t})",
    "ones": "write sb.zeros({n}, {t}), and fill it in a loop",
    "full": "write sb.zeros({n}, {t}), and fill it in a loop",
    "array": "write sb.table({a}, {t}) at module level",
    "asarray": "write sb.table({a}, {t}) at module level",
    "arange": "loop over range({a})",
    "linspace": "loop over range(n), and compute each: start + float64(i) * step",
    "zeros_like": "write sb.zeros({n}.shape, {t})",
    "ones_like": "write sb.zeros({n}.shape, {t}), and fill it in a loop",
    "empty_like": "write sb.zeros({n}.shape, {t})",
    "full_like": "write sb.zeros({n}.shape, {t}), and fill it in a loop",
    "eye": "take a matrix such as float4x4, or fill an array in loops",
}
"""Of functions that make arrays: `{n}` a size, `{t}` a type, `{a}` what is given."""
DRAWS = {
    **dict.fromkeys(("random", "rand", "random_sample", "next_float64"), "{o}.next_float64()"),
    "next_float32": "{o}.next_float32()",
    "uniform": "{low} + ({high} - {low}) * {o}.next_float64()",
    "randint": "{o}.next_int32({low}, {end})",
    **dict.fromkeys(("randrange", "integers"), "{o}.next_int32({low}, {high})"),
    **dict.fromkeys(("gauss", "normalvariate", "normal"), "{low} + {high} * {o}.next_normal64()"),
    **dict.fromkeys(("standard_normal", "randn"), "{o}.next_normal64()"),
    "choice": "{high}[{o}.next_below(uint32(len({high})))]",
    "getrandbits": "{o}.next_uint64()",
}
"""What draws here as other libraries' generators do: `{o}` is the generator, `{low}` and `{high}`
are the bounds, and `{end}` is the number after the upper one."""


def _drawn(name: str) -> tuple[str, str]:
    """Note and fix of what draws a random number from the process's own generator."""
    return (
        "what it draws depends on what drew before, anywhere in the process",
        "write `dice = random.seeded(seed, 0)` with samebits' random, kept in a struct where it "
        f"goes on, and `{DRAWS.get(name, DRAWS['random']).replace('{o}', 'dice')}`",
    )


def bounds(given: Sequence[ast.expr]) -> dict[str, ast.expr]:
    """The expressions for `{low}`, `{high}` and `{end}` of what draws a random number."""
    low, high = (
        given[:2]
        if len(given) > 1
        else (ast.Constant(0), given[0])
        if given
        else (ast.Name("low"), ast.Name("high"))
    )
    match high:
        case ast.Constant(value=int(last)):
            end: ast.expr = ast.Constant(last + 1)
        case ast.BinOp(left=end, op=ast.Sub(), right=ast.Constant(value=1)):
            pass
        case _:
            end = ast.BinOp(high, ast.Add(), ast.Constant(1))
    return {"low": low, "high": high, "end": end}


_BUILTIN = "a kernel computes numbers; do it in the Python code that calls"
_OUTSIDE = "do it in the Python code that calls, or write an @sb.kernel that computes it"
_OWN_TYPES = {"Array", "ReadOnly", "WriteOnly", "FixedArray"}
OURS = {
    "empty": "write sb.zeros(n, T)",
    "ones": "write sb.zeros(n, T), and fill it in a loop",
    "full": "write sb.zeros(n, T), and fill it in a loop",
    "array": "write sb.zeros(n, T), or sb.table(values, T) at module level",
    **{name: _drawn(name)[1] for name in DRAWS},
    "sqr": "write `x**2`",
}
"""Of names that samebits' modules do not have."""


def for_array_attribute(name: str, t: Type, ndim: int, axis: str | None) -> str:
    """The fix of an attribute that arrays do not have, with places `{a}` for the array: of elements
    `t` in so many dimensions, called with `axis`, if that is given."""
    if axis is not None and ndim > 1 and name in ARRAY_ATTRIBUTES:
        return of_axis(f"math.{name}", "{a}", axis)
    fix = ARRAY_ATTRIBUTES.get(name, "an array has `len({a})` and `{a}.shape[0]`")
    if name in ("any", "all") and t is BOOL and ndim == 1:
        fix = f"write `{name}({{a}})`"
    if ndim > 1:
        fix = _OF_MORE_DIMENSIONS.get(name, fix)
    size = " * ".join(f"{{a}}.shape[{k}]" for k in range(ndim))
    return (
        fix.replace("{t}", str(t)).replace("{i}", ", ".join("ijkl"[:ndim])).replace("{size}", size)
    )


def of_axis(called: str, array: str, axis: str) -> str:
    """The fix of a function of an array along an axis: rows lie in one piece, columns do not."""
    if axis in ("1", "-1"):
        return f"loop over the rows: `out[i] = {called}({array}[i])`"
    if called.rpartition(".")[2] == "sum":
        return f"add up the columns in loops: `out[j] += {array}[i, j]`"
    return f"loop over the rows inside of a loop over the columns, with `{array}[i, j]`"


def for_call(
    called: object,
    written: str,
    arguments: list[str],
    keywords: Mapping[str | None, str],
    types: Sequence[Type | None] = (),
) -> tuple[str | None, str]:
    """Note and fix of a call of what is no kernel: what is called, the call as written, and the
    types of its arguments, as far as they are known."""
    name = str(getattr(called, "__name__", ""))
    text = ", ".join(arguments)
    if isinstance(called, type) and issubclass(called, np.generic):
        note = "NumPy's scalars are Python objects; samebits has types of the same names"
        return note, f"write {name}({text or 0}), with {name} from samebits"
    parameters = str(getattr(cast("Any", called), "parameters", ""))
    if parameters and isinstance(called, type) and called.__module__.startswith("samebits."):
        return (
            "a container says what it holds, and the most items",
            f"write {written}[{parameters}]()",
        )
    if name in _OWN_TYPES:
        size = arguments[0] if arguments else "16"
        return f"{written} is the type of a parameter", f"write sb.zeros({size}, float64)"
    what = cast("Any", called)
    of: object = getattr(what, "__self__", None)
    module = str(getattr(what, "__module__", None) or type(of).__module__)
    match module.split(".")[0]:
        case "numpy" if "random" in module or "random" in written:
            return _drawn("integers" if name == "randint" else name)
        case "random":
            return _drawn(name)
        case "numpy" if name in _MADE_ARRAYS:
            size = arguments[0] if arguments else "16"
            t = own_type(keywords.get("dtype", ""))
            first = types[0] if types else None
            if isinstance(first, ArrayType | FixedArrayType) and "dtype" not in keywords:
                t = str(first.element)
            if name == "arange" and any(isinstance(t, ScalarType) and t.is_float for t in types):
                return None, _of_float_range(arguments)
            return None, _MADE_ARRAYS[name].format(n=size, t=t, a=text)
        case "numpy" if name == "norm":
            return None, f"write math.sqrt(math.dot({text}, {text})), or math.length of a vector"
        case "time" | "datetime":
            note = "the time is another one in each run"
            return note, "measure it outside, and pass it as a parameter"
        case "builtins":
            return None, _BUILTIN
        case root if root == "numpy" or root in sys.stdlib_module_names or not callable(what):
            return _NOT_HERE, _OUTSIDE
        case "samebits" if name == "table":
            return _NOT_HERE, _of_table(f"{written}({text})", arguments)
        case "samebits":
            return _NOT_HERE, "do it in the Python code that calls"
        case _ if isinstance(called, type):
            return _NOT_HERE, f"write `@sb.struct` above `class {name}`, and annotate its fields"
        case _:
            return _NOT_HERE, "decorate it with @sb.kernel"


def _of_table(call: str, arguments: Sequence[str]) -> str:
    """What to write for a table that a kernel makes."""
    try:
        ast.literal_eval(arguments[0] if arguments else "0")
    except ValueError:
        return "fill `sb.zeros(n, T)` in a loop; a table is made at module level"
    return f"write {call} at module level, and give it a name"


def _of_float_range(arguments: list[str]) -> str:
    """What to write for `np.arange` of floats."""
    start = arguments[0] if len(arguments) > 1 else "0"
    by = arguments[2] if len(arguments) > 2 else "1"
    return (
        f"count in integers, and compute each: `for i in range(n): x = {start} + i * {by}`, "
        "where n is how many there are"
    )


def toward_common(sides: Iterable[tuple[str, ScalarType]]) -> str | None:
    """The conversions that give two sides of different types their common one, of one side or of
    both; None where they have none, or one that has not all of two integers."""
    (text, a), (other, b) = sides
    common = promote(a, b)
    if common is None or (a.is_int and b.is_int and common.is_float):
        return None
    named = [f"`{common}({it})`" for it, t in ((text, a), (other, b)) if t != common]
    return " and ".join(named)


def own_type(written: str) -> str:
    """The type here that a NumPy type is written as; float64 where it is none."""
    name = written.rpartition(".")[2].strip("\"'")
    name = {"int": "int64", "float": "float64"}.get(name, name)
    return name if any(name == str(t) for t in SCALAR_CLASSES) else "float64"


_OTHER_BITS = "the C library's functions, and NumPy's, have other bits on other machines"
_NOT_HERE = "a kernel calls only what is compiled with it"
_EXACT = frozenset((
    "abs", "argmax", "argmin", "ceil", "clamp", "copysign", "floor", "isfinite", "isinf", "isnan",
    "max", "min", "remainder", "round", "select", "sign", "signbit", "sqrt", "trunc",
))  # fmt: skip
"""Functions that have the same bits wherever they are computed."""


def note_of_function(ours: str) -> str:
    """Why a kernel calls no such function of NumPy or Python's `math`."""
    return _NOT_HERE if ours in _EXACT else _OTHER_BITS


def for_function(
    ours: str,
    called: object,
    arguments: list[str],
    keywords: Mapping[str | None, str],
    math: str = "samebits.math",
) -> str:
    """The fix of a function of NumPy or Python's `math` that samebits' math has as `ours`, with
    places `{a}` and `{b}` for the first arguments; `math` is how the file writes samebits' math."""
    text = ", ".join(arguments)
    if ours == "remainder" and isinstance(called, np.ufunc) and len(arguments) == 2:
        return "write `{a} % {b}`"  # math.remainder is IEEE 754's
    more = for_more_arguments(ours, f"{math}.{ours}", arguments)
    if more is not None:
        return more
    if "axis" in keywords and arguments:
        return of_axis(f"{math}.{ours}", arguments[0], keywords["axis"])
    return f"write {math}.{ours}({text})"


_FOLDS = ("gcd", "hypot", "lcm", "max", "min")
"""Functions of two numbers that give those of more by a call around another."""
_LOGS = {"2": "log2", "2.0": "log2", "10": "log10", "10.0": "log10"}


def for_more_arguments(name: str, called: str, given: Sequence[str]) -> str | None:
    """The fix of a call, written as `called`, of a function with more arguments than it has here,
    with places `{a}` and `{b}` for the first two; None where they have no meaning elsewhere."""
    if name in _FOLDS and len(given) > 2:
        return f"write `{reduce(lambda a, b: f'{called}({a}, {b})', given)}`"
    if len(given) != 2:
        return None
    module = called[: -len(name)]
    match name:
        case "log" if given[1] in _LOGS:
            return f"write `{module}{_LOGS[given[1]]}({{a}})`"
        case "log":
            return f"write `{called}({{a}}) / {called}({{b}})`"
        case "atan":
            return f"write `{module}atan2({{a}}, {{b}})`"
        case "round" if given[1].isdigit() and 0 < int(given[1]) < _MOST_DIGITS:
            scale = f"{10 ** int(given[1])}.0"
            return f"write `{called}({{a}} * {scale}) / {scale}`"
        case _:
            return None


_MOST_DIGITS = 10


def for_name(module: str, name: str, known: Iterable[str]) -> str:
    """The fix of a name that a module of samebits does not have."""
    close = OTHER_NAMES.get(name)
    if close is None and name in OURS:
        return OURS[name]
    close = close or nearest(name, [other for other in known if not other.startswith("_")])
    if close is None:
        return "see docs/reference/language.md for the functions there are"
    return f"write {module.removeprefix('samebits.')}.{close}"


def for_call_of_arrays(called: str, given: Sequence[str], dimensions: Sequence[int]) -> str:
    """The fix of a function of numbers that is given arrays: of each argument its dimensions, 0 of
    a number."""
    most = max(dimensions)
    index = f"[{', '.join('ijkl'[:most])}]"
    items = [text + index * (rank > 0) for text, rank in zip(given, dimensions, strict=True)]
    made = f"out{index} = {called}({', '.join(items)})"
    if most > 1:
        return f"loop over the indices: `{made}`"
    array = given[dimensions.index(1)]
    return f"loop over its elements: `for i in range(len({array})): {made}`"


def for_elements(
    sign: str, left: str, right: str, array: str, dimensions: int, *, own: bool = False
) -> str:
    """The fix of an operation on whole arrays, or in place of `own`: `left` and `right` are places
    to fill, with `[i]` where they are arrays, `array` is the name of an array's."""
    if dimensions > 1:
        return f"loop over the indices: `out[i, j] = {left} {sign} {right}`"
    head = f"for i in range(len({{{array}}}))"
    made = f"{left} {sign}= {right}" if own else f"out[i] = {left} {sign} {right}"
    return f"loop over its elements: `{head}: {made}`"
