"""A simulation in fixed point is verified, described and exported like any other."""

import numpy as np

import samebits as sb
from samebits import fix16, fix32, fix32x2
from samebits.bits import to_canonical
from samebits.export.header import header_text
from samebits.export.interface import interface_of
from samebits.sim.sources import PlayerSource
from samebits.sim.state import schema
from samebits.sim.state.difference import first_difference
from samebits.verify.executions import all_rows, choose_rows
from samebits.verify.verification import Verification


@sb.struct
class State:
    pos: fix32x2
    vel: fix32x2
    heat: fix16
    past: sb.FixedArray[sb.fix48_sat, 3]


@sb.struct
class Input:
    push: fix32
    turn: sb.fix16_sat


@sb.kernel
def init(state: State, seed: sb.uint64) -> None:
    state.pos = fix32x2(fix32("0.1"), 2)
    state.heat = fix16("36.6")


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    given = inputs[0]
    push = sb.clamp(given.push, fix32(-1), fix32(1))
    state.vel = state.vel * fix32("0.99") + fix32x2(push, fix32(given.turn) / 1000)
    state.pos += state.vel * fix32("0.016")
    state.heat += fix16("0.25")
    state.past[1] = sb.fix48_sat(state.pos.x) * 1000000000


def push(frame, player, seed):
    return {"push": fix32("0.3") * (frame % 5), "turn": frame}


SIMULATION = sb.Simulation(
    name="fixed", version="1", state=State, input=Input, players=1, init=init, step=step,
    scripts={"push": push},
)  # fmt: skip


def test_managed_and_every_cpu_level_agree_on_scripted_and_random_inputs():
    rows = tuple(row for row in choose_rows(all_rows()) if not row.emulated)
    for player in ("push", "random"):
        verification = Verification(SIMULATION, PlayerSource(SIMULATION, player, 1, 40), rows)
        verification.run(lambda what, frames: None)
        assert verification.same


def test_schemas_keep_the_types():
    t = State.__sb_type__
    text = schema.to_json(t)
    assert ["pos", "fix32x2"] in text["fields"]
    assert schema.from_json(text, 1 << 20).fields == t.fields


def test_a_difference_shows_numbers_and_not_steps():
    t = State.__sb_type__
    a = np.zeros(1, t.dtype)
    b = a.copy()
    b["heat"] = fix16("-36.6").raw
    found = first_difference(t, to_canonical(t, a), to_canonical(t, b))
    assert (found.path, found.type, found.found) == ("heat", "fix16", "-36.6")


def test_the_c_header_says_what_the_integers_count():
    text = header_text(interface_of(SIMULATION), ())
    assert "int32_t heat; /* at 32, in steps of 2^-16 */" in text
    assert "int64_t past[3]; /* at 40, in steps of 2^-16 */" in text
