"""The table of messages: each record's type, sender and fields, and their bytes.

A message is one WebSocket message, or one datagram: records of `u8 type, varint length, body`.
Types from 0x80 on may be skipped by who doesn't know them; other unknown ones are errors. Inputs
and bundles end in bytes that `input_codec` reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, TypeVar, cast

from samebits.errors import ProtocolError
from samebits.net import limits
from samebits.net.wire import U64, Blob, Kind, Rest, Signed, Text, Varint, get_varint, put_varint

Sender = Literal["peer", "relay", "both"]


def _of(kind: Kind) -> Any:
    return field(metadata={"kind": kind})


def _number(most: int = limits.FRAME) -> Any:
    return _of(Varint(most))


def _text(most: int = limits.TEXT) -> Any:
    return _of(Text(most))


class Record:
    """One record of a message. Subclasses are the rows of the table; nobody changes one that is
    made, but frozen classes take three times as long to make."""

    TYPE: ClassVar[int]
    SENDER: ClassVar[Sender]


@dataclass(slots=True)
class Hello(Record):
    """Who is there, and what it runs. `resume` is empty, or the token of the latest WELCOME; then
    the ticket is empty. `confirmed` is how many frames it holds; `window` how far it predicts."""

    TYPE, SENDER = 0x01, "peer"
    lowest: int = _number(0xFF)
    highest: int = _number(0xFF)
    simulation: str = _text()
    version: str = _text()
    digest: str = _text(32)
    schema: int = _of(U64())
    samebits: str = _text()
    target: str = _text()
    fingerprint: str = _text()
    environment: str = _text()
    window: int = _number(3600)
    confirmed: int = _number()
    ticket: str = _text(limits.TICKET)
    resume: bytes = _of(Blob(64))


@dataclass(slots=True)
class Welcome(Record):
    """The slot, and the rules of the match. `slot` is `players` for a spectator; `resume` brings
    the peer back, to its slot once. With `snapshot` a state comes in chunks; without it the peer
    goes on with frame `begin` from the state that it has, of `init` where that is 0."""

    TYPE, SENDER = 0x02, "relay"
    protocol: int = _number(0xFF)
    match: str = _text()
    slot: int = _number(limits.PLAYERS)
    players: int = _number(limits.PLAYERS)
    epoch: int = _number()
    resume: bytes = _of(Blob(64))
    seed: int = _of(U64())
    tick_rate: int = _number(1_000_000)
    delay: int = _number(limits.AHEAD)
    most_delay: int = _number(limits.AHEAD)
    begin: int = _number()
    snapshot: int = _number(1)


@dataclass(slots=True)
class Refuse(Record):
    """Why there is no place, with both values where two differ; or, later, why there is none any
    more. The connection ends."""

    TYPE, SENDER = 0x03, "relay"
    code: str = _text(40)
    reason: str = _text()
    ours: str = _text()
    yours: str = _text()


@dataclass(slots=True)
class Ready(Record):
    """The peer can play: bundles go on with frame `frame`, its hashes with that of `hashed`, which
    is no later one."""

    TYPE, SENDER = 0x04, "peer"
    frame: int = _number()
    hashed: int = _number()


@dataclass(slots=True)
class Start(Record):
    """Frame `frame` closes `wait` nanoseconds after this was sent, and one a tick after it."""

    TYPE, SENDER = 0x05, "relay"
    frame: int = _number()
    wait: int = _of(Signed(1 << 48))


@dataclass(slots=True)
class Input(Record):
    """Inputs of `frames` / 2 frames from `confirmed` + `ahead` on, and so many `hashes` of
    confirmed frames, the last of them frame `confirmed` − `behind` − 1; the peer has the closed
    frames below `confirmed`. The body is the hashes, eight bytes each, and the inputs. Where
    `frames` is odd the first input is told by what changed since that of the frame before, else
    since zeros."""

    TYPE, SENDER = 0x06, "peer"
    confirmed: int = _number()
    ahead: int = _of(Signed(limits.FRAME))
    frames: int = _number(2 * limits.INPUT_FRAMES + 1)
    behind: int = _number()
    hashes: int = _number(limits.HASHES)
    body: bytes = _of(Rest())


@dataclass(slots=True)
class Bundle(Record):
    """Closed frames from `first` on; with `relative` the first one is told by what changed since
    the frame before, else since zeros."""

    TYPE, SENDER = 0x07, "relay"
    relative: int = _number(1)
    first: int = _number()
    frames: int = _number(limits.FRAMES)
    body: bytes = _of(Rest())


@dataclass(slots=True)
class Early(Record):
    """Another player's input for a frame that has not closed yet, where it is not that of the frame
    before, which everybody guesses. It is told by what differs from zeros."""

    TYPE, SENDER = 0x08, "relay"
    slot: int = _number(limits.PLAYERS)
    frame: int = _number()
    body: bytes = _of(Rest())


@dataclass(slots=True)
class Slack(Record):
    """How many microseconds before its frame was due the peer's latest input came, and which of
    its inputs and hashes have come: all below `received`, and the hashes below `hashed`."""

    TYPE, SENDER = 0x09, "relay"
    slack: int = _of(Signed(1 << 40))
    received: int = _number()
    hashed: int = _number()


@dataclass(slots=True)
class Ping(Record):
    """Answered by a PONG with the same number."""

    TYPE, SENDER = 0x0A, "both"
    token: int = _of(U64())


@dataclass(slots=True)
class Pong(Record):
    """The answer to a PING."""

    TYPE, SENDER = 0x0B, "both"
    token: int = _of(U64())


@dataclass(slots=True)
class Desync(Record):
    """The first frame after which hashes differ. `right` says whether the first group is known to
    be right. For each of `groups`: its hash, 8 bytes, whether it has the referee, and its slots,
    one bit each, 8 bytes."""

    TYPE, SENDER = 0x0C, "relay"
    frame: int = _number()
    right: int = _number(1)
    groups: int = _number(limits.GROUPS)
    body: bytes = _of(Rest())


@dataclass(slots=True)
class Want(Record):
    """Asks for the chunk from `offset` on of a snapshot of the latest confirmed state (`what` 0),
    or of a report that shows frame `frame` (1). Chunks of one answer have the same `request`; who
    gets one asks for the next."""

    TYPE, SENDER = 0x0D, "both"
    what: int = _number(1)
    request: int = _number(0xFFFF)
    frame: int = _number()
    offset: int = _number(limits.SNAPSHOT)


@dataclass(slots=True)
class Chunk(Record):
    """Bytes from `offset` on of `total`: of a snapshot before frame `frame`, whose state has the
    hash `hash`, or of a report. A `total` of 0 says that there is none."""

    TYPE, SENDER = 0x0E, "both"
    what: int = _number(1)
    request: int = _number(0xFFFF)
    frame: int = _number()
    hash: int = _of(U64())
    total: int = _number(limits.SNAPSHOT)
    offset: int = _number(limits.SNAPSHOT)
    body: bytes = _of(Rest())


@dataclass(slots=True)
class Pause(Record):
    """A wish to pause; the bundle that has the entry pauses."""

    TYPE, SENDER = 0x0F, "peer"
    reason: str = _text()


@dataclass(slots=True)
class Resume(Record):
    """A wish to go on after a pause."""

    TYPE, SENDER = 0x10, "peer"


@dataclass(slots=True)
class Leave(Record):
    """The peer leaves its slot for good."""

    TYPE, SENDER = 0x11, "peer"
    reason: str = _text()


@dataclass(slots=True)
class End(Record):
    """The match is over after `frames` frames; `hash` is that of the last one, 0 if unknown."""

    TYPE, SENDER = 0x12, "relay"
    reason: str = _text()
    frames: int = _number()
    hash: int = _of(U64())


@dataclass(slots=True)
class Delay(Record):
    """The peer's input delay from now on, in frames: told so that it stands in the log."""

    TYPE, SENDER = 0x13, "peer"
    delay: int = _number(limits.AHEAD)


