"""Peers of exported libraries say byte for byte what Python's do, and end where bytes are wrong."""

from __future__ import annotations

import ctypes
import io
import shutil
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.machines.other_machines import EMULATED, missing
from tests.support.runs.driven_peer import Driven, driven, emulated, sanitized
from tests.support.runs.exported import (
    host_folder,
    leave_out_shared_libraries,
    made,
    needs_zig,
    small,
)
from tests.support.runs.exported_peer import Call, CPeer, Options, PeerLibrary, put_in
from tests.support.runs.peer_conversations import (
    RIGHT,
    SEED,
    WRONG,
    Told,
    conversation,
    ended_rightly,
    expected,
    inputs,
    mutated,
    recorded,
    replayed,
    said,
    told_by_python,
    without_reasons,
    world,
)

from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS
from samebits.bits import xxh64
from samebits.desync.reader import read_report
from samebits.net.events import Broken, Desynced
from samebits.net.limits import SECOND
from samebits.net.messages import Ping, encode
from samebits.net.peer.core import PING_EVERY, PeerCore
from samebits.net.simnet.world import World

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
]
ELSEWHERE = ("aarch64", "s390x")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(small(), tmp_path_factory.mktemp("peer"))


@pytest.fixture(scope="module")
def library(folder: Path) -> PeerLibrary:
    return PeerLibrary(host_folder(folder), small(), "small")


@pytest.mark.parametrize("seed", range(6))
def test_the_library_says_what_python_says(library: PeerLibrary, seed: int) -> None:
    recorders = recorded(seed)
    for recorder in recorders:
        assert said(replayed(library, recorder)) == expected(recorder)
    assert sum(recorder.timeline.stats.rollbacks for recorder in recorders) > 10


