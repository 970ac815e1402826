"""A table is a read-only array to all that takes one, with the same bits in every execution."""

from __future__ import annotations

import textwrap
from typing import Any, TypeVar

import numpy as np
import pytest
from tests.errors.test_mistakes import executed
from tests.support.executions import same, trap_of

import samebits as sb
from samebits import float64, int32, math

T = TypeVar("T")
WEIGHTS = sb.table([0.5, 0.25, 0.75], float64)
TRUTHS = sb.table([True, False, True], bool)

HEAD = """\
from typing import Literal, TypeVar
import samebits as sb
from samebits import fix32, float32, float64, half, int8, int32, int64, math, uint64
T = TypeVar("T")
F = sb.table([0.1, -0.25, 0.7], float64)
G = sb.table([0.1, -0.25, 0.7], float32)
I = sb.table([3, -1, 4], int32)
B = sb.table([3, -1, 4], int8)
X = sb.table([0.5, -1.25, 4], fix32)
H = sb.table([0.5, -1.25, 4], half)
YES = sb.table([True, True], bool)
SOME = sb.table([True, False], bool)
F2 = sb.table([[0.1, 0.2, 0.3], [-0.4, 0.5, 0.6]], float64)
SOME2 = sb.table([[True, False], [True, True]], bool)
@sb.struct
class S(sb.Struct):
    x: float64 = 0.0
    ROW = F
@sb.kernel
def last(v: sb.ReadOnly[T]) -> T: return v[len(v) - 1]
@sb.kernel
def corner(v: sb.ReadOnly2D[T]) -> T: return v[1, 0]
@sb.kernel
def second(v: sb.ReadOnly[float64]) -> float64: return v[1]
"""
RESULTS = {
    "float64": [
        *(f"{name}(F)" for name in ("sum", "min", "max", "last", "second")),
        *(f"math.{name}(F)" for name in ("sum", "min", "max", "mean", "norm", "variance")),
        "math.exact_sum(F)", "math.dot(F, F)", "math.dot(F2[0], F)", "sum(F[1:])", "sum(F2[1])",
        "sum(S.ROW)", "S().ROW[1]", "last(S.ROW)", "last(F[:2])", "last(F2[0])", "corner(F2)",
        "math.mean(F2[0, 1:])",
    ],
    "float32": ["sum(G)", "min(G)", "math.dot(G, G)", "last(G)"],
    "int": [
        "sum(I)", "math.argmax(F)", "math.argmin(F)", "math.argmax(I)", "len(F)", "F2.shape[1]",
    ],
    "int32": ["max(I)", "last(I)"],
    "int8": ["last(B)"],
    "fix32": ["last(X)"],
    "half": ["last(H)"],
    "bool": [
        "any(SOME)", "all(SOME)", "all(YES)", "math.any(SOME)", "sb.all(SOME)", "any(SOME2[0])",
        "all(SOME2[1])", "last(SOME)",
    ],
}  # fmt: skip


def kernel_of(result: str, body: str) -> Any:
    lines = textwrap.indent(body, "    ")
    return executed(f"{HEAD}@sb.kernel\ndef k() -> {result}:\n{lines}\n")["k"]


@pytest.mark.parametrize(
    ("result", "expression"), [(t, e) for t, given in RESULTS.items() for e in given]
)
def test_what_takes_an_array_takes_a_table(result: str, expression: str) -> None:
    same(kernel_of(result, f"return {expression}"))


@pytest.mark.parametrize(
    "head",
    [
        *(f"x in {items}" for items in ("F", "reversed(F)", "F[1:]", "F2[1]")),
        "k, x in enumerate(F)", "x, truth in zip(F, SOME)",
    ],
)  # fmt: skip
def test_a_loop_runs_over_a_table(head: str) -> None:
    same(kernel_of("float64", f"t = 0.0\nfor {head}: t = t * 3.0 + x\nreturn t"))


@sb.kernel
def summed(out: sb.Array[float64]) -> float64:
    math.cumsum(WEIGHTS, out)
    return out[2]


@sb.kernel
def beyond(i: int32) -> float64:
    return sum(WEIGHTS[1:]) + WEIGHTS[i]


@pytest.mark.parametrize("flags", [(), (True,), (False, True), (True, True, True, True)])
@pytest.mark.parametrize("name", ["any", "all", "math.any", "math.all"])
def test_any_and_all_take_a_list(name: str, flags: tuple[bool, ...]) -> None:
    added = "".join(f"flags.append({flag})\n" for flag in flags)
    body = f"flags = sb.List[bool, Literal[4]]()\n{added}return {name}(flags)"
    assert same(kernel_of("bool", body)) == (any(flags) if "any" in name else all(flags))


def test_a_table_is_written_into_an_array_in_sums() -> None:
    assert same(summed, np.zeros(3)) == 1.5


def test_an_index_beyond_a_table_traps() -> None:
    assert trap_of(beyond, 3) == ("index", "WEIGHTS[i]")


def test_a_table_is_an_array_in_python() -> None:
    assert np.asarray(WEIGHTS).tolist() == [0.5, 0.25, 0.75]
    assert repr(WEIGHTS) == "ReadOnly[float64, shape=(3,)]"
    assert {WEIGHTS: 1}[WEIGHTS] == 1
    assert WEIGHTS != TRUTHS
    with pytest.raises(sb.ArgumentError, match="any takes a bool vector") as caught:
        sb.any(TRUTHS)
    assert caught.value.fix == "write any(...) of Python, which takes any items"
