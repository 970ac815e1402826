"""Four cars on a closed track in float32, as the simulation `RACING`.

A car is two axles with Pacejka's tyres, load that shifts between them, air that drags and a wake to
hide in. Metres, seconds, kilograms, newtons, radians.
"""

from typing import Literal

import samebits as sb
from samebits import float2, float32, int8, int32, math, random, uint64

PLAYERS = 4
TICK_RATE = 60
SUBSTEPS = 2
DT = 1.0 / (TICK_RATE * SUBSTEPS)

PI = 3.1415927410125732  # nearest float32
GRAVITY = 9.81

# The middle of the track, as a distance from the origin in each direction.
RADIUS = 120.0
OVAL = 22.0
TREFOIL = 5.0
VERGE = 7.0
"""How far from the middle the grass begins."""
BARRIER = 18.0
GATES = 16
"""A lap passes as many gates, in their order."""

MASS = 1100.0
INERTIA = 1500.0
FRONT = 1.25
REAR = 1.35
"""Distances of the axles from the centre of mass."""
HEIGHT = 0.45
"""Of the centre of mass."""
NOSE = 2.0
"""From there to the front; as far to the back."""
SIZE = 1.3
"""Radius of the disc that cars collide as."""

# Pacejka's "magic formula", with the coefficients usual for a dry road.
STIFFNESS = 10.0
SHAPE = 1.9
CURVATURE = 0.97
ROAD_GRIP = 1.25
GRASS_GRIP = 0.6
CREEP = 3.0
"""Below this speed, slip is taken as if at it: at rest, tyres hold like glue, not like springs."""

ENGINE = sb.table([7400.0, 52.0, -3.1, 0.021], float32)
"""The force of the engine, as a polynomial of the speed, lowest power first."""
DRAG = 0.62
ROLLING = 0.012
GRASS_ROLLING = 0.07
BRAKING = 11.0
LOCK = 0.5
"""The front wheels' greatest angle."""
STEERING = 2.5
"""And how fast they turn."""

EASY = 6.0
"""The acceleration sideways up to which the aid does not brake."""

WARMING = 0.15
COOLING = 0.1


@sb.struct
class Car:
    """Steer and brake are what wheels and pedal do now. Push is the acceleration along the car,
    heat the tyres' temperature: 1 is best. Times are of this lap, and of the best one."""

    pos: float2
    vel: float2
    heading: float32
    yaw: float32
    steer: float32
    throttle: float32
    brake: float32
    push: float32
    heat: float32
    time: float32
    best: float32
    gate: int32
    laps: int32


@sb.struct
class State:
    cars: sb.FixedArray[Car, Literal[4]]


@sb.struct
class Input:
    """One player's stick: throttle, or brake below 0; steering to the left; -127 to 127 each.

    With `aid` the car follows the track by itself, and the stick chooses the lane.
    """

    throttle: int8
    steer: int8
    aid: bool


@sb.kernel
def forward(angle: float32) -> float2:
    return float2(math.cos(angle), math.sin(angle))


@sb.kernel
def wrap(angle: float32) -> float32:
    """The same direction, between -pi and pi."""
    return angle - 2.0 * PI * math.floor((angle + PI) / (2.0 * PI))


@sb.kernel
def middle(angle: float32) -> float32:
    """The distance of the track's middle in a direction."""
    return RADIUS + OVAL * math.cos(2.0 * angle) + TREFOIL * math.sin(3.0 * angle)


@sb.kernel
def tyres(slip: float32, load: float32, grip: float32) -> float32:
    """The sideways force of an axle whose wheels go `slip` beside where they point."""
    x = STIFFNESS * slip
    bent = x - CURVATURE * (x - math.atan(x))
    return -grip * load * math.sin(SHAPE * math.atan(bent))


@sb.kernel
def slip_of(along: float32, aside: float32, angle: float32) -> float32:
    """How far beside where they point wheels turned by `angle` go, given the axle's velocity."""
    s, c = math.sincos(angle)
    return math.atan2(aside * c - along * s, math.max(math.abs(along * c + aside * s), CREEP))


