"""Bit sets: Python's set as the model, in every execution; what Python itself does with them."""

from __future__ import annotations

import pickle
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.containers import check, need, operations

import samebits as sb
from samebits import float64, int64

Bits = sb.BitSet[130]


@sb.kernel
def run(s: Bits, ops: sb.ReadOnly[int64, 2], out: sb.Array[float64]) -> None:
    other = Bits()
    for i in range(ops.shape[0]):
        a, b = int(ops[i, 1]), int(ops[i, 2])
        r = 0
        match ops[i, 0]:
            case 0 | 1 | 2:
                s.add(a)
                other.add(b)
            case 3:
                r = 1 if s.try_add(a) else 0
            case 4:
                s.discard(a)
            case 5:
                if a in s:
                    s.remove(a)
            case 6:
                s.remove(a)
            case 7:
                if len(s) > 0:
                    r = s.pop()
            case 8:
                r = 1 if a in s else 0
            case 9:
                s.update(other)
            case 10:
                r = len(s & other) * 3 + len(s - other) + len(s ^ other) * 5 + len(s | other)
            case 11:
                for k in s:
                    r = (r * 3 + k) % 1000003
            case 12:
                r = (1 if s.issubset(other) else 0) + (2 if s.isdisjoint(other) else 0)
                r += 4 if s == other else 0
            case 13:
                if b == 0:
                    s.clear()
            case _:
                r = len(s)
        out[i] = float64(r)


class Model(set[int]):
    def __init__(self, given: Any = ()) -> None:
        super().__init__(given)
        self.other: set[int] = set()


def step(s: Model, code: int, a: int, b: int) -> float:
    o = s.other
    match code:
        case 0 | 1 | 2:
            need(0 <= a < 130 and 0 <= b < 130)
            s.add(a)
            o.add(b)
        case 3:
            if 0 <= a < 130:
                s.add(a)
                return 1
        case 4 | 5:
            s.discard(a)
        case 6:
            need(a in s)
            s.remove(a)
        case 7:
            if s:
                s.remove(least := min(s))
                return least
        case 8:
            return a in s
        case 9:
            s.update(o)
        case 10:
            return len(s & o) * 3 + len(s - o) + len(s ^ o) * 5 + len(s | o)
        case 11:
            r = 0
            for k in sorted(s):
                r = (r * 3 + k) % 1000003
            return r
        case 12:
            return s.issubset(o) + 2 * s.isdisjoint(o) + 4 * (set(s) == o)
        case 13:
            if b == 0:
                s.clear()
        case _:
            return len(s)
    return 0


def test_a_bit_set_is_pythons_set_in_every_execution() -> None:
    rng = Random(6)
    whole = 0
    for case in range(120):
        values = (6, 132)[case % 2]
        model = Model(rng.randrange(130) for _ in range(rng.randrange(9)))
        ops = operations(rng, 15, 1 + case % 12, values)
        whole += check(run, Bits(model), model, step, ops, lambda s: sorted(map(int, s)))
    assert 20 < whole < 115


def test_python_uses_a_bit_set_as_a_set() -> None:
    s = Bits([3, 129, 64])
    assert (len(s), list(s), 64 in s, 65 in s) == (3, [3, 64, 129], True, False)
    assert s == {3, 64, 129}
    assert s != {3}
    assert list(s | Bits([1])) == [1, 3, 64, 129]
    assert repr(s) == "BitSet[130]([3, 64, 129])"
    assert list(pickle.loads(pickle.dumps(s))) == [3, 64, 129]
    with pytest.raises(sb.ArgumentError, match="numbers from 0 to 129; got 130"):
        Bits([130])


def test_bits_that_memory_makes_up_reach_no_other_memory() -> None:
    for size in (5, -1, 1 << 62):
        s = Bits([1])
        s.size = size
        s.words[2] = (1 << 64) - 1
        for code in range(15):
            with suppress(sb.Trap):
                sb.assert_same_bits(run, s.copy(), np.array([[code, 1, 1]]), np.zeros(1))
