"""The kernels `observe`, `reward` and `done` of a simulation, and the range of its actions.

Owns the checks that these fit the state. They are no part of the simulation's identity: replays
hold inputs and states alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from samebits.errors import SimulationError
from samebits.lang.kernel import Kernel
from samebits.types import (
    BOOL,
    FLOAT32,
    INT,
    NONE,
    FixedArrayType,
    MemoryType,
    ScalarType,
    StructType,
    TupleType,
    Type,
)

MOST_FRAMES = 1 << 32
Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Learning:
    """Checked kernels of a simulation for learners; see `Simulation`.

    An observation is a struct `seen`, which NumPy sees as an array of `shape` of `element`.
    `by_player` says that `observe` and `reward` take a player as well. `actions` has the least and
    the greatest value of fields of the input.
    """

    observe: Kernel
    reward: Kernel | None
    done: Kernel | None
    seen: StructType
    shape: tuple[int, ...]
    element: ScalarType
    by_player: bool
    actions: Mapping[str, Range] = field(default_factory=dict[str, Range])
    episode_frames: int = 0
    """Frames after which an episode is cut off; 0 for none."""

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Those that are there."""
        return tuple(k for k in (self.observe, self.reward, self.done) if k is not None)


def check_learning(
    name: str,
    state: StructType,
    input: StructType,
    players: int,
    *,
    observe: object,
    reward: object,
    done: object,
    actions: Mapping[str, Range] | None,
    episode_frames: object,
) -> Learning | None:
    """The kernels, if there is an `observe`. Raises SimulationError for a part that does not
    fit."""
    if observe is None:
        given = {"reward": reward, "done": done, "actions": actions}
        for what, part in given.items():
            if part is not None:
                raise SimulationError(
                    f"simulation '{name}' has {what} without `observe`",
                    fix="give the kernel observe(state, out) as well",
                )
        return None
    who = (INT,) if players > 1 else ()
    seen = _observe(name, observe, state, who)
    assert isinstance(observe, Kernel)
    s = state.name
    player = ", player: int" if who else ""
    rewards = _kernel(
        name, "reward", reward, (state, state, *who), FLOAT32,
        f"before: {s}, after: {s}{player}) -> sb.float32",
    )  # fmt: skip
    ends = _kernel(
        name, "done", done, (state,), TupleType((BOOL, BOOL)),
        f"state: {s}) -> tuple[bool, bool]",
    )  # fmt: skip
    if type(episode_frames) is not int or not 0 <= episode_frames < MOST_FRAMES:
        raise SimulationError(
            f"simulation '{name}': episode_frames is {episode_frames!r:.40}, not an int from 0 on",
            fix="give the frames of the longest episode, or 0 for no limit",
        )
    ranges = dict(actions or {})
    for part, given in ranges.items():
        _check_range(name, input, part, given)
    return Learning(observe, rewards, ends, *seen, bool(who), ranges, episode_frames)


def _observe(
    name: str, kernel: object, state: StructType, who: tuple[Type, ...]
) -> tuple[StructType, tuple[int, ...], ScalarType]:
    """The struct that `observe` fills, and what it is as an array."""
    player = "player: int, " if who else ""
    fix = f"write `def observe(state: {state.name}, {player}out: Seen) -> None:`, Seen a struct"
    if not isinstance(kernel, Kernel):
        raise SimulationError(
            f"simulation '{name}': observe is {type(kernel).__name__}, not a kernel",
            fix=f"put @sb.kernel above it, and {fix}",
        )
    types = kernel.fixed_types
    out = None if types is None or types[:-1] != (state, *who) else types[-1]
    if types is None or not isinstance(out, StructType):
        found = "type variables" if types is None else f"({', '.join(map(str, types))})"
        raise SimulationError(f"simulation '{name}': observe takes {found}", fix=fix)
    if kernel.signature.result_type(types) not in (None, NONE):
        raise SimulationError(f"simulation '{name}': observe returns something", fix=fix)
    elements = set(_elements(out))
    element = elements.pop()
    if elements or element.storage != element:
        raise SimulationError(
            f"simulation '{name}': {out.name}, which observe fills, is not of one type of number",
            fix="give all its fields one type, such as float32",
        )
    (_, first), *more = out.fields
    if not more and isinstance(first, FixedArrayType) and isinstance(first.element, ScalarType):
        return out, first.shape, element
    return out, (out.size // element.size,), element


def _elements(t: MemoryType) -> Iterator[ScalarType]:
    """The types of the numbers of a type."""
    match t:
        case ScalarType():
            yield t
        case StructType():
            for _, part in t.fields:
                yield from _elements(part)
        case _:
            yield from _elements(t.element)


def _kernel(
    name: str,
    what: str,
    kernel: object,
    types: tuple[Type, ...],
    result: Type,
    written: str,
) -> Kernel | None:
    if kernel is None:
        return None
    fix = f"write `def {what}({written}:`"
    if not isinstance(kernel, Kernel):
        raise SimulationError(
            f"simulation '{name}': {what} is {type(kernel).__name__}, not a kernel",
            fix=f"put @sb.kernel above it, and {fix}",
        )
    found = kernel.fixed_types
    if found != types or kernel.signature.result_type(types) != result:
        text = "type variables" if found is None else f"({', '.join(map(str, found))})"
        returned = None if found is None else kernel.signature.result_type(found)
        raise SimulationError(
            f"simulation '{name}': {what} takes {text} and returns {returned}", fix=fix
        )
    return kernel


def _check_range(name: str, input: StructType, part: str, given: Any) -> None:
    t = input.field_types.get(part)
    if t is None:
        raise SimulationError(
            f"simulation '{name}': actions name '{part}', which {input.name} does not have",
            fix=f"it has {', '.join(input.field_types)}",
        )
    pair = cast("tuple[Any, ...]", given) if isinstance(given, tuple) else ()
    numbers = [x for x in pair if type(x) in (int, float)]
    if len(pair) != 2 or len(numbers) != 2 or not numbers[0] <= numbers[1]:
        raise SimulationError(
            f"simulation '{name}': the range of '{part}' is {given!r:.60}",
            fix="give the least and the greatest value, such as (0, 1)",
        )
