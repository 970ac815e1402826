"""Spaces from the schemas of a simulation, and actions into its inputs."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from gymnasium import spaces

from samebits.errors import ArgumentError
from samebits.sim.definition import SimulationDefinition
from samebits.sim.learning import Learning, Range
from samebits.types import BOOL, FixedArrayType, MemoryType, ScalarType, VectorType

Array = np.ndarray[Any, Any]
_spaces: Any = spaces
"""Without the partly unknown types of its annotations."""


def learning_of(simulation: SimulationDefinition, players: int | None = None) -> Learning:
    """What learners see of a simulation, of so many players. Raises ArgumentError."""
    learning = simulation.learning
    if learning is None:
        raise ArgumentError(
            f"simulation '{simulation.name}' has nothing for learners",
            fix="declare observe, and reward and done if wanted, with the simulation",
        )
    if players is not None and simulation.players != players:
        raise ArgumentError(
            f"simulation '{simulation.name}' has {simulation.players} players",
            fix="use make_parallel(simulation), an environment of PettingZoo",
        )
    return learning


def observation_space(learning: Learning) -> Any:
    """The Box of one observation: every value of the type of number."""
    element = learning.element
    low, high = _range(element)
    return _spaces.Box(low, high, learning.shape, element.dtype.type)


class Part(NamedTuple):
    """A field of the input as actions: its space, what kinds of dtype they may have, their range
    and shape."""

    name: str
    space: Any
    kinds: str
    low: Any
    high: Any


def parts_of(simulation: SimulationDefinition) -> list[Part]:
    """The fields of a simulation's input. Raises ArgumentError for one without a space."""
    limits = learning_of(simulation).actions
    return [_part(name, t, limits.get(name)) for name, t in simulation.input_type.fields]


def action_space(parts: list[Part]) -> Any:
    """The space of one player's actions: of the only field, or a Dict of all."""
    if len(parts) == 1:
        return parts[0].space
    return _spaces.Dict({part.name: part.space for part in parts})


def _part(name: str, t: MemoryType, limits: Range | None) -> Part:
    shape, element = _shape(t)
    low, high = limits or _range(element)
    if element == BOOL:
        space = _spaces.MultiBinary(shape) if shape else _spaces.Discrete(2)
        return Part(name, space, "iub", 0, 1)
    if element.is_float:
        space = _spaces.Box(low, high, shape or (1,), element.dtype.type)
        return Part(name, space, "f", low, high)
    low, high = int(low), int(high)
    if limits is not None and not shape:
        return Part(name, _spaces.Discrete(high - low + 1, start=low), "iu", low, high)
    return Part(name, _spaces.Box(low, high, shape, element.dtype.type), "iu", low, high)


def _range(t: ScalarType) -> tuple[Any, Any]:
    if t.is_float:
        return -np.inf, np.inf
    return (0, 1) if t == BOOL else (t.minimum, t.maximum)


def _shape(t: MemoryType) -> tuple[tuple[int, ...], ScalarType]:
    match t:
        case ScalarType():
            return (), _stored(t)
        case VectorType():
            return t.shape, t.element
        case FixedArrayType(element=ScalarType() as element):
            return t.shape, _stored(element)
        case _:
            raise ArgumentError(
                f"an input with a field of {t} has no space of actions",
                fix="give the input fields of scalars, vectors and fixed arrays of scalars",
            )


def _stored(t: ScalarType) -> ScalarType:
    return t.storage


class Actions:
    """Actions of n worlds, checked and written into inputs."""

    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts
        self._only = parts[0] if len(parts) == 1 else None

    def put(self, inputs: Array, actions: Any) -> None:
        """Write actions, batched on the first axis, into inputs of shape (n,). Raises
        ArgumentError for another shape or type, for NaN, and for what is out of range."""
        if self._only is not None:
            _put(self._only, inputs[self._only.name], actions)
            return
        names = [part.name for part in self._parts]
        given = cast("dict[str, Any]", actions)
        if not isinstance(actions, dict) or given.keys() != set(names):
            raise ArgumentError(
                f"actions are a dict of {', '.join(names)}", fix="give one array for each of these"
            )
        for part in self._parts:
            _put(part, inputs[part.name], given[part.name])


def one(action: Any) -> Any:
    """The action of one world as a batch of one."""
    if isinstance(action, dict):
        given = cast("dict[str, Any]", action)
        return {name: np.asarray(part)[np.newaxis] for name, part in given.items()}
    return np.asarray(action)[np.newaxis]


def _put(part: Part, target: Array, actions: Any) -> None:
    array = np.asarray(actions)
    if array.dtype.kind not in part.kinds:
        raise ArgumentError(
            f"actions of '{part.name}' are {array.dtype}", fix=f"give what {part.space} contains"
        )
    if array.shape != target.shape:
        if array.shape != (*target.shape, 1):
            raise ArgumentError(
                f"actions of '{part.name}' have shape {array.shape}",
                fix=f"give one of {part.space} for each of {len(target)} environments",
            )
        array = array.reshape(target.shape)
    # A NaN is in no range, and is the least and the greatest of what has one.
    if not (part.low <= array.min() and array.max() <= part.high):
        wrong = array[~((array >= part.low) & (array <= part.high))].flat[0]
        raise ArgumentError(
            f"an action of '{part.name}' is {wrong}, outside {part.low} to {part.high}",
            fix=f"give what {part.space} contains",
        )
    target[...] = array
