"""Conversations of peers with a relay, recorded, mutated and written out: for peers of any form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from samebits.bits import to_canonical, xxh64
from samebits.net.events import Broken, MatchEvent, TrapMet
from samebits.net.limits import SECOND
from samebits.net.messages import (
    Ack,
    Bundle,
    Chunk,
    Desync,
    Early,
    Ping,
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
from tests.support.runs.exported import small
from tests.support.runs.exported_peer import (
    Call,
    CPeer,
    PeerLibrary,
    Recorder,
    record,
    without_machine,
)

SEED = 5


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


@dataclass
class Told:
    """Calls, and what else a recorder tells."""

    calls: list[Call]
    ticket: str = "ticket"
    window: int = 8


def replayed(library: PeerLibrary, recorder: Recorder | Told) -> list[PeerOutput]:
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


def told_by_python(recorder: Recorder | Told, calls: list[Call]) -> list[PeerOutput]:
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
    "a second welcome": encode(Welcome(1, "m", 0, 2, 1, b"", SEED, 60, 2, 30, 0, 0)),
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


def ended_rightly(what: str, message: bytes, state: int, outputs: list[PeerOutput]) -> bool:
    """Whether a wrong message ended the conversation, and no other did."""
    broken = [e for output in outputs for e in output.events if isinstance(e, Broken)]
    # While a state comes, bundles of before are passed over.
    passed = state and message[0] == Bundle.TYPE and "limit" not in what
    return len(broken) == (what in WRONG and not passed)
