"""What a state became is certain only where one guess alone gives the hash."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np

import samebits as sb
from samebits import float32, int32, uint64
from samebits.desync.of_replay import report_of_replay
from samebits.diagnosis.driver import diagnose_report
from samebits.diagnosis.outside.guesses import guessed
from samebits.replay import ReplayWriter
from samebits.sides.run import open_run
from samebits.sides.side import parse_side
from samebits.sim.inputs import Inputs
from samebits.sim.sources import ReplaySource


@sb.struct
class State:
    sum: int32
    next: int32
    other: int32
    drift: float32


@sb.struct
class Input:
    push: int32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.sum = 100


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.sum += state.next
    state.next = inputs[0].push
    state.other += 7
    state.drift += 0.25


SUMS = sb.Simulation(name="sums", version="1", state=State, input=Input, players=1, init=init,
                     step=step)  # fmt: skip


def certainty(folder: Path, poked: str, by: float, *at: int) -> tuple[str, str]:
    """How sure a diagnosis is of a field that is poked before frame 12, or others, and what it
    says."""
    inputs: Inputs = np.zeros((40, 1), SUMS.input_type.dtype)
    inputs["push"][:, 0] = np.arange(40) * 1000
    paths = [str(folder / name) for name in ("ours.mcap", "theirs.mcap")]
    for path, pokes in zip(paths, (False, True), strict=True):
        session = SUMS.start(1)
        with ReplayWriter(path, SUMS.header(1)) as writer:
            for frame, row in enumerate(inputs):
                if pokes and frame in (at or (12,)):
                    setattr(session.state, poked, getattr(session.state, poked) + by)
                session.step(row)
                data = SUMS.inputs.to_bytes(inputs[frame : frame + 1])
                writer.add(data, session.hash())
    source = ReplaySource(SUMS, paths[0])
    side = parse_side("opt=0", SUMS)
    found = diagnose_report(source, side, report_of_replay(paths[1]), seconds=0)
    return found.certainty, found.causes[0].title if found.causes else ""


SAID = "the state was changed between frames 11 and 12, in other"


def test_a_guess_that_alone_fits_is_certain(tmp_path: Path) -> None:
    assert certainty(tmp_path, "other", -7 * 12) == ("certain", SAID)  # it became 0


def test_a_value_that_is_off_by_little_may_be_computed_so(tmp_path: Path) -> None:
    assert certainty(tmp_path, "other", 3) == ("likely", SAID)


def test_a_guess_among_others_is_likely(tmp_path: Path) -> None:
    found, said = certainty(tmp_path, "next", 3)  # so does 3 more in the sum
    assert found == "likely"
    assert said.startswith("the state was changed between frames 11 and 12, in ")


def test_a_poke_that_nobody_would_guess_is_left_open(tmp_path: Path) -> None:
    assert certainty(tmp_path, "other", 987_654) == ("unknown", "")


def test_before_the_first_frame_another_start_is_as_plausible(tmp_path: Path) -> None:
    assert certainty(tmp_path, "other", 3, 0) == ("unknown", "")


def test_a_float_that_is_off_by_a_step_is_more_likely_computed_so(tmp_path: Path) -> None:
    step = float(np.spacing(np.float32(3.0)))
    found, said = certainty(tmp_path, "drift", step)
    assert (found, said.endswith("in drift")) == ("possible", True)
    assert certainty(tmp_path, "drift", 0.75)[0] != "possible"


def test_floats_that_are_off_by_steps_again_and_again_are_more_likely_computed_so(
    tmp_path: Path,
) -> None:
    step = float(np.spacing(np.float32(3.0)))
    found, said = certainty(tmp_path, "drift", step, 12, 14)
    assert (found, said.endswith("in drift")) == ("possible", True)
    assert certainty(tmp_path, "drift", 0.75, 12, 14)[0] != "possible"


def test_no_number_is_guessed_of_which_a_loop_would_not_end() -> None:
    @sb.kernel
    def turn(state: State, inputs: sb.ReadOnly[Input]) -> None:
        while state.drift > 3.0:
            state.drift -= 6.0
        state.drift += 0.25

    turns = sb.Simulation(name="turns", version="1", state=State, input=Input, players=1, init=init,
                          step=turn)  # fmt: skip
    rows: Inputs = np.zeros((20, 1), turns.input_type.dtype)
    with closing(open_run(parse_side("", turns))) as run:
        run.start(1)
        run.advance(rows[:8])
        past = [run.save()]  # a drift of 2.0, of which another bit may make 3.7e19
        assert guessed(run, run.side.plain.state, 8, 1, past, rows[8:]) is None


def test_a_number_that_is_near_and_comes_to_one_of_which_a_loop_would_not_end() -> None:
    @sb.kernel
    def turn(state: State, inputs: sb.ReadOnly[Input]) -> None:
        far = state.drift * 0.5
        for _ in range(4):
            far = far * far * far
        while far > 3.0:
            far -= 6.0
        state.drift += 0.25 + 0 * far

    turns = sb.Simulation(name="turns", version="1", state=State, input=Input, players=1, init=init,
                          step=turn)  # fmt: skip
    rows: Inputs = np.zeros((20, 1), turns.input_type.dtype)
    with closing(open_run(parse_side("", turns))) as run:
        run.start(1)
        run.advance(rows[:8])
        before = run.save()  # a drift of 2.0, of which another bit may make 4.0, and 2.4e24 of that
        assert guessed(run, run.side.plain.state, 8, 1, [before], rows[8:10]) is None
        poked = np.frombuffer(before, turns.state_type.dtype.newbyteorder("<")).copy()
        poked["other"] ^= 1 << 9
        run.restore_canonical(8, poked.tobytes())
        wanted = int(run.advance(rows[8:9]).hashes[0])
        guess = guessed(run, run.side.plain.state, 8, wanted, [before], rows[8:10])
    assert guess is not None
    assert guess.after == poked.tobytes()
