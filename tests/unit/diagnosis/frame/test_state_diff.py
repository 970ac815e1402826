"""Every differing scalar of two states is found, described and put in order."""

from __future__ import annotations

import tracemalloc
from dataclasses import asdict

import numpy as np
import pytest
from tests.support.runs.observed_frames import ARENA
from tests.support.runs.small_runs import SMALL

from samebits.bits import canonical_size, leaves, ulp_distance
from samebits.diagnosis.frame.state_diff import differences
from samebits.sim.state.columns import columns
from samebits.sim.state.difference import first_difference, hexadecimal, shown
from samebits.types import FLOAT64, UINT8, VECTORS, FixedArrayType, StructType

STATES = (ARENA.state_type, SMALL.state_type)


def changed(state: bytes, seed: int, count: int) -> bytes:
    rng = np.random.default_rng(seed)
    data = bytearray(state)
    for at in rng.integers(0, len(state), count):
        data[at] ^= int(rng.integers(1, 256))
    return bytes(data)


def random_state(t: StructType, seed: int = 0) -> bytes:
    return np.random.default_rng(seed).integers(0, 256, canonical_size(t), np.uint8).tobytes()


def test_columns_are_all_the_scalars_of_a_state() -> None:
    for t in STATES:
        expected, at = {}, 0
        for path, scalar, _ in leaves(t):
            expected[at] = path, scalar
            at += scalar.size
        found = {}
        for column in columns(t):
            offsets = column.offsets(np.arange(column.count)).tolist()
            found |= {o: (column.path(n), column.type) for n, o in enumerate(offsets)}
        assert found == expected


def test_every_scalar_that_differs_is_described_as_the_bits_say() -> None:
    for t in STATES:
        for seed in range(20):
            a = random_state(t, seed)
            b = changed(a, seed, 1 + 3 * seed)
            expected: dict[str, tuple[object, ...]] = {}
            at = 0
            for path, scalar, _ in leaves(t):
                x, y = (int.from_bytes(s[at : at + scalar.size], "little") for s in (a, b))
                at += scalar.size
                if x != y:
                    ulps = ulp_distance(x, y, scalar.bits) if scalar.is_float else None
                    expected[path] = (
                        scalar.name, hexadecimal(scalar, x), shown(scalar, x),
                        hexadecimal(scalar, y), shown(scalar, y), ulps,
                    )  # fmt: skip
            found = differences(t, a, b, 1000)
            rows = {
                f.path: (f.a.type, f.a.bits, f.a.text, f.b.bits, f.b.text, f.ulps)
                for f in found.first
            }
            assert list(rows.items()) == list(expected.items())
            assert found.differing == len(expected)
            first = first_difference(t, a, b)
            assert first is not None
            assert (first.path, first.others) == (next(iter(expected)), len(expected) - 1)
            distances = [row[-1] for row in rows.values() if isinstance(row[-1], int)]
            assert (found.farthest or (None,))[0] == max(distances, default=None)


def test_states_that_agree_differ_nowhere() -> None:
    a = random_state(ARENA.state_type)
    found = differences(ARENA.state_type, a, a)
    assert (found.differing, found.first) == (0, ())
    assert found.farthest is None
    assert {row.differing for row in found.columns} == {0}
    assert sum(row.scalars for row in found.columns) == len([*leaves(ARENA.state_type)])
    assert first_difference(ARENA.state_type, a, a) is None


T = StructType(
    "T",
    (("n", FLOAT64), ("x", FixedArrayType(VECTORS["float2"], (40,))),
     ("grid", FixedArrayType(VECTORS["int2"], (3, 4)))),
)  # fmt: skip


def patterns(**values: int) -> bytes:
    """A state of T with these 32-bit patterns at these byte offsets, as `at8=...`."""
    data = bytearray(canonical_size(T))
    for name, value in values.items():
        at = int(name.removeprefix("at"))
        data[at : at + 4] = value.to_bytes(4, "little")
    return bytes(data)


def test_the_farthest_are_reported_and_nan_is_left_out() -> None:
    zero = patterns()
    one = patterns(at8=1, at16=0x7FC00000, at24=0x80000000, at32=5, at328=7)
    found = differences(T, zero, one)
    assert [(f.path, f.ulps) for f in found.first] == [
        ("x[0].x", 1), ("x[1].x", None), ("x[2].x", 1), ("x[3].x", 5), ("grid[0, 0].x", None),
    ]  # fmt: skip
    assert found.farthest == (5, "x[3].x")
    assert [f.path for f in differences(T, zero, one, 2).first] == ["x[0].x", "x[1].x"]


def test_columns_are_counted() -> None:
    zero = patterns()
    one = patterns(at8=1, at16=9, at152=3, at336=2)
    found = differences(T, zero, one)
    columns = [(row.path, row.differing, row.scalars, row.ulps) for row in found.columns]
    assert columns == [
        ("n", 0, 1, None), ("x[].x", 3, 40, 9), ("x[].y", 0, 40, None),
        ("grid[].x", 1, 12, None), ("grid[].y", 0, 12, None),
    ]  # fmt: skip


def test_large_arrays_give_bounded_lists() -> None:
    big = StructType("Big", (("x", FixedArrayType(VECTORS["float3"], (100_000,))),))
    a, b = random_state(big, 1), random_state(big, 2)
    found = differences(big, a, b, 10)
    assert found.differing > 299_000
    assert len(found.first) == 10
    assert [f.path for f in found.first[:4]] == ["x[0].x", "x[0].y", "x[0].z", "x[1].x"]
    none = differences(big, a, b, 0)
    assert (none.first, none.differing) == ((), found.differing)


def test_what_is_found_is_the_same_in_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    for t in STATES:
        a = random_state(t)
        b = changed(a, 0, len(a) // 3)
        whole = differences(t, a, b, 20)
        for size in (1, 7):
            monkeypatch.setattr("samebits.diagnosis.frame.state_diff._PIECE", size)
            found = differences(t, a, b, 20)
            assert asdict(found) == asdict(whole)
        monkeypatch.undo()


def test_large_states_are_compared_in_less_memory_than_they_take() -> None:
    t = StructType("Large", (("x", FixedArrayType(UINT8, (1 << 22,))),))
    a, b = bytes(1 << 22), b"\x01" * (1 << 22)
    tracemalloc.start()
    try:
        found = differences(t, a, b)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.differing == 1 << 22
    assert peak < len(a)
