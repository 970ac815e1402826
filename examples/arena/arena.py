"""Two ships among 200 asteroids: a small lockstep game in float32, as the simulation `ARENA`.

Thrust, turn and fire. Asteroids and ships bounce off each other and off the walls; a shot wears
an asteroid down, and a ship out. The whole game is this state, this input and this step.
"""

from typing import Literal

import samebits as sb
from samebits import float2, float32, int8, int32, math, uint32, uint64

PLAYERS = 2
BODIES = 202
"""The ships come first, body p for player p; asteroids follow."""
SHOTS = 48

TICK_RATE = 60
DT = 1.0 / TICK_RATE  # seconds a frame; rounded to float32 where it meets one

WIDTH = 160.0
HEIGHT = 96.0
CELL = 4.0
"""At least the greatest diameter: bodies that touch lie in neighbouring cells."""
COLUMNS = 40
ROWS = 24
CELLS = COLUMNS * ROWS

SHIP_RADIUS = 1.0
SHIP_MASS = 2.0
SHIP_HP = 100
THRUST = 60.0
TURN = 4.0
DRAG = 0.99
TOP_SPEED = 60.0
RELOAD_FRAMES = 8
RESPAWN_FRAMES = 90
SHIELD_FRAMES = 60
SAFE_SPEED = 12.0
"""Ships take a bump of this closing speed unharmed."""

SHOT_SPEED = 90.0
SHOT_FRAMES = 70
SHOT_DAMAGE = 20
LEAST_RADIUS = 0.7
MOST_RADIUS = 1.9
SHRINK = 0.8  # what a shot leaves of an asteroid's radius

PI = 3.1415927410125732  # nearest float32


@sb.struct
class Body:
    """A disc. Radius 0: not in the arena now."""

    pos: float2
    vel: float2
    radius: float32
    mass: float32


@sb.struct
class Ship:
    """What a player has beyond a body. The three counters are in frames and run down to 0."""

    angle: float32
    hp: int32
    score: int32
    reload: int32
    absent: int32
    shield: int32


@sb.struct
class Shot:
    """Life 0: a free place."""

    pos: float2
    vel: float2
    life: int32
    owner: int32


@sb.struct
class Grid:
    """Cell lists: the bodies of cell c are `items[first[c]]` up to `items[first[c + 1] - 1]`."""

    first: sb.FixedArray[int32, Literal[961]]
    items: sb.FixedArray[int32, Literal[202]]


@sb.struct
class State:
    frame: uint32
    random: uint32
    bodies: sb.FixedArray[Body, Literal[202]]
    ships: sb.FixedArray[Ship, Literal[2]]
    shots: sb.FixedArray[Shot, Literal[48]]
    grid: Grid


@sb.struct
class Input:
    """One player's controls. Axes run from -127 to 127, as a gamepad's do."""

    thrust: int8
    turn: int8
    fire: bool


@sb.kernel
def draw(state: State, low: float32, high: float32) -> float32:
    """The next random number in [low, high): xorshift32 (Marsaglia 2003), upper 24 bits."""
    x = state.random
    x ^= x << 13
    x ^= x >> 17
    x ^= x << 5
    state.random = x
    return low + (high - low) * (float32(x >> 8) * 5.9604644775390625e-08)


@sb.kernel
def place(state: State, body: Body, radius: float32, mass: float32) -> None:
    """Put a body somewhere in the arena."""
    body.radius = radius
    body.mass = mass
    x = draw(state, radius, WIDTH - radius)
    y = draw(state, radius, HEIGHT - radius)
    body.pos = float2(x, y)


@sb.kernel
def spawn_asteroid(state: State, body: Body) -> None:
    """A new asteroid of random size and speed, as heavy as it is large."""
    radius = draw(state, 1.0, MOST_RADIUS)
    place(state, body, radius, radius * radius)
    vx = draw(state, -8.0, 8.0)
    vy = draw(state, -8.0, 8.0)
    body.vel = float2(vx, vy)


