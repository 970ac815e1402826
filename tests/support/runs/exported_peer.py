"""Peers of an exported library in the form of Python's own core, and recorded calls of a core.

What one core heard and said is written down, so that another one can be put into its place.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from samebits.bits import from_canonical, to_canonical
from samebits.net.events import (
    Away,
    Broken,
    DelayChanged,
    Desynced,
    Ended,
    HashGroup,
    Joined,
    Left,
    MatchEvent,
    Paused,
    Refused,
    Started,
    Substituted,
    TrapMet,
    VerdictKnown,
)
from samebits.net.messages import Hello, Record, Trapped, decode, encode
from samebits.net.peer.core import PeerCore, PeerOutput, PeerState
from samebits.net.peer.pacing import Pacer
from samebits.net.peer.timeline import HISTORY, TimelineStats
from samebits.net.simnet.world import World
from samebits.sim.simulation import Simulation

NEVER = (1 << 63) - 1
PHASES = tuple(PeerState)
"""The states of Python's core in the order of the header's numbers."""


class Group(ctypes.Structure):
    """`NAME_peer_group`."""

    _fields_ = (
        ("hash", ctypes.c_uint64),
        ("slots", ctypes.c_uint64),
        ("referee", ctypes.c_int32),
    )


class CEvent(ctypes.Structure):
    """`NAME_peer_event`."""

    _fields_ = (
        ("what", ctypes.c_int32), ("slot", ctypes.c_int32), ("frame", ctypes.c_uint64),
        ("value", ctypes.c_uint64), ("slots", ctypes.c_uint64), ("text", ctypes.c_char_p),
        ("code", ctypes.c_char_p), ("ours", ctypes.c_char_p), ("theirs", ctypes.c_char_p),
        ("groups", ctypes.POINTER(Group)), ("count", ctypes.c_size_t),
    )  # fmt: skip


class Options(ctypes.Structure):
    """`NAME_peer_options`."""

    _fields_ = (
        ("ticket", ctypes.c_char_p), ("window", ctypes.c_size_t), ("kept", ctypes.c_size_t),
        ("spectator", ctypes.c_int32), ("least_delay", ctypes.c_int32),
        ("machine", ctypes.c_char_p),
    )  # fmt: skip


class Status(ctypes.Structure):
    """`NAME_peer_status`."""

    _fields_ = (
        ("phase", ctypes.c_int32), ("slot", ctypes.c_int32), ("players", ctypes.c_uint64),
        ("seed", ctypes.c_uint64), ("frame", ctypes.c_uint64), ("confirmed", ctypes.c_uint64),
        ("final", ctypes.c_uint64), ("delay", ctypes.c_uint64), ("rtt", ctypes.c_int64),
        ("stalls", ctypes.c_uint64), ("rollbacks", ctypes.c_uint64),
        ("replayed", ctypes.c_uint64), ("deepest", ctypes.c_uint64),
        ("restores", ctypes.c_uint64), ("restored", ctypes.c_uint64), ("lost", ctypes.c_uint64),
    )  # fmt: skip


def slots_of(mask: int) -> tuple[int, ...]:
    return tuple(n for n in range(64) if mask >> n & 1)


def python_event(event: CEvent) -> MatchEvent:
    """An event of the library as Python's core tells it."""
    slot, frame, value = event.slot, event.frame, event.value
    text = event.text.decode()
    what = int(event.what)
    match what:
        case 1 | 2 | 3:
            return (Joined, Left, Away)[what - 1](slot, frame)
        case 4:
            return Substituted(slots_of(event.slots), frame)
        case 5:
            return Started(frame)
        case 6:
            return Paused(frame)
        case 7:
            return DelayChanged(slot, value, frame)
        case 8:
            groups = tuple(
                HashGroup(group.hash, slots_of(group.slots), bool(group.referee))
                for group in event.groups[: event.count]
            )
            return Desynced(frame, groups, bool(event.slots))
        case 9:
            return VerdictKnown(frame, text)
        case 10:
            return TrapMet(frame, text)
        case 11:
            code, ours, theirs = event.code, event.ours, event.theirs
            return Refused(code.decode(), text, ours.decode(), theirs.decode())
        case 12:
            return Ended(text, frame, value)
        case _:
            assert what == 13
            return Broken(text)