@sb.kernel
def follow(car: Car, lane: float32, distance: float32) -> float32:
    """How far to the left the lane is, seen from the car, at a distance further on."""
    at = math.atan2(car.pos.y, car.pos.x)
    at += distance / middle(at)
    way = forward(at) * (middle(at) + lane) - car.pos
    return wrap(math.atan2(way.y, way.x) - car.heading)


@sb.kernel
def control(car: Car, controls: Input) -> None:
    """From stick to pedals and front wheels, which take their time to turn."""
    throttle = math.max(float32(controls.throttle) / 127.0, -1.0)
    stick = math.max(float32(controls.steer) / 127.0, -1.0)
    wanted = stick * LOCK
    if controls.aid:
        speed = math.length(car.vel)
        distance = 10.0 + 0.6 * speed
        wanted = follow(car, -0.7 * VERGE * stick, distance)
        demand = 2.0 * speed * speed * math.abs(math.sin(wanted)) / distance
        throttle -= 0.4 * math.max(demand - EASY, 0.0)
    car.throttle = math.clamp(throttle, 0.0, 1.0)
    car.brake = math.clamp(-throttle, 0.0, 1.0)
    turn = math.clamp(wanted, -LOCK, LOCK) - car.steer
    car.steer += math.clamp(turn, -STEERING / TICK_RATE, STEERING / TICK_RATE)


@sb.kernel
def shelter(state: State, i: int) -> float32:
    """How deep car i is in the wake of another, 0 to 1."""
    car = state.cars[i]
    ahead = forward(car.heading)
    deepest = float32(0)
    for j in range(PLAYERS):
        if j != i:
            way = state.cars[j].pos - car.pos
            along = math.dot(way, ahead)
            if along > 0.0:
                aside = way - ahead * along
                deepest = math.max(deepest, math.exp(-along / 15.0 - math.dot(aside, aside) / 4.0))
    return deepest


@sb.kernel
def drive(car: Car, wake: float32) -> None:
    """A substep of one car: forces of tyres, engine, brakes and air, then motion."""
    ahead = forward(car.heading)
    left = float2(-ahead.y, ahead.x)
    speed = math.dot(car.vel, ahead)
    slide = math.dot(car.vel, left)

    off = math.length(car.pos) - middle(math.atan2(car.pos.y, car.pos.x))
    on_road = math.abs(off) < VERGE
    cold = car.heat - 1.0
    grip = (ROAD_GRIP if on_road else GRASS_GRIP) * math.exp(-0.05 * cold * cold)

    weight = MASS / (FRONT + REAR)
    front_load = weight * math.max(GRAVITY * REAR - HEIGHT * car.push, 0.0)
    rear_load = weight * math.max(GRAVITY * FRONT + HEIGHT * car.push, 0.0)
    front_slip = slip_of(speed, slide + FRONT * car.yaw, car.steer)
    rear_slip = slip_of(speed, slide - REAR * car.yaw, float32(0))
    front = tyres(front_slip, front_load, grip)
    rear = tyres(rear_slip, rear_load, grip)

    engine = ENGINE[0] + speed * (ENGINE[1] + speed * (ENGINE[2] + speed * ENGINE[3]))
    engine = math.clamp(car.throttle * engine, 0.0, grip * rear_load)
    air = DRAG * (1.0 - 0.4 * wake) * speed * math.abs(speed)
    rolling = (ROLLING if on_road else GRASS_ROLLING) * GRAVITY
    s, c = math.sincos(car.steer)
    car.push = (engine - air - front * s) / MASS
    aside = (front * c + rear) / MASS
    stop = math.min(car.brake * BRAKING, grip * GRAVITY) + rolling

    car.vel += (ahead * car.push + left * aside) * DT
    car.vel -= ahead * math.clamp(math.dot(car.vel, ahead), -stop * DT, stop * DT)
    car.yaw += (FRONT * front * c - REAR * rear) / INERTIA * DT
    car.heading = wrap(car.heading + car.yaw * DT)
    car.pos += car.vel * DT
    rubbing = math.abs(front_slip * front) + math.abs(rear_slip * rear)
    car.heat += (WARMING * rubbing * math.abs(speed) / (MASS * GRAVITY) - COOLING * car.heat) * DT