@sb.kernel
def spawn_ship(state: State, player: int) -> None:
    """Bring a player's ship into the arena, whole, at rest, and shielded for a moment."""
    body = state.bodies[player]
    ship = state.ships[player]
    place(state, body, SHIP_RADIUS, SHIP_MASS)
    body.vel = float2(0, 0)
    ship.angle = draw(state, -PI, PI)
    ship.hp = SHIP_HP
    ship.reload = 0
    ship.absent = 0
    ship.shield = SHIELD_FRAMES


@sb.kernel
def axis(value: int8) -> float32:
    """A stick's position, -1 to 1."""
    return math.max(float32(value) / 127.0, -1.0)


@sb.kernel
def fire(state: State, player: int, pos: float2, vel: float2, heading: float2) -> None:
    """Launch a shot from a ship's nose if there is a free place."""
    for i in range(SHOTS):
        shot = state.shots[i]
        if shot.life == 0:
            shot.pos = pos + heading * (SHIP_RADIUS + 0.5)
            shot.vel = vel + heading * SHOT_SPEED
            shot.life = SHOT_FRAMES
            shot.owner = int32(player)
            break


@sb.kernel
def steer(state: State, player: int, controls: Input) -> None:
    """Turn, push and fire as the player says; bring back a ship whose time has come."""
    ship = state.ships[player]
    if ship.absent > 0:
        ship.absent -= 1
        if ship.absent == 0:
            spawn_ship(state, player)
        return
    ship.reload = math.max(ship.reload - 1, 0)
    ship.shield = math.max(ship.shield - 1, 0)
    ship.angle += axis(controls.turn) * (TURN * DT)
    if ship.angle > PI:
        ship.angle -= 2.0 * PI
    elif ship.angle < -PI:
        ship.angle += 2.0 * PI
    heading = float2(math.cos(ship.angle), math.sin(ship.angle))
    body = state.bodies[player]
    body.vel = body.vel * DRAG + heading * (axis(controls.thrust) * (THRUST * DT))
    if controls.fire and ship.reload == 0:
        ship.reload = RELOAD_FRAMES
        fire(state, player, body.pos, body.vel, heading)


@sb.kernel
def harm(state: State, player: int32, damage: int32) -> bool:
    """Take hit points from a ship unless it is shielded; True if that was its end."""
    ship = state.ships[player]
    if ship.shield > 0 or ship.absent > 0:
        return False
    ship.hp -= damage
    if ship.hp > 0:
        return False
    ship.hp = 0
    ship.absent = RESPAWN_FRAMES
    state.bodies[player].radius = 0.0
    return True


@sb.kernel
def move(body: Body) -> None:
    """One frame of straight flight below top speed, reflected by the walls."""
    speed = math.length(body.vel)
    vel = body.vel
    if speed > TOP_SPEED:
        vel = vel * (TOP_SPEED / speed)
    pos = body.pos + vel * DT
    low = float2(body.radius)
    high = float2(WIDTH, HEIGHT) - low
    inside = math.clamp(pos, low, high)
    body.vel = math.select(pos == inside, vel, -vel)
    body.pos = inside


@sb.kernel
def column_of(x: float32) -> int32:
    return math.clamp(int32(x / CELL), 0, COLUMNS - 1)


@sb.kernel
def row_of(y: float32) -> int32:
    return math.clamp(int32(y / CELL), 0, ROWS - 1)


@sb.kernel
def fill(grid: Grid, state: State) -> None:
    """Sort the bodies into cells, by counting."""
    for c in range(CELLS + 1):
        grid.first[c] = 0
    for i in range(BODIES):
        body = state.bodies[i]
        if body.radius > 0.0:
            grid.first[row_of(body.pos.y) * COLUMNS + column_of(body.pos.x)] += 1
    for c in range(1, CELLS + 1):
        grid.first[c] += grid.first[c - 1]
    for i in range(BODIES - 1, -1, -1):
        body = state.bodies[i]
        if body.radius > 0.0:
            cell = row_of(body.pos.y) * COLUMNS + column_of(body.pos.x)
            grid.first[cell] -= 1
            grid.items[grid.first[cell]] = int32(i)


