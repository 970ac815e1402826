"""Integer operations with one outcome are warned of; as advised they are right, and not told of."""

from __future__ import annotations

import linecache
import warnings
from itertools import count
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytest

import samebits as sb

HEAD = """\
import samebits as sb
from samebits import int8, int32, int64, uint8, uint32, uint64
LEVELS = sb.table([1, 200, 3], uint8)
@sb.kernel
"""
NUMBERS = count()
T = TypeVar("T")
BYTES = np.array([200, 100, 7], np.uint8)


class Doubtful(NamedTuple):
    """A kernel's parameters and body, what is told of it, and the body as advised."""

    parameters: str
    body: str
    says: str
    fix: str
    advised: str
    result: int


A = "a: sb.ReadOnly[uint8]"
ROWS = (
    Doubtful(A, "n = 8; return a[0] | a[1] << n", "`<<` by 8 or more moves all bits out",
             "`uint32(...)`", "n = 8; return a[0] | uint32(a[1]) << n", 25800),
    Doubtful(A, "return a[0] | a[1] << uint8(8)", "`<<` by 8 or more moves all bits out",
             "`uint32(...)`", "return a[0] | uint32(a[1]) << uint8(8)", 25800),
    Doubtful(A, "n = 9; return int8(a[2]) >> n", "the result is 0, or -1 below 0",
             "shift by 7 at most", "n = 7; return int8(a[2]) >> n", 0),
    Doubtful(A, "n = 33; return uint64(uint32(a[2]) << n)", "`<<` by 33 or more",
             "`uint64(...)`", "n = 33; return uint64(a[2]) << n", 7 << 33),
    Doubtful(A, "n = 64; return uint64(a[2]) << n", "`<<` by 64 or more",
             "shift by 63 at most", "n = 63; return uint64(a[2]) << n", 1 << 63),
    Doubtful(A, "return 1 if a[2] & 0x0F == 0x10 else 0", "comparison with 16 never holds",
             "a number of 0 to 15", "return 1 if a[2] & 0x0F == 0x07 else 0", 1),
    Doubtful(A, "return 1 if (a[2] & 3) != 4 else 0", "comparison with 4 always holds",
             "a number of 0 to 3", "return 1 if (a[2] & 3) != 3 else 0", 0),
    Doubtful(A, "return 1 if a[2] % 4 == 4 else 0", "comparison with 4 never holds",
             "a number of 0 to 3", "return 1 if a[2] % 4 == 3 else 0", 1),
    Doubtful(A, "return 1 if 0 > a[2] - 9 else 0", "comparison with 0 never holds",
             "compute the right side in a wider type, from `int32(...)` on",
             "return 1 if 0 > int32(a[2]) - 9 else 0", 1),
    Doubtful("x: uint32", "return 1 if x - 9 < 0 else 0", "comparison with 0 never holds",
             "from `int64(...)` on", "return 1 if int64(x) - 9 < 0 else 0", 1),
    Doubtful(A, "return 1 if a[0] > 255 else 0", "comparison with 255 never holds",
             "leave it out", "return 0", 0),
    Doubtful("x: uint32", "while x >= 0:\n  if x == 0: break\n  x -= 1\nreturn x",
             "comparison with 0 always holds", "from `int64(...)` on",
             "y = int64(x)\nwhile y >= 0:\n  y -= 1\nreturn y + 1", 0),
)  # fmt: skip


def told(parameters: str, body: str) -> tuple[Any, list[str]]:
    """What a kernel returns, and the warnings of it."""
    lines = "".join(f"    {line}\n" for line in body.replace("; ", "\n").splitlines())
    text = f"{HEAD}def k({parameters}) -> int:\n{lines}"
    if "uint64" in body:
        text = text.replace("-> int:", "-> uint64:")
    name = f"{__file__}{next(NUMBERS)}"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, name, "exec", dont_inherit=True), namespace)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        sb.assert_same_bits(namespace["k"], *_given(parameters))
        result = namespace["k"](*_given(parameters))
    assert all(warning.category is sb.SamebitsWarning for warning in found)
    return result, [*dict.fromkeys(str(warning.message) for warning in found)]


def _given(parameters: str) -> list[Any]:
    return [BYTES if parameters == A else 3]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.body[:40])
def test_an_operation_with_one_outcome_is_warned_of(row: Doubtful) -> None:
    (text,) = told(row.parameters, row.body)[1]
    assert row.says in text
    assert row.fix in text.rpartition("fix: ")[2]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.advised[:40])
def test_as_advised_it_is_right_and_not_told_of(row: Doubtful) -> None:
    assert told(row.parameters, row.advised) == (row.result, [])


@pytest.mark.parametrize(
    "body",
    [
        "return 1 if 0 <= a[0] < 10 else 0",
        "assert a[0] <= 255; return 0",
        "limit = 300; return 1 if limit > 200 else 0",
        "return 1 if LEVELS[1] >= 200 else 0",
        "return 1 if int(a[0]) > -1 else 0",
        "n = 3; return a[0] >> n",
        "return 1 if a[0] == 255 or a[1] != 0 or (a[2] & 7) >= 7 else 0",
    ],
)
def test_what_may_come_out_either_way_is_not_told_of(body: str) -> None:
    assert told(A, body)[1] == []


def test_a_generic_kernel_is_not_told_of() -> None:
    @sb.kernel
    def negative(x: sb.ReadOnly[T]) -> bool:
        return x[0] < 0  # pyright: ignore

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not negative(BYTES)
        assert negative(-BYTES.astype(np.int32))
