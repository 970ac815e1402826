"""Maps: Python's dict as the model, in every execution; what Python itself does with them."""

from __future__ import annotations

import copy
import pickle
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from tests.support.containers import check, need, operations

import samebits as sb
from samebits import double2, float32, float64, int2, int8, int64, uint64

Table = sb.Map[int64, int64, 6]


@sb.kernel
def run(m: Table, ops: sb.ReadOnly[int64, 2], out: sb.Array[float64]) -> None:
    for i in range(ops.shape[0]):
        a, b = ops[i, 1], ops[i, 2]
        r = int64(0)
        match ops[i, 0]:
            case 0 | 1 | 2:
                m[a] = b
            case 3:
                r = int64(1) if m.try_set(a, b) else int64(0)
            case 4 | 5:
                if a in m:
                    del m[a]
                    r = 1
            case 6:
                r = m[a]
            case 7:
                r = m.pop(a)
            case 8:
                del m[a]
            case 9:
                m[a] += b
            case 10 | 11:
                r = m.get(a, b)
            case 12:
                for k, v in m.items():
                    r = r * 3 + k * 5 + v
            case 13:
                for k, v in zip(m, m.values()):  # noqa: B905
                    r = r * 3 + k * 5 - v
            case 14:
                for k in reversed(m):
                    r = r * 3 + k
            case 15:
                if b == 0:
                    m.clear()
            case _:
                r = int64(len(m))
        out[i] = float64(r)


def step(m: dict[int, int], code: int, a: int, b: int) -> float:
    match code:
        case 0 | 1 | 2 | 3:
            fits = a in m or len(m) < 6
            need(fits or code == 3)
            if fits:
                m[a] = b
            return fits and code == 3
        case 4 | 5:
            return m.pop(a, None) is not None
        case 6 | 7 | 8 | 9:
            need(a in m)
            if code == 9:
                m[a] += b
                return 0
            value = m[a] if code == 6 else m.pop(a)
            return 0 if code == 8 else value
        case 10 | 11:
            return m.get(a, b)
        case 12 | 13:
            r = 0
            for k, v in m.items():
                r = r * 3 + k * 5 + (v if code == 12 else -v)
            return r
        case 14:
            r = 0
            for k in reversed(m):
                r = r * 3 + k
            return r
        case 15:
            if b == 0:
                m.clear()
        case _:
            return len(m)
    return 0


def pairs(m: Any) -> list[tuple[int, int]]:
    return [(int(k), int(v)) for k, v in m.items()]


def test_a_map_is_pythons_dict_in_every_execution() -> None:
    rng = Random(2)
    whole = 0
    for case in range(120):
        model = {rng.randrange(9): rng.randrange(5) for _ in range(rng.randrange(7))}
        ops = operations(rng, 17, 1 + case % 14, 9)
        whole += check(run, Table(model), model, step, ops, pairs)
    assert 20 < whole < 110


def test_a_large_map_has_no_history() -> None:
    rng = Random(3)
    kind: Any = sb.Map[uint64, float32, 300]
    m, model = kind(), {}
    keys = [rng.randrange(1 << 64) for _ in range(300)]
    for _ in range(2000):
        key = rng.choice(keys)
        if key in model:
            del m[key], model[key]
        else:
            m[key] = model[key] = float(rng.randrange(100))
    assert [*map(int, m)] == [*model]
    assert kind(model).memory.tobytes() == m.memory.tobytes()
    assert m == model


def test_python_uses_a_map_as_a_mapping() -> None:
    m = sb.Map[int64, float64, 4]({3: 1, -1: 2.5})
    assert (len(m), list(m), m[3], dict(m)) == (2, [3, -1], 1, {3: 1, -1: 2.5})
    assert m == {-1: 2.5, 3: 1}
    assert m != {3: 1}
    assert m == sb.Map[int64, float64, 4]([(-1, 2.5), (3, 1)])
    assert repr(m) == "Map[int64, float64, 4]({3: 1.0, -1: 2.5})"
    m[3] = 7
    del m[-1]
    with pytest.raises(KeyError, match="5 of Map"):
        m[5]
    assert dict(copy.deepcopy(m)) == dict(pickle.loads(pickle.dumps(m))) == {3: 7}


@sb.struct
class Tile:
    height: float32
    at: double2


@sb.kernel
def tiles(m: sb.Map[int2, Tile, 16], small: sb.Map[int8, bool, 3]) -> float64:
    for y in range(3):
        for x in range(4):
            m[int2(x, y)] = Tile(height=float32(x - y))
    m[int2(1, 1)].height = 9
    m[int2(1, 1)].at.y += 2
    del m[int2(0, 0)]
    total = 0.0
    for key, tile in m.items():
        tile.height += 1
        total = total * 1.25 + float64(tile.height) + float64(key.x) * tile.at.y
    small[int8(-5)] = True
    if int8(-5) in small and small[int8(-5)]:
        total += 1000
    return total


def test_keys_are_vectors_and_values_are_structs() -> None:
    given = (sb.Map[int2, Tile, 16](), sb.Map[int8, bool, 3]())
    sb.assert_same_bits(tiles, *given)
    assert tiles(*given) > 1000
    assert given[0][int2(1, 1)].height == 10


@sb.kernel
def lookup(m: Table, key: int64) -> int64:
    m[key] = 3
    for _ in m:
        pass
    return m[key]


def test_python_fills_a_map_of_vectors_by_pairs() -> None:
    made: Any = sb.Map[int2, float64, 2]([(int2(1, 2), 3), (int2(5, 6), 4), (int2(1, 2), 9)])
    assert sb.to_python(list(made.items())) == [([1, 2], 9.0), ([5, 6], 4.0)]


def test_memory_that_is_no_map_reaches_no_other_memory() -> None:
    rng = Random(4)
    for _ in range(60):
        m = Table({1: 2, 3: 4})
        m.size = rng.choice([2, -1, 7, 1 << 62])
        for k in range(len(m.slots)):
            m.slots[k] = rng.choice([0, 1, 2, 3, 7, -1, 2**31 - 1, -(2**31)])
        with suppress(sb.Trap):
            sb.assert_same_bits(lookup, m, rng.randrange(5))


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (float64, "a key of Map cannot be float64: keys are integers or vectors of them"),
        (double2, "a key of Map cannot be double2"),
        (Tile, "a key of Map cannot be Tile"),
    ],
)
def test_keys_that_are_no_integers_are_refused(key: Any, message: str) -> None:
    with pytest.raises(sb.CompileError, match=message):
        sb.Map[key, int64, 4]
