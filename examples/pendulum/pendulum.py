"""Eight carts that balance double pendulums, in float64, as the simulation `PENDULUM`.

What a reinforcement learner or a control engineer runs in batches: dynamics by Lagrange, a linear
solve, Runge and Kutta's fourth-order step, an optimal linear controller, rewards, and new episodes.
Metres, seconds, kilograms, newtons; angles are from upright, clockwise.
"""

from typing import Literal

import samebits as sb
from samebits import float64, int8, int32, math, random, uint64

PLAYERS = 2
"""Carts 0, 2, 4, 6 belong to player 0, the others to player 1."""
CARTS = 8
SIZE = 3
"""Coordinates: the cart's place, the lower pole's angle, the upper pole's."""

TICK_RATE = 60
DT = 1.0 / TICK_RATE

GRAVITY = 9.81
CART_MASS = 1.0
BOB_MASS = 0.25
POLE = 0.5
"""The length of each of the two poles, whose mass is in the bob at its end."""
JOINT_FRICTION = 0.004
RAIL_FRICTION = 0.15

CARRIED = sb.table([CART_MASS + 2 * BOB_MASS, 2 * BOB_MASS, BOB_MASS], float64)
"""The mass that moves with each coordinate."""

# The gains of the discrete linear-quadratic regulator, made by gains.py.
GAINS = sb.table([4.8366, -202.1916, 258.3048, 8.5513, -9.7455, 41.3511], float64)
STRONGEST = 40.0

# Runge and Kutta's stages: how far into the step each looks, and its weight.
STAGES = 4
LOOK = sb.table([0.0, 0.5 * DT, 0.5 * DT, DT], float64)
WEIGHT = sb.table([DT / 6, DT / 3, DT / 3, DT / 6], float64)

SHOVE = 12.0
KNOCK = 1.2
FADING = 0.4
"""What is left of a knock after a frame."""
BREEZE = 0.02

RAIL_END = 2.4
FALLEN = 0.7
EPISODE = 1800
"""Frames after which an episode ends by itself."""


@sb.struct
class Cart(sb.Struct):
    """Place and angles, their changes a second, and what drives them in this frame."""

    q: sb.FixedArray[float64, Literal[3]] = sb.zero
    v: sb.FixedArray[float64, Literal[3]] = sb.zero
    force: float64 = sb.zero
    knock: float64 = sb.zero
    score: float64 = sb.zero
    frames: int32 = sb.zero
    falls: int32 = sb.zero
    dice: random.Random = sb.zero


@sb.struct
class State:
    """`scores` are of each cart's last whole episode, `mean` is their mean."""

    carts: sb.FixedArray[Cart, Literal[8]]
    scores: sb.FixedArray[float64, Literal[8]]
    mean: float64


@sb.struct
class Input:
    """A player's push on the carts, -127 to 127; a knock on the upper bobs; hands off the rest."""

    push: int8
    knock: bool
    hands_off: bool


@sb.kernel
def solve(m: sb.Array2D[float64], x: sb.Array[float64]) -> None:
    """Turn the right-hand side x into the solution, for a symmetric positive matrix: Cholesky."""
    for j in range(SIZE):
        for i in range(j, SIZE):
            total = m[i, j]
            for k in range(j):
                total -= m[i, k] * m[j, k]
            m[i, j] = total
        pivot = math.sqrt(m[j, j])
        for i in range(j, SIZE):
            m[i, j] = m[i, j] / pivot
    for i in range(SIZE):
        total = x[i]
        for k in range(i):
            total -= m[i, k] * x[k]
        x[i] = total / m[i, i]
    for i in range(SIZE - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, SIZE):
            total -= m[k, i] * x[k]
        x[i] = total / m[i, i]


@sb.kernel
def accelerate(
    q: sb.ReadOnly[float64],
    v: sb.ReadOnly[float64],
    force: float64,
    knock: float64,
    result: sb.Array[float64],
) -> None:
    """Lagrange's equations: what the masses' matrix, applied to the accelerations, must give."""
    sines = sb.zeros(SIZE, float64)
    cosines = sb.zeros(SIZE, float64)
    for i in range(1, SIZE):
        sines[i], cosines[i] = math.sincos(q[i])
    m = sb.zeros((SIZE, SIZE), float64)
    m[0, 0] = CARRIED[0]
    result[0] = force - RAIL_FRICTION * v[0]
    for i in range(1, SIZE):
        m[i, 0] = CARRIED[i] * POLE * cosines[i]
        result[0] += CARRIED[i] * POLE * sines[i] * v[i] * v[i]
        total = CARRIED[i] * POLE * GRAVITY * sines[i] - JOINT_FRICTION * v[i]
        for j in range(1, SIZE):
            mass = CARRIED[math.max(i, j)] * POLE * POLE
            m[i, j] = mass * (cosines[i] * cosines[j] + sines[i] * sines[j])
            total -= mass * (sines[i] * cosines[j] - cosines[i] * sines[j]) * v[j] * v[j]
        result[i] = total
    result[2] += knock
    solve(m, result)


