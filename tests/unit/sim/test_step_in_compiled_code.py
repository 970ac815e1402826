"""A step whose inputs compiled code copies is the step that Python's way makes."""

from __future__ import annotations

import random
import threading
from typing import Any

import numpy as np
import pytest
from tests.support.simulations.small_simulation import SMALL, Input, State

import samebits as sb
from samebits.errors import SamebitsError
from samebits.sim.inputs import InputRules
from samebits.sim.session import Session

VALUES: dict[str, list[Any]] = {
    "push": [0.1, float("nan"), -0.0, np.float32(1), sb.float32(2), 1, True, "x", 1e300],
    "turn": [3, -128, 127, 128, sb.int8(1), True, 2.0],
    "fire": [True, False, 1, np.False_],
    "at": [0, 1, 5, 99, 2**40],
}


@sb.job
class Fill(sb.For):
    out: sb.Array[sb.float32]

    def execute(self, i: int) -> None:
        self.out[i] = 1.0


def without(seed: int) -> Session:
    session = SMALL.start(seed)
    session._copier = None
    return session


def frame_of(chosen: random.Random) -> Any:
    def one() -> Any:
        few = chosen.sample(list(VALUES), chosen.randrange(4))
        item = {name: chosen.choice(VALUES[name][: chosen.choice([3, 9])]) for name in few}
        if chosen.random() < 0.5:
            return item
        try:
            return Input(**item)
        except SamebitsError:
            return Input(push=chosen.random())

    if chosen.random() < 0.3:
        return np.frombuffer(chosen.randbytes(2 * Input.dtype.itemsize), Input.dtype)
    return chosen.choice([list, tuple])(one() for _ in range(chosen.choice([2, 2, 2, 2, 1])))


def told(session: Session, inputs: Any) -> Any:
    try:
        session.step(inputs)
    except SamebitsError as error:
        return str(error), getattr(error, "frame", None)
    return None


def test_any_step_gives_the_same_state_or_the_same_error() -> None:
    chosen = random.Random(11)
    fast, slow = SMALL.start(3), without(3)
    errors = 0
    for _ in range(1500):
        inputs = frame_of(chosen)
        found = told(fast, inputs)
        assert found == told(slow, inputs), inputs
        assert (fast.frame, fast.hash()) == (slow.frame, slow.hash()), inputs
        assert fast.latest.tolist() == slow.latest.tolist()
        assert fast.latest.dtype == np.uint64
        errors += found is not None
    assert 100 < errors < 1400


def test_a_step_of_exact_inputs_takes_no_way_of_pythons(monkeypatch: Any) -> None:
    session = SMALL.start()

    def refuse(*_: object) -> None:
        raise AssertionError("Python's way")

    monkeypatch.setattr(InputRules, "frame", refuse)
    for inputs in (np.zeros(2, Input.dtype), [Input(), Input()], [{}, {"turn": 2}], ({}, Input())):
        session.step(inputs)
    assert session.frame == 4
    assert session.latest.tolist() == [session.hash()]


def test_a_step_beside_a_job_that_has_the_inputs_is_refused() -> None:
    session = SMALL.start()
    inputs = np.zeros(2, Input.dtype)
    handle = Fill(out=inputs.view(np.float32)).schedule(inputs.nbytes // 4)
    with pytest.raises(sb.ArgumentError, match=r"session\.step.*inputs"):
        session.step(inputs)
    handle.complete()
    session.step(np.zeros(2, Input.dtype))
    assert session.frame == 1


def test_sessions_of_many_threads_step_at_once() -> None:
    inputs = [{"push": 0.5, "turn": 1}, Input(push=0.25)]
    plain = SMALL.start(1)
    for _ in range(400):
        plain.step(inputs)
    found: list[int] = []

    def play() -> None:
        session = SMALL.start(1)
        for _ in range(400):
            session.step(inputs)
        found.append(session.hash())

    threads = [threading.Thread(target=play) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [plain.hash()] * 6


@sb.kernel
def loud_init(state: State, seed: sb.uint64) -> None:
    print("seed", seed)


@sb.kernel
def loud_step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.frame += 1
    print("frame", state.frame, inputs[0].turn)
    sb.trace("turn", inputs[1].turn)


def test_a_step_that_prints_prints_each_frame(capsys: Any) -> None:
    loud = sb.Simulation(
        name="loud", version="1", state=State, input=Input, players=2,
        init=loud_init, step=loud_step,
    )  # fmt: skip
    with sb.tracing() as records:
        session = loud.start(7)
        session.step([{"turn": 3}, {"turn": 4}])
        session.run(np.zeros((2, 2), Input.dtype))
        saved = session.save()
        session.step([Input(turn=5), Input()])
        session.restore(saved)
        assert session.save() == saved
    assert capsys.readouterr().out.splitlines() == [
        "seed 7", "frame 1 3", "frame 2 0", "frame 3 0", "frame 4 5",
    ]  # fmt: skip
    assert [record.value for record in records] == [4, 0, 0, 0]