@dataclass(slots=True)
class Trapped(Record):
    """A trap ended frame `frame` with confirmed inputs: the match can't go on."""

    TYPE, SENDER = 0x14, "peer"
    frame: int = _number()
    what: str = _text()


@dataclass(slots=True)
class Verdict(Record):
    """What a diagnosis found of the desync in frame `frame`: one line of text."""

    TYPE, SENDER = 0x15, "relay"
    frame: int = _number()
    what: str = _text(2000)


@dataclass(slots=True)
class Control(Record):
    """Another record, in `body`, over a transport that may lose it: the `number`-th of its sender,
    which has all of the other end's below `ack`. Sent again until the other end has it."""

    TYPE, SENDER = 0x16, "both"
    number: int = _number()
    ack: int = _number()
    body: bytes = _of(Rest())


@dataclass(slots=True)
class Ack(Record):
    """All CONTROL records below a number have come."""

    TYPE, SENDER = 0x17, "both"
    ack: int = _number()


@dataclass(slots=True)
class Encoded(Record):
    """Records as bytes: written once, and sent to many."""

    data: bytes


ROWS: tuple[type[Record], ...] = (
    Hello, Welcome, Refuse, Ready, Start, Input, Bundle, Early, Slack, Ping, Pong, Desync, Want,
    Chunk, Pause, Resume, Leave, End, Delay, Trapped, Verdict, Control, Ack,
)  # fmt: skip
"""The table, in order of types."""
SKIPPED = 0x80
"""Unknown types from here on are skipped."""


