"""A cloth that two players hold by its upper corners, in float32, as the simulation `CLOTH`.

Points on a grid with springs between neighbours, wind, a ball to drape over, and the floor. Several
threads compute it, each from what the loop before has written, so that none waits for another.
Metres, seconds; forces are for one kilogram, for all points weigh the same.
"""

from typing import Literal

import samebits as sb
from samebits import float2, float3, float32, int8, int64, math, noise, uint32, uint64

PLAYERS = 2
COLUMNS = 9
ROWS = 6
POINTS = 54
"""Point `row * COLUMNS + column`; the upper row comes first."""
SPRINGS = 173
POINT_BATCH = 14
SPRING_BATCH = 44
"""Points and springs that a thread takes at a time."""

TICK_RATE = 60
SUBSTEPS = 2
DT = 1.0 / (TICK_RATE * SUBSTEPS)

SPACING = 0.35
DIAGONAL = 0.49497474683058327
STIFFNESS = 2500.0
DAMPING = 4.0
GRAVITY = 9.81
AIR = 1.4
"""How much the air pushes on a point, for each metre a second across the cloth."""
DRAG = 0.5
"""Share of its speed that any point loses a second."""

BALL_X = 0.0
BALL_Y = 1.0
BALL_Z = 0.4
BALL_RADIUS = 0.6
FRICTION = 6.0

HAND_SPEED = 2.0
HAND_REACH = 1.2
"""How far a hand goes from its place at the start."""
GRIP_SPEED = 4.0
"""How fast a corner that was let go comes back to the hand."""

CALM = 4.0
"""Below this much motion a breeze comes up."""
BREEZE = 0.9
LULL = 0.85
"""What is left of a gust after a frame."""


def woven() -> list[tuple[int, int, float]]:
    """The springs: from which point to which, and how long at rest."""
    ways = ((0, 1, SPACING), (1, 0, SPACING), (1, 1, DIAGONAL), (1, -1, DIAGONAL))
    return [
        (row * COLUMNS + column, (row + down) * COLUMNS + column + right, length)
        for row in range(ROWS)
        for column in range(COLUMNS)
        for down, right, length in ways
        if row + down < ROWS and 0 <= column + right < COLUMNS
    ]


CLOTH_SPRINGS = woven()
FROM = sb.table([a for a, _, _ in CLOTH_SPRINGS], int64)
TO = sb.table([b for _, b, _ in CLOTH_SPRINGS], int64)
LENGTH = sb.table([length for _, _, length in CLOTH_SPRINGS], float32)

# The springs at point p are ENDS[k] for k from FIRST[p] to FIRST[p + 1] - 1; SIDE is 1 where p is
# where the spring starts, and -1 where it ends.
AT = [
    [(s, 1.0 if a == p else -1.0) for s, (a, b, _) in enumerate(CLOTH_SPRINGS) if p in (a, b)]
    for p in range(POINTS)
]
FIRST = sb.table([sum(map(len, AT[:p])) for p in range(POINTS + 1)], int64)
ENDS = sb.table([s for found in AT for s, _ in found], int64)
SIDE = sb.table([side for found in AT for _, side in found], float32)


@sb.struct
class Point:
    pos: float3
    vel: float3


@sb.struct
class Hand:
    pos: float3
    holds: bool


@sb.struct
class State:
    """`wind` blows on a row of points, towards positive z; `gust` is what makes the wind. `motion`
    is the kinetic energy of all points, `strain` the largest stretch of a spring."""

    points: sb.FixedArray[Point, Literal[54]]
    pulls: sb.FixedArray[float3, Literal[173]]
    forces: sb.FixedArray[float3, Literal[54]]
    wind: sb.FixedArray[float32, Literal[6]]
    hands: sb.FixedArray[Hand, Literal[2]]
    seed: uint32
    time: float32
    gust: float32
    motion: float32
    strain: float32


@sb.struct
class Input:
    """Where a player's hand goes, -127 to 127; whether it lets go of its corner; a puff of air."""

    x: int8
    y: int8
    z: int8
    release: bool
    blow: bool


