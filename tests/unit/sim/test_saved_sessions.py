"""Saved sessions: come back exactly, or are refused with the session as it was."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from tests.support.simulations.small_simulation import SMALL

from samebits.bits import xxh64
from samebits.errors import ArgumentError, ReplayError
from samebits.sim.saved import Saved
from samebits.sim.session import Session

HEAD = 16 + 16 + 3 * 8
PLACES = {"mark": 3, "format": 15, "digest": 20, "seed": 32, "frame": 40, "length": 48, "state": 60}


@pytest.fixture(scope="module")
def session() -> Session:
    session = SMALL.start(seed=5)
    for _ in range(3):
        session.step([{"push": 1.5}, {"turn": -3}])
    return session


def signed(body: bytes) -> bytes:
    return body + struct.pack("<Q", xxh64(body))


def refused(session: Session, blob: Any) -> ReplayError:
    before = session.seed, session.frame, session.hash()
    with pytest.raises(ReplayError) as caught:
        session.restore(blob)
    assert (session.seed, session.frame, session.hash()) == before
    assert caught.value.fix
    return caught.value


def test_no_flipped_bit_is_restored(session: Session) -> None:
    blob = session.save()
    for at in range(len(blob)):
        for bit in (0, 3, 7):
            flipped = bytearray(blob)
            flipped[at] ^= 1 << bit
            refused(session, bytes(flipped))


@pytest.mark.parametrize("place", PLACES)
def test_every_part_is_under_the_checksum(session: Session, place: str) -> None:
    blob = bytearray(session.save())
    blob[PLACES[place]] ^= 1
    message = refused(session, bytes(blob)).message
    expected = {
        "mark": "these bytes are not a saved session",
        "format": "the session was saved in format '3'; this samebits reads '2'",
        "length": f"the saved session is damaged: it has {len(blob) - HEAD - 8} bytes of state, and"
        f" declares {(len(blob) - HEAD - 8) ^ 1}",
    }
    assert message == expected.get(
        place, "the saved session is damaged: its checksum does not hold"
    )


def test_no_other_length_is_restored(session: Session) -> None:
    blob = session.save()
    for length in range(len(blob)):
        refused(session, blob[:length])
    for more in (b"\0", blob[-8:], blob):
        refused(session, blob + more)
    assert refused(session, blob[:40]).message == (
        "the saved session is damaged: it ends after 40 bytes, within its head"
    )


def test_a_state_of_another_length_under_a_true_checksum_is_refused(session: Session) -> None:
    blob = session.save()
    size = len(blob) - HEAD - 8
    for length in (0, size - 1, size + 1, 10 * size):
        state = (blob[HEAD:-8] * 11)[:length]
        head = blob[: HEAD - 8] + struct.pack("<Q", length)
        assert refused(session, signed(head + state)).message == (
            "the saved session contradicts itself: its digest is this simulation's, but its state"
            f" has {length} bytes, not {size}"
        )
    lying = blob[: HEAD - 8] + struct.pack("<Q", 2**64 - 1) + blob[HEAD:-8]
    assert "declares 18446744073709551615" in refused(session, signed(lying)).message


def test_more_frames_than_a_session_runs_are_refused(session: Session) -> None:
    whole = session.save()
    body = whole[:-8]

    def at(frame: int) -> bytes:
        return signed(body[: HEAD - 16] + struct.pack("<Q", frame) + body[HEAD - 8 :])

    for frame in (2**62 + 1, 2**64 - 1):
        assert f"claims {frame:,} frames" in refused(session, at(frame)).message
    session.restore(at(2**62))
    session.step([{"push": 1.5}, {"turn": -3}])
    assert session.frame == 2**62 + 1
    session.restore(whole)


def test_another_simulations_session_is_refused(session: Session) -> None:
    blob = session.save()
    other = bytes(b ^ 0xFF for b in blob[16:32])
    error = refused(session, signed(blob[:16] + other + blob[32:-8]))
    assert error.message == ("the session was saved by another simulation than 'small' version 1")
    assert error.note == f"saved with digest {other.hex()}; this code has {SMALL.digest}"


def test_a_session_of_format_1_is_refused_by_name(session: Session) -> None:
    state = session.canonical_state()
    digest = bytes.fromhex(SMALL.digest)
    old = struct.pack("<16s16sQQQ", b"samebits state 1", digest, 5, 3, xxh64(state)) + state
    error = refused(session, old)
    assert error.message == (
        "the session was saved in format 1, which this samebits does not restore"
    )
    assert error.note == (
        "its checksum covers neither the frame nor the seed: errors there stay unnoticed"
    )


@pytest.mark.parametrize("blob", [None, "samebits state 2", 7, [1, 2]])
def test_what_is_no_bytes_is_an_argument_error(session: Session, blob: Any) -> None:
    with pytest.raises(ArgumentError):
        session.restore(blob)


def test_any_bytes_like_object_is_restored(session: Session) -> None:
    blob, before = session.save(), session.hash()
    for form in (bytearray(blob), memoryview(blob)):
        session.step([{}, {}])
        session.restore(form)  # type: ignore[arg-type]
        assert (session.frame, session.hash()) == (3, before)


def test_saved_bytes_of_any_kind_are_restored_alike(session: Session) -> None:
    blob = session.save()
    at = session.seed, session.frame, session.hash()
    assert blob == Saved(*at[:2], session.canonical_state()).to_bytes(SMALL)
    for kind in (bytes, bytearray, memoryview, lambda b: memoryview(bytearray(b))):
        session.step([{"push": 2.5}, {}])
        assert session.hash() != at[2]
        session.restore(kind(blob))
        assert (session.seed, session.frame, session.hash()) == at
        assert session.save() == blob


def test_what_save_returned_stays_as_it_was() -> None:
    session = SMALL.start(seed=2)
    first = session.save()
    copy = bytes(bytearray(first))
    session.step([{"push": 2.5}, {}])
    second = session.save()
    assert first == copy != second
    session.restore(first)
    session.restore(second)
    assert (session.frame, session.save()) == (1, second)
