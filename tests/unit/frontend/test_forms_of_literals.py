"""Every form of expression with ints beyond int64, bools, tuples and names of them: what compiles
has the managed run's bits, and what is refused does not compute in a managed run."""

from __future__ import annotations

import contextlib
import io
import linecache
import textwrap
import types
import typing
import warnings
from enum import IntEnum

import numpy as np
import pytest

import samebits as sb
from samebits import float3, float64, int32, int64, math, uint8, uint64


class Level(IntEnum):
    HUGE = 2**70


@sb.kernel
def of_float(x: float64) -> float64:
    return x + 1


@sb.kernel
def of_int(x: int) -> int:
    return x + 1


@sb.kernel
def two(x: int) -> tuple[int, float64]:
    return x, float64(x)


SCOPE = {
    **{t.__name__: t for t in (float64, float3, int64, int32, uint8, uint64)},
    "sb": sb,
    "math": math,
    "Level": Level,
    "of_float": of_float,
    "of_int": of_int,
    "two": two,
    "HUGE": 2**70,
    "BIG": (2**70, 1),
    "ROWS": ((1, 2), (3, 4), (5, 6)),
    "FLAGS": (True, False, True),
    "NUMBERS": (10, 20, 30),
    "MIXED": (1, 2.5),
    "STRONG": (int32(1), int32(2)),
    "VECTORS": (float3(1, 2, 3), float3(4, 5, 6)),
}

LITERALS = """
HUGE
-2**70
Level.HUGE
BIG[0]
2**63
300
True
flag
FLAGS[1]
FLAGS[n]
NUMBERS[n]
NUMBERS[n - 2]
ROWS[1]
ROWS[n]
ROWS[1][n]
ROWS[1:]
(n, m)
STRONG[n]
VECTORS[n]
MIXED[n]
two(3)
"""

FORMS = """
float64: return float64(abs({e}))
float64: return float64(sb.abs({e}))
float64: return float64(min({e}, 3))
float64: return float64(max({e}, x))
float64: return float64(sb.sign({e}))
bool: return n < {e}
bool: return {e} > u
bool: return b == {e}
bool: return x <= {e}
bool: return n in (1, {e})
bool: return {e} in (1, 2)
bool: return n in {e}
bool: return {e} == {e}
bool: return bool({e})
bool: return not {e}
bool: return flag and {e}
bool: return 0 < m < {e}
float64: return float64(len({e}))
float64: v = {e} if flag else 1; return float64(v)
float64: v = {e} if flag else x; return float64(v)
float64: v = {e}; return x
float64: v = {e}; v = v + x; return v
float64: v = {e}; v += 0.5; return float64(v)
float64: v, w = {e}, 1; return float64(w)
float64: v, w = {e}; return float64(v)
float64: p = {e}; v, w = p; return float64(w)
float64: p = {e}; return float64(p[1] + p[-1])
float64: p = {e}; q = p; return float64(q[0])
float64: t = 0.0; p = {e};for q in p: t += float64(q);return t
float64: t = 0.0;for v in {e}: t += float64(v);return t
float64: t = 0.0;for v, w in {e}: t += float64(v) * 10 + float64(w);return t
float64: t = 0.0;for v in {e}: t += float64(v[0]) * 10 + float64(v[1]);return t
float64: t = 0.0;for v, w in zip(FLAGS, {e}): t += float64(w[0]) if v else 0.5;return t
float64: t = 0.0;for k, w in enumerate({e}): t += float64(w) * k;return t
float64: t = 0.0;for v in reversed({e}): t = t * 2 + float64(v);return t
float64: t = 0.0;for v in ({e}, 1): t += float64(v);return t
float64: t = 0.0;for v in ({e}, x): t += float64(v);return t
float64: return float64(({e}, 1)[0])
float64: return float64(({e}, 1)[1])
float64: return x + {e}
float64: return float64(m + {e})
float64: return float64(n - {e})
float64: return float64(b * {e})
float64: return float64({e} // m)
float64: return float64({e} % 7)
float64: return float64(m << {e})
float64: return float64(-{e})
float64: return float64(~{e})
float64: return float64({e} ** 2)
float64: v = m; v += {e}; return float64(v)
float64: return of_float({e})
float64: return float64(of_int({e}))
float64: return math.sqrt({e})
float64: return float64(int({e}))
float64: return float64(round({e}))
float64: return float64(divmod({e}, 3)[0])
float64: return float64(sb.select(flag, {e}, 1))
int: return {e}
tuple[int, int]: return {e}
tuple[int, float64]: return {e}
float64: return a[{e}]
float64: t = 0.0;for i in range({e}): t += 1.0; t *= 0.5;return t
float64: t = 0.0;for i, v in enumerate(a, {e}): t += float64(i);return t
float64: z = sb.zeros({e}, float64); return float64(len(z))
float64: z = sb.zeros(2, int64); z[0] = {e}; return float64(z[0])
float64: v = float3({e}); return float64(v.x)
float64: print({e}); return x
"""


def table(text: str) -> list[str]:
    return text.strip().splitlines()


def kernel_of(form: str, expression: str) -> sb.Kernel:
    """The kernel of a form, whose statements stand between semicolons."""
    result, _, body = form.partition(": ")
    name = f"{expression} in {body}"
    lines = body.format(e=expression).replace("; ", "\n").replace(";", "\n").split("\n")
    merged: list[str] = []
    for line in lines:  # what a loop's only line goes on with
        ends = merged and merged[-1].startswith("for ") and not line.startswith("return")
        merged.append(line) if not ends else merged.__setitem__(-1, f"{merged[-1]}; {line}")
    parameters = (
        "x: float64, u: uint64, n: int64, m: int, b: uint8, flag: bool, a: sb.ReadOnly[float64]"
    )
    code = f"@sb.kernel\ndef of({parameters}) -> {result}:\n"
    code += textwrap.indent("\n".join(merged), "    ") + "\n"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    module = types.ModuleType("forms_of_literals")
    vars(module).update(SCOPE)
    exec(compile(code, name, "exec"), vars(module))
    return vars(module)["of"]


def outcome(call: typing.Callable[[], object]) -> str:
    """The result or the trap; that it is refused, also by CPython itself."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f"value {call()!r}"
    except sb.Trap as trap:
        return f"trap {trap.message}"
    except (sb.CompileError, sb.ArgumentError, TypeError, IndexError, ValueError):
        return "refused"


@pytest.mark.parametrize("form", table(FORMS))
def test_executions_agree(form: str) -> None:
    given = (3.0, 1, 1, 2, 5, True, np.array([1.0, 2.0, 3.0]))
    for expression in table(LITERALS):
        kernel = kernel_of(form, expression)
        compiled = outcome(lambda kernel=kernel: kernel(*given))
        managed = outcome(lambda kernel=kernel: kernel.managed(*given))
        if compiled == "refused":
            assert not managed.startswith("value"), f"{expression} in {form}"
        else:
            evaluated = outcome(lambda kernel=kernel: sb.evaluate(kernel, *given))
            assert managed == compiled == evaluated, f"{expression} in {form}"