@sb.kernel
def spring(a: Point, b: Point, rest: float32) -> float3:
    """The force on a of the spring to b, and of the damper in it."""
    between = b.pos - a.pos
    length = math.max(math.length(between), 1e-6)
    along = between / length
    parting = math.dot(b.vel - a.vel, along)
    return along * (STIFFNESS * (length - rest) + DAMPING * parting)


@sb.kernel
def gather(pulls: sb.ReadOnly[float3], point: int) -> float3:
    """What all springs at a point pull it with."""
    total = float3(0)
    for k in range(FIRST[point], FIRST[point + 1]):
        total += pulls[ENDS[k]] * SIDE[k]
    return total


@sb.kernel
def air(points: sb.ReadOnly[Point], i: int, wind: float32) -> float3:
    """The force of the air on a point: along the normal of the cloth, by the speed across it."""
    row = i // COLUMNS
    column = i % COLUMNS
    left = points[row * COLUMNS + math.max(column - 1, 0)].pos
    right = points[row * COLUMNS + math.min(column + 1, COLUMNS - 1)].pos
    above = points[math.max(row - 1, 0) * COLUMNS + column].pos
    below = points[math.min(row + 1, ROWS - 1) * COLUMNS + column].pos
    across = math.cross(right - left, below - above)
    normal = across / math.max(math.length(across), 1e-6)
    return normal * (AIR * math.dot(float3(0, 0, wind) - points[i].vel, normal))


@sb.kernel
def rub(vel: float3, normal: float3) -> float3:
    """What a contact leaves of a velocity: nothing into the surface, less along it."""
    into = math.min(math.dot(vel, normal), 0.0)
    return (vel - normal * into) / (1.0 + FRICTION * DT)


@sb.kernel
def move(point: Point, push: float3) -> None:
    """A substep of a free point, out of the ball and the floor."""
    point.vel = (point.vel + push * DT) / (1.0 + DRAG * DT)
    point.pos += point.vel * DT
    away = point.pos - float3(BALL_X, BALL_Y, BALL_Z)
    if math.dot(away, away) < BALL_RADIUS * BALL_RADIUS:
        normal = math.normalize(away + float3(0, 0, 1e-6))
        point.pos += normal * (BALL_RADIUS - math.length(away))
        point.vel = rub(point.vel, normal)
    if point.pos.y < 0.0:
        point.pos = float3(point.pos.x, 0, point.pos.z)
        point.vel = rub(point.vel, float3(0, 1, 0))


@sb.kernel
def hold(corner: Point, hand: Hand) -> None:
    """A substep of a held corner: to the hand, at no more than the grip's speed."""
    way = hand.pos - corner.pos
    distance = math.length(way)
    if distance > GRIP_SPEED * DT:
        way = way * (GRIP_SPEED * DT / distance)
    corner.pos += way
    corner.vel = way / DT


