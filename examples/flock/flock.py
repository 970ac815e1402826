"""A flock of birds and two hawks in float32, in DETERMINISTIC mode, as the simulation `FLOCK`.

Reynolds' three rules (1987): keep apart, fly as the others do, stay together; then wind, fear and a
roost. Each bird looks at all others; what it sees is added up in lanes, the same ones everywhere.
"""

from typing import Literal

import samebits as sb
from samebits import float2, float32, int8, int32, math, noise, random, uint32, uint64

sb.defaults(mode=sb.DETERMINISTIC)

PLAYERS = 2
"""Each has a hawk."""
BIRDS = 40
BATCH = 10
"""Birds that a thread takes at a time."""

TICK_RATE = 60
DT = 1.0 / TICK_RATE
PI = 3.1415927410125732  # nearest float32

SIGHT = 7.0
CLOSE = 1.5
APART = 9.0
ALIKE = 2.5
TOGETHER = 1.6
CRUISE = 7.0
"""The speed at which drag and a bird's own push are even."""
PUSH = 6.0
FLUTTER = 4.0
ROOST = 18.0
"""Beyond this distance from the middle birds turn back."""
FEAR = 40.0
ALARM = 12.0
"""A hawk's square of distance over this is the exponent of the fear of it."""
COURAGE = 0.85
"""What is left of fear after a frame without a hawk."""

HAWK_SPEED = 9.0
DASH_SPEED = 16.0
HAWK_TURN = 3.0
BREATH = 90
"""Frames that a hawk can dash, before it must rest for as long."""
REACH = 0.7


@sb.struct
class Bird:
    pos: float2
    vel: float2
    fear: float32


@sb.struct
class Hawk:
    pos: float2
    angle: float32
    speed: float32
    breath: int32
    caught: int32


@sb.struct
class Seen:
    """What a bird makes of the others: how many are near, by weight, and where to."""

    near: float32 = sb.zero
    apart: float2 = sb.zero
    heading: float2 = sb.zero
    centre: float2 = sb.zero


@sb.struct
class State:
    """`order` is the length of the mean of all headings: 1 where all fly one way. `spread` is the
    birds' mean square distance from their middle."""

    birds: sb.FixedArray[Bird, Literal[40]]
    pushes: sb.FixedArray[float2, Literal[40]]
    hawks: sb.FixedArray[Hawk, Literal[2]]
    dice: random.Random
    seed: uint32
    time: float32
    order: float32
    middle: float2
    spread: float32


@sb.struct
class Input:
    """Turn the hawk, left above 0, -127 to 127; dash."""

    turn: int8
    dash: bool


@sb.kernel
def look(birds: sb.ReadOnly[Bird], pos: float2, seen: Seen) -> None:
    """Add up all birds in sight of a place, the near ones with more weight: sums in lanes."""
    near = float32(0)
    apart = float2(0)
    heading = float2(0)
    centre = float2(0)
    for j in range(BIRDS):
        way = birds[j].pos - pos
        square = math.dot(way, way)
        if square < SIGHT * SIGHT:
            weight = 1.0 - square / (SIGHT * SIGHT)
            near += weight
            heading += birds[j].vel * weight
            centre += way * weight
            if square < CLOSE * CLOSE:
                apart -= way / (square + 0.1)
    seen.near = near
    seen.apart = apart
    seen.heading = heading
    seen.centre = centre


@sb.kernel
def alarm(hawks: sb.ReadOnly[Hawk], pos: float2) -> float32:
    """How near the nearest hawk is, 0 to 1."""
    most = float32(0)
    for h in range(PLAYERS):
        way = pos - hawks[h].pos
        most = math.max(most, math.exp(-math.dot(way, way) / ALARM))
    return most


@sb.kernel
def flight(hawks: sb.ReadOnly[Hawk], pos: float2) -> float2:
    """The direction away from the hawks, the near one first."""
    total = float2(0)
    for h in range(PLAYERS):
        way = pos - hawks[h].pos
        square = math.dot(way, way) + 0.01
        total += way * (math.rsqrt(square) / square)
    return total * math.rsqrt(math.dot(total, total) + 1e-12)


@sb.kernel(contract=True)
def urge(bird: Bird, seen: Seen, away: float2, wind: float32) -> float2:
    """What a bird wants, as an acceleration. Products and sums are fused, on every target."""
    share = 1.0 / math.max(seen.near, 1.0)
    alike = seen.heading * share - bird.vel
    push = seen.apart * APART + alike * ALIKE + seen.centre * (share * TOGETHER)
    push += away * (FEAR * bird.fear)
    speed = math.length(bird.vel)
    forward = bird.vel / math.max(speed, 0.001)
    push += forward * (PUSH - PUSH * math.pow(speed / CRUISE, 1.7))
    push += float2(-forward.y, forward.x) * (FLUTTER * wind)
    distance = math.length(bird.pos)
    return push - bird.pos * (math.max(distance - ROOST, 0.0) / (0.2 * distance + 0.1))