@sb.kernel
def bounce(a: Body, b: Body) -> float32:
    """Part two bodies and exchange momentum, elastically; the speed at which they met, or 0."""
    between = b.pos - a.pos
    reach = a.radius + b.radius
    square = math.dot(between, between)
    if square >= reach * reach or square == 0.0:
        return float32(0)
    distance = math.sqrt(square)
    normal = between / distance
    share = b.mass / (a.mass + b.mass)
    overlap = reach - distance
    a.pos -= normal * (overlap * share)
    b.pos += normal * (overlap * (1.0 - share))
    closing = math.dot(b.vel - a.vel, normal)
    if closing >= 0.0:
        return float32(0)
    a.vel += normal * (2.0 * closing * share)
    b.vel -= normal * (2.0 * closing * (1.0 - share))
    return -closing


@sb.kernel
def bump(state: State, i: int32, j: int32) -> None:
    """Let two bodies meet; a ship is harmed by half of what exceeds the safe speed."""
    met = bounce(state.bodies[i], state.bodies[j])
    if met > SAFE_SPEED:
        damage = int32((met - SAFE_SPEED) * 0.5)
        if i < PLAYERS:
            harm(state, i, damage)
        if j < PLAYERS:
            harm(state, j, damage)


@sb.kernel
def collide(state: State) -> None:
    """Every pair of bodies in the same or neighbouring cells, lower index first, once."""
    first = state.grid.first
    items = state.grid.items
    for i in range(BODIES):
        body = state.bodies[i]
        if body.radius > 0.0:
            column = column_of(body.pos.x)
            row = row_of(body.pos.y)
            for y in range(math.max(row - 1, 0), math.min(row + 2, ROWS)):
                for x in range(math.max(column - 1, 0), math.min(column + 2, COLUMNS)):
                    c = y * COLUMNS + x
                    for k in range(first[c], first[c + 1]):
                        if items[k] > i:
                            bump(state, int32(i), items[k])


@sb.kernel
def struck(state: State, shot: Shot) -> int32:
    """The first body that a shot is inside, its own ship excepted; -1 if there is none."""
    column = column_of(shot.pos.x)
    row = row_of(shot.pos.y)
    for y in range(math.max(row - 1, 0), math.min(row + 2, ROWS)):
        for x in range(math.max(column - 1, 0), math.min(column + 2, COLUMNS)):
            c = y * COLUMNS + x
            for k in range(state.grid.first[c], state.grid.first[c + 1]):
                i = state.grid.items[k]
                body = state.bodies[i]
                d = body.pos - shot.pos
                if i != shot.owner and math.dot(d, d) < body.radius * body.radius:
                    return i
    return int32(-1)


@sb.kernel
def hit(state: State, shot: Shot, target: int32) -> None:
    """A shot meets a body: a ship is harmed, an asteroid shrinks, the shooter scores."""
    shooter = state.ships[shot.owner]
    if target < PLAYERS:
        if harm(state, target, SHOT_DAMAGE):
            shooter.score += 100
        return
    body = state.bodies[target]
    body.radius *= SHRINK
    body.mass = body.radius * body.radius
    if body.radius < LEAST_RADIUS:
        shooter.score += 10
        spawn_asteroid(state, body)