class PeerLibrary:
    """The peers of a shared library, and the sizes that its headers tell."""

    def __init__(self, folder: Path, simulation: Simulation, name: str) -> None:
        self.simulation, self.name = simulation, name
        self._library = ctypes.CDLL(str(folder / f"lib{name}.so"))
        text = (folder.parent / f"{name}.h").read_text()
        text += (folder.parent / f"{name}_peer.h").read_text()
        plain = text.replace("\\\n", "").replace("/", "//")
        plain = re.sub(r"\((?:size_t|uint64_t)\)", "", plain)
        self._macros = re.findall(r"#define (\w+_BYTES)(?:\(([a-z, ]+)\))? +(.*)", plain)
        returns = {"open": ctypes.c_void_p, "tick": ctypes.c_int64, "send": ctypes.c_size_t,
                   "next_event": ctypes.c_int32, "token": ctypes.c_size_t,
                   "come_back": ctypes.c_int32, "hash": ctypes.c_int32,
                   "inputs": ctypes.c_int32, "report": ctypes.c_size_t,
                   "state": ctypes.c_void_p}  # fmt: skip
        for ending in (*returns, "receive", "get_status", "reconnect", "pause", "go_on", "leave"):
            self.function(ending).restype = returns.get(ending)

    def function(self, ending: str) -> Any:
        return getattr(self._library, f"{self.name}_peer_{ending}")

    def size(self, macro: str, **values: int) -> int:
        """What a macro of the headers gives for arguments of these names."""
        names: dict[str, Any] = {}
        for name, parameters, body in self._macros:
            if parameters:
                names[name] = eval(f"lambda {parameters}: {body}", names)
            elif "_REPORT_" in name:
                names[name] = eval(body, names)
        found = names[f"{self.name.upper()}_{macro}"]
        return int(found(**values) if values else found)


class _Timeline:
    """What SimNet looks at of a peer's timeline."""

    def __init__(self, peer: CPeer) -> None:
        self._peer = peer
        self.hashes = _Hashes(peer)

    @property
    def confirmed(self) -> int:
        return int(self._peer.status.confirmed)

    @property
    def finished(self) -> int:
        return int(self._peer.status.final)

    @property
    def stats(self) -> TimelineStats:
        status = self._peer.status
        return TimelineStats(restores=status.restores, restored=status.restored)

    @property
    def oldest_row(self) -> int:
        return 0

    def row(self, frame: int) -> bytes | None:
        return self._peer.row(frame)


class _Hashes:
    def __init__(self, peer: CPeer) -> None:
        self._peer = peer

    def __contains__(self, frame: int) -> bool:
        return self._peer.hash(frame) is not None

    def __getitem__(self, frame: int) -> int:
        found = self._peer.hash(frame)
        assert found is not None
        return found


class CPeer:
    """One peer of a library, in exactly the memory that its header asks for."""

    def __init__(
        self,
        library: PeerLibrary,
        ticket: str,
        inputs: Callable[[int], bytes],
        *,
        window: int = 8,
        kept: int = HISTORY,
        spectator: bool = False,
        token: bytes = b"",
    ) -> None:
        self.library, self._inputs = library, inputs
        size = library.size("PEER_BYTES", window=window, kept=kept)
        self._memory = ctypes.create_string_buffer(b"\xa5" * (size + 64), size + 64)
        options = Options(ticket.encode(), window, kept, spectator, 0, b"a test")
        self._call = library.function
        self._peer = ctypes.c_void_p(
            self._call("open")(self._memory, ctypes.c_size_t(size), ctypes.byref(options))
        )
        assert self._peer.value
        assert not token or self.come_back(token)
        self.timeline = _Timeline(self)
        self.pacer = Pacer(library.simulation.tick_rate)

    def intact(self) -> bool:
        """Whether nothing behind the memory was written."""
        return self._memory.raw[-64:] == b"\xa5" * 64

    @property
    def status(self) -> Status:
        found = Status()
        self._call("get_status")(self._peer, ctypes.byref(found))
        return found

    @property
    def state(self) -> PeerState:
        return PHASES[int(self.status.phase)]

    @property
    def over(self) -> bool:
        return self.state is PeerState.OVER

    def hash(self, frame: int) -> int | None:
        found = ctypes.c_uint64()
        known = self._call("hash")(self._peer, ctypes.c_uint64(frame), ctypes.byref(found))
        return found.value if known else None

    def row(self, frame: int) -> bytes | None:
        """All players' canonical inputs of a frame."""
        t = self.library.simulation.input_type
        players = self.library.simulation.players
        memory = ctypes.create_string_buffer(t.size * players)
        if not self._call("inputs")(self._peer, ctypes.c_uint64(frame), memory):
            return None
        return to_canonical(t, np.frombuffer(memory.raw, t.dtype))

    def receive(self, now_ns: int, message: bytes) -> None:
        # Memory of its own size, so that a checker sees what is read beyond it.
        held = (ctypes.c_uint8 * len(message)).from_buffer_copy(message)
        self._call("receive")(
            self._peer, ctypes.c_int64(now_ns), held, ctypes.c_size_t(len(message))
        )

    def poll(self, now_ns: int) -> PeerOutput:
        status = self.status
        given = self._inputs(status.frame + status.delay)
        return self.tick(now_ns, given)

    def tick(self, now_ns: int, given: bytes) -> PeerOutput:
        memory = from_canonical(self.library.simulation.input_type, given)
        wake = self._call("tick")(
            self._peer, ctypes.c_int64(now_ns), ctypes.c_void_p(memory.ctypes.data)
        )
        output = PeerOutput(wake=None if wake == NEVER else wake)
        at = ctypes.POINTER(ctypes.c_uint8)()
        while size := self._call("send")(self._peer, ctypes.byref(at)):
            output.messages.append(ctypes.string_at(at, size))
        event = CEvent()
        while self._call("next_event")(self._peer, ctypes.byref(event)):
            output.events.append(python_event(event))
        return output

    def report(self, frame: int) -> bytes:
        room = self.library.size("PEER_REPORT_BYTES")
        memory = ctypes.create_string_buffer(room)
        size = self._call("report")(
            self._peer, ctypes.c_uint64(frame), memory, ctypes.c_size_t(room)
        )
        return memory.raw[:size]

    @property
    def token(self) -> bytes:
        found = ctypes.create_string_buffer(64)
        size = self._call("token")(self._peer, found)
        return found.raw[:size]

    def come_back(self, token: bytes) -> bool:
        return bool(self._call("come_back")(self._peer, token, ctypes.c_size_t(len(token))))

    def reconnect(self) -> None:
        self._call("reconnect")(self._peer)

    def pause(self) -> None:
        self._call("pause")(self._peer)

    def go_on(self) -> None:
        self._call("go_on")(self._peer)

    def leave(self) -> None:
        self._call("leave")(self._peer)


