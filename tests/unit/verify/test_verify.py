"""Verification names the first frame and field in which an execution differs, or says same."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.runs.injected_faults import CONTRACTED, FUSING
from tests.support.simulations.small_simulation import SMALL, State

from samebits.bits import exact_fma, float_to_bits, leaves
from samebits.errors import ReplayError, SimulationError, TargetError
from samebits.sim.execution import Execution, ManagedExecution, NativeExecution
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputBlock, PlayerSource, ReplaySource
from samebits.verify import verification as verify
from samebits.verify.executions import Row, all_rows, choose_rows
from samebits.verify.verification import Verification

ROWS = tuple(row for row in choose_rows(all_rows()) if not row.emulated)
MANAGED, NATIVE = ROWS[0], next(row for row in ROWS if row.name.endswith("-O3"))


def verified(
    rows: Any = ROWS, players: str = "push", frames: int = 60, **more: Any
) -> Verification:
    verification = Verification(SMALL, PlayerSource(SMALL, players, 1, frames), rows, **more)
    verification.run(lambda what, frames: None)
    return verification


def play(frames: int) -> Any:
    return next(PlayerSource(SMALL, "push", 1, frames).blocks()).inputs


def faulty(name: str, change: Any) -> Row:
    """A native row whose `change(execution, frame)` meddles before each frame."""

    class Meddled(NativeExecution):
        frame = 0

        def advance(self, inputs: Any) -> Any:
            parts = []
            for i in range(len(inputs)):
                change(self, self.frame)
                part = super().advance(inputs[i : i + 1])
                parts.append(part.hashes)
                if part.trap is not None:
                    return replace(part, hashes=np.concatenate(parts))
                self.frame += 1
            return replace(part, hashes=np.concatenate(parts))

    def make(simulation: Simulation) -> Execution:
        made = NATIVE.make(simulation)
        made.__class__ = Meddled
        return made

    return Row(name, name, "wrong on purpose", make)


def test_a_row_alone_is_compared_with_nothing() -> None:
    done = verified((NATIVE,))
    assert (done.result, done.same) == ("not compared", False)
    assert [(row.result, row.compared) for row in done.rows] == [("not compared", 0)]


def test_each_row_counts_what_it_was_held_against() -> None:
    done = verified((MANAGED, NATIVE))
    assert [row.compared for row in done.rows] == [row.frames for row in done.rows] == [60, 60]


def test_an_interrupted_row_has_the_hash_of_its_last_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = verified((MANAGED, NATIVE), keep_hashes=True)
    calls = iter(range(5))
    advance = ManagedExecution.advance

    def interrupted(self: ManagedExecution, inputs: Any) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return advance(self, inputs)

    monkeypatch.setattr(ManagedExecution, "advance", interrupted)
    done = Verification(SMALL, PlayerSource(SMALL, "push", 1, 60), (MANAGED, NATIVE))
    with pytest.raises(KeyboardInterrupt):
        done.run(lambda what, frames: None)
    managed, native = done.rows
    assert (managed.frames, native.frames) == (5, 60)
    assert managed.final_hash == int(whole.hashes[0][4])
    assert native.final_hash == int(whole.hashes[0][59])
    assert [(row.compared, row.result) for row in done.rows] == [(0, "not compared")] * 2


def test_a_golden_file_of_later_frames_is_not_compared() -> None:
    frames = verified((NATIVE,)).frames
    done = verified((MANAGED, NATIVE), known={"golden": {frames + 1000: 5}})
    assert not done.same


def test_every_row_is_the_same() -> None:
    done = verified()
    assert done.same
    assert [row.result for row in done.rows] == ["same"] * len(ROWS)
    assert {row.frames for row in done.rows} == {60}
    assert len({row.final_hash for row in done.rows}) == 1


@pytest.mark.skipif(FUSING is None, reason="no level of this processor fuses")
def test_a_fused_multiplication_is_found_with_its_frame_and_field() -> None:
    done = verified((*ROWS, CONTRACTED))
    assert not done.same
    assert [row.result for row in done.rows] == ["same"] * len(ROWS) + ["differs"]
    divergence = done.rows[-1].divergence
    assert divergence is not None
    assert divergence.reference == "managed"
    assert divergence.field is not None
    assert done.rows[-1].frames == 60
    # Which operations LLVM fuses is its own affair: this says where it shows first.
    frame, path = first_unequal_leaf(MANAGED.make(SMALL), CONTRACTED.make(SMALL), play(60))
    assert (divergence.frame, divergence.field.path) == (frame, path)
    # The same frame by hand: pos * 0.999 + vel * 0.016, rounded thrice and with one part fused.
    place = re.fullmatch(r"bodies\[(\d)\]\.pos\.([xy])", path)
    assert place is not None
    session = SMALL.start(seed=1)
    session.run(play(60)[:frame])
    pos = float(getattr(session.state.bodies[int(place[1])].pos, place[2]))
    session.step(play(60)[frame])
    vel = float(getattr(session.state.bodies[int(place[1])].vel, place[2]))
    a, b = float(np.float32(0.999)), float(np.float32(0.016))
    kept, pushed = float(np.float32(pos * a)), float(np.float32(vel * b))
    assert int(divergence.field.expected_bits, 16) == float_to_bits(kept + pushed, 32)
    fused = [exact_fma(pos, a, pushed, 32), exact_fma(vel, b, kept, 32)]
    assert int(divergence.field.found_bits, 16) in [float_to_bits(value, 32) for value in fused]


def first_unequal_leaf(a: Execution, b: Execution, inputs: Any) -> tuple[int, str]:
    """The first frame and scalar in which two executions differ, found step by step."""
    a.start(1)
    b.start(1)
    for frame in range(len(inputs)):
        for execution in (a, b):
            execution.advance(inputs[frame : frame + 1])
        for path, t, at in leaves(State.__sb_type__):
            one, other = (e.memory.tobytes()[at : at + t.size] for e in (a, b))
            if one != other:
                return frame, path
    raise AssertionError("no difference")


def test_the_first_differing_field_is_given_as_value_and_bits() -> None:
    def change(execution: Any, frame: int) -> None:
        if execution.memory["frame"] == 41:
            execution.memory["grid"][0, 2, 3] = -5
            execution.memory["energy"] = np.nan

    done = verified((MANAGED, NATIVE, faulty("meddled", change)))
    divergence = done.rows[2].divergence
    assert divergence is not None
    assert (divergence.frame, divergence.reference) == (41, "managed")
    field = divergence.field
    assert field is not None
    assert (field.path, field.type, field.ulps, field.others) == ("grid[2, 3]", "int32", None, 1)
    assert (field.expected, field.found) == ("0", "-5")
    assert (field.expected_bits, field.found_bits) == ("0x00000000", "0xfffffffb")


def test_a_difference_that_does_not_come_again_is_said_to_be_undetermined() -> None:
    def change(execution: Any, frame: int) -> None:
        if frame == 5:
            execution.memory["random"] ^= 1

    divergence = verified((MANAGED, NATIVE, faulty("once", change))).rows[2].divergence
    assert divergence is not None
    assert (divergence.frame, divergence.field) == (5, None)
    assert divergence.note == (
        "running up to this frame again gave equal states: a run is not deterministic"
    )


def test_what_a_row_did_before_its_time_was_over_is_compared() -> None:
    once = iter([True])

    def change(execution: Any, frame: int) -> None:
        if frame == 3:
            execution.memory["random"] ^= 1
        if frame == 10 and next(once, False):
            while True:
                pass

    slow = replace(faulty("stuck", change), slow=True)
    done = verified((MANAGED, slow), timeout=1.5, whole=True)
    row = done.rows[1]
    assert (row.frames, row.overdue, row.reason) == (10, True, "over 1.5 s")
    assert (row.result, done.result) == ("differs", "differs")
    assert row.divergence is not None
    assert (row.divergence.frame, row.divergence.reference) == (3, "managed")


def test_a_difference_beyond_the_prefix_is_against_a_compiled_row(monkeypatch: Any) -> None:
    monkeypatch.setattr(verify, "SLOW_SECONDS", 0.0)

    def change(execution: Any, frame: int) -> None:
        if frame == 400:
            execution.memory["random"] ^= 1

    done = verified((MANAGED, NATIVE, faulty("meddled", change)), frames=600)
    assert (done.rows[0].frames, done.rows[0].prefix) == (30, True)
    divergence = done.rows[2].divergence
    assert divergence is not None
    assert (divergence.frame, divergence.reference) == (400, NATIVE.name)
    assert [row.result for row in done.rows] == ["same", "same", "differs"]


def test_slow_rows_run_whole_when_asked(monkeypatch: Any) -> None:
    monkeypatch.setattr(verify, "SLOW_SECONDS", 0.0)
    done = verified((MANAGED, NATIVE), whole=True)
    assert (done.rows[0].frames, done.rows[0].prefix) == (60, False)


def test_the_same_trap_everywhere_is_the_same() -> None:
    done = verified(players="crash")
    assert done.same
    traps = {row.trap for row in done.rows}
    assert len(traps) == 1
    trap = traps.pop()
    assert trap is not None
    assert (trap.kind, trap.message) == ("index", "index out of range")
    assert trap.place.endswith("small_simulation.py:55:13")
    assert {row.frames for row in done.rows} == {12}


def test_a_trap_in_one_row_only_is_a_difference() -> None:
    class NoTrap(NativeExecution):
        def advance(self, inputs: Any) -> Any:
            inputs = inputs.copy()
            inputs["at"] = 0
            return super().advance(inputs)

    def make(simulation: Simulation) -> Execution:
        made = NATIVE.make(simulation)
        made.__class__ = NoTrap
        return made

    done = verified((MANAGED, Row("deaf", "deaf", "", make)), players="crash")
    divergence = done.rows[1].divergence
    assert divergence is not None
    assert (divergence.frame, divergence.expected) == (12, "trap: index out of range")
    assert divergence.field is None


def test_states_that_differ_after_init_are_found() -> None:
    class Late(NativeExecution):
        def start(self, seed: int) -> None:
            super().start(seed + 1)

    def make(simulation: Simulation) -> Execution:
        made = NATIVE.make(simulation)
        made.__class__ = Late
        return made

    done = verified((MANAGED, Row("late", "late", "", make)))
    divergence = done.rows[1].divergence
    assert divergence is not None
    assert divergence.frame == -1
    assert divergence.field is not None
    assert divergence.field.path == "random"


def recorded(path: Path, frames: int = 600) -> np.ndarray[Any, Any]:
    with SMALL.record(path, seed=9) as recording:
        play = PlayerSource(SMALL, "push", 9, frames)
        return np.concatenate([recording.run(block.inputs) for block in play.blocks()])


def test_a_replay_verifies_with_the_hashes_that_it_carries(tmp_path: Path) -> None:
    hashes = recorded(tmp_path / "a.mcap")
    source = ReplaySource(SMALL, str(tmp_path / "a.mcap"))
    done = Verification(SMALL, source, (NATIVE,))
    done.run(lambda what, frames: None)
    assert done.same
    assert done.rows[0].final_hash == int(hashes[-1])
    assert done.recorded["recorded"].frames == 600
    assert source.damage is None


@pytest.mark.parametrize(
    "change", [{"players": 1}, {"state_size": 7}, {"schema": {}}, {"schema": {"x": None}}]
)
def test_a_header_that_is_not_the_simulations_is_refused(change: dict[str, Any]) -> None:
    header = SMALL.header(3)
    SMALL.require(header, "a.mcap")
    with pytest.raises(ReplayError, match=f"a.mcap contradicts itself: .* {next(iter(change))}"):
        SMALL.require(replace(header, **change), "a.mcap")


class Altered:
    """A source whose recorded hash of one frame is another."""

    replay, damage = "altered", None

    def __init__(self, source: Any, frame: int) -> None:
        self.source, self.frame = source, frame
        self.seed, self.frames = source.seed, source.frames

    def blocks(self) -> Iterator[InputBlock]:
        first = 0
        for block in self.source.blocks():
            assert block.hashes is not None
            hashes = block.hashes.copy()
            if first <= self.frame < first + len(hashes):
                hashes[self.frame - first] ^= np.uint64(1)
            first += len(hashes)
            yield InputBlock(block.inputs, hashes)


def test_a_recorded_hash_that_does_not_hold_is_found(tmp_path: Path) -> None:
    hashes = recorded(tmp_path / "a.mcap")
    source = Altered(ReplaySource(SMALL, str(tmp_path / "a.mcap")), 300)
    done = Verification(SMALL, source, (NATIVE,))
    done.run(lambda what, frames: None)
    assert not done.same
    divergence = done.recorded["recorded"].divergence
    assert divergence is not None
    assert divergence.frame == 300
    assert divergence.expected == f"{int(hashes[300]):016x}"


def test_known_hashes_are_compared_and_must_be_reached() -> None:
    good = verified((NATIVE,), sample_every=20)
    assert [frame for frame, _ in good.sampled] == [0, 20, 40, 59]
    known = dict(good.sampled)
    assert verified((NATIVE,), known={"golden": known}).same
    wrong = verified((NATIVE,), known={"golden": {**known, 40: 1}})
    assert wrong.recorded["golden"].divergence == verify.Divergence(
        40, "all", f"{known[40]:016x}", f"{1:016x}"
    )
    longer = verified((NATIVE,), known={"golden": {**known, 99: 5}})
    assert longer.recorded["golden"].divergence == verify.Divergence(
        99, "all", "nothing", f"{5:016x}"
    )


def test_known_hashes_behind_damage_are_not_said_to_differ(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    hashes = recorded(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    source = ReplaySource(SMALL, str(path))
    assert source.damage is not None
    assert source.frames < 599
    known = {0: int(hashes[0]), 599: int(hashes[599])}
    done = Verification(SMALL, source, (NATIVE,), known={"golden": known})
    done.run(lambda what, frames: None)
    found = done.recorded["golden"]
    assert (found.divergence, found.compared) == (None, 1)


def test_a_limit_takes_the_first_frames(tmp_path: Path) -> None:
    recorded(tmp_path / "a.mcap")
    source = ReplaySource(SMALL, str(tmp_path / "a.mcap"), limit=300)
    assert sum(len(block.inputs) for block in source.blocks()) == source.frames == 300


def test_an_empty_replay_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "empty.mcap")
    with SMALL.record(path):
        pass
    with pytest.raises(ReplayError) as caught:
        ReplaySource(SMALL, path)
    assert caught.value.message == f"{path} is an empty replay: it has no frames"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "other"}, "{} is a replay of another simulation: 'small', not 'other'"),
        ({"version": "2"}, "{} is a replay of version 1 of 'small'; this is version 2"),
        (
            {"tick_rate": 60},
            "{} is a replay of other code that also calls itself 'small' version 1",
        ),
    ],
    ids=["name", "version", "code"],
)
def test_a_replay_of_something_else_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = str(tmp_path / "a.mcap")
    recorded(path, 5)  # type: ignore[arg-type]
    parts: dict[str, Any] = {
        name: getattr(SMALL, name)
        for name in ("name", "version", "state", "input", "players", "init", "step", "tick_rate")
    }
    with pytest.raises(ReplayError) as caught:
        ReplaySource(Simulation(**parts | change), path)
    assert caught.value.message == message.format(path)


def test_targets_are_chosen_by_row_and_by_group() -> None:
    names = [row.name for row in choose_rows(all_rows(), [NATIVE.group, "managed"])]
    assert names == ["managed", f"{NATIVE.group}-O0", f"{NATIVE.group}-O3"]


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(TargetError) as caught:
        choose_rows(all_rows(), ["managed", "z80"])
    assert caught.value.message == "there is no target 'z80'"
    assert str(caught.value.note).startswith("the targets are managed, evaluate, ")


def test_a_target_that_cannot_run_here_is_refused_by_name_and_never_the_same() -> None:
    absent = Row("m68k-O3", "m68k", "", NATIVE.make, reason="this machine is x86_64")
    with pytest.raises(TargetError) as caught:
        choose_rows([*ROWS, absent], ["m68k"])
    assert caught.value.message == "target 'm68k' cannot run here: this machine is x86_64"
    done = verified((MANAGED, NATIVE, absent))
    assert [row.result for row in done.rows] == ["same", "same", "not run"]
    assert not verified((NATIVE, absent)).same


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(SimulationError) as caught:
        PlayerSource(SMALL, "nobody", 1, 10)
    assert caught.value.message == "simulation 'small' has no players 'nobody'"


def test_a_script_that_fails_says_where() -> None:
    with pytest.raises(SimulationError) as caught:
        list(PlayerSource(SMALL, "broken", 1, 10).blocks())
    assert caught.value.message == (
        "script 'broken' of simulation 'small' fails at frame 0: "
        "ArgumentError: input of player 0: Input has no field 'pull'"
    )


def test_verifying_a_long_replay_takes_no_more_memory_than_a_short_one() -> None:
    def peak(frames: int) -> int:
        tracemalloc.start()
        verified((NATIVE,), players="random", frames=frames)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(256)
    assert peak(25_600) < peak(512) + 100_000