@sb.kernel
def advance(cart: Cart) -> None:
    """A frame of motion: four looks at the accelerations, and their weighted mean."""
    q = sb.zeros(SIZE, float64)
    v = sb.zeros(SIZE, float64)
    a = sb.zeros(SIZE, float64)
    new_q = sb.zeros(SIZE, float64)
    new_v = sb.zeros(SIZE, float64)
    for i in range(SIZE):
        new_q[i] = cart.q[i]
        new_v[i] = cart.v[i]
    for stage in range(STAGES):
        for i in range(SIZE):
            q[i] = cart.q[i] + LOOK[stage] * v[i]
            v[i] = cart.v[i] + LOOK[stage] * a[i]
        accelerate(q, v, cart.force, cart.knock, a)
        for i in range(SIZE):
            new_q[i] += WEIGHT[stage] * v[i]
            new_v[i] += WEIGHT[stage] * a[i]
    for i in range(SIZE):
        cart.q[i] = new_q[i]
        cart.v[i] = new_v[i]


@sb.kernel
def control(cart: Cart) -> float64:
    """The controller's force: minus the gains times the state."""
    total = float64(0)
    for i in range(SIZE):
        total -= GAINS[i] * cart.q[i]
        total -= GAINS[SIZE + i] * cart.v[i]
    return math.clamp(total, -STRONGEST, STRONGEST)


@sb.kernel
def begin(cart: Cart) -> None:
    """A new episode: nearly upright, at rest."""
    for i in range(SIZE):
        cart.q[i] = 0.1 * (cart.dice.next_float64() - 0.5)
        cart.v[i] = 0.0
    cart.score = 0.0
    cart.frames = 0


@sb.kernel
def reward(cart: Cart) -> float64:
    """Between 0 and 1: the nearer to upright and to the middle, the better."""
    cost = 0.1 * cart.q[0] * cart.q[0] + cart.q[1] * cart.q[1] + cart.q[2] * cart.q[2]
    return math.exp(-8.0 * cost)


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """Every cart has random numbers of its own."""
    for i in range(CARTS):
        state.carts[i].dice = random.seeded(seed, uint64(i))
        begin(state.carts[i])


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    """One frame."""
    for i in range(CARTS):
        cart = state.carts[i]
        controls = inputs[i % PLAYERS]
        push = math.max(float64(controls.push) / 127.0, -1.0) * SHOVE
        cart.force = push if controls.hands_off else push + control(cart)
        cart.knock = cart.knock * FADING
        if controls.knock:
            cart.knock += KNOCK if i % 4 < 2 else -KNOCK
        cart.force += BREEZE * (cart.dice.next_float64() - 0.5)
        advance(cart)
        cart.score += reward(cart)
        cart.frames += 1
        tilt = math.max(math.abs(cart.q[1]), math.abs(cart.q[2]))
        fell = tilt > FALLEN or math.abs(cart.q[0]) > RAIL_END
        if fell or cart.frames == EPISODE:
            cart.falls += int32(fell)
            state.scores[i] = cart.score
            begin(cart)
    state.mean = math.mean(state.scores)


Controls = dict[str, int | bool]


def steady(frame: int, player: int, seed: int) -> Controls:
    """Small pushes to and fro; a knock every quarter of a minute."""
    beat = frame + 200 * player + seed % 60
    return {
        "push": (0, 25, -60, 0, 40, -10)[beat // 40 % 6],
        "knock": beat % 900 == 899,
        "hands_off": False,
    }


def rough(frame: int, player: int, seed: int) -> Controls:
    """Hard pushes and knocks; now and then the controller must not help."""
    beat = frame + 23 * player + seed
    return {
        "push": (beat * 37 % 255 - 127) if beat // 30 % 3 == 0 else 0,
        "knock": beat % 70 == 0,
        "hands_off": beat % 500 > 480,
    }


def falling(frame: int, player: int, seed: int) -> Controls:
    """Nobody balances."""
    return {"push": 0, "knock": False, "hands_off": True}


PENDULUM = sb.Simulation(
    name="pendulum",
    version="1",
    state=State,
    input=Input,
    players=PLAYERS,
    init=init,
    step=step,
    tick_rate=TICK_RATE,
    scripts={"steady": steady, "rough": rough, "falling": falling},
)
