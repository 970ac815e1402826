"""Tables of records and numbers that peers outside Python share with the Python one.

Owns their C text, so that no number stands twice. Knows nothing of what they are used for.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from samebits.export.interface import Interface
from samebits.net import limits, messages, transfers
from samebits.net.input_codec import Event, InputCodec
from samebits.net.peer import core, delay, outbox, pacing, timeline
from samebits.net.wire import U64, Blob, Kind, Rest, Signed, Text, Varint
from samebits.sim.rollback import MOST_FRAMES

_TAKEN: tuple[tuple[ModuleType, str, str], ...] = (
    (limits, "AHEAD", "AHEAD"),
    (limits, "MESSAGE_UP", "MESSAGE_UP"),
    (limits, "CHUNK", "CHUNK_BYTES"),
    (limits, "RECORDS", "MOST_RECORDS"),
    (limits, "TEXT", "MOST_TEXT"),
    (limits, "TICKET", "MOST_TICKET"),
    (limits, "PLAYERS", "MOST_PLAYERS"),
    (limits, "GROUPS", "MOST_GROUPS"),
    (outbox, "AT_ONCE", "HASHES_AT_ONCE"),
    (pacing, "SAMPLES", "SAMPLES"),
    (pacing, "RECENT", "RECENT"),
    (pacing, "_NOTED", "NOTED"),
    (pacing, "_GENTLE", "GENTLE"),
    (pacing, "_FAST", "FAST"),
    (pacing, "_FAR", "FAR"),
    (pacing, "_MOST_JITTER", "MOST_JITTER"),
    (delay, "ROUND_TRIPS", "ROUND_TRIPS"),
    (delay, "LATE", "LATE"),
    (delay, "WITHIN", "WITHIN"),
    (delay, "MOST_MARGIN", "MOST_MARGIN"),
    (delay, "STALLS", "STALLS"),
    (delay, "MOST_EXTRA", "MOST_EXTRA"),
    (delay, "CALM", "CALM"),
    (delay, "REST", "REST"),
    (core, "MOST_TICKS", "MOST_TICKS"),
    (timeline, "MOST_AT_ONCE", "MOST_AT_ONCE"),
    (timeline, "KEYFRAMES", "KEYFRAMES"),
    (transfers, "SNAPSHOT", "SNAPSHOT"),
    (transfers, "REPORT", "REPORT"),
)
"""Small numbers: module, name there, name in C."""
_TIMES: tuple[tuple[ModuleType, str, str], ...] = (
    (limits, "SECOND", "SECOND"),
    (limits, "IDLE", "IDLE"),
    (core, "PING_EVERY", "PING_EVERY"),
    (core, "FIRST_PINGS", "FIRST_PINGS"),
    (transfers, "AGAIN", "ASK_AGAIN"),
)
"""The same of times in nanoseconds."""

EVENTS = 256
"""Events that wait to be taken."""
REPORT_SPAN = 160
"""Most frames of a report."""
ROWS_AHEAD = 2048
"""Final frames that may wait to be played, before they are played while they come."""
_STRUCT = 40 << 10
"""More than a peer takes beside what its simulation's sizes change."""
_EARLY = _OUTBOX = 256
"""Frames of inputs that are not final, and of those that are sent: more than may be ahead."""
_GOING = 4
"""States and reports that the relay may take at one time."""
RESUME = 64
"""Most bytes of what brings a peer back to its slot."""
_AREAS = 64 * 48
"""What parts of the memory lose by being aligned."""
_HELLO = 8192
"""More than a HELLO takes, and small records beside it."""

_OWN = {
    "EVENTS": EVENTS,
    "EARLY_FRAMES": _EARLY,
    "OUTBOX_FRAMES": _OUTBOX,
    "GOING": _GOING,
    "PINGS": 64,
    "MOST_VERDICT": 2000,
    "MOST_RESUME": RESUME,
    "MOST_MACHINE": 200,
    "MOST_KEPT": 36000,
    "MOST_ENVIRONMENT": 32,
    "REPORT_SPAN": REPORT_SPAN,
    "REPORT_BEFORE": 64,
    "REPORT_BEHIND": 16,
}


