"""Frames of simulations, evaluated, with what every operation was given and gave."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from samebits.bits import float_to_bits
from samebits.ir.grammar import Function, Op, Value
from samebits.ir.interp.evaluator import Evaluator
from samebits.ir.refs import OpRef, is_own, statements
from samebits.sim.execution import Execution
from samebits.sim.load import load_simulation
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource
from samebits.types import ScalarType
from tests.support.folders import EXAMPLES, SIMULATIONS

ARENA = load_simulation(str(EXAMPLES / "arena" / "arena.py"))
OUTER_PLANETS = load_simulation(str(EXAMPLES / "outer_planets" / "outer_planets.py"))
TOUR = load_simulation(str(SIMULATIONS / "tour_simulation.py"))
SIGNS = load_simulation(str(SIMULATIONS / "signs_simulation.py"))
SIMULATIONS = {"arena": ARENA, "outer planets": OUTER_PLANETS, "tour": TOUR}


def pattern(value: Value, number: Any) -> int:
    """The bits of a scalar."""
    t = value.type
    assert isinstance(t, ScalarType)
    return float_to_bits(number, t.bits) if t.is_float else int(number) & ((1 << t.bits) - 1)


@dataclass
class Observation:
    """One operation of one function, and the patterns of everything computed there before it."""

    place: OpRef
    values: dict[tuple[int, int], int]


@dataclass
class _Latest:
    values: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])


def observed(
    simulation: Simulation,
    frames: int,
    times: int,
    seed: int = 1,
    program: Program | None = None,
) -> Iterator[tuple[Function, Observation]]:
    """The user's own operations in the first frames, each at most so many times, of the
    simulation's program or of another."""
    program = program or simulation.program
    module = program.kernels
    homes = {
        id(op): place
        for place, op in statements(module, filter(is_own, module.functions))
        if isinstance(op, Op)
    }
    latest: dict[str, _Latest] = defaultdict(_Latest)
    seen: dict[OpRef, int] = defaultdict(int)
    found: list[tuple[Function, Observation]] = []

    def listen(op: Op, args: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        place = homes.get(id(op))
        if place is None:
            return
        values = latest[place.function].values
        for value, number in zip(op.results, results, strict=True):
            if isinstance(value.type, ScalarType):
                values[value.op, value.index] = pattern(value, number)
        if op.results and seen[place] < times:
            seen[place] += 1
            found.append((module.functions[place.function], Observation(place, dict(values))))

    evaluator = Evaluator(module, listen)
    state = np.zeros(1, program.memory.dtype)
    evaluator.run(program.init, [state, seed])
    yield from found
    for block in PlayerSource(simulation, None, seed, frames).blocks():
        for row in block.inputs:
            found.clear()
            evaluator.run(program.step, [state, row])
            yield from found


def hashes(simulation: Simulation, execution: Execution, frames: int, seed: int = 1) -> list[int]:
    """The hash after `init` and after each frame, of whole frames."""
    execution.start(seed)
    found = [execution.hash()]
    for block in PlayerSource(simulation, None, seed, frames).blocks():
        found += [int(h) for h in execution.advance(block.inputs).hashes]
    return found
