"""Object code between its compilation and its calls: the bytes, what the statuses of its entries
stand for, and the symbols that the process which loads it looks for.

What compiles and what loads both know this; it knows neither, so that a process which compiles
nothing loads no compiler for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from samebits.errors import Span


class TrapSite(NamedTuple):
    """What a non-zero status stands for."""

    kind: str
    span: Span
    detail: str | None


class CompiledObject(NamedTuple):
    """Relocatable object code, and the traps that its entries' statuses 1, 2, … stand for.

    `needs` are the keys of the shared functions that it calls, `has` of those that it consists of.
    """

    object_bytes: bytes
    traps: tuple[TrapSite, ...]
    needs: tuple[str, ...] = ()
    has: tuple[str, ...] = ()


NO_ADDRESSES: Mapping[str, int] = MappingProxyType({})

LENGTH_LIMIT = 1 << 48
"""Every array length that a caller passes is below this; no address space here is larger."""

HOOK = "sb_parallel_hook"
"""The object's variable: `i32 hook(range, slots, turns, batch, least, own)`. `range` is a range
function (see `emit_range`) whose first slot is the first index, `batch` what the kernel asks for
or 0, `least` the fewest turns that are worth a batch, `own` where the numbers of a trap "own" go.
It returns a status, or a negative number where it did nothing."""

OWN = "sb_own_range"
"""The object's variable of three words: index, first and end of the last trap "own". Two threads
that trap at once in one kernel may mix them up; the trap itself they don't."""

SYMBOL = "sb.lib."
"""How the symbols of shared functions begin."""


def symbol_of(key: str) -> str:
    """The symbol of a shared function in objects."""
    return SYMBOL + key
