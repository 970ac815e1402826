"""The check of players' inputs from Python, which become canonical and contiguous."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, cast

import numpy as np

from samebits.bits import canonicalize_nans, from_canonical, to_canonical
from samebits.errors import ArgumentError
from samebits.lang.memory.structs import Struct
from samebits.types import BOOL, MemoryType, ScalarType, StructType

Inputs = np.ndarray[Any, Any]


def _columns(
    t: MemoryType, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], ScalarType]]:
    """The scalars of a struct: names of fields, one inside another, and type. Those of vectors and
    fixed arrays are one."""
    match t:
        case ScalarType():
            yield path, t
        case StructType():
            for name, field_type in t.fields:
                yield from _columns(field_type, (*path, name))
        case _:
            yield from _columns(t.element, path)


class InputRules:
    """The rules for a simulation's inputs: struct, players, shape."""

    def __init__(self, simulation: str, cls: type[Struct], players: int) -> None:
        self.name = simulation
        self.cls = cls
        self.players = players
        self.type: StructType = cls.__sb_type__
        self._dtype = self.type.dtype
        self._uncanonical = [(path, t) for path, t in _columns(self.type) if t.is_ieee or t is BOOL]

    def frame(self, given: Any) -> Inputs:
        """One frame's inputs as a structured array of shape (1, players).

        `given` has one item per player: an instance of the input struct, or a dict of its fields,
        of which absent ones are zero; or it is a structured ndarray of shape (players,).
        Raises ArgumentError.
        """
        if isinstance(given, np.ndarray):
            array = cast("Inputs", given)
            self._check_dtype(array)
            if array.shape != (self.players,):
                raise self._count(f"shape {array.shape}")
            return self._canonical(array.reshape(1, self.players))
        if not isinstance(given, Sequence) or isinstance(given, str | bytes):
            raise ArgumentError(
                f"simulation '{self.name}' takes a list of {self.players} {self.type}, "
                f"one a player; got {type(given).__name__}",
                fix=f"give {self.players} of {self.type}, or of dicts of its fields",
            )
        items = cast("Sequence[Any]", given)
        if len(items) != self.players:
            raise self._count(str(len(items)))
        result = np.zeros((1, self.players), self.type.dtype)
        for player, item in enumerate(items):
            result[0, player] = self._one(item, player)
        return result

    def frames(self, given: Any) -> Inputs:
        """Many frames' inputs, a structured ndarray of shape (frames, players).

        Raises ArgumentError.
        """
        if not isinstance(given, np.ndarray):
            raise ArgumentError(
                f"simulation '{self.name}' runs over an ndarray of {self.type}.dtype, "
                f"shape (frames, {self.players}); got {type(given).__name__}",
                fix=f"make it with np.zeros((frames, {self.players}), {self.type}.dtype)",
            )
        array = cast("Inputs", given)
        self._check_dtype(array)
        if array.ndim != 2 or array.shape[1] != self.players:
            raise ArgumentError(
                f"simulation '{self.name}' takes inputs of shape (frames, {self.players}); "
                f"got shape {array.shape}",
                fix="give one row a frame, one element a player",
            )
        return self._canonical(array)

    def from_bytes(self, data: bytes, frames: int) -> Inputs:
        """Inputs from a replay's canonical bytes."""
        return from_canonical(self.type, data, frames * self.players).reshape(frames, self.players)

    def to_bytes(self, inputs: Inputs) -> bytes:
        """The canonical bytes that a replay holds."""
        return to_canonical(self.type, inputs)

    def _canonical(self, inputs: Inputs) -> Inputs:
        """A private copy, C-contiguous, with canonical NaNs and bools."""
        copy = np.array(inputs, order="C")
        for path, t in self._uncanonical:
            column = reduce(lambda part, name: part[name], path, copy)
            if t is BOOL:
                np.not_equal(column.view(np.uint8), 0, out=column)
            else:
                canonicalize_nans(column)
        return copy

    def _check_dtype(self, array: Inputs) -> None:
        if array.dtype is not self._dtype and array.dtype != self._dtype:
            found = "another structured dtype" if array.dtype.names else str(array.dtype)
            raise ArgumentError(
                f"simulation '{self.name}' takes inputs of {self.type}.dtype; got {found}",
                fix=f"make them with np.zeros(shape, {self.type}.dtype)",
            )

    def _one(self, item: Any, player: int) -> Any:
        if isinstance(item, Mapping):
            try:
                item = self.cls(**cast("Mapping[str, Any]", item))
            except ArgumentError as error:
                raise ArgumentError(
                    f"input of player {player}: {error.message}", fix=error.fix
                ) from None
        if isinstance(item, self.cls):
            return item.memory
        if isinstance(item, np.void) and item.dtype == self.type.dtype:
            return from_canonical(self.type, to_canonical(self.type, np.asarray(item)))[0]
        raise ArgumentError(
            f"input of player {player}: expected {self.type}; got {type(item).__name__}",
            fix=f"give {self.type}(...) or a dict of its fields",
        )

    def _count(self, found: str) -> ArgumentError:
        return ArgumentError(
            f"simulation '{self.name}' takes {self.players} inputs a frame, one a player; "
            f"got {found}",
            fix=f"give {self.players} of {self.type}",
        )