@pytest.mark.parametrize("name", ELSEWHERE)
def test_other_processors_say_the_same_bytes(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = TARGETS[name]
    if target not in EMULATED:
        pytest.skip(f"{name} is this processor")
    why = missing(target)
    if why:
        pytest.skip(why)
    leave_out_shared_libraries(monkeypatch)
    command = emulated(made(small(), tmp_path, name), target)
    for recorder in (*recorded(0), *recorded(1)):
        found = driven(command, recorder.ticket, recorder.calls, recorder.window)
        assert said(found.outputs) == expected(recorder)


def test_a_peer_that_begins_anew_says_hello_with_the_token_of_the_one_before(
    library: PeerLibrary,
) -> None:
    first, answer = conversation(encode(Ping(1)), 0)[:2]
    before = CPeer(library, "ticket", inputs(0))
    assert before.token == b""
    before.tick(first.now, first.data)
    before.receive(answer.now, answer.data)
    assert before.token == b"t" * 32
    peer = CPeer(library, "", inputs(0), token=before.token)
    assert not peer.come_back(b"")
    assert not peer.come_back(b"t" * 65)
    core = PeerCore(small(), "", inputs(0))
    core.resume = b"t" * 32
    assert said([peer.tick(1, inputs(0)(0))]) == said([core.poll(1)])
    assert not peer.come_back(b"too late")


def test_a_peer_that_waits_for_an_answer_sleeps(library: PeerLibrary) -> None:
    """The pings of an old connection are not due over a new one."""
    later = 40 * SECOND
    calls = [
        *conversation(encode(Ping(1)), 0),
        Call("reconnect"),
        Call("tick", later, inputs(0)(0)),
    ]
    for found in (told_by_python(Told(calls), calls), replayed(library, Told(calls))):
        assert found[-1].wake == later + PING_EVERY


def facts(match: World) -> tuple[list[bytes], list[int]]:
    """The inputs of each closed frame, and the hashes that a run of them has."""
    rows = [frame.row for frame in match.frames]
    given = small().inputs.from_bytes(b"".join(rows), len(rows))
    return rows, small().start(SEED).run(given).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_peers_of_both_languages_play_one_match(library: PeerLibrary, seed: int) -> None:
    match = world(seed, frames=900)
    peer = put_in(match, seed % 2, library)
    match.run(100 * SECOND)
    assert match.broken() == []
    assert match.relay.desyncs == []
    assert match.relay.ended is not None
    rows, hashes = facts(match)
    assert len(rows) == 900
    assert len(set(hashes)) == len(hashes)
    for node in match.nodes:
        first = min(node.log.hashes)
        assert node.log.hashes == dict(list(enumerate(hashes))[first:])
    assert match.relay.ended.hash == hashes[-1]
    assert peer.intact()
    assert peer.status.frame == 900
    other = match.nodes[1 - seed % 2].core.timeline
    assert other is not None
    assert peer.status.rollbacks + other.stats.rollbacks > 0


def test_wrong_messages_end_both_languages_peers_alike(library: PeerLibrary) -> None:
    random = Random(1)
    recorders = [recorder for seed in (0, 1) for recorder in recorded(seed)]
    broken = 0
    for _ in range(60):
        recorder = random.choice(recorders)
        calls = mutated(recorder.calls[:400], random)
        python = told_by_python(recorder, calls)
        ours = replayed(library, Told(calls, recorder.ticket, recorder.window))
        assert without_reasons(ours) == without_reasons(python)
        broken += any(isinstance(event, Broken) for output in python for event in output.events)
    assert 10 < broken < 60


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no compiler with sanitizers: apt-get install gcc")
    folder = tmp_path_factory.mktemp("sanitized")
    return sanitized(folder, small(), engine.host_target(), compiler)


def test_sanitizers_find_nothing(watched: list[str]) -> None:
    for recorder in recorded(2):
        found = driven(watched, recorder.ticket, recorder.calls, recorder.window)
        assert said(found.outputs) == expected(recorder)


def test_wrong_messages_reach_no_other_memory(watched: list[str]) -> None:
    random = Random(2)
    recorders = [recorder for seed in (0, 1) for recorder in recorded(seed)]
    found: list[Driven] = []
    for _ in range(100):
        recorder = random.choice(recorders)
        calls = mutated(recorder.calls[:400], random)
        calls.append(Call("report", random.randrange(300)))
        found.append(driven(watched, recorder.ticket, calls, recorder.window))
    events = [event for each in found for output in each.outputs for event in output.events]
    assert sum(isinstance(event, Broken) for event in events) > 10


def test_a_peer_that_departs_is_told_of_and_healed(library: PeerLibrary) -> None:
    """Python's peer has a bit flipped; the library's gives the other report of the frame."""
    match = world(1, frames=900)
    match.nodes[1].plan.flip = 300
    peer = put_in(match, 0, library)
    match.run(100 * SECOND)
    assert match.broken() == []
    (desync,) = match.relay.desyncs
    assert (desync.frame, desync.wrong) == (match.nodes[1].plan.flip, (1,))
    told = [event for _, event in match.nodes[0].log.events if isinstance(event, Desynced)]
    assert told == [desync]
    reports = {slot: read_report(io.BytesIO(data)) for _, slot, data in match.relay.reports}
    report = reports[0]
    assert report.is_of_library
    assert report.damage == ()
    assert report.known[desync.frame] == desync.groups[0].hash
    assert {desync.frame, desync.frame + 1} <= set(report.states)
    rows, hashes = facts(match)
    for frame, value in report.known.items():
        assert value == hashes[frame]
        if frame >= report.contents.first:
            assert report.inputs(frame) == rows[frame]
    after = report.state(desync.frame + 1)
    assert after is not None
    assert xxh64(after) == hashes[desync.frame]
    assert peer.status.restores == 0
    assert match.nodes[1].core.timeline is not None
    assert match.nodes[1].core.timeline.hashes[899] == hashes[899]


def test_who_comes_late_takes_a_state_and_gives_one(library: PeerLibrary) -> None:
    """Without a referee the state comes from the library's peer, and goes to one."""
    for slot in (0, 1):
        match = world(2, frames=900, referee=False)
        peer = put_in(match, slot, library)
        match.nodes[1].plan.joins = 8 * SECOND
        match.run(100 * SECOND)
        assert match.broken() == []
        _, hashes = facts(match)
        assert match.relay.ended is not None
        assert match.relay.ended.hash == hashes[-1]
        for node in match.nodes:
            assert {n: hashes[n] for n in node.log.hashes} == node.log.hashes
        assert peer.status.final == 900


def test_memory_and_options_that_cannot_be_are_refused(library: PeerLibrary) -> None:
    size = library.size("PEER_BYTES", window=8, kept=60)
    memory = ctypes.create_string_buffer(size + 8)

    def opened(room: int, *options: Any) -> bool:
        given = ctypes.byref(Options(*options))
        return bool(library.function("open")(memory, ctypes.c_size_t(room), given))

    assert opened(size, b"ticket", 8, 60, 0, 0, None)
    assert opened(size, b"x" * 2048, 8, 60, 1, 120, b"console 7")
    assert not opened(size - 1, b"ticket", 8, 60, 0, 0, None)
    assert not opened(size, None, 8, 60, 0, 0, None)
    assert not opened(size, b"ticket", 9, 60, 0, 0, None)
    assert not opened(size, b"ticket", 8, 60, 0, 121, None)
    assert not opened(size, b"ticket", 8, 60, 0, -1, None)
    assert not opened(size, b"x" * 2049, 8, 60, 0, 0, None)
    assert not opened(size, b"t\n", 8, 60, 0, 0, None)
    assert not opened(size, b"ticket", 8, 60, 0, 0, b'a "machine"')
    assert not opened(1 << 62, b"ticket", 3601, 60, 0, 0, None)
    assert not opened(1 << 62, b"ticket", 8, 36001, 0, 0, None)


@pytest.mark.parametrize("what", [*WRONG, *RIGHT])
def test_each_wrong_message_ends_a_peer(
    library: PeerLibrary, watched: list[str], what: str
) -> None:
    message = WRONG.get(what) or RIGHT[what]
    for state in (0, 1):
        told = Told(conversation(message, state))
        python = told_by_python(told, told.calls)
        found = driven(watched, told.ticket, told.calls, told.window)
        reports = "chunks that" in what  # a library gives reports by itself
        assert reports or without_reasons(found.outputs) == without_reasons(python)
        assert without_reasons(replayed(library, told)) == without_reasons(found.outputs)
        assert ended_rightly(what, message, state, found.outputs)