@sb.kernel
def hold(car: Car) -> None:
    """The barriers on both sides: no car gets through; its nose or tail is turned along them."""
    distance = math.length(car.pos)
    outward = car.pos / distance
    off = distance - middle(math.atan2(car.pos.y, car.pos.x))
    beyond = off - math.clamp(off, -BARRIER, BARRIER)
    if beyond != 0.0:
        inward = outward * -math.sign(beyond)
        ahead = forward(car.heading)
        corner = ahead * math.copysign(NOSE, -math.dot(ahead, inward))
        push = inward * (-1.3 * math.min(math.dot(car.vel, inward), 0.0))
        car.pos -= outward * beyond
        car.vel += push
        car.yaw += (corner.x * push.y - corner.y * push.x) * (MASS / INERTIA)


@sb.kernel
def collide(a: Car, b: Car) -> None:
    """Two cars push each other away, and lose most of the speed at which they met."""
    way = b.pos - a.pos
    square = math.dot(way, way)
    if square >= 4.0 * SIZE * SIZE or square == 0.0:
        return
    distance = math.sqrt(square)
    normal = way / distance
    share = normal * (0.5 * (2.0 * SIZE - distance))
    a.pos -= share
    b.pos += share
    impulse = normal * (0.6 * math.min(math.dot(b.vel - a.vel, normal), 0.0))
    a.vel += impulse
    b.vel -= impulse


@sb.kernel
def score(car: Car) -> None:
    """Count gates passed in their order, laps, and time."""
    car.time += 1.0 / TICK_RATE
    angle = math.atan2(car.pos.y, car.pos.x)
    gate = math.clamp(int32((angle + PI) * (GATES / (2.0 * PI))), 0, GATES - 1)
    if gate == (car.gate + 1) % GATES:
        car.gate = gate
        if gate == 0:
            car.laps += 1
            car.best = math.min(car.best, car.time)
            car.time = 0.0


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """On the grid, in a row, each a hair's breadth off its place."""
    dice = random.seeded(seed, 0)
    for i in range(PLAYERS):
        car = state.cars[i]
        angle = float32(-0.08) * float32(i) + dice.next_between(-0.004, 0.004)
        lane = 2.5 if i % 2 == 0 else -2.5
        car.pos = forward(angle) * (middle(angle) + float32(lane))
        car.heading = angle + 0.5 * PI
        car.heat = 0.5
        car.best = 3600.0
        car.gate = int32(GATES // 2 - 1)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    """One frame."""
    for i in range(PLAYERS):
        control(state.cars[i], inputs[i])
    for _ in range(SUBSTEPS):
        for i in range(PLAYERS):
            drive(state.cars[i], shelter(state, i))
        for i in range(PLAYERS):
            for j in range(i + 1, PLAYERS):
                collide(state.cars[i], state.cars[j])
        for i in range(PLAYERS):
            hold(state.cars[i])
    for i in range(PLAYERS):
        score(state.cars[i])


Controls = dict[str, int | bool]


def race(frame: int, player: int, seed: int) -> Controls:
    """Full throttle with the aid, changing lanes; now and then a moment without it, or a stop."""
    beat = frame + 400 * player + 17 * seed
    if beat % 2400 < 180:
        return {"throttle": -127, "steer": 0, "aid": True}
    return {
        "throttle": 127 if beat % 97 > 7 else 0,
        "steer": (beat // 90 * 53 + 31 * player) % 255 - 127,
        "aid": beat % 700 > 11,
    }


def drift(frame: int, player: int, seed: int) -> Controls:
    """Slide about without the aid, along barriers and into each other; find back; again."""
    beat = frame + 37 * player + seed
    return {
        "throttle": (127, 127, 0, -40)[beat // 50 % 4],
        "steer": (60, 127, -90, 20, -110, -20)[beat // 35 % 6],
        "aid": beat % 600 < 300,
    }


def parade(frame: int, player: int, seed: int) -> Controls:
    """Slowly, one behind the other, and at a halt every half minute."""
    return {"throttle": 30 if frame % 1800 < 1200 else -100, "steer": 0, "aid": True}


RACING = sb.Simulation(
    name="racing",
    version="1",
    state=State,
    input=Input,
    players=PLAYERS,
    init=init,
    step=step,
    tick_rate=TICK_RATE,
    scripts={"race": race, "drift": drift, "parade": parade},
)
