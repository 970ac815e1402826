"""Simulations: definitions that do not fit are refused; every execution gives the same hashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.simulations import small_simulation as small
from tests.support.simulations.small_simulation import SMALL, Input, State

import samebits as sb
from samebits.bits import to_canonical, xxh64
from samebits.errors import ArgumentError, SimulationError, Trap
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state.registers import REGISTERS
from samebits.sim.players import player
from samebits.sim.session import SimulationTrap
from samebits.sim.simulation import Simulation
from samebits.verify.executions import all_rows

ROWS = [row for row in all_rows() if row.reason is None and not row.emulated]


def scripted(frames: int, name: str = "push") -> np.ndarray[Any, Any]:
    return player(SMALL, name, 1)(0, frames)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_execution_gives_the_hashes_of_the_managed_run(row: Any) -> None:
    inputs = scripted(40)
    managed, other = ROWS[0].make(SMALL), row.make(SMALL)
    managed.start(7)
    other.start(7)
    assert other.hash() == managed.hash()
    assert other.advance(inputs).hashes.tolist() == managed.advance(inputs).hashes.tolist()
    assert other.save() == managed.save()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_trap_leaves_the_state_of_the_last_whole_frame(row: Any) -> None:
    inputs = scripted(20, "crash")
    execution, whole = row.make(SMALL), row.make(SMALL)
    execution.start(1)
    whole.start(1)
    done = execution.advance(inputs)
    assert done.trap is not None
    assert (done.trap.kind, len(done.hashes)) == ("index", 12)
    assert done.hashes.tolist() == whole.advance(inputs[:12]).hashes.tolist()
    assert execution.save() == whole.save()


def test_the_hash_is_xxh64_over_the_canonical_state() -> None:
    session = SMALL.start(seed=3)
    hashes = session.run(scripted(10))
    memory = session.state.memory
    assert session.hash() == int(hashes[-1]) == xxh64(to_canonical(State.__sb_type__, memory))


def test_stepping_and_running_are_the_same() -> None:
    inputs = scripted(30)
    stepped, ran = SMALL.start(seed=1), SMALL.start(seed=1)
    hashes = ran.run(inputs)
    for frame, value in enumerate(hashes):
        stepped.step(inputs[frame])
        assert stepped.hash() == int(value)
    assert stepped.frame == ran.frame == 30


def test_a_step_takes_structs_and_dicts_alike() -> None:
    a, b = SMALL.start(), SMALL.start()
    a.step([Input(push=0.25, turn=3), Input(fire=True, at=2)])
    b.step([{"push": 0.25, "turn": 3}, {"fire": True, "at": 2}])
    assert a.hash() == b.hash()
    assert not b.state.bodies[2].alive


def test_nan_inputs_with_any_payload_are_one_nan() -> None:
    inputs = np.zeros((2, 2), Input.dtype)
    inputs["push"] = np.array([0x7FC00000, 0xFFC12345], np.uint32).view(np.float32)[:, None]
    one, two = SMALL.start(), SMALL.start()
    assert int(one.run(inputs[:1])[0]) == int(two.run(inputs[1:])[0])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_foreign_floating_point_environment_changes_no_bit(row: Any) -> None:
    inputs = scripted(20)
    inputs["push"][:, 1] = 1e-40
    plain, hostile = row.make(SMALL), row.make(SMALL)
    plain.start(1)
    expected = plain.advance(inputs).hashes.tolist()
    before = fpenv.read()
    register = REGISTERS[fpenv.describe().register]
    try:
        # Round up, flush results and operands.
        up = register.roundings.index("up") << register.rounding_shift
        fpenv.write(register.default | up | register.flush_results | register.flush_operands)
        hostile.start(1)
        found = hostile.advance(inputs).hashes.tolist()
    finally:
        fpenv.write(before)
    assert found == expected


def test_inputs_in_any_order_of_memory_run_alike() -> None:
    inputs = scripted(12)
    expected = SMALL.start().run(inputs).tolist()
    wide = np.zeros((12, 4), Input.dtype)
    wide[:, ::2] = inputs
    for given in (np.asfortranarray(inputs), inputs.T.copy().T, wide[:, ::2], inputs[::-1][::-1]):
        assert SMALL.start().run(given).tolist() == expected


def test_running_no_frames_gives_no_hashes() -> None:
    session = SMALL.start()
    assert session.run(np.zeros((0, 2), Input.dtype)).tolist() == []
    assert session.frame == 0


def test_a_session_survives_a_trap_in_step_and_in_run() -> None:
    session = SMALL.start()
    session.step([{}, {}])
    before = session.hash()
    with pytest.raises(Trap, match="assertion failed: nobody is at 99") as caught:
        session.step([{"turn": 5}, {"at": 99}])
    assert (session.frame, session.hash()) == (1, before)
    assert caught.value.span is not None
    assert caught.value.note == "in frame 1; the state is that of the last whole frame"
    with pytest.raises(SimulationTrap) as again:
        session.run(scripted(20, "crash"))
    assert (again.value.frame, len(again.value.hashes), session.frame) == (13, 12, 13)
    session.step([{}, {}])
    assert session.frame == 14


def test_a_trap_beyond_the_first_stretch_keeps_every_hash(monkeypatch: Any) -> None:
    monkeypatch.setattr("samebits.sim.session.BLOCK_FRAMES", 5)
    session = SMALL.start()
    with pytest.raises(SimulationTrap) as caught:
        session.run(scripted(20, "crash"))
    assert len(caught.value.hashes) == session.frame == 12


def test_restoring_a_save_goes_back_exactly() -> None:
    session = SMALL.start(seed=5)
    inputs = scripted(30)
    session.run(inputs[:10])
    blob = session.save()
    later = session.run(inputs[10:]).tolist()
    session.restore(blob)
    assert session.frame == 10
    assert session.run(inputs[10:]).tolist() == later
    other = SMALL.start(seed=0)
    other.restore(blob)
    assert (other.seed, other.frame) == (5, 10)
    assert other.run(inputs[10:]).tolist() == later


def test_state_that_the_host_writes_is_hashed() -> None:
    session = SMALL.start()
    before = session.hash()
    session.state.bodies[3].charge = sb.int16(-4)
    assert session.hash() != before


WRONG_STEPS: list[tuple[Any, str]] = [
    ([{}], "simulation 'small' takes 2 inputs a frame, one a player; got 1"),
    ([{}, {}, {}], "simulation 'small' takes 2 inputs a frame, one a player; got 3"),
    (
        np.zeros(3, Input.dtype),
        "simulation 'small' takes 2 inputs a frame, one a player; got shape (3,)",
    ),
    (np.zeros(2), "simulation 'small' takes inputs of Input.dtype; got float64"),
    (7, "simulation 'small' takes a list of 2 Input, one a player; got int"),
    ([{}, 7], "input of player 1: expected Input; got int"),
    ([{"pull": 1}, {}], "input of player 0: Input has no field 'pull'"),
]


@pytest.mark.parametrize(("given", "message"), WRONG_STEPS, ids=lambda v: str(v)[:40])
def test_wrong_inputs_of_a_step_are_refused(given: Any, message: str) -> None:
    session = SMALL.start()
    with pytest.raises(ArgumentError) as caught:
        session.step(given)
    assert caught.value.message == message
    assert session.frame == 0


WRONG_RUNS: list[tuple[Any, str]] = [
    (
        [[{}, {}]],
        "simulation 'small' runs over an ndarray of Input.dtype, shape (frames, 2); got list",
    ),
    (
        np.zeros((10, 3), Input.dtype),
        "simulation 'small' takes inputs of shape (frames, 2); got shape (10, 3)",
    ),
    (np.zeros((10, 2)), "simulation 'small' takes inputs of Input.dtype; got float64"),
]


@pytest.mark.parametrize(("given", "message"), WRONG_RUNS, ids=lambda v: str(v)[:40])
def test_wrong_inputs_of_a_run_are_refused(given: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        SMALL.start().run(given)
    assert caught.value.message == message


def define(**changes: Any) -> Simulation:
    parts: dict[str, Any] = {
        "name": "small", "version": "1", "state": State, "input": Input, "players": 2,
        "init": small.init, "step": small.step,
    }  # fmt: skip
    return Simulation(**parts | changes)


@sb.kernel
def writes_inputs(state: State, inputs: sb.Array[Input]) -> None:
    state.frame += 1


@sb.kernel
def gives_frame(state: State, inputs: sb.ReadOnly[Input]) -> sb.uint32:
    return state.frame


WRONG_DEFINITIONS: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "the name is ''"),
    ({"version": 1}, "the version of simulation 'small' is int, not a str"),
    ({"state": int}, "simulation 'small': state is int, not a struct"),
    ({"input": Input()}, "simulation 'small': input is Input, not a struct"),
    ({"players": 0}, "simulation 'small': players is 0, not an int from 1 to 65535"),
    ({"players": True}, "simulation 'small': players is True, not an int from 1 to 65535"),
    ({"tick_rate": 0.5}, "simulation 'small': tick_rate is 0.5, not an int from 1 to 1000000"),
    ({"step": len}, "simulation 'small': step is builtin_function_or_method, not a kernel"),
    (
        {"step": small.init},
        "simulation 'small': step takes (State, uint64), not (State, ReadOnly[Input])",
    ),
    (
        {"step": writes_inputs},
        "simulation 'small': step takes (State, Array[Input]), not (State, ReadOnly[Input])",
    ),
    ({"step": gives_frame}, "simulation 'small': step returns uint32"),
    ({"scripts": {"x": 3}}, "simulation 'small': script 'x' is int, not a function"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG_DEFINITIONS, ids=lambda v: str(v)[:40])
def test_parts_that_do_not_fit_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SimulationError) as caught:
        define(**changes)
    assert caught.value.message == message


def test_a_seed_is_a_uint64() -> None:
    with pytest.raises(SimulationError, match=r"^the seed is -1, not an int from 0 to 2\*\*64 - 1"):
        SMALL.start(seed=-1)
    assert SMALL.start(seed=2**64 - 1).hash() != SMALL.start(seed=0).hash()


def test_the_digest_tells_name_version_and_code_and_nothing_else() -> None:
    same = define(tick_rate=30)
    assert same.digest == SMALL.digest
    assert len(same.digest) == 32
    others = [
        define(tick_rate=30, name="large"),
        define(tick_rate=30, version="2"),
        define(tick_rate=30, players=3),
        define(),
        define(tick_rate=30, step=other_step),
    ]
    assert len({s.digest for s in others} | {same.digest}) == 6


DIGEST_TEXT = '''"""A simulation whose digest is looked at."""
import samebits as sb
import digest_constants
from digest_constants import SCALE

LIMIT = 3


class Rules:
    PULL = 0.5
    UNUSED = 1


TABLE = sb.table([1, 2, 3], sb.int32)


@sb.struct
class State:
    a: sb.float32

    def grown(self) -> sb.float32:
        return self.a * 2.0

    def unused(self) -> sb.float32:
        return self.a * 5.0


HOME = State(a=2.0)
AWAY = State(a=7.0)
PAIR = (0.25, (4, 5))
PART = sb.fix32("0.5")


@sb.kernel
def helper(x: sb.float32, at: State = AWAY, by: sb.float32 = 1.5) -> sb.float32:
    return sb.math.sin(x) * SCALE * by + sb.float32(TABLE[1]) + HOME.a * PAIR[1][0] + at.a


@sb.kernel
def part() -> sb.float32:
    return sb.float32(PART)


@sb.kernel
def init(state: State, seed: sb.uint64) -> None:
    state.a = digest_constants.START + part()


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[State]) -> None:
    """Doc."""
    for i in range(LIMIT):
        state.a = helper(state.grown()) * Rules.PULL + inputs[0].a


S = sb.Simulation(name="s", version="1", state=State, input=State, players=1, init=init, step=step)
print(S.digest)
'''
CONSTANTS = "SCALE = 0.5\nSTART = 1.0\nOTHER = 9\n"
DIGEST_CHANGES = {
    "a comment": ('    """Doc."""\n', "    # Nothing.\n", True),
    "the layout": ("    for i in range(LIMIT):", "\n\n    for i in range(  LIMIT ):", True),
    "an unused method": ("self.a * 5.0", "self.a * 6.0", True),
    "an unused constant": ("OTHER = 9", "OTHER = 10", True),
    "an operation": ("inputs[0].a", "-inputs[0].a", False),
    "a captured constant": ("LIMIT = 3", "LIMIT = 4", False),
    "an imported constant": ("SCALE = 0.5", "SCALE = 0.25", False),
    "a module's constant": ("START = 1.0", "START = 2.0", False),
    "a class's constant": ("PULL = 0.5", "PULL = 0.75", False),
    "an unused constant of a class": ("UNUSED = 1", "UNUSED = 2", True),
    "a constant's type": ("LIMIT = 3", "LIMIT = sb.int32(3)", False),
    "a struct": ("HOME = State(a=2.0)", "HOME = State(a=-2.0)", False),
    "a struct's method": ("self.a * 2.0", "self.a + 2.0", False),
    "a struct that is a default": ("a=7.0", "a=8.0", False),
    "a tuple": ("(0.25, (4, 5))", "(0.25, (4, 6))", False),
    "a fixed-point number": ('fix32("0.5")', 'fix32("0.75")', False),
    "a table": ("[1, 2, 3]", "[1, 2, 4]", False),
    "a method": ("self.a * 2.0", "self.a * 3.0", False),
    "a callee": ("+ sb.float32(TABLE[1])", "- sb.float32(TABLE[1])", False),
    "a default": ("= 1.5)", "= 2.5)", False),
    "a field's type": ("    a: sb.float32", "    a: sb.float32\n    b: bool", False),
    "the version": ('version="1"', 'version="2"', False),
}


DIGESTS = """\
import contextlib, io, json, os, runpy, sys

