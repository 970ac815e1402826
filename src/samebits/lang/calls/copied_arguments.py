"""Arguments that a call gets by copies, which are written back after it.

They are arrays of any strides, and what Python has in place of a container: a list, a dict, a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from samebits.errors import ArgumentError, Trap
from samebits.lang.annotations import class_of_type
from samebits.lang.arguments import naming
from samebits.lang.memory import strided
from samebits.types import StructType, Type

_PLAIN = (list, dict, set)


class Plain(NamedTuple):
    """What a parameter of a container type takes of Python's own. A class of containers has it as
    `__sb_taken__`."""

    kind: type
    made: Callable[[Any, Any, str], Any]
    """`made(cls, value, name)`: the container of a value, which parameter `name` is given. Raises
    ArgumentError and Trap where it does not fit."""
    given_back: Callable[[Any, Any, Any], None]
    """`given_back(container, value, before)`: make the value hold what the container holds, where
    that is no longer what `before` holds, the container as it was made."""


def are_copied(values: Iterable[Any], types: Iterable[Type]) -> bool:
    """Whether some argument needs `around`."""
    return any(
        type(value) is strided.Strided or _stands_for(value, t)
        for value, t in zip(values, types, strict=False)
    )


def copies(values: Sequence[Any], types: Sequence[Type], names: Sequence[str]) -> list[Any]:
    """The arguments as a call takes them: contiguous arrays, and containers. Raises ArgumentError
    where a container cannot hold what it is given."""
    return strided.bare(_contained(values, types, names))


def around(
    run: Callable[..., Any],
    values: Sequence[Any],
    types: Sequence[Type],
    names: Sequence[str],
    kernel: str,
) -> Any:
    """The result of `run`, after which what it wrote to copies is written back, also after a trap.
    Raises ArgumentError where a copy would not show what others write."""
    with naming(kernel):
        given = _contained(values, types, names)
    made = [
        (plain, value, container, container.copy())
        for value, container, t in zip(values, given, types, strict=True)
        if container is not value and (plain := _plain(t)) is not None
    ]
    try:
        return strided.around(run, given, types, names)
    finally:
        for plain, value, container, before in made:
            if container.memory.tobytes() != before.memory.tobytes():
                plain.given_back(container, value, before)


def _contained(values: Sequence[Any], types: Sequence[Type], names: Sequence[str]) -> list[Any]:
    """The arguments with containers in place of lists, dicts and sets that stand for one."""
    given: list[Any] = []
    seen: dict[int, str] = {}
    for value, t, name in zip(values, types, names, strict=True):
        plain = _plain(t)
        if plain is None or not _stands_for(value, t):
            given.append(value)
            continue
        if id(value) in seen:
            raise ArgumentError(
                f"parameter '{name}': the {plain.kind.__name__} is that of parameter "
                f"'{seen[id(value)]}'",
                note="each gets a container of its own, in which the other's changes are not seen",
                fix=f"pass one {t} for both",
            )
        seen[id(value)] = name
        try:
            given.append(plain.made(class_of_type(t), value, name))
        except Trap as trap:
            raise ArgumentError(f"parameter '{name}': {trap.message}", fix=trap.fix) from None
    return given


def _stands_for(value: Any, t: Type) -> bool:
    plain = _plain(t) if isinstance(value, _PLAIN) else None
    return plain is not None and isinstance(value, plain.kind)


def _plain(t: Type) -> Plain | None:
    return getattr(class_of_type(t), "__sb_taken__", None) if isinstance(t, StructType) else None
