"""A match on disk: what the journal holds after a kill, and what the replay tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcap.reader import make_reader
from tests.support.simulations.crowd_simulation import crowd
from tests.support.simulations.small_simulation import SMALL

from samebits.errors import MatchError, ReplayError
from samebits.net.input_codec import ClosedFrame, Entry, Event
from samebits.net.store import TOPIC, MatchStore
from samebits.replay import ReplayWriter, read_replay
from samebits.replay.header import HASHES, INPUTS, KEYFRAMES
from samebits.sim.players import random_inputs


def frames(count: int) -> list[ClosedFrame]:
    simulation = crowd(2)
    rows = random_inputs(simulation, 0, count, 3)
    return [
        ClosedFrame(
            simulation.inputs.to_bytes(row.reshape(1, -1)),
            2 * (n % 5 == 0),
            (Entry(Event.JOIN, 1),) if n == 3 else (),
        )
        for n, row in enumerate(rows)
    ]


@pytest.mark.parametrize("tear", [b"", b"\x01", b"\x09\x00\x00\x00\x01\x02\x03\x04123456789"])
def test_frames_survive_a_kill_and_a_torn_end(tmp_path: Path, tear: bytes) -> None:
    given = frames(40)
    store = MatchStore(tmp_path, "m", crowd(2), 7)
    assert store.saved.frames == []
    store.add(given[:25])
    store.add(given[25:])
    store.seats({0: 2})
    journal = tmp_path / "m" / "journal"
    kept = journal.read_bytes()
    store.close(False)
    journal.write_bytes(kept + tear)
    again = MatchStore(tmp_path, "m", crowd(2), 99)
    assert again.saved.frames == given
    assert (again.saved.seed, again.saved.epochs, again.saved.ended) == (7, {0: 2}, False)
    assert journal.read_bytes() == kept
    again.add(given[:1])
    again.close(True)
    last = MatchStore(tmp_path, "m", crowd(2), 7)
    assert last.saved.ended
    assert len(last.saved.frames) == 41
    last.close(True)


def test_the_replay_tells_of_entries_and_substituted_inputs(tmp_path: Path) -> None:
    given = frames(300)
    store = MatchStore(tmp_path, "m", crowd(2), 7)
    store.add(given)
    store.agreed([(n, n) for n in range(300)])
    store.close(True)
    found = read_replay(tmp_path / "m" / "match.mcap")
    assert (found.frames, found.damage) == (300, None)
    assert found.hashes is not None
    assert found.hashes.tolist() == list(range(300))
    assert found.inputs == b"".join(frame.row for frame in given)
    with (tmp_path / "m" / "match.mcap").open("rb") as file:
        told = [
            row
            for _, _, message in make_reader(file).iter_messages(topics=[TOPIC])
            for row in json.loads(message.data)
        ]
    assert [row["frame"] for row in told] == sorted({3, *range(0, 300, 5)})
    assert told[1] == {"frame": 3, "substituted": [], "entries": [["join", 1, 0]]}
    assert told[2]["substituted"] == [1]


def test_a_folder_of_another_match_is_refused(tmp_path: Path) -> None:
    MatchStore(tmp_path, "m", crowd(2), 7).close(False)
    with pytest.raises(MatchError, match="another simulation"):
        MatchStore(tmp_path, "m", SMALL, 7)
    for name in ("", "../m", "a/b", ".hidden", "x" * 101, "a\n"):
        with pytest.raises(MatchError, match="the match is called"):
            MatchStore(tmp_path, name, crowd(2), 7)


def test_messages_of_a_programs_own_are_no_frames(tmp_path: Path) -> None:
    path = tmp_path / "r.mcap"
    with ReplayWriter(path, crowd(2).header(1)) as writer:
        writer.annotate("notes", b"before")
        writer.add(bytes(14), 5)
        writer.annotate("notes", b"after")
        for topic in (INPUTS, HASHES, KEYFRAMES):
            with pytest.raises(ReplayError):
                writer.annotate(topic, b"")
    assert read_replay(path).frames == 1
    with path.open("rb") as file:
        notes = make_reader(file).iter_messages(topics=["notes"])
        assert [message.data for _, _, message in notes] == [b"before", b"after"]