@dataclass
class Call:
    """One call of a core, and what came of it."""

    what: str
    now: int = 0
    data: bytes = b""
    output: PeerOutput = field(default_factory=PeerOutput)


class Recorder:
    """A core of Python whose calls are written down. Its inputs hold for a whole call of `poll`, as
    those of other languages' cores do."""

    def __init__(
        self, core: PeerCore, ticket: str, inputs: Callable[[int], bytes], given: list[bytes]
    ) -> None:
        self._core, self._inputs, self._given = core, inputs, given
        self.ticket = ticket
        self.calls: list[Call] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def receive(self, now_ns: int, message: bytes) -> None:
        self.calls.append(Call("receive", now_ns, message))
        self._core.receive(now_ns, message)

    def poll(self, now_ns: int) -> PeerOutput:
        self._given[0] = self._inputs(self._core.frame + self._core.pacer.delay)
        output = self._core.poll(now_ns)
        self.calls.append(Call("tick", now_ns, self._given[0], output))
        return output

    def _plain(self, what: str) -> None:
        self.calls.append(Call(what))
        getattr(self._core, what)()

    def reconnect(self) -> None:
        self._plain("reconnect")

    def pause(self) -> None:
        self._plain("pause")

    def go_on(self) -> None:
        self._plain("go_on")

    def leave(self) -> None:
        self._plain("leave")


def record(world: World, slot: int) -> Recorder:
    """Have the calls of a slot's core written down, before the world runs."""
    node = world.nodes[slot]
    plan = node.plan
    given = [b""]
    ticket = node.core._ticket  # pyright: ignore[reportPrivateUsage]
    core = PeerCore(
        world.simulation, ticket, lambda _: given[0], window=plan.window, spectator=plan.spectator
    )
    found = Recorder(core, ticket, plan.inputs, given)
    node.core = found  # pyright: ignore[reportAttributeAccessIssue]
    return found


def put_in(world: World, slot: int, library: PeerLibrary) -> CPeer:
    """Have a peer of the library play a slot, before the world runs."""
    node = world.nodes[slot]
    plan = node.plan
    ticket = node.core._ticket  # pyright: ignore[reportPrivateUsage]
    found = CPeer(library, ticket, plan.inputs, window=plan.window, spectator=plan.spectator)
    node.core = found  # pyright: ignore[reportAttributeAccessIssue]
    return found


def without_machine(message: bytes) -> bytes:
    """A message whose HELLO tells nothing of the machine, and whose TRAPPED has no text: that of a
    library has no values in it."""
    records = decode(message, "peer")
    if not any(isinstance(record, Hello | Trapped) for record in records):
        return message
    return encode(*map(_plain, records))


def _plain(record: Record) -> Record:
    if isinstance(record, Hello):
        return replace(record, target="", fingerprint="", environment="")
    return replace(record, what="") if isinstance(record, Trapped) else record
