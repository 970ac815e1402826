"""How far operations are from the hashed state."""

from __future__ import annotations

import samebits as sb
from samebits import float32, math, uint64
from samebits.diagnosis.exposure.distance import StateDistance
from samebits.ir.grammar import Op
from samebits.ir.refs import OpRef, statements


@sb.struct
class State:
    x: float32
    y: float32
    count: sb.int32


@sb.struct
class Input:
    push: float32


@sb.struct
class Pair:
    a: float32
    b: float32


@sb.kernel
def squared(x: float32) -> float32:
    return x * x


@sb.kernel
def is_far(x: float32) -> bool:
    return x - float32(3) > 0.0


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x = 1.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.x = state.x + inputs[0].push
    root = math.sqrt(squared(state.y) + 1.0)
    pair = Pair(a=root, b=root)
    state.y = pair.a
    useless = state.x / 3.0  # noqa: F841
    if is_far(state.y):
        state.count += 1


SMALL = sb.Simulation(
    name="small", version="1", state=State, input=Input, players=1, init=init, step=step
)
KERNELS = SMALL.program.kernels
DISTANCE = StateDistance(KERNELS)


def steps(opcode: str, function: str) -> int | None:
    name = next(n for n in KERNELS.functions if f".{function}" in n)
    found = [p for p, s in statements(KERNELS, [name]) if isinstance(s, Op) and s.opcode == opcode]
    return DISTANCE.steps(found[0])


def test_what_is_stored_at_once_is_one_step_away() -> None:
    assert steps("add", "step") == 1


def test_a_call_is_followed_into_its_result_and_a_local_struct_into_what_reads_it() -> None:
    # x * x, + 1, sqrt, into the struct, into its copy, into the state
    assert steps("sqrt", "step") == 3
    assert steps("mul", "squared") == 5


def test_what_decides_a_branch_reaches_what_the_branch_does() -> None:
    assert steps("sub", "is_far") is not None


def test_what_nobody_uses_leads_nowhere() -> None:
    assert steps("div", "step") is None
    assert DISTANCE.steps(OpRef("nobody", 1)) is None
