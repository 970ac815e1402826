"""A pinball table for two in float32, as the simulation `PINBALL`: a flipper for each player.

Three balls roll down a tilted table, off bumpers, drop targets, rails and each other. Lengths are
in ball diameters (27 mm), so the table is about half a metre wide and one long.
"""

from typing import Literal

import samebits as sb
from samebits import float2, float32, int8, int32, math, random, uint64

PLAYERS = 2
"""Player 0 has the left flipper, player 1 the right one."""
BALLS = 3
BUMPERS = 6

TICK_RATE = 60
SUBSTEPS = 4
DT = 1.0 / (TICK_RATE * SUBSTEPS)
"""Seconds a substep; at top speed a ball moves by half its diameter in one."""

WIDTH = 20.0
HEIGHT = 40.0
RADIUS = 0.5
SLOPE = 41.0
"""Gravity along a table that is tilted by 6.5 degrees."""
TOP_SPEED = 120.0
ROLLING = 0.08
"""Share of its speed that a rolling ball loses a second."""
WALL_SPRING = 0.6
GRIP = 0.15
"""Share of the slip at a contact that friction takes; 2 / 7 would take all of it."""

COLUMNS = 10
ROWS = 3
CELL = 2.0
TARGETS_Y = 26.0
"""Drop targets stand in a grid of cells, from wall to wall, up from here."""

BUMPER_X = sb.table([5.0, 15.0, 10.0, 7.0, 13.0, 10.0], float32)
BUMPER_Y = sb.table([35.0, 35.0, 37.0, 21.5, 21.5, 17.5], float32)
BUMPER_RADIUS = 1.2
BUMPER_KICK = 22.0
FADING = 1.25
"""What a lamp's light is divided by each frame."""

PIVOT_Y = 7.0
PIVOT_X = 6.0
"""Of the left flipper; the right one is its mirror image, as everything on this table."""
FLIPPER_LENGTH = 3.3
FLIPPER_RADIUS = 0.35
"""Half the thickness of flippers and rails."""
FLIPPER_DOWN = -0.45
FLIPPER_UP = 0.55
FLIPPER_SPEED = 18.0
FLIPPER_SPRING = 0.3
RAIL_Y = 10.0
"""Height at which the rails to the flippers leave the walls."""

NUDGE = 24.0
TILT_LIMIT = 3.0
TILT_FRAMES = 120

PLUNGER_FRAMES = 150
"""After so many frames a waiting ball is launched anyway."""


@sb.struct
class Ball:
    """Spin is in radians a second, counterclockwise. Waiting counts frames in the plunger lane."""

    pos: float2
    vel: float2
    spin: float32
    waiting: int32


@sb.struct
class Flipper:
    """Angle above the horizontal, and its change a second."""

    angle: float32
    speed: float32


@sb.struct
class State:
    score: int32
    lost: int32
    tilt: float32
    dead: int32
    dice: random.Random
    flippers: sb.FixedArray[Flipper, Literal[2]]
    lamps: sb.FixedArray[float32, Literal[6]]
    targets: sb.FixedArray[bool, Literal[3], Literal[10]]
    standing: int32
    balls: sb.FixedArray[Ball, Literal[3]]


@sb.struct
class Input:
    """One player's buttons, and a push of the table from -127 to 127."""

    flip: bool
    launch: bool
    nudge: int8


@sb.kernel
def closest(a: float2, b: float2, p: float2) -> float2:
    """The point nearest to p on the line from a to b."""
    along = math.dot(p - a, b - a) / math.dot(b - a, b - a)
    return a + (b - a) * math.clamp(along, 0.0, 1.0)


@sb.kernel
def rub(ball: Ball, normal: float2, surface: float2) -> None:
    """Friction at a contact: the slip of ball on surface becomes spin. A ball is a full sphere."""
    tangent = float2(-normal.y, normal.x)
    slip = math.dot(ball.vel - surface, tangent) - ball.spin * RADIUS
    ball.vel -= tangent * (GRIP * slip)
    ball.spin += 2.5 * GRIP * slip / RADIUS


@sb.kernel
def bounce(ball: Ball, at: float2, reach: float32, surface: float2, spring: float32) -> None:
    """Off the point `at` of something that moves with velocity `surface`, `reach` away from it."""
    between = ball.pos - at
    square = math.dot(between, between)
    if square >= reach * reach or square == 0.0:
        return
    normal = between / math.sqrt(square)
    ball.pos = at + normal * reach
    closing = math.min(math.dot(ball.vel - surface, normal), 0.0)
    ball.vel -= normal * ((1.0 + spring) * closing)
    rub(ball, normal, surface)