@sb.kernel
def substep(state: State) -> None:
    """Springs, then forces, then points: each loop reads what those before have written."""
    for s in sb.prange(SPRINGS, batch=SPRING_BATCH):
        state.pulls[s] = spring(state.points[FROM[s]], state.points[TO[s]], LENGTH[s])
    for i in sb.prange(POINTS, batch=POINT_BATCH):
        weight = float3(0, -GRAVITY, 0)
        wind = air(state.points, i, state.wind[i // COLUMNS])
        state.forces[i] = weight + wind + gather(state.pulls, i)
    for i in sb.prange(POINTS, batch=POINT_BATCH):
        if i == 0 and state.hands[0].holds:
            hold(state.points[i], state.hands[0])
        elif i == COLUMNS - 1 and state.hands[1].holds:
            hold(state.points[i], state.hands[1])
        else:
            move(state.points[i], state.forces[i])


@sb.kernel
def measure(state: State) -> None:
    """Motion and strain: sums and greatest of arrays, whose shape depends on the length alone."""
    squares = sb.zeros(POINTS, float32)
    for i in sb.prange(POINTS, batch=POINT_BATCH):
        squares[i] = math.dot(state.points[i].vel, state.points[i].vel)
    state.motion = 0.5 * math.sum(squares)
    strains = sb.zeros(SPRINGS, float32)
    for s in range(SPRINGS):
        way = state.points[TO[s]].pos - state.points[FROM[s]].pos
        strains[s] = math.length(way) / LENGTH[s] - 1.0
    state.strain = math.max(strains)


@sb.kernel
def home_of(player: int) -> float3:
    """Where a hand is at the start: the cloth hangs between them, unstretched."""
    width = SPACING * (COLUMNS - 1)
    return float3(float32(player) * width - 0.5 * width, 2.6, 0)


@sb.kernel
def reach(hand: Hand, controls: Input, home: float3) -> None:
    """A frame of a hand: where its player wants it, within reach of its home."""
    stick = float3(float32(controls.x), float32(controls.y), float32(controls.z)) / 127.0
    moved = hand.pos + math.clamp(stick, -1.0, 1.0) * (HAND_SPEED / TICK_RATE)
    hand.pos = home + math.clamp(moved - home, -HAND_REACH, HAND_REACH)
    hand.holds = not controls.release


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """The cloth in a plane, upright, at rest. The seed chooses the wind."""
    state.seed = uint32(seed)
    for i in range(POINTS):
        column = float32(i % COLUMNS)
        row = float32(i // COLUMNS)
        state.points[i].pos = home_of(0) + float3(column, -row, 0) * SPACING
    for player in range(PLAYERS):
        state.hands[player].pos = home_of(player)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    """One frame."""
    for player in range(PLAYERS):
        reach(state.hands[player], inputs[player], home_of(player))
    blown = float32(0)
    if inputs[0].blow or inputs[1].blow:
        blown = float32(3)
    elif state.motion < CALM:
        blown = float32(BREEZE)
    state.gust = state.gust * LULL + blown
    for row in range(ROWS):
        at = float2(0.7 * state.time, 0.4 * float32(row))
        state.wind[row] = state.gust * (0.6 + noise.perlin_2d(at, state.seed))
    for _ in range(SUBSTEPS):
        substep(state)
    measure(state)
    state.time += 1.0 / TICK_RATE


Controls = dict[str, int | bool]


def wave(frame: int, player: int, seed: int) -> Controls:
    """Up and down against each other, forth and back over the ball; rests, and blows at times."""
    beat = frame + 20 * player + seed % 20
    if frame % 2400 >= 1500:
        return {"x": 0, "y": 0, "z": 0, "release": False, "blow": False}
    return {
        "x": (-40, 40)[(beat // 90 + player) % 2],
        "y": (100, -100)[beat // 30 % 2],
        "z": (70, 70, -70, -70)[beat // 75 % 4],
        "release": False,
        "blow": frame % 400 < 12,
    }


def drop(frame: int, player: int, seed: int) -> Controls:
    """One corner is let go, then the other, and both are picked up again."""
    beat = (frame + 240 * player + seed) % 960
    return {"x": 0, "y": 0, "z": 50 - beat % 101, "release": beat < 300, "blow": False}


def shake(frame: int, player: int, seed: int) -> Controls:
    """Hands here and there, new every eight frames."""
    mixed = ((frame // 8 + 1) * 0x9E3779B1 ^ (player + seed) * 0x85EBCA77) & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 15) * 0x2C1B3C6D & 0xFFFFFFFF
    return {
        "x": (mixed >> 8 & 255) - 128,
        "y": (mixed >> 16 & 255) - 128,
        "z": (mixed >> 24) - 128,
        "release": False,
        "blow": mixed & 15 == 0,
    }


CLOTH = sb.Simulation(
    name="cloth",
    version="1",
    state=State,
    input=Input,
    players=PLAYERS,
    init=init,
    step=step,
    tick_rate=TICK_RATE,
    scripts={"wave": wave, "drop": drop, "shake": shake},
)