def constants(codec: InputCodec) -> str:
    """The numbers as C, times of 64 bits as macros."""
    room, out = _rooms(codec)
    derived = {
        "MOST_ENTRIES": limits.RECORDS * 8,
        "MOST_EVENT": max(Event),
        "KEYFRAME_EVERY": timeline.HISTORY // timeline.KEYFRAMES,
        "MOST_WRONG": max(delay.LATE, delay.STALLS),
        "TRAP_TEXT": limits.TEXT // 4,
        "INPUT_ROOM": room,
        "MOST_INPUT_FRAMES": codec.frames_at_once,
        "OUT_RESERVE": _HELLO + 4 * room,
        "OUT_BYTES": out,
    }
    small = {name: int(vars(module)[own]) for module, own, name in _TAKEN} | _OWN | derived
    times = [f"#define {name} INT64_C({vars(module)[own]})" for module, own, name in _TIMES]
    rows = [f"    {name} = {value}," for name, value in small.items()]
    events = [f"    EVENT_{event.name} = {event.value}," for event in Event]
    frame = f"#define MOST_FRAME UINT64_C({limits.FRAME})"
    return "\n".join([*times, frame, "enum {", *rows, "};", "enum {", *events, "};"])


def record_places() -> dict[str, object]:
    """The table of messages as C, by the places of the template."""
    rows, kinds, fields = list[str](), list[str](), list[str]()
    first = most = 0
    for row in messages.ROWS:
        name = row.__name__.upper()
        found = messages.kinds_of(row)
        senders = {"peer": "OF_PEER", "relay": "OF_RELAY", "both": "OF_PEER | OF_RELAY"}
        rows.append(f"    {{{name}, {senders[row.SENDER]}, {first}, {len(found)}}},")
        names = [f"{name}_{own.upper()}" for own, _ in found]
        fields.append(f"enum {{ {', '.join([*names, f'{name}_FIELDS'])} }};")
        kinds.append(f"    /* {name} */")
        kinds += [f"    {{{', '.join(_kind(kind))}}}," for _, kind in found]
        first += len(found)
        most = max(most, len(found))
    types = [f"    {row.__name__.upper()} = 0x{row.TYPE:02x}," for row in messages.ROWS]
    return {
        "RECORD_TYPES": "\n".join(types),
        "RECORD_FIELDS": "\n".join(fields),
        "RECORD_ROWS": "\n".join(rows),
        "FIELD_KINDS": "\n".join(kinds),
        "MOST_FIELDS": most,
        "SKIPPED": messages.SKIPPED,
        "MESSAGE": limits.MESSAGE,
    }


def _kind(kind: Kind) -> Iterator[str]:
    match kind:
        case Text(most):
            yield from ("AS_TEXT", f"{most}")
        case Blob(most):
            yield from ("AS_BLOB", f"{most}")
        case Varint(most):
            yield from ("AS_VARINT", f"UINT64_C({most})")
        case Signed(most):
            yield from ("AS_SIGNED", f"UINT64_C({most})")
        case U64():
            yield from ("AS_U64", "0")
        case Rest():
            yield from ("AS_REST", "0")
        case _:
            raise TypeError(kind)


def _rooms(codec: InputCodec) -> tuple[int, int]:
    """Bytes that are enough for an INPUT, and for what waits to be sent."""
    mask = -(-len(codec.groups) // 8)
    room = 64 + 8 * limits.HASHES + limits.INPUT_FRAMES * (mask + codec.size)
    return room, 2 * (limits.CHUNK + 512) + _HELLO + 4 * room


def memory_places(interface: Interface, codec: InputCodec) -> dict[str, object]:
    """The sizes of a peer's memory, by the places of its header.

    A report's room does not depend on traps but for the length of their texts, for which there is
    some more.
    """
    state, players = interface.state.size, interface.players
    own, saved = interface.input.size, interface.state_bytes
    frame = players * codec.size
    room, out = _rooms(codec)
    parts = (
        _STRUCT,
        _AREAS,
        _EARLY * players * (8 + codec.size),
        3 * frame + codec.size,
        8 * -(-saved // 8) + state + 64,
        (REPORT_SPAN + 2) * players * own,
        (timeline.KEYFRAMES + 3) * state,
        _OUTBOX * codec.size,
        room,
        (1 + _GOING) * saved,
        out,
    )
    return {
        "MOST_RESUME": RESUME,
        "PEER_STRUCT": _STRUCT,
        "PEER_PARTS": sum(parts),
        "PEER_AHEAD": ROWS_AHEAD,
        "STATE_PITCH": state,
        "FRAME_PITCH": frame,
        "REPORT_SPAN": REPORT_SPAN,
        "EVENTS": EVENTS,
        "PROTOCOL": limits.PROTOCOL,
        "MESSAGE": limits.MESSAGE,
        "TICKET": limits.TICKET,
        "AHEAD": limits.AHEAD,
        "MOST_WINDOW": MOST_FRAMES,
        "MOST_KEPT": _OWN["MOST_KEPT"],
    }
