"""A rollback of a simulation whose hazards act from a frame on has the bits of its session."""

from __future__ import annotations

import pytest
from tests.support.simulations.crowd_simulation import crowd

import samebits as sb
from samebits.desync.reader import report_from_bytes
from samebits.errors import ArgumentError
from samebits.hazards.injected_simulation import InjectedSimulation
from samebits.net.evidence import evidence
from samebits.sim.players import random_inputs


def test_frames_on_both_sides_of_the_first_hazard_are_played_again() -> None:
    faulty = sb.hazards.inject(crowd(2), "fma", from_frame=20)
    inputs, other = (random_inputs(crowd(2), n, 60, 1) for n in (0, 100))
    expected = faulty.start(3).run(inputs).tolist()
    plain = crowd(2).start(3).run(inputs).tolist()
    assert expected[:20] == plain[:20]
    assert expected != plain
    rollback = faulty.rollback(3, 6)
    found: list[int] = []
    for frame in range(54):
        rollback.play(frame, other[frame : frame + 6])
        assert rollback.frame == frame + 6
        assert rollback.oldest == frame
        found += rollback.play(frame, inputs[frame : frame + 1]).tolist()
        assert rollback.hash() == found[-1]
    assert found == expected[:54]
    state = rollback.canonical_state()
    rollback.restore(54, state)
    assert rollback.play(54, inputs[54:]).tolist() == expected[54:]
    with pytest.raises(ArgumentError):
        rollback.play(50, inputs[50:])


def test_hazards_that_end_leave_the_plain_bits_to_the_frames_after_them() -> None:
    plain, inputs = crowd(2), random_inputs(crowd(2), 0, 60, 1)
    program = sb.hazards.inject(plain, "fma").program
    faulty = InjectedSimulation(plain, program, from_frame=20, until_frame=30)
    rollback = faulty.rollback(3, 6)
    found: list[int] = []
    for frame in range(54):
        rollback.play(frame, random_inputs(plain, 100 + frame, 6, 1))
        assert (rollback.frame, rollback.oldest) == (frame + 6, frame)
        found += rollback.play(frame, inputs[frame : frame + 1]).tolist()
    acting = sb.hazards.inject(plain, "fma", from_frame=20).rollback(3, 6)
    assert found[:30] == acting.play(0, inputs[:30]).tolist()
    apart = plain.rollback(3, 6)
    apart.restore(30, acting.canonical_state())
    assert found[30:] == apart.play(30, inputs[30:54]).tolist()
    assert found[30:] != acting.play(30, inputs[30:54]).tolist()
    rollback.restore(10, rollback.canonical_state())
    assert rollback.frame == 10


def test_hazards_from_the_first_frame_on_may_end_too() -> None:
    plain, inputs = crowd(2), random_inputs(crowd(2), 0, 60, 1)
    faulty = InjectedSimulation(plain, sb.hazards.inject(plain, "fma").program, 0, 1)
    acting = sb.hazards.inject(plain, "fma").rollback(3, 6)
    acting.play(0, inputs[:1])
    apart = plain.rollback(3, 6)
    apart.restore(1, acting.canonical_state())
    assert faulty.rollback(3, 6).play(0, inputs)[1:].tolist() == apart.play(1, inputs[1:]).tolist()


def test_a_report_of_hazards_that_end_has_the_hashes_that_the_peer_had() -> None:
    plain, inputs = crowd(2), random_inputs(crowd(2), 0, 40, 1)
    faulty = InjectedSimulation(plain, sb.hazards.inject(plain, "fma").program, 20, 26)
    rollback, hashes, keyframes = faulty.rollback(3, 6), list[int](), list[tuple[int, bytes]]()
    for frame in range(40):
        if frame in (0, 22, 36):
            keyframes.append((frame, rollback.canonical_state()))
        hashes += rollback.play(frame, inputs[frame : frame + 1]).tolist()

    def row_of(frame: int) -> bytes:
        return plain.inputs.to_bytes(inputs[frame : frame + 1])

    for frame, last in ((10, 11), (19, 19), (21, 22), (25, 25), (33, 34), (37, 38)):
        report = report_from_bytes(evidence(faulty, 3, keyframes, row_of, frame))
        assert max(report.known) == last
        assert all(hashes[n] == value for n, value in report.known.items() if n >= 0)
