"""A session with `keep`: what its history holds, and what rollbacks, restores and traps leave."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.runs.compared import SMALL

import samebits as sb
from samebits.bits import xxh64
from samebits.hazards import inject
from samebits.sim import history as histories
from samebits.sim.kept_session import KeptSession
from samebits.sim.load import load_simulation
from samebits.sim.session import Session, SimulationTrap
from samebits.sim.sources import PlayerSource

SIMULATION = load_simulation(SMALL)
FRAMES = 40
KEEP = 6


def rows(players: str = "push") -> np.ndarray:
    (block,) = PlayerSource(SIMULATION, players, 1, FRAMES).blocks()
    return block.inputs


def kept(keep: int = KEEP) -> KeptSession:
    session = SIMULATION.start(1, keep=keep)
    assert isinstance(session, KeptSession)
    return session


def plain() -> tuple[list[int], list[bytes], list[int]]:
    """The hashes and canonical states of a run from init on, and the hashes of its inputs."""
    session = SIMULATION.start(1)
    states = [session.canonical_state()]
    for row in rows():
        session.step(row)
        states.append(session.canonical_state())
    inputs = [xxh64(SIMULATION.inputs.to_bytes(row)) for row in rows()]
    return [xxh64(state) for state in states], states, inputs


def test_without_keep_there_is_no_history() -> None:
    session = SIMULATION.start(1)
    assert type(session) is Session
    with pytest.raises(sb.ReportError, match="the session keeps no history to report"):
        session.report("none.desync")
    for keep in (-1, 1.5, True, 36_001, "many"):
        with pytest.raises(sb.ArgumentError, match="is no whole number from 0 to 36,000"):
            SIMULATION.start(1, keep=keep)  # type: ignore[arg-type]


@pytest.mark.parametrize("way", ["step", "dicts", "run", "runs", "both"])
@pytest.mark.parametrize("keep", [1, KEEP, 1000])
def test_hashes_of_all_frames_and_states_of_the_last_are_kept(way: str, keep: int) -> None:
    session, given = kept(keep), rows()
    if way == "run":
        latest = session.run(given)
        assert np.array_equal(latest, session.latest)
        assert len(latest) == FRAMES
    elif way == "runs":
        for first in range(0, FRAMES, 8):
            session.run(given[first : first + 8])
    else:
        for frame, row in enumerate(given):
            if way == "both" and frame % 3 == 1:
                session.run(given[frame : frame + 1])
            elif way == "dicts":
                names = given.dtype.names or ()
                session.step([{name: one[name] for name in names} for one in row])
            else:
                session.step(row)
    history, (hashes, states, inputs) = session.history, plain()
    assert (history.first, list(history.hashes)) == (0, hashes)
    assert list(history.input_hashes()) == inputs
    numbers = range(max(0, FRAMES - keep), FRAMES + 1)
    assert sorted(history.states) == list(numbers)
    assert sorted(history.inputs) == list(numbers)[:-1]
    for number in numbers:
        assert history.canonical_state(history.states[number]) == states[number]
    assert (history.changes, history.restores, history.trap) == ([], [], None)


def test_a_rollback_takes_its_frames_back() -> None:
    session, given = kept(), rows()
    late = given.copy()
    late["push"] += 1
    saved: dict[int, bytes] = {}
    for frame in range(FRAMES):
        saved[frame] = session.save()
        session.step(late[frame] if frame % 5 else given[frame])
        if frame % 5 == 4:
            session.restore(saved[frame - 3])
            for again in range(frame - 3, frame + 1):
                session.step(given[again])
    history, (hashes, _, inputs) = session.history, plain()
    assert list(history.hashes) == hashes
    assert list(history.input_hashes()) == inputs
    assert [(r.frame, r.to) for r in history.restores] == [(n, n - 4) for n in range(5, 41, 5)]
    assert history.changes == []


def test_a_rollback_beyond_the_kept_frames_takes_them_back_too() -> None:
    session, given = kept(2), rows()
    for row in given[:4]:
        session.step(row)
    blob = session.save()
    session.run(given[4:30])
    session.restore(blob)
    session.run(given[4:])
    hashes, _, inputs = plain()
    assert list(session.history.hashes) == hashes
    assert list(session.history.input_hashes()) == inputs
    assert session.history.changes == []


def test_changes_outside_of_frames_are_noticed() -> None:
    session, given = kept(), rows()
    for frame, row in enumerate(given[:20]):
        if frame == 12:
            session.state.bodies[1].charge = 77
        session.step(row)
    (change,) = session.history.changes
    assert (change.number, change.by) == (12, "hand")
    session.state.energy = 3.0
    assert [each.number for each in session.history.changes] == [12, 20]
    session.restore(SIMULATION.start(1).save())
    assert session.history.changes == []


@pytest.mark.parametrize("keep", [2, 100])
def test_a_restore_that_lost_something_is_noticed(keep: int) -> None:
    session, given = kept(keep), rows()
    session.run(given[:10])
    other = SIMULATION.start(1)
    other.restore(session.save())
    other.state.bodies[1].charge = 0
    session.run(given[10:16])
    session.restore(other.save())
    session.step(given[10])
    (change,) = session.history.changes
    assert (change.number, change.by) == (10, "restore")
    assert bool(change.was) is (keep == 100)
    assert list(session.history.hashes)[:11] == plain()[0][:11]


def test_a_peer_who_joins_late_begins_there() -> None:
    other, given = SIMULATION.start(1), rows()
    other.run(given[:25])
    session = kept()
    session.restore(other.save())
    session.run(given[25:])
    history, (hashes, _, inputs) = session.history, plain()
    assert (history.first, history.number) == (25, FRAMES)
    assert list(history.hashes) == hashes[25:]
    assert list(history.input_hashes()) == inputs[25:]


@pytest.mark.parametrize("way", ["step", "run"])
def test_a_trap_is_kept_until_a_frame_follows(way: str) -> None:
    session, given = kept(), rows("crash")
    parts = [given] if way == "run" else list(given)
    advance = session.run if way == "run" else session.step
    with pytest.raises(SimulationTrap) as caught:
        _ = [advance(part) for part in parts]
    assert caught.value.frame == session.frame == 12
    assert len(caught.value.hashes) == (12 if way == "run" else 0)
    history = session.history
    assert history.trap is not None
    assert history.trap[0].kind == caught.value.kind
    assert history.trap[1] == given[12].tobytes()
    assert history.number == 12
    session.step(rows()[12])
    assert session.history.trap is None
    assert session.history.number == 13


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histories, "MOST_FRAMES", 16)
    session, given = kept(), rows()
    for row in given[:20]:
        session.step(row)
    session.run(given[20:])
    history, hashes = session.history, plain()[0]
    assert history.number == FRAMES
    assert history.first > 0
    assert list(history.hashes) == hashes[history.first :]
    assert len(history.input_hashes()) == FRAMES - history.first
    for _ in range(200):
        session.restore(session.save())
    assert len(history.restores) == histories.MOST_EVENTS


def test_an_interrupted_step_leaves_the_history_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    session, given = kept(), rows()
    session.run(given[:10])

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(session.history, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.step(given[10])
    assert session.frame == 11
    session.step(given[11])
    assert (session.history.first, session.history.number) == (11, 12)
    assert list(session.history.hashes) == plain()[0][11:13]


def test_a_simulation_with_hazards_keeps_frames_where_they_act_from_the_start() -> None:
    plain = load_simulation("examples/arena/arena.py")
    session = inject(plain, "fma").start(1, keep=4)
    session.run(np.zeros((6, plain.players), plain.input_type.dtype))
    assert session.frame == 6
    with pytest.raises(sb.ArgumentError, match="keeps no frames"):
        inject(plain, "fma", from_frame=3).start(1, keep=4)
