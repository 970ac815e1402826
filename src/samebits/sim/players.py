"""Automatic players: a simulation's scripts, and random over all inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.bits import INFINITY, canonical_size, from_canonical, leaves
from samebits.errors import SimulationError, first_line
from samebits.sim.inputs import Inputs
from samebits.sim.simulation import Simulation
from samebits.sim.user_lines import ends_a_run, line_in
from samebits.types import Kind, ScalarType

RANDOM = "random"
DEFAULT_FRAMES = 600
DEFAULT_SEED = 1
"""Length and seed of runs for which none is given."""

Player = Callable[[int, int], Inputs]
"""`(first, frames)` to inputs of shape (frames, players)."""


def player(simulation: Simulation, name: str | None, seed: int) -> Player:
    """The player called `name`: a script or `random`; by default the first script, else random.

    Frames may be asked for in any order: a frame's inputs depend on it and on the seed alone.
    Raises SimulationError for an unknown name.
    """
    if name is None:
        name = next(iter(simulation.scripts), RANDOM)
    if name in simulation.scripts:
        return _scripted(simulation, name, seed)
    if name == RANDOM:
        return lambda first, frames: random_inputs(simulation, first, frames, seed)
    known = ", ".join([*simulation.scripts, RANDOM])
    raise SimulationError(
        f"simulation '{simulation.name}' has no players '{name}'", fix=f"choose one of {known}"
    )


def _scripted(simulation: Simulation, name: str, seed: int) -> Player:
    script = simulation.scripts[name]

    def play(first: int, frames: int) -> Inputs:
        inputs = np.zeros((frames, simulation.players), simulation.input_type.dtype)
        for frame in range(first, first + frames):
            try:
                given = [dict(script(frame, p, seed)) for p in range(simulation.players)]
                inputs[frame - first] = simulation.inputs.frame(given)[0]
            except BaseException as error:  # a script may raise anything
                if ends_a_run(error):
                    raise
                raise SimulationError(
                    f"script '{name}' of simulation '{simulation.name}' fails at frame {frame}: "
                    f"{type(error).__name__}: {first_line(error)}",
                    span=line_in(script, error),
                    fix="a script(frame, player, seed) returns a dict of input fields",
                ) from None
        return inputs

    return play


def random_inputs(simulation: Simulation, first: int, frames: int, seed: int) -> Inputs:
    """Inputs over the whole range of every field.

    One in eight values is an extreme of its type. Integers and bools are uniform otherwise; floats
    are uniform in -1 … 1 three times out of four, and any finite bit pattern else. No NaN.
    """
    t, players = simulation.input_type, simulation.players
    packed = np.zeros((frames, players, canonical_size(t)), np.uint8)
    frame = np.arange(first, first + frames, dtype=np.uint64)[:, None]
    stream = np.arange(players, dtype=np.uint64)[None, :]
    at = 0
    for number, (_, scalar, _) in enumerate(leaves(t)):
        counter = ((frame * np.uint64(players) + stream) << np.uint64(20)) + np.uint64(number)
        bits = _mix(counter ^ _mix(np.full(1, seed, np.uint64)))
        values = _values(scalar, bits, _mix(bits))
        little = values.astype(values.dtype.newbyteorder("<"))[..., None].view(np.uint8)
        packed[:, :, at : at + scalar.size] = little
        at += scalar.size
    return from_canonical(t, packed.tobytes(), frames * players).reshape(frames, players)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's output function of a counter (Steele, Lea, Flood, OOPSLA 2014)."""
    x = x * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _values(
    t: ScalarType, bits: NDArray[np.uint64], choice: NDArray[np.uint64]
) -> np.ndarray[Any, Any]:
    """Patterns of `t` as unsigned integers."""
    unsigned = np.dtype(f"u{t.size}")
    if t.kind is Kind.BOOL:
        return (bits & np.uint64(1)).astype(unsigned)
    values = bits.astype(unsigned)
    if t.is_ieee:
        half = unsigned.type(1 << (t.bits - 1))
        exponent = unsigned.type(INFINITY[t.bits])
        # An exponent of all ones would be infinite or NaN: one bit less makes it finite.
        full = values & exponent == exponent
        values = np.where(full, values ^ unsigned.type(int(exponent) & -int(exponent)), values)
        fraction = (bits >> np.uint64(40)).astype(np.float64) / 2**23 - 1
        unit = fraction.astype(t.dtype).view(unsigned)
        values = np.where(choice >> np.uint64(3) & np.uint64(3) != 0, unit, values)
        extremes = [0, int(half), 1, int(exponent) - 1, int(exponent), int(exponent) | int(half)]
    else:
        extremes = [0, 1, t.minimum, t.maximum, -1]
    table = np.array([value & ((1 << t.bits) - 1) for value in extremes], unsigned)
    extreme = table[(choice >> np.uint64(8)) % np.uint64(len(table))]
    return np.where(choice & np.uint64(7) == 0, extreme, values)
