"""The Sun, Jupiter to Neptune, and Pluto in float64: a symplectic integrator whose every bit holds.

Run it for the energy error and the orbits; verify it as the simulation `SIMULATION`.
"""

import csv
from fractions import Fraction
from pathlib import Path
from typing import Literal

import samebits as sb
from samebits import double3, float64, math

DATA = Path(__file__).with_name("outer_solar_system.csv")
COUNT = 6
STEP_DAYS = 40.0
DAYS_PER_YEAR = 365.25
GRAVITY = 0.01720209895 * 0.01720209895
"""Gauss's constant squared: AU^3 / (solar mass * day^2)."""

# Forest & Ruth, Physica D 43 (1990) 105, and Yoshida, Physics Letters A 150 (1990) 262:
# three leapfrogs of lengths theta, 1 - 2 theta, theta make a fourth-order step.
THETA = 1.3512071919596578  # 1 / (2 - cube root of 2), nearest binary64
OUTER_DRIFT = STEP_DAYS * (THETA / 2)
OUTER_KICK = STEP_DAYS * THETA
INNER_DRIFT = STEP_DAYS * ((1 - THETA) / 2)
INNER_KICK = STEP_DAYS * (1 - 2 * THETA)


def read_bodies() -> dict[str, tuple[float64, double3, double3]]:
    """Mass, position and velocity by name: solar masses, AU, AU a day.

    A mass may be a quotient, as the paper prints it; it is rounded once.
    """
    lines = [line for line in DATA.read_text().splitlines() if not line.startswith("#")]
    bodies: dict[str, tuple[float64, double3, double3]] = {}
    for row in csv.DictReader(lines):
        above, _, below = row["mass"].partition("/")
        mass = float(Fraction(above) / Fraction(below or 1))
        position = double3(float(row["x"]), float(row["y"]), float(row["z"]))
        velocity = double3(float(row["vx"]), float(row["vy"]), float(row["vz"]))
        bodies[row["name"]] = (float64(mass), position, velocity)
    return bodies


BODIES = read_bodies()
NAMES = tuple(BODIES)
SUN_MASS, SUN_POSITION, SUN_VELOCITY = BODIES["Sun"]
JUPITER_MASS, JUPITER_POSITION, JUPITER_VELOCITY = BODIES["Jupiter"]
SATURN_MASS, SATURN_POSITION, SATURN_VELOCITY = BODIES["Saturn"]
URANUS_MASS, URANUS_POSITION, URANUS_VELOCITY = BODIES["Uranus"]
NEPTUNE_MASS, NEPTUNE_POSITION, NEPTUNE_VELOCITY = BODIES["Neptune"]
PLUTO_MASS, PLUTO_POSITION, PLUTO_VELOCITY = BODIES["Pluto"]


@sb.struct
class Body:
    mass: float64
    position: double3
    velocity: double3


@sb.struct
class State:
    """The six bodies, and the days since the start."""

    time: float64
    bodies: sb.FixedArray[Body, Literal[6]]


@sb.struct
class Input:
    """The one control: a paused frame leaves the state as it is."""

    pause: bool


@sb.kernel
def drift(state: State, days: float64) -> None:
    """Move every body along its velocity."""
    for i in range(COUNT):
        body = state.bodies[i]
        body.position += body.velocity * days


@sb.kernel
def kick(state: State, days: float64) -> None:
    """Change the velocities by Newton's law, pair by pair: momentum is kept."""
    for i in range(COUNT):
        a = state.bodies[i]
        for j in range(i + 1, COUNT):
            b = state.bodies[j]
            d = b.position - a.position
            square = math.dot(d, d)
            pull = GRAVITY * days / (square * math.sqrt(square))
            a.velocity += d * (b.mass * pull)
            b.velocity -= d * (a.mass * pull)


@sb.kernel
def energy(state: State) -> float64:
    """Kinetic plus potential energy: solar mass * AU^2 / day^2."""
    total = float64(0)
    for i in range(COUNT):
        a = state.bodies[i]
        total += 0.5 * a.mass * math.dot(a.velocity, a.velocity)
        for j in range(i + 1, COUNT):
            b = state.bodies[j]
            total -= GRAVITY * a.mass * b.mass / math.length(b.position - a.position)
    return total


@sb.kernel
def init(state: State, seed: sb.uint64) -> None:
    """The bodies at the epoch of the data. Nothing is random in this sky: the seed is not used."""
    state.time = 0.0
    state.bodies[0] = Body(SUN_MASS, SUN_POSITION, SUN_VELOCITY)
    state.bodies[1] = Body(JUPITER_MASS, JUPITER_POSITION, JUPITER_VELOCITY)
    state.bodies[2] = Body(SATURN_MASS, SATURN_POSITION, SATURN_VELOCITY)
    state.bodies[3] = Body(URANUS_MASS, URANUS_POSITION, URANUS_VELOCITY)
    state.bodies[4] = Body(NEPTUNE_MASS, NEPTUNE_POSITION, NEPTUNE_VELOCITY)
    state.bodies[5] = Body(PLUTO_MASS, PLUTO_POSITION, PLUTO_VELOCITY)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    """One frame: forty days."""
    if inputs[0].pause:
        return
    drift(state, OUTER_DRIFT)
    kick(state, OUTER_KICK)
    drift(state, INNER_DRIFT)
    kick(state, INNER_KICK)
    drift(state, INNER_DRIFT)
    kick(state, OUTER_KICK)
    drift(state, OUTER_DRIFT)
    state.time += STEP_DAYS


def steady(frame: int, player: int, seed: int) -> dict[str, bool]:
    """Never pauses."""
    return {"pause": False}


def halting(frame: int, player: int, seed: int) -> dict[str, bool]:
    """Pauses every seventh frame."""
    return {"pause": frame % 7 == 6}


SIMULATION = sb.Simulation(
    name="outer-planets",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    tick_rate=60,
    scripts={"steady": steady, "halting": halting},
)


if __name__ == "__main__":
    from orbits import main

    main(SIMULATION, energy, NAMES)