@sb.kernel
def fly(state: State) -> None:
    """Move the shots; each ends at a wall, at a body, or with its life."""
    for i in range(SHOTS):
        shot = state.shots[i]
        if shot.life > 0:
            shot.life -= 1
            shot.pos += shot.vel * DT
            target = struck(state, shot)
            if target >= 0:
                hit(state, shot, target)
                shot.life = 0
            elif math.any(shot.pos < 0.0) or math.any(shot.pos > float2(WIDTH, HEIGHT)):
                shot.life = 0


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """A new game: asteroids and ships at random places drawn from the seed."""
    state.frame = 0
    state.random = math.max(uint32(((seed + 1) * 0x9E3779B97F4A7C15) >> 32), 1)
    for player in range(PLAYERS):
        spawn_ship(state, player)
    for i in range(PLAYERS, BODIES):
        spawn_asteroid(state, state.bodies[i])


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    """One frame."""
    for player in range(PLAYERS):
        steer(state, player, inputs[player])
    for i in range(BODIES):
        move(state.bodies[i])
    fill(state.grid, state)
    collide(state)
    fly(state)
    state.frame += 1


Controls = dict[str, int | bool]


def duel(frame: int, player: int, seed: int) -> Controls:
    """Dash, swing and fire in bursts; the second player mirrors the first, half a beat later."""
    beat = frame + 45 * player + seed % 60
    side = 1 if player == 0 else -1
    dashing = beat % 90 < 60
    swing = (-127, -40, 0, 40, 127, 80, 0, -80)[beat // 24 % 8]
    return {
        "thrust": 127 if dashing else -64,
        "turn": side * swing,
        "fire": beat % 48 < 20,
    }


def circle(frame: int, player: int, seed: int) -> Controls:
    """Fly rings, wider and narrower, and fire at a steady rate."""
    width = (frame // 4 + seed) % 96
    return {
        "thrust": 90,
        "turn": (16 + width) * (1 if player == 0 else -1),
        "fire": (frame + 9 * player) % 18 == 0,
    }


def chaos(frame: int, player: int, seed: int) -> Controls:
    """Anything that the input type can hold, new every four frames."""
    mixed = (frame // 4 * 0x9E3779B1 ^ player * 0x85EBCA77 ^ seed * 0xC2B2AE3D) & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 15) * 0x2C1B3C6D & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 12) * 0x297A2D39 & 0xFFFFFFFF
    mixed ^= mixed >> 15
    return {
        "thrust": (mixed & 255) - 128,
        "turn": (mixed >> 8 & 255) - 128,
        "fire": mixed >> 16 & 1 == 1,
    }


COLORS = "#5fd4ff", "#ffab5e"


def picture(state: State) -> list[sb.scene.Shape]:
    """The walls, what is in the arena, and each ship with its nose, shield and hit points."""
    import numpy as np  # which a match without pictures has no use for

    walls = [(0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT)]
    bodies, shots = np.asarray(state.bodies), np.asarray(state.shots)
    asteroids = bodies[PLAYERS:]
    shapes: list[sb.scene.Shape] = [
        sb.scene.Line(walls, 0.4, "#3b4a6b", closed=True),
        sb.scene.Discs(asteroids["pos"], asteroids["radius"], "#8d93a6"),
        sb.scene.Discs(shots["pos"][shots["life"] > 0], 0.35, "#ffe2a8"),
    ]
    ships = np.asarray(state.ships)
    for k, color in enumerate(COLORS):
        ship, body = ships[k], bodies[k]
        if body["radius"] == 0:
            continue
        turn = ship["angle"] + np.array([0.0, 2.5, -2.5])
        hull = body["pos"] + 1.3 * np.stack([np.cos(turn), np.sin(turn)], 1)
        shapes.append(sb.scene.Polygon(hull, color))
        if ship["shield"] > 0:
            shapes.append(sb.scene.Discs(body["pos"], 1.8, color, outline=0.15))
        shapes.append(sb.scene.Text(body["pos"] + (0, 2.6), f"{ship['hp']}", 2.4, color))
    return shapes


ARENA = sb.Simulation(
    name="arena",
    version="1",
    state=State,
    input=Input,
    players=PLAYERS,
    init=init,
    step=step,
    tick_rate=TICK_RATE,
    scripts={"duel": duel, "circle": circle, "chaos": chaos},
    scene=sb.scene.Scene(picture, bounds=((-2, -2), (WIDTH + 2, HEIGHT + 2)), pixels=960),
)