digests = {}
for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(os.path.join(folder, "digest_subject.py"), run_name="__main__")
    del sys.path[0], sys.modules["digest_constants"]
    digests[os.path.basename(folder)] = out.getvalue()
print(json.dumps(digests))
"""


@pytest.fixture(scope="module")
def digests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the program prints as it is, and after each change."""
    top = tmp_path_factory.mktemp("digests")
    for what, (old, new, _) in {"nothing": ("", "", True), **DIGEST_CHANGES}.items():
        place = top / what
        place.mkdir()
        for name, text in (("digest_subject.py", DIGEST_TEXT), ("digest_constants.py", CONSTANTS)):
            (place / name).write_text(text.replace(old, new) if old else text)
    done = subprocess.run(
        [sys.executable, "-c", DIGESTS, *map(str, sorted(top.iterdir()))],
        cwd=top, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.parametrize("what", DIGEST_CHANGES)
def test_the_digest_changes_with_what_can_change_a_state_and_with_nothing_else(
    what: str, digests: dict[str, str]
) -> None:
    assert (digests[what] == digests["nothing"]) is DIGEST_CHANGES[what][2]


def test_the_digest_is_the_same_in_another_process_and_file(tmp_path: Path) -> None:
    copy = tmp_path / "copied_simulation.py"
    copy.write_text("# A line more.\n" + Path(small.__file__).read_text())
    code = "from copied_simulation import SMALL; print(SMALL.digest)"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip() == SMALL.digest


@sb.kernel
def other_step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.frame += 2