def kinds_of(row: type[Record]) -> list[tuple[str, Kind]]:
    """The fields of a row, in order: name and kind."""
    return [(f.name, f.metadata["kind"]) for f in fields(cast("Any", row))]


_KINDS: dict[type[Record], list[tuple[str, Kind]]] = {row: kinds_of(row) for row in ROWS}
_WRITERS: dict[type[Record], Any] = {
    row: tuple(
        (name, kind.most if isinstance(kind, Varint) else -1, isinstance(kind, Signed), kind.write)
        for name, kind in _KINDS[row]
    )
    for row in ROWS
}
"""For each field its name, its largest number if it is a varint, whether it has a sign, and how to
write it."""
_BY_TYPE: dict[str, dict[int, type[Record]]] = {
    sender: {row.TYPE: row for row in ROWS if row.SENDER in (sender, "both")}
    for sender in ("peer", "relay")
}
_READERS: dict[type[Record], Any] = {
    row: tuple(
        (kind.most if isinstance(kind, Varint) else -1, isinstance(kind, Rest), kind.read)
        for _, kind in _KINDS[row]
    )
    for row in ROWS
}
"""For each field its largest number if it is a varint, whether it is all that is left, and how to
read it."""
_R = TypeVar("_R", bound=Record)


def encode(*records: Record) -> bytes:
    """The message of some records. Raises ProtocolError for a field beyond its limit."""
    out = bytearray()
    for record in records:
        row = type(record)
        if isinstance(record, Encoded):
            out += record.data
            continue
        body = bytearray()
        for name, most, signed, write in _WRITERS[row]:
            value = getattr(record, name)
            if signed and -0x2000 <= value < 0x2000:
                value = value << 1 if value >= 0 else (-value << 1) - 1
                most = 0x3FFF
            if most < 0 or not 0 <= value <= most or value > 0x3FFF:
                write(body, value)
            elif value < 0x80:
                body.append(value)
            else:
                body.append(value & 0x7F | 0x80)
                body.append(value >> 7)
        out.append(row.TYPE)
        size = len(body)
        if size < 0x80:
            out.append(size)
        else:
            put_varint(out, size)
        out += body
    return bytes(out)


def is_lone_input(message: bytes) -> bool:
    """Whether a message of a peer begins as one INPUT and nothing else, as nearly all do."""
    return 10 <= len(message) < 0x82 and message[0] == Input.TYPE and message[1] == len(message) - 2


def decode(message: bytes, sender: Literal["peer", "relay"]) -> list[Record]:
    """The records of a message from a peer or from a relay. Raises ProtocolError."""
    found: list[Record] = []
    known = _BY_TYPE[sender]
    at, end = 0, len(message)
    while at < end:
        if len(found) == limits.RECORDS:
            raise ProtocolError(f"a message has more than {limits.RECORDS} records")
        code = message[at]
        size, at = get_varint(message, at + 1, end, limits.MESSAGE)
        stop = at + size
        if stop > end:
            raise ProtocolError(f"a record of {size} bytes ends within the message")
        row = known.get(code)
        if row is not None:
            found.append(_read(row, message, at, stop))
        elif code < SKIPPED:
            raise ProtocolError(f"a record has the type 0x{code:02x}, which no {sender} sends")
        at = stop
    return found


def _read(row: type[Record], data: bytes, at: int, end: int) -> Record:
    values: list[Any] = []
    for most, rest, read in _READERS[row]:
        value = data[at] if at < end else 0xFF
        if rest:
            values.append(data[at:end])
            at = end
        elif value < 0x80 and value <= most:
            # One byte, as most numbers have; frames have two for minutes.
            values.append(value)
            at += 1
        elif most > 0x3FFF and at + 1 < end and 0 < (high := data[at + 1]) < 0x80 <= value:
            values.append(value & 0x7F | high << 7)
            at += 2
        else:
            value, at = read(data, at, end)
            values.append(value)
    if at != end:
        raise ProtocolError(f"a {row.__name__.upper()} has {end - at} bytes too many")
    return cast("Any", row)(*values)
