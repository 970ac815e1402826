"""A study: which runs there are of a simulation, and what is measured at the end of each."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, cast

import numpy as np
import xxhash

from samebits.ensemble.fields import Numbers, numbers_at
from samebits.errors import ArgumentError
from samebits.frontend.compile import compile_kernel
from samebits.lang.kernel import Kernel
from samebits.lang.signal_safe import keeps_flags
from samebits.sim.definition import SimulationDefinition
from samebits.sim.digest import digest_of
from samebits.sim.load import load_module, load_simulation
from samebits.types import RefType, StructType

MOST_RUNS = 1 << 32
MOST_FRAMES = 1 << 40
OWN_COLUMNS = ("run", "seed", "frames", "trap")
BLOCK = 1024
"""Runs that are stepped together, and kept together when they are done."""


@dataclass(frozen=True, eq=False)
class Study:
    """All runs of a simulation over a grid of parameters, `runs` of each point.

    Run k, from 0 on, is of point k // runs; its seed is `episode_seed(seed, k, 0)`, a hash of the
    two. After `init` the point's parameters are written into the state's fields; after `frames`
    more frames each measure is taken of the state.

    Attributes:
        simulation: A simulation, or, for workers on other machines, its file and name as
            `samebits verify` takes them: `"pinball.py:PINBALL"`.
        frames: The frames of each run, 0 to 2**40.
        measures: By name, the path of a number in the state (`"balls[0].pos.x"`), or a kernel
            `measure(state)` that returns one.
        parameters: By path of a number in the state, the values that it takes.
        runs: The runs of each point of the grid.
        seed: 0 to 2**64 - 1.
        inputs: Of shape (frames, players) or (players,), the latter in every frame; zeros if None.

    Raises ArgumentError, SimulationError, CompileError.
    """

    simulation: SimulationDefinition | str
    frames: int
    measures: Mapping[str, str | Kernel]
    parameters: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])
    runs: int = 1
    seed: int = 0
    inputs: Numbers | None = None

    @keeps_flags
    def __post_init__(self) -> None:
        for name, value, most in (
            ("frames", self.frames, MOST_FRAMES), ("seed", self.seed, 2**64 - 1),
            ("runs", self.runs, MOST_RUNS),
        ):  # fmt: skip
            least = 1 if name == "runs" else 0
            if type(value) is not int or not least <= value <= most:
                raise ArgumentError(
                    f"{name}={value!r:.40} is no int from {least} to {most:,}",
                )
        for name, given in (("measures", self.measures), ("parameters", self.parameters)):
            if not isinstance(cast("object", given), Mapping):
                raise ArgumentError(
                    f"{name} is {type(given).__name__}", fix=f"give a dict: {name}={{name: …}}"
                )
        if not isinstance(cast("object", self.opened), SimulationDefinition):
            raise ArgumentError(
                f"simulation is {type(self.simulation).__name__}",
                fix='give a simulation, or its file: "pinball.py:PINBALL"',
            )
        if not self.measures:
            raise ArgumentError(
                "a study without measures", fix="name what to measure: measures={'x': 'ball.x'}"
            )
        names = [*OWN_COLUMNS, *self.parameters, *self.measures]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ArgumentError(
                f"two columns would be called '{min(twice)}'",
                note=f"a study's own are {', '.join(OWN_COLUMNS)}; a parameter has its path",
                fix="give the measure, or the state's field, another name",
            )
        states = np.zeros(1, self.opened.state_type.dtype)
        for name, measure in self.measures.items():
            if isinstance(measure, str):
                numbers_at(states, measure)
            elif not isinstance(cast("object", measure), Kernel):
                raise ArgumentError(
                    f"measure '{name:.40}' is {type(measure).__name__}",
                    fix="give a path in the state, or a kernel of it",
                )
            else:
                _check_kernel(name, measure, self.opened.state_type)
        for path, values in self.parameters.items():
            _check_sequence(path, values)
        if self.size > MOST_RUNS:
            raise ArgumentError(f"{self.size:,} runs; a study has at most {MOST_RUNS:,}")
        for path, values in self.parameters.items():
            _check_values(numbers_at(states, path), path, values)
        _ = self.given

    @cached_property
    def opened(self) -> SimulationDefinition:
        """The simulation itself."""
        if isinstance(self.simulation, str):
            return load_simulation(self.simulation)
        return self.simulation

    @cached_property
    def points(self) -> list[tuple[float, ...]]:
        """The grid, the last parameter changing fastest; one point without parameters."""
        return list(product(*(list(values) for values in self.parameters.values())))

    @property
    def size(self) -> int:
        """All runs."""
        return math.prod(map(len, self.parameters.values())) * self.runs

    @property
    def blocks(self) -> int:
        """How many blocks of `BLOCK` runs there are."""
        return -(-self.size // BLOCK)

    def size_of(self, block: int) -> int:
        """The runs of a block."""
        return min(BLOCK, self.size - block * BLOCK)

    @cached_property
    @keeps_flags
    def given(self) -> Numbers:
        """The inputs, checked: of shape (frames, players), or (1, players) for every frame."""
        simulation = self.opened
        dtype, players = simulation.input_type.dtype, simulation.players
        if self.inputs is None:
            return np.zeros((1, players), dtype)
        inputs = np.asarray(self.inputs)
        if inputs.ndim == 1:
            inputs = inputs[None]
        if inputs.dtype != dtype or inputs.shape not in ((self.frames, players), (1, players)):
            raise ArgumentError(
                f"inputs are {str(inputs.dtype)[:80]} of shape {inputs.shape}",
                fix=f"give an array of {simulation.input_type.name}.dtype of shape "
                f"({self.frames}, {players}) or ({players},)",
            )
        return np.ascontiguousarray(inputs)

    @cached_property
    @keeps_flags
    def digest(self) -> str:
        """What makes two studies the same one: the simulation, all parameters, what is measured."""
        kernels = {n: m for n, m in self.measures.items() if isinstance(m, Kernel)}
        facts = {
            "simulation": self.opened.digest, "frames": self.frames, "runs": self.runs,
            "seed": self.seed, "inputs": xxhash.xxh3_128_hexdigest(self.given.tobytes()),
            "measures": {n: m if isinstance(m, str) else "" for n, m in self.measures.items()},
            "parameters": [
                [path, [float(v).hex() for v in values]]
                for path, values in self.parameters.items()
            ],
            "block": BLOCK, "kernels": [*kernels],
        }  # fmt: skip
        return digest_of([*kernels.values()], json.loads(json.dumps(facts)))

    def sent(self) -> dict[str, Any]:
        """What a worker elsewhere makes the study of, by `received`. Raises ArgumentError where it
        could not."""
        if not isinstance(self.simulation, str):
            raise ArgumentError(
                "workers elsewhere must load the simulation themselves",
                fix='give its file: Study("pinball.py:PINBALL", …)',
            )
        place, name = _split(self.simulation)
        names: dict[str, str] = {}
        module = load_module(place)
        for key, measure in self.measures.items():
            if isinstance(measure, Kernel):
                known = [n for n, v in vars(module).items() if v is measure]
                if not known:
                    raise ArgumentError(
                        f"measure '{key}' is a kernel that is not in {place}",
                        fix="define it in the simulation's file, where workers find it",
                    )
                names[key] = known[0]
        return {
            "place": os.path.abspath(place) if os.path.exists(place) else place, "name": name,
            "kernels": names, "digest": self.digest,
            "paths": {k: m for k, m in self.measures.items() if isinstance(m, str)},
            "order": [*self.measures], "frames": self.frames,
            "parameters": {k: [*v] for k, v in self.parameters.items()},
            "runs": self.runs, "seed": self.seed, "inputs": self.given,
        }  # fmt: skip


def received(sent: Mapping[str, Any]) -> Study:
    """The study that another process has `sent`. Raises ArgumentError where the code here is
    another."""
    place, name = sent["place"], sent["name"]
    module = load_module(place)
    measures: dict[str, str | Kernel] = {
        key: sent["paths"][key] if key in sent["paths"] else getattr(module, sent["kernels"][key])
        for key in sent["order"]
    }
    study = Study(
        f"{place}:{name}" if name else place, sent["frames"], measures, sent["parameters"],
        sent["runs"], sent["seed"], sent["inputs"],
    )  # fmt: skip
    if study.digest != sent["digest"]:
        raise ArgumentError(
            f"{place} is other code here than where the study was made",
            fix="give all workers the same files, and the same samebits",
        )
    return study


def _split(spec: str) -> tuple[str, str]:
    place, _, name = spec.rpartition(":")
    return (place, name) if place and name.isidentifier() else (spec, "")


def _check_kernel(name: str, measure: Kernel, state: StructType) -> None:
    """Raise ArgumentError unless a kernel makes a number of a state, and leaves that as it is."""
    unit = compile_kernel(measure, measure.signature.resolve(()))
    takes_state = [t for _, t in unit.function.params] == [RefType(state)]
    if not takes_state or len(unit.function.results) != 1 or unit.written:
        raise ArgumentError(
            f"measure '{name:.40}' is a kernel of another kind",
            fix=f"give one that takes the state alone, returns a number and changes nothing: "
            f"{name}(state: {state.name}) -> float64",
        )


def _check_values(numbers: Numbers, path: str, values: Sequence[float]) -> None:
    """Raise ArgumentError unless all are numbers that the state's field can have."""
    for value in values:
        if not _holds(numbers.dtype, value):
            raise ArgumentError(
                f"parameter '{path}' cannot be {value!r:.40}",
                note=f"the field is {numbers.dtype}",
                fix="give numbers that it holds",
            )


def _check_sequence(path: str, values: Sequence[float]) -> None:
    """Raise ArgumentError unless there are values."""
    if not isinstance(cast("object", values), Sequence | np.ndarray) or isinstance(values, str):
        raise ArgumentError(
            f"parameter '{path}' is {type(values).__name__}", fix="give a list of its values"
        )
    if not len(values):
        raise ArgumentError(f"parameter '{path}' has no values", fix="give one at least")


def _holds(dtype: np.dtype[Any], value: object) -> bool:
    """Whether a field takes a value: floats round it, but a finite one stays finite."""
    if isinstance(value, np.generic):
        value = cast("object", value.item())
    if not isinstance(value, int | float):
        return False
    with np.errstate(all="ignore"):
        try:
            kept = dtype.type(value)
        except (ValueError, OverflowError):
            return False
        if dtype.kind == "f":
            return bool(np.isfinite(kept) or not np.isfinite(value))
        return bool(kept == value)
