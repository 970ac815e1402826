"""Peers of exported libraries say byte for byte what Python's do, and end where bytes are wrong."""

from __future__ import annotations

import ctypes
import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.machines.other_machines import EMULATED, missing
from tests.support.runs.driven_peer import Driven, driven, emulated, sanitized
from tests.support.runs.exported import host_folder, made, needs_zig, small
from tests.support.runs.exported_peer import (
    Call,
    CPeer,
    Options,
    PeerLibrary,
    Recorder,
    put_in,
    record,
    without_machine,
)

from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS
from samebits.bits import to_canonical, xxh64
from samebits.desync.reader import read_report
from samebits.net.events import Broken, Desynced, MatchEvent, TrapMet
from samebits.net.limits import SECOND
from samebits.net.messages import (
    Ack,
    Bundle,
    Chunk,
    Desync,
    Early,
    Ping,
    Refuse,
    Slack,
    Start,
    Verdict,
    Want,
    Welcome,
    encode,
)
from samebits.net.peer.core import PeerCore, PeerOutput
from samebits.net.relay.rules import MatchRules
from samebits.net.simnet.links import shapes
from samebits.net.simnet.world import PeerPlan, World

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
]
SEED = 5
ELSEWHERE = ("aarch64", "s390x")
LINKS = shapes(True)