@sb.kernel
def hit_bumper(state: State, ball: Ball, b: int) -> None:
    """A bumper reflects a ball, kicks it on, and lights up: the faster, the more points."""
    between = ball.pos - float2(BUMPER_X[b], BUMPER_Y[b])
    reach = BUMPER_RADIUS + RADIUS
    if math.dot(between, between) < reach * reach:
        normal = math.normalize(between + float2(0, 1e-6))
        ball.pos += normal * (reach - math.length(between))
        speed = math.dot(ball.vel, normal)
        if speed < 0.0:
            ball.vel = math.reflect(ball.vel, normal) + normal * BUMPER_KICK
            state.score += 10 + int32(-speed * 0.25)
            state.lamps[b] = 1.0


@sb.kernel
def hit_target(state: State, ball: Ball) -> None:
    """A ball in a cell whose target stands knocks it down and goes back where it came from."""
    column = int32(ball.pos.x / CELL)
    row = int32(math.floor((ball.pos.y - TARGETS_Y) / CELL))
    if row < 0 or row >= ROWS or column < 0 or column >= COLUMNS:
        return
    if not state.targets[row, column]:
        return
    state.targets[row, column] = False
    state.standing -= 1
    state.score += 50
    centre = float2(float32(column) + 0.5, float32(row) + 0.5) * CELL + float2(0, TARGETS_Y)
    offset = (ball.pos - centre) / CELL
    if math.abs(offset.x) > math.abs(offset.y):
        ball.vel = float2(math.copysign(ball.vel.x, offset.x), ball.vel.y) * 0.8
    else:
        ball.vel = float2(ball.vel.x, math.copysign(ball.vel.y, offset.y)) * 0.8


@sb.kernel
def hit_walls(ball: Ball) -> None:
    """Left, right and top: the part of the velocity into a wall is turned round."""
    inside = math.clamp(ball.pos, float2(RADIUS, -10.0), float2(WIDTH, HEIGHT) - RADIUS)
    if inside.x != ball.pos.x:
        wall = math.sign(inside.x - ball.pos.x)
        ball.vel = float2(wall * math.max(-ball.vel.x * wall * WALL_SPRING, 0.0), ball.vel.y)
        rub(ball, float2(wall, 0), float2(0))
    if inside.y != ball.pos.y:
        ball.vel = float2(ball.vel.x, math.min(ball.vel.y, -ball.vel.y * WALL_SPRING))
        rub(ball, float2(0, -1), float2(0))
    ball.pos = inside


@sb.kernel
def hit_flipper(flipper: Flipper, ball: Ball, side: float32) -> None:
    """Off the rail above a flipper, and off the flipper: side is 1 for the left, -1 for the right.

    A mirror image turns the other way round, hence the sign of its angular speed.
    """
    middle = 0.5 * WIDTH
    pivot = float2(middle - side * (middle - PIVOT_X), PIVOT_Y)
    wall = float2(middle - side * middle, RAIL_Y)
    reach = RADIUS + FLIPPER_RADIUS
    bounce(ball, closest(wall, pivot, ball.pos), reach, float2(0), WALL_SPRING)
    sin, cos = math.sincos(flipper.angle)
    tip = pivot + float2(side * cos, sin) * FLIPPER_LENGTH
    at = closest(pivot, tip, ball.pos)
    arm = at - pivot
    surface = float2(-arm.y, arm.x) * (side * flipper.speed)
    bounce(ball, at, reach, surface, FLIPPER_SPRING)


@sb.kernel
def part(a: Ball, b: Ball) -> None:
    """Two balls of one mass exchange what they have along the line between them."""
    between = b.pos - a.pos
    square = math.dot(between, between)
    if square >= 4.0 * RADIUS * RADIUS or square == 0.0:
        return
    distance = math.sqrt(square)
    normal = between / distance
    share = 0.5 * (2.0 * RADIUS - distance)
    a.pos -= normal * share
    b.pos += normal * share
    closing = math.min(math.dot(b.vel - a.vel, normal), 0.0)
    a.vel += normal * (0.95 * closing)
    b.vel -= normal * (0.95 * closing)


@sb.kernel
def roll(ball: Ball) -> None:
    """A substep of free rolling, below top speed."""
    vel = ball.vel - float2(0, SLOPE * DT)
    vel = vel / (1.0 + ROLLING * DT)
    ball.vel = vel * math.min(TOP_SPEED / math.max(math.length(vel), 1.0), 1.0)
    ball.spin = ball.spin / (1.0 + 4.0 * ROLLING * DT)
    ball.pos += ball.vel * DT


