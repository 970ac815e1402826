"""The parts under a simulation: state hash as IR, schemas, random inputs, recordings."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.support.simulations.small_simulation import SMALL, Input

import samebits as sb
from samebits.bits import canonical_size, from_canonical, to_canonical, xxh64
from samebits.errors import ReplayError
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import evaluate
from samebits.ir.verify import verify
from samebits.replay import ReplayWriter, partial_path
from samebits.sim.players import random_inputs
from samebits.sim.session import SimulationTrap
from samebits.sim.sources import PlayerSource
from samebits.sim.state.difference import first_difference
from samebits.sim.state.hashing import HASH, hash_functions, word_count, word_type
from samebits.sim.state.schema import from_json, to_json
from samebits.sim.state.unpacking import (
    UNPACK,
    UNPACK_INPUTS,
    unpack_function,
    unpack_inputs_function,
)
from samebits.types import (
    FLOAT16,
    STRONG_SCALARS,
    VECTORS,
    FixedArrayType,
    MemoryType,
    StructType,
)

LEAVES = st.sampled_from([*STRONG_SCALARS, FLOAT16, *VECTORS.values()])


@st.composite
def structs(draw: Any, depth: int = 2) -> StructType:
    fields: list[tuple[str, MemoryType]] = []
    for i in range(draw(st.integers(1, 4))):
        inner = structs(depth=depth - 1) if depth else LEAVES
        element: MemoryType = draw(st.one_of(LEAVES, inner))
        more = st.lists(st.integers(1, 3), min_size=2, max_size=4).map(tuple)
        shape = draw(st.one_of(st.none(), st.tuples(st.integers(1, 5)), more))
        fields.append((f"f{i}", element if shape is None else FixedArrayType(element, shape)))
    made = StructType(f"S{depth}", tuple(fields))
    # Loops over more elements do what they do over these, for seconds where IR is interpreted.
    assume(canonical_size(made) <= 4000)
    return made


def filled(t: StructType, seed: int) -> np.ndarray[Any, Any]:
    return from_canonical(t, np.random.default_rng(seed).bytes(canonical_size(t)))


@settings(max_examples=60, deadline=None)
@given(structs(), st.integers(0, 2**32))
def test_the_hash_in_ir_is_xxh64_of_the_canonical_bytes_for_any_struct(
    t: StructType, seed: int
) -> None:
    functions = hash_functions(t)
    module = Module({f.name: f for f in functions})
    verify(module)
    memory = filled(t, seed)
    words = np.zeros(word_count(t), word_type(t).dtype)
    assert evaluate(module, HASH, [memory, words]) == (xxh64(to_canonical(t, memory)),)


@pytest.mark.parametrize("size", [1, 3, 4, 7, 8, 12, 31, 32, 33, 63, 64, 95, 1000])
@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_every_length_and_word_size_hashes_right(size: int, width: int) -> None:
    element = next(t for t in STRONG_SCALARS if t.name == f"uint{8 * width}")
    t = StructType("T", (("a", FixedArrayType(element, (size,))),))
    functions = hash_functions(t)
    module = Module({f.name: f for f in functions})
    memory = filled(t, size)
    words = np.zeros(word_count(t), word_type(t).dtype)
    assert evaluate(module, HASH, [memory, words]) == (xxh64(to_canonical(t, memory)),)


@settings(max_examples=60, deadline=None)
@given(structs(), st.integers(0, 2**32))
def test_unpacking_in_ir_is_reading_canonical_bytes_for_any_struct(
    t: StructType, seed: int
) -> None:
    functions = unpack_function(t), unpack_inputs_function(t)
    module = Module({f.name: f for f in functions})
    verify(module)
    data = np.random.default_rng(seed).bytes(3 * canonical_size(t))
    words = np.frombuffer(data, word_type(t).dtype.newbyteorder("<")).astype(word_type(t).dtype)
    one, three = np.zeros(1, t.dtype), np.zeros(3, t.dtype)
    evaluate(module, UNPACK, [one, words[: word_count(t)].copy()])
    evaluate(module, UNPACK_INPUTS, [three, words])
    expected = from_canonical(t, data, 3)
    assert one.tobytes() == expected[:1].tobytes()
    assert three.tobytes() == expected.tobytes()


@settings(max_examples=60, deadline=None)
@given(structs())
def test_a_schema_survives_json(t: StructType) -> None:
    text = json.dumps(to_json(t))
    assert from_json(json.loads(text), canonical_size(t)) == t
    with pytest.raises(ReplayError):
        from_json(json.loads(text), canonical_size(t) - 1)


def nested(depth: int) -> Any:
    value: Any = "int8"
    for _ in range(depth):
        value = {"array": value, "shape": [1]}
    return value


HOSTILE: list[tuple[Any, str]] = [
    (None, "the schema has None, which is not a type"),
    ("int", "the schema has 'int', which is not a type"),
    ({}, "the schema has {}, which is not a type"),
    ({"array": "int8"}, "the schema has {'array': 'int8'}, which is not a type"),
    ({"array": "int8", "shape": 3}, "the schema has an array of shape 3"),
    ({"array": "int8", "shape": [-1]}, "the schema has an array of length -1"),
    ({"array": "int8", "shape": [True]}, "the schema has an array of length True"),
    ({"array": "int8", "shape": [10**30]}, f"the schema has an array of length {10**30}"),
    ({"array": "int8", "shape": [60000, 60000]}, "the schema has a type of more than 60000 bytes"),
    (
        {"struct": "S", "fields": [["a", {"array": "float64", "shape": [7501]}]]},
        "the schema has a type of more than 60000 bytes",
    ),
    ({"struct": "S", "fields": []}, "the schema has a struct without 1 to 4096 fields"),
    ({"struct": "S", "fields": 1}, "the schema has a struct without 1 to 4096 fields"),
    (
        {"struct": "S", "fields": [["a", "int8"], ["a", "int8"]]},
        "the schema has ['a', 'int8'], which is not a new field",
    ),
    ({"struct": "S", "fields": [["a b", "int8"]]}, "the schema has ['a b', 'int8'], which is not a "
     "new field"),
    ({"struct": "a b", "fields": [["a", "int8"]]}, "the schema has a struct named 'a b'"),
    ({"struct": "a[\n]", "fields": [["a", "int8"]]}, "the schema has a struct named 'a[\\n]'"),
    ({"struct": "[8]", "fields": [["a", "int8"]]}, "the schema has a struct named '[8]'"),
    (nested(40), "the schema nests more than 32 types"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "message"), HOSTILE, ids=lambda v: str(v)[:30])
def test_a_hostile_schema_is_refused(value: Any, message: str) -> None:
    with pytest.raises(ReplayError) as caught:
        from_json(value, 60_000)
    assert caught.value.message == message


@pytest.mark.parametrize("container", [
    sb.BitSet[40], sb.List[sb.int32, 3], sb.Map[sb.int2, sb.List[sb.int32, 2], 8],
], ids=str)  # fmt: skip
def test_a_container_is_described_as_any_struct(container: type[sb.Struct]) -> None:
    t = container.__sb_type__
    assert from_json(to_json(t), 60_000) == t


def test_random_inputs_cover_each_field_and_hold_no_nan() -> None:
    inputs = random_inputs(SMALL, 0, 4000, 1)
    push, turn, at = inputs["push"], inputs["turn"], inputs["at"]
    assert not np.isnan(push).any()
    assert {float(v) for v in (np.inf, -np.inf, 0.0)} <= set(push.ravel().tolist())
    assert np.float32(1e-45) in push
    assert (np.abs(push) <= 1).mean() > 0.6
    assert set(range(-128, 128)) == set(turn.ravel().tolist())
    assert 0.3 < inputs["fire"].mean() < 0.7
    assert {-(2**31), 2**31 - 1, 0, 1, -1} <= set(at.ravel().tolist())


def test_random_inputs_depend_on_the_frame_and_seed_alone() -> None:
    whole = random_inputs(SMALL, 0, 100, 5)
    assert random_inputs(SMALL, 60, 40, 5).tobytes() == whole[60:].tobytes()
    assert random_inputs(SMALL, 0, 100, 6).tobytes() != whole.tobytes()
    assert whole[:, 0].tobytes() != whole[:, 1].tobytes()


def test_inputs_are_copied_with_one_nan_and_whole_bools_whatever_their_strides() -> None:
    given = np.zeros((8, 2), Input.dtype)
    given["push"].view(np.uint32)[...] = 0xFFC12345
    given["fire"].view(np.uint8)[...] = 2
    for inputs in (SMALL.inputs.frames(given[::2]), SMALL.inputs.frame(given[3])):
        assert set(inputs["push"].view(np.uint32).ravel().tolist()) == {0x7FC00000}
        assert set(inputs["fire"].view(np.uint8).ravel().tolist()) == {1}
        assert inputs.flags.c_contiguous
        assert not np.shares_memory(inputs, given)
    one = SMALL.inputs.frame([given[0, 0], Input(turn=3)])
    assert int(one["push"].view(np.uint32)[0, 0]) == 0x7FC00000


@pytest.mark.parametrize("schema", [{}, {"input": "int8"}, {"input": 3}, {"input": nested(3)}])
def test_a_replay_whose_schema_does_not_fit_is_refused(tmp_path: Path, schema: Any) -> None:
    path = tmp_path / "a.mcap"
    header = replace(SMALL.header(1), schema=schema)
    with ReplayWriter(path, header) as writer:
        writer.add(bytes(header.frame_size))
    for simulation in (None, SMALL):
        with pytest.raises(ReplayError, match=r"schema") as caught:
            sb.Replay.open(path, simulation)
        assert caught.value.fix == "record it again"


def play(frames: int, players: str = "push") -> np.ndarray[Any, Any]:
    return next(PlayerSource(SMALL, players, 1, frames).blocks()).inputs


def test_a_recording_is_read_back_as_arrays(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    inputs = play(50)
    with SMALL.record(path, seed=4, keyframe_every=20) as recording:
        hashes = recording.run(inputs[:45]).tolist()
        for frame in range(45, 50):
            recording.step(inputs[frame])
            hashes.append(recording.session.hash())
    for simulation in (None, SMALL):
        replay = sb.Replay.open(path, simulation)
        assert (len(replay), replay.header.seed, replay.damage) == (50, 4, None)
        assert replay.inputs.dtype == Input.dtype
        assert replay.inputs.tobytes() == inputs.tobytes()
        assert replay.hashes is not None
        assert replay.hashes.tolist() == hashes
    again = SMALL.start(seed=4)
    assert again.run(replay.inputs).tolist() == hashes


def test_keyframes_are_the_states_before_their_frames(tmp_path: Path) -> None:
    from samebits.replay import read_replay

    path = tmp_path / "a.mcap"
    inputs = play(50)
    with SMALL.record(path, seed=4, keyframe_every=20) as recording:
        recording.run(inputs)
    keyframes = read_replay(path).keyframes
    assert [frame for frame, _ in keyframes] == [0, 20, 40]
    session = SMALL.start(seed=4)
    assert keyframes[0][1] == session.canonical_state()
    session.run(inputs[:20])
    assert keyframes[1][1] == session.canonical_state()


def test_a_recording_ends_with_its_trap(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with pytest.raises(SimulationTrap), SMALL.record(path) as recording:
        recording.run(play(20, "crash"))
    replay = sb.Replay.open(partial_path(path))
    assert (len(replay), replay.hashes) == (13, None)
    with SMALL.record(path) as recording:
        with pytest.raises(SimulationTrap):
            recording.run(play(20, "crash"))
        with pytest.raises(ReplayError) as caught:
            recording.step([{}, {}])
    assert caught.value.message == "13 frames are recorded, and the session is at frame 12"


def test_going_back_while_recording_is_refused(tmp_path: Path) -> None:
    with SMALL.record(tmp_path / "a.mcap") as recording:
        blob = recording.session.save()
        recording.step([{}, {}])
        recording.session.restore(blob)
        with pytest.raises(ReplayError) as caught:
            recording.step([{}, {}])
    assert caught.value.message == "1 frames are recorded, and the session is at frame 0"


def test_the_first_difference_is_the_first_in_declared_order() -> None:
    t = StructType("T", (("a", VECTORS["float2"]), ("b", FixedArrayType(VECTORS["bool2"], (2,)))))
    base = bytes(canonical_size(t))
    assert first_difference(t, base, base) is None
    other = bytearray(base)
    other[7] = 0x80
    other[11] = 1
    found = first_difference(t, base, bytes(other))
    assert found is not None
    assert (found.path, found.expected, found.found, found.ulps) == ("a.y", "0.0", "-0.0", 1)
    assert (found.expected_bits, found.found_bits, found.others) == ("0x00000000", "0x80000000", 1)
    last = first_difference(t, base, base[:11] + b"\1")
    assert last is not None
    assert (last.path, last.expected, last.found) == ("b[1].y", "False", "True")