def inputs(player: int) -> Callable[[int], bytes]:
    """Inputs that change every seven frames."""

    def at(frame: int) -> bytes:
        random = Random(frame // 7 * 100 + player)
        given = np.zeros(1, small().input_type.dtype)
        given["push"] = random.random() - 0.5
        given["turn"] = random.randrange(-5, 5)
        given["fire"] = random.random() < 0.1
        given["at"] = random.randrange(5)
        return to_canonical(small().input_type, given)

    return at


def world(seed: int, frames: int = 600, **more: Any) -> World:
    """A match over bad links; with an even seed one joins late, with an odd one loses its line."""
    second = SECOND * frames // 60
    late: dict[str, Any] = (
        {"drops": (second // 3, second // 2)} if seed % 2 else {"joins": second // 2}
    )
    windows = ((8, 8), (0, 8), (20, 2))[seed % 3]
    plans = [
        PeerPlan(LINKS["wifi"], LINKS["mobile"], inputs(0), window=windows[0], clock=300),
        PeerPlan(LINKS["bad"], LINKS["wifi"], inputs(1), window=windows[1], **late),
    ]
    return World(small(), plans, MatchRules(seed=SEED, frames=frames, needed=1, **more), seed)


def recorded(seed: int) -> list[Recorder]:
    """What two peers of Python heard and said in a match."""
    match = world(seed, referee=seed % 3 == 0)
    found = [record(match, slot) for slot in range(2)]
    match.run(100 * SECOND)
    assert match.broken() == []
    assert match.relay.ended is not None
    return found


def replayed(library: PeerLibrary, recorder: Recorder | _Ticket) -> list[PeerOutput]:
    """What a peer of the library says to the same calls."""
    peer = CPeer(library, recorder.ticket, inputs(0), window=recorder.window)
    found: list[PeerOutput] = []
    for call in recorder.calls:
        if call.what == "tick":
            found.append(peer.tick(call.now, call.data))
        elif call.what == "receive":
            peer.receive(call.now, call.data)
        else:
            getattr(peer, call.what)()
    assert peer.intact()
    return found


def said(outputs: list[PeerOutput]) -> list[tuple[Any, ...]]:
    """What can be compared: all but what a HELLO tells of the machine."""
    return [
        ([without_machine(message) for message in output.messages], output.events, output.wake)
        for output in outputs
    ]


def expected(recorder: Recorder) -> list[tuple[Any, ...]]:
    return said([call.output for call in recorder.calls if call.what == "tick"])


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
def test_other_processors_say_the_same_bytes(tmp_path: Path, name: str) -> None:
    target = TARGETS[name]
    if target not in EMULATED:
        pytest.skip(f"{name} is this processor")
    why = missing(target)
    if why:
        pytest.skip(why)
    command = emulated(made(small(), tmp_path, name), target)
    for recorder in (*recorded(0), *recorded(1)):
        found = driven(command, recorder.ticket, recorder.calls, recorder.window)
        assert said(found.outputs) == expected(recorder)


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
    other = match.nodes[1 - seed % 2].core.timeline
    assert other is not None
    assert peer.status.rollbacks + other.stats.rollbacks > 0


def mutated(calls: list[Call], random: Random) -> list[Call]:
    """The calls with one message that has other bits, another length, or comes out of turn."""
    found = list(calls)
    places = [n for n, call in enumerate(calls) if call.what == "receive" and call.data]
    at = random.choice(places)
    data = bytearray(calls[at].data)
    match random.randrange(5):
        case 0:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        case 1:
            del data[random.randrange(len(data)) :]
        case 2:
            place = random.randrange(len(data) + 1)
            data[place:place] = random.randbytes(random.randrange(1, 9))
        case 3:
            data = bytearray(calls[random.choice(places)].data)
        case _:
            for _ in range(random.randrange(1, 5)):
                data[random.randrange(len(data))] = random.choice((0, 0x7F, 0x80, 0xFF))
    found[at] = Call("receive", calls[at].now, bytes(data))
    stop = next((n for n in range(at + 40, len(found)) if found[n].what == "tick"), len(found))
    return found[: stop + 1]


def told_by_python(recorder: Recorder | _Ticket, calls: list[Call]) -> list[PeerOutput]:
    """What Python's core says to calls that may be wrong."""
    given = [b""]
    core = PeerCore(small(), recorder.ticket, lambda _: given[0], window=recorder.window)
    found: list[PeerOutput] = []
    for call in calls:
        if call.what == "tick":
            given[0] = call.data
            found.append(core.poll(call.now))
        elif call.what == "receive":
            core.receive(call.now, call.data)
        else:
            getattr(core, call.what)()
    return found


def without_reasons(outputs: list[PeerOutput]) -> list[tuple[Any, ...]]:
    """What was said, with no word about what was wrong: each language has its own."""
    return [
        (messages, [_plain(event) for event in events], wake)
        for messages, events, wake in said(outputs)
    ]


def _plain(event: MatchEvent) -> MatchEvent:
    if isinstance(event, TrapMet):
        return TrapMet(event.frame, "")
    return Broken("") if isinstance(event, Broken) else event


def test_wrong_messages_end_both_languages_peers_alike(library: PeerLibrary) -> None:
    random = Random(1)
    recorders = [recorder for seed in (0, 1) for recorder in recorded(seed)]
    broken = 0
    for _ in range(60):
        recorder = random.choice(recorders)
        calls = mutated(recorder.calls[:400], random)
        python = told_by_python(recorder, calls)
        peer = CPeer(library, recorder.ticket, inputs(0), window=recorder.window)
        ours: list[PeerOutput] = []
        for call in calls:
            if call.what == "tick":
                ours.append(peer.tick(call.now, call.data))
            elif call.what == "receive":
                peer.receive(call.now, call.data)
            else:
                getattr(peer, call.what)()
        assert peer.intact()
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


STATE_BYTES = small().state_size


def _record(code: int, body: bytes) -> bytes:
    return bytes([code]) + len(body).to_bytes(1, "little") + body


def _verdict(text: bytes) -> bytes:
    return _record(Verdict.TYPE, b"\1" + bytes([len(text)]) + text)


def _chunk(total: int, body: bytes, offset: int = 0, value: int = 0) -> bytes:
    return encode(Chunk(0, 1, 5, value, total, offset, body))


WRONG = {
    "a number not in its shortest form": _record(Slack.TYPE, b"\x80\0\0\0"),
    "a number of 65 bits": _record(Slack.TYPE, b"\xff" * 9 + b"\x02\0\0"),
    "a number without an end": _record(Slack.TYPE, b"\xff" * 12),
    "a number beyond its limit": _record(Bundle.TYPE, b"\2\0\0"),
    "a record that ends too late": bytes([Ping.TYPE, 9]) + bytes(8),
    "a record with a byte too many": _record(Ping.TYPE, bytes(9)),
    "a type that is not known": _record(0x7F, b""),
    "too many records": encode(Ping(1)) * 65,
    "a message too large": _record(0x80, b"") * 32769,
    "a text with a control": _verdict(b"a\nb"),
    "a text with a C1 control": _verdict("\x85".encode()),
    "a text that is too long a form": _verdict(b"\xc0\xaf"),
    "a text with half a pair": _verdict(b"\xed\xa0\x80"),
    "a text beyond Unicode": _verdict(b"\xf4\x90\x80\x80"),
    "a text that is cut": _verdict(b"\xe2\x82"),
    "frames that are not there": encode(Bundle(0, 0, 4096, b"")),
    "a frame that does not follow": encode(Bundle(0, 1, 1, b"\0\0")),
    "a frame relative to none": encode(Bundle(1, 0, 1, b"\0\0")),
    "a frame of a third player": encode(Bundle(0, 0, 1, b"\0\4")),
    "a mask for no fields": encode(Bundle(0, 0, 1, b"\0\1\x10")),
    "an input that is cut": encode(Bundle(0, 0, 1, b"\0\1\x0f\0\0\0")),
    "an entry of no event": encode(Bundle(0, 0, 1, b"\2\0\1\0\0\0")),
    "an entry of a later event": encode(Bundle(0, 0, 1, b"\2\0\1\x09\0\0")),
    "more entries than there may be": encode(Bundle(0, 0, 1, b"\2\0\xff\x7f")),
    "bytes behind frames": encode(Bundle(0, 0, 1, b"\0\0\0")),
    "an input of a third player": encode(Early(2, 3, b"\0")),
    "bytes behind an input": encode(Early(1, 3, b"\0\0")),
    "a desync of nobody": encode(Desync(3, 0, 0, b"")),
    "groups that are cut": encode(Desync(3, 0, 2, bytes(33))),
    "a report for a peer": encode(Chunk(1, 1, 0, 0, 5, 0, b"12345")),
    "a state too large": _chunk(STATE_BYTES + 1, b"x"),
    "a chunk larger than its state": _chunk(STATE_BYTES, bytes(STATE_BYTES + 400)),
    "a chunk beyond its state": _chunk(10, bytes(9)) + _chunk(10, bytes(9), 9),
    "a chunk of nothing": _chunk(STATE_BYTES, b""),
    "a state of nothing": _chunk(0, b""),
    "a state with another hash": _chunk(STATE_BYTES, bytes(STATE_BYTES)),
    "chunks of two states": _chunk(STATE_BYTES, b"x") + _chunk(STATE_BYTES, b"y", 1, 7),
    "a second welcome": encode(Refuse("", "", "", "")),
    "a record that must be resent": encode(Ack(3)),
}
RIGHT = {
    "types that may be skipped": _record(0x80, b"anything") + _record(0xFF, b""),
    "times beyond all sense": encode(
        Start(1 << 48, 1 << 48), *(Slack(1 << 40, n, 0) for n in range(1, 30))
    ),
    "frames beyond all sense": encode(Start(1 << 48, -(1 << 48)), Early(1, 1 << 48, b"\0")),
    "a state of the last frame": _chunk(
        STATE_BYTES, bytes(STATE_BYTES), 0, xxh64(bytes(STATE_BYTES))
    ),
    "chunks that are asked for": encode(*(Want(n & 1, n, 3, n * 999) for n in range(60))),
    "an input that is not canonical": encode(Bundle(0, 0, 1, b"\0\1\5\1\0\x80\x7f\7")),
    "a text in all of Unicode": _verdict("aé€𝄞".encode()),
}


def conversation(message: bytes, state: int) -> list[Call]:
    """A peer is welcomed, starts and plays; then a message comes, and it goes on."""
    welcome = Welcome(1, "m", 0, 2, 1, b"t" * 32, SEED, small().tick_rate, 2, 30, 0, state)
    calls = [Call("tick", 1, inputs(0)(0)), Call("receive", 2, encode(welcome))]
    if not state:
        calls += [Call("receive", 3, encode(Start(0, 1000)))]
    calls += [Call("tick", n * SECOND // 60, inputs(0)(n)) for n in range(1, 20)]
    calls += [Call("receive", SECOND // 3, message)]
    return calls + [Call("tick", SECOND // 3 + n * SECOND // 60, inputs(0)(n)) for n in range(20)]


class _Ticket:
    """What a recorder tells beside its calls."""

    ticket, window = "ticket", 8
    calls: list[Call]


@pytest.mark.parametrize("what", [*WRONG, *RIGHT])
def test_each_wrong_message_ends_a_peer(
    library: PeerLibrary, watched: list[str], what: str
) -> None:
    message = WRONG.get(what) or RIGHT[what]
    for state in (0, 1):
        told = _Ticket()
        told.calls = conversation(message, state)
        python = told_by_python(told, told.calls)
        found = driven(watched, told.ticket, told.calls, told.window)
        reports = "chunks that" in what  # a library gives reports by itself
        assert reports or without_reasons(found.outputs) == without_reasons(python)
        assert without_reasons(replayed(library, told)) == without_reasons(found.outputs)
        broken = [e for output in found.outputs for e in output.events if isinstance(e, Broken)]
        # While a state comes, bundles of before are passed over.
        passed = state and message[0] == Bundle.TYPE and "limit" not in what
        assert len(broken) == (what in WRONG and not passed)