@sb.kernel
def play(state: State, i: int) -> None:
    """A substep of ball i: roll, then meet everything, in this order."""
    ball = state.balls[i]
    roll(ball)
    for j in range(i):
        if state.balls[j].waiting == 0:
            part(state.balls[j], ball)
    for b in range(BUMPERS):
        hit_bumper(state, ball, b)
    hit_target(state, ball)
    hit_flipper(state.flippers[0], ball, float32(1))
    hit_flipper(state.flippers[1], ball, float32(-1))
    hit_walls(ball)


@sb.kernel
def turn(flipper: Flipper, up: bool) -> None:
    """A substep of a flipper: at full speed to the end that it is wanted at."""
    before = flipper.angle
    change = FLIPPER_SPEED * DT if up else -FLIPPER_SPEED * DT
    flipper.angle = math.clamp(before + change, FLIPPER_DOWN, FLIPPER_UP)
    flipper.speed = (flipper.angle - before) / DT


@sb.kernel
def wait(state: State, ball: Ball, launch: bool) -> None:
    """A ball in the plunger lane: launched by a button, or by itself in the end."""
    ball.waiting += 1
    if launch or ball.waiting > PLUNGER_FRAMES:
        ball.waiting = 0
        speed = state.dice.next_between(62.0, 78.0)
        aside = state.dice.next_between(-14.0, -2.0)
        ball.pos = float2(WIDTH - 2.0 * RADIUS, RAIL_Y + 2.0)
        ball.vel = float2(aside, speed)
        ball.spin = 0.0


@sb.kernel
def nudge(state: State, push: float32) -> None:
    """Push the table: every ball feels it. Too much within a second, and the flippers go dead."""
    state.dead = math.max(state.dead - 1, 0)
    state.tilt = state.tilt * 0.97 + math.abs(push) * 0.1
    if state.tilt > TILT_LIMIT:
        state.tilt = 0.0
        state.dead = TILT_FRAMES
    for i in range(BALLS):
        state.balls[i].vel += float2(push * (NUDGE / TICK_RATE), 0)


@sb.kernel
def raise_targets(state: State) -> None:
    """Stand all targets up again."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            state.targets[row, column] = True
    state.standing = ROWS * COLUMNS


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """All targets up, all balls in the plunger lane, one to be launched each second."""
    state.dice = random.seeded(seed, 0)
    raise_targets(state)
    for player in range(PLAYERS):
        state.flippers[player].angle = FLIPPER_DOWN
    for i in range(BALLS):
        state.balls[i].waiting = int32(PLUNGER_FRAMES - TICK_RATE * i)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    """One frame: four substeps of the balls in play."""
    nudge(state, (float32(inputs[0].nudge) + float32(inputs[1].nudge)) / 127.0)
    for b in range(BUMPERS):
        state.lamps[b] = state.lamps[b] / FADING
    for _ in range(SUBSTEPS):
        for player in range(PLAYERS):
            turn(state.flippers[player], inputs[player].flip and state.dead == 0)
        for i in range(BALLS):
            if state.balls[i].waiting == 0:
                play(state, i)
    for i in range(BALLS):
        ball = state.balls[i]
        if ball.waiting > 0:
            wait(state, ball, inputs[0].launch or inputs[1].launch)
        elif ball.pos.y < 0.0:
            ball.waiting = 1
            state.lost += 1
    if state.standing == 0:
        state.score += 1000
        raise_targets(state)


Controls = dict[str, int | bool]


def rally(frame: int, player: int, seed: int) -> Controls:
    """Flip often, not quite in time with each other; launch at once; a push now and then."""
    beat = frame + 7 * player + seed % 13
    return {
        "flip": beat % 23 < 9,
        "launch": beat % 40 == 0,
        "nudge": (90 if player == 0 else -110) if beat % 211 < 6 else 0,
    }


def idle(frame: int, player: int, seed: int) -> Controls:
    """Nobody plays; the table launches its balls all the same, and the lamps go out."""
    return {"flip": False, "launch": False, "nudge": 0}


def tilters(frame: int, player: int, seed: int) -> Controls:
    """Push and shake until the flippers go dead."""
    shaking = (frame + 31 * player) % 300 < 120
    return {
        "flip": frame % 14 < 7,
        "launch": frame % 10 == 0,
        "nudge": ((frame * 37 + seed) % 255 - 127) if shaking else 0,
    }


PINBALL = sb.Simulation(
    name="pinball",
    version="1",
    state=State,
    input=Input,
    players=PLAYERS,
    init=init,
    step=step,
    tick_rate=TICK_RATE,
    scripts={"rally": rally, "idle": idle, "tilters": tilters},
)
