"""A rollback of a simulation whose hazards act from a frame on has the bits of its session."""

from __future__ import annotations

import pytest
from tests.support.simulations.crowd_simulation import crowd

import samebits as sb
from samebits.errors import ArgumentError
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