@sb.kernel
def fly(bird: Bird, push: float2) -> None:
    """A frame of a bird."""
    bird.vel += push * DT
    bird.pos += bird.vel * DT


@sb.kernel
def hunt(hawk: Hawk, controls: Input) -> None:
    """A frame of a hawk: it turns as its player says, and dashes while it has breath."""
    stick = math.max(float32(controls.turn) / 127.0, -1.0)
    hawk.angle += stick * (HAWK_TURN * DT)
    if hawk.angle > PI:
        hawk.angle -= 2.0 * PI
    elif hawk.angle < -PI:
        hawk.angle += 2.0 * PI
    wanted = float32(HAWK_SPEED)
    if controls.dash and hawk.breath > 0:
        wanted = float32(DASH_SPEED)
        hawk.breath = hawk.breath - 1 if hawk.breath > 1 else int32(-BREATH)
    else:
        hawk.breath = math.min(hawk.breath + 1, BREATH)
    hawk.speed += (wanted - hawk.speed) * 0.1
    hawk.pos += float2(math.cos(hawk.angle), math.sin(hawk.angle)) * (hawk.speed * DT)
    distance = math.length(hawk.pos)
    if distance > 1.5 * ROOST:
        hawk.pos = hawk.pos * (1.5 * ROOST / distance)


@sb.kernel
def scatter(dice: random.Random, bird: Bird) -> None:
    """A bird anywhere over the roost, in any direction."""
    bird.pos = dice.next_direction2() * dice.next_between(0.2 * ROOST, ROOST)
    bird.vel = dice.next_direction2() * CRUISE
    bird.fear = 0.0


@sb.kernel
def catch(state: State) -> None:
    """A hawk takes the first bird in reach; another one joins the flock."""
    for h in range(PLAYERS):
        hawk = state.hawks[h]
        for i in range(BIRDS):
            if math.distance(state.birds[i].pos, hawk.pos) < REACH:
                hawk.caught += 1
                scatter(state.dice, state.birds[i])
                break


@sb.kernel
def measure(state: State) -> None:
    """Order and spread of the flock, from sums over all birds."""
    heading = float2(0)
    middle = float2(0)
    for i in range(BIRDS):
        bird = state.birds[i]
        heading += bird.vel / math.max(math.length(bird.vel), 0.001)
        middle += bird.pos
    state.order = math.length(heading) / BIRDS
    state.middle = middle / BIRDS
    spread = float32(0)
    for i in range(BIRDS):
        way = state.birds[i].pos - state.middle
        spread += way.x * way.x + way.y * way.y
    state.spread = spread / BIRDS


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """Birds all over the roost, hawks outside."""
    state.dice = random.seeded(seed, 0)
    state.seed = uint32(seed)
    for i in range(BIRDS):
        scatter(state.dice, state.birds[i])
    for h in range(PLAYERS):
        hawk = state.hawks[h]
        side = float32(2 * h - 1)
        hawk.pos = float2(1.2 * ROOST * side, 0)
        hawk.angle = PI if side > 0.0 else 0.0
        hawk.breath = BREATH


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    """One frame."""
    for h in range(PLAYERS):
        hunt(state.hawks[h], inputs[h])
    for i in sb.prange(BIRDS, batch=BATCH):
        bird = state.birds[i]
        seen = Seen()
        look(state.birds, bird.pos, seen)
        gust = float2(0.1 * bird.pos.x + state.time, 0.1 * bird.pos.y)
        wind = noise.simplex_2d(gust, state.seed + uint32(i))
        state.pushes[i] = urge(bird, seen, flight(state.hawks, bird.pos), wind)
    for i in sb.prange(BIRDS, batch=BATCH):
        bird = state.birds[i]
        bird.fear = math.max(bird.fear * COURAGE, alarm(state.hawks, bird.pos))
        fly(bird, state.pushes[i])
    catch(state)
    measure(state)
    state.time += DT


Controls = dict[str, int | bool]


def circling(frame: int, player: int, seed: int) -> Controls:
    """Wide circles, one hawk to the left and one to the right, and a dash through the middle."""
    beat = (frame + 150 * player + seed) % 600
    side = 1 if player == 0 else -1
    return {"turn": side * (50 if beat < 400 else -20), "dash": beat > 380}


def stooping(frame: int, player: int, seed: int) -> Controls:
    """Zigzag, dashing whenever there is breath."""
    beat = frame + 77 * player + seed
    return {"turn": (127, -60, 20, -127, 90)[beat // 45 % 5], "dash": beat % 200 < 120}


def away(frame: int, player: int, seed: int) -> Controls:
    """The hawks leave the birds alone: out to the edge, and along it."""
    return {"turn": 14 if frame < 120 else 3, "dash": False}


FLOCK = sb.Simulation(
    name="flock",
    version="1",
    state=State,
    input=Input,
    players=PLAYERS,
    init=init,
    step=step,
    tick_rate=TICK_RATE,
    scripts={"circling": circling, "stooping": stooping, "away": away},
)
