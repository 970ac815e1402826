"""Slices of arrays: their bounds in a managed run, and the words of their errors."""

from __future__ import annotations

from typing import Any, NoReturn, cast

from samebits.errors import ArgumentError, Trap
from samebits.lang.values.scalars import TYPE_OF
from samebits.lang.values.storage import describe
from samebits.lang.values.weak import FromEnd, counted
from samebits.types import INT
from samebits.value_text import said

INDEX_TYPES = frozenset(cls for cls, t in TYPE_OF.items() if t.is_int)
"""The classes of what may stand in `a[...]`."""

NO_STEP = (
    "a slice has no step",
    "loop over range(start, stop, step), and index",
)
"""The error of `a[i:j:k]`, and what to write instead."""


LENGTH = "len"
"""How the bound is written of all items of a struct."""


def outside(bound: str) -> str:
    """The detail of the trap of a slice's bound, as written, that no array of the length has."""
    return f"the bound `{bound}` of a slice is below 0 or above the length"


def before(bound: str) -> str:
    """What a trap says of a slice's bound, as written, that counts from the end past the start."""
    return f"the bound `{bound}` of a slice counts from the end, to before the start"


def no_row_of_columns(array: str) -> tuple[str, str]:
    """The error of a part that does not lie in one piece, and what to write instead."""
    return (
        f"this part of {array} does not lie in one piece of memory",
        "slice the first dimension, as in a[i:j] and a[k, i:j], and loop over the others",
    )


def refuse_step() -> NoReturn:
    """Raise the ArgumentError of a slice with a step."""
    message, fix = NO_STEP
    raise ArgumentError(message, fix=fix)


class Slice:
    """`start:stop` in `a[...]`, each a number or None, with the words that stand there."""

    __slots__ = ("start", "start_text", "stop", "stop_text")

    def __init__(
        self, start: Any, stop: Any, start_text: str | None = None, stop_text: str | None = None
    ) -> None:
        self.start = start
        self.stop = stop
        self.start_text = f"{start}" if start_text is None else start_text
        self.stop_text = f"{stop}" if stop_text is None else stop_text

    @classmethod
    def of(cls, index: Any) -> Slice | None:
        """The slice that an index is, also Python's own; None if it is none.

        Raises ArgumentError where that has a step.
        """
        if not isinstance(index, slice):
            return index if isinstance(index, cls) else None
        given = cast("slice[Any, Any, Any]", index)
        if given.step is not None:
            refuse_step()
        return cls(given.start, given.stop)

    @property
    def is_whole(self) -> bool:
        """Whether it is `:`."""
        return self.start is None and self.stop is None

    def within(self, length: int) -> tuple[int, int]:
        """The first index and how many there are, along a dimension of this length. Raises Trap
        "index" for a bound outside it."""
        start = 0 if self.start is None else _bound(self.start, length, self.start_text)
        stop = length if self.stop is None else _bound(self.stop, length, self.stop_text)
        return start, max(stop - start, 0)


def from_start(index: Any, shape: tuple[int, ...]) -> Any:
    """`index` of an array of this shape, as Python code gives it, in a kernel's terms: numbers and
    bounds are counted from the start.

    Raises IndexError outside the array, ArgumentError for a slice with a step.
    """
    if not isinstance(index, tuple):
        return _part_from_start(index, shape[0], None if len(shape) == 1 else 0)
    parts = cast("tuple[Any, ...]", index)
    if len(parts) > len(shape):
        return parts
    axes = range(len(shape)) if len(shape) > 1 else (None,)
    return tuple(map(_part_from_start, parts, shape, axes))


def _part_from_start(part: Any, length: int, axis: int | None) -> Any:
    if isinstance(part, slice):
        given = cast("slice[Any, Any, Any]", part)
        try:
            start, stop, step = given.indices(length)
        except TypeError:
            return given
        if step != 1:
            refuse_step()
        return Slice(None, None) if (start, stop) == (0, length) else Slice(start, max(start, stop))
    is_number = hasattr(part, "__index__") and type(part) is not bool
    return counted(part, length, axis) if is_number else part


def _bound(bound: Any, length: int, text: str) -> int:
    if type(bound) is FromEnd:
        number = bound.of(length)
        if number < 0:
            raise Trap("index", said=said("index", "bound", int(bound), length, before(text)))
    elif type(bound) in INDEX_TYPES:
        number = int(bound)
    else:
        raise ArgumentError(
            f"an index is an integer, got {describe(bound)}", fix="convert it: a[int32(i) :]"
        )
    if not 0 <= number <= length:
        detail = outside(text)
        in_int64 = number - (1 << 64) if number > INT.maximum else number
        raise Trap("index", None, detail, said("index", "bound", in_int64, length, detail))
    return number
