"""Records, inputs, tickets and transfers on the wire: what is written is read, and nothing else."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.simulations.crowd_simulation import crowd
from tests.support.simulations.half_simulation import SIMULATION as HALF
from tests.support.simulations.small_simulation import SMALL

from samebits.bits import canonical_size, xxh64
from samebits.errors import ArgumentError, MatchError, ProtocolError
from samebits.net import limits
from samebits.net.input_codec import ClosedFrame, Entry, Event, InputCodec
from samebits.net.messages import (
    ROWS,
    SKIPPED,
    Chunk,
    Ping,
    Record,
    Refuse,
    decode,
    encode,
    kinds_of,
)
from samebits.net.tickets import TicketBooth, make_ticket, read_ticket
from samebits.net.transfers import AGAIN, SNAPSHOT, Incoming, Outgoing
from samebits.net.wire import U64, Blob, Rest, Signed, Text, Varint, get_varint, put_varint
from samebits.sim.players import random_inputs
from samebits.sim.simulation import Simulation

SECRET = b"0123456789abcdef"
NOW = 1_700_000_000 * limits.SECOND


def value_of(kind: Any, data: st.DataObject) -> Any:
    match kind:
        case Varint():
            return data.draw(st.integers(0, kind.most))
        case Signed():
            return data.draw(st.integers(-kind.most, kind.most))
        case U64():
            return data.draw(st.integers(0, 2**64 - 1))
        case Text():
            letters = st.characters(max_codepoint=0x2FF).filter(str.isprintable)
            return data.draw(st.text(letters, max_size=kind.most // 4))
        case Blob():
            return data.draw(st.binary(max_size=min(kind.most, 64)))
        case _:
            assert isinstance(kind, Rest)
            return data.draw(st.binary(max_size=64))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
@given(data=st.data())
def test_a_record_is_read_as_it_was_written(row: type[Record], data: st.DataObject) -> None:
    values = [value_of(kind, data) for _, kind in kinds_of(row)]
    record = cast("Any", row)(*values)
    sender: Literal["peer", "relay"] = "relay" if row.SENDER == "both" else row.SENDER
    message = encode(record, Ping(7)) if row.SENDER != "relay" else encode(record)
    if row.SENDER == "both":
        assert decode(message, "peer") == decode(message, "relay") == [record, Ping(7)]
    else:
        assert decode(message, sender)[0] == record
        other: Literal["peer", "relay"] = "peer" if sender == "relay" else "relay"
        with pytest.raises(ProtocolError, match="which no"):
            decode(message, other)


def test_types_and_field_names_of_the_table_are_unique() -> None:
    assert len({row.TYPE for row in ROWS}) == len(ROWS)
    assert all(row.TYPE < SKIPPED for row in ROWS)
    assert all(len(fields(cast("Any", row))) == len(kinds_of(row)) for row in ROWS)


def test_unknown_records_are_skipped_from_0x80_on_and_are_errors_below() -> None:
    assert decode(b"\x80\x03abc" + encode(Ping(1)), "peer") == [Ping(1)]
    for bad in (b"\x7f\x00", b"\x0a\x07" + bytes(7), b"\x0a\x09" + bytes(9), b"\x0a", b"\x0a\x80"):
        with pytest.raises(ProtocolError):
            decode(bad, "peer")
    with pytest.raises(ProtocolError, match="more than 64 records"):
        decode(encode(*[Ping(n) for n in range(65)]), "peer")


@given(st.integers(0, 2**64 - 1))
def test_varints_have_one_form(value: int) -> None:
    out = bytearray()
    put_varint(out, value)
    assert get_varint(bytes(out), 0, len(out), 2**64) == (value, len(out))
    longer = bytes([*out[:-1], out[-1] | 0x80, 0])
    with pytest.raises(ProtocolError):
        get_varint(longer, 0, len(longer), 2**64)
    with pytest.raises(ProtocolError):
        get_varint(bytes(out), 0, len(out) - 1, 2**64)
    if value:
        with pytest.raises(ProtocolError, match="more than"):
            get_varint(bytes(out), 0, len(out), value - 1)


@pytest.mark.parametrize("simulation", [crowd(4), SMALL, HALF], ids=lambda s: s.name)
def test_inputs_are_read_as_they_were_written(simulation: Simulation) -> None:
    codec = InputCodec(simulation)
    rows = random_inputs(simulation, 0, 40, 5)
    before, written = codec.zeros, bytearray()
    frames: list[ClosedFrame] = []
    for n, row in enumerate(rows):
        entries = (Entry(Event.JOIN, 1, 2), Entry(Event.HEAL, 0, 1 << 40)) if n % 7 == 0 else ()
        given = simulation.inputs.to_bytes(row.reshape(1, -1)) if n % 3 else before
        frames.append(ClosedFrame(given, n % 4 & (1 << simulation.players) - 1, entries))
        codec.put_frame(written, before, frames[-1])
        before = given
    at, before = 0, codec.zeros
    for frame in frames:
        found, at = codec.get_frame(bytes(written), at, before)
        assert found == frame
        before = found.row
    assert at == len(written)
    memory = codec.memory(b"".join(frame.row for frame in frames))
    assert simulation.inputs.to_bytes(memory) == b"".join(frame.row for frame in frames)


def test_what_comes_from_the_wire_is_canonical() -> None:
    codec = InputCodec(crowd(2))
    out = bytearray()
    codec.put(out, codec.zero, b"\x01\x02\x07\x01\x00\xc0\xff")
    found, at = codec.get(bytes(out), 0, codec.zero)
    assert (found, at) == (b"\x01\x02\x01\x00\x00\xc0\x7f", len(out))
    assert codec.skip(bytes(out), 0) == len(out)
    for bad in (b"", b"\x10", b"\x0f\x01"):
        with pytest.raises(ProtocolError):
            codec.get(bad, 0, codec.zero)
    assert canonical_size(crowd(2).input_type) == codec.size == 7


def test_a_ticket_is_good_once_until_it_expires_and_for_its_relay() -> None:
    booth = TicketBooth(SECRET, relay="here")
    text = make_ticket(SECRET, "m", 1, now_ns=NOW, seconds=60, relay="here")
    with pytest.raises(MatchError, match="for match 'm', not 'other'"):
        booth.check(text, NOW, "other")
    ticket = booth.check(text, NOW, "m")
    assert (ticket.match, ticket.slot, ticket.role) == ("m", 1, "player")
    cases = (
        (text, NOW, "used before"),
        (make_ticket(SECRET, "m", now_ns=NOW, seconds=60), NOW + 60 * limits.SECOND, "expired 0"),
        (make_ticket(SECRET, "m", now_ns=NOW, relay="there"), NOW, "for relay 'there'"),
        (make_ticket(b"another secret!!", "m", now_ns=NOW), NOW, "signature"),
        *(
            (text[:-1] + last, NOW, "signature|is not one")
            for last in "ABCDEFGHabcdefgh01234567-_"
            if last != text[-1]
        ),
        ("nonsense", NOW, "not one|signature"),
        ("é.é", NOW, "not one"),
        ("", NOW, "signature"),
    )
    for text, now, why in cases:
        with pytest.raises(MatchError, match=why):
            booth.check(text, now, "m")


def test_tickets_that_make_no_sense_are_not_made() -> None:
    for slot, seconds, role, secret in (
        (64, 60, "player", SECRET), (0, 0, "player", SECRET), (0, 3601, "player", SECRET),
        (0, 60, "king", SECRET), (0, 60, "player", b"short"),
    ):  # fmt: skip
        with pytest.raises(ArgumentError):
            make_ticket(secret, "m", slot, now_ns=NOW, seconds=seconds, role=cast("Any", role))
    with pytest.raises(ArgumentError):
        make_ticket(SECRET, "", now_ns=NOW)
    assert read_ticket(SECRET, make_ticket(SECRET, "m", now_ns=NOW, nonce="n")).nonce == "n"


def test_a_transfer_comes_whole_though_chunks_are_lost_and_doubled() -> None:
    data = np.random.default_rng(1).bytes(3 * limits.CHUNK + 17)
    outgoing = Outgoing(SNAPSHOT, 3, 9, data)
    incoming = Incoming(SNAPSHOT, 3, 0, len(data), 0)
    now = 0
    for lost in range(100):
        want = incoming.want(now)
        if want is not None and lost % 3:
            for _ in range(2):
                incoming.take(outgoing.chunk(want.offset), now)
        if incoming.whole:
            break
        now += AGAIN
    assert incoming.whole
    assert (incoming.data, incoming.frame, incoming.hash) == (data, 9, xxh64(data))
    assert incoming.want(now + AGAIN) is None


def test_a_transfer_larger_than_was_expected_is_refused() -> None:
    incoming = Incoming(SNAPSHOT, 1, 0, 100, 0)
    with pytest.raises(ProtocolError, match="at most 100"):
        incoming.take(Chunk(SNAPSHOT, 1, 0, 0, 101, 0, b"x"), 0)
    incoming.take(Chunk(SNAPSHOT, 1, 0, 5, 100, 0, b"x" * 60), 0)
    for bad in (
        Chunk(SNAPSHOT, 1, 0, 5, 100, 60, b"x" * 41), Chunk(SNAPSHOT, 1, 0, 5, 100, 60, b""),
        Chunk(SNAPSHOT, 1, 1, 5, 100, 60, b"x"), Chunk(SNAPSHOT, 1, 0, 6, 100, 60, b"x"),
    ):  # fmt: skip
        with pytest.raises(ProtocolError):
            incoming.take(bad, 0)


def test_a_field_beyond_its_limit_is_not_written() -> None:
    with pytest.raises(ProtocolError):
        encode(Refuse("x" * 41, "", "", ""))
