"""Exported replays: other programs read the session's own states, and mistakes are told."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.command_line import called
from tests.support.folders import EXAMPLES, SIMULATIONS
from tests.support.simulations.fragile_simulation import FRAGILE
from tests.support.simulations.small_simulation import SMALL

import samebits as sb
from samebits.errors import ReplayError, SimulationError
from samebits.replay.reader import read_replay
from samebits.replay.writer import ReplayWriter
from samebits.sim.load import load_simulation

pytest.importorskip("google.protobuf", reason="pip install 'samebits[view]'")
pytest.importorskip("foxglove", reason="pip install 'samebits[view]'")

from mcap.reader import make_reader
from mcap.records import ChunkIndex, Message
from mcap.stream_reader import StreamReader
from mcap.writer import Writer
from mcap_protobuf.decoder import DecoderFactory

from samebits.view.export import export_protobuf
from samebits.view.scene_update import grid

Given = dict[str, list[tuple[int, Any]]]
ARENA = EXAMPLES / "arena" / "arena.py"
DUEL = EXAMPLES / "arena" / "replays" / "duel.mcap"


def read(path: Path) -> Given:
    """Time and message of each topic, in the file's order, which is that of time in each."""
    found: Given = {}
    last: dict[str, int] = {}
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, message, decoded in reader.iter_decoded_messages(log_time_order=False):
            assert message.log_time >= last.get(channel.topic, 0)
            last[channel.topic] = message.log_time
            found.setdefault(channel.topic, []).append((message.log_time, decoded))
    return found


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A replay of 700 frames of SMALL, in three blocks."""
    path = tmp_path_factory.mktemp("small") / "small.mcap"
    rng = np.random.default_rng(5)
    with SMALL.record(path, seed=9) as recording:
        inputs = np.zeros((700, SMALL.players), SMALL.input_type.dtype)
        for name in inputs.dtype.names or ():
            inputs[name] = rng.integers(0, 2, inputs.shape)
        recording.run(inputs)
    return path


def test_states_inputs_and_hashes_are_the_session_s(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.mcap"
    done = export_protobuf(SMALL, small, out)
    assert (done.frames, done.damage, done.differs, done.has_scene) == (700, None, None, False)
    found = read(out)
    assert {topic: len(rows) for topic, rows in found.items()} == {
        "/state": 701, "/inputs": 700, "/hash": 701,
    }  # fmt: skip
    replay = sb.Replay.open(small, SMALL)
    session = SMALL.start(9)
    for frame in range(701):
        if frame:
            given = replay.inputs[frame - 1 : frame]
            time, inputs = found["/inputs"][frame - 1]
            assert time == (frame - 1) * 10**9 // SMALL.tick_rate
            for player, message in enumerate(inputs.players):
                assert np.float32(message.push).tobytes() == given[0, player]["push"].tobytes()
            session.run(given)
        state: Any = session.state
        time, message = found["/state"][frame]
        assert time == frame * 10**9 // SMALL.tick_rate
        bodies = np.asarray(state.bodies)
        assert [(b.alive, b.kind, b.charge) for b in message.bodies] == [
            (bool(b["alive"]), int(b["kind"]), int(b["charge"])) for b in bodies
        ]
        places = np.array([(b.pos.x, b.pos.y) for b in message.bodies], np.float32)
        assert places.tobytes() == bodies["pos"].tobytes()
        assert list(message.grid) == np.asarray(state.grid).ravel().tolist()
        assert np.float64(message.energy).tobytes() == np.float64(state.energy).tobytes()
        assert found["/hash"][frame][1].state == session.hash()


def test_a_scene_goes_with_the_states(tmp_path: Path) -> None:
    out = tmp_path / "arena.view.mcap"
    arena = load_simulation(str(ARENA))
    assert arena.scene is not None
    step = grid(arena.scene)
    assert export_protobuf(arena, DUEL, out, limit=40).has_scene
    found = read(out)
    assert len(found["/scene"]) == len(found["/state"]) == 41
    for (_, state), (time, scene) in zip(found["/state"], found["/scene"], strict=True):
        (entity,) = scene.entities
        stamp = entity.timestamp
        assert stamp.seconds * 10**9 + stamp.nanos == time
        asteroids = [body for body in state.bodies[2:] if body.radius > 0]
        shots = [shot for shot in state.shots if shot.life > 0]
        assert len(entity.cylinders) == len(asteroids) + len(shots)
        for disc, body in zip(entity.cylinders, asteroids, strict=False):
            # The picture is 960 pixels for 164 of the world: places to an eighth of a pixel.
            for shown, true in zip(
                (disc.pose.position.x, disc.pose.position.y), (body.pos.x, body.pos.y), strict=True
            ):
                assert abs(shown - true) <= step / 2
                assert shown % step == 0
            assert disc.size.x == pytest.approx(2 * body.radius, rel=2**-16)
            assert disc.color.r == pytest.approx(0x8D / 255)
            assert (disc.bottom_scale, disc.top_scale) == (1, 1)
        assert len(entity.triangles) == sum(body.radius > 0 for body in state.bodies[:2])
        assert {text.text for text in entity.texts} <= {str(ship.hp) for ship in state.ships}
    assert not export_protobuf(arena, DUEL, out, limit=2, scene=False).has_scene
    assert "/scene" not in read(out)


def test_a_minute_of_the_arena_is_less_than_ten_megabytes(tmp_path: Path) -> None:
    out = tmp_path / "arena.view.mcap"
    export_protobuf(load_simulation(str(ARENA)), DUEL, out)
    assert out.stat().st_size < 10_000_000
    with out.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.message_count == 3601 * 3 + 3600
        topics = [
            {summary.channels[number].topic for number in index.message_index_offsets}
            for index in summary.chunk_indexes
        ]
        assert all(each in ({"/scene"}, {"/state", "/inputs", "/hash"}) for each in topics)
        # By the index, in the order of time.
        found = [(m.log_time, channel.topic) for _, channel, m in reader.iter_messages()]
    assert [time for time, _ in found] == sorted(time for time, _ in found)
    assert Counter(time for time, _ in found) == {
        k * 10**9 // 60: 3 if k == 3600 else 4 for k in range(3601)
    }
    with out.open("rb") as file:  # as a stream, every checksum with it
        records = [*StreamReader(file, validate_crcs=True).records]
    assert sum(isinstance(record, Message) for record in records) == 3601 * 3 + 3600
    assert sum(isinstance(record, ChunkIndex) for record in records) == len(topics)


def test_the_same_replay_gives_the_same_file(tmp_path: Path) -> None:
    arena = load_simulation(str(ARENA))
    for name in ("a.mcap", "b.mcap"):
        export_protobuf(arena, DUEL, tmp_path / name, limit=300)
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()


def test_a_run_that_stops_is_written_up_to_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "stops.mcap", tmp_path / "out.mcap"
    inputs = np.zeros((60, 2), FRAGILE.input_type.dtype)
    inputs["fire"][20:, 1] = True
    with ReplayWriter(path, FRAGILE.header(3)) as writer:
        writer.add_block(FRAGILE.inputs.to_bytes(inputs), None, 60)
    file = SIMULATIONS / "fragile_simulation.py"
    arguments = ("--protobuf", "--sim", file, "--out", out)
    assert called("replay", "export", path, *arguments) == 0
    said = capsys.readouterr()
    assert "22 frames" in said.out
    assert "stopped in frame 22" in said.err
    assert "pressed three times" in said.err
    assert len(read(out)["/state"]) == 23


def test_states_other_than_the_recorded_ones_are_told(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read_replay(small)
    assert found.hashes is not None
    hashes = [int(value) for value in found.hashes]
    hashes[450] ^= 1
    forged = tmp_path / "forged.mcap"
    with ReplayWriter(forged, found.header) as writer:
        writer.add_block(found.inputs, hashes)
    file = SIMULATIONS / "small_simulation.py"
    out = tmp_path / "out.mcap"
    assert called("replay", "export", forged, "--protobuf", "--sim", file, "--out", out) == 1
    assert "from frame 450 on the states here are not those recorded" in capsys.readouterr().err
    assert len(read(out)["/state"]) == 701


def test_what_is_missing_or_another_s_is_refused(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.mcap"
    for arguments, message in (
        (("--protobuf",), "a replay holds inputs, and its states come from running it"),
        (
            ("--protobuf", "--sim", SIMULATIONS / "spinning_simulation.py"),
            "is a replay of another simulation",
        ),
        (("--protobuf", "--sim", small), "is a recording: the simulation comes first"),
    ):
        assert called("replay", "export", small, *arguments, "--out", out) == 2
        assert message in capsys.readouterr().err
        assert not out.exists()
    before = small.read_bytes()
    for target in (small, DUEL):
        with pytest.raises(ReplayError, match=r"is the replay|is no such file of messages"):
            export_protobuf(SMALL, small, target)
    assert small.read_bytes() == before
    theirs = tmp_path / "theirs.mcap"
    with theirs.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="protobuf", library="another's")
        writer.finish()
    with pytest.raises(ReplayError, match="is no such file of messages"):
        export_protobuf(SMALL, small, theirs)
    export_protobuf(SMALL, small, tmp_path / "again.mcap", limit=1)
    export_protobuf(SMALL, small, tmp_path / "again.mcap", limit=2)
    out.mkdir()
    with pytest.raises(ReplayError, match=r"out\.mcap"):
        export_protobuf(SMALL, small, out)


def test_of_a_damaged_replay_the_frames_before_are_written(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut, out = tmp_path / "cut.mcap", tmp_path / "out.mcap"
    cut.write_bytes(small.read_bytes()[: os.path.getsize(small) // 2])
    done = export_protobuf(SMALL, cut, out)
    assert 0 < done.frames < 700
    assert done.damage is not None
    assert len(read(out)["/state"]) == done.frames + 1
    empty = tmp_path / "empty.mcap"
    cutoff = small.read_bytes().index(b"/keyframes") + 80
    empty.write_bytes(small.read_bytes()[:cutoff])
    with pytest.raises(ReplayError, match="has no frames"):
        export_protobuf(SMALL, empty, tmp_path / "none.mcap")
    assert not (tmp_path / "none.mcap").exists()


def test_a_scene_s_mistakes_are_told(small: Path, tmp_path: Path) -> None:
    scene = sb.scene.Scene(lambda state: [state], bounds=((0, 0), (1, 1)))
    wrong = sb.Simulation(
        name=SMALL.name, version=SMALL.version, state=SMALL.state, input=SMALL.input,
        players=SMALL.players, init=SMALL.init, step=SMALL.step, tick_rate=SMALL.tick_rate,
        scene=scene,
    )  # fmt: skip
    assert wrong.digest == SMALL.digest
    with pytest.raises(SimulationError, match="draw gave State, which is no shape"):
        export_protobuf(wrong, small, tmp_path / "out.mcap")
    assert list(tmp_path.iterdir()) == []
